"""The layout of a catalog's files: short maps on one line, long ones in blocks."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from virtcatalog.bring.objects.facts import Expression
from virtcatalog.catalog.expressions import is_expression
from virtcatalog.manifests.emit import dump, flow

_WIDTH = 112


def document(data: Mapping[str, Any], opened: Collection[str] = ()) -> str:
    """Return the text of a file; entries of the maps in `opened` start on lines of their own."""
    lines: list[str] = []
    for key, value in _literal(data).items():
        if key in opened and value:
            lines.append(f"{key}:\n")
            for name, entry in value.items():
                _entry(lines, "  ", name, {} if entry is None else entry)
        else:
            _entry(lines, "", key, value)
    return "".join(lines)


def _entry(lines: list[str], indent: str, key: str, value: Any) -> None:
    if isinstance(value, (dict, list)):
        line = f"{indent}{_key(key)}: {flow(value)}"
        if not value or (len(line) <= _WIDTH and _levels(value) <= 6 and not _long(value)):
            lines.append(f"{line}\n")
        elif isinstance(value, dict):
            lines.append(f"{indent}{_key(key)}:\n")
            for name, item in value.items():
                _entry(lines, f"{indent}  ", name, item)
        else:
            lines.append(f"{indent}{_key(key)}:\n")
            line = f"{indent}  {flow(value)}\n"
            lines += [line] if len(line) <= _WIDTH + 8 else [f"{indent}  - {flow(item)}\n" for item in value]
    else:
        written = dump({key: value})
        lines += [f"{indent}{line}" if line.strip() else line for line in written.splitlines(keepends=True)]


def _key(key: str) -> str:
    return dump({key: 0}).rpartition(":")[0]


def _levels(value: Any) -> int:
    if isinstance(value, dict):
        return 1 + max(map(_levels, value.values()), default=0)
    return 1 + max(map(_levels, value), default=0) if isinstance(value, list) else 0


def _long(value: Any) -> bool:
    """Whether a value has text of several lines, which is easier to read in a block."""
    if isinstance(value, dict):
        return any(map(_long, value.values()))
    return any(map(_long, value)) if isinstance(value, list) else isinstance(value, str) and "\n" in value[:-1]


def _literal(value: Any) -> Any:
    """Data with literal strings escaped that the catalog would evaluate."""
    if isinstance(value, dict):
        return {key: _literal(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_literal(item) for item in value]
    if isinstance(value, Expression):
        return str(value)
    if isinstance(value, str) and is_expression(value):
        escaped = value.encode("unicode_escape").decode().replace('"', '\\"')
        return f'{{{{ "{escaped}" }}}}'
    return value
