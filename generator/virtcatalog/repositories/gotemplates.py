"""Go's text/template, as far as ApplicationSets are written in it: pipelines, conditions, loops and variables.

Source: Go's text/template (parse/parse.go, exec.go).
"""

from __future__ import annotations

import re
from collections import ChainMap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

from virtcatalog.errors import VirtcatalogError
from virtcatalog.limits import TEMPLATE_ITERATIONS, TEMPLATE_OUTPUT_CHARACTERS
from virtcatalog.repositories.gofunctions import FUNCTIONS, written

_ACTION: Final = re.compile(r"\{\{(-\s)?\s*(.*?)\s*(\s-)?\}\}", re.DOTALL)
_TOKEN: Final = re.compile(
    r'\s*(?:"((?:[^"\\]|\\.)*)"|`([^`]*)`|(\$\w*(?:\.\w+)*|\.[\w.]*)|(-?(?:0|[1-9]\d*)(?![\w.]))|([A-Za-z_]\w*)|(\||\(|\)))',
    re.ASCII,
)
_DECLARES: Final = re.compile(r"(?:\$(\w+)\s*,\s*)?\$(\w+)\s*(:?=)\s*(.*)", re.ASCII | re.DOTALL)
_BLOCKS: Final = ("if", "range", "with")
_LEVELS: Final = 20
#: How many words an action may have.
_TOKENS: Final = 100


Missing = Literal["stays", "no value", "zero", "error"]
"""What becomes of a template that lacks a parameter: to Go one of its fields has no value either, or is an error."""


class TemplateError(VirtcatalogError):
    """A template that is not supported, or that lacks a parameter."""


class _Action(NamedTuple):
    """A pipeline; `text` is how it is written, with its braces."""

    pipeline: str
    text: str


class _Block(NamedTuple):
    """What stands between `if`, `range` or `with` and its `end`, and behind its `else`."""

    word: str
    pipeline: str
    body: Sequence[_Node]
    otherwise: Sequence[_Node]


_Node = str | _Action | _Block


def render(text: str, parameters: Mapping[str, Any], missing: Missing = "stays") -> str:
    """Return a template with its actions carried out.

    What is `missing` among the parameters stays as it is written where not all of them are known. A field of what is
    no map is an error otherwise. Numbers of parameters are floats, as those of JSON are to Go.
    """
    pieces = list(_pieces(text))
    nodes, end = _parsed(pieces, 0)
    if end < len(pieces):
        raise TemplateError(f"the template {pieces[end][1][:80]} has no if, range or with")
    return "".join(_Run(missing).rendered(nodes, parameters, ChainMap({"": parameters})))


def _pieces(text: str) -> Iterator[tuple[str, str]]:
    """Yield texts (with "" before them), and actions with their text."""
    at, trims = 0, False
    for match in _ACTION.finditer(text):
        before = text[at : match.start()]
        before = before.lstrip() if trims else before
        yield "", before.rstrip() if match[1] else before
        if not match[2]:
            raise TemplateError(f"the template {match[0]} says nothing")
        if not match[2].startswith("/*"):
            yield match[2], match[0]
        at, trims = match.end(), bool(match[3])
    yield "", text[at:].lstrip() if trims else text[at:]


def _parsed(pieces: Sequence[tuple[str, str]], at: int, level: int = 0) -> tuple[list[_Node], int]:
    """Return what stands up to an `else` or `end` that belongs to what is before, and where that is."""
    nodes: list[_Node] = []
    if level > _LEVELS:
        raise TemplateError(f"a template has more than {_LEVELS} blocks within each other")
    while at < len(pieces):
        action, text = pieces[at]
        word, _, rest = action.partition(" ")
        if word in ("else", "end"):
            break
        at += 1
        if word in _BLOCKS:
            block, at = _block(word, rest, pieces, at, level)
            nodes.append(block)
        else:
            nodes.append(_Action(action, text) if action else text)
    return nodes, at


def _block(word: str, pipeline: str, pieces: Sequence[tuple[str, str]], at: int, level: int) -> tuple[_Block, int]:
    body, at = _parsed(pieces, at, level + 1)
    otherwise: list[_Node] = []
    action = pieces[at][0] if at < len(pieces) else ""
    if action.startswith("else "):
        chained, _, rest = action.removeprefix("else ").strip().partition(" ")
        if chained != word or word == "range":
            raise TemplateError(f"the template {pieces[at][1][:80]} is not supported")
        inner, at = _block(chained, rest, pieces, at + 1, level + 1)
        return _Block(word, pipeline, body, [inner]), at
    if action == "else":
        otherwise, at = _parsed(pieces, at + 1, level + 1)
        action = pieces[at][0] if at < len(pieces) else ""
    if action != "end":
        raise TemplateError(f"the {word} of a template has no end")
    return _Block(word, pipeline, body, otherwise), at + 1


_Variables = ChainMap[str, Any]


