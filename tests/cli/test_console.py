"""What a terminal shows: colour where it is wanted, findings that stand out, how far a command is."""

from __future__ import annotations

import io
import re
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from virtcatalog.cli import console, main
from virtcatalog.cli.console import coloured, finding, write_diff

ANSI = re.compile(r"\x1b\[\d+m")
REFUSED = (
    "vms/a.yaml:3:4: VirtualMachine/a: spec.x: is wrong (refused by the VM webhook) (in lab)\n"
    "c.yaml:1:2: VirtualMachine/b: warning: is odd\n"
    "error: there is no c\n"
    "c/x.yaml:9:1: Kind/x: is bad [error: bad-thing]\n"
)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    monkeypatch.delenv("NO_COLOR", raising=False)
    stream = Terminal()
    streams = SimpleNamespace(stdout=io.StringIO(), stderr=stream)
    monkeypatch.setattr(console, "sys", streams)
    return stream


class TestColour:
    def test_places_and_gravity_stand_out_and_nothing_else_changes(self):
        shown = finding(REFUSED, True)
        assert ANSI.sub("", shown) == REFUSED
        for part in ("\x1b[1mvms/a.yaml:3:4:", "\x1b[31m(refused by the VM webhook)", "\x1b[33mwarning: "):
            assert part in shown
        assert "\x1b[31merror: " in shown
        assert "\x1b[31m[error: bad-thing]" in shown

    def test_without_colour_there_is_none(self):
        assert finding(REFUSED, False) == REFUSED

    def test_is_for_terminals(self, terminal):
        assert coloured(err=True)
        assert not coloured()

    def test_no_color_says_so(self, terminal, monkeypatch):
        monkeypatch.setenv("NO_COLOR", "1")
        assert not coloured(err=True)

    @pytest.mark.parametrize(("option", "colour"), [("always", True), ("never", False), ("auto", False)])
    def test_an_option_counts_before(self, option, colour, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("NO_COLOR", "1")
        Path("virtcatalog.toml").write_text("x = 1")
        result = CliRunner().invoke(main, ["check", "--color", option], color=True)
        assert bool(ANSI.search(result.stderr)) == colour

    def test_what_strangers_write_is_never_obeyed(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        Path("vm.yaml").write_text('{apiVersion: v1, kind: "\\e[31mX", metadata: {name: a}}')
        result = CliRunner().invoke(main, ["expand", "-f", "vm.yaml", "--color", "always"], color=True)
        assert "\x1b[31mX" not in result.output

    def test_diffs(self, monkeypatch, capsys):
        write_diff("--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n")
        assert not ANSI.search(capsys.readouterr().out)

    def test_what_happens_to_vms_has_a_colour_each(self, monkeypatch, capsys):
        monkeypatch.setattr(console, "coloured", lambda: True)
        monkeypatch.setattr(console.click, "secho", partial(console.click.secho, color=True))
        write_diff("2 of 4 VMs: 1 refused\n! refused  a\n+ create  b\n- delete  c\n~ live  d\n    why\n")
        lines = capsys.readouterr().out.splitlines()
        assert [re.findall(r"\x1b\[([1-9]\d*)m", line) for line in lines] == [[], ["91"], ["32"], ["31"], ["33"], []]
