"""`virtcatalog diff` says of each VM what a change does to it, now and at its next start: read in ten seconds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from syrupy.assertion import SnapshotAssertion

from checkouts import git, write
from virtcatalog.cli import main

CATALOG = {
    "catalog.yaml": "name: test\nkubevirt: v1.9.0\n",
    "overlays.yaml": "production: {scope: cluster}\nlab: {scope: cluster}\n",
    "instancetypes/m.yaml": "class: m\nmemoryPerVcpu: 4Gi\nsizes:\n  small: {vcpus: 1}\n  medium: {vcpus: 2}\n",
    "instancetypes/r.yaml": "class: r\nmemoryPerVcpu: 8Gi\nsizes: {large: {vcpus: 4}}\n",
    "preferences/os.yaml": "preferences: {server: {}}\n",
}
SIZES = {"web": "m.small", "app": "m.medium", "db": "r.large"}


def vm(name: str, instancetype: str, **spec: Any) -> dict[str, Any]:
    devices = {"interfaces": [{"name": "default", "masquerade": {}}]}
    template = {"spec": {"domain": {"devices": devices}, "networks": [{"name": "default", "pod": {}}]}}
    wanted = {"runStrategy": "Always", "instancetype": {"name": instancetype}, "preference": {"name": "server"}}
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": name, "namespace": "shop"},
        "spec": {**wanted, "template": template, **spec},
    }


def fleet(**counts: int) -> str:
    vms = [vm(f"{name}-{i}", SIZES[name]) for name, count in counts.items() for i in range(1, count + 1)]
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": vms})


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A catalog, and a change of it that is not committed: m.medium grows, r.large goes."""
    monkeypatch.chdir(tmp_path)
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        monkeypatch.delenv(name, raising=False)
    git(".", "init", "-q", "-b", "main")
    write(tmp_path / "catalog", CATALOG)
    git(".", "add", "-A")
    git(".", "commit", "-q", "-m", "first")
    types = tmp_path / "catalog" / "instancetypes"
    (types / "m.yaml").write_text(CATALOG["instancetypes/m.yaml"].replace("medium: {vcpus: 2}", "medium: {vcpus: 3}"))
    (types / "r.yaml").unlink()
    return tmp_path


