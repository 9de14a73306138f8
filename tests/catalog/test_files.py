"""Which files a catalog has, and what is wrong with files as such."""

import os

import pytest

from virtcatalog.catalog.load import load_catalog
from virtcatalog.errors import CatalogError
from virtcatalog.manifests.folder import SourceError, held


@pytest.mark.parametrize(
    ("files", "problem"),
    [
        ({"catalog.yaml": None}, "catalog.yaml: is missing: it names the catalog and the oldest KubeVirt release"),
        ({"catalog.yaml": "kubevirt: v1.9.0\n"}, "catalog.yaml:1:1: name: is required"),
        ({"catalog.yaml": "name: x\n"}, "catalog.yaml:1:1: kubevirt: is required"),
        ({"catalog.yaml": "name: x\nkubevirt:\n"}, "catalog.yaml:2:1: kubevirt: is required"),
        ({"catalog.yaml": "name: ''\nkubevirt: v1.9.0\n"}, "catalog.yaml:1:1: name: must not be empty"),
        (
            {"catalog.yaml": "name: x\nkubevirt: 1.9\n"},
            "catalog.yaml:2:1: kubevirt: must be a string such as v1.3.0, not the number 1.9",
        ),
        (
            {"catalog.yaml": "name: x\nkubevirt: '1.9'\n"},
            "catalog.yaml:2:1: kubevirt: must be a string such as v1.3.0, not '1.9'",
        ),
        (
            {"catalog.yaml": "name: x\nkubevirt: v1.9.0\nvendour: y\n"},
            "catalog.yaml:3:1: vendour: unknown field 'vendour'; did you mean 'vendor'?",
        ),
        (
            {"catalog.yaml": "name: x\nkubevirt: v1.9.0\nvendor: a b\n"},
            "catalog.yaml:3:1: vendor: Kubernetes refuses the label value 'a b'",
        ),
        (
            {"catalog.yaml": "name: x\nkubevirt: v1.9.0\nparameters: {size: 1}\n"},
            "catalog.yaml:3:14: parameters.size: 'size' cannot be a parameter",
        ),
        (
            {"catalog.yaml": "name: x\nkubevirt: v1.9.0\nparameters: {a-b: 1}\n"},
            "catalog.yaml:3:14: parameters.a-b: 'a-b' cannot be a parameter",
        ),
        (
            {"catalog.yaml": "name: x\nkubevirt: v1.9.0\noperator: {commonInstancetypes: off}\n"},
            "catalog.yaml:3:12: operator.commonInstancetypes: must be one of enabled, disabled, not the boolean false",
        ),
        (
            {"catalog.yaml": "name: x\nkubevirt: v1.9.0\nlabels: {instancetype.kubevirt.io/vendor: x}\n"},
            "catalog.yaml:3:10: labels[instancetype.kubevirt.io/vendor]: instancetype.kubevirt.io/vendor is",
        ),
        (
            {"catalog.yaml": "name: x\nkubevirt: v1.9.0\ninstancetypes: {size: 1}\n"},
            "catalog.yaml:3:17: instancetypes.size: unknown field 'size'",
        ),
        ({"catalog.yaml": "[]\n"}, "catalog.yaml:1:1: must be a map, not a list"),
        ({"preferences/linux.yaml": ""}, "preferences/linux.yaml: is empty"),
        ({"preferences/linux.yaml": "# nothing\n"}, "preferences/linux.yaml: is empty"),
        (
            {"preferences/linux.yaml": "a: 1\n---\nb: 1\n"},
            "preferences/linux.yaml:1:1: holds several documents; one file, one document",
        ),
        ({"preferences/linux.yaml": "preferences: {a: {}\n"}, "preferences/linux.yaml:1:14: is not YAML"),
        (
            {"preferences/linux.yaml": "preferences:\n\ta: {}\n"},
            "preferences/linux.yaml:2:1: a tab cannot indent YAML; use spaces",
        ),
        (
            {"preferences/linux.yaml": "preferences: {a: {}, a: {}}\n"},
            "preferences/linux.yaml:1:22: the key 'a' is here twice, first in line 1",
        ),
        (
            {"preferences/linux.yaml": "preferences: {}\nprefs: {}\n"},
            "preferences/linux.yaml:2:1: prefs: unknown field 'prefs'",
        ),
        ({"preferences/linux.yaml": "defaults: {}\n"}, "preferences/linux.yaml:1:1: preferences: is required"),
        ({"preferences/linux.yml": "{}"}, "preferences/linux.yml: is not read: catalog files are named *.yaml"),
        (
            {"instancetype/m.yaml": "{}"},
            "instancetype/m.yaml: is not read; did you mean 'instancetypes'?",
        ),
        (
            {"component.yaml": "{}"},
            "component.yaml: is not read; did you mean 'components.yaml'?",
        ),
        (
            {"preferences/x.yaml.j2": "{}"},
            "preferences/x.yaml.j2: is not read: files of preferences/ are named *.yaml",
        ),
    ],
)
def test_faults_of_files(catalog, files, problem):
    (text,) = catalog.problems(files)
    assert text.startswith(problem)


