"""The version of virtcatalog."""

__version__ = "0.1.0"