def diff(*arguments: str, vms: str = "", status: int = 1) -> Result:
    if vms:
        Path("fleet.json").write_text(vms)
        arguments = (*arguments, "-f", "production=fleet.json")
    result = CliRunner().invoke(main, ["diff", *arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code == status, result.output
    return result


SENTENCE = """\
none of 6 VMs is touched now; 4 keep what they have; if created anew, 1 cannot
be created; objects: 2 changed, 2 removed
"""
ROWS = """\
! kept, cannot be created anew  production: shop/db-1
    if created anew: there is no VirtualMachineClusterInstancetype 'r.large' any
    more
    because of r.large (catalog/instancetypes/r.yaml:3)
= kept  production: shop/app-1, shop/app-2, shop/app-3
    if created anew or its stored revision is refreshed: 2 → 3 vCPUs; memory 8 →
    12 GiB; CPU hotplug limit 8 → 12; memory hotplug limit 32 → 48 GiB
    because of m.medium (catalog/instancetypes/m.yaml:5)
requests: production, shop, m.medium: 3 VMs: +0.3 CPUs, +12 GiB (guest +12 GiB,
overhead +24 MiB) once created anew
"""
OBJECTS = """\
2 objects changed: VirtualMachineClusterInstancetype/m.medium,
VirtualMachineInstancetype/m.medium
2 objects removed: VirtualMachineClusterInstancetype/r.large,
VirtualMachineInstancetype/r.large
"""


def test_all_is_said_in_the_first_line_and_the_last_and_between_them_who_and_why(repo: Path) -> None:
    text = diff(vms=fleet(web=2, app=3, db=1)).stdout
    side = text.splitlines()[2]
    assert side.startswith("main@")
    assert text == f"{SENTENCE}{side}\n{ROWS}{OBJECTS}{SENTENCE}"


def test_comments_and_layout_alone_are_no_change_and_no_risk(repo: Path) -> None:
    git(".", "checkout", "-q", ".")
    types = repo / "catalog/instancetypes/m.yaml"
    types.write_text(f"# Balanced.\n{types.read_text().replace('medium: {vcpus: 2}', 'medium: {  vcpus: 2  } # two')}")
    plain = vm("web-1", "m.small")
    Path("before.yaml").write_text(json.dumps(plain))
    Path("after.yaml").write_text(f"# The shop's.\n{json.dumps(plain, indent=4, sort_keys=True)} # as JSON\n")
    for sides in ((), ("before.yaml", "after.yaml")):
        assert json.loads(diff(*sides, "-o", "json", status=0).stdout)["vms"] == []


def test_a_renamed_type_is_told_as_renamed_to_those_who_name_it(repo: Path) -> None:
    git(".", "checkout", "-q", ".")
    types = CATALOG["instancetypes/r.yaml"].replace("class: r", "class: hm")
    (repo / "catalog/instancetypes/r.yaml").write_text(types)
    text = diff(vms=fleet(db=1)).stdout
    assert "'r.large' is renamed" in text
    assert "'hm.large': name that instead" in " ".join(text.split())
    assert "did you mean" not in text
    assert "VirtualMachineClusterInstancetype/hm.large (was r.large)" in " ".join(text.split())


def test_a_renamed_type_is_all_that_is_told_in_every_form(repo: Path) -> None:
    git(".", "checkout", "-q", ".")
    required = "preferences: {server: {requirements: {vcpus: 2, memory: 2Gi}}}\n"
    (repo / "catalog/preferences/os.yaml").write_text(required)
    git(".", "commit", "-q", "-a", "-m", "requirements")
    types = CATALOG["instancetypes/r.yaml"].replace("class: r", "class: hm")
    (repo / "catalog/instancetypes/r.yaml").write_text(types)
    vms = fleet(db=3)
    (verdict, *others) = json.loads(diff("main", "-o", "json", vms=vms).stdout)["vms"]
    assert verdict["changes"] == [
        "VirtualMachineClusterInstancetype 'r.large' is renamed to 'hm.large': name that instead"
    ]
    assert [other["vm"] for other in others] == ["shop/db-2", "shop/db-3"]
    for form in ("text", "markdown", "html", "github", "sarif"):
        text = diff("main", "-o", form, vms=vms).stdout
        assert "is renamed to" in " ".join(text.split()), form
        assert "requires" not in text, form
        assert "did you mean" not in text, form


def test_vms_that_use_what_is_deprecated_from_now_on_are_told(repo: Path) -> None:
    git(".", "checkout", "-q", ".")
    deprecated = "medium: {vcpus: 2, deprecated: {replacedBy: m.small, sunset: 2027-06-01}}"
    types = repo / "catalog/instancetypes/m.yaml"
    types.write_text(CATALOG["instancetypes/m.yaml"].replace("medium: {vcpus: 2}", deprecated))
    vms = fleet(web=2, app=5)
    line = (
        "deprecated: instance type m.medium (use m.small, until 2027-06-01): 5 VMs, shop/app-1, shop/app-2, shop/app-3 "
        "and 2 more"
    )
    text = diff(vms=vms).stdout
    assert line in " ".join(text.split())
    assert text.startswith("7 VMs: nothing changes; objects: 2 changed\n")
    assert line in diff("-o", "markdown", vms=vms).stdout.replace("\\", "")
    assert line.partition(": ")[2] in diff("-o", "html", vms=vms).stdout
    assert f"::notice title=deprecated::{line.partition(': ')[2]}" in diff("-o", "github", vms=vms).stdout
    (entry,) = json.loads(diff("-o", "json", vms=vms).stdout)["deprecated"]
    assert (entry["kind"], entry["name"], entry["instead"]) == (
        "instance type",
        "m.medium",
        "use m.small, until 2027-06-01",
    )
    assert entry["vms"] == [f"shop/app-{number}" for number in range(1, 6)]
    git(".", "commit", "-q", "-a", "-m", "deprecated")
    text = diff("main", vms=vms, status=0).stdout  # and not again once it was
    assert "deprecated" not in text


def test_what_takes_the_place_of_a_deprecated_type_is_named_once_it_is_gone(repo: Path) -> None:
    git(".", "checkout", "-q", ".")
    deprecated = CATALOG["instancetypes/m.yaml"].replace(
        "medium: {vcpus: 2}", "medium: {vcpus: 2, deprecated: {replacedBy: m.small}}"
    )
    (repo / "catalog/instancetypes/m.yaml").write_text(deprecated)
    git(".", "commit", "-q", "-a", "-m", "deprecated")
    (repo / "catalog/instancetypes/m.yaml").write_text(deprecated[: deprecated.index("  medium")])
    text = diff("main", vms=fleet(app=1)).stdout
    assert "there is no VirtualMachineClusterInstancetype 'm.medium' any more; use 'm.small'" in " ".join(text.split())


def test_ten_edits_over_three_hundred_vms_are_read_in_25_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for folder, grown in (("old", 0), ("new", 1)):
        Path(folder).mkdir()
        types = [
            {
                "apiVersion": "instancetype.kubevirt.io/v1beta1",
                "kind": "VirtualMachineClusterInstancetype",
                "metadata": {"name": f"t{number}"},
                "spec": {"cpu": {"guest": number + 1 + grown}, "memory": {"guest": "2Gi"}},
            }
            for number in range(10)
        ]
        Path(folder, "types.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": types}))
    vms = [vm(f"vm-{number}", f"t{number % 10}") for number in range(300)]
    for vm_data in vms:
        del vm_data["spec"]["preference"]
    Path("fleet.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": vms}))
    text = diff("old", "new", "-f", "fleet.json").stdout
    assert len(text.splitlines()) <= 25
    assert max(map(len, text.splitlines())) <= 80
    assert text.startswith("none of 300 VMs is touched now; 300 keep what they have; objects: 10 changed\n")


