"""Files of VMs as a fleet: what is in them beside VMs, which environment has which VM, and what is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from checkouts import write
from virtcatalog.errors import ManifestError
from virtcatalog.fleet.files import Fleet, Share, SoundFleet, distinct, dumped, streams
from virtcatalog.fleet.sources import Placed, built_contents, contents
from virtcatalog.manifests.spool import Spool

VM = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: NAME}
spec: {runStrategy: Always, template: {spec: {domain: {devices: {}}}}}
"""
UNREADABLE = VM.replace("Always", "[]")
CLAIM = "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: root}\nspec: {}\n"
SECRET = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\n"
BROKEN_TYPE = """\
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineClusterInstancetype
metadata: {name: small}
spec: {cpu: {guest: one}, memory: {guest: 1Gi}}
"""
NO_NUMBER = "VirtualMachineClusterInstancetype/small: spec.cpu.guest: must be an integer, not the string 'one'"


def stream(*texts: str) -> str:
    return "---\n".join(texts)


def vm(name: str) -> str:
    return VM.replace("NAME", name)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def fleet_of(*sources: tuple[str, str], **files: str) -> Fleet:
    write(".", {f"{name}.yaml": text for name, text in files.items()})
    return Fleet([Placed(*source) for source in sources])


def names(shares: Any) -> list[tuple[str, list[str]]]:
    return [(share.environment, [vm.name for vm in share.manifests()[0]]) for share in shares]


class TestFleets:
    def test_objects_are_kept_with_where_they_are_from_and_files_without_a_vm_are_told(self) -> None:
        fleet = fleet_of(
            ("a.yaml", "lab"), ("b.yaml", ""), ("c.yaml", ""), a=stream(vm("a"), SECRET), b=CLAIM, c=SECRET
        )
        assert [(vm.name, where) for vm, where in fleet.objects] == [
            ("ConfigMap/other", "lab"),
            ("PersistentVolumeClaim/root", ""),
            ("ConfigMap/other", ""),
        ]
        assert (fleet.number, fleet.places, fleet.without_vm, fleet.problems) == (1, ["lab", "", ""], ["c.yaml"], [])
        assert names(fleet.shares()) == [("", ["VirtualMachine/a"])]

    def test_an_object_that_vms_depend_on_has_to_be_readable(self) -> None:
        with pytest.raises(ManifestError) as caught:
            fleet_of(("a.yaml", ""), ("gone", ""), a=stream(vm("a"), BROKEN_TYPE))
        assert [str(problem) for problem in caught.value.problems] == [
            f"a.yaml:9:14: {NO_NUMBER}",
            "gone: there is no such file or folder",
        ]

    def test_another_one_that_cannot_be_read_is_told(self) -> None:
        fleet = fleet_of(("a.yaml", ""), a=stream(vm("a"), "apiVersion: example.org/v1\nkind: X\nmetadata: 7\n"))
        assert list(map(str, fleet.problems)) == ["a.yaml:8:1: X: metadata: must be a map, not the number 7"]
        assert (fleet.objects, fleet.without_vm) == ([], [])


def by_name(data: dict[str, Any], where: str) -> list[str]:
    """An environment for each letter of a VM's name."""
    return list(data["metadata"]["name"])


