"""Plain values as Go has them: text, keys, numbers, quantities and times, as its readers of JSON and YAML take them.

Source: encoding/json, encoding/base64, strconv; vendor/k8s.io/apimachinery/pkg/runtime/converter.go;
vendor/sigs.k8s.io/yaml/yaml.go.
"""

from __future__ import annotations

import json
import math
import re
import struct
from binascii import a2b_base64
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any, Final

from virtcatalog.api.findings import Path, field_path
from virtcatalog.api.int64 import MIN_INT64, fits
from virtcatalog.api.quantity import Quantity
from virtcatalog.api.shape import Leaf
from virtcatalog.api.values import describe
from virtcatalog.errors import VirtcatalogError
from virtcatalog.limits import YAML_LEVELS

_TIME: Final = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:[.,]\d+)?(?:Z|([+-])(\d\d):(\d\d))", re.ASCII)
_BASE64: Final = re.compile(r"(?:[A-Za-z0-9+/]{4})*+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")
_LINE_ENDS: Final = str.maketrans("", "", "\r\n")
_INTEGER: Final = re.compile(r"[+-]?0*([0-9]{1,19})")
_LITERAL: Final = re.compile(
    "([+-]?)(0[xX](_?[0-9a-fA-F])+|0[bB](_?[01])+|0[oO](_?[0-7])+|(?P<octal>0(_?[0-7])*)|[1-9](_?[0-9])*)"
)
_DIGITS, _HEX = "[0-9](_?[0-9])*", "[0-9a-f](_?[0-9a-f])*"
_DECIMAL = rf"({_DIGITS}(\.({_DIGITS})?)?|\.{_DIGITS})(e[+-]?{_DIGITS})?"
_HEXADECIMAL = rf"0x(_?{_HEX}(\.({_HEX})?)?|\.{_HEX})p[+-]?{_DIGITS}"
_FLOAT = re.compile(rf"[+-]?({_DECIMAL}|(?P<hex>{_HEXADECIMAL})|inf(inity)?)|nan", re.ASCII | re.IGNORECASE)
_LONGEST_LITERAL: Final = 100
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_KEYS: Final = {"+Inf": ".inf", "-Inf": "-.inf", "NaN": ".nan"}


class GoError(VirtcatalogError):
    """Data that Go does not read: the path of the value and what is wrong with it."""

    def __init__(self, path: Path, message: str) -> None:
        self.path, self.message = path, message
        where = field_path(path)
        super().__init__(f"{where}: {message}" if where else message)


def as_json(data: Any, path: Path = ()) -> Any:
    """Data that some reader of YAML or JSON made, as Go's have it: keys are texts, and so are dates.

    Half a surrogate pair, which is no character, becomes the one that stands for those that are not known.
    """
    if len(path) > YAML_LEVELS:
        raise GoError(path[:1], f"is nested more than {YAML_LEVELS} levels deep")
    if isinstance(data, dict):
        return {(text := _key(key, path)): as_json(item, (*path, text)) for key, item in data.items()}
    if isinstance(data, list):
        return [as_json(item, (*path, index)) for index, item in enumerate(data)]
    if isinstance(data, str):
        return characters(data)
    return data.isoformat() if type(data) is date else data


