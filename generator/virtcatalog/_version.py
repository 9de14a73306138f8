"""The version of virtcatalog."""

__version__ = "1.0.0"
