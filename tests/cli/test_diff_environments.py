"""`virtcatalog diff` in several environments: each VM is judged where it can be, and by nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from click.testing import CliRunner

from checkouts import git
from virtcatalog.cli import main

MANIFEST = """\
    apiVersion: kubevirt.io/v1
    kind: VirtualMachine
    metadata: {name: NAME}
    spec:
      runStrategy: Always
      instancetype: {name: TYPE}
      template: {spec: {domain: {devices: {}}}}
    """
TYPES = "class: m\nmemoryPerVcpu: 4Gi\nsizes: {small: {vcpus: 1}, large: {vcpus: 4}}\n"
DEPRECATED = TYPES.replace("large: {vcpus: 4}", "large: {vcpus: 4, deprecated: {replacedBy: m.small}}")
CATALOG = {
    "catalog.yaml": "name: test\nkubevirt: v1.9.0\n",
    "overlays.yaml": "production: {clusters: [eu, us]}\nstaging: {}\n",
    "instancetypes/m.yaml": TYPES,
    "vms/server.yaml": MANIFEST.replace("NAME", "server").replace("TYPE", "m.large"),
}


class Change:
    """A catalog in a git repository, and what its working tree changes."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.git("init", "-q", "-b", "main")
        for name, text in CATALOG.items():
            self.put(name, text)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "first")

    def git(self, *arguments: str) -> None:
        git(self.root, *arguments)

    def put(self, name: str, text: str) -> None:
        path = self.root / "catalog" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text))

    def fates(self, *arguments: str) -> set[tuple[str, str, str]]:
        """Environment, VM and what becomes of it, of a VM once it is made anew."""
        return {
            (verdict["environment"], verdict["vm"], verdict["anew" if verdict["next"] == "kept" else "next"])
            for verdict in self.report(*arguments)["vms"]
        }

    def report(self, *arguments: str) -> Any:
        result = CliRunner().invoke(main, ["diff", "main", "catalog", "-o", "json", *arguments])
        assert result.exit_code in (0, 1), result.output
        return json.loads(result.stdout)


@pytest.fixture
def change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Change:
    monkeypatch.chdir(tmp_path)
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        monkeypatch.delenv(name, raising=False)
    return Change(tmp_path)


def vm(name: str, instancetype: str = "m.large", namespace: str = "shop", kind: str = "") -> dict[str, Any]:
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": name, "namespace": namespace, "uid": f"uid-{name}"},
        "spec": {
            "runStrategy": "Always",
            "instancetype": {"name": instancetype, **({"kind": kind} if kind else {})},
            "template": {"spec": {"domain": {"devices": {}}}},
        },
    }


def dump(name: str, *items: dict[str, Any]) -> str:
    Path(name).write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    return name


def test_what_one_environment_leaves_out_its_templates_and_vms_lose(change: Change) -> None:
    change.put("overlays.yaml", "production: {clusters: [eu, us], deprecated: false}\nstaging: {}\n")
    change.put("instancetypes/m.yaml", DEPRECATED)
    report = change.report("-f", dump("fleet.yaml", vm("db"), vm("web", "m.small")))
    levels = {(verdict["environment"], verdict["vm"], verdict["level"]) for verdict in report["vms"]}
    assert levels == {("production", "server", "refused"), ("production", "shop/db", "refused")}
    assert {verdict["changes"][0] for verdict in report["vms"]} == {
        "there is no VirtualMachineClusterInstancetype 'm.large' any more"
    }


def test_a_dump_is_from_one_environment(change: Change) -> None:
    change.put("overlays.yaml", "production: {clusters: [eu, us], select: {names: [m.small]}}\nstaging: {}\n")
    fleet = dump("fleet.yaml", vm("db"))
    template = ("production", "server", "refused")
    assert change.fates("-f", f"production={fleet}") == {template, ("production", "shop/db", "refused")}
    assert change.fates("-f", f"us={fleet}") == {template, ("production", "shop/db", "refused")}
    assert change.fates("-f", f"staging={fleet}") == {template}


def test_vms_meet_what_their_own_dump_holds(change: Change) -> None:
    change.put("instancetypes/m.yaml", TYPES.replace("vcpus: 4", "vcpus: 8"))
    labels = {"instancetype.kubevirt.io/default-instancetype": "m.large"}
    claim = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "root", "namespace": "shop", "labels": labels},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
    }
    inferring = vm("db")
    inferring["spec"]["instancetype"] = {"inferFromVolume": "root"}
    inferring["spec"]["template"]["spec"]["volumes"] = [
        {"name": "root", "persistentVolumeClaim": {"claimName": "root"}}
    ]
    inferring["spec"]["template"]["spec"]["domain"]["devices"] = {"disks": [{"name": "root", "disk": {}}]}
    there, elsewhere = dump("eu.yaml", inferring, claim), dump("us.yaml", inferring)
    assert ("production", "shop/db", "changed") in change.fates("-f", f"eu={there}")
    apart = change.fates("-f", f"eu={dump('claim.yaml', claim)}", "-f", f"us={elsewhere}")
    assert {name for _, name, _ in apart} == {"server"}


