"""The functions of Go's templates, and of sprig, that ApplicationSets are written with, and what these take.

Types are kept apart as Go does. A parameter's number is a float, as every number of JSON: no function of whole numbers
takes it, and none is equal to it. `add` and `sub` make an int64, which a function of ints does not take.
Source: Go's text/template/funcs.go and exec.go; github.com/Masterminds/sprig; argo-cd,
applicationset/utils/template_functions.go.
"""

from __future__ import annotations

import base64
import json
import posixpath
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from virtcatalog.api.govalues import as_floats, float_text, from_base64, integer, integer_literal, json_text
from virtcatalog.api.int64 import fits
from virtcatalog.limits import TEMPLATE_OUTPUT_CHARACTERS
from virtcatalog.manifests.document import Text
from virtcatalog.manifests.emit import dump
from virtcatalog.manifests.scalars import json_number

#: The longest name that `slugify` makes.
_SLUG: Final = 50


class Int64(int):
    """A whole number that Go has as an int64, which is no int to it."""


class Function(NamedTuple):
    """A function, and what it takes: a letter an argument, the last one for any number of them behind a `*`.

    These are s for a string, i for an int, b for a boolean, m for a map, l for a list and a for anything.
    """

    takes: str
    make: Callable[..., Any]

    def __call__(self, arguments: Sequence[Any]) -> Any:
        """Return what it makes of arguments; raises TypeError for others than it takes."""
        sorts = self.takes.removesuffix("*")
        if self.takes.endswith("*"):
            sorts = sorts[:-1] + sorts[-1] * (len(arguments) - len(sorts) + 1)
        if len(sorts) != len(arguments) or not all(map(_is_of, sorts, arguments)):
            raise TypeError(f"takes {self.takes}")
        return self.make(*arguments)


_TYPES: Final = {"s": str, "i": int, "b": bool, "m": dict, "l": list}


def _is_of(sort: str, value: Any) -> bool:
    return sort == "a" or type(value) is _TYPES[sort]


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
    if isinstance(value, float):
        return float_text(value)
    return "<nil>" if value is None else str(value)


def _formatted(pattern: str, *values: Any) -> str:
    """A format with `%s` for texts, `%d` for whole numbers and `%v` for anything, and what stands for these."""
    parts = re.split(r"%([svd])", pattern)
    texts, signs = parts[::2], parts[1::2]
    if len(signs) != len(values) or "%" in "".join(texts):
        raise ValueError(pattern)
    if not all(map(_suits, signs, values)):
        raise TypeError(pattern)
    return texts[0] + "".join(written(value) + text for value, text in zip(values, texts[1:], strict=True))


def _suits(sign: str, value: Any) -> bool:
    return sign == "v" or (isinstance(value, str) if sign == "s" else _kind(value) is int)


def _indexed(value: Any, *keys: Any) -> Any:
    for key in keys:
        if isinstance(value, dict):
            value = value.get(_of_kind(str, key))
        elif _of_kind(int, key) < 0:
            raise IndexError(key)
        else:
            value = value.encode()[key] if isinstance(value, str) else _of_kind(list, value)[key]
    return value


def _of_kind(kind: type, value: Any) -> Any:
    if _kind(value) is not kind:
        raise TypeError(value)
    return value


def _kind(value: Any) -> type:
    """The kind of a value to Go's comparisons: ints of all sizes are of one."""
    return int if type(value) is Int64 else type(value)


def _equal(value: Any, *others: Any) -> bool:
    """Whether a value is equal to any of others; only what is of one kind can be compared."""
    if not others or any(isinstance(operand, dict | list) for operand in (value, *others)):
        raise TypeError(value)
    for other in others:
        if value is not None and other is not None:
            _of_kind(_kind(value), other)
        if value == other:
            return True
    return False


def _less(one: Any, other: Any) -> bool:
    if not isinstance(one, str | int | float) or isinstance(one, bool):
        raise TypeError(one)
    return bool(one < _of_kind(_kind(one), other))


def _same(one: Any, other: Any) -> bool:
    """Whether two values are equal, with all that is in them, as reflect.DeepEqual has it."""
    if type(one) is not type(other):
        return False
    if isinstance(one, list):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_same(value, other[key]) for key, value in one.items())
    return bool(one == other)


def _has(value: Any, values: Any) -> bool:
    return any(_same(value, other) for other in _of_kind(list, values)) if values is not None else False


def _integer(value: Any) -> int:
    """What is left of a value as a whole number; 0 for what is none."""
    if isinstance(value, str):
        number = integer_literal(re.sub(r"\.0+\Z", "", value)) or 0
        return number if fits(number) else 0
    return int(value) if isinstance(value, int | float) else 0


def _truncated(number: int, text: str) -> str:
    content = text.encode()
    if number < 0:
        return content[number:].decode()
    return content[:number].decode()


def _indented(number: int, text: str) -> str:
    lines = text.split("\n")
    if not 0 <= number * len(lines) <= TEMPLATE_OUTPUT_CHARACTERS:
        raise ValueError(number)
    return "\n".join(" " * number + line for line in lines)


