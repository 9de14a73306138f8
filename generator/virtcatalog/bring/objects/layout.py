"""A catalog's files as people write them: what is short on one line, blank lines between what is long."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from virtcatalog.bring.objects.facts import Expression
from virtcatalog.catalog.expressions import is_expression
from virtcatalog.manifests.emit import dump, flow

_WIDTH = 112


def document(data: Mapping[str, Any], opened: Collection[str] = ()) -> str:
    """Return a file; each entry of the maps that are `opened` stands on a line of its own at least."""
    lines: list[str] = []
    for key, value in _literal(data).items():
        if key in opened and value:
            lines.append(f"{key}:\n")
            for name, each in value.items():
                _entry(lines, "  ", name, {} if each is None else each)
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
            for name, each in value.items():
                _entry(lines, f"{indent}  ", name, each)
        else:
            lines.append(f"{indent}{_key(key)}:\n")
            line = f"{indent}  {flow(value)}\n"
            lines += [line] if len(line) <= _WIDTH + 8 else [f"{indent}  - {flow(each)}\n" for each in value]
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
    """Whether there is text of several lines in it, which is better read in a block."""
    if isinstance(value, dict):
        return any(map(_long, value.values()))
    return any(map(_long, value)) if isinstance(value, list) else isinstance(value, str) and "\n" in value[:-1]


def _literal(value: Any) -> Any:
    """Data in which no string is taken for an expression that is none."""
    if isinstance(value, dict):
        return {key: _literal(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_literal(each) for each in value]
    if isinstance(value, Expression):
        return str(value)
    if isinstance(value, str) and is_expression(value):
        escaped = value.encode("unicode_escape").decode().replace('"', '\\"')
        return f'{{{{ "{escaped}" }}}}'
    return value