def test_a_path_without_a_catalog(tmp_path):
    with pytest.raises(CatalogError, match=r"^.*/nowhere: there is no such file or folder$"):
        load_catalog(tmp_path / "nowhere")
    (tmp_path / "file").write_text("")
    with pytest.raises(CatalogError, match=r"^.*/file: is not a folder$"):
        load_catalog(tmp_path / "file")


def test_other_files_do_not_matter(catalog):
    catalog.write({"README.md": "# Catalog", ".hidden.yaml": "]", "preferences/.swp.yaml": "]"})
    assert len(catalog.load().objects()) == 6


def test_folders_may_have_folders(catalog):
    loaded = catalog.load({"preferences/more/x.yaml": "preferences: {x: {}}\n"})
    assert [preference.name for preference in loaded.preferences] == ["linux.one", "x"]


def test_text_that_is_not_utf8(catalog):
    catalog.write({})
    (catalog.root / "components.yaml").write_bytes(b"a: \xff\n")
    (text,) = catalog.problems()
    assert text == "components.yaml:1:4: is not UTF-8 text"


FILES = {
    "catalog.yaml": b"name: house\nkubevirt: v1.9.0\n",
    "components.yaml": b"{}\n",
    "prices.yaml": b"perHour: {cpu: 1}\n",
    "preferences/a.yaml": b"preferences: {a: {}}\n",
    "vms/web.yaml": b"{}\n",
    "vms/db.yaml.j2": b"{}\n",
}


@pytest.mark.parametrize(
    "broken", ["components.yaml", "prices.yaml", "preferences/a.yaml", "vms/web.yaml", "vms/db.yaml.j2"]
)
def test_a_file_that_a_disk_does_not_give(broken, monkeypatch):
    folder = held(FILES)
    read = folder.read

    def fail(path, *most):
        if path == broken:
            raise SourceError("cannot be read: input/output error", path)
        return read(path, *most)

    monkeypatch.setattr(folder, "read", fail)
    with pytest.raises(CatalogError) as caught:
        load_catalog("catalog", folder)
    assert f"catalog/{broken}: cannot be read: input/output error" in map(str, caught.value.problems)


def test_a_folder_that_a_disk_does_not_give(monkeypatch):
    folder = held(FILES)

    def fail():
        raise SourceError("cannot be read: input/output error")

    monkeypatch.setattr(folder, "listing", fail)
    with pytest.raises(CatalogError) as caught:
        load_catalog("catalog", folder)
    assert "catalog: cannot be read: input/output error" in map(str, caught.value.problems)


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads every file")
def test_a_file_that_cannot_be_read(catalog):
    catalog.write({"components.yaml": "{}"})
    (catalog.root / "components.yaml").chmod(0)
    (text,) = catalog.problems()
    assert text == "components.yaml: cannot be read: permission denied"


