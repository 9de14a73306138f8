"""Each medium gets text that it shows and does not obey."""

import json
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from virtcatalog import escaping

ANY = st.text(
    st.characters(exclude_categories=()) | st.sampled_from("\x1b\n\r\t\x9b\u202e\ud800`|@#*/:,%&<>["), max_size=30
)


@pytest.mark.parametrize(
    ("function", "text", "shown"),
    [
        (escaping.terminal, "a\x1b[31mb\n\tc\r", "a\\x1b[31mb\n\tc\\r"),
        (escaping.terminal, "\u202eevil \x9b31m \udcff", "\\u202eevil \\x9b31m \\udcff"),
        (escaping.terminal, "Zürich → 東京", "Zürich → 東京"),
        (escaping.single_line, "a\nb\tc", "a\\nb\\tc"),
        (
            escaping.log,
            "::error::a\n  ::set-env name=x::y\n##[error]z\na ::b",
            "\\::error::a\n  \\::set-env name=x::y\n#\\#[error]z\na ::b",
        ),
        (escaping.markdown, "/merge", "&#47;merge"),
        (escaping.markdown, "  /merge", "  &#47;merge"),
        (escaping.log, "a ##[add-matcher]x\n\u00a0::error::y", "a #\\#[add-matcher]x\n\u00a0\\::error::y"),
        (
            escaping.log,
            "###[group]a ##vso[task.setvariable]b ##teamcity[c",
            "##\\#[group]a #\\#vso[task.setvariable]b #\\#teamcity[c",
        ),
        (escaping.log, "## a [b], #[c]", "## a [b], #[c]"),
        (escaping.markdown, "@all [a](b) <b> #1 `c` | d", "`@all` \\[a\\]\\(b\\) \\<b\\> `#1` \\`c\\` \\| d"),
        (escaping.markdown, "to me@example.org, WWW.example.org", "to `me@example.org,` `WWW.example.org`"),
        (escaping.markdown, "a !1 &2 $3 ~bug %v1 GH-4 o/r#5", "a `!1` `&2` `$3` `~bug` `%v1` `GH-4` `o/r#5`"),
        (escaping.markdown, "50% of 3 & 4 #", "50% of 3 \\& 4 \\#"),
        (escaping.markdown, " ::error::a", " &#58;:error::a"),
        (escaping.markdown_prose, "::error::a", "&#58;:error::a"),
        (escaping.markdown_prose, "/merge", "&#47;merge"),
        (escaping.markdown_prose, "- a - b", "&#45; a - b"),
        (escaping.markdown_prose, "---", "&#45;--"),
        (escaping.markdown_prose, "12) a 3) b", "&#49;2) a 3) b"),
        (escaping.markdown_prose, "-50 %, 1.5", "-50 %, 1.5"),
        (escaping.markdown, "a_www.b.c xwww.b (Mailto:a", "`a_www.b.c` xwww.b `(Mailto:a`"),
        (escaping.markdown, "1. a", "&#49;. a"),
        (escaping.markdown, "see http://x", "see `http://x`"),
        (escaping.markdown, "a`@b", "``a`@b``"),
        (escaping.markdown, "a\n/merge", "a\\\\n/merge"),
        (escaping.markdown_prose, "A (b) <b>, [x](y)", "A (b) \\<b\\>, \\[x\\](y)"),
        (escaping.markdown_prose, "| @all\nz - #1", "\\| `@all` z - `#1`"),
        (escaping.markdown_code, "a`b|c", "``a`b``\\|`c`"),
        (escaping.markdown_code, "|a || b", "\\|`a `\\|\\|` b`"),
        (escaping.markdown_code, "`", "`` ` ``"),
        (escaping.markdown_block, "a\n```\n/merge\n", "````\na\n```\n/merge\n````\n"),
        (escaping.html, "<b>\"&'@a", "&lt;b&gt;&quot;&amp;&#x27;@a"),
        (escaping.html_prose, "<b> @a www.x #1", "&lt;b&gt; <code>@a</code> <code>www.x</code> <code>#1</code>"),
        (escaping.html_block, " a\n ::b ##[c]", " a\n &#58;:b &#35;#[c]"),
        (escaping.xml, "a\x00\ufffe", "a\\x00\\ufffe"),
        (escaping.uri, "a b\udcff:ü", "a%20b%FF%3A%C3%BC"),
        (escaping.uri, "\ud800", "%5Cud800"),
    ],
)
def test_what_is_shown(function, text, shown):
    assert function(text) == shown


def test_a_workflow_command_is_one_line_and_its_parts_stay_apart():
    command = escaping.github("error", "a\n::warning::b%\x1b", {"file": "a,b:c\r", "line": "", "title": "t"})
    assert command == "::error file=a%2Cb%3Ac%0D,title=t::a%0A::warning::b%25\\x1b\n"
    assert escaping.github("notice", "##[stop-commands]x", {}) == "::notice::#\\#[stop-commands]x\n"


@given(ANY)
def test_nothing_is_obeyed_in_any_text(text):
    for function in (
        escaping.terminal,
        escaping.single_line,
        escaping.log,
        escaping.markdown,
        escaping.html,
        escaping.xml,
    ):
        shown = function(text)
        assert not [sign for sign in shown if ord(sign) < 32 and sign not in "\n\t"]
        assert not {"\x1b", "\x9b", "\u202e", "\x7f"} & set(shown)
        shown.encode()
    assert "\n" not in escaping.single_line(text) + escaping.markdown(text) + escaping.html(text)
    assert not [line for line in escaping.log(text).splitlines() if line.strip().startswith("::") or "##[" in line]
    for function in (escaping.github, escaping.html_block, escaping.markdown_block, escaping.html_prose):
        shown = function("error", text, {"file": text}) if function is escaping.github else function(text)
        assert "##[" not in shown
    escaping.uri(text).encode("ascii")


@given(ANY)
def test_xml_takes_any_text(text):
    element = etree.Element("a")
    element.text = escaping.xml(text)


@given(st.recursive(st.none() | st.integers() | ANY, lambda inner: st.lists(inner) | st.dictionaries(ANY, inner)))
def test_json_stays_what_it_is(value):
    text = escaping.as_json(value)
    assert json.loads(text) == json.loads(json.dumps(value))
    text.encode()
    assert not {"\x1b", "\x9b", "\u202e", "\x7f"} & set(text)
    assert "##[" not in text


SCALARS = st.none() | st.booleans() | st.integers() | ANY | st.floats(-1e15, 1e15).map(lambda value: round(value, 3))


@given(st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(ANY, inner)))
def test_json_is_what_the_standard_library_writes_but_for_what_is_escaped(value):
    text = escaping.as_json(value)
    written = json.dumps(value, indent=2, ensure_ascii=False) + "\n"
    assert json.loads(text) == value
    assert text.count("\n") == written.count("\n")
    assert text == written or not written.isascii() or "\x7f" in written or "##" in written


@pytest.mark.parametrize(
    "word", ["catalog", "a b", "$(touch pwned)", "`id`", "a'b\"c", "x;y", "~", "*", "a\nb", "-rf", "--x=y", ""]
)
def test_a_shell_takes_a_word_as_it_is(tmp_path, word):
    command = f"printf '%s' {escaping.shell(word)}"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, cwd=tmp_path, check=True)
    assert done.stdout == (f"./{word}" if word.startswith("-") else word)
    assert not any(tmp_path.iterdir())
