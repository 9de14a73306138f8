"""Makes a catalog of a set of instance types and preferences: classes, layers and components are derived."""
