"""What is published is a promise: `virtcatalog build` keeps it, and `virtcatalog release` makes it."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from virtcatalog.catalog.load import load_catalog
from virtcatalog.cli import main

CATALOG = "name: test\nkubevirt: v1.9.0\n"
CLASS = "class: z\nversion: 1\nmemoryPerVcpu: 4Gi\nsizes:\n"
SMALL, LARGE = "  small: {vcpus: 1}\n", "  large: {vcpus: 4}\n"
PREFERENCE = "preferences:\n  linux.one: {displayName: One, requirements: {vcpus: 2}}\n"


@pytest.fixture(autouse=True)
def published(tmp_path, monkeypatch):
    """A catalog of which v1.0.0 is published."""
    monkeypatch.chdir(tmp_path)
    write(CLASS + SMALL + LARGE)
    run("release", "v1.0.0", status=0)


def write(text=None, preferences=PREFERENCE, catalog=CATALOG):
    for place, content in (
        ("catalog.yaml", catalog),
        ("instancetypes/z.yaml", text),
        ("preferences/linux.yaml", preferences),
    ):
        if content is not None:
            path = Path("catalog", place)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)


def run(*arguments, status):
    result = CliRunner().invoke(main, arguments, catch_exceptions=False)
    assert result.exit_code == status, result.output
    return result


def files():
    return {path: path.read_bytes() for path in Path().rglob("*") if path.is_file() and "output" in path.parts}


def test_the_lock_has_a_line_for_each_object():
    lines = Path("catalog/catalog.lock").read_text().splitlines()
    (line,) = [line for line in lines if line.startswith('"z1.large"')]
    entry = json.loads("{" + line.rstrip(",") + "}")["z1.large"]
    assert entry["since"] == "v1.0.0"
    assert entry["digest"].startswith("sha256:")
    assert entry["spec"] == {"cpu": {"guest": 4}, "memory": {"guest": "16Gi"}}


def test_a_catalog_without_a_lock_is_unpublished():
    Path("catalog/catalog.lock").unlink()
    write(CLASS + "  small: {vcpus: 2}\n")
    run("build", status=0)


def test_more_can_be_added():
    write(CLASS + SMALL + LARGE + "  huge: {vcpus: 16}\n")
    run("build", status=0)
    run("build", "--check", status=0)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            CLASS + "  small: {vcpus: 1, memory: 2Gi}\n" + LARGE,
            (
                "catalog/instancetypes/z.yaml:5:21: instance type z1.small: memory.guest: 4Gi → 2Gi; "
                "published since v1.0.0, and its spec must not change"
            ),
        ),
        (
            CLASS.replace("sizes", "spec: {ioThreadsPolicy: auto}\nsizes") + SMALL + LARGE,
            (
                "catalog/instancetypes/z.yaml:4:8: instance type z1.large: ioThreadsPolicy: auto is new; "
                "published since v1.0.0, and its spec must not change"
            ),
        ),
        (
            CLASS + SMALL,
            (
                "catalog/catalog.lock:5:1: instance type z1.large: is gone, and was published in v1.0.0: "
                "VMs that name it could no longer be created; deprecate it first, with a replacement and a sunset, "
                "and release that"
            ),
        ),
    ],
)
def test_build_refuses_what_breaks_it(text, problem):
    before = files()
    write(text)
    for arguments in (("build",), ("build", "--check"), ("release", "v1.1.0")):
        result = run(*arguments, status=1)
        assert f"{problem}\n" in result.stderr
        assert "virtcatalog release VERSION --accept NAME" in result.stderr.splitlines()[-1]
        assert files() == before


def test_every_breach_is_told():
    write(CLASS + "  small: {vcpus: 2}\n", preferences="preferences: {}\n")
    names = [line.split(": ")[1] for line in run("build", status=1).stderr.splitlines()[:-1]]
    assert names == [
        "instance type z1.large",
        "preference linux.one",
        "instance type z1.small",
        "instance type z1.small",
    ]


def test_labels_and_texts_may_change():
    write(CLASS.replace("sizes", "description: Better.\nsizes") + SMALL + LARGE)
    run("build", status=0)
    assert "labels or annotations" in run("release", "v1.0.1", status=0).stdout


def test_accepted_names_change():
    write(CLASS + "  small: {vcpus: 2}\n" + LARGE)
    run("release", "v2.0.0", "--accept", "z1.*", status=0)
    run("build", status=0)
    entry = json.loads(Path("catalog/catalog.lock").read_text())["instancetypes"]["z1.small"]
    assert (entry["since"], entry["spec"]["cpu"]) == ("v2.0.0", {"guest": 2})


def test_what_accepts_nothing_is_a_mistake():
    result = run("release", "v1.1.0", "--accept", "z2.*", status=2)
    assert "--accept 'z2.*' accepts nothing" in result.stderr


def deprecate(sunset="sunset: 2030-01-31"):
    deprecation = f"  large: {{vcpus: 4, deprecated: {{replacedBy: z1.small, {sunset}}}}}\n"
    write(CLASS + SMALL + deprecation)
    run("build", status=0)
    run("release", "v1.1.0", status=0)
    write(CLASS + SMALL)


def test_a_name_goes_on_the_day_of_its_sunset():
    deprecate()
    assert "a release from that day on removes it" in run("build", status=1).stderr
    refused = run("release", "v2.0.0", "--date", "2030-01-30", status=1)
    assert "its sunset is 2030-01-31, and today is 2030-01-30" in refused.stderr
    notes = run("release", "v2.0.0", "--date", "2030-01-31", status=0).stdout
    assert "### Removed" in notes
    assert "- Instance type `z1.large`: use `z1.small`, until 2030-01-31\n" in notes
    run("build", status=0)
    assert not Path("output/base/VirtualMachineInstancetype/z1.large.yaml").exists()


def test_a_name_without_a_sunset_stays():
    deprecate(sunset="")
    assert "deprecated without a sunset" in run("release", "v2.0.0", status=1).stderr


def test_a_deprecation_counts_once_it_is_released():
    write(CLASS + SMALL)
    assert "deprecate it first" in run("release", "v2.0.0", "--date", "2040-01-01", status=1).stderr


def test_the_bundles_carry_the_version_and_nothing_else_does():
    label = "instancetype.kubevirt.io/test-instancetypes-version: v1.0.0"
    having = {path.parent.name for path, text in files().items() if label.encode() in text}
    assert having == {"bundles"}
    assert Path("output/bundles/test-instancetypes-all-bundle.yaml").read_text().count(label) == 6
    assert "Version v1.0.0, for KubeVirt v1.9.0" in Path("output/README.md").read_text()


def test_what_differs_from_a_release_is_called_changed():
    write(CLASS + SMALL + LARGE + "  huge: {vcpus: 16}\n")
    run("build", status=0)
    assert load_catalog("catalog").version == "v1.0.0-changed"
    assert b"version: v1.0.0-changed" in files()[Path("output/bundles/test-instancetypes-bundle.yaml")]


def test_labels_that_differ_from_a_release_are_a_change_too():
    write(CLASS.replace("class: z\n", "class: z\nlabels: {team: shop}\n") + SMALL + LARGE)
    assert load_catalog("catalog").version == "v1.0.0-changed"


def test_a_version_is_published_once():
    run("release", "v1.0.0", status=0)
    write(CLASS + SMALL + LARGE + "  huge: {vcpus: 16}\n")
    assert "v1.0.0 is published already" in run("release", "v1.0.0", status=2).stderr


@pytest.mark.parametrize("version", ["", "a b", "x" * 64, "v1.0.0-changed"])
def test_a_version_is_a_label(version):
    run("release", version, status=2)


def test_a_dry_run_writes_nothing():
    before = files()
    write(CLASS + SMALL + LARGE + "  huge: {vcpus: 16}\n")
    result = run("release", "v1.1.0", "--dry-run", status=0)
    assert result.stdout == "## v1.1.0\n\n### Added\n\n- Instance type `z1.huge`: 16 vCPUs, 64Gi\n"
    assert files() == before
    assert load_catalog("catalog").lock.version == "v1.0.0"


def test_the_day_of_a_build_does_not_matter(monkeypatch):
    deprecate()
    write(CLASS + SMALL + "  large: {vcpus: 4, deprecated: {replacedBy: z1.small, sunset: 1999-12-31}}\n")
    run("build", status=0)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('"guest": 4}', '"guest": 5}', "the spec of 'z1.large' is not what its digest says; restore the file from Git"),
        (
            '"version": "v1.0.0"',
            '"version": 1',
            "version: must be a string, not the number 1: quote it; restore the file from Git",
        ),
        ('"since"', '"sinse"', "unknown field 'sinse'; did you mean 'since'?; restore the file from Git"),
        (
            "{",
            "<<<<<<< ours\n{",
            ("catalog/catalog.lock:3:10: is not YAML: the line before has no ': ' between a key and its value"),
        ),
        (
            '"version": "v1.0.0"',
            '"version": "v 1"',
            (
                "version: Kubernetes refuses the label value 'v 1': it may have at most 63 letters, digits, "
                "'-', '_' and '.', and starts and ends with a letter or digit; restore the file from Git"
            ),
        ),
        (
            '"since"',
            '"deprecated": {"sunset": "soon"}, "since"',
            "[z1.large].deprecated.sunset: 'soon' is not a date such as 2027-06-01; restore the file from Git",
        ),
    ],
)
def test_a_lock_that_was_edited_is_refused(old, new, problem):
    path = Path("catalog/catalog.lock")
    path.write_text(path.read_text().replace(old, new, 1))
    assert f"{problem}\n" in run("build", status=2).stderr


def test_a_release_that_cannot_be_written_changes_nothing(monkeypatch):
    before, lock = files(), Path("catalog/catalog.lock").read_bytes()
    write(CLASS + SMALL + LARGE + "  huge: {vcpus: 16}\n")
    Path("output").chmod(0o555)
    run("release", "v1.1.0", status=2)
    Path("output").chmod(0o755)
    assert (files(), Path("catalog/catalog.lock").read_bytes()) == (before, lock)
    assert not list(Path("catalog").glob(".*"))


def test_notes_of_all_kinds():
    write(
        CLASS + "  small: {vcpus: 2}\n" + LARGE + "  huge: {vcpus: 1}\n",
        preferences="preferences:\n  two: {displayName: Two, deprecated: {replacedBy: three}}\n  three: {}\n",
    )
    result = run("release", "v2.0.0", "--accept", "*", status=0)
    assert (
        result.stdout
        == """\
