"""Flavors and images of OpenStack made instance types and preferences, and the fate of each of their properties."""
