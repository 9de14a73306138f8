"""Questions to one side: why a VM is as it is, and who depends on what."""
