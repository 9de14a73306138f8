"""A catalog that extends another: what it takes over, and what it lays over that."""

from pathlib import Path

import pytest

from checkouts import write
from virtcatalog.catalog.load import load_catalog
from virtcatalog.errors import CatalogError

BASE = {
    "catalog.yaml": """\
        name: base
        vendor: base.example.org
        kubevirt: v1.9.0
        parameters: {gpu: example.org/old}
        labels: {team: base, tier: one}
        """,
    "components.yaml": """\
        disk: {spec: {devices: {preferredDiskBus: sata}}}
        both: {components: [disk], spec: {devices: {preferredInputBus: usb}}}
        """,
    "instancetypes/m.yaml": """\
        class: z
        version: 1
        memoryPerVcpu: 4Gi
        annotations: {gpu: "{{ gpu }}"}
        sizes: {small: {vcpus: 1}, large: {vcpus: 4}}
        variants: {big: {spec: {memory: {hugepages: {pageSize: 1Gi}}}}}
        """,
    "preferences/linux.yaml": """\
        defaults: {osType: linux, components: [both]}
        variants: {desktop: {preferences: [one], displayName: "{{ displayName }} Desktop"}}
        preferences:
          one: {displayName: One, requirements: {vcpus: 2}}
          two: {displayName: Two}
        """,
}


class Repository:
    def __init__(self, root: Path) -> None:
        self.root = root

    def load(self, files=None, *, extra="", name="own"):
        if not (self.root / "base").exists():
            write(self.root / "base", BASE)
        write(self.root / name, {"catalog.yaml": f"name: {name}\nextends: ../base\n{extra}", **(files or {})})
        catalog = load_catalog(self.root / name)
        return {declared.name: declared for declared in (*catalog.instancetypes, *catalog.preferences)}

    def problems(self, files=None, *, extra=""):
        with pytest.raises(CatalogError) as caught:
            self.load(files, extra=extra)
        return [str(problem).replace(f"{self.root}/", "") for problem in caught.value.problems]


@pytest.fixture
def repository(tmp_path):
    return Repository(tmp_path)


def test_everything_is_taken_over(repository):
    by_name = repository.load()
    assert by_name.keys() == {"z1.small", "z1.large", "z1.smallbig", "z1.largebig", "one", "one.desktop", "two"}
    assert by_name["z1.small"].labels["instancetype.kubevirt.io/vendor"] == "base.example.org"
    assert by_name["one.desktop"].display_name == "One Desktop"


@pytest.mark.parametrize(
    ("select", "names"),
    [
        ('{instancetypes: ["*.small"]}', {"z1.small", "one", "one.desktop", "two"}),
        ("{instancetypes: [z1.small], preferences: [two]}", {"z1.small", "two"}),
        ('{except: ["*big", "one*"]}', {"z1.small", "z1.large", "two"}),
        ("{instancetypes: [], preferences: [one.desktop]}", {"one.desktop"}),
    ],
)
def test_globs_select(repository, select, names):
    assert repository.load(extra=f"select: {select}\n").keys() == names


def test_what_it_declares_itself_it_has(repository):
    files = {
        "instancetypes/m.yaml": "sizes: {large: {memory: 20Gi}, huge: {vcpus: 8}}\n",
        "preferences/linux.yaml": "preferences: {two: {osType: other}}\n",
    }
    by_name = repository.load(files, extra="select: {instancetypes: [], preferences: [one]}\n")
    assert by_name.keys() == {"z1.large", "z1.huge", "z1.hugebig", "one", "two"}
    assert str(by_name["z1.large"].memory) == "20Gi"
    assert (by_name["z1.huge"].vcpus, str(by_name["z1.huge"].memory)) == (8, "32Gi")
    assert by_name["two"].os_type == "other"


