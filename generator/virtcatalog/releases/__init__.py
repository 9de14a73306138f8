"""What belongs to one KubeVirt release rather than to its API: a value a release."""