class TestEnvironments:
    def test_each_environment_has_its_vms(self) -> None:
        fleet = fleet_of(("a.yaml", "x"), ("b.yaml", ""), a=stream(vm("pl"), vm("p")), b=stream(vm("l"), vm("pp")))
        chosen = fleet.by_environment(by_name)
        assert {key: names(fleet.shares()) for key, fleet in chosen.items()} == {
            ("p", "x"): [("p", ["VirtualMachine/pl"]), ("p", ["VirtualMachine/p"])],
            ("l", "x"): [("l", ["VirtualMachine/pl"])],
            ("l", ""): [("l", ["VirtualMachine/l"])],
            ("p", ""): [("p", ["VirtualMachine/pp", "VirtualMachine/pp"])],
        }
        assert {key: fleet.number for key, fleet in chosen.items()} == {
            ("p", "x"): 2,
            ("l", "x"): 1,
            ("l", ""): 1,
            ("p", ""): 2,
        }
        assert chosen["p", "x"].taken() == {(0, 0), (1, 0)}
        assert distinct(chosen.values()) == 4
        assert distinct([fleet, chosen["l", ""]]) == 5

    def test_one_that_cannot_be_read_is_with_the_first_environment_and_one_without_any_is_left_out(self) -> None:
        fleet = fleet_of(("a.yaml", ""), a=stream(vm("p"), vm("l"), UNREADABLE.replace("NAME", "odd"), vm("none")))
        chosen = fleet.by_environment(
            lambda data, where: [] if data["metadata"]["name"] == "none" else by_name(data, where)
        )
        assert {key: fleet.number for key, fleet in chosen.items()} == {("p", ""): 2, ("l", ""): 1}

    def test_where_it_is_the_first_its_environment_is_none(self) -> None:
        fleet = fleet_of(("a.yaml", "x"), a=stream(UNREADABLE.replace("NAME", "odd"), vm("p")))
        chosen = fleet.by_environment(by_name)
        assert {key: fleet.number for key, fleet in chosen.items()} == {("", "x"): 1, ("p", "x"): 1}

    def test_what_is_wrong_with_a_text_is_told_once(self) -> None:
        fleet = fleet_of(("a.yaml", ""), a=stream(vm("p"), "kind: [\n"))
        before = list(map(str, fleet.problems))
        fleet.by_environment(by_name)
        assert [*before, *map(str, fleet.problems)][-1:] == [
            "a.yaml:7:1: is not YAML: the text ends where a value is wanted"
        ]

    def test_of_some_places_the_text_is_not_told_again(self) -> None:
        (share,) = fleet_of(("a.yaml", ""), a=vm("p")).shares()
        assert Share(share.part, "lab", (0,)).manifests()[1] == []


class TestSoundFleets:
    def test_all_manifests_and_the_others_by_their_environment(self) -> None:
        write(".", {"a.yaml": stream(vm("a"), SECRET), "b.yaml": stream(CLAIM, vm("b"))})
        fleet = SoundFleet([Placed("a.yaml", "lab"), Placed("b.yaml")])
        assert fleet.number == 2
        assert {where: [other.name for other in others] for where, others in fleet.others.items()} == {
            "lab": ["ConfigMap/other"],
            "": ["PersistentVolumeClaim/root"],
        }
        for _ in range(2):
            assert [(vm.name, where) for vm, where in fleet] == [
                ("VirtualMachine/a", "lab"),
                ("VirtualMachine/b", ""),
            ]

    def test_an_answer_for_a_part_stands_for_its_vms(self) -> None:
        write(".", {"a.yaml": vm("a"), "b.yaml": vm("b")})
        fleet = SoundFleet([Placed("a.yaml"), Placed("b.yaml", "lab")])
        answers = fleet.answered(lambda share: "known" if share.part.file == "b.yaml" else None)
        assert [(getattr(item, "name", item), where) for item, where in answers] == [
            ("VirtualMachine/a", ""),
            ("known", "lab"),
        ]

    def test_after_a_problem_there_is_no_more_and_all_of_them_are_raised(self) -> None:
        write(".", {"a.yaml": stream(vm("a"), UNREADABLE.replace("NAME", "odd"), vm("c")), "b.yaml": UNREADABLE})
        read = []
        with pytest.raises(ManifestError) as caught:
            read += [vm.name for vm, _ in SoundFleet([Placed("a.yaml"), Placed("b.yaml")])]
        assert [str(problem) for problem in caught.value.problems] == [
            "a.yaml:9:8: VirtualMachine/odd: spec.runStrategy: must be a string, not a list",
            "b.yaml:4:8: VirtualMachine/NAME: spec.runStrategy: must be a string, not a list",
        ]

    def test_problems_of_other_objects_are_raised_at_once(self) -> None:
        write(".", {"a.yaml": stream(vm("a"), BROKEN_TYPE, UNREADABLE)})
        with pytest.raises(ManifestError) as caught:
            SoundFleet([Placed("a.yaml"), Placed("gone")])
        assert [str(problem) for problem in caught.value.problems] == [
            f"a.yaml:9:14: {NO_NUMBER}",
            "a.yaml:14:8: VirtualMachine/NAME: spec.runStrategy: must be a string, not a list",
            "gone: there is no such file or folder",
        ]


