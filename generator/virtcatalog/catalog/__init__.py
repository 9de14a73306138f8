"""Declarations → objects: classes × sizes and OS preferences become KubeVirt's instance types and preferences."""
