"""`virtcatalog diff` over a repository with real history."""

from __future__ import annotations

import json
import re
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from click.testing import CliRunner, Result

from checkouts import git
from virtcatalog.cli import main

CATALOG = {
    "catalog.yaml": "name: test\nkubevirt: v1.9.0\n",
    "components.yaml": "hyperv: {spec: {features: {preferredHyperv: {relaxed: {}}}}}\n",
    "instancetypes/m.yaml": """\
        class: m
        memoryPerVcpu: 4Gi
        sizes: {small: {vcpus: 1}, large: {vcpus: 4}}
        """,
    "preferences/linux.yaml": "preferences: {linux.one: {}}\n",
    "preferences/windows.yaml": "preferences: {windows.one: {components: [hyperv]}}\n",
    "vms/server.yaml": """\
        apiVersion: kubevirt.io/v1
        kind: VirtualMachine
        metadata: {name: server}
        spec:
          runStrategy: Always
          instancetype: {name: m.small}
          preference: {name: windows.one}
          template: {spec: {domain: {devices: {}}}}
        """,
}


class Repository:
    """A git repository with a catalog, on the branch `change`, which left `main` at its only commit."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def git(self, *arguments: str) -> str:
        return git(self.root, *arguments)

    def write(self, **changes: str) -> None:
        for name, text in changes.items():
            self.put(name.replace("__", "/") + ".yaml", text)

    def put(self, name: str, text: str) -> None:
        path = self.root / "catalog" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text))

    def commit(self) -> str:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "change")
        return self.git("rev-parse", "HEAD")

    def diff(self, *arguments: str, status: int, stdin: str | None = None) -> Result:
        result = CliRunner().invoke(main, ["diff", *arguments], input=stdin)
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        assert result.exit_code == status, result.output
        return result

    def data(self, *arguments: str, status: int = 1, stdin: str | None = None) -> Any:
        return json.loads(self.diff(*arguments, "-o", "json", status=status, stdin=stdin).stdout)

    def changes(self, *arguments: str, status: int = 1) -> set[str]:
        return {
            f"{obj['change']} {obj['kind']}/{obj['name']}" for obj in self.data(*arguments, status=status)["objects"]
        }


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    monkeypatch.chdir(tmp_path)
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        monkeypatch.delenv(name, raising=False)
    repository = Repository(tmp_path)
    repository.git("init", "-q", "-b", "main")
    for name, text in CATALOG.items():
        repository.put(name, text)
    repository.commit()
    repository.git("checkout", "-q", "-b", "change")
    return repository


WITH_RUNTIME = "hyperv: {spec: {features: {preferredHyperv: {relaxed: {}, runtime: {}}}}}\n"
BOTH_INSTANCETYPES = ("VirtualMachineClusterInstancetype", "VirtualMachineInstancetype")


def kinds(change: str, name: str, noun: str = "Instancetype") -> set[str]:
    return {f"{change} VirtualMachine{scope}{noun}/{name}" for scope in ("", "Cluster")}


def test_no_difference(repo: Repository) -> None:
    assert repo.diff(status=0).stdout.startswith("1 VM template: nothing changes; no object changes\n")


def test_the_default_is_the_working_tree_against_the_fork_point(repo: Repository) -> None:
    repo.git("checkout", "-q", "main")
    repo.write(preferences__linux="preferences: {linux.one: {}, linux.two: {}}\n")
    repo.commit()
    repo.git("checkout", "-q", "change")
    repo.write(components=WITH_RUNTIME)
    assert repo.changes() == kinds("changed", "windows.one", "Preference")
    assert repo.diff(status=1).stdout.splitlines()[1].startswith("main@")


def test_added(repo: Repository) -> None:
    repo.write(
        preferences__linux="preferences: {linux.one: {}, linux.two: {spec: {cpu: {preferredCPUTopology: cores}}}}\n"
    )
    assert repo.changes() == kinds("added", "linux.two", "Preference")


def test_removed(repo: Repository) -> None:
    repo.write(instancetypes__m="class: m\nmemoryPerVcpu: 4Gi\nsizes: {small: {vcpus: 1}}\n")
    assert repo.changes() == kinds("removed", "m.large")
    (change, _) = repo.data()["objects"]
    assert change["consequences"] == [
        "VMs that exist go on with the revision stored for them; new VMs that name m.large are refused."
    ]


def test_changed_with_a_diff_headed_by_kind_and_name(repo: Repository) -> None:
    repo.write(components=WITH_RUNTIME)
    report = repo.diff("--full", status=1).stdout
    assert "--- main@" in report
    assert "/VirtualMachineClusterPreference/windows.one\n" in report
    assert "+      runtime: {}\n" in report
    assert "The same diff as VirtualMachineClusterPreference/windows.one." in report


def test_renamed_by_its_equal_spec(repo: Repository) -> None:
    repo.write(instancetypes__m="class: m\nmemoryPerVcpu: 4Gi\nsizes: {small: {vcpus: 1}, big: {vcpus: 4}}\n")
    assert repo.changes() == kinds("renamed", "m.big")
    assert {obj["renamedFrom"] for obj in repo.data()["objects"]} == {"m.large"}


def test_revisions_folders_and_the_working_tree_can_be_compared(repo: Repository) -> None:
    repo.write(components=WITH_RUNTIME)
    first = repo.commit()
    expected = kinds("changed", "windows.one", "Preference")
    assert repo.changes("main", first) == expected
    assert repo.changes("main", "catalog") == expected
    assert repo.changes("main", ".") == expected
    assert repo.changes(first, "main") == expected
    assert repo.changes(first, status=0) == set()


def test_nothing_is_written_to_the_repository(repo: Repository) -> None:
    repo.write(components=WITH_RUNTIME)
    repo.put("vms/other.yaml", "not committed")
    before = {path: path.stat().st_mtime_ns for path in repo.root.rglob("*")}
    repo.diff("main", "change", status=0)
    assert {path: path.stat().st_mtime_ns for path in repo.root.rglob("*")} == before


@pytest.mark.parametrize("revision", ["--output=x", "nonsense", ""])
def test_what_is_no_revision_is_an_error(repo: Repository, revision: str) -> None:
    result = repo.diff("--", revision, status=2)
    assert "is no git revision" in result.stderr or "neither a git revision nor" in result.stderr
    assert not (repo.root / "x").exists()


def test_a_vm_whose_domain_changes(repo: Repository) -> None:
    repo.write(components=WITH_RUNTIME)
    (verdict,) = repo.data()["vms"]
    assert (verdict["vm"], verdict["template"], verdict["now"]) == ("server", True, "unchanged")
    assert (verdict["next"], verdict["level"]) == ("changed", "changed")
    assert verdict["changes"] == ["domain.features.hyperv.runtime.enabled: true is new"]
    assert '+      <runtime state="on"/>' in repo.diff("--full", status=1).stdout


def test_a_vm_that_is_newly_refused_and_newly_admitted(repo: Repository) -> None:
    repo.write(preferences__windows="preferences: {windows.one: {components: [hyperv], requirements: {vcpus: 2}}}\n")
    strict = repo.commit()
    (verdict,) = repo.data("main", strict)["vms"]
    assert verdict["next"] == "refused"
    assert "requires 2 vCPUs" in verdict["changes"][0]
    (verdict,) = repo.data(strict, "main")["vms"]
    assert verdict["next"] == "changed"
    assert verdict["changes"][0].startswith("was: ")


def test_a_template_that_comes_and_goes(repo: Repository) -> None:
    repo.put("vms/second.yaml", CATALOG["vms/server.yaml"].replace("m.small", "m.large"))
    (verdict,) = repo.data()["vms"]
    assert (verdict["next"], verdict["changes"]) == ("changed", ["the VM template is new"])
    repo.commit()
    (verdict,) = repo.data("change", "main")["vms"]
    assert (verdict["next"], verdict["changes"]) == ("none", ["the VM template is gone"])


def vm(name: str, stored: bool = False, preference: str = "windows.one") -> dict[str, Any]:
    status = {
        f"{matcher}Ref": {"name": of, "controllerRevisionRef": {"name": f"{name}-{of}-1"}}
        for matcher, of in (("instancetype", "m.small"), ("preference", preference))
    }
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": name, "namespace": "team", "uid": f"uid-{name}"},
        "spec": {
            "runStrategy": "Always",
            "instancetype": {"name": "m.small"},
            "preference": {"name": preference},
            "template": {"spec": {"domain": {"devices": {}}}},
        },
        **({"status": status} if stored else {}),
    }


def dump(*vms: dict[str, Any]) -> str:
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": list(vms)})


def test_vms_of_a_fleet_are_grouped_by_their_change(repo: Repository) -> None:
    repo.write(components=WITH_RUNTIME)
    fleet = dump(*(vm(f"web-{number}") for number in range(12)), vm("other", preference="linux.one"))
    text = repo.diff("-f", "-", status=1, stdin=fleet).stdout
    assert "= kept  team/web-0, team/web-1, team/web-2 and 9 more" in text
    assert "team/other" not in text


def test_vms_that_keep_a_stored_revision_do_not_feel_a_change(repo: Repository) -> None:
    repo.write(components=WITH_RUNTIME)
    report = repo.data("-f", "-", stdin=dump(vm("old", stored=True), vm("new")))
    outcomes = {verdict["vm"]: (verdict["next"], verdict["anew"]) for verdict in report["vms"]}
    assert outcomes == {"server": ("changed", "same"), "team/old": ("kept", "changed"), "team/new": ("kept", "changed")}
    keep, created = "VMs that exist keep the revision of the preference that KubeVirt stored for them", "VMs created"
    assert report["objects"][0]["consequences"] == [
        f"{keep}; {created} from now on get the new one.",
        "2 VMs keep a stored revision.",
    ]


def test_labels_alone_are_felt_by_nobody(repo: Repository) -> None:
    repo.write(preferences__linux="preferences: {linux.one: {displayName: One}}\n")
    assert {obj["consequences"][0] for obj in repo.data()["objects"]} == {
        "Only labels or annotations change: no effect on any VM."
    }


def kubevirt(**options: Any) -> str:
    spec = {"configuration": {"virtualMachineOptions": options}}
    metadata = {"name": "kubevirt", "namespace": "kubevirt"}
    return json.dumps({"apiVersion": "kubevirt.io/v1", "kind": "KubeVirt", "metadata": metadata, "spec": spec})


def test_a_change_of_the_configuration_is_felt_by_vms_with_stored_revisions_too(repo: Repository) -> None:
    (repo.root / "old.yaml").write_text(kubevirt())
    (repo.root / "new.yaml").write_text(kubevirt(disableSerialConsoleLog={}))
    fleet = dump(vm("old", stored=True))
    report = repo.data("--config", "old.yaml", "new.yaml", "-f", "-", stdin=fleet)
    assert [(obj["kind"], obj["change"]) for obj in report["objects"]] == [("KubeVirt", "changed")]
    assert {verdict["vm"]: (verdict["now"], verdict["next"]) for verdict in report["vms"]} == {
        "server": ("unchanged", "changed"),
        "team/old": ("unchanged", "changed"),
    }
    assert all("<log" in verdict["changes"][0] for verdict in report["vms"])


def test_a_change_of_the_host_profile(repo: Repository) -> None:
    (repo.root / "host.yaml").write_text("name: small\nstorage: {missingClaimSize: 10Gi}\n")
    report = repo.data("--host", "reference", "host.yaml")
    assert report["host"] == "reference v1 → small v1"
    assert report["vms"] == []


def test_vms_that_another_host_profile_changes_say_so(repo: Repository) -> None:
    files = "{path: /usr/share/OVMF, files: [OVMF_CODE.secboot.fd, OVMF_VARS.fd]}"
    (repo.root / "host.yaml").write_text(f"name: small\nfirmware: [{files}]\n")
    changed = vm("web", preference="linux.one")
    domain = changed["spec"]["template"]["spec"]["domain"]
    domain |= {"firmware": {"bootloader": {"efi": {}}}, "features": {"smm": {"enabled": True}}}
    report = repo.data("--host", "reference", "host.yaml", "-f", "-", stdin=dump(changed))
    (verdict,) = report["vms"]
    assert (verdict["vm"], verdict["next"]) == ("team/web", "refused")
    assert [cause["name"] for cause in verdict["because"]] == ["host profile reference v1 → small v1"]


def test_a_broken_revision_is_reported_and_what_is_sound_compared(repo: Repository) -> None:
    repo.write(preferences__linux="preferences: {linux.one: {speck: {}}}\n", components=WITH_RUNTIME)
    broken = repo.commit()
    report = repo.data("main", broken, status=2)
    (problem,) = report["head"]["problems"]
    assert problem["file"] == f"{broken[:12]}:catalog/preferences/linux.yaml"
    assert "speck" in problem["message"] + problem["field"]
    assert {obj["name"] for obj in report["objects"]} == {"windows.one"}
    assert [verdict["next"] for verdict in report["vms"]] == ["changed"]
    assert "VirtualMachineClusterPreference/linux.one" in report["notCompared"]["objects"]


def test_vms_that_refer_to_what_is_broken_are_not_compared(repo: Repository) -> None:
    repo.write(preferences__windows="preferences: {windows.one: {component: []}}\n")
    fleet = dump(vm("web"), vm("alone", preference="linux.one"))
    report = repo.data("-f", "-", status=2, stdin=fleet)
    assert report["notCompared"]["vms"] == ["server", "team/web"]
    assert report["vms"] == []


def test_a_revision_that_is_broken_all_over(repo: Repository) -> None:
    repo.write(catalog="name: [")
    report = repo.data(status=2)
    assert report["head"]["problems"]
    assert report["objects"] == []


def test_a_revision_before_there_was_a_catalog(repo: Repository) -> None:
    repo.git("checkout", "-q", "--orphan", "empty")
    repo.git("rm", "-rq", "--cached", ".")
    repo.git("commit", "-q", "--allow-empty", "-m", "nothing")
    assert kinds("added", "m.small") <= repo.changes("empty", "main")
    assert repo.diff("empty", "main", status=1).stdout.splitlines()[1] == "empty:catalog (not there) → main:catalog"


def test_rendered_trees_can_be_compared(repo: Repository) -> None:
    build = CliRunner().invoke(main, ["build", "catalog", "--output-dir", "old"])
    assert build.exit_code == 0, build.output
    repo.write(components=WITH_RUNTIME)
    CliRunner().invoke(main, ["build", "catalog", "--output-dir", "new"])
    assert repo.changes("old", "new") == kinds("changed", "windows.one", "Preference")


def test_markdown_starts_with_a_table_and_folds_the_rest(repo: Repository) -> None:
    repo.write(components=WITH_RUNTIME)
    comment = repo.diff("-o", "markdown", status=1).stdout
    assert "- objects changed: `VirtualMachineClusterPreference/windows.one`" in comment
    assert comment.index("| what happens |") < comment.index("<details>")
    assert "```diff\n" in comment


def test_markdown_fits_a_comment(repo: Repository) -> None:
    annotations = {f"example.org/a{number}": "x" * 900 for number in range(30)}
    entries = {f"linux.n{number}": {"spec": {"annotations": annotations}} for number in range(30)}
    repo.write(preferences__linux=json.dumps({"preferences": {"linux.one": {}, **entries}}))
    comment = repo.diff("-o", "markdown", "--artifact", "https://ci.example.org/diff.md", status=1).stdout
    assert len(comment.encode()) <= 65_000
    assert "the whole report is in <https://ci.example.org/diff.md>" in comment
    assert all(len(word.encode()) <= 10_000 for word in comment.split("<details>"))


def test_markdown_of_hostile_names_is_only_text(repo: Repository) -> None:
    repo.write(components=WITH_RUNTIME)
    evil = vm("x</summary><script>|@all`-1")
    comment = repo.diff("-o", "markdown", "-f", "-", stdin=dump(evil), status=1).stdout
    assert "@all" in comment
    # As code it is neither HTML nor a mention.
    others = re.sub(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)|<code>[^<]*</code>", "", comment, flags=re.DOTALL)
    assert "<script>" not in others
    assert "@all" not in others


def test_github_annotations_name_the_file(repo: Repository) -> None:
    repo.write(preferences__windows="preferences: {windows.one: {components: [hyperv], requirements: {vcpus: 2}}}\n")
    lines = repo.diff("-o", "github", status=1).stdout.splitlines()
    assert lines[0].startswith("::notice title=virtcatalog::1 VM template: 1 is refused; ")
    assert lines[1].startswith(
        "::error file=catalog/preferences/windows.yaml,line=1,title=1 VM template%3A KubeVirt refuses"
    )
    assert any(line.startswith("::notice file=catalog/preferences/windows.yaml,line=1,") for line in lines)


def test_a_symbolic_link_out_of_a_revision_is_not_followed(repo: Repository) -> None:
    outside = repo.root.parent / "outside.yaml"
    outside.write_text("preferences: {linux.secret: {}}\n")
    (repo.root / "catalog/preferences/evil.yaml").symlink_to(outside)
    evil = repo.commit()
    report = repo.diff("main", evil, status=2)
    assert "secret" not in report.output


def test_an_environment_of_its_own(repo: Repository) -> None:
    repo.write(overlays="lab: {scope: namespaced, namespace: lab}\n")
    repo.commit()
    repo.write(overlays="lab:\n  scope: namespaced\n  namespace: lab\n  labels: {a: b}\n")
    report = repo.data("change")
    assert {tuple(obj["environments"]) for obj in report["objects"]} == {("lab",)}
    assert repo.data("change", "--environment", "lab")["objects"] == report["objects"]
    assert "no environment 'prod'" in repo.diff("--environment", "prod", status=2).stderr
