"""The values that KubeVirt's webhooks give what a VM or VMI leaves open (pkg/defaults)."""
