"""virt-controller: from a VirtualMachineInstance to the virt-launcher Pod that it sends to the API server."""
