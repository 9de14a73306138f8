"""What virt-launcher does to a domain between its converter and its last definition in libvirt."""
