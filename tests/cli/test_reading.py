"""What a stranger may put in place of files: nothing is followed, quoted, waited for or deleted."""

from __future__ import annotations

import os
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from expanding import TYPES, VM

from checkouts import write
from virtcatalog.catalog.load import load_catalog
from virtcatalog.cli import main
from virtcatalog.errors import CatalogError

CATALOG = {"catalog.yaml": "name: test\nkubevirt: v1.9.0\n", "preferences/linux.yaml": "preferences: {own.linux: {}}\n"}


@pytest.fixture(autouse=True)
def in_time() -> Iterator[None]:
    """Whatever waits for ever fails."""

    def stop(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(20)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture(autouse=True)
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path / "work"


def run(*arguments: str) -> Result:
    result = CliRunner().invoke(main, arguments)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.mark.parametrize("command", [["expand", "-f"], ["diff", "-f"], ["adopt", "-f"], ["check", "-f"]])
@pytest.mark.parametrize("kind", ["zero", "fifo", "passwd"])
def test_a_folder_holds_no_way_out(command: list[str], kind: str, tmp_path: Path) -> None:
    write("vms", {"vm.yaml": VM, "types.yaml": TYPES})
    write("catalog", CATALOG)
    (tmp_path / "secret").write_text("kind: [hunter2\n")
    if kind == "fifo":
        os.mkfifo("vms/x.yaml")
    else:
        Path("vms/x.yaml").symlink_to("/dev/zero" if kind == "zero" else tmp_path / "secret")
    arguments = [*command, "vms", "--kubevirt", "v1.8.4", "v1.9.0"] if command[0] == "diff" else [*command, "vms"]
    result = run(*arguments)
    assert result.exit_code == (1 if command[0] == "check" else 2), result.output
    sentence = "is no regular file" if kind == "fifo" else "is a symbolic link that leads out of the folder"
    assert f"vms/x.yaml: {sentence}" in result.output
    assert "hunter2" not in result.output


def test_a_lock_that_is_a_link_is_not_quoted(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("hunter2: x\n")
    write("catalog", CATALOG)
    Path("catalog/catalog.lock").symlink_to("../../secret")
    result = run("build", "--check")
    assert result.exit_code == 2
    assert "catalog/catalog.lock: is a symbolic link that leads out of the catalog" in result.stderr
    assert "hunter2" not in result.output


def test_a_lock_that_is_a_folder_is_not_passed_over() -> None:
    write("catalog", {**CATALOG, "catalog.lock/x": ""})
    result = run("build", "--check")
    assert result.exit_code == 2
    assert "catalog/catalog.lock: is a folder" in result.stderr


def test_an_extended_catalog_that_is_a_link_is_not_quoted(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("hunter2: x\n")
    write("catalog", {"catalog.yaml": "name: test\nextends: ../base\n"})
    Path("base").mkdir()
    Path("base/catalog.yaml").symlink_to("../../secret")
    result = run("build", "--check")
    assert result.exit_code == 2
    assert "base/catalog.yaml: is a symbolic link that leads out of the catalog" in result.stderr
    assert "hunter2" not in result.output


@pytest.mark.parametrize(
    "arguments",
    [
        ["expand", "-f"],
        ["build"],
        ["check"],
        ["diff", "--catalog"],
        ["diff"],
        ["impact", "own.linux", "--catalog"],
        ["expand", "-f", "catalog", "--host"],
    ],
)
def test_a_path_that_is_too_long_is_no_traceback(arguments: list[str]) -> None:
    write("catalog", CATALOG)
    result = run(*arguments, "x" * 5000)
    assert result.exit_code == 2
    assert "Traceback" not in result.output


def test_names_that_are_not_utf8_are_told() -> None:
    write("catalog", CATALOG)
    write("vms", {"vm.yaml": VM, "types.yaml": TYPES})
    for folder in (b"catalog/preferences", b"vms"):
        Path(os.fsdecode(folder + b"/\xff.yaml")).write_text("{}")
    result = run("build", "--check")
    assert (result.exit_code, "catalog/preferences/\\xff.yaml: has a name that is not UTF-8" in result.stderr) == (
        2,
        True,
    )
    result = run("expand", "-f", "vms", "--catalog", "vms")
    assert "vms/\\xff.yaml: has a name that is not UTF-8" in result.stderr


def test_comparing_deletes_nothing(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file that is at fault is one of an extended catalog, whose path leads out of a copy made in `tmp/more`."""
    write("base", {**CATALOG, "preferences/bad.yaml": "preferences: {x: {nonsense: 1}}\n"})
    write("catalog", {"catalog.yaml": "name: test\nextends: ../base\n"})
    for folder in ("tmp/more", "a/b/c/d"):
        Path(folder).mkdir(parents=True)
    monkeypatch.setattr(tempfile, "tempdir", f"{work}/tmp/more")
    monkeypatch.chdir("a/b/c/d")
    before = {path: path.read_bytes() for path in work.rglob("*") if path.is_file()}
    result = run("diff", "../../../../catalog", "../../../../catalog")
    assert result.exit_code == 2
    assert "../../../../base/preferences/bad.yaml:1:19" in result.output
    assert {path: path.read_bytes() for path in work.rglob("*") if path.is_file()} == before


def test_comparing_and_asking_write_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    write("catalog", {**CATALOG, "components.yaml": "c: {annotations: {a: b}}\n", "preferences/bad.yaml": "]\n"})

    def refused(*_: object, **__: object) -> None:
        raise AssertionError("something is written")

    for name in ("mkdir", "unlink", "symlink", "rename", "replace"):
        monkeypatch.setattr(os, name, refused)
    assert run("diff", "catalog", "catalog").exit_code == 2
    Path("catalog/preferences/bad.yaml").write_text("preferences: {bad: {components: [c]}}\n")
    assert "component c" in run("impact", "c").stdout


def test_a_catalog_is_read_from_a_mapping() -> None:
    files = {
        "catalog.yaml": b"name: test\nextends: ../base\n",
        "preferences/own.yaml": b"preferences: {own: {}}\n",
        "../base/catalog.yaml": b"name: base\nkubevirt: v1.9.0\n",
        "../base/preferences/linux.yaml": b"preferences: {own.linux: {}}\n",
    }
    catalog = load_catalog("virt/catalog", files)
    assert [preference.name for preference in catalog.preferences] == ["own.linux", "own"]
    assert str(catalog.preferences[1].source) == "virt/catalog/preferences/own.yaml:1:15"
    with pytest.raises(CatalogError, match=r"^virt/base/preferences/linux.yaml:1:1: is not YAML"):
        load_catalog("virt/catalog", {**files, "../base/preferences/linux.yaml": b"]"})
