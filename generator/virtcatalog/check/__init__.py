"""Everything that can be known of a catalog before it is applied."""