def test_only_some_environments(change: Change) -> None:
    change.put("instancetypes/m.yaml", TYPES.replace("vcpus: 4", "vcpus: 8"))
    assert change.fates() == {("production", "server", "changed"), ("staging", "server", "changed")}
    assert change.fates("-e", "staging") == {("staging", "server", "changed")}
    result = CliRunner().invoke(main, ["diff", "main", "catalog", "-e", "stagin"])
    assert result.exit_code == 2
    assert "there is no environment 'stagin' on either side; did you mean 'staging'?" in result.stderr


def test_a_template_is_for_the_environments_that_it_names(change: Change) -> None:
    change.put("vms.yaml", "server.yaml: {environments: {staging: {}}}\n")
    change.git("add", "-A")
    change.git("commit", "-q", "-m", "staging alone")
    change.put("instancetypes/m.yaml", TYPES.replace("vcpus: 4", "vcpus: 8"))
    assert change.fates() == {("staging", "server", "changed")}


def test_an_environment_that_is_new_has_new_templates_and_no_vms_yet(change: Change) -> None:
    change.put("overlays.yaml", CATALOG["overlays.yaml"] + "lab: {}\n")
    assert change.fates("-f", dump("fleet.yaml", vm("db"))) == {("lab", "server", "changed")}


def test_an_environment_that_goes_takes_all_with_it(change: Change) -> None:
    change.put("overlays.yaml", "staging: {}\n")
    assert change.fates("-f", dump("fleet.yaml", vm("db"))) == {
        ("production", "server", "none"),
        ("production", "shop/db", "refused"),
    }


def test_the_first_environment_is_compared_with_what_there_was_without_any(change: Change) -> None:
    (change.root / "catalog" / "overlays.yaml").unlink()
    change.git("add", "-A")
    change.git("commit", "-q", "-m", "no environments")
    change.put("overlays.yaml", "production: {select: {names: [m.small]}}\n")
    assert change.fates() == {("production", "server", "refused")}


def test_what_goes_is_told_to_vms_that_were_refused_before(change: Change) -> None:
    broken = vm("db")
    broken["spec"]["template"]["spec"]["domain"]["devices"] = {
        "disks": [{"name": "a", "disk": {}}, {"name": "a", "disk": {}}]
    }
    change.put("instancetypes/m.yaml", TYPES.replace(", large: {vcpus: 4}", ""))
    change.put("vms/server.yaml", MANIFEST.replace("NAME", "server").replace("TYPE", "m.small"))
    report = change.report("-f", dump("fleet.yaml", broken), "-e", "production")
    changes = [verdict["changes"] for verdict in report["vms"] if verdict["vm"] == "shop/db"]
    assert changes == [["there is no VirtualMachineClusterInstancetype 'm.large' any more"]]


def test_a_broken_file_of_environments_leaves_nothing_to_tell(change: Change) -> None:
    change.put("overlays.yaml", "production: {speck: 1}\n")
    result = CliRunner().invoke(main, ["diff", "main", "catalog", "-o", "json", "-f", dump("fleet.yaml", vm("db"))])
    assert result.exit_code == 2
    assert json.loads(result.stdout)["notCompared"]["vms"] == ["shop/db", "server"]


def test_a_vm_that_wants_nothing_says_nothing_of_where_one_that_infers_is(change: Change) -> None:
    change.put("overlays.yaml", "production: {select: {names: [m.small]}}\nstaging: {select: {names: [m.small]}}\n")
    alone, inferring = vm("alone"), vm("db")
    del alone["spec"]["instancetype"]
    alone["spec"]["template"]["spec"]["domain"]["memory"] = {"guest": "1Gi"}
    inferring["spec"]["instancetype"] = {"inferFromVolume": "root"}
    inferring["spec"]["template"]["spec"]["volumes"] = [{"name": "root", "dataVolume": {"name": "root"}}]
    source = {"kind": "DataSource", "name": "os", "namespace": "shop"}
    inferring["spec"]["dataVolumeTemplates"] = [
        {"metadata": {"name": "root"}, "spec": {"sourceRef": source, "storage": {}}}
    ]
    labels = {"instancetype.kubevirt.io/default-instancetype": "m.large"}
    system = {
        "apiVersion": "cdi.kubevirt.io/v1beta1",
        "kind": "DataSource",
        "metadata": {"name": "os", "namespace": "shop", "labels": labels},
        "spec": {"source": {"pvc": {"name": "os", "namespace": "shop"}}},
    }
    fates = change.fates("-f", dump("fleet.yaml", alone, inferring, system))
    assert {fate for fate in fates if "/" in fate[1]} == {
        ("production", "shop/db", "refused"),
        ("staging", "shop/db", "refused"),
    }
