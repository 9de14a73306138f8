"""YAML's syntax, by the C parser of ruamel.yaml: nodes with their places out of text, and text out of nodes.

Nothing here judges what a scalar means, only whether it stands there bare.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from io import StringIO
from typing import Any, Final

from virtcatalog.errors import VirtcatalogError
from virtcatalog.limits import YAML_LEVELS, YAML_VALUES

try:
    from ruamel.yaml.cyaml import CEmitter, CParser  # type: ignore[attr-defined]
    from ruamel.yaml.error import MarkedYAMLError as MarkedYAMLError
    from ruamel.yaml.error import YAMLError as YAMLError
    from ruamel.yaml.nodes import MappingNode as MappingNode
    from ruamel.yaml.nodes import ScalarNode as ScalarNode
    from ruamel.yaml.nodes import SequenceNode as SequenceNode
    from ruamel.yaml.tag import Tag
except ImportError as error:
    raise VirtcatalogError(f"YAML cannot be read: {error}; install ruamel.yaml and ruamel.yaml.clib") from error

TAG: Final = "tag:yaml.org,2002:"
#: The `ctag` of nodes that have no tag of their own: bare scalars, and all others.
PLAIN, QUOTED = Tag(suffix="plain"), Tag(suffix="quoted")

#: A word with a colon that can be, or be part of, a bare scalar; verbatim tags and directives are to be left alone.
_WORD: Final = (
    r"(?m)(?P<other>^%.*|!<[^\s>]*)"
    r"|(?<![^\s,\[\]{}])[^\s,\[\]{}&*!%\"'?:|>#`@][^\s,\[\]{}:]*:(?![\s,\[\]{}])[^\s,\[\]{}]*"
)
_COLON: Final = r"(?<=[^\"']):(?=.)"
_STAND_INS: Final = range(0xE000, 0xF8FF)


class SyntaxLimitError(Exception):
    """A text that goes beyond a limit: the mark of a node around the place, if there is one, and a message."""


def compose(text: str) -> Iterator[Any]:
    """Yield the node of every document; raises YAMLError for what is not YAML, SyntaxLimitError beyond a limit."""
    done = 0
    try:
        for node in _documents(text):
            yield node
            done += 1
    except MarkedYAMLError as error:
        stand_in = _free_character(text) if error.problem == "found unexpected ':'" else ""
        if not stand_in:
            raise
    else:
        return
    # The parser is libyaml of before `[a:b]` was one scalar, which it is to Go. So it is given another character for
    # colons within words: that moves no place, and in any other scalar it makes no difference either.
    for number, node in enumerate(_documents(re.sub(_WORD, partial(_masked, stand_in), text))):
        if number >= done:
            _unmask(node, stand_in)
            yield node


def _masked(stand_in: str, word: re.Match[str]) -> str:
    return word[0] if word["other"] else re.sub(_COLON, stand_in, word[0])


def _free_character(text: str) -> str:
    return next((chr(code) for code in _STAND_INS if chr(code) not in text), "")


def _unmask(document: Any, stand_in: str) -> None:
    for node in scalars(document):
        node.value = node.value.replace(stand_in, ":")


def scalars(document: Any) -> Iterator[Any]:
    """Yield the scalars of a document in their order, keys too, each once however many aliases it has."""
    seen: set[int] = set()
    left = [document]
    while left:
        node = left.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, ScalarNode):
            yield node
        elif isinstance(node, MappingNode):
            left += [each for pair in reversed(node.value) for each in reversed(pair)]
        else:
            left += reversed(node.value)


class _Parser(CParser):  # type: ignore[misc]
    """Composes nodes; the parser recurses without a limit of its own, and calls `descend_resolver` for every node."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._depth = 0
        self._left = YAML_VALUES

    def resolve(self, kind: Any, value: Any, implicit: Any) -> Tag:
        return PLAIN if kind is ScalarNode and implicit[0] else QUOTED

    def descend_resolver(self, node: Any, index: Any) -> None:
        self._depth += 1
        self._left -= 1
        if self._depth > 2 * YAML_LEVELS:
            raise SyntaxLimitError(node.start_mark, f"is nested more than {YAML_LEVELS} levels deep")
        if self._left < 0:
            raise SyntaxLimitError(node and node.start_mark, f"holds more than {YAML_VALUES} values")

    def ascend_resolver(self) -> None:
        self._depth -= 1


def _documents(text: str) -> Iterator[Any]:
    parser = _Parser(text)
    while parser.check_node():
        yield parser.get_node()


class _Emitter(CEmitter):  # type: ignore[misc]
    """Writes nodes, all of whose scalars are bare if their style is None and they can be, whatever they mean."""

    def resolve(self, kind: Any, value: Any, implicit: Any) -> Tag:
        return QUOTED

    def descend_resolver(self, node: Any, index: Any) -> None:
        pass

    def ascend_resolver(self) -> None:
        pass


def serialize(node: Any) -> str:
    """Write a node, made with the tag QUOTED throughout, as a document in which no line is folded."""
    written = StringIO()
    emitter = _Emitter(written, width=1 << 20, allow_unicode=True)
    emitter.open()
    emitter.serialize(node)
    emitter.close()
    return written.getvalue()
