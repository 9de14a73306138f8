"""Everything that can be checked in a catalog before it is applied."""
