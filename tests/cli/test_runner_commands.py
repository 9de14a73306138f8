"""What runs in CI prints names, values and paths of strangers, and none of it is a command to the job's runner.

GitHub's takes `##[` for one anywhere in a line, and `::` where a line begins.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from lxml import etree

import otheryaml
from virtcatalog.cli import main

EVIL = "##[add-matcher]x"
LINES = f"::stop-commands::a\n  ::error::b\n{EVIL}\n###[group]c ##vso[task.setvariable]d\n"
VM = {
    "apiVersion": "kubevirt.io/v1",
    "kind": "VirtualMachine",
    "metadata": {"name": "evil", "annotations": {"one": EVIL, "many": LINES}},
    "spec": {
        "runStrategy": "Always",
        "template": {
            "metadata": {"annotations": {"one": EVIL, "many": LINES, "odd": f"\u00e4{LINES}"}},
            "spec": {
                "domain": {
                    "firmware": {"serial": EVIL},
                    "memory": {"guest": "1Gi"},
                    "devices": {"disks": [{"name": "a", "disk": {"bus": "virtio"}}]},
                },
                "volumes": [{"name": "a", "emptyDisk": {"capacity": "1Gi"}}],
            },
        },
    },
}
COMMANDS = [
    *(
        ["expand", "-f", "vm.yaml", "-o", form]
        for form in ("xml", "converted", "json", "vm", "vmi", "pod", "explain", "diff", "disks", "sarif")
    ),
    *([*("diff", "old", "new", "-o"), form] for form in ("text", "markdown", "json", "html", "sarif", "github")),
    ["diff", "old", "new", "--stat"],
    *(["check", EVIL, "-o", form] for form in ("text", "json", "github", "junit", "sarif")),
    *(["check", "house", "-f", "broken.yaml", "-o", form] for form in ("text", "json", "github", "junit", "sarif")),
    ["build", "house", "--check", "--output-dir", EVIL],
    ["build", EVIL],
    ["diff", EVIL],
    ["diff", "--base", f"{EVIL}"],
    ["list", EVIL],
    ["show", EVIL],
    ["list", "-c", "house", "-o", "json"],
    ["show", "m.small", "-c", "house", "-o", "yaml"],
]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    changed = json.loads(json.dumps(VM).replace("add-matcher", "debug"))
    broken = VM | {"spec": {**VM["spec"], EVIL: LINES, "runStrategy": EVIL}}
    files = {
        "vm.yaml": VM,
        "old/vm.yaml": VM,
        f"new/{EVIL}.yaml": changed,
        "broken.yaml": broken,
        "house/catalog.yaml": {"name": "house", "kubevirt": "v1.9.0"},
        "house/instancetypes/m.yaml": {
            "class": "m",
            "memoryPerVcpu": "4Gi",
            "displayName": EVIL,
            "annotations": {"many": LINES},
            "sizes": {"small": {"vcpus": 1}},
        },
        f"house/vms/{EVIL}.yaml": broken,
    }
    for name, value in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(otheryaml.dump(value))


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_no_line_is_a_command(arguments: list[str]) -> None:
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code in (0, 1, 2), done.output
    for line in (done.stdout + done.stderr).splitlines():
        assert not re.search(r"##\w*\[", line)
        assert not line.strip().startswith("::") or re.match(r"::(error|warning|notice) ", line)


@pytest.mark.parametrize("form", ["json", "vm", "vmi"])
def test_data_stay_what_they_are(form: str) -> None:
    printed = CliRunner().invoke(main, ["expand", "-f", "vm.yaml", "-o", form]).stdout
    data = otheryaml.load(printed)
    text = json.dumps(data)
    assert json.dumps(EVIL)[1:-1] in text
    assert json.dumps(LINES)[1:-1] in text


def test_and_so_do_those_of_a_domain() -> None:
    printed = CliRunner().invoke(main, ["expand", "-f", "vm.yaml"]).stdout
    assert EVIL in [element.text for element in etree.fromstring(printed).iter("entry")]