def test_its_layers_are_above_those_it_extends(repository):
    files = {
        "instancetypes/m.yaml": """\
            displayName: Ours
            spec: {ioThreadsPolicy: auto}
            sizes: {small: {labels: {mine: x}}}
            """,
        "preferences/linux.yaml": "defaults: {spec: {devices: {preferredInputBus: virtio}}}\npreferences: {}\n",
    }
    extra = "vendor: own.example.org\nlabels: {team: own, tier: null}\nparameters: {gpu: example.org/new}\n"
    by_name = repository.load(files, extra=extra)
    small = by_name["z1.small"]
    assert (small.display_name, small.spec["ioThreadsPolicy"], small.labels["mine"]) == ("Ours", "auto", "x")
    assert small.annotations["gpu"] == "example.org/new"
    assert small.labels["instancetype.kubevirt.io/vendor"] == "own.example.org"
    assert small.labels["team"] == "own"
    assert "tier" not in small.labels
    assert by_name["one"].spec["devices"] == {"preferredDiskBus": "sata", "preferredInputBus": "virtio"}


def test_components_are_shared(repository):
    files = {
        "components.yaml": "disk: {spec: {devices: {preferredDiskBus: virtio}}}\nmore: {components: [both]}\n",
        "preferences/own.yaml": "preferences: {three: {components: [more]}}\n",
    }
    by_name = repository.load(files)
    for name in ("one", "two", "three"):
        assert by_name[name].spec["devices"] == {"preferredDiskBus": "virtio", "preferredInputBus": "usb"}


def test_a_variant_may_be_added(repository):
    by_name = repository.load(
        {"instancetypes/m.yaml": "variants: {x: {sizes: [small], labels: {x: one}}}\n"},
        extra="select: {instancetypes: [z1.small], preferences: []}\n",
    )
    assert by_name.keys() == {"z1.small", "z1.smallx"}


def test_chains(repository):
    write(repository.root / "middle", {"catalog.yaml": "name: middle\nextends: ../base\nselect: {except: [two]}\n"})
    write(repository.root / "base", BASE)
    write(
        repository.root / "top",
        {"catalog.yaml": "name: top\nextends: ../middle\nselect: {instancetypes: [z1.small]}\n"},
    )
    catalog = load_catalog(repository.root / "top")
    assert [instancetype.name for instancetype in catalog.instancetypes] == ["z1.small"]
    assert [preference.name for preference in catalog.preferences] == ["one", "one.desktop"]
    assert (catalog.name, catalog.kubevirt) == ("top", "v1.9.0")


def test_errors_name_the_file_they_are_in(repository):
    files = {
        "instancetypes/m.yaml": "sizes: {small: {vcpus: 0}}\n",
        "preferences/linux.yaml": "preferences: {x: {z: 1}}\n",
    }
    assert [problem.split(": ")[0] for problem in repository.problems(files)] == [
        "own/instancetypes/m.yaml:1:17",
        "own/preferences/linux.yaml:1:19",
    ]


def test_errors_of_the_extended_catalog_are_at_their_place(repository, snapshot):
    write(repository.root / "base", BASE | {"preferences/bad.yaml": "preferences: {bad: {componentz: []}}\n"})
    (problem,) = repository.problems()
    assert problem.startswith("base/preferences/bad.yaml:1:21: preferences.bad.componentz: unknown field")
    assert problem == snapshot


