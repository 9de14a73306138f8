"""How far a command is, on a terminal whose clock goes on by itself: half a second whenever somebody looks."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import shlex
import shutil
import struct
import sys
import termios
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import click
import house
import pytest

from virtcatalog.cli import console, main, progress
from virtcatalog.cli.console import echo
from virtcatalog.cli.console import progress as progress_of
from virtcatalog.cli.guard import INTERRUPTED, UNUSABLE, guarded
from virtcatalog.errors import VirtcatalogError
from virtcatalog.progress import reporting_to, tracked

WIPE = "\r\x1b[K"


class Screen:
    """A terminal that shows what is written to it as stderr."""

    def __init__(self) -> None:
        self._shown, device = pty.openpty()
        os.set_blocking(self._shown, False)
        self.device = os.fdopen(device, "w", encoding="utf-8")
        modes = termios.tcgetattr(self.device)
        modes[1] &= ~termios.OPOST  # line feeds stay what they are
        termios.tcsetattr(self.device, termios.TCSANOW, modes)
        self._text = ""

    def be_wide(self, columns: int) -> None:
        fcntl.ioctl(self.device, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))

    @property
    def text(self) -> str:
        """All that was written."""
        self.device.flush()
        try:
            while part := os.read(self._shown, 65536):
                self._text += part.decode()
        except BlockingIOError:
            pass
        return self._text

    @property
    def states(self) -> list[str]:
        """What stood in the line, one state after the other."""
        return [part.partition("\n")[0] for part in self.text.split(WIPE)[1:] if part]

    @property
    def left(self) -> str:
        """What can be seen in the end."""
        lines = [line.rpartition(WIPE)[2] for line in self.text.split("\n")]
        return "\n".join(lines)

    def close(self) -> None:
        self.device.close()
        os.close(self._shown)


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Iterator[Screen]:
    screen = Screen()
    screen.be_wide(80)
    monkeypatch.setenv("TERM", "xterm")
    for name in ("COLUMNS", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    streams = SimpleNamespace(stdout=io.StringIO(), stderr=screen.device, modules=sys.modules)
    for module in (console, progress):
        monkeypatch.setattr(module, "sys", streams)
    monkeypatch.setattr("click.utils._default_text_stderr", lambda: screen.device)
    yield screen
    screen.close()


@pytest.fixture(autouse=True)
def tick(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """The clock; `by` is how far it goes on, in seconds."""
    clock = SimpleNamespace(now=0.0, by=0.5)

    def monotonic() -> float:
        clock.now += clock.by
        return clock.now

    monkeypatch.setattr(progress, "monotonic", monotonic)
    monkeypatch.setattr(progress, "_line", progress._Line())
    return clock


def test_tells_count_rate_and_time_left_and_leaves_nothing(screen):
    assert list(progress_of(range(10), 10, "VMs")) == list(range(10))
    assert screen.states[0] == "2 of 10 VMs, 2/s, 4 s left"
    assert screen.states[-1] == "10 of 10 VMs, 2/s, 0 s left"
    assert screen.left == ""


def test_is_nothing_in_the_first_second(screen, tick):
    tick.by = 0.09
    list(progress_of(range(10), 10, "VMs"))
    assert screen.text == ""


def test_it_begins_with_the_first_second_whole(screen, tick):
    tick.by = 0.25
    list(progress_of(range(8), 8, "VMs"))
    assert screen.states[0] == "4 of 8 VMs, 4/s, 1 s left"


def test_the_second_is_that_of_the_command(screen):
    list(progress_of(range(2), 2, "files"))
    list(progress_of(range(2), 2, "VMs"))
    assert [state.split(",")[0] for state in screen.states] == ["2 of 2 files", "1 of 2 VMs", "2 of 2 VMs"]


def test_is_told_ten_times_a_second(screen, tick):
    tick.by = 0.01
    list(progress_of(range(300), 300, "VMs"))
    assert 19 <= len(screen.states) <= 21


def test_of_work_within_work_the_outer_is_told(screen):
    for _ in progress_of(range(4), 4, "environments"):
        list(progress_of(range(4), 4, "VMs"))
    assert all("environments" in state for state in screen.states)
    assert screen.left == ""


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        (80, "200 of 400 VMs, 2/s, 1 min 40 s left"),
        (30, "200 of 400 VMs, 2/s"),
        (16, "200 of 400 VMs"),
        (9, "200 of 4"),
    ],
)
def test_fits_the_terminal(columns, expected, screen):
    screen.be_wide(columns)
    list(progress_of(range(400), 400, "VMs"))
    assert expected in screen.states
    assert max(map(len, screen.states)) < columns


def test_a_terminal_that_tells_no_size_is_one_of_eighty_columns(screen):
    screen.be_wide(0)
    list(progress_of(range(10), 10, "of a noun that is as long as it can be without being cut off"))
    assert all(40 < len(state) < 80 for state in screen.states)


def test_work_whose_number_nobody_knows(screen):
    list(progress_of(iter("abcd"), None, "files"))
    assert screen.states[0] == "2 files, 2/s"


@pytest.mark.parametrize(
    ("done", "number", "seconds", "words"),
    [
        (1200, 4000, 2.0, "1,200 of 4,000 VMs, 600/s, 5 s left"),
        (1, 100, 2.0, "1 of 100 VMs, 30 a minute, 3 min 18 s left"),
        (1, 10_000, 2.0, "1 of 10,000 VMs, 30 a minute, 5 h 33 min left"),
        (10, 10, 2.0, "10 of 10 VMs, 5/s, 0 s left"),
        (11, 10, 2.2, "11 of 10 VMs, 5/s"),
    ],
)
def test_words(done, number, seconds, words):
    assert progress.state(done, number, seconds, "VMs") == words


@pytest.mark.parametrize(
    ("done", "seconds", "columns", "words"),
    [
        (60, 60.0, 79, "60 of 61 VMs, 1/s, 1 s left"),
        (59, 60.0, 79, "59 of 61 VMs, 59 a minute, 2 s left"),
        (1, 1.0, 79, "1 of 61 VMs, 1/s, 1 min 0 s left"),
        (1, 60.0, 79, "1 of 61 VMs, 1 a minute, 1 h 0 min left"),
        (60, 60.0, 27, "60 of 61 VMs, 1/s, 1 s left"),
        (60, 60.0, 26, "60 of 61 VMs, 1/s"),
        (60, 60.0, 17, "60 of 61 VMs, 1/s"),
        (60, 60.0, 16, "60 of 61 VMs"),
        (60, 60.0, 3, "60 "),
    ],
)
def test_words_as_far_as_they_fit(done, seconds, columns, words):
    assert progress.state(done, 61, seconds, "VMs", columns) == words


def test_a_state_has_79_columns_where_nobody_says():
    assert progress.state(1, None, 1.0, "x" * 100) == ("1 " + "x" * 100)[:79]


def test_what_is_no_terminal_has_the_width_that_the_environment_says(monkeypatch):
    monkeypatch.setenv("COLUMNS", "123")
    monkeypatch.setattr(progress.sys, "stderr", io.StringIO())
    assert progress._columns() == 123


class TestQuiet:
    def test_in_a_pipe(self, screen, monkeypatch):
        monkeypatch.setattr(console.sys, "stderr", io.StringIO())
        assert len(list(progress_of(range(10), 10, "VMs"))) == 10
        assert console.sys.stderr.getvalue() == screen.text == ""

    def test_where_results_scroll_by(self, screen, monkeypatch):
        monkeypatch.setattr(console.sys, "stdout", screen.device)
        list(progress_of(range(10), 10, "VMs"))
        assert screen.text == ""
        list(progress_of(range(10), 10, "VMs", silent=True))
        assert screen.text != ""

    def test_on_a_terminal_that_cannot_wipe_a_line(self, screen, monkeypatch):
        monkeypatch.setenv("TERM", "dumb")
        list(progress_of(range(10), 10, "VMs"))
        assert screen.text == ""

    def test_in_the_processes_of_a_pool(self, screen, monkeypatch):
        monkeypatch.setattr(console, "_OWN", os.getpid() + 1)
        list(progress_of(range(10), 10, "VMs"))
        assert screen.text == ""

    def test_where_nobody_asks(self, screen):
        assert list(tracked(range(10), 10, "VMs")) == list(range(10))
        assert screen.text == ""


def test_rooms_tell_whoever_asks():
    steps = []
    with reporting_to(lambda items, number, noun: steps.append((number, noun)) or items):
        assert list(tracked("ab", 2, "letters")) == ["a", "b"]
    assert list(tracked("ab", 2, "letters")) == ["a", "b"]
    assert steps == [(2, "letters")]


def ends(body: Callable[[], int]) -> int:
    """The exit status of a command that does this, as the program runs it."""
    with pytest.raises(SystemExit) as end:
        guarded(lambda: console.failing(body)(), debug=False)
    return int(end.value.code or 0)


class TestTheLineIsClean:
    """Whatever is printed stands at the left of a line of its own."""

    def test_for_messages_meanwhile(self, screen):
        for number in progress_of(range(10), 10, "VMs"):
            if number == 5:
                echo("vm.yaml:1:2: is odd", err=True)
        assert "vm.yaml:1:2: is odd" in screen.left.replace("\x1b[1m", "").replace("\x1b[0m", "")
        assert "of 10 VMs" not in screen.left

    def test_for_results_meanwhile(self, screen):
        lines = []
        for _ in progress_of(range(10), 10, "VMs"):
            console.data("kind: VirtualMachine\n")
            lines.append(screen.left)
        assert set(lines) == {""}
        assert "of 10 VMs" in screen.text

    def test_after_an_interruption(self, screen):
        def body() -> int:
            iterators.append(work := iter(tracked(range(10), 10, "VMs")))  # nothing is cleaned up by chance
            for number in work:
                if number == 5:
                    raise KeyboardInterrupt
            return 0

        iterators: list[Iterator[int]] = []
        assert ends(body) == INTERRUPTED
        assert screen.states[0] == "2 of 10 VMs, 2/s, 4 s left"
        assert screen.left == "interrupted\n"

    def test_after_an_error(self, screen):
        def body() -> int:
            iterators.append(work := iter(tracked(range(10), 10, "VMs")))
            for number in work:
                if number == 5:
                    raise VirtcatalogError("nothing is there")
            return 0

        iterators: list[Iterator[int]] = []
        assert ends(body) == UNUSABLE
        assert "2 of 10 VMs" in screen.text
        assert screen.left.endswith("nothing is there\n")
        assert "of 10 VMs" not in screen.left


NODES = """
apiVersion: v1
kind: Node
metadata: {name: node, labels: {kubernetes.io/hostname: node}}
status: {allocatable: {cpu: "32", memory: 128Gi, pods: "110"}}
"""
VMS = "".join(
    f"""---
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {{name: machine-{number}, namespace: shop}}
spec:
  runStrategy: Always
  template: {{spec: {{domain: {{cpu: {{sockets: {number}}}, memory: {{guest: 4Gi}}, devices: {{}}}}}}}}