def test_parts_of_the_text(repo: Path) -> None:
    vms_of_fleet = fleet(web=2, app=3, db=1)
    assert diff("--stat", vms=vms_of_fleet).stdout == SENTENCE
    vms, objects = diff("--vms", vms=vms_of_fleet).stdout, diff("--objects", vms=vms_of_fleet).stdout
    assert ROWS in vms
    assert OBJECTS not in vms
    assert OBJECTS in objects
    assert "shop/app-1" not in objects
    assert "--stat is about the text" in diff("--stat", "-o", "json", status=2).stderr


def test_diffs_of_domains_and_objects_come_with_full(repo: Path) -> None:
    text = diff("--full", vms=fleet(app=1)).stdout
    assert '-  <vcpu placement="static">8</vcpu>\n' in text
    assert "+    guest: 3\n" in text
    assert "+++" not in diff(vms=fleet(app=1)).stdout


def test_a_comment_says_all_that_matters_in_its_first_lines(repo: Path, snapshot: SnapshotAssertion) -> None:
    comment = diff("-o", "markdown", vms=fleet(web=600, app=399, db=1)).stdout
    first = "\n".join(comment.splitlines()[:25])
    assert first.replace(comment.splitlines()[1].split("`")[1], "main@…:catalog") == snapshot


def test_the_page_and_the_log_have_all_of_it(repo: Path) -> None:
    vms = fleet(web=2, app=5, db=1)
    page = diff("-o", "html", vms=vms).stdout
    assert page.startswith("<!DOCTYPE html>")
    assert "shop/app-5" in page
    assert "m.medium (catalog/instancetypes/m.yaml:5)" in page
    log = json.loads(diff("-o", "sarif", vms=vms).stdout)
    results = {(result["ruleId"], result["level"], _place(result)) for result in log["runs"][0]["results"]}
    assert results == {
        ("vm-kept", "note", ("catalog/instancetypes/m.yaml", 5)),
        ("vm-refused", "error", ("catalog/instancetypes/r.yaml", 3)),
    }


def _place(result: dict[str, Any]) -> tuple[str, int]:
    place = result["locations"][0]["physicalLocation"]
    return place["artifactLocation"]["uri"], place["region"]["startLine"]


def test_ranges_name_two_revisions_or_where_they_part(repo: Path) -> None:
    git(".", "checkout", "-q", "-b", "topic")
    git(".", "commit", "-q", "-a", "-m", "second")
    git(".", "checkout", "-q", "main")
    (repo / "catalog/preferences/os.yaml").write_text("preferences: {server: {}, client: {}}\n")
    git(".", "commit", "-q", "-a", "-m", "meanwhile")
    assert "VirtualMachineClusterPreference/client" in diff("main..topic").stdout
    assert "client" not in diff("main...topic").stdout
    assert "client" not in diff("topic...topic", status=0).stdout
    git(".", "checkout", "-q", "topic")
    assert diff("main...").stdout == diff("main...HEAD").stdout


