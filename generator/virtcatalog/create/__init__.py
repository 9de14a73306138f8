"""VMs, instance types and preferences from a line of flags: manifests as `virtctl create` makes them, or declarations.

Source: pkg/virtctl/create.
"""
