"""A libvirt domain turned into a VM, with the fate of every part of the domain."""
