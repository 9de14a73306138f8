"""A set of instance types and preferences as a catalog: what its objects have in common, found by itself."""
