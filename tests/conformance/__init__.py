"""What KubeVirt makes of VMs, held in the repository, and what virtcatalog makes of the same VMs."""
