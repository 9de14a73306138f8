"""What becomes of each part and property that imports know, and why, and what foreign words stand for."""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

import virtcatalog.bring as room
from virtcatalog.bring.imports import Verdict

MODULES = [module.name for module in pkgutil.walk_packages(room.__path__, "virtcatalog.bring.") if not module.ispkg]

#: Tables of rules: what a text says in each column of RVTools, and in each field of forklift's inventory.
RULES = ("COLUMNS ", "FIELDS ")
#: What vSphere sets by itself, here or there.
DEFAULTS = ("off", "persistent", "normal", "-1", "1")


def fates(value: Any, name: str) -> Iterator[str]:
    """The verdicts and reasons of a table: by the property that each is of, or by the name of the constant."""
    if isinstance(value, Verdict):
        yield f"{name}: {value.fate}{value.why and ': '}{value.why}"
    elif isinstance(value, str) and " " in name:
        yield f"{name}: {value}"
    elif callable(value) and name.startswith(RULES):
        yield from fates(value("on"), name)
        for text in DEFAULTS:
            if value(text) != value("on"):
                yield from fates(value(text), f"{name} where it is {text}")
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from fates(inner, f"{name} {key}")
    elif isinstance(value, tuple) and value and all(isinstance(pair, tuple) and len(pair) == 2 for pair in value):
        for key, inner in value:
            yield from fates(inner, f"{name} {key}")


def tables(module: str) -> list[str]:
    loaded = import_module(module)
    own = re.findall(r"^(_?[A-Z]\w*)\b.*=", Path(str(loaded.__file__)).read_text(encoding="utf-8"), re.MULTILINE)
    return [line for name in own for line in fates(getattr(loaded, name), name.lstrip("_"))]


@pytest.mark.parametrize("module", [module for module in MODULES if tables(module)])
def test_every_fate_has_its_reason(module: str, snapshot: SnapshotAssertion) -> None:
    assert tables(module) == snapshot
