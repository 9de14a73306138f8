"""`virtcatalog build`: whatever is wrong with a catalog is said at its place, all of it at once; nothing is written."""

import os
import re
from pathlib import Path
from textwrap import dedent

import pytest
from click.testing import CliRunner

from virtcatalog.cli import main
from virtcatalog.manifests.folder import NOT_THERE

CATALOG = "name: test\nkubevirt: v1.9.0\n"
SIZES = "class: m\nmemoryPerVcpu: 4Gi\nsizes: {small: {vcpus: 1}, large: {vcpus: 4}}\n"


@pytest.fixture
def workspace(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(files):
    for place, text in {"catalog.yaml": CATALOG, "instancetypes/m.yaml": SIZES, **files}.items():
        path = Path("catalog", place)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else dedent(text).encode())


def build(*arguments):
    return CliRunner().invoke(main, ["build", *arguments], catch_exceptions=False)


def tree(folder="output"):
    return {path: path.read_bytes() for path in Path(folder).rglob("*") if path.is_file()}


BAD = {
    "an unknown field": (
        {"instancetypes/m.yaml": "class: m\nmemoryPerVCPU: 4Gi\nsizes: {small: {vcpus: 1, memory: 4Gi}}\n"},
        "catalog/instancetypes/m.yaml:2:1: memoryPerVCPU: unknown field 'memoryPerVCPU'; did you mean 'memoryPerVcpu'?",
    ),
    "a wrong type": (
        {"instancetypes/m.yaml": "class: m\nmemoryPerVcpu: 4Gi\nsizes: {small: {vcpus: one}}\n"},
        "catalog/instancetypes/m.yaml:3:17: sizes.small.vcpus: must be an integer, not the string 'one'",
    ),
    "a key that is there twice": (
        {"instancetypes/m.yaml": "class: m\nclass: n\nsizes: {}\n"},
        "catalog/instancetypes/m.yaml:2:1: the key 'class' is here twice, first in line 1",
    ),
    "an object that is there twice": (
        {"instancetypes/n.yaml": SIZES},
        (
            "catalog/instancetypes/n.yaml:3:9: sizes.small: 'm.small' is declared twice, first at "
            "catalog/instancetypes/m.yaml:3:9, and 1 more of this file"
        ),
    ),
    "a missing component": (
        {"components.yaml": "rng: {}\n", "preferences/a.yaml": "preferences: {a: {components: [rgn]}}\n"},
        (
            "catalog/preferences/a.yaml:1:32: preferences.a.components[0]: there is no component 'rgn'; did "
            "you mean 'rng'?"
        ),
    ),
    "components in a circle": (
        {"components.yaml": "a: {components: [b]}\nb: {components: [a]}\n"},
        "catalog/components.yaml:1:18: a.components[0]: components use each other in a circle: a → b → a",
    ),
    "components that clash": (
        {
            "components.yaml": "sata: {spec: {devices: {preferredDiskBus: sata}}}\n"
            "virtio: {spec: {devices: {preferredDiskBus: virtio}}}\n",
            "preferences/a.yaml": "preferences: {a: {components: [sata, virtio]}}\n",
        },
        (
            "catalog/preferences/a.yaml:1:38: preferences.a.components[1]: components 'sata' and 'virtio' set "
            "spec.devices.preferredDiskBus differently; set it beside them, or leave one out"
        ),
    ),
    "a name that Kubernetes refuses": (
        {"preferences/a.yaml": "preferences: {My_OS: {}}\n"},
        (
            "catalog/preferences/a.yaml:1:15: preferences.My_OS: Kubernetes refuses the name 'My_OS': it "
            "may have lower-case letters, digits, '-' and '.', and each part starts and ends with a letter "
            "or digit"
        ),
    ),
    "a ratio that gives a fraction of a byte": (
        {"instancetypes/m.yaml": "class: m\nmemoryPerVcpu: 0.5\nsizes: {small: {vcpus: 1}}\n"},
        "catalog/instancetypes/m.yaml:2:1: memoryPerVcpu: 1 x 500m is not a whole number of bytes",
    ),
    "anchors that explode": (
        {
            "preferences/a.yaml": "defaults:\n  annotations:\n"
            + "".join(
                f"    a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 10 if level else ['x'] * 10)}]\n"
                for level in range(9)
            )
            + "preferences: {}\n"
        },
        "catalog/preferences/a.yaml:3:20: aliases stand for more than 100000 values",
    ),
    "an alias of itself": (
        {"preferences/a.yaml": "preferences: &all {a: *all}\n"},
        "catalog/preferences/a.yaml:1:14: holds itself through an alias",
    ),
    "an empty file": ({"preferences/a.yaml": ""}, "catalog/preferences/a.yaml: is empty"),
    "a file that is no text": (
        {"preferences/a.yaml": b"a: \xff\n"},
        "catalog/preferences/a.yaml:1:4: is not UTF-8 text",
    ),
    "a catalog's name that is a path": (
        {"catalog.yaml": "name: ../../elsewhere\nkubevirt: v1.9.0\n"},
        (
            "catalog/catalog.yaml:1:1: name: Kubernetes refuses the name '../../elsewhere': it may have "
            "lower-case letters, digits, '-' and '.', and each part starts and ends with a letter or digit"
        ),
    ),
    "an overlay's name that is a path": (
        {"overlays.yaml": "../../elsewhere: {}\n"},
        (
            "Kubernetes refuses the name '../../elsewhere': it may have lower-case letters, digits, '-' and "
            "'.', and each part starts and ends with a letter or digit"
        ),
    ),
    "another catalog outside": (
        {"catalog.yaml": f"{CATALOG}extends: ../../elsewhere\n"},
        (
            "catalog/catalog.yaml:3:1: extends: '../../elsewhere' leaves the folder that this catalog is in; "
            "a catalog can extend its neighbours only"
        ),
    ),
    "a template that includes a file": (
        {"vms/a.yaml.j2": "kind: VirtualMachine\n{% include '/etc/passwd' %}\n"},
        "catalog/vms/a.yaml.j2:2:1: in templates include is not available",
    ),
    "a VM template of a path outside": (
        {"vms.yaml": "../../a.yaml.j2: {}\n"},
        "catalog/vms.yaml:1:1: [../../a.yaml.j2]: there is no vms/../../a.yaml.j2",
    ),
}


