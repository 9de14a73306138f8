"""What KubeVirt's webhooks refuse in a VirtualMachine and its VirtualMachineInstance: a module a subject."""
