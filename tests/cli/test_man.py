"""`virtcatalog man`: one page on stdout, or all of them in a folder."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner

from virtcatalog.cli import main


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
