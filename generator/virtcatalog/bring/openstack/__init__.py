"""Flavors and images of OpenStack turned into instance types and preferences, with the fates of their properties."""
