"""Golden domains of a catalog's VM templates."""
