"""Manifests as YAML text: block style, keys in the order given, one spelling for one value.

libyaml through PyYAML writes it, and quotes what YAML 1.1 would take for something else; strings that the Kubernetes
tools would take for something else are quoted too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Final

import yaml

from virtcatalog.manifests.scalars import resolve

#: What is a plain string to every reader of YAML, unless it is one of these words.
_PLAIN: Final = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[-./_ ][A-Za-z0-9]+)*")
_WORDS: Final = frozenset(("true", "false", "yes", "no", "on", "off", "y", "n", "null", "none"))

_Base: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


class _Dumper(_Base):  # type: ignore[misc]
    def ignore_aliases(self, data: object) -> bool:
        return True


def _text(dumper: Any, value: str) -> Any:
    style = None
    if "\n" in value:
        style = "|"
    elif not isinstance(resolve(value), str):
        style = "'"
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style)


_Dumper.add_representer(str, _text)


def dump(manifest: Mapping[str, Any] | list[Any]) -> str:
    """One manifest as a YAML document without a document marker."""
    lines: list[str] = []
    try:
        _block(lines, "", manifest)
    except _OtherwiseError:
        return _dump(manifest)
    return "".join(lines)


def _dump(value: Any) -> str:
    text: str = yaml.dump(
        value, Dumper=_Dumper, sort_keys=False, default_flow_style=False, width=1 << 20, allow_unicode=True
    )
    return text


class _OtherwiseError(Exception):
    """A document that is left to PyYAML as a whole."""


def _block(lines: list[str], indent: str, value: Any, start: str = "") -> None:
    """Write a map or list as PyYAML does, many times as fast; the first line starts with `start`, not the indent."""
    if not value or not isinstance(value, (dict, list)):
        raise _OtherwiseError
    for key, each in value.items() if isinstance(value, dict) else (("", each) for each in value):
        lead = start or indent
        start = ""
        if isinstance(value, dict):
            lead += f"{_scalar(key)}:"
            if each and isinstance(each, dict):
                lines.append(f"{lead}\n")
                _block(lines, f"{indent}  ", each)
                continue
            if each and isinstance(each, list):
                lines.append(f"{lead}\n")
                _block(lines, indent, each)
                continue
        elif each and isinstance(each, (dict, list)):
            _block(lines, f"{indent}  ", each, f"{lead}- ")
            continue
        else:
            lead += "-"
        lines.append(f"{lead} {_leaf(each)}\n")


def _leaf(value: Any) -> str:
    if type(value) is str:
        return _scalar(value)
    if value is True or value is False:
        return "true" if value else "false"
    if type(value) is int:
        return str(value)
    if isinstance(value, (dict, list)) and not value:
        return "[]" if isinstance(value, list) else "{}"
    raise _OtherwiseError


@lru_cache(maxsize=1 << 14)
def _scalar(text: Any) -> str:
    """A string on one line; PyYAML says how."""
    if type(text) is not str or len(text) > 100 or "\n" in text:
        raise _OtherwiseError
    if _PLAIN.fullmatch(text) and text.lower() not in _WORDS:
        return text
    written = _dump(text).removesuffix("\n").removesuffix("\n...")
    if "\n" in written:
        raise _OtherwiseError
    return written


def join(documents: Iterable[str]) -> str:
    """Documents as one multi-document stream."""
    return "---\n".join(documents)
