"""What fits where: nodes, what VMs ask of them, the scheduler's rules, packing, and what namespaces may have."""
