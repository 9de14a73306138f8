"""`virtcatalog man`: one page on stdout, or all of them in a folder."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from virtcatalog.cli import main
from virtcatalog.cli.man import Page, roff
from virtcatalog.escaping import single_line


def test_prints_the_page_of_a_command() -> None:
    result = CliRunner().invoke(main, ["man", "import", "objects"])
    assert result.exit_code == 0
    assert result.stdout.startswith('.TH "VIRTCATALOG\\-IMPORT\\-OBJECTS" 1 ')
    assert "\n.SH OPTIONS\n" in result.stdout
    assert "\\fBvirtcatalog\\-import\\fR(1)\n" in result.stdout


def test_an_unknown_command_is_an_error() -> None:
    result = CliRunner().invoke(main, ["man", "expnd"])
    assert (result.exit_code, result.stdout) == (2, "")
    assert "there is no command 'virtcatalog expnd'; did you mean 'virtcatalog expand'?" in result.stderr


def test_writes_a_page_for_each(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["man", "--output-dir", str(tmp_path / "man1")])
    assert result.exit_code == 0
    written = {path.name for path in (tmp_path / "man1").iterdir()}
    assert {"virtcatalog.1", "virtcatalog-expand.1", "virtcatalog-import-objects.1"} <= written
    assert CliRunner().invoke(main, ["man", "expand", "--output-dir", str(tmp_path)]).exit_code == 2


HOSTILE = (
    *(".sy touch pwned", "'so /etc/passwd", "a\n.sy touch pwned", '.\\"'),
    *("\\*[x] \\f(XX \\", 'a "b" c', "\x1b[2J", "ä→"),
)


@pytest.mark.skipif(not shutil.which("groff"), reason="there is no groff")
@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_is_a_request_of_roff(tmp_path: Path, text: str) -> None:
    texts = (text,)
    page = Page(f"virtcatalog {text}", text, text, texts, ((text, text),), texts, texts)
    (tmp_path / "page.1").write_text(roff(page))
    command = ["groff", "-U", "-ww", "-man", "-Tutf8", "-P-c", "-rLL=400n", "page.1"]  # -U lets requests run commands
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert [path.name for path in tmp_path.iterdir()] == ["page.1"]
    shown = re.sub(".\b", "", done.stdout)
    for section in ("SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXAMPLES"):
        assert " ".join(single_line(text).split()) in " ".join(shown.split(section, 1)[1].split()), section


def test_a_page_has_its_sections_and_nothing_else() -> None:
    page = Page(
        "virtcatalog a b",
        "virtcatalog a b [OPTIONS] NAME",
        "Do it.",
        ("More.",),
        (("-x, --long", "A -."),),
        ("virtcatalog a b c",),
        (),
    )
    header, *lines = roff(page).splitlines()
    assert re.sub(r"virtcatalog [0-9][^\"]*", "virtcatalog V", header) == (
        '.TH "VIRTCATALOG\\-A\\-B" 1 "" "virtcatalog V" "virtcatalog"'
    )
    assert lines == [
        ".SH NAME",
        r"virtcatalog\-a\-b \- Do it",
        ".SH SYNOPSIS",
        ".B virtcatalog a b [OPTIONS] NAME",
        ".SH DESCRIPTION",
        "Do it.",
        ".PP",
        "More.",
        ".PP",
        ".SH OPTIONS",
        ".TP",
        r"\fB\-x, \-\-long\fR",
        r"A \-.",
        ".SH EXAMPLES",
        ".nf",
        "virtcatalog a b c",
        ".fi",
        ".SH EXIT STATUS",
        "0 fine, 1 findings or differences, 2 wrong usage or unreadable input, 70 a bug.",
        ".SH SEE ALSO",
        r"\fBvirtcatalog\-a\fR(1)",
    ]
    bare = Page("virtcatalog", "virtcatalog", "", (), (), (), ("virtcatalog a", "virtcatalog b"))
    assert [line for line in roff(bare).splitlines() if line.startswith(".SH")] == [
        *(".SH NAME", ".SH SYNOPSIS", ".SH DESCRIPTION", ".SH EXIT STATUS", ".SH SEE ALSO")
    ]
    assert roff(bare).endswith("\n\\fBvirtcatalog\\-a\\fR(1), \\fBvirtcatalog\\-b\\fR(1)\n")
