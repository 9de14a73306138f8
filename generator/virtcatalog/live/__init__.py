"""A cluster's objects, read once from its API or a dump, and what of Git has reached which VM."""
