"""What virt-controller makes of a VirtualMachine: its VirtualMachineInstance."""
