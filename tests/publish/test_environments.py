"""What each environment publishes is promised: its selection, its patches, its vendor and labels, where it is."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from checkouts import write
from virtcatalog.cli import main

CATALOG = {
    "catalog.yaml": "name: test\nkubevirt: v1.9.0\nvendor: example.org\n",
    "instancetypes/z.yaml": "class: z\nmemoryPerVcpu: 4Gi\nsizes: {small: {vcpus: 1}, large: {vcpus: 4}}\n",
    "preferences/linux.yaml": "preferences: {linux.one: {}}\n",
}
LAB = {
    "scope": "namespaced",
    "namespace": "virt-lab",
    "labels": {"team": "lab"},
    "patches": [{"select": {"names": ["z.large"]}, "spec": {"memory": {"guest": "8Gi"}}}],
}


def write_catalog(lab=LAB, production=None, **files):
    overlays = {"production": production or {}, **({"lab": lab} if lab else {})}
    write("catalog", CATALOG | files | {"overlays.yaml": json.dumps(overlays)})


def run(*arguments, status):
    result = CliRunner().invoke(main, arguments, catch_exceptions=False)
    assert result.exit_code == status, result.output
    return result


@pytest.fixture(autouse=True)
def published(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_catalog()
    run("release", "v1.0.0", status=0)
    run("build", "--check", status=0)


def test_the_lock_holds_what_environments_make_of_objects():
    lab = json.loads(Path("catalog/catalog.lock").read_text())["environments"]["lab"]
    assert lab["objects"]["VirtualMachineInstancetype"] == ["z.large", "z.small"]
    assert (lab["namespace"], lab["labels"]) == ("virt-lab", {"team": "lab"})
    ((name, patch),) = lab["patched"].items()
    assert (name, patch["since"]) == ("VirtualMachineInstancetype/z.large", "v1.0.0")
    assert patch["spec"] == {"cpu": {"guest": 4}, "memory": {"guest": "8Gi"}}


LARGE = "z.large"


@pytest.mark.parametrize(
    ("lab", "name", "problem"),
    [
        (
            {"patches": [{"select": {"names": [LARGE]}, "spec": {"memory": {"guest": "9Gi"}}}]},
            "z.large",
            "instance type z.large: memory.guest: 8Gi → 9Gi; published since v1.0.0, and it must not change (in lab)",
        ),
        (
            {"patches": []},
            "lab/z.*",
            "instance type z.large: memory.guest: 8Gi → 16Gi; published since v1.0.0, and it must not change (in lab)",
        ),
        (
            {"select": {"names": ["z.large"]}},
            "[zl]*",
            "instance type z.small: is left out, and was published in v1.0.0: VMs that name it could no longer be",
        ),
        (
            {"vendor": "lab.example.org"},
            "lab",
            "environment lab: label instancetype.kubevirt.io/vendor: example.org → lab.example.org; published since v1",
        ),
        ({"labels": {}}, "lab", "environment lab: label team: lab is gone; published since v1.0.0, and it must not"),
        ({"namespace": "other"}, "lab", "environment lab: namespace: virt-lab → other; published since v1.0.0, and it"),
        (
            {"scope": "cluster", "namespace": ""},
            "lab",
            "environment lab: scope: namespaced → cluster; published since v1.0.0, and it must not change (in lab)",
        ),
    ],
)
def test_what_an_environment_published_stays(lab, name, problem):
    write_catalog({**LAB, **lab})
    for arguments in (("build",), ("build", "--check"), ("release", "v1.1.0")):
        assert f"catalog/overlays.yaml:1:20: {problem}" in run(*arguments, status=1).stderr
    findings = json.loads(run("check", "-o", "json", status=1).stdout)
    broken = [finding for finding in findings if finding["rule"] == "broken-promise"]
    assert {tuple(promise["environments"]) for promise in broken} == {("lab",)}
    notes = run("release", "v1.1.0", "--accept", name, status=0).stdout
    assert "- In `lab`" in notes
    run("build", "--check", status=0)


def test_an_environment_that_goes():
    write_catalog(None)
    (problem, _) = run("build", status=1).stderr.splitlines()
    assert problem.endswith(
        "environment lab: is gone, and all that VMs there name with it; published since v1.0.0 (in lab)"
    )
    assert "### Removed" in run("release", "v2.0.0", "--accept", "lab", status=0).stdout


def test_more_may_come():
    write_catalog({**LAB, "labels": {"team": "lab", "tier": "1"}}, production={"labels": {"x": "y"}})
    run("build", status=0)
    write_catalog(
        lab=LAB,
        **{"instancetypes/z.yaml": CATALOG["instancetypes/z.yaml"].replace("{small", "{tiny: {vcpus: 1}, small")},
    )
    run("build", status=0)


def test_the_objects_own_labels_are_told_once():
    write_catalog(**{"catalog.yaml": CATALOG["catalog.yaml"].replace("example.org", "example.com")})
    *problems, _ = run("build", status=1).stderr.splitlines()
    assert [problem.split(": ")[1] for problem in problems] == [
        *("instance type z.small", "instance type z.large"),
        "preference linux.one",
    ]
    assert "label instancetype.kubevirt.io/vendor: example.org → example.com; published since v1.0.0" in problems[0]


def test_what_is_deprecated_stays_in_every_environment_until_its_sunset():
    sizes = CATALOG["instancetypes/z.yaml"]
    old = sizes.replace("large: {vcpus: 4}", "large: {vcpus: 4, deprecated: {replacedBy: z.small, sunset: 2030-01-31}}")
    write_catalog(**{"instancetypes/z.yaml": old})
    run("release", "v1.1.0", status=0)
    write_catalog(production={"deprecated": False}, **{"instancetypes/z.yaml": old})
    assert "z.large: is deprecated, and left out, and was published in v1.0.0" in run("build", status=1).stderr
    refused = run("release", "v1.2.0", "--date", "2030-01-30", status=1).stderr
    assert "its sunset is 2030-01-31, and today is 2030-01-30 (in production)" in refused
    notes = run("release", "v1.2.0", "--date", "2030-01-31", status=0).stdout
    assert "- In `production`, instance type `z.large`: is deprecated, and left out: use `z.small`" in notes


def test_a_lock_of_before_promises_what_it_holds():
    lock = json.loads(Path("catalog/catalog.lock").read_text())
    del lock["environments"]
    for section in ("instancetypes", "preferences"):
        for entry in lock[section].values():
            del entry["labels"]
    Path("catalog/catalog.lock").write_text(json.dumps(lock))
    write_catalog(None, **{"catalog.yaml": CATALOG["catalog.yaml"].replace("example.org", "example.com")})
    run("build", status=0)


def test_an_environment_of_a_lock_that_says_nothing():
    place = Path("catalog/catalog.lock")
    lock = json.loads(place.read_text())
    place.write_text(json.dumps({**lock, "environments": dict.fromkeys(lock["environments"])}))
    stderr = run("build", status=2).stderr
    assert [f"environments.{name}: must be a map, not nothing" in stderr for name in lock["environments"]] == [
        True
    ] * len(lock["environments"])


def test_a_lock_that_was_edited():
    place = Path("catalog/catalog.lock")
    place.write_text(place.read_text().replace('"8Gi"', '"9Gi"'))
    name = "VirtualMachineInstancetype/z.large"
    message = f"what '{name}' is there is not what its digest says; restore the file from Git"
    assert f": environments.lab.patched[{name}]: {message}\n" in run("build", status=2).stderr
