"""A libvirt domain made a VM, and the proof of what became of each of its parts."""