@pytest.mark.parametrize(("files", "problem"), BAD.values(), ids=BAD)
def test_bad_input_is_refused_at_its_place(workspace, files, problem):
    write({})
    build()
    before = tree()
    write(files)
    result = build()
    assert f"{problem}\n" in result.stderr
    assert result.exit_code == 2
    assert not result.stdout
    assert tree() == before


def test_all_faults_of_all_files_are_reported_in_one_run(workspace):
    write(
        {
            "instancetypes/m.yaml": "class: m\nsizes: {small: {vcpu: 1}, large: {vcpus: 0}}\n",
            "preferences/a.yaml": "preferences: {A: {}, b: {components: [none]}}\n",
            "overlays.yaml": "lab: {scope: everywhere}\n",
        }
    )
    result = build()
    lines = result.stderr.splitlines()
    places = [line.split(":")[0] for line in lines[:-1]]
    assert places == sorted(places)
    assert set(places) == {
        "catalog/instancetypes/m.yaml",
        "catalog/overlays.yaml",
        "catalog/preferences/a.yaml",
    }
    assert all(re.match(r"catalog/\S+\.yaml:\d+:\d+: ", line) for line in lines[:-1])
    assert lines[-1] == f"{len(lines) - 1} problems"
    assert not Path("output").exists()


def test_a_link_out_of_the_catalog_is_refused(workspace):
    write({})
    Path("secret.yaml").write_text("preferences: {}\n")
    Path("catalog/preferences").mkdir()
    Path("catalog/preferences/a.yaml").symlink_to("../../secret.yaml")
    result = build()
    assert result.stderr.startswith("catalog/preferences/a.yaml: is a symbolic link that leads out of the catalog")
    assert result.exit_code == 2


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_that_cannot_be_read_is_named(workspace):
    write({})
    Path("catalog/instancetypes/m.yaml").chmod(0)
    result = build()
    assert result.stderr.startswith("catalog/instancetypes/m.yaml: cannot be read: permission denied")
    assert result.exit_code == 2


def test_a_read_only_output_folder_is_left_alone(workspace):
    write({})
    build()
    before = tree()
    write({"instancetypes/m.yaml": SIZES.replace("4Gi", "8Gi")})
    Path("output").chmod(0o555)
    result = build()
    Path("output").chmod(0o755)
    assert "the folder is read-only; the output folder is as it was" in result.stderr
    assert result.exit_code == 2
    assert tree() == before


@pytest.mark.parametrize(("folder", "message"), [("none", NOT_THERE), ("file", "is not a folder")])
def test_no_catalog(workspace, folder, message):
    Path("file").touch()
    result = build(folder)
    assert result.stderr == f"{folder}: {message}\n1 problem\n"
    assert result.exit_code == 2


def test_build_writes_and_says_what_changed(workspace):
    write({})
    assert build().stderr == "output: 18 files, 18 new\n"
    assert build().stderr == "output: 18 files, nothing changed\n"
    write({"instancetypes/m.yaml": SIZES.replace("large: {vcpus: 4}", "huge: {vcpus: 8}")})
    result = build("--check")
    assert (result.exit_code, "+    guest: 8" in result.stdout) == (1, True)
    assert result.stderr.endswith("run: virtcatalog build catalog --output-dir output\n")
    assert build().exit_code == 0
    assert build("--check").stderr == "output is fresh: 18 files\n"


def test_the_command_that_makes_a_tree_fresh_is_safe_to_copy(workspace):
    write({})
    Path("virtcatalog.toml").write_text('output-dir = "x; touch pwned #"\n')
    assert build("--check").stderr.endswith("; run: virtcatalog build catalog --output-dir 'x; touch pwned #'\n")


def test_a_tree_whose_own_list_alone_differs_is_stale_and_said_to_be(workspace):
    """As one that was built before the list named the catalog."""
    write({})
    assert build().exit_code == 0
    listed = Path("output/.virtcatalog")
    head, owner, *paths = listed.read_text().splitlines(keepends=True)
    assert owner.startswith("# Of the catalog: ")
    listed.write_text(head + "".join(paths))
    assert build("--check").stderr.startswith("output is stale: only .virtcatalog changed; run: ")
    assert build().stderr == "output: 18 files, only .virtcatalog changed\n"
    assert build("--check").exit_code == 0
