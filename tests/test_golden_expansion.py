"""What golden tests compare is cached, and the same as without a cache."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import fleets
import pytest

from virtcatalog import expand
from virtcatalog.catalog.load import load_catalog
from virtcatalog.catalog.model import VmTemplate
from virtcatalog.errors import CatalogError
from virtcatalog.fleet.cache import Cache
from virtcatalog.golden import expansion
from virtcatalog.golden.expansion import Expander, Expansion, crossed
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.conditions import Conditions
from virtcatalog.releases import DEFAULT

CONDITIONS = Conditions(release=DEFAULT)
VMS = [fleets.vm("one", "small", "linux"), fleets.vm("two", "large", "windows"), fleets.vm("three", "gone", "linux")]


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the VMs that are expanded."""
    expanded: list[str] = []

    def note(vm: dict[str, Any], cluster: Cluster) -> Any:
        expanded.append(vm["metadata"]["name"])
        return expand(vm, cluster)

    monkeypatch.setattr(expansion, "expand", note)
    return expanded


@pytest.mark.parametrize("pods", ["none", "extract", "whole"])
def test_a_second_run_expands_what_was_refused_alone(tmp_path: Path, names: list[str], pods: str) -> None:
    plain = [Expander(fleets.catalog(), CONDITIONS, None).expansion(vm, pods) for vm in VMS]
    assert [isinstance(result, Expansion) for result in plain] == [True, True, False]
    assert [isinstance(result, Expansion) and bool(result.pod) for result in plain] == [pods != "none"] * 2 + [False]
    for expanded in (["one", "two", "three"], ["three"]):
        names.clear()
        expander = Expander(fleets.catalog(), CONDITIONS, Cache(str(tmp_path)))
        assert [expander.expansion(vm, pods) for vm in VMS] == plain
        assert names == expanded


def test_another_form_of_pods_is_another_answer(tmp_path: Path) -> None:
    expander = Expander(fleets.catalog(), CONDITIONS, Cache(str(tmp_path)))
    assert len({expander.expansion(VMS[0], pods) for pods in ("none", "extract", "whole")}) == 3


def test_a_change_of_a_type_reaches_the_vms_that_name_it(tmp_path: Path, names: list[str]) -> None:
    objects = fleets.catalog()
    expander = Expander(objects, CONDITIONS, Cache(str(tmp_path)))
    before = [expander.expansion(vm, "none") for vm in VMS[:2]]
    objects[0]["spec"]["memory"]["guest"] = "7Gi"
    names.clear()
    after = [Expander(objects, CONDITIONS, Cache(str(tmp_path))).expansion(vm, "none") for vm in VMS[:2]]
    assert names == ["one"]
    assert (after[0] == before[0], after[1] == before[1]) == (False, True)


LINK = "is a symbolic link, or below one: golden files are not read or written through links"


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("golden/web.xml", ""),
        ("golden/new/web.xml", ""),
        ("golden/../golden/web.xml", "lies outside of pytest's root"),
        ("golden/link.xml", LINK),
        ("linked/web.xml", LINK),
        ("golden/folder", "is a folder"),
        ("golden/latin.xml", "is no UTF-8"),
        ("golden/large.xml", ""),
        ("golden/larger.xml", "is larger than 4 MiB"),
    ],
)
def test_golden_files_are_plain_text_below_the_root_of_pytest(tmp_path: Path, path: str, why: str) -> None:
    golden = tmp_path / "golden"
    (golden / "folder").mkdir(parents=True)
    (golden / "web.xml").write_text("<domain/>")
    (golden / "link.xml").symlink_to(golden / "web.xml")
    (tmp_path / "linked").symlink_to(golden)
    (golden / "latin.xml").write_bytes(b"\xe9")
    (golden / "large.xml").write_bytes(b" " * 4 * 2**20)
    (golden / "larger.xml").write_bytes(b" " * (4 * 2**20 + 1))
    assert expansion.fault(tmp_path, tmp_path / path) == why


def test_a_golden_file_beside_the_root_is_none(tmp_path: Path) -> None:
    assert expansion.fault(tmp_path / "root", tmp_path / "golden/web.xml") == "lies outside of pytest's root"