## v2.0.0

### Added

- Instance type `z1.huge`: 1 vCPU, 4Gi
- Preference `three`
- Preference `two`: Two

### Changed

VMs that exist keep the revision that they were created with.

- Instance type `z1.small`: cpu.guest: 1 → 2; memory.guest: 4Gi → 8Gi

### Deprecated

- Preference `two`: use `three`

### Removed

VMs that exist keep their revision; new ones must name something else.

- Preference `linux.one`
"""
    )
    assert run("release", "v2.0.1", status=0).stdout == "## v2.0.1\n\nNo changes since v2.0.0.\n"


@pytest.mark.parametrize(
    "version", ["", "1", "v1.2", "1.2.3.4", "v01.2.3", "v1.2.3+build", "v2.0.0-", "v2.0.0_rc", "V2.0.0", "next"]
)
def test_a_version_has_a_form(version):
    assert f"{version!r} is no version such as v1.2.0" in run("release", version, status=2).stderr


def test_versions_rise():
    for version in ("v1.0.1-rc.2", "v1.0.1-rc.10", "v1.0.1", "v1.10.0"):
        run("release", version, status=0)
    for version in ("v1.10.0-rc.1", "v1.9.0", "1.2.3", "v0.1.0"):
        refused = run("release", version, status=2).stderr
        assert f"{version} comes before v1.10.0, which is published already; choose a later version" in refused
    run("release", "v1.10.0", status=0)
