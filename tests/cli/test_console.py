"""What a terminal shows: colour where it is wanted, findings that stand out, how far a command is."""

from __future__ import annotations

import io
import re
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import click
import pytest
from click.testing import CliRunner

from virtcatalog.cli import console, main
from virtcatalog.cli.console import coloured, finding, painted, write_diff
from virtcatalog.errors import ManifestError, Problem, VirtcatalogError

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

    @pytest.mark.parametrize(
        ("text", "shown"),
        [
            ("a b.yaml:3:14: x\n", "<b>a b.yaml:3:14:</> x\n"),
            (" a.yaml:3:4: x", " a.yaml:3:4: x"),
            ("a.yaml:3: x: 1:2:3", "a.yaml:3: x: 1:2:3"),
            ("x\na.yaml:1:1: b.yaml:2:2: y", "x\n<b>a.yaml:1:1:</> b.yaml:2:2: y"),
            ("x [note: a-b]\nerror: y", "x <36>[note: a-b]</>\n<31>error: </>y"),
            ("x [warning: a-b]", "x <33>[warning: a-b]</>"),
            ("x [warning: a-b] y", "x [<33>warning: </>a-b] y"),
            ("x [note: a-b] y", "x [note: a-b] y"),
            ("no terror: x", "no terror: x"),
            ("x (a; refused by b) y", "x <31>(a; refused by b)</> y"),
            ("(refused by b (c))", "(refused by b (c))"),
            ("(refused) (not refused by b)", "(refused) (not refused by b)"),
        ],
    )
    def test_of_findings(self, text, shown):
        codes = {"b": "\x1b[1m", "/": "\x1b[0m", **{code: f"\x1b[{code}m" for code in ("31", "33", "36")}}
        assert finding(text, True) == re.sub(r"<(\w+|/)>", lambda match: codes[match[1]], shown)

    @pytest.mark.parametrize(
        ("style", "colour", "shown"),
        [
            ("bold", True, "\x1b[1ma\x1b[0m"),
            ("red", True, "\x1b[31ma\x1b[0m"),
            ("red", False, "a"),
            ("", True, "a"),
        ],
    )
    def test_of_a_text(self, style, colour, shown):
        assert painted("a", style, colour) == shown
        assert painted("", style, colour) == ""

    def test_of_diffs_on_a_terminal(self, monkeypatch, capsys):
        monkeypatch.setattr(console, "coloured", lambda: True)
        monkeypatch.setattr(console.click, "secho", partial(console.click.secho, color=True))
        write_diff("--- a\n+++ b\n@@ -1 +1 @@\n-x\n+\x07\n~ w\n  y\n! z")
        assert capsys.readouterr().out == (
            "\x1b[1m--- a\x1b[0m\n"
            "\x1b[1m+++ b\x1b[0m\n"
            "\x1b[36m@@ -1 +1 @@\x1b[0m\n"
            "\x1b[31m-x\x1b[0m\n"
            "\x1b[32m+\\x07\x1b[0m\n"
            "\x1b[33m~ w\x1b[0m\n"
            "  y\x1b[0m\n"
            "\x1b[91m! z\x1b[0m"
        )

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


def printed(print_something, *arguments, **options):
    """What is printed on stdout, and on stderr."""

    @click.command()
    def command():
        print_something(*arguments, **options)

    result = CliRunner().invoke(command, catch_exceptions=False)
    return result.stdout, result.stderr


class TestStreams:
    """Results are on stdout; findings, and what is to be known beside results, on stderr."""

    @pytest.mark.parametrize(
        ("arguments", "options", "out", "err"),
        [
            ((), {}, "\n", ""),
            (("a\x07",), {}, "a\\x07\n", ""),
            (("a",), {"nl": False}, "a", ""),
            (("a\x07",), {"err": True}, "", "a\\x07\n"),
            (("a",), {"err": True, "nl": False}, "", "a"),
        ],
    )
    def test_lines(self, arguments, options, out, err):
        assert printed(console.echo, *arguments, **options) == (out, err)

    @pytest.mark.parametrize(
        ("text", "options", "out", "err"), [("a\x07\n", {}, "a\x07\n", ""), ("a", {"err": True}, "", "a")]
    )
    def test_data_is_printed_as_it_is(self, text, options, out, err):
        assert printed(console.data, text, **options) == (out, err)

    @pytest.mark.parametrize(("err", "out"), [(False, ("a\\x07", "")), (True, ("", "a\\x07"))])
    def test_findings(self, err, out):
        assert printed(console.print_findings, "a\x07", err=err) == out

    @pytest.mark.parametrize(
        ("documents", "form", "out"),
        [
            ([{"a": 1}], "json", '{\n  "a": 1\n}\n'),
            ([{"a": 1}, {"b": 2}], "json", '[\n  {\n    "a": 1\n  },\n  {\n    "b": 2\n  }\n]\n'),
            ([], "json", "[]\n"),
            ([{"a": 1}], "yaml", "a: 1\n"),
            ([{"a": 1}, {"b": 2}], "yaml", "a: 1\n---\nb: 2\n"),
        ],
    )
    def test_documents(self, documents, form, out):
        assert printed(console.print_documents, documents, form) == (out, "")

    @pytest.mark.parametrize(
        ("texts", "many", "out"),
        [
            ([], False, ""),
            (["1"], False, "1\n"),
            ([], True, "[]\n"),
            (["1"], True, "[\n1\n]\n"),
            (["1", "2", "3"], True, "[\n1,\n2,\n3\n]\n"),
        ],
    )
    def test_objects_of_vms(self, texts, many, out):
        assert printed(console.show_json, texts, many) == (out, "")

    @pytest.mark.parametrize(
        ("error", "message"),
        [
            (VirtcatalogError("there is none"), "error: there is none\n"),
            (ManifestError(Problem(file="a.yaml", message="is odd")), "a.yaml: is odd\n1 problem\n"),
            (
                ManifestError(Problem(file="a.yaml", message="is odd"), Problem(file="b.yaml", message="too")),
                "a.yaml: is odd\nb.yaml: too\n2 problems\n",
            ),
        ],
    )
    def test_an_error_ends_a_command(self, error, message):
        def fail():
            raise error

        result = CliRunner().invoke(click.command()(console.failing(fail)))
        assert (result.exit_code, result.stdout, result.stderr) == (2, "", message)

    @pytest.mark.parametrize(("meta", "quiet"), [({}, False), ({console.QUIET: True}, True)])
    def test_a_summary_is_for_whoever_wants_one_and_a_note_for_everybody(self, capsys, meta, quiet):
        with click.Context(click.Command("a")) as context:
            context.meta.update(meta)
            assert console.quiet() is quiet
            console.summary("a")
            console.note("b")
        assert capsys.readouterr() == ("", "b\n" if quiet else "a\nb\n")

    def test_outside_of_a_command_line_nothing_is_quiet(self):
        assert console.quiet() is False

    @pytest.mark.parametrize(("terminal", "columns"), [(True, 123), (False, None)])
    def test_a_terminal_has_a_width(self, monkeypatch, terminal, columns):
        monkeypatch.setenv("COLUMNS", "123")
        monkeypatch.setattr("sys.stdout", Terminal() if terminal else io.StringIO())
        assert console.columns_of_terminal() == columns

    def test_a_line_in_a_style(self):
        assert printed(console.print_line, "a\x07", "bold", False) == ("a\\x07\n", "")
