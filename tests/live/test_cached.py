"""Drifts that an earlier run has cached: they are told as long as nothing that they were made of has changed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import fleet
from sampling import sample
from virtcatalog.cli import main
from virtcatalog.errors import ManifestError
from virtcatalog.live import cached, reading
from virtcatalog.live.classify import drift_of

NUMBERS = range(len(fleet.STATES))
Objects = list[dict[str, Any]]


def drift(folder: Path, *arguments: str) -> str:
    words = ["drift", "-f", f"{folder}/git", "--live", f"{folder}/lab.json", "-o", "json", *arguments]
    result = CliRunner().invoke(main, words, prog_name="virtcatalog", env={"VIRTCATALOG_NO_CACHE": ""})
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.stdout


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    fleet.write_git(tmp_path / "git", NUMBERS)
    fleet.write_dump(tmp_path / "lab.json", NUMBERS)
    return tmp_path


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The VMs that are judged, and not recalled."""
    names: list[str] = []

    def counting(name: str, *arguments: Any) -> Any:
        names.append(name)
        return drift_of(name, *arguments)

    monkeypatch.setattr(cached, "drift_of", counting)
    return names


def write(folder: Path, objects: Objects) -> None:
    (folder / "lab.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))


def test_a_second_run_says_the_same_and_judges_no_vm(folder, judged):
    first = drift(folder, "--cache-dir", f"{folder}/cache")
    assert len(judged) == len(NUMBERS)
    judged.clear()
    assert drift(folder, "--cache-dir", f"{folder}/cache") == first == drift(folder, "--no-cache")
    assert len(judged) == len(NUMBERS)  # of the run without a cache


def changes() -> list[tuple[str, Callable[[dict[str, Any]], object]]]:
    """A kind of objects, and what changes one of them."""

    def label(obj: dict[str, Any]) -> object:
        return obj["metadata"].setdefault("labels", {}).update(more="yes")

    return [
        ("VirtualMachine", lambda vm: vm["spec"]["template"]["spec"].update(hostname="other")),
        ("VirtualMachine", label),
        ("VirtualMachineInstance", lambda vmi: vmi["status"].update(phase="Failed")),
        ("ControllerRevision", lambda revision: revision["data"].update(spec={"cpu": {"guest": 3}})),
        ("VirtualMachineClusterInstancetype", lambda kind: kind["spec"].update(ioThreadsPolicy="auto")),
        ("VirtualMachineClusterPreference", lambda kind: kind["spec"]["devices"].update(preferredDiskBus="scsi")),
        ("KubeVirt", lambda cr: cr["spec"]["configuration"].update(machineType="pc-q35-9.0")),
    ]


@pytest.mark.parametrize("number", range(len(changes())))
def test_what_changes_is_judged_again_and_nothing_else_said_than_without_a_cache(folder, judged, number):
    kind, change = changes()[number]
    objects = fleet.cluster_objects(NUMBERS)
    write(folder, objects)
    drift(folder, "--cache-dir", f"{folder}/cache")
    for index in sample([index for index, obj in enumerate(objects) if obj["kind"] == kind], 6):
        obj = objects[index]
        for changed in (
            [*objects[:index], *objects[index + 1 :]],
            [*objects[:index], altered(obj, change), *objects[index + 1 :]],
        ):
            write(folder, changed)
            judged.clear()
            answer = drift(folder, "--cache-dir", f"{folder}/cache")
            again = len(judged)
            assert answer == drift(folder, "--no-cache")
            if kind in ("VirtualMachine", "VirtualMachineInstance", "ControllerRevision"):
                assert again <= 2  # its VM, and the one that was changed before and is not any more


def altered(obj: dict[str, Any], change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    other: dict[str, Any] = json.loads(json.dumps(obj))
    change(other)
    return other


def test_places_are_those_of_today(folder, judged):
    before = json.loads(drift(folder, "--cache-dir", f"{folder}/cache"))
    for file in (folder / "git").rglob("*.yaml"):
        file.write_text("\n\n" + file.read_text())
    judged.clear()
    after = json.loads(drift(folder, "--cache-dir", f"{folder}/cache"))
    assert judged == []
    assert after == json.loads(drift(folder, "--no-cache"))
    assert before != after


def test_what_a_dump_lacks_counts(folder):
    drift(folder, "--cache-dir", f"{folder}/cache")
    write(folder, [obj for obj in fleet.cluster_objects(NUMBERS) if obj["kind"] != "VirtualMachineInstance"])
    assert drift(folder, "--cache-dir", f"{folder}/cache") == drift(folder, "--no-cache")


def test_a_dump_that_is_written_anew_while_it_is_read_is_no_answer(folder):
    text = (folder / "lab.json").read_bytes()
    last = text.rindex(b"\n  {")
    large = folder / "large.json"
    large.write_bytes(text[:last] + b" " * 2**23 + text[last:])  # such a file is read where it is, block by block
    snapshot = reading.read_snapshot([str(large)])
    large.write_bytes(large.read_bytes().replace(b'"host-0"', b'"host-X"'))
    with pytest.raises(ManifestError, match=r"large\.json: .*has been changed while it was read$"):
        snapshot.vm("team-0/in-sync-0")