def _read(text: str, kind: type) -> Any:
    documents = [data for _, data in Text(text).documents()]
    if len(documents) != 1:
        raise ValueError(text)
    return as_floats(_of_kind(kind, documents[0]))


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


def _plain(value: Any) -> Any:
    """Data as Go writes it in JSON: a float that is whole has no point, unless it is very large."""
    if isinstance(value, dict):
        return {written(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return list(map(_plain, value))
    return json_number(value)


def _dict(*pairs: Any) -> dict[str, Any]:
    keys, values = pairs[::2], [*pairs[1::2], ""]
    return {written(key): value for key, value in zip(keys, values, strict=False)}


def _joined(separator: str, values: Any) -> str:
    texts = values if isinstance(values, list) else [values]
    return separator.join(written(text) for text in texts if text is not None)


def _quotes(quote: Callable[[str], str]) -> Callable[..., str]:
    return lambda *values: " ".join(quote(written(value)) for value in values if value is not None)


def _length(value: Any) -> int:
    return len(value.encode() if isinstance(value, str) else value)


FUNCTIONS: Final[Mapping[str, Function]] = {
    "lower": Function("s", str.lower),
    "upper": Function("s", str.upper),
    "title": Function("s", _titled),
    "trim": Function("s", str.strip),
    "normalize": Function("s", normalized),
    "slugify": Function("s", _slug),
    "base": Function("s", _base),
    "dir": Function("s", _dir),
    "b64enc": Function("s", lambda text: base64.b64encode(text.encode()).decode()),
    "b64dec": Function("s", lambda text: from_base64(text).decode()),
    "int": Function("a", _integer),
    "atoi": Function("s", lambda text: integer(text) or 0),
    "fromYaml": Function("s", lambda text: _read(text, dict)),
    "fromYamlArray": Function("s", lambda text: _read(text, list)),
    "fromJson": Function("s", lambda text: as_floats(json.loads(text))),
    "quote": Function("a*", _quotes(lambda text: json.dumps(text, ensure_ascii=False))),
    "squote": Function("a*", _quotes("'{}'".format)),
    "toString": Function("a", written),
    "default": Function("aa*", lambda default, *values: next(iter(values), None) or default),
    "coalesce": Function("a*", lambda *values: next((value for value in values if value), None)),
    "ternary": Function("aab", lambda yes, no, test: yes if test else no),
    "empty": Function("a", lambda value: not value),
    "index": Function("aa*", _indexed),
    "get": Function("ms", lambda values, key: values.get(key, "")),
    "hasKey": Function("ms", lambda values, key: key in values),
    "has": Function("aa", _has),
    "keys": Function("m*", lambda *maps: sorted(key for values in maps for key in values)),
    "dict": Function("a*", _dict),
    "list": Function("a*", lambda *values: [*values]),
    "len": Function("a", _length),
    "first": Function("l", lambda values: values[0]),
    "last": Function("l", lambda values: values[-1]),
    "rest": Function("l", lambda values: values[1:]),
    "append": Function("la", lambda values, value: [*values, value]),
    "eq": Function("aa*", _equal),
    "ne": Function("aa", lambda one, other: not _equal(one, other)),
    "lt": Function("aa", _less),
    "le": Function("aa", lambda one, other: _less(one, other) or one == other),
    "gt": Function("aa", lambda one, other: not _less(one, other) and one != other),
    "ge": Function("aa", lambda one, other: not _less(one, other)),
    "not": Function("a", lambda value: not value),
    "and": Function("aa*", lambda *values: next((value for value in values if not value), values[-1])),
    "or": Function("aa*", lambda *values: next((value for value in values if value), values[-1])),
    "add": Function("a*", lambda *values: Int64(sum(map(_integer, values)))),
    "sub": Function("aa", lambda one, other: Int64(_integer(one) - _integer(other))),
    "hasPrefix": Function("ss", lambda part, text: text.startswith(part)),
    "hasSuffix": Function("ss", lambda part, text: text.endswith(part)),
    "contains": Function("ss", lambda part, text: part in text),
    "trimPrefix": Function("ss", lambda part, text: text.removeprefix(part)),
    "trimSuffix": Function("ss", lambda part, text: text.removesuffix(part)),
    "trimAll": Function("ss", lambda letters, text: text.strip(letters)),
    "replace": Function("sss", lambda old, new, text: text.replace(old, new)),
    "trunc": Function("is", _truncated),
    "indent": Function("is", _indented),
    "nindent": Function("is", lambda number, text: "\n" + _indented(number, text)),
    "printf": Function("sa*", _formatted),
    "join": Function("sa", _joined),
    "splitList": Function("ss", lambda separator, text: text.split(separator)),
    "toJson": Function("a", lambda value: json_text(_plain(value))),
    "toYaml": Function("a", lambda value: dump(_plain(value)).rstrip("\n")),
}
