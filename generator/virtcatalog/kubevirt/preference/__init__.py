"""A preference applied to a VM's template or to a VirtualMachineInstance: it fills in what the VM does not say."""
