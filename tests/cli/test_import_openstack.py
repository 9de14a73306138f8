"""`virtcatalog import openstack`: whole runs."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner, Result

from virtcatalog.cli import main

FLAVORS = [
    {"Name": "m1.small", "VCPUs": 1, "RAM": 2048, "Disk": 0, "Properties": {}},
    {
        "Name": "c1.large",
        "VCPUs": 8,
        "RAM": 16384,
        "Disk": 40,
        "Properties": {"hw:cpu_policy": "dedicated", "hw:cpu_sockets": "1", "pci_passthrough:alias": "gpu:1"},
    },
]
IMAGE = {"name": "Windows 2022", "disk_format": "qcow2", "properties": {"os_type": "windows", "hw_video_model": "qxl"}}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("flavors.json").write_text(json.dumps(FLAVORS, indent=2))
    Path("image.json").write_text(json.dumps(IMAGE, indent=2))
    Path("many.json").write_text('[{"name": "a", "vcpus": 1, "ram": 512}, {"name": "b", "vcpus": 0, "ram": 512}]')
    Path("wrong.json").write_text('{"name": "m1", "vcpus": 1, "ram": 512, "properties": {"hw:cpu_polcy": "x"}}')


def run(*arguments: str) -> Result:
    result = CliRunner().invoke(main, ["import", "openstack", *arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.mark.parametrize(
    "arguments",
    [
        ["-f", "flavors.json", "-f", "image.json", "--device", "gpu=nvidia.com/A100"],
        ["-f", "flavors.json", "-o", "report"],
        ["-f", "image.json", "--kubevirt", "v1.8.4"],
        ["-f", "wrong.json"],
        ["-f", "missing.json"],
        ["-f", "flavors.json", "-f", "image.json", "-o", "json"],
        ["-f", "many.json"],
    ],
    ids=" ".join,
)
def test_whole_runs(arguments, snapshot):
    result = run(*arguments)
    assert f"exit {result.exit_code}\n{result.stdout}--- stderr\n{result.stderr}" == snapshot


def test_json_has_objects_and_properties():
    document = json.loads(run("-f", "flavors.json", "-o", "json").stdout)
    assert [obj["metadata"]["name"] for obj in document["objects"]] == ["m1.small", "c1.large", "c1.large"]
    assert document["properties"][0] == {
        "owner": "flavor m1.small",
        "key": "vcpus",
        "value": "1",
        "fate": "carried",
        "why": "instance type: cpu.guest",
        "file": "flavors.json",
        "line": 4,
        "column": 5,
    }


def test_something_has_to_be_read():
    result = run()
    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1] == "Error: -f or --cloud is needed: there is nothing to import"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--device gpu", "Error: 'gpu' is no rule such as 0000:41:00.0=nvidia.com/A400"),
        ("--device gpu=b", "Error: 'gpu=b': 'b' is no resource such as nvidia.com/A400"),
    ],
)
def test_devices_are_resources(arguments, message):
    result = run("-f", "flavors.json", *arguments.split())
    assert (result.exit_code, result.stderr.splitlines()[-1]) == (2, message)


class Cloud:
    """What openstacksdk gives of a flavor or an image."""

    def __init__(self, **data):
        self.to_dict = lambda: {**data, "none": None}


def cloud(*flavors, images=()):
    return SimpleNamespace(
        compute=SimpleNamespace(flavors=lambda **_: flavors), image=SimpleNamespace(images=lambda: images)
    )


@pytest.mark.parametrize(
    ("of_it", "arguments"),
    [
        (cloud(Cloud(name="m1", vcpus=1, ram=512)), ["--cloud", "mine"]),
        (cloud(Cloud(name="m1", vcpus="x", ram=512), Cloud(name="m2", vcpus=1, ram=512)), ["--cloud", ""]),
        (
            cloud(images=[Cloud(name="fedora", disk_format="qcow2", hw_disk_bus="ide")]),
            ["--cloud", "a", "-o", "report"],
        ),
        (cloud(Cloud(name="m1", vcpus=1, ram=512)), ["--cloud", "mine", "-f", "flavors.json", "-o", "json"]),
        (cloud(), ["--cloud", "mine"]),
    ],
    ids=["a flavor", "a flavor that is none", "an image", "a file, too", "nothing"],
)
def test_a_cloud_is_asked(of_it, arguments, monkeypatch, snapshot):
    monkeypatch.setitem(sys.modules, "openstack", SimpleNamespace(connect=lambda **_: of_it))
    result = run(*arguments)
    assert f"exit {result.exit_code}\n{result.stdout}--- stderr\n{result.stderr}" == snapshot