def test_every_file_is_handed_over_and_the_problems_of_all_are_raised() -> None:
    write(".", {"f/a.yaml": vm("a"), "f/b.yaml": vm("b"), "c.yaml": vm("c")})
    taken = []
    dumped([Placed("f", "lab"), Placed("c.yaml")], lambda stream, where: taken.append((stream.file, where)))
    assert taken == [("f/a.yaml", "lab"), ("f/b.yaml", "lab"), ("c.yaml", "")]

    def refuse(stream: Any, _where: str) -> None:
        raise ManifestError(*stream.problems, *problems)

    problems: list[Any] = []
    for problem in streams("gone", Spool(), problems):
        raise AssertionError(problem)
    with pytest.raises(ManifestError) as caught:
        dumped([Placed("gone"), Placed("c.yaml")], refuse)
    assert [str(problem) for problem in caught.value.problems] == ["gone: there is no such file or folder"] * 2


class TestSources:
    @pytest.mark.parametrize(
        ("files", "source", "paths", "problems"),
        [
            ({"a.yaml": "x", "b.json": "y", "c.txt": "z", "d/e.yml": "w"}, ".", ["a.yaml", "b.json", "d/e.yml"], []),
            ({"f/a.yaml": "x"}, "f/a.yaml", ["f/a.yaml"], []),
            ({"f/a.txt": "x"}, "f", [], ["f: no .yaml, .yml or .json file in this folder"]),
            ({}, "gone", [], ["gone: there is no such file or folder"]),
            (
                {"tree/.virtcatalog": "", "tree/base/a.yaml": "x", "tree/overlays/b.yaml": "y"},
                "tree",
                ["tree/base/a.yaml"],
                [],
            ),
            (
                {"tree/base/a.yaml": "x", "tree/overlays/b.yaml": "y"},
                "tree",
                ["tree/base/a.yaml", "tree/overlays/b.yaml"],
                [],
            ),
            ({"tree/.virtcatalog": "", "tree/b.yaml": "y"}, "tree", ["tree/b.yaml"], []),
        ],
    )
    def test_files_that_may_hold_manifests(
        self, files: dict[str, str], source: str, paths: list[str], problems: list[str]
    ) -> None:
        write(".", files)
        reported: list[Any] = []
        read = dict(contents(source, reported))
        assert (list(read), list(map(str, reported))) == (paths, problems)
        assert all(content == files[name].encode() for name, content in read.items())

    def test_a_link_that_leads_out_is_told_and_the_others_are_read(self) -> None:
        write(".", {"f/a.yaml": "x", "f/c.yaml": "z"})
        Path("f/b.yaml").symlink_to("/dev/null")
        reported: list[Any] = []
        assert [name for name, _ in contents("f", reported)] == ["f/a.yaml", "f/c.yaml"]
        assert list(map(str, reported)) == ["f/b.yaml: is a symbolic link that leads out of the folder"]

    @pytest.mark.parametrize(
        ("kustomization", "vms", "problems"),
        [
            ("resources: [vm.yaml]\nnamePrefix: x-\n", ["VirtualMachine/x-a"], []),
            (
                "resources: [vm.yaml, gone.yaml]\n",
                ["VirtualMachine/a"],
                ["f/kustomization.yaml:1:22: resources[1]: there is no file and no kustomization at gone.yaml"],
            ),
        ],
    )
    def test_a_folder_that_kustomize_builds_is_what_it_builds(
        self, kustomization: str, vms: list[str], problems: list[str]
    ) -> None:
        write(".", {"f/kustomization.yaml": kustomization, "f/vm.yaml": vm("a"), "f/other.yaml": vm("b")})
        reported: list[Any] = []
        texts = b"".join(content for _, content in built_contents("f", reported)).decode()
        write(".", {"built.yaml": texts or SECRET})
        fleet = Fleet([Placed("built.yaml")])
        assert [name for _, manifests in names(fleet.shares()) for name in manifests] == vms
        assert list(map(str, reported)) == problems