@pytest.mark.parametrize(("level", "status"), [("any", 1), ("kept", 1), ("live", 1), ("restart", 1), ("refused", 1)])
def test_new_vms_that_are_refused_are_as_grave_as_it_gets(repo: Path, level: str, status: int) -> None:
    diff("--fail-on", level, vms=fleet(db=1), status=status)


@pytest.mark.parametrize(("level", "status"), [("any", 1), ("start", 1), ("kept", 1), ("live", 0), ("restart", 0)])
def test_what_is_less_grave_than_a_level_does_not_fail(repo: Path, level: str, status: int) -> None:
    vms = fleet(app=1)
    assert diff("--fail-on", level, vms=vms, status=status).stdout
    comment = diff("--comment-on", level, "-o", "markdown", vms=vms).stdout
    assert bool(comment) == bool(status)


def test_vms_of_a_folder_of_manifests_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    base = vm("web", "")
    del base["spec"]["instancetype"], base["spec"]["preference"]
    base["spec"]["template"]["spec"]["domain"].update(memory={"guest": "2Gi"}, cpu={"sockets": 1})
    for folder, sockets in (("old", 1), ("new", 2)):
        Path(folder).mkdir()
        base["spec"]["template"]["spec"]["domain"]["cpu"]["sockets"] = sockets
        Path(folder, "web.json").write_text(json.dumps(base))
    assert diff("old", "new").stdout.startswith("1 of 1 VM: shop/web migrates; no other object changes\n")


def test_a_vm_that_is_switched_on_with_a_mistake_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    off = vm("web", "", runStrategy="Halted")
    del off["spec"]["instancetype"], off["spec"]["preference"]
    off["spec"]["template"]["spec"]["domain"]["memory"] = {"guest": "2Gi"}
    on = json.loads(json.dumps(off).replace('"Halted"', '"Always"').replace('"masquerade"', '"slirp"'))
    for folder, manifest in (("old", off), ("new", on), ("same", off)):
        Path(folder).mkdir()
        Path(folder, "web.json").write_text(json.dumps(manifest))
    assert "! refused  shop/web" in diff("old", "new").stdout
    assert "1 VM: nothing changes" in diff("old", "same", status=0).stdout


def test_a_fleet_that_is_switched_off_meets_it_at_its_next_start(repo: Path) -> None:
    off = vm("off", "m.small", runStrategy="Halted")
    config = {"spec": {"configuration": {"virtualMachineOptions": {"disableSerialConsoleLog": {}}}}}
    for name, spec in (("a.json", {}), ("b.json", config)):
        metadata = {"name": "kubevirt", "namespace": "kubevirt"}
        cr = {"apiVersion": "kubevirt.io/v1", "kind": "KubeVirt", "metadata": metadata, **spec}
        Path(name).write_text(json.dumps(cr))
    text = diff("--config", "a.json", "b.json", vms=json.dumps(off)).stdout
    assert text.startswith("none of 1 VM is touched now; at its next start shop/off changes")
    assert "~ changed  production: shop/off  because of the KubeVirt CR" in text


def test_a_component_is_the_cause_at_its_own_line(repo: Path) -> None:
    git(".", "checkout", "-q", ".")
    components = "threads:\n  spec:\n    ioThreadsPolicy: POLICY\n"
    types = CATALOG["instancetypes/m.yaml"].replace("small: {vcpus: 1}", "small: {vcpus: 1, components: [threads]}")
    (repo / "catalog/components.yaml").write_text(components.replace("POLICY", "auto"))
    (repo / "catalog/instancetypes/m.yaml").write_text(types)
    git(".", "add", "-A")
    git(".", "commit", "-q", "-m", "threads")
    (repo / "catalog/components.yaml").write_text(components.replace("POLICY", "shared"))
    assert "because of m.small (catalog/components.yaml:3)" in diff(vms=fleet(web=1)).stdout
