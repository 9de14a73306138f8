"""The functions of Go's templates, and of sprig, that ApplicationSets are written with.

Source: Go's text/template/funcs.go; github.com/Masterminds/sprig; argo-cd, applicationset/utils/template_functions.go.
"""

from __future__ import annotations

import base64
import json
import posixpath
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from virtcatalog.manifests.document import Text
from virtcatalog.manifests.emit import dump

#: The longest name that `slugify` makes.
_SLUG: Final = 50


def normalized(text: str) -> str:
    """Return a text as a name of DNS. Source: SanitizeName in applicationset/utils/utils.go."""
    name = re.sub(r"[^-a-z0-9.]", "-", text.lower())[:253]
    return name.strip("-.")


def written(value: Any) -> str:
    """Return a value as Go's `%v` prints it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return f"[{' '.join(map(written, value))}]"
    if isinstance(value, dict):
        return f"map[{' '.join(f'{key}:{written(value[key])}' for key in sorted(value))}]"
    return "<nil>" if value is None else str(value)


def _formatted(pattern: str, *values: Any) -> str:
    """A format with `%s`, `%v` and `%d`, and what stands for these."""
    parts = re.split(r"%[svd]", pattern)
    if len(parts) - 1 != len(values) or "%" in "".join(parts):
        raise ValueError(pattern)
    return parts[0] + "".join(written(value) + part for value, part in zip(values, parts[1:], strict=True))


def _indexed(value: Any, *keys: Any) -> Any:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else value[key]
    return value


def _truncated(number: int, text: str) -> str:
    return text[:number] if number >= 0 else text[number:]


def _indented(number: int, text: str) -> str:
    return "\n".join(" " * min(number, 100) + line for line in text.split("\n"))


def _read(text: str) -> Any:
    documents = [data for _, data in Text(text).documents()]
    if len(documents) != 1:
        raise ValueError(text)
    return documents[0]


def _as_list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError(value)
    return value


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:_SLUG].strip("-")


def _titled(text: str) -> str:
    """A text whose words begin with capitals; as in Go, all else of a word stays, and digits are part of it."""
    return re.sub(r"(?<![^\W_])(?<!_)[^\W\d_]", lambda first: first[0].upper(), text)


def _base(text: str) -> str:
    return text.rstrip("/").rpartition("/")[2] or ("/" if text else ".")


def _dir(text: str) -> str:
    folder = posixpath.normpath(text[: text.rfind("/") + 1] or ".")
    return "/" if folder == "//" else folder


def _json(value: Any) -> str:
    """Return a value as Go writes JSON: what HTML might take for its own is escaped."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return re.sub("[<>&\u2028\u2029]", lambda sign: f"\\u{ord(sign[0]):04x}", text)


_Function = Callable[..., Any]


def _of_text(function: Callable[[str], Any]) -> _Function:
    def called(value: Any) -> Any:
        if value is None:
            raise TypeError("a function of texts takes no nil")
        return function(written(value))

    return called


def _quoted(value: Any) -> str:
    return "" if value is None else json.dumps(written(value), ensure_ascii=False)


_OF_TEXT: Final[Mapping[str, Callable[[str], Any]]] = {
    "lower": str.lower,
    "upper": str.upper,
    "title": _titled,
    "trim": str.strip,
    "normalize": normalized,
    "slugify": _slug,
    "base": _base,
    "dir": _dir,
    "b64enc": lambda text: base64.b64encode(text.encode()).decode(),
    "b64dec": lambda text: base64.b64decode(text, validate=True).decode(),
    "int": int,
    "atoi": int,
    "fromYaml": _read,
    "fromYamlArray": lambda text: _as_list(_read(text)),
    "fromJson": json.loads,
}

FUNCTIONS: Final[Mapping[str, _Function]] = {
    **{name: _of_text(function) for name, function in _OF_TEXT.items()},
    "quote": _quoted,
    "squote": lambda value: "" if value is None else f"'{written(value)}'",
    "toString": written,
    "default": lambda default, value=None: value or default,
    "coalesce": lambda *values: next((value for value in values if value), None),
    "ternary": lambda yes, no, test: yes if test else no,
    "empty": lambda value: not value,
    "index": _indexed,
    "get": lambda values, key: values.get(key, ""),
    "hasKey": lambda values, key: key in values,
    "has": lambda value, values: value in _as_list(values),
    "keys": lambda values: sorted(values),
    "dict": lambda *pairs: {written(key): value for key, value in zip(pairs[::2], pairs[1::2], strict=True)},
    "list": lambda *values: [*values],
    "len": len,
    "first": lambda values: values[0],
    "last": lambda values: values[-1],
    "rest": lambda values: values[1:],
    "append": lambda values, value: [*_as_list(values), value],
    "eq": lambda value, *candidates: written(value) in map(written, candidates),
    "ne": lambda value, other: written(value) != written(other),
    "lt": lambda one, other: one < other,
    "gt": lambda one, other: one > other,
    "not": lambda value: not value,
    "and": lambda *values: next((value for value in values if not value), values[-1]),
    "or": lambda *values: next((value for value in values if value), values[-1]),
    "add": lambda *values: sum(map(int, values)),
    "sub": lambda one, other: int(one) - int(other),
    "hasPrefix": lambda part, text: written(text).startswith(written(part)),
    "hasSuffix": lambda part, text: written(text).endswith(written(part)),
    "contains": lambda part, text: written(part) in written(text),
    "trimPrefix": lambda part, text: written(text).removeprefix(written(part)),
    "trimSuffix": lambda part, text: written(text).removesuffix(written(part)),
    "trimAll": lambda letters, text: written(text).strip(written(letters)),
    "replace": lambda old, new, text: written(text).replace(written(old), written(new)),
    "trunc": lambda number, text: _truncated(int(number), written(text)),
    "indent": lambda number, text: _indented(int(number), written(text)),
    "nindent": lambda number, text: "\n" + _indented(int(number), written(text)),
    "printf": _formatted,
    "join": lambda separator, values: written(separator).join(map(written, _as_list(values))),
    "splitList": lambda separator, text: written(text).split(written(separator)),
    "toJson": _json,
    "toYaml": lambda value: dump(value).rstrip("\n"),
}
"""By name. What does not fit the arguments raises an error of Python's."""
