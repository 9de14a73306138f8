"""From a VirtualMachineInstance to its libvirt domain: what virt-launcher does."""
