"""Manifests as YAML text: block style, keys in the order given, one spelling for one value.

libyaml through PyYAML writes it, and quotes what YAML 1.1 would take for something else; strings that the Kubernetes
tools would take for something else are quoted too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import yaml

from virtcatalog.api.scalars import resolve

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
    text: str = yaml.dump(
        manifest, Dumper=_Dumper, sort_keys=False, default_flow_style=False, width=1 << 20, allow_unicode=True
    )
    return text


def join(documents: Iterable[str]) -> str:
    """Documents as one multi-document stream."""
    return "---\n".join(documents)
