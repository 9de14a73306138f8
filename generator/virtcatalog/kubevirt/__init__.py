"""What KubeVirt does with a VM: its webhooks, its controller, and the launcher that makes the libvirt domain."""
