"""Where a VM refers to parameters, and their values in its place.

Source: virt-template-engine, template/template.go (substituteParameters, collectReferencedParameters), visit.go.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from virtcatalog.api.golang import GoError, as_json
from virtcatalog.limits import PROCESSED_CHARACTERS, SUBSTITUTION_WORK, YAML_LEVELS

REFERENCE: Final = re.compile(r"\$\{([a-zA-Z0-9_]+)\}")
_WHOLE: Final = re.compile(r"\$\{\{([a-zA-Z0-9_]+)\}\}")


def texts(value: Any, depth: int = 0) -> Iterator[str]:
    """Yield every text in a value, keys of maps too; ValueError when it is nested too deeply."""
    if depth > YAML_LEVELS:
        raise ValueError(f"is nested more than {YAML_LEVELS} levels deep")
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, each in value.items():
            yield key
            yield from texts(each, depth + 1)
    elif isinstance(value, list):
        for each in value:
            yield from texts(each, depth + 1)


def references(text: str) -> list[str]:
    """Return the parameters that a text refers to, in their order: as `${NAME}`, or as a whole `${{NAME}}`."""
    match = _WHOLE.fullmatch(text)
    return [match[1]] if match else REFERENCE.findall(text)


class Substitution:
    """Puts values in; one for each template, as it counts the work. ValueError says what cannot be put in."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = values
        self._characters = self._work = 0

    def in_object(self, value: Any) -> Any:
        """Return a copy of plain data with the values in its texts and keys; what they bring in is not searched."""
        if isinstance(value, str):
            return self._in_value(value)
        if isinstance(value, dict):
            made = [(self._in_key(key), key, self.in_object(each)) for key, each in value.items()]
            # Where keys come to be the same, Go's order of maps decides; here the last one that was changed.
            return {new: each for new, _, each in sorted(made, key=lambda item: item[0] != item[1])}
        return [self.in_object(each) for each in value] if isinstance(value, list) else value

    def in_text(self, text: str) -> str:
        """Return a text with the values in it, a whole `${{NAME}}` too."""
        match = _WHOLE.fullmatch(text)
        return self._values[match[1]] if match else self._replaced(text)

    def _in_value(self, text: str) -> Any:
        match = _WHOLE.fullmatch(text)
        if not match:
            return self._replaced(text)
        value = self._values[match[1]]
        self._count(len(value))
        try:
            read = parse_json(value)
        except ValueError:
            return value
        if read is None:
            raise ValueError(f"{text} cannot stand for null: give {match[1]} another value, or none, which is a text")
        return read

    def _in_key(self, text: str) -> str:
        made = self._in_value(text)
        if not isinstance(made, str):
            raise ValueError(f"the key {text} would be {json.dumps(made)[:60]}, and a key is a text: write ${{NAME}}")
        return made

    def _replaced(self, text: str) -> str:
        matches = list(REFERENCE.finditer(text))
        if not matches:
            self._count(len(text))
            return text
        values = {match[0]: self._values[match[1]] for match in matches}
        self._count(len(text) + sum(len(values[match[0]]) for match in matches))
        if text.count("${") == len(matches) and not any("$" in value or "{" in value for value in values.values()):
            return REFERENCE.sub(lambda match: values[match[0]], text)
        for match in matches:  # a value that looks like a reference is taken for one that comes later
            self._work += len(text)
            if self._work > SUBSTITUTION_WORK:
                raise ValueError("the values refer to each other too often: write what they mean instead")
            text = text.replace(match[0], values[match[0]], 1)
        return text

    def _count(self, characters: int) -> None:
        self._characters += characters
        if self._characters > PROCESSED_CHARACTERS:
            raise ValueError(f"with its parameters' values the VM has more than {PROCESSED_CHARACTERS} characters")


def as_floats(value: Any) -> Any:
    """Plain data as Go has it without a type: every number a float of 64 bits; OverflowError for one beyond."""
    if isinstance(value, dict):
        return {key: as_floats(each) for key, each in value.items()}
    if isinstance(value, list):
        return list(map(as_floats, value))
    return float(value) if type(value) is int else value


def parse_json(text: str) -> Any:
    """Read JSON as Go does without a type; ValueError for what is none."""
    try:
        return as_json(json.loads(text, parse_int=_float, parse_float=_float, parse_constant=_float))
    except (RecursionError, GoError):
        raise ValueError("is nested too deeply") from None


def _float(text: str) -> float:
    value = float(text) if text[-1] in "0123456789" else math.inf
    if math.isinf(value):
        raise ValueError(f"{text} is no number that JSON can hold")
    return value