def test_links_stay_in_the_catalog(catalog, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside")
    (outside / "x.yaml").write_text("preferences: {x: {}}\n")
    catalog.write({})
    folder = catalog.root / "preferences"
    (folder / "out.yaml").symlink_to(outside / "x.yaml")
    (folder / "far").symlink_to(outside)
    (folder / "round").symlink_to(catalog.root / "vms")
    (catalog.root / "vms").mkdir()
    assert catalog.problems() == [
        "preferences/far: is a symbolic link that leads out of the catalog",
        "preferences/out.yaml: is a symbolic link that leads out of the catalog",
        "preferences/round: is a symbolic link to a folder; put the files into the catalog",
    ]


def test_links_within_the_catalog_and_to_it_are_fine(catalog, tmp_path_factory):
    catalog.write({"vms/x.txt": "preferences: {x: {}}\n"})
    (catalog.root / "preferences" / "x.yaml").symlink_to(catalog.root / "vms" / "x.txt")
    link = tmp_path_factory.mktemp("links") / "catalog"
    link.symlink_to(catalog.root)
    assert len(load_catalog(link).preferences) == 2


def test_what_is_no_regular_file_is_not_opened(catalog):
    catalog.write({})
    os.mkfifo(catalog.root / "components.yaml")
    (catalog.root / "overlays.yaml").symlink_to("nothing.yaml")
    assert catalog.problems() == [
        "components.yaml: is no regular file",
        "overlays.yaml: there is no such file or folder",
    ]


def test_aliases_cannot_explode(catalog):
    lines = ["a0: &a0 {x: {y: z}}"] + [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 9)]
    (text,) = catalog.problems({"catalog.yaml": "name: x\nkubevirt: v1.9.0\nparameters:\n  " + "\n  ".join(lines)})
    assert "aliases stand for more than" in text


def test_aliases_are_as_good_as_written_out(catalog):
    text = "preferences: {x: &x {spec: {devices: {preferredDiskBus: sata}}}, z: *x}\n"
    one, other = catalog.load({"preferences/linux.yaml": text}).preferences
    assert one.spec == other.spec
    assert one.spec["devices"] is not other.spec["devices"]


def test_everything_wrong_is_reported_in_one_run(catalog):
    files = {
        "catalog.yaml": "name: x\nkubevirt: v1.9.0\nvendour: y\n",
        "instancetypes/m.yaml": "class: m\nsizes: {s: {vcpus: 1}, t: {vcpus: -1, memory: 1Gi}}\n",
        "instancetypes/n.yaml": "class: [\n",
        "preferences/linux.yaml": "preferences: {X: {}, x: {deprecated: {replacedBy: q}}}\n",
        "overlays.yaml": "e: {scope: clusters}\n",
        "vms/vm.yaml": "kind: VirtualMachine\n",
    }
    texts = catalog.problems(files)
    assert [text.partition(":")[0] for text in texts] == [
        *("catalog.yaml", "instancetypes/m.yaml", "instancetypes/m.yaml", "instancetypes/n.yaml", "overlays.yaml"),
        *("preferences/linux.yaml", "vms/vm.yaml", "vms/vm.yaml"),  # replacedBy may have meant the misspelt one
    ]


def test_names_belong_to_one_object(catalog):
    files = {
        "preferences/linux.yaml": "preferences: {x: {variants: {z: {}}}}\n",
        "preferences/other.yaml": "preferences: {x: {}, x.z: {}}\n",
    }
    assert catalog.problems(files) == [
        "preferences/other.yaml:1:15: preferences.x: 'x' is declared twice, first at preferences/linux.yaml:1:15",
        "preferences/other.yaml:1:22: preferences[x.z]: 'x.z' is declared twice, first at preferences/linux.yaml:1:30",
    ]


def test_an_instance_type_and_a_preference_may_share_a_name(catalog):
    assert len(catalog.load({"preferences/linux.yaml": "preferences: {m.small: {}}\n"}).objects()) == 6


@pytest.mark.parametrize(
    ("files", "name"),
    [
        ({"instancetypes/m.yaml": "class: u\nversion: 1\nsizes: {small: {vcpus: 1, memory: 1Gi}}\n"}, "u1.small"),
        ({"preferences/linux.yaml": "preferences: {windows: {variants: {2k22.virtio: {}}}}\n"}, "windows.2k22.virtio"),
        ({"preferences/linux.yaml": "preferences: {fedora: {}}\n"}, "fedora"),
    ],
)
def test_the_names_of_the_operator_are_taken_unless_it_deploys_nothing(catalog, files, name):
    (text,) = catalog.problems(files)
    assert f"KubeVirt's operator deploys {name!r} itself" in text
    off = {"catalog.yaml": "name: x\nkubevirt: v1.9.0\noperator: {commonInstancetypes: disabled}\n"}
    loaded = catalog.load(files | off)
    assert name in [declared.name for declared in (*loaded.instancetypes, *loaded.preferences)]
    assert not loaded.operator_deployment


def test_the_place_of_a_key_that_yaml_takes_for_true(catalog):
    (problem,) = catalog.problems({"preferences/linux.yaml": "preferences: {x: {y: 1}}\n"})
    assert problem.startswith("preferences/linux.yaml:1:19: preferences.x.true: unknown field 'true'")
