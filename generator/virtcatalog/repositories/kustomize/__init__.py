"""Kustomize's trees, read without running anything."""