def characters(text: str) -> str:
    """Return a text that can be written: without halves of surrogate pairs."""
    if text.isascii() or not _SURROGATE.search(text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _key(key: Any, path: Path) -> str:
    if isinstance(key, str):
        return characters(key)
    if isinstance(key, bool | int | float):
        return yaml_key(key)
    raise GoError(path, f"a key must be a string, not {describe(key)}")


def yaml_key(number: float) -> str:
    """The text that a bare number or boolean becomes as a key."""
    return _KEYS.get(text := yaml_text(number), text)


def refuse_not_finite(value: Any, path: Path) -> None:
    """Raise GoError for infinity and what is no number, which JSON cannot hold, anywhere in a value."""
    if isinstance(value, float) and not math.isfinite(value):
        raise GoError(path, f"{yaml_text(value)} is not a number that JSON can hold; quote it if it is text")
    for step, item in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        refuse_not_finite(item, (*path, step))


def in_range(value: float, leaf: Leaf, path: Path) -> int:
    """A number as encoding/json reads it into an integer: whole, written without an exponent, and not too large."""
    if not abs(value) < 1e21 or value != value // 1:
        raise GoError(path, f"must be an integer, not {describe(value)}")
    bits = 31 if str in leaf.types else 63  # IntOrString has an int32
    least = -(2**bits) if leaf.least is None else leaf.least
    most = 2**bits - 1 if leaf.most is None else leaf.most
    if not least <= value <= most:
        raise GoError(path, f"{describe(value)} is out of range: it must be from {least} to {most}")
    return int(value)


def cut(value: float, leaf: Leaf, path: Path) -> int:
    """A number as the converter makes an integer of it: whatever its size, as the processor does (amd64)."""
    if value != value // 1:
        raise GoError(path, f"must be an integer, not {describe(value)}")
    integer = int(value) if fits(value) else MIN_INT64
    if leaf.least is None or leaf.most is None or leaf.least <= integer <= leaf.most:
        return integer
    return (integer - leaf.least) % (leaf.most - leaf.least + 1) + leaf.least


def as_quantity(value: Any, path: Path) -> str:
    """Return a quantity as the API writes it back."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise GoError(path, f"must be a quantity such as 2, 500m or 1Gi, not {describe(value)}")
    try:
        return str(Quantity.parse(value))
    except ValueError as error:
        raise GoError(path, str(error)) from None


def as_time(value: Any, path: Path) -> str | None:
    """A time in UTC and whole seconds; Go's zero time is written as null (metav1.Time)."""
    match = _TIME.fullmatch(value) if isinstance(value, str) else None
    hours, minutes = (int(number or 0) for number in match.group(8, 9)) if match else (0, 0)
    if match and hours <= 24 and minutes <= 60:  # Go takes the whole of a day, and of an hour
        ahead = timedelta(hours=hours, minutes=minutes) * (-1 if match[7] == "-" else 1)
        try:
            moment = datetime.fromisoformat(value[:19]) - ahead
        except (ValueError, OverflowError):
            pass
        else:
            written = moment.strftime("%Y-%m-%dT%H:%M:%SZ").zfill(20)
            return None if written == "0001-01-01T00:00:00Z" else written
    raise GoError(path, f"must be a time such as 2026-01-31T12:00:00Z, not {describe(value)}")


def decode_base64(text: str) -> tuple[bytes, bool]:
    """The bytes that base64 stands for, up to the first mistake, and whether there is none.

    It has its padding, and may have ends of lines anywhere. Source: encoding/base64 (StdEncoding).
    """
    text = text.translate(_LINE_ENDS)
    correct = _BASE64.match(text)
    assert correct is not None
    return a2b_base64(correct[0]), correct.end() == len(text)


def from_base64(text: str) -> bytes:
    """The bytes that base64 stands for; ValueError for what is none."""
    content, correct = decode_base64(text)
    if not correct:
        raise ValueError(f"{text[:20]!r} is not base64")
    return content


def integer(text: str, bits: int = 64) -> int | None:
    """A decimal number with a sign or without, as strconv.ParseInt reads it; None for any other text, or more bits."""
    match = _INTEGER.fullmatch(text)
    if match is None:
        return None
    number = -int(match[1]) if text.startswith("-") else int(match[1])
    return number if -(2 ** (bits - 1)) <= number < 2 ** (bits - 1) else None


def integer_literal(text: str) -> int | None:
    """A whole number as Go's programs have it, and strconv reads it without a base; None for any other text.

    `0x10`, `010` and `0b10` are of other bases, `1_000` is one thousand; one of very many digits is 2^64.
    """
    match = _LITERAL.fullmatch(text)
    if match is None:
        return None
    if len(text) > _LONGEST_LITERAL:
        return 2**64
    return int(f"{match[1]}0o0{match['octal']}" if match["octal"] else text, 0)


def float_of(text: str) -> float | None:
    """A number of 64 bits as strconv.ParseFloat reads it; None for any other text, or one out of range."""
    match = _FLOAT.fullmatch(text)
    if match is None:
        return None
    digits = text.replace("_", "")
    try:
        number = float.fromhex(digits) if match["hex"] else float(digits)
    except OverflowError:
        return None
    is_name = text.strip("+-")[:1] in "iInN"
    return number if is_name or number not in (float("inf"), float("-inf")) else None


def yaml_text(value: float) -> str:
    """The text that a bare number or boolean of YAML becomes where text is wanted: a float keeps 32 bits of it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    packed = struct.pack("@f", value)  # too large a number becomes infinite, as in Go
    single = struct.unpack("@f", packed)[0]
    if not math.isfinite(single):
        return "NaN" if value != value else "+Inf" if value > 0 else "-Inf"
    return _shorter(next(text for size in range(9) if struct.pack("@f", float(text := f"{single:.{size}e}")) == packed))


def float_text(value: float) -> str:
    """A finite float of 64 bits as `%v` prints it: a million is `1e+06`."""
    return _shorter(next(text for size in range(17) if float(text := f"{value:.{size}e}") == value))


def _shorter(digits: str) -> str:
    """The fewest digits that mean a number, written with an exponent where Go does so."""
    exponent = int(digits.partition("e")[2])
    return f"{Decimal(digits):f}" if -4 <= exponent < 6 else digits


def json_text(data: Any) -> str:
    """JSON of plain data as encoding/json writes maps: keys in order, and escapes for what HTML takes for its own.

    Floats are written as Python has them.
    """
    text = json.dumps(data, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return re.sub("[<>&\u2028\u2029]", lambda sign: f"\\u{ord(sign[0]):04x}", text)


def as_floats(value: Any) -> Any:
    """Plain data as Go has it without a type: every number a float of 64 bits; OverflowError for one beyond."""
    if isinstance(value, dict):
        return {key: as_floats(item) for key, item in value.items()}
    if isinstance(value, list):
        return list(map(as_floats, value))
    return float(value) if type(value) is int else value
