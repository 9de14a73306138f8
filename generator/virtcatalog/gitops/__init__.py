"""What Argo CD and Flux make of objects in Git: how a cluster stores them, and what stays out of sync."""
