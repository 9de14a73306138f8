"""The elements of a domain, a module each, named as libvirt names them."""
