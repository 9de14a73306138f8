"""Manifests as YAML text: block style, keys in the order given, one spelling for one value.

libyaml through PyYAML writes it. Strings that any YAML version could take for something else are quoted, so that
what Go's, Python's and JavaScript's readers see is what was meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import yaml

# YAML 1.2 and Go read these as numbers; PyYAML follows YAML 1.1 and would leave some of them plain.
_NUMBER_LIKE = re.compile(r"[-+]?(\.\d+|\d+\.?\d*)([eE][-+]?\d+)?|0[xob][\da-fA-F_]+")

_Base: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


class _Dumper(_Base):  # type: ignore[misc]
    def ignore_aliases(self, data: object) -> bool:
        return True


def _text(dumper: Any, value: str) -> Any:
    style = None
    if "\n" in value:
        style = "|"
    elif _NUMBER_LIKE.fullmatch(value):
        style = "'"
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style)


_Dumper.add_representer(str, _text)


def dump(manifest: Mapping[str, Any] | list[Any]) -> str:
    """One manifest as a YAML document without a document marker."""
    text: str = yaml.dump(
        manifest, Dumper=_Dumper, sort_keys=False, default_flow_style=False, width=1 << 20, allow_unicode=True
    )
    return text


def join(documents: Iterable[str]) -> str:
    """Documents as one multi-document stream."""
    return "---\n".join(documents)
