"""virtcatalog check, from its arguments to its exit status."""

import json

import pytest
from click.testing import CliRunner
from lxml import etree

from checkouts import write
from virtcatalog.check import values
from virtcatalog.cli import main
from virtcatalog.fleet import files

GOOD = {
    "catalog.yaml": "name: test\nkubevirt: v1.9.0\n",
    "instancetypes/m.yaml": "{class: m, memoryPerVcpu: 4Gi, sizes: {small: {vcpus: 1}, large: {vcpus: 4}}}",
    "preferences/linux.yaml": "preferences: {linux.one: {requirements: {vcpus: 1}}}",
}
WARNING = {"preferences/linux.yaml": "preferences: {linux.one: {description: '${HOME}'}}"}
NOTE = {"preferences/linux.yaml": "preferences: {linux.one: {deprecated: {}}}"}
BROKEN = {"catalog.yaml": "name: test\nkubevirt: v1.2.0\nnmae: x\n", "instancetypes/m.yaml": "{class: m, sizes: [1]}"}


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def call(*arguments, files=None, stdin=None):
        write(tmp_path / "catalog", GOOD | (files or {}))
        return CliRunner().invoke(main, ["check", *arguments], input=stdin)

    return call


def test_a_clean_catalog(run):
    result = run()
    assert (result.exit_code, result.stdout, result.stderr) == (
        0,
        "",
        "no findings in 2 instance types, 1 preference\n",
    )


def test_findings_go_to_stdout_and_the_summary_to_stderr(run):
    result = run(files=WARNING)
    assert result.exit_code == 1
    assert result.stdout.startswith("catalog/preferences/linux.yaml:1:27: VirtualMachineClusterPreference/linux.one: ")
    assert result.stdout.count("\n") == 1
    assert result.stderr == "1 warning in 2 instance types, 1 preference\n"


def test_notes_count_when_they_are_to(run):
    assert run(files=NOTE).exit_code == 0
    assert run("--fail-on", "note", files=NOTE).exit_code == 1


def test_sunsets_are_judged_by_the_given_day(run):
    text = "preferences: {linux.one: {deprecated: {replacedBy: linux.two, sunset: 2030-01-01}}, linux.two: {}}"
    files = {"preferences/linux.yaml": text}
    assert run("--date", "2030-01-01", files=files).exit_code == 0
    assert "sunset-passed" in run("--date", "2030-01-02", files=files).stdout


def test_all_problems_of_a_broken_catalog_are_findings_in_every_format(run):
    result = run(files=BROKEN)
    assert result.exit_code == 1
    assert [line.rpartition(" ")[2] for line in result.stdout.splitlines()] == ["invalid-declaration]"] * 2
    assert "catalog/catalog.yaml:3:1: nmae: " in result.stdout
    assert "catalog/instancetypes/m.yaml:1:12: sizes: " in result.stdout
    assert len(json.loads(run("-o", "json", files=BROKEN).stdout)) == 2
    assert run("-o", "github", files=BROKEN).stdout.count("::error file=catalog/") == 2
    results = json.loads(run("-o", "sarif", files=BROKEN).stdout)["runs"][0]["results"]
    assert [result["ruleId"] for result in results] == ["invalid-declaration"] * 2
    suite = etree.fromstring(run("-o", "junit", files=BROKEN).stdout.encode()).find("testsuite")
    assert [case.get("name") for case in suite if len(case)] == ["invalid-declaration"]


def test_manifests_beside_the_catalog(run, tmp_path):
    folder = tmp_path / "beside"
    folder.mkdir()
    manifest = {
        "apiVersion": "instancetype.kubevirt.io/v1beta1",
        "kind": "VirtualMachineClusterInstancetype",
        "metadata": {"name": "m.small"},
        "spec": {"cpu": {"guest": 1}, "memory": {"guest": "1Gi"}},
    }
    (folder / "a.yaml").write_text(json.dumps(manifest))
    assert "duplicate-object" in run("-f", "beside").stdout
    assert "duplicate-object" in run("-f", "-", stdin=json.dumps(manifest)).stdout
    assert run("beside").exit_code == 0
    result = run("-f", "-", stdin=json.dumps(manifest | {"spec": {"cpu": {"guest": 1}}}))
    assert (result.exit_code, result.stdout.count("invalid-declaration")) == (1, 1)


def vms(number, **spec):
    return [
        {
            "apiVersion": "kubevirt.io/v1",
            "kind": "VirtualMachine",
            "metadata": {"name": f"vm-{index}", "namespace": "default"},
            "spec": {"runStrategy": "Always", "template": {"spec": {"domain": {"devices": {}}}}} | spec,
        }
        for index in range(number)
    ]


def test_vms_of_a_dump_are_read_one_by_one(run, monkeypatch):
    read, looked_at = [], []
    take, look = files.vms_of, values.Vms.check

    def reading(part):
        read.append(part)
        return take(part)

    def looking(self, vm):
        looked_at.append((vm.name, len(read)))
        return look(self, vm)

    monkeypatch.setattr(files, "vms_of", reading)
    monkeypatch.setattr(values.Vms, "check", looking)
    lines = "".join(f"{json.dumps(vm)}\n" for vm in vms(4))
    assert run("-f", "-", stdin=lines).stderr.endswith(", 4 VMs\n")
    assert looked_at == [("vm-0", 1), ("vm-1", 2), ("vm-2", 3), ("vm-3", 4)]


