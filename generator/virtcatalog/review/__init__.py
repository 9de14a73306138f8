"""What a change does, and why a VM becomes what it becomes."""
