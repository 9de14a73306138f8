"""`build --watch` and `site --watch`: again after each change, whatever happens to the files, until Ctrl-C."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from threading import Timer

import pytest
from click.testing import CliRunner

from checkouts import write
from sampling import thorough
from virtcatalog.cli import main, watch
from virtcatalog.scaffold.content import contents

STD = "catalog/instancetypes/std.yaml"
VM = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web}
spec: {runStrategy: Always, instancetype: {name: std.small}, template: {spec: {domain: {devices: {}}}}}
"""
FIRST = "watching catalog; Ctrl-C ends\n"


@pytest.fixture
def house(tmp_path, monkeypatch) -> Path:
    write(tmp_path, contents("house"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def put(path, text):
    Path(path).write_text(text)


def edit(path, old, new):
    """Change a file as many editors do: another one takes its place."""
    text = Path(path).read_text()
    assert old in text
    put(f"{path}~", text.replace(old, new))
    Path(f"{path}~").rename(path)


def run(monkeypatch, *arguments, events=()):
    """Run a command; before each look for changes one of the events happens, and Ctrl-C after the last one."""
    todo = iter([*events, *[lambda: None] * 4])

    def pause(_took):
        event = next(todo, None)
        if event is None:
            raise KeyboardInterrupt
        event()

    monkeypatch.setattr("virtcatalog.cli.watch._pause", pause)
    result = CliRunner().invoke(main, arguments)
    assert result.stdout == ""
    assert result.stderr.endswith("interrupted\n") == (result.exit_code == 130)
    return result.exit_code, result.stderr.removesuffix("interrupted\n")


def still():
    """A look between changes, so that each is one of its own."""


def test_each_change_is_built(house, monkeypatch):
    events = [lambda: edit(STD, "medium: {vcpus: 2}", "medium: {vcpus: 3}"), still, still]
    status, output = run(monkeypatch, "build", "--watch", events=events)
    assert status == 130
    first, again = output.removeprefix(FIRST).split(f"{STD} changed\n")
    assert first.endswith("files, nothing changed\n")
    assert again.endswith("changed\n")
    assert CliRunner().invoke(main, ["build", "--check"]).exit_code == 0


def test_what_it_writes_itself_is_no_change(house, monkeypatch):
    (house / "output/base/kustomization.yaml").unlink()
    status, output = run(monkeypatch, "build", "--watch", events=[still] * 10)
    assert (status, output.count("files, 1 new\n"), len(output.splitlines())) == (130, 1, 2)


def test_a_catalog_that_is_broken_for_a_moment_is_told_and_built_when_it_is_mended(house, monkeypatch):
    whole = Path("catalog/catalog.yaml").read_text()
    events = [lambda: put("catalog/catalog.yaml", "name: ["), still, still]
    events += [lambda: put("catalog/catalog.yaml", whole), still, still]
    status, output = run(monkeypatch, "build", "--watch", events=events)
    assert status == 130
    _, broken, mended = output.split("catalog/catalog.yaml changed\n")
    assert broken.startswith("catalog/catalog.yaml:")
    assert broken.endswith("1 problem\n")
    assert mended.endswith("nothing changed\n")


def test_a_catalog_that_is_away_for_a_while_is_built_when_it_is_back(house, monkeypatch):
    events = [lambda: Path("catalog").rename("c"), still, still, lambda: Path("c").rename("catalog"), still, still]
    status, output = run(monkeypatch, "build", "--watch", events=events)
    assert status == 130
    assert "catalog/catalog.yaml is gone\n" in output
    assert "and 4 further files\ncatalog: there is no such file or folder: name a catalog" in output
    assert output.endswith("nothing changed\n")


def test_an_extended_catalog_is_watched_too(house, monkeypatch):
    Path("own").mkdir()
    put("own/catalog.yaml", "name: own\nextends: ../catalog\n")
    events = [lambda: edit(STD, "medium: {vcpus: 2}", "medium: {vcpus: 3}"), still, still]
    status, output = run(monkeypatch, "build", "own", "--output-dir", "tree", "--watch", events=events)
    assert (status, output.count(f"{STD} changed\n")) == (130, 1)


def test_a_broken_promise_is_told(house, monkeypatch):
    assert CliRunner().invoke(main, ["release", "v1.0.0"]).exit_code == 0
    events = [lambda: edit(STD, "medium: {vcpus: 2}", "medium: {vcpus: 3}"), still, still]
    status, output = run(monkeypatch, "build", "--watch", events=events)
    assert status == 130
    assert "would change." in output


@thorough
def test_the_site_too(house, monkeypatch):
    events = [lambda: edit(STD, "medium: {vcpus: 2}", "medium: {vcpus: 3}"), still, still]
    status, output = run(monkeypatch, "site", "--watch", events=events)
    assert (status, output.count(f"{STD} changed\n"), output.count("open site/index.html\n")) == (130, 1, 2)


@thorough
def test_the_vms_of_the_site_and_its_own_folder_among_them(house, monkeypatch):
    Path("fleet").mkdir()
    put("fleet/vm.yaml", VM)
    events = [still] * 6 + [lambda: edit("fleet/vm.yaml", "web", "data"), still, still]
    status, output = run(monkeypatch, "site", "-f", "fleet", "--output-dir", "fleet/site", "--watch", events=events)
    assert (status, output.count("fleet/vm.yaml changed\n"), output.count("open fleet/site/index.html\n")) == (
        130,
        1,
        2,
    )


@thorough
def test_the_host_that_the_site_is_made_for(house, monkeypatch):
    put("mine.yaml", "name: mine\nversion: 1\n")
    events = [lambda: edit("mine.yaml", "version: 1", "version: 0"), still, still]
    events += [lambda: edit("mine.yaml", "version: 0", "version: 2"), still, still]
    status, output = run(monkeypatch, "site", "--host", "mine.yaml", "--watch", events=events)
    assert (status, output.count("mine.yaml changed\n"), output.count("open site/index.html\n")) == (130, 2, 2)
    assert "mine.yaml:2:1: version: counts from 1\n1 problem\n" in output


def test_quietly(house, monkeypatch):
    events = [lambda: edit(STD, "medium: {vcpus: 2}", "medium: {vcpus: 3}"), still, still]
    assert run(monkeypatch, "build", "--watch", "-q", events=events) == (130, "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("build", "--watch", "--check"), "--check looks once and --watch goes on: give one of them"),
        (("site", "--watch", "-f", "-"), "--watch reads files again, and -f - is none"),
        (("build", "nowhere", "--watch"), "nowhere: there is no such file or folder"),
    ],
)
def test_wrong_usage_does_not_wait(house, monkeypatch, arguments, message):
    status, output = run(monkeypatch, *arguments)
    assert status == 2
    assert f"{message}\n" in output


def test_without_it_the_status_is_that_of_the_one_run(house):
    edit(STD, "medium: {vcpus: 2}", "medium: {vcpus: 3}")
    assert CliRunner().invoke(main, ["build", "--check"]).exit_code == 1


@pytest.mark.parametrize(
    ("changed", "lines"),
    [
        ([("a", True, True), ("b", False, True), ("c", True, False)], ["a changed", "b is new", "c is gone"]),
        ([(name, True, True) for name in "abcde"], [f"{name} changed" for name in "abcde"]),
        ([(name, True, True) for name in "abcdef"], [*(f"{name} changed" for name in "abcde"), "and 1 further file"]),
        (
            [(name, True, True) for name in "abcdefg"],
            [*(f"{name} changed" for name in "abcde"), "and 2 further files"],
        ),
    ],
)
def test_the_first_five_files_that_have_changed_are_named(changed, lines, capsys):
    watch._report(changed)
    assert capsys.readouterr() == ("", "".join(f"{line}\n" for line in lines))


@pytest.mark.parametrize(("took", "rest"), [(0.0, 0.25), (0.01, 0.25), (1.0, 9.0)])
def test_a_look_takes_a_tenth_of_the_time_at_most(took, rest, monkeypatch):
    slept = []
    monkeypatch.setattr(watch.time, "sleep", slept.append)
    watch._pause(took)
    assert slept == [rest]


def test_from_the_shell(house):
    """Real time, without a moment by which something has to happen: each line is waited for."""
    command = [sys.executable, "-m", "virtcatalog", "build", "--watch"]
    with subprocess.Popen(
        command,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a runner's jobs may ignore it
    ) as process:
        hopeless = Timer(300, process.kill)
        hopeless.start()
        try:
            assert process.stderr.readline() == FIRST
            assert process.stderr.readline().endswith("nothing changed\n")
            edit(STD, "medium: {vcpus: 2}", "medium: {vcpus: 3}")
            assert process.stderr.readline() == f"{STD} changed\n"
            assert process.stderr.readline().startswith("output: ")
            process.send_signal(signal.SIGINT)
            assert (process.wait(), process.stderr.read()) == (130, "interrupted\n")
        finally:
            hopeless.cancel()
    assert CliRunner().invoke(main, ["build", "--check"]).exit_code == 0
