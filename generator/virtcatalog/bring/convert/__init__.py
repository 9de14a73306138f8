"""Objects of APIs that KubeVirt had, as objects of those that it has."""
