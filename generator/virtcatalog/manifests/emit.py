"""Manifests as YAML text: block style, keys in the order given, one spelling for one value.

Strings that the Kubernetes tools or YAML 1.1, to the letter, would take for something else are quoted. What is not
written here in a few lines the YAML library writes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

from virtcatalog.escaping import code_point, commands, unmarked
from virtcatalog.manifests.scalars import resolve
from virtcatalog.manifests.syntax import QUOTED, MappingNode, ScalarNode, SequenceNode, serialize

#: What is a plain string to every reader of YAML, unless it is one of these words.
_PLAIN: Final = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[-./_ ][A-Za-z0-9]+)*")
_WORDS: Final = frozenset(("true", "false", "yes", "no", "on", "off", "y", "n", "null", "none"))

#: Lines of ASCII that YAML's literal style keeps as they are.
_LINES: Final = re.compile(r"[!-~](?:[ -~]*[!-~])?(?:\n(?:[ -~]*[!-~])?)*?\n?(?<!\n\n)")

#: What can stand bare in flow style, too.
_BARE: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_./-]*(?: [A-Za-z0-9(][A-Za-z0-9_./()-]*)*")

#: What YAML 1.1, or Go's reader, takes for a number, also in base 60, for a date, or for a sign of its own; and what
#: others take for infinity, such as 1e400.
_OTHER: Final = re.compile(
    r"[-+]?(?:0b[01_]+|0[0-7_]+|0|[1-9][0-9_]*|0x[0-9a-fA-F_]+|[1-9][0-9_]*(?::[0-5]?[0-9])+)"
    r"|0o[-+][0-7]+|[-+]?[0-9]+[eE][-+]?[0-9]+"
    r"|[-+]?[0-9][0-9_]*(?:\.[0-9_]*(?:[eE][-+][0-9]+)?|(?::[0-5]?[0-9])+\.[0-9_]*)|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?"
    r"|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}"
    r"(?:\.[0-9]*)?(?:[ \t]*(?:Z|[-+][0-9]{1,2}(?::[0-9]{2})?))?)?|=|<<"
)

#: What YAML has as escapes only, and what ends lines in some of its versions.
_UNSHOWN: Final = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")

#: What ends a line in YAML 1.1 and is a letter like others in YAML 1.2: escaped, it is the same to both.
_BREAKS: Final = re.compile("[\x85\u2028\u2029]")


def dump(manifest: Mapping[str, Any] | list[Any]) -> str:
    """One manifest as a YAML document without a document marker."""
    lines: list[str] = []
    try:
        _block(lines, "", manifest)
    except _OtherwiseError:
        return _dump(manifest)
    return "".join(lines)


def _dump(value: Any) -> str:
    # A text that commands stands in double quotes, where an escape can be in it.
    return unmarked(serialize(_node(value)), r"\x23")


def _node(value: Any) -> Any:
    if isinstance(value, str):
        return ScalarNode(QUOTED, value, style=_style(value))
    if isinstance(value, Mapping):
        return MappingNode(QUOTED, [(_node(key), _node(item)) for key, item in value.items()], flow_style=False)
    if isinstance(value, list | tuple):
        return SequenceNode(QUOTED, [_node(item) for item in value], flow_style=False)
    return ScalarNode(QUOTED, _number(value))


def _style(text: str) -> str | None:
    if commands(text) or _BREAKS.search(text):
        return '"'
    if "\n" in text:
        return "|"
    return "'" if _OTHER.fullmatch(text) or not isinstance(resolve(text), str) else None


def _number(value: float | bool | None) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    text = repr(value)
    # YAML 1.1 has no number with an exponent and no dot.
    return text.replace("e", ".0e", 1) if "." not in text else text


_END: Final = "\n"
_SHORT: Final = 100
"""How many characters of a string are remembered with how it is written, and can be a key without a `?`."""


class _OtherwiseError(Exception):
    """A document that is left to the YAML library as a whole."""


def _block(lines: list[str], indent: str, value: Any, start: str = "") -> None:
    """Write a map or list, many times as fast as the library; the first line starts with `start`, not the indent."""
    if not value or not isinstance(value, (dict, list)):
        raise _OtherwiseError
    lead = start or indent
    if isinstance(value, list):
        for item in value:
            if item and isinstance(item, (dict, list)):
                _block(lines, f"{indent}  ", item, f"{lead}- ")
            else:
                lines.append(f"{lead}- {_leaf(item)}\n")
            lead = indent
        return
    for key, item in value.items():
        if type(item) is str:
            if "\n" in item:
                lines += _literal(f"{lead}{_scalar(key)}:", f"{indent}  ", item)
            else:
                lines.append(f"{lead}{_scalar(key)}: {_scalar(item) if len(item) <= _SHORT else _long(item)}\n")
        elif item and isinstance(item, (dict, list)):
            lines.append(f"{lead}{_scalar(key)}:\n")
            _block(lines, indent if isinstance(item, list) else f"{indent}  ", item)
        else:
            lines.append(f"{lead}{_scalar(key)}: {_leaf(item)}\n")
        lead = indent


def _literal(lead: str, indent: str, text: str) -> Iterator[str]:
    """A text of several lines, in literal style."""
    if not _LINES.fullmatch(text) or commands(text):
        raise _OtherwiseError
    yield f"{lead} {'|' if text.endswith(_END) else '|-'}{_END}"
    for line in text.removesuffix(_END).split(_END):
        yield f"{indent}{line}{_END}" if line else _END


def _leaf(value: Any) -> str:
    if type(value) is str:
        return _scalar(value) if len(value) <= _SHORT else _long(value)
    if value is True or value is False:
        return "true" if value else "false"
    if type(value) is int:
        return str(value)
    if isinstance(value, (dict, list)) and not value:
        return "[]" if isinstance(value, list) else "{}"
    raise _OtherwiseError


@lru_cache(maxsize=1 << 14)
def _scalar(text: Any) -> str:
    """A string on one line, also for a key; the library says how."""
    if type(text) is not str or len(text) > _SHORT:
        raise _OtherwiseError
    return _line(text)


@lru_cache(maxsize=1 << 8)
def _long(text: str) -> str:
    return _line(text)


def _line(text: str) -> str:
    if "\n" in text:
        raise _OtherwiseError
    if _PLAIN.fullmatch(text) and text.lower() not in _WORDS:
        return text
    return _dump(text).removesuffix("\n").removesuffix("\n...")


def flow(value: Any) -> str:
    """Plain data on one line, in flow style: quoted as JSON what cannot stand bare among commas and brackets."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{flow(key)}: {flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(flow, value)) + "]"
    if isinstance(value, str):
        bare = _BARE.fullmatch(value) and value.lower() not in _WORDS and _style(value) is None
        return (
            value if bare else _UNSHOWN.sub(lambda match: code_point(match[0]), json.dumps(value, ensure_ascii=False))
        )
    return _number(value)


def join(documents: Iterable[str]) -> str:
    """Documents as one multi-document stream."""
    return "---\n".join(documents)
