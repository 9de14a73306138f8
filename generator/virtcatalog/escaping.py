"""Text for where it goes: each medium obeys some characters, and names and values come from anybody.

Whatever is printed, logged, commented or put on a page passes one of these, at the edge, so that it is shown and
nothing is done.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

#: Characters that move, hide, reorder or end text: controls, formats, separators, halves of characters.
_OBEYED = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f"
)
# As texts: each is compiled where it is first used, and most commands use one or two.
_TERMINAL = f"[{_OBEYED}]"
_LINE = f"[\t\n{_OBEYED}]"
_NOT_XML = "[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
_MARKDOWN = r"([\\`*_{}\[\]<>()#+!|~@&$-])"
_CELL = r"([\\`*_\[\]<>|@&$~#])"
# What runners of CI jobs obey: `::` where a line begins, and anywhere in one `##[` (GitHub), `##vso[` (Azure) and more.
_COMMAND = r"(?m)^([^\S\n]*)::"
_MARKED = r"##(?=[A-Za-z]*\[)"
# At the start of a line, GitLab takes /merge for a command, and Markdown 1. and - for a list and = for a heading.
_START = r"^(\s*)([/=]|[-+](?=[-+\s])|[0-9]+(?=[.)](?:\s|$)))"
# A word of which a forge makes a mention, a reference or a link: it looks at what is shown, so that no escape helps.
_ACTIVE = r"""@|[#!&$](?=["\d])|[~%^](?=["\w])|\[[a-z_]+:|://|(?i:(?<![^\W_])(?:www\.|mailto:|xmpp:|gh-\d))"""


def terminal(text: str) -> str:
    """Return a text as a terminal may have it: control characters are shown, not obeyed; line feeds and tabs stay."""
    plain = text.isascii() and text.replace("\n", "").replace("\t", "").isprintable()
    return text if plain else re.sub(_TERMINAL, _shown, text)


def single_line(text: str) -> str:
    """Return a text as one line of a terminal or a log."""
    return text if text.isprintable() else re.sub(_LINE, _shown, text)


def log(text: str) -> str:
    """Return a text as the log of a CI runner may have it: none of its lines is a workflow command of GitHub's."""
    text = unmarked(terminal(text))
    return re.sub(_COMMAND, r"\1\\::", text) if "::" in text else text


def commands(text: str) -> bool:
    """Whether a text as it is would be a command to the runner of a CI job that prints it."""
    return bool("##" in text and re.search(_MARKED, text)) or bool("::" in text and re.search(_COMMAND, text))


def unmarked(text: str, number_sign: str = "#\\") -> str:
    """Return a text without marks that count anywhere in a line; `number_sign` stands for the first `#` of each."""
    return re.sub(_MARKED, lambda _: f"{number_sign}#", text) if "##" in text else text


def _shown(match: re.Match[str]) -> str:
    return ascii(match[0])[1:-1]


def github(level: str, message: str, properties: Mapping[str, str]) -> str:
    """Return a workflow command of GitHub Actions, a line; `level` is error, warning or notice."""
    parts = ",".join(f"{key}={_github_property(value)}" for key, value in properties.items() if value)
    return f"::{level}{' ' if parts else ''}{parts}::{_github_data(message)}\n"


def _github_data(text: str) -> str:
    return unmarked(terminal(text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")))


def _github_property(text: str) -> str:
    return _github_data(text).replace(":", "%3A").replace(",", "%2C")


def markdown(text: str) -> str:
    """Return a text as a line of Markdown that means nothing: no markup, link, mention or quick action."""
    return _words(text, _MARKDOWN)


def _words(text: str, escaped: str) -> str:
    """A line of which these characters are escaped, and what a forge would make more of is code."""

    def shown(word: re.Match[str]) -> str:
        return markdown_code(word[0]) if re.search(_ACTIVE, word[0]) else re.sub(escaped, r"\\\1", word[0])

    line = re.sub(_COMMAND, r"\1&#58;:", re.sub(r"\S+", shown, single_line(text)))
    return re.sub(_START, lambda start: f"{start[1]}&#{ord(start[2][0])};{start[2][1:]}", line)


def markdown_prose(text: str) -> str:
    """Return prose as a paragraph or a cell of Markdown: its punctuation stays readable, and none of it is markup."""
    return _words(text.replace("\n", " "), _CELL)


def markdown_code(text: str) -> str:
    """Return a text as code within a line of Markdown, in a table too: what would end a cell stands between codes."""
    return "\\|".join(map(_code, log(single_line(text)).split("|")))


def _code(text: str) -> str:
    if not text:
        return ""
    fence = _fence(text, 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def markdown_block(text: str, language: str = "") -> str:
    """Return lines as a block of code."""
    text = log(text)
    fence = _fence(text, 3)
    return f"{fence}{language}\n{text}{fence}\n"


def _fence(text: str, least: int) -> str:
    return "`" * max(least, 1 + max((len(run) for run in re.findall("`+", text)), default=0))


def html(text: str) -> str:
    """Return a text as a line of HTML has it, in an element or a quoted attribute."""
    return html_block(single_line(text)).replace("`", "&#96;")


def html_block(text: str) -> str:
    """Return lines as HTML has them in an element."""
    from html import escape

    return xml_document(escape(terminal(text)))


def html_prose(text: str) -> str:
    """Return a text as a line of HTML in a comment: what a forge would make a mention or a link of is code."""

    def shown(word: re.Match[str]) -> str:
        return f"<code>{html(word[0])}</code>" if re.search(_ACTIVE, word[0]) else html(word[0])

    return re.sub(r"\S+", shown, single_line(text))


def xml(text: str) -> str:
    """Return a text without what XML 1.0 cannot hold; a serializer does the rest."""
    return re.sub(_NOT_XML, _shown, terminal(text))


def xml_document(written: str) -> str:
    """Return XML or HTML without comments, in which what a runner would obey is written as other characters."""
    return unmarked(re.sub(_COMMAND, r"\1&#58;:", written), "&#35;")


def as_json(value: Any) -> str:
    """Return plain data as JSON of several lines, in which what a terminal would obey is escaped."""
    return f"{json_value(value)}\n"


def json_value(value: Any, write: Callable[[Any], Any] | None = None) -> str:
    """Return plain data as `as_json` does, without the last line feed; `write` makes plain data of what is none."""
    import msgspec

    try:
        written = msgspec.json.format(msgspec.json.encode(value, enc_hook=write), indent=2).decode()
    except (TypeError, ValueError, OverflowError):  # numbers beyond 64 bits, halves of characters
        written = json.dumps(msgspec.to_builtins(value, enc_hook=write), indent=2, ensure_ascii=False)
    written = unmarked(written, "\\u0023")
    return re.sub(_TERMINAL, _json_escape, written) if not written.isascii() or "\x7f" in written else written


def json_text(text: str) -> str:
    """Return what stands between the quotes of a JSON string as we write it, whoever wrote it."""
    return json_value(json.loads(f'"{text}"'))[1:-1]


def _json_escape(match: re.Match[str]) -> str:
    return json.dumps(match[0])[1:-1]


def code_point(character: str) -> str:
    """Return a character as an escape by its number, as texts of YAML and HCL have it."""
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def shell(word: str) -> str:
    """Return a path or the like as a word of a command to copy: no shell obeys it, and it is no option."""
    from shlex import quote

    return quote(f"./{word}" if word.startswith("-") else word)


def uri(path: str) -> str:
    """Return a file's path as a relative URI, whatever bytes its name has."""
    from urllib.parse import quote

    try:
        return quote(path.encode("utf-8", "surrogateescape"))
    except UnicodeEncodeError:
        return quote(path.encode("utf-8", "backslashreplace"))
