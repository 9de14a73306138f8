"""What is wrong with a declaration: it may be a fragment, and hold expressions that are evaluated later."""

from __future__ import annotations

from typing import Any

from virtcatalog.api.findings import Findings, Path, Rules, inspect
from virtcatalog.api.shape import Anything, Leaf, Shape, Version

_AS_TEXT = "the filter `string` makes one of it"


def faults(
    value: Any, kind: Any, release: Version = (), *, fragment: bool = False, expressions: bool = False
) -> Findings:
    """Return everything that is wrong with plain data of a type, in the data's order.

    `release` is the oldest KubeVirt release that must know every field. A `fragment` may lack required fields
    and have `null`; with `expressions`, a string with an expression may stand for any value.
    """
    rules = Rules(release, fragment, whole_floats=False, later=_later if expressions else None)
    return inspect(value, kind, rules)[1]


def spec_faults(spec: Any, kind: Any, release: Version = ()) -> Findings:
    """Return everything that is wrong with a finished spec; `release` is as in `faults`."""
    return inspect(spec, kind, Rules(release, whole_floats=False, as_text=_AS_TEXT))[1]


def value_faults(value: Any, kind: Any) -> Findings:
    """Return everything that is wrong with a fragment once its expressions are evaluated."""
    return inspect(value, kind, Rules(fragment=True, whole_floats=False, as_text=_AS_TEXT))[1]


def _later(value: Any, shape: Shape, path: Path) -> bool:
    """Whether a value is left to later checks: it is an expression, and one for a map or a list stands in a spec."""
    return (
        type(value) is str
        and ("{{" in value or "{%" in value)
        and (isinstance(shape, Leaf | Anything) or "spec" in path[:-1])
    )