@pytest.mark.parametrize(
    ("catalog", "problem"),
    [
        ("extends: /etc\n", "own/catalog.yaml:2:1: extends: '/etc' must be relative to this catalog's folder"),
        ("extends: ../../x\n", "own/catalog.yaml:2:1: extends: '../../x' leaves the folder that this catalog is in"),
        ("extends: ../none\n", "own/catalog.yaml:2:1: extends: there is no folder '../none'"),
        ("extends: ../empty\n", "own/catalog.yaml:2:1: extends: there is no catalog.yaml in '../empty'"),
        ("extends: .\n", "own/catalog.yaml:2:1: extends: a catalog cannot extend itself"),
        ("extends: inside\n", "own/catalog.yaml:2:1: extends: 'inside' lies within the catalog itself"),
        ("extends: ../circle\n", "circle/catalog.yaml:2:1: extends: catalogs extend each other in a circle"),
        ("kubevirt: v1.9.0\nselect: {except: [x]}\n", "own/catalog.yaml:3:1: select: selects from an extended catalog"),
        (
            "extends: ../base\nselect: {preferences: [ones]}\n",
            (
                "own/catalog.yaml:3:24: select.preferences[0]: 'ones' matches nothing of the extended catalog; "
                "did you mean 'one'?"
            ),
        ),
        *(
            (
                f"extends: ../base\nselect: {{{key}: [ones]}}\n",
                f" select.{key}[0]: 'ones' matches nothing of the extended catalog{meant}\n",
            )
            for key, meant in (("except", "; did you mean 'one'?"), ("instancetypes", ""))
        ),
    ],
)
def test_what_cannot_be_extended(repository, catalog, problem):
    write(repository.root / "base", BASE)
    write(repository.root / "circle", {"catalog.yaml": "name: circle\nextends: ../own\n"})
    (repository.root / "empty").mkdir()
    (repository.root / "own/inside").mkdir(parents=True)
    write(repository.root / "own", {"catalog.yaml": f"name: own\n{catalog}"})
    with pytest.raises(CatalogError) as caught:
        load_catalog(repository.root / "own")
    assert problem in f"{caught.value}\n".replace(f"{repository.root}/", "")


LEAVES = r": extends: '\.\./base' leaves the folder that this catalog is in; a catalog can extend its neighbours only$"


def test_a_link_does_not_lead_out(repository, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "catalog.yaml").write_text("name: x\nkubevirt: v1.9.0\n")
    (repository.root / "base").symlink_to(elsewhere)
    write(repository.root / "own", {"catalog.yaml": "name: own\nextends: ../base\n"})
    with pytest.raises(
        CatalogError,
        match=LEAVES,
    ):
        load_catalog(repository.root / "own")


def test_a_class_of_its_own_needs_a_file_name_of_its_own(repository, snapshot):
    (problem,) = repository.problems({"instancetypes/m.yaml": "class: x\nsizes: {}\n"})
    assert problem.startswith(
        "own/instancetypes/m.yaml:1:1: class: this file changes the class 'z' of base/instancetypes"
    )
    assert problem.endswith("; a class of your own needs a file of another name")
    assert problem == snapshot


class TestFieldsThatAreTooNew:
    """The catalog must work with an older KubeVirt than the one that it extends."""

    NEW = {"preferences/windows.yaml": "preferences: {win: {spec: {devices: {preferredVideoType: virtio}}}}"}
    OLDER = "kubevirt: v1.8.0\n"

    def test_are_a_fault_where_they_are_left(self, repository):
        write(repository.root / "base", {**BASE, **self.NEW})
        (problem,) = repository.problems(extra=self.OLDER)
        place, _, message = problem.partition(": preferences.win.spec.devices.preferredVideoType: ")
        assert place == "base/preferences/windows.yaml:1:38"
        assert message == "'preferredVideoType' needs KubeVirt v1.9, and the catalog must work with v1.8"

    def test_but_not_where_they_are_taken_out(self, repository):
        write(repository.root / "base", {**BASE, **self.NEW})
        own = {"preferences/windows.yaml": "preferences: {win: {spec: {devices: {preferredVideoType: null}}}}"}
        assert repository.load(own, extra=self.OLDER)["win"].spec == {"devices": {}}

    def test_a_component_is_told_where_it_says_so(self, repository, snapshot):
        components = "disk: {spec: {preferredArchitecture: amd64}}\nboth: {components: [disk]}\n"
        write(repository.root / "base", {**BASE, "components.yaml": components})
        (problem,) = repository.problems(extra="kubevirt: v1.0.0\n")
        assert problem.startswith("base/components.yaml:1:15: disk.spec.preferredArchitecture: 'preferredArchitecture'")
        assert problem == snapshot

    def test_the_catalogs_own_are_a_fault_in_any_case(self, repository, snapshot):
        write(repository.root / "base", BASE)
        own = {"components.yaml": "unused: {spec: {devices: {preferredVideoType: virtio}}}"}
        (problem,) = repository.problems(own, extra=self.OLDER)
        assert "own/components.yaml:1:" in problem
        assert "needs KubeVirt v1.9, and the catalog must work with v1.8" in problem
        assert problem == snapshot
