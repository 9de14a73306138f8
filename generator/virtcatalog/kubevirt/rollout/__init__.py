"""What KubeVirt does with a VM that runs when its manifest, its types, its configuration or the release changes."""
