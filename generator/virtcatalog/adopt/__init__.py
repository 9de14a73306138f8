"""Other sources turned into a catalog's use: VMs that say everything themselves adopt its objects."""
