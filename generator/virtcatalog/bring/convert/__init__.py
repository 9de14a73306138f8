"""Objects of APIs that KubeVirt dropped, converted to those that it serves."""
