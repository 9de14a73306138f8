"""VMs larger or smaller than what they use: which size of their instance type would do, and how it gets there."""
