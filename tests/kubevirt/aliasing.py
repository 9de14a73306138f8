"""Find out whether two objects share a part: scribble over one, look at the other."""

from __future__ import annotations


def scribble(value):
    """Change every attribute of every object and every list and map below `value`, as far as they can be changed."""
    if isinstance(value, list):
        for item in value:
            scribble(item)
        value.append("scribbled")
    elif isinstance(value, dict):
        value["scribbled"] = "on"
    elif hasattr(value, "__struct_fields__"):
        for name in value.__struct_fields__:
            scribble(getattr(value, name))
            if not value.__struct_config__.frozen:
                setattr(value, name, "scribbled")
