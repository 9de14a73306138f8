"""VMs that set all fields themselves adopt instance types and preferences of a catalog."""
