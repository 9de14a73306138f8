"""How plain data becomes other plain data, as operations of a JSON patch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import msgspec


class Change(msgspec.Struct, frozen=True, omit_defaults=True):
    """One operation; `path` is a JSON pointer, `value` None where something is removed."""

    op: Literal["add", "remove", "replace"]
    path: str
    value: Any = None

    def to_dict(self) -> dict[str, Any]:
        """The operation as JSON has it."""
        plain = {"op": self.op, "path": self.path}
        return plain if self.op == "remove" else {**plain, "value": self.value}


def changes(old: Any, new: Any, path: str = "") -> Iterator[Change]:
    """Yield what makes `new` of `old`: maps key by key, lists of one length item by item, the rest as a whole."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted(old.keys() | new.keys()):
            place = f"{path}/{key.replace('~', '~0').replace('/', '~1')}"
            if key not in old:
                yield Change("add", place, new[key])
            elif key not in new:
                yield Change("remove", place)
            else:
                yield from changes(old[key], new[key], place)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (one, other) in enumerate(zip(old, new, strict=True)):
            yield from changes(one, other, f"{path}/{index}")
    elif old != new or type(old) is not type(new):
        yield Change("replace", path, new)
