"""Declarations → objects: classes and sizes and OS preferences become KubeVirt's instance types and preferences."""
