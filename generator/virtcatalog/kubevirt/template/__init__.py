"""VirtualMachineTemplates: VMs made of them, and what their webhook refuses; what KubeVirt's virt-template does."""
