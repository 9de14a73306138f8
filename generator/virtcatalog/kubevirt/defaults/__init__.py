"""The values that KubeVirt's webhooks give what a VM or VMI leaves open (KubeVirt v1.9.0, pkg/defaults)."""
