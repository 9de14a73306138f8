"""The templates of ApplicationSets, as far as paths, names and namespaces need them.

Source: github.com/argoproj/argo-cd, applicationset/utils/utils.go; github.com/valyala/fasttemplate; Go's text/template.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from virtcatalog.errors import VirtcatalogError
from virtcatalog.limits import TEMPLATE_OUTPUT_CHARACTERS

_ACTION: Final = re.compile(r"\{\{(-\s)?\s*(.*?)\s*(\s-)?\}\}", re.DOTALL)
_TOKEN: Final = re.compile(r'\s*(?:"((?:[^"\\]|\\.)*)"|`([^`]*)`|(\$?\.[\w.]*)|(-?\d+)|(\w+)|(\||\(|\)))', re.ASCII)

#: How many words an action may have.
_TOKENS: Final = 100
#: Functions of one text, by name.
_TEXTS: Final[dict[str, Callable[[str], str]]] = {
    "lower": str.lower,
    "upper": str.upper,
    "title": str.title,
    "trim": str.strip,
    "quote": lambda text: f'"{text}"',
    "squote": lambda text: f"'{text}'",
    "toString": str,
    "normalize": lambda text: normalized(text),
    "base": lambda text: text.rstrip("/").rpartition("/")[2],
    "dir": lambda text: text.rpartition("/")[0] or ".",
}


class TemplateError(VirtcatalogError):
    """A template that is not supported, or that lacks a parameter."""


def normalized(text: str) -> str:
    """Return a text as a name of DNS. Source: SanitizeName in applicationset/utils/utils.go."""
    name = re.sub(r"[^-a-z0-9.]", "-", text.lower())[:253]
    return name.strip("-.")


def filled(value: Any, parameters: Mapping[str, Any], *, is_go: bool) -> Any:
    """Return data with its templates filled in; one that lacks a parameter stays as it is."""
    if isinstance(value, dict):
        return {
            str(filled(key, parameters, is_go=is_go)): filled(inner, parameters, is_go=is_go)
            for key, inner in value.items()
        }
    if isinstance(value, list):
        return [filled(inner, parameters, is_go=is_go) for inner in value]
    if not isinstance(value, str) or "{{" not in value:
        return value
    values = flat(parameters)
    if value.count("{{") * max(map(len, values.values()), default=0) > TEMPLATE_OUTPUT_CHARACTERS:
        raise TemplateError(f"a template makes a text of more than {TEMPLATE_OUTPUT_CHARACTERS} characters")
    return _go(value, parameters) if is_go else _fast(value, values)


def flat(value: Any, prefix: str = "") -> dict[str, str]:
    """Return data as fasttemplate has it: `{"a": {"b": 1}}` is `{"a.b": "1"}`, lists by `a[0]`."""
    if isinstance(value, dict):
        pairs = ((f"{prefix}.{key}" if prefix else str(key), inner) for key, inner in value.items())
        return {key: text for name, inner in pairs for key, text in flat(inner, name).items()}
    if isinstance(value, list):
        pairs = ((f"{prefix}[{index}]", inner) for index, inner in enumerate(value))
        return {key: text for name, inner in pairs for key, text in flat(inner, name).items()}
    return {prefix: written(value)}


def written(value: Any) -> str:
    """Return a scalar as templates print it."""
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)


def _fast(text: str, values: Mapping[str, str]) -> str:
    return re.sub(r"\{\{(.*?)\}\}", lambda match: values.get(match[1].strip(), match[0]), text)


def _go(text: str, parameters: Mapping[str, Any]) -> str:
    """Fill in actions that are pipelines, and take what conditions choose; loops are not supported."""
    parts: list[str] = []
    at = 0
    trims = False
    open_conditions: list[_Condition] = []
    for match in _ACTION.finditer(text):
        before = text[at : match.start()]
        before = before.lstrip() if trims else before
        shown = all(condition.holds for condition in open_conditions)
        parts += [before.rstrip() if match[1] else before] if shown else []
        at, trims = match.end(), bool(match[3])
        if match[2].startswith("/*"):
            continue
        word, _, rest = match[2].partition(" ")
        if word == "if":
            holds = shown and bool(_Pipeline(rest, parameters).value())
            open_conditions.append(_Condition(holds, done=holds or not shown))
        elif word in ("else", "end") and not open_conditions:
            raise TemplateError(f"the template {{{{{match[2][:80]}}}}} has no if")
        elif word == "end":
            open_conditions.pop()
        elif word == "else":
            condition = open_conditions.pop()
            chosen = rest.removeprefix("if ") if rest else "true"
            holds = not condition.done and bool(_Pipeline(chosen, parameters).value())
            open_conditions.append(_Condition(holds, done=condition.done or holds))
        elif shown:
            value = _Pipeline(match[2], parameters).value()
            parts.append(match[0] if value is None else written(value))
    if open_conditions:
        raise TemplateError("a template has an if without an end")
    rest = text[at:]
    return "".join((*parts, rest.lstrip() if trims else rest))


class _Condition(NamedTuple):
    """Whether what is behind an `if` or `else` counts, and whether no `else` of it can any more."""

    holds: bool
    done: bool


class _Pipeline:
    """One action: `.path.basename | lower`."""

    def __init__(self, text: str, parameters: Mapping[str, Any]) -> None:
        self._text, self._parameters = text, parameters
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
                words.append(self._piped())
                if not self._tokens or self._tokens.pop(0)[6] != ")":
                    raise self._fault()
            elif token[5] is not None and not words and not name:
                name = token[5]
            else:
                words.append(self._operand(token))
        if name:
            return self._called(name, [*words, *piped])
        if len(words) != 1 or piped:
            raise self._fault()
        return words[0]

    def _operand(self, token: re.Match[str]) -> Any:
        quoted, raw, field, number, word, _ = token.groups()
        if quoted is not None:
            return re.sub(r"\\(.)", r"\1", quoted)
        if raw is not None:
            return raw
        if number is not None:
            return int(number)
        if word is not None:
            if word in ("true", "false"):
                return word == "true"
            raise self._fault()
        value: Any = self._parameters
        for key in filter(None, field.lstrip("$").split(".")):
            value = value.get(key) if isinstance(value, Mapping) else None
        return value

    def _called(self, name: str, arguments: list[Any]) -> Any:
        texts = [*map(written, arguments)]
        try:
            return _FUNCTIONS[name](arguments, texts) if name in _FUNCTIONS else _TEXTS[name](*texts)
        except (IndexError, KeyError, TypeError, ValueError):
            raise self._fault() from None

    def _fault(self) -> TemplateError:
        return TemplateError(f"the template {{{{{self._text[:80]}}}}} is not supported")


def _formatted(texts: list[str]) -> str:
    """A format with `%s`, `%v` and `%d`, and what stands for these."""
    pattern, *values = texts
    parts = re.split(r"%[svd]", pattern)
    if len(parts) - 1 != len(values) or "%" in "".join(parts):
        raise ValueError(pattern)
    return parts[0] + "".join(value + part for value, part in zip(values, parts[1:], strict=True))


def _indexed(arguments: list[Any], _texts: list[str]) -> Any:
    value = arguments[0]
    for key in arguments[1:]:
        value = value[key]
    return value


def _truncated(arguments: list[Any], texts: list[str]) -> str:
    number = int(arguments[0])
    return texts[1][:number] if number >= 0 else texts[1][number:]


#: Functions of values, and of these as they are printed.
_FUNCTIONS: Final[dict[str, Callable[[list[Any], list[str]], Any]]] = {
    "default": lambda arguments, _: arguments[1] if arguments[1] not in (None, "", 0, False) else arguments[0],
    "index": _indexed,
    "eq": lambda _, texts: texts[0] in texts[1:],
    "ne": lambda _, texts: texts[0] != texts[1],
    "not": lambda arguments, _: not arguments[0],
    "and": lambda arguments, _: next((value for value in arguments if not value), arguments[-1]),
    "or": lambda arguments, _: next((value for value in arguments if value), arguments[-1]),
    "hasKey": lambda arguments, _: arguments[1] in arguments[0],
    "hasPrefix": lambda _, texts: texts[1].startswith(texts[0]),
    "hasSuffix": lambda _, texts: texts[1].endswith(texts[0]),
    "contains": lambda _, texts: texts[0] in texts[1],
    "trimPrefix": lambda _, texts: texts[1].removeprefix(texts[0]),
    "trimSuffix": lambda _, texts: texts[1].removesuffix(texts[0]),
    "replace": lambda _, texts: texts[2].replace(texts[0], texts[1]),
    "trunc": _truncated,
    "printf": lambda _, texts: _formatted(texts),
    "join": lambda arguments, texts: texts[0].join(map(written, arguments[1])),
    "splitList": lambda _, texts: texts[1].split(texts[0]),
    "first": lambda arguments, _: arguments[0][0],
    "last": lambda arguments, _: arguments[0][-1],
}
