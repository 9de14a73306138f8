"""One finding, one place and one sentence, whichever command tells it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from checkouts import write
from loading import read_manifests
from virtcatalog import Cluster
from virtcatalog.catalog.load import load_catalog
from virtcatalog.cli import main
from virtcatalog.kubevirt.pipeline import expand

CATALOG = {
    "catalog.yaml": "name: example\nkubevirt: v1.9.0\n",
    "instancetypes/m.yaml": (
        "class: m\nmemoryPerVcpu: 2Gi\nname: '{{ class }}.{{ size }}'\nsizes: {small: {vcpus: 1}}\n"
    ),
}
VM = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata:
  name: server
spec:
  runStrategy: Always
  instancetype:
    name: m.small
  template:
    spec:
      domain:
        devices:
          disks:
          - name: root
            disk:
              bus: virtio
      volumes:
      - name: root
        containerDisk:
          image: example.org/guest
"""
#: A refusal by each of those who refuse, the line at which it is told, and its field.
REFUSALS = {
    "vm": ("bus: virtio", "bus: floppy", 16, "spec.template.spec.domain.devices.disks[0].disk.bus"),
    "controller": ("m.small", "m.smal", 8, "spec.instancetype.name"),
    "vmi": (
        "        devices:",
        "        features: {hyperv: {relaxed: {}}, hypervPassthrough: {enabled: true}}\n        devices:",
        12,
        "spec.template.spec.domain.features.hyperv",
    ),
    "launcher": (
        "  template:",
        "  template:\n    metadata:\n      labels:\n        logVerbosity: much",
        12,
        "spec.template.metadata.labels.logVerbosity",
    ),
}


@pytest.fixture(params=REFUSALS)
def refused(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str, str]:
    """Make a catalog with a refused VM template: the VM's text, the place of the refusal and its field."""
    monkeypatch.chdir(tmp_path)
    old, new, line, field = REFUSALS[request.param]
    text = VM.replace(old, new)
    write("catalog", {**CATALOG, "vms/server.yaml": text})
    return text, f"catalog/vms/server.yaml:{line}:", field


def run(*args: str) -> Any:
    return CliRunner().invoke(main, list(args))


def sentence(text: str) -> str:
    """What the result itself says, without the field."""
    (manifest,) = read_manifests(text)
    (reason,) = expand(manifest.data, Cluster(load_catalog("catalog").objects())).reasons
    return reason.sentence


def test_expand_check_explain_and_adopt_say_the_same_at_the_same_place(refused: tuple[str, str, str]) -> None:
    text, place, field = refused
    reason = sentence(text)
    printed = {
        "expand": run("expand", "-f", "catalog/vms/server.yaml").stderr,
        "check": run("check", "catalog").stdout,
        "explain": run("explain", "-f", "catalog/vms/server.yaml", "--xml", "//vcpu").stderr,
        "adopt": run("adopt", "-f", "catalog/vms/server.yaml").stderr,
    }
    for command, output in printed.items():
        (line,) = [line for line in output.splitlines() if field in line]
        where, _, rest = line.partition(" ")
        assert (command, where.startswith(place)) == (command, True), line
        assert rest.split(" [error")[0] == f"VirtualMachine/server: {field}: {reason}", command


def test_diff_says_the_same_of_the_same_field(refused: tuple[str, str, str]) -> None:
    text, _, field = refused
    for folder, content in (("old", VM), ("new", text)):
        write(folder, {**CATALOG, "vms/server.yaml": content})
    output = run("diff", "old", "new").stdout
    assert f"{field}: {sentence(text)}" in " ".join(output.split())


def test_a_golden_test_says_the_same(refused: tuple[str, str, str], programs: Path) -> None:
    text, place, field = refused
    Path("pytest.toml").write_text('[pytest]\nvirtcatalog_catalog = ["catalog"]\n')
    command = [programs / "pytest", "-p", "syrupy", "-p", "virtcatalog.golden.plugin"]
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST")}
    environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    output = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=120).stdout
    (line,) = [line for line in output.splitlines() if line.startswith("catalog/") and field in line]
    assert line.startswith(place)
    assert line.endswith(f"VirtualMachine/server: {field}: {sentence(text)}")
