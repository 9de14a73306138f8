"""Text as kubectl's and virtctl's own decoders read it, which take more than an API server does.

Only the first document counts, a key may stand twice, and a number that stands where text is wanted becomes text: so
whole floats stay floats here.

Source: vendor/k8s.io/apimachinery/pkg/util/yaml/decoder.go (YAMLOrJSONDecoder); vendor/sigs.k8s.io/yaml/yaml.go.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final, NamedTuple

from virtcatalog.api.findings import Path, field_path
from virtcatalog.api.govalues import GoError, as_json
from virtcatalog.errors import ManifestError, Problem
from virtcatalog.manifests.builder import Builder
from virtcatalog.manifests.document import Text
from virtcatalog.manifests.plainjson import refuse_constant

_SEPARATOR: Final = re.compile(r"^---(.*)$", re.MULTILINE)
_SHOWN: Final = 60


class Reading(NamedTuple):
    """The data of a text, and whether it was read as YAML, in which numbers can become text."""

    data: Any
    of_yaml: bool


class LooseText(Text):
    """A text whose first document is read; `repeated` are the keys that stand twice, of which the last counts."""

    def __init__(self, text: str | bytes, file: str = "") -> None:
        super().__init__(text, file)
        self.repeated: list[Problem] = []
        full_text = self._text
        self._text = _first_document(full_text) if not self.problems else ""
        self._separated = full_text[len(self._text) :].splitlines()[:1]

    def readings(self) -> Iterator[Reading]:
        """Yield the data, of JSON first, then of YAML, for who cannot use the first; ManifestError if there is none."""
        self._raise()
        if not self._text:
            raise ManifestError(Problem(file=self.file, message="is empty: there is nothing to read"))
        if self._text.lstrip().startswith("{"):
            with suppress(ValueError, RecursionError):
                data = _JSON.raw_decode(self._text.lstrip())[0]
                try:
                    yield Reading(as_json(data), of_yaml=False)
                except GoError as error:
                    raise ManifestError(Problem(file=self.file, line=1, column=1, message=error.message)) from None
        if self._separated and (rest := self._separated[0].removeprefix("---").strip()) and not rest.startswith("#"):
            line = self._text.count("\n") + 1
            message = f"after --- stands {rest[:_SHOWN]!r}: put it on a line of its own"
            raise ManifestError(Problem(file=self.file, line=line, column=1, message=message))
        node = next(self._compose(self.problems), None)
        data = _Builder(self).build(node) if node is not None else None
        self._raise()
        yield Reading(data, of_yaml=True)

    def at_path(self, path: Path, message: str) -> Problem:
        """Say what is wrong at a path of the data."""
        line, column = self.place(0, path)
        return Problem(file=self.file, line=line, column=column, field=field_path(path), message=message)

    def at_field(self, field: str, message: str, *, at: str = "") -> Problem:
        """Say what is wrong with a field; it stands where `at` does, when that is known."""
        line, column = self.place(0, at or field)
        return Problem(file=self.file, line=line, column=column, field=field, message=message)

    def _raise(self) -> None:
        if self.problems:
            raise ManifestError(*self.problems)


class _Builder(Builder):
    """Keeps floats and the last of two keys."""

    repeats = True
    _text: LooseText

    def _scalar(self, node: Any) -> Any:
        return self._typed(node)

    def _repeated(self, node: Any, key: str, first: int) -> None:
        mark = node.start_mark
        message = f"the key {key!r} is here twice, first in line {first}: this one counts"
        self._text.repeated.append(Problem(self._text.file, mark.line + 1, mark.column + 1, message=message))


def _first_document(text: str) -> str:
    """The text up to the second line that starts with `---`, or to the first if something stands before it."""
    for separator in _SEPARATOR.finditer(text):
        if separator.start() > 0:
            return text[: separator.start()]
    return text if text.endswith("\n") else f"{text}\n" if text else ""


_JSON: Final = json.JSONDecoder(parse_constant=refuse_constant)
