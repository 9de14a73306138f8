"""Catalog objects → the output tree that a cluster syncs."""