def test_what_cannot_be_read_is_found_in_all_files_and_nothing_else_is_looked_at(run, tmp_path):
    good, bad = vms(2, runStrategy="Never"), vms(3, runStrategy=1)
    (tmp_path / "a.jsonl").write_text("".join(f"{json.dumps(document)}\n" for document in (*good, *bad)))
    (tmp_path / "b.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": [*bad, *good]}))
    (tmp_path / "c.yaml").write_text("apiVersion: kubevirt.io/v1\nkind: KubeVirt\nmetadata: {name: 1}\n")
    result = run("-f", "a.jsonl", "-f", "b.json", "-f", "c.yaml", files=WARNING)
    places = [line.partition(" ")[0].rpartition(":")[0] for line in result.stdout.splitlines()]
    assert [place.partition(":")[0] for place in places] == ["a.jsonl"] * 3 + ["b.json"] * 3 + ["c.yaml"]
    assert places[0].startswith("a.jsonl:3:")
    assert result.stdout.count("[error: invalid-declaration]") == 7
    assert result.stderr == "7 errors\n"
    assert "[error: vm-refused]" in run("-f", "-", stdin=json.dumps(good[0])).stdout


def test_a_vm_counts_once_however_many_environments_it_can_be_in(run, tmp_path):
    overlays = {"overlays.yaml": "{one: {scope: cluster}, two: {scope: cluster}}"}
    (tmp_path / "vms.json").write_text(
        json.dumps({"apiVersion": "v1", "kind": "List", "items": vms(3, instancetype={"name": "m.small"})})
    )
    assert run("-f", "vms.json", files=overlays).stderr.endswith(" in 2 instance types, 1 preference, 3 VMs\n")


def test_an_output_tree_is_checked_by_its_base(run, tmp_path):
    run()
    assert CliRunner().invoke(main, ["build"]).exit_code == 0
    result = run("output")
    assert (result.exit_code, result.stderr) == (0, "no findings in 4 instance types, 2 preferences\n")


@pytest.mark.parametrize("arguments", [[], ["catalog"], ["-f", "."], ["-f", "catalog", "-f", "."]])
def test_nothing_to_check_is_no_success(tmp_path, monkeypatch, arguments):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "catalog").mkdir()
    (tmp_path / "catalog" / "x.yaml").write_text("{apiVersion: apps/v1, kind: Deployment, metadata: {name: x}}")
    result = CliRunner().invoke(main, ["check", *arguments])
    assert (result.exit_code, result.stdout) == (2, "")
    where = ", ".join(argument for argument in arguments if argument != "-f") or "catalog"
    assert result.stderr == f"error: {where}: there is no catalog.yaml, and no manifest of KubeVirt's\n"


def test_a_catalog_without_anything_says_so(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "catalog").mkdir()
    (tmp_path / "catalog" / "catalog.yaml").write_text("name: x\nkubevirt: v1.3.0\n")
    assert CliRunner().invoke(main, ["check"]).stderr == "no findings in no objects and no VMs\n"


@pytest.mark.parametrize("arguments", [["nowhere"], ["-f", "nowhere.yaml"], ["-o", "xml"], ["--date", "soon"]])
def test_wrong_usage(run, arguments):
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")


def test_the_requirement_table_as_text(run):
    files = {"preferences/linux.yaml": "preferences: {linux.one: {requirements: {vcpus: 2}}}"}
    result = run("--pairs", files=files)
    assert result.stdout.splitlines() == [
        "INSTANCE TYPE  PREFERENCE  FITS  WHY NOT",
        "m.large        linux.one   yes   -",
        "m.small        linux.one   no    spec.instancetype: the preference requires 2 vCPUs, there are 1",
    ]
    assert "2 pairs: 1 fits, 1 does not\n" in result.stderr
    assert run("--pairs", "--color", "always", files=files).stdout.splitlines()[2].startswith("\x1b[31mm.small ")


def test_the_requirement_table_as_json_beside_the_findings(run):
    result = run("--pairs", "-o", "json", files=WARNING)
    assert json.loads(result.stdout)[0] == {"instancetype": "m.large", "preference": "linux.one", "fits": True}
    assert "[warning: flux-substitution]" in result.stderr
    assert result.exit_code == 1
    in_lab = run("--pairs", "-o", "json", "-e", "lab", files={"overlays.yaml": "lab: {}\nprod: {}\n"})
    assert {row["environment"] for row in json.loads(in_lab.stdout)} == {"lab"}


def test_the_rules_are_documented(run):
    result = run("--rules")
    assert result.exit_code == 0
    assert "\n## vm-refused\n" in result.stdout


def test_a_cache_in_the_checkout_is_refused(run, monkeypatch):
    """Whoever commits to it would decide what is found."""
    monkeypatch.setenv("VIRTCATALOG_NO_CACHE", "")
    result = run("--cache-dir", ".virtcatalog")
    assert (result.exit_code, result.stdout) == (2, "")
    assert ".virtcatalog: lies in the checkout" in result.stderr
    monkeypatch.setenv("VIRTCATALOG_CACHE", "catalog/cache")
    assert "catalog/cache: lies in the checkout" in run().stderr
    assert run("--no-cache").exit_code == 0


def test_what_the_repository_leaves_out_is_a_note_that_cannot_be_allowed(run, tmp_path):
    (tmp_path / "virtcatalog.toml").write_text('[check]\nfail-on = "error"\n')
    allowed = GOOD["catalog.yaml"] + "allow: [{rule: repository-default, objects: ['*'], reason: quiet}]\n"
    result = run(files={"catalog.yaml": allowed})
    note = "virtcatalog.toml:2:1: check.fail-on: what is less grave than 'error' has no exit status 1"
    assert f"{note} [note: repository-default]\n" in result.stdout
