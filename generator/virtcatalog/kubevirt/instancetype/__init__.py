"""Instance types and preferences: found, inferred, pinned; an instance type applied to a VMI."""
