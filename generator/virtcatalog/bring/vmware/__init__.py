"""VMs of VMware's vSphere become VMs of KubeVirt: read from OVF, OVA, RVTools' exports or forklift's inventory."""