"""
    for number in range(1, 5)
)
OWN = VMS.replace("  template:", "  instancetype: {name: m.large}\n  template:").replace(", memory: {guest: 4Gi}", "")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("house")
    house.build(root)
    (root / "vms.yaml").write_text(VMS)
    (root / "own.yaml").write_text("".join(OWN.replace(f"cpu: {{sockets: {sockets}}}, ", "") for sockets in "1234"))
    (root / "node.yaml").write_text(NODES)
    return root


@pytest.mark.parametrize(
    ("arguments", "noun"),
    [
        ("build --check", "instance types"),
        ("build --output-dir elsewhere", "instance types"),
        ("release v2.0.0 --date 2026-01-02", "instance types"),
        ("check -f vms.yaml", "VMs"),
        ("check --pairs", "instance types"),
        ("diff -c catalog --kubevirt v1.8.4 v1.9.0 -f vms.yaml", "VMs that may change"),
        ("impact m.large -f own.yaml", "VMs"),
        ("expand -f vms.yaml", "VMs"),
        ("adopt -f vms.yaml", "VMs"),
        ("capacity -f node.yaml -f vms.yaml", "VMs"),
        ("site --output-dir pages", "pages of instance types"),
    ],
)
def test_every_command_that_can_take_long_says_how_far_it_is(arguments, noun, built, screen, tmp_path, monkeypatch):
    shutil.copytree(built, tmp_path / "house")
    monkeypatch.chdir(tmp_path / "house")

    with pytest.raises((SystemExit, click.exceptions.Exit)):
        main.main(shlex.split(arguments), prog_name="virtcatalog")
    assert any(f" {noun}, " in state for state in screen.states), screen.text
    assert " left" not in screen.left
