"""A real API server with KubeVirt's kinds, and what it stores of what virtcatalog makes.

cluster.running is what tests use.
"""
