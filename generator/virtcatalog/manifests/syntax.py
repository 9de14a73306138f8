"""YAML's syntax, by the C parser of ruamel.yaml: nodes with their places out of text, and text out of nodes.

Nothing here judges what a scalar means, only whether it stands there bare.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from io import StringIO
from typing import Any, Final

from virtcatalog.errors import VirtcatalogError
from virtcatalog.limits import YAML_LEVELS, YAML_VALUES

try:
    from ruamel.yaml.composer import ComposerError
    from ruamel.yaml.cyaml import CEmitter, CParser  # type: ignore[attr-defined]
    from ruamel.yaml.error import MarkedYAMLError as MarkedYAMLError
    from ruamel.yaml.error import YAMLError as YAMLError
    from ruamel.yaml.events import (
        AliasEvent,
        DocumentStartEvent,
        MappingEndEvent,
        MappingStartEvent,
        ScalarEvent,
        SequenceEndEvent,
        StreamEndEvent,
    )
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
_REDEFINED: Final = "found duplicate anchor"
_NO_START: Final = "did not find expected <document start>"
_ONE_WORDED: Final = {
    "found undefined alias": "there is no anchor for this alias; text that begins with '*' needs quotes",
    "could not find expected ':'": "this key has no ': ' behind it",
    "found invalid Unicode character escape code": "this escape means no character: it is half of a pair, or too large",
    "found unknown escape character": "YAML does not know this escape; double the backslash, or use single quotes",
    "block sequence entries are not allowed in this context": "a list begins in the line below its key",
    "did not find expected '-' indicator": "an item of a list begins with '-', as far right as the items before it",
    _NO_START: "this line is further left than the first, or follows a document's end",
}
#: What git writes around the two sides of a conflict.
_CONFLICT: Final = ("<<<<<<<", "=======", ">>>>>>>")
#: A value that begins with a quote of word processors.
_CURLED: Final = re.compile("[:-] +([\u201c\u201d\u2018\u2019\u201e\u00ab])")
#: Where the parser notes that a bracket or quote is not closed is far from where it was opened.
_UNCLOSED: Final = ("did not find expected ',' or", "found unexpected end of stream")


class SyntaxLimitError(Exception):
    """A text that goes beyond a limit: the mark of a node around the place, if there is one, and a message."""


def compose(text: str) -> Iterator[Any]:
    """Yield the node of every document; raises YAMLError for what is not YAML, SyntaxLimitError beyond a limit."""
    done, stand_in, shown, documents = 0, "", text, _documents
    while True:
        try:
            for number, node in enumerate(documents(shown)):
                if number >= done:
                    if stand_in:
                        _unmask(node, stand_in)
                    yield node
                    done += 1
        except MarkedYAMLError as error:
            if error.problem == "found unexpected ':'" and not stand_in and (stand_in := _free_character(text)):
                # The parser is libyaml of before `[a:b]` was one scalar, which it is to Go. So it is given another
                # character for colons within words: that moves no place, and makes no difference in any other scalar.
                shown = re.sub(_WORD, partial(_masked, stand_in), text)
            elif (error.context or "").startswith(_REDEFINED) and documents is _documents:
                documents = _of_events
            else:
                raise
        else:
            return


def fault(error: Any, lines: Sequence[str], line: Callable[[Any], int]) -> tuple[Any, str]:
    """Say what of a text is not YAML, and the mark where it is to be mended.

    `line` gives a mark's line as people count it.
    """
    problem, opened, mark = error.problem, error.context_mark, error.problem_mark
    written = lines[mark.line] if mark.line < len(lines) else ""
    before, character = written[: mark.column], written[mark.column : mark.column + 1]
    typed = (mark, "a tab cannot indent YAML; use spaces") if character == "\t" else _typed(lines, mark, opened)
    if typed:
        return typed
    words = _ONE_WORDED.get(problem, "")
    in_json = next(filter(None, map(str.strip, lines)), "").startswith(("{", "["))
    if problem.startswith(_UNCLOSED) and opened and opened.line < mark.line and not in_json:
        sign = lines[opened.line][opened.column : opened.column + 1]
        end = "is not closed" if sign in ("'", '"') else f"is not closed, or a ',' is missing before line {line(mark)}"
        mark, words = opened, f"the {sign!r} here {end}"
    elif problem.startswith("did not find expected ',' or"):
        words = "a ',' is missing before this" if character else "the text ends before a bracket is closed"
    elif problem == "could not find expected ':'":
        mark = opened
    elif problem == _NO_START and "".join(lines[mark.line - 1 : mark.line]).startswith("%"):
        words = "directives such as %YAML end with a line '---'"
    elif problem == "did not find expected alphabetic or numeric character" and opened:
        mark, sign = opened, written[opened.column : opened.column + 1]
        kind = "an alias" if sign == "*" else "an anchor"
        words = f"the name of {kind} has letters, digits, '-' and '_'; text that begins with {sign!r} needs quotes"
    elif problem == "mapping values are not allowed in this context":
        words = _unexpected_colon(before, lines[mark.line - 1] if mark.line else "")
    elif problem == "did not find expected key":
        words = "quoted text or a bracket ends before this; quote the value as a whole"
        if not before.strip():
            place = f"line {line(opened)}, column {opened.column + 1}"
            words = f"this line fits no map above it, of which the nearest begins in {place}"
    elif problem == "did not find expected node content":
        words = f"a value is wanted here, not {character!r}" if character else "the text ends where a value is wanted"
    elif problem == "found character that cannot start any token":
        words = f"text cannot begin with {character!r}; quote it"
    elif not words:
        words = ": ".join(part for part in (error.context, problem) if part)
    return mark, f"is not YAML: {words}"


def _unexpected_colon(before: str, above: str) -> str:
    """Say why a ': ' cannot be behind what is before it in its line, and below the line above."""
    if ": " in before:
        return "a second ': ' in one line; quote the text that has it"
    if ": " in above:
        return "this line is further right than the one before, which has a value already"
    return "the line before has no ': ' between a key and its value"


def _typed(lines: Sequence[str], *marks: Any) -> tuple[Any, str] | None:
    """What an editor or git put into the lines of a fault, and the first of them that has it."""
    for mark in sorted({mark.line: mark for mark in marks if mark is not None}.values(), key=lambda mark: mark.line):
        line = lines[mark.line] if mark.line < len(lines) else ""
        if line.startswith(_CONFLICT):
            return mark, "is not YAML: git has left a conflict of a merge here; resolve it"
        if "\u00a0" in line:
            return mark, "is not YAML: this line has a no-break space; type an ordinary one"
        quote = _CURLED.search(line)
        if quote:
            return mark, f"is not YAML: {quote[1]} is no quote to YAML; type ' or \""
    return None


def _masked(stand_in: str, word: re.Match[str]) -> str:
    return word[0] if word["other"] else re.sub(_COLON, stand_in, word[0])


def _free_character(text: str) -> str:
    return next((chr(code) for code in _STAND_INS if chr(code) not in text), "")


def _unmask(document: Any, stand_in: str) -> None:
    for node in scalars(document):
        node.value = node.value.replace(stand_in, ":")


def scalars(document: Any) -> Iterator[Any]:
    """Yield the scalars of a document in their order, keys too, each once however many aliases it has."""
    return (node for node in nodes(document) if isinstance(node, ScalarNode))


def nodes(document: Any) -> Iterator[Any]:
    """Yield the nodes of a document in their order, keys too, each once however many aliases it has."""
    seen: set[int] = set()
    left = [document]
    while left:
        node = left.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        yield node
        if isinstance(node, MappingNode):
            left += [child for pair in reversed(node.value) for child in reversed(pair)]
        elif not isinstance(node, ScalarNode):
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


def _of_events(text: str) -> Iterator[Any]:
    """Compose documents in which an anchor may be defined again, as YAML has it: its aliases mean the last one."""
    parser = _Parser(text)
    while not parser.check_event(StreamEndEvent):
        if isinstance(parser.get_event(), DocumentStartEvent):
            yield _node_of_events(parser, {})


def _node_of_events(parser: _Parser, anchors: dict[str, Any]) -> Any:
    """Compose the node that starts with the parser's next event."""
    event = parser.get_event()
    if isinstance(event, AliasEvent):
        if event.anchor not in anchors:
            raise ComposerError(None, None, "found undefined alias", event.start_mark)
        return anchors[event.anchor]
    is_scalar = isinstance(event, ScalarEvent)
    kind: Any = ScalarNode if is_scalar else MappingNode if isinstance(event, MappingStartEvent) else SequenceNode
    tag = event.ctag or parser.resolve(kind, None, event.implicit)
    node = kind(tag, event.value if is_scalar else [], event.start_mark, event.end_mark)
    if is_scalar:
        node.style = event.style
    else:
        node.flow_style = event.flow_style
    if event.anchor is not None:
        anchors[event.anchor] = node
    parser.descend_resolver(node, None)
    while not is_scalar and not parser.check_event(SequenceEndEvent, MappingEndEvent):
        item = _node_of_events(parser, anchors)
        node.value.append(item if kind is SequenceNode else (item, _node_of_events(parser, anchors)))
    if not is_scalar:
        parser.get_event()
    parser.ascend_resolver()
    return node


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
    emitter = _Emitter(written, width=-1, allow_unicode=True)
    emitter.open()
    emitter.serialize(node)
    emitter.close()
    return written.getvalue()