class _Run:
    """One rendering, which may take so much work."""

    def __init__(self, missing: Missing) -> None:
        self._actions = self._characters = 0
        self._missing = missing

    def rendered(self, nodes: Sequence[_Node], dot: Any, variables: _Variables) -> Iterator[str]:
        """Yield what nodes print."""
        for node in nodes:
            if isinstance(node, _Block):
                yield from self._of_block(node, dot, variables)
                continue
            text = node if isinstance(node, str) else self._of_action(node, dot, variables)
            self._characters += len(text)
            if self._characters > TEMPLATE_OUTPUT_CHARACTERS:
                raise TemplateError(f"a template makes a text of more than {TEMPLATE_OUTPUT_CHARACTERS} characters")
            yield text

    def _of_action(self, action: _Action, dot: Any, variables: _Variables) -> str:
        declares = _DECLARES.fullmatch(action.pipeline)
        if declares is not None:
            value = self._value(declares[4], dot, variables)
            scopes = variables.maps if declares[3] == "=" else ()
            next((scope for scope in scopes if declares[2] in scope), variables)[declares[2]] = value
            return ""
        value = self._value(action.pipeline, dot, variables)
        lacking = action.text if self._missing == "stays" else "<no value>"
        return lacking if value is None else written(value)

    def _of_block(self, block: _Block, dot: Any, variables: _Variables) -> Iterator[str]:
        declares = _DECLARES.fullmatch(block.pipeline)
        first, second, _, pipeline = declares.groups() if declares is not None else (None, None, "", block.pipeline)
        value = self._value(pipeline, dot, variables)
        items = list(_items(value, block, pairs=first is not None)) if block.word == "range" else []
        if not value:
            yield from self.rendered(block.otherwise, dot, variables.new_child())
        elif block.word != "range":
            own = variables.new_child({second: value} if second else {})
            yield from self.rendered(block.body, value if block.word == "with" else dot, own)
        else:
            for key, item in items:
                names = {**({first: key} if first else {}), **({second: item} if second else {})}
                yield from self.rendered(block.body, item, variables.new_child(names))

    def _value(self, pipeline: str, dot: Any, variables: _Variables) -> Any:
        self._actions += 1
        if self._actions > TEMPLATE_ITERATIONS:
            raise TemplateError(f"a template carries out more than {TEMPLATE_ITERATIONS} actions")
        return _Pipeline(pipeline, dot, variables, self._missing).value()


def _items(value: Any, block: _Block, *, pairs: bool) -> Iterator[tuple[Any, Any]]:
    """What a range goes through, with keys or indexes; numbers have none, so that no `pairs` can be made of them."""
    if isinstance(value, dict):
        return ((key, value[key]) for key in sorted(value))
    if isinstance(value, list):
        return iter(enumerate(value))
    if value is None:
        return iter(())
    if isinstance(value, int) and not isinstance(value, bool) and not pairs:
        if value > TEMPLATE_ITERATIONS:
            raise TemplateError(f"a template goes through more than {TEMPLATE_ITERATIONS} numbers")
        return ((number, number) for number in range(value))
    raise TemplateError(f"the template {{{{range {block.pipeline[:80]}}}}} goes through what is no list and no map")


def _at(value: Any, field: str, missing: Missing) -> Any:
    """What is at a field, such as `.path.basename`; None where there is nothing."""
    for key in filter(None, field.split(".")):
        is_map = isinstance(value, Mapping)
        is_there = is_map and key in value
        if (missing != "stays" and not is_map) or (missing == "error" and not is_there):
            raise TemplateError(f"a template needs {field}, and there is no {key}")
        if not is_there and missing != "zero":
            return None
        value = value.get(key)
    return value


class _Pipeline:
    """One action: `.path.basename | lower`."""

    def __init__(self, text: str, dot: Any, variables: Mapping[str, Any], missing: Missing) -> None:
        self._text, self._dot, self._variables, self._missing = text, dot, variables, missing
        self._tokens: list[re.Match[str]] = []
        at = 0
        while at < len(text.rstrip()):
            match = _TOKEN.match(text, at)
            if match is None:
                raise self._fault()
            self._tokens.append(match)
            at = match.end()
            if len(self._tokens) > _TOKENS:
                raise self._fault()

    def value(self) -> Any:
        """Return what it prints."""
        value = self._piped()
        if self._tokens:
            raise self._fault()
        return value

    def _piped(self) -> Any:
        value = self._command(())
        while self._tokens and self._tokens[0][6] == "|":
            self._tokens.pop(0)
            value = self._command((value,))
        return value

    def _command(self, piped: tuple[Any, ...]) -> Any:
        words: list[Any] = []
        name = ""
        while self._tokens and self._tokens[0][6] not in ("|", ")"):
            token = self._tokens.pop(0)
            if token[6] == "(":
                words.append(self._parenthesized())
            elif token[5] is not None and token[5] not in ("true", "false") and not words and not name:
                name = token[5]
            else:
                words.append(self._operand(token))
        if name:
            return self._called(name, [*words, *piped])
        if len(words) != 1 or piped:
            raise self._fault()
        return words[0]

    def _parenthesized(self) -> Any:
        value = self._piped()
        if not self._tokens or self._tokens.pop(0)[6] != ")":
            raise self._fault()
        # `(index .apps 0).name`: no space before the field
        if self._tokens and (self._tokens[0][3] or "").startswith(".") and not self._tokens[0][0][0].isspace():
            value = _at(value, self._tokens.pop(0)[3], self._missing)
        return value

    def _operand(self, token: re.Match[str]) -> Any:
        quoted, raw, field, number, word, _ = token.groups()
        if quoted is not None:
            return re.sub(r"\\(.)", lambda match: {"n": "\n", "t": "\t"}.get(match[1], match[1]), quoted)
        if raw is not None:
            return raw
        if number is not None:
            return int(number)
        if word is not None:
            if word in ("true", "false"):
                return word == "true"
            raise self._fault()
        return self._field(field)

    def _field(self, field: str) -> Any:
        variable, dot, keys = field.partition(".")
        if variable[1:] not in self._variables:
            raise self._fault()
        return _at(self._variables[variable[1:]] if variable else self._dot, dot + keys, self._missing)

    def _called(self, name: str, arguments: list[Any]) -> Any:
        try:
            value = FUNCTIONS[name](arguments)
        except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
            raise self._fault() from None
        if isinstance(value, str | list) and len(value) > TEMPLATE_OUTPUT_CHARACTERS:
            raise self._fault()
        return value

    def _fault(self) -> TemplateError:
        return TemplateError(f"the template {{{{{self._text[:80]}}}}} is not supported")