def template(cross: str, references: str, metadata: str = "name: web") -> VmTemplate:
    """The template `web`, of a catalog that says what it is crossed with."""
    vm = (
        f"apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {{{metadata}}}\n"
        f"spec: {{runStrategy: Always, {references}template: {{spec: {{domain: {{devices: {{}}}}}}}}}}\n"
    )
    files = {
        "catalog.yaml": "name: c\nkubevirt: v1.9.0\n",
        "instancetypes/m.yaml": "class: m\nmemoryPerVcpu: 1Gi\nname: '{{ size }}'\nsizes: {a1: {vcpus: 1}}\n",
        "preferences/os.yaml": "preferences: {p1: {}}\n",
        "vms/web.yaml": vm,
        "vms.yaml": f"web.yaml: {cross}\n",
    }
    (web,) = load_catalog("c", {path: text.encode() for path, text in files.items()}).vms
    return web


CLUSTER_TYPE, CLUSTER_PREFERENCE = "VirtualMachineClusterInstancetype", "VirtualMachineClusterPreference"
OBJECTS = [
    {"kind": kind, "metadata": metadata}
    for kind, metadata in (
        (CLUSTER_TYPE, {"name": "a1"}),
        (CLUSTER_PREFERENCE, {"name": "p1"}),
        (CLUSTER_TYPE, {"name": "b1"}),
        (CLUSTER_TYPE, {"name": "a2"}),
        (CLUSTER_PREFERENCE, {"name": "p2"}),
        ("VirtualMachineInstancetype", {"name": "a1", "namespace": "lab"}),
        ("VirtualMachineInstancetype", {"name": "a3", "namespace": "other"}),
        ("VirtualMachineInstancetype", {"name": "a4"}),
    )
]
OWN = "instancetype: {name: a1}, preference: {name: p1}, "


@pytest.mark.parametrize(
    ("cross", "references", "metadata", "pairs"),
    [
        ("{cross: {}}", OWN, "name: web", []),
        ("{cross: {instancetypes: ['a*']}}", OWN, "name: web", [("web.a1", "a1", "p1"), ("web.a2", "a2", "p1")]),
        (
            "{cross: {instancetypes: [b1, 'a1'], preferences: ['*2']}}",
            OWN,
            "name: web",
            [("web.a1.p2", "a1", "p2"), ("web.b1.p2", "b1", "p2")],
        ),
        ("{cross: {preferences: [p2]}}", "", "name: web", [("web.p2", None, "p2")]),
        (
            "{cross: {instancetypes: ['*']}}",
            "instancetype: {kind: virtualmachineinstancetype, name: a1}, ",
            "name: web, namespace: lab",
            [("web.a1", "a1", None), ("web.a4", "a4", None)],
        ),
    ],
)
def test_a_template_is_crossed_with_what_the_globs_name_among_the_objects_that_it_can_name(
    cross: str, references: str, metadata: str, pairs: list[tuple[str, str | None, str | None]]
) -> None:
    web = template(cross, references, metadata)
    before = dict(web.manifest["spec"])
    first, *others = crossed(web, OBJECTS)
    assert (first, web.manifest["spec"]) == (web, before)
    specs = [other.manifest["spec"] for other in others]
    named = [[spec.get(part, {}).get("name") for part in ("instancetype", "preference")] for spec in specs]
    assert [(template.key, *names) for template, names in zip(others, named, strict=True)] == pairs
    kind = before.get("instancetype", {}).get("kind", CLUSTER_TYPE)
    assert all(
        spec["instancetype"] == {"kind": kind, "name": spec["instancetype"]["name"]}
        for spec in specs
        if "instancetypes" in cross
    )


@pytest.mark.parametrize(
    ("cross", "references", "message"),
    [
        (
            "{instancetypes: ['*', 'c*']}",
            OWN,
            f"instancetype: crosses vms/web.yaml with instancetypes 'c*', and no {CLUSTER_TYPE} has such a name",
        ),
        (
            "{preferences: ['p*']}",
            "preference: {kind: VirtualMachinePreference, name: p1}, ",
            "preference: crosses vms/web.yaml with preferences 'p*', and no VirtualMachinePreference has such a name",
        ),
    ],
)
def test_a_glob_that_names_nothing_is_a_mistake(cross: str, references: str, message: str) -> None:
    with pytest.raises(CatalogError) as caught:
        list(crossed(template(f"{{cross: {cross}}}", references), OBJECTS))
    assert str(caught.value) == f"c/vms/web.yaml: {message}"
