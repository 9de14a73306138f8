"""Two repositories side by side: what their units are called, which VM of one is which of the other, and remarks."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from virtcatalog.catalog.places import Source
from virtcatalog.errors import Problem
from virtcatalog.repositories.documents import Opaque
from virtcatalog.repositories.model import Environment, Repository, Resource
from virtcatalog.repositories.placeholders import Open
from virtcatalog.review.deployed import frozen, matched, quiet, remarks, side_of
from virtcatalog.review.side import Side
from virtcatalog.review.verdict import Verdict

Data = dict[str, Any]


def manifest(name: str = "web", namespace: str = "shop", kind: str = "VirtualMachine", **more: Any) -> Data:
    version = {"VirtualMachine": "kubevirt.io/v1", "ConfigMap": "v1"}.get(kind, "cdi.kubevirt.io/v1beta1")
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": version, "kind": kind, "metadata": metadata, **({"spec": {}} | more)}


def at(place: str, data: Data, *open_: Open) -> Resource:
    """An object of a file, such as `apps/vms.yaml:3`."""
    file, _, line = place.rpartition(":")
    return Resource(data, lambda _: Source(file, int(line)), open_)


def unit(name: str, folder: str = "", *resources: Resource, **more: Any) -> Environment:
    """A unit of Flux's, or what else `kind` says, declared in `FOLDER/unit.yaml`."""
    fields: Data = {"kind": "Kustomization", "place": Source(f"{folder}/unit.yaml".lstrip("/"), 1), **more}
    return Environment(name=name, folder=folder, resources=resources, **fields)


def folder(path: str, *resources: Resource) -> Environment:
    """A folder of plain manifests."""
    return unit(path, path, *resources, kind="folder", place=Source(path))


def side(*environments: Environment, label: str = "new", **more: Any) -> Side:
    return Side(label=label, repository=Repository(environments=environments, **more))


def vms(of: Side) -> list[tuple[str, str]]:
    """The VMs of a side, each by its environment and what it is called."""
    return [(vm.environment, vm.key) for vm in of.vms]


VM = at("vms.yaml:3", manifest())
DB = at("vms.yaml:9", manifest("db"))


@pytest.mark.parametrize(
    ("base", "head", "units"),
    [
        ([unit("a", "apps"), unit("b", "apps")], [unit("a", "apps")], (["a", "b"], ["a"])),
        # Where several units have a name, their folders are before it; where these are one, the cluster is behind it.
        ([unit("a", "x"), unit("a", "y"), unit("b", "x")], [unit("a", "x")], (["x/a", "y/a", "b"], ["x/a"])),
        ([unit("a", "x")], [unit("a", "x"), unit("a", "y")], (["x/a"], ["x/a", "y/a"])),
        ([unit("a", ""), unit("a", "y")], [], (["a", "y/a"], [])),
        (
            [unit("a", "x", cluster="west"), unit("a", "x", cluster="east"), unit("b", cluster="west")],
            [],
            (["x/a of west", "x/a of east", "b"], []),
        ),
        # Where one side knows no cluster, neither side says it.
        (
            [unit("a", "x", cluster="west"), unit("a", "x", cluster="east")],
            [unit("a", "x")],
            (["x/a", "x/a"], ["x/a"]),
        ),
        ([folder("plain"), unit("a", "x")], [], (["", "a"], [])),
    ],
)
def test_a_unit_is_called_by_its_name_and_no_more_than_tells_it_apart(
    base: list[Environment], head: list[Environment], units: tuple[list[str], list[str]]
) -> None:
    before, after = matched(side(*base, label="old"), side(*head))
    assert ([*before.units], [*after.units]) == units


@pytest.mark.parametrize(
    ("environments", "names"),
    [
        ([folder("apps", VM, DB)], [("", "shop/web"), ("", "shop/db")]),
        ([unit("a", "x", VM), folder("apps", VM)], [("a", "shop/web"), ("", "shop/web")]),
        # Plain objects of one name are told apart by their folders, their files, or else their numbers.
        ([folder("a", VM, DB), folder("b", VM)], [("a", "shop/web"), ("", "shop/db"), ("b", "shop/web")]),
        (
            [folder("a", at("a/x.yaml:1", manifest()), at("chart.tgz:a/y.yaml:1", manifest()))],
            [("a/x.yaml", "shop/web"), ("a/y.yaml", "shop/web")],
        ),
        (
            [folder("a", at("a/x.yaml:1", manifest()), at("a/x.yaml:9", manifest()))],
            [("a/x.yaml #1", "shop/web"), ("a/x.yaml #2", "shop/web")],
        ),
        (
            [folder("vms.yaml", at("vms.yaml:1", manifest()), at("vms.yaml:9", manifest()))],
            [("vms.yaml #1", "shop/web"), ("vms.yaml #2", "shop/web")],
        ),
        (
            [folder("", at("x.yaml:1", manifest()), at("y.yaml:1", manifest()))],
            [("x.yaml", "shop/web"), ("y.yaml", "shop/web")],
        ),
    ],
)
def test_plain_manifests_are_called_by_nothing_or_what_tells_them_apart(
    environments: list[Environment], names: list[tuple[str, str]]
) -> None:
    assert vms(side_of(Repository(environments=tuple(environments)), "new")) == names


def test_a_vm_is_the_same_whether_its_namespace_is_written_or_not() -> None:
    written, unwritten = (folder("a", at("a/x.yaml:1", manifest(namespace=name))) for name in ("default", ""))
    before, after = matched(side(unwritten, label="old"), side(written))
    assert vms(before) == vms(after) == [("", "default/web")]
    assert vms(side_of(Repository(environments=(unwritten,)), "new")) == [("", "web")]


@pytest.mark.parametrize(
    ("base", "head", "before", "after"),
    [
        # The unit has another name; the folder of a unit that stays has moved, or what deployed it is gone.
        ([unit("a", "x", VM)], [unit("b", "x", VM)], [("b", "shop/web")], [("b", "shop/web")]),
        ([unit("a", "x", VM)], [unit("a", "x"), unit("b", "x", VM)], [("b", "shop/web")], [("b", "shop/web")]),
        ([unit("a", "x", VM)], [folder("plain", VM)], [("a", "shop/web")], []),
        ([folder("plain", VM)], [unit("a", "x", VM)], [("a", "shop/web")], [("a", "shop/web")]),
        (
            [folder("p", VM), unit("a", "x", DB)],
            [unit("a", "x", DB, VM)],
            [("a", "shop/db")],
            [("a", "shop/db"), ("a", "shop/web")],
        ),
        # The unit above no longer deploys it, or deploys it from now on.
        (
            [unit("root", origin="r", kind="Application"), unit("a", "x", VM, origin="a", by="r")],
            [unit("root", origin="r", kind="Application"), unit("a", "x", VM, origin="a")],
            [("a", "shop/web")],
            [],
        ),
    ],
)
def test_a_vm_is_where_the_other_side_has_it(
    base: list[Environment], head: list[Environment], before: Any, after: Any
) -> None:
    found_vms = [vms(side) for side in matched(side(*base, label="old"), side(*head))]
    assert found_vms == [before, after]


def test_what_is_no_repository_stays_as_it_is() -> None:
    plain, repository = Side(label="old"), side(unit("a", "x", VM))
    assert matched(plain, repository) == (plain, repository)
    assert matched(repository, plain) == (repository, plain)
    assert [*remarks(plain, repository, [])] == [*remarks(repository, plain, [])] == []
    assert frozen(plain, repository) == frozen(repository, plain) == []
    assert quiet(plain, repository, []) == quiet(repository, plain, []) == []


BROKEN, HELM = Problem("old/b.yaml", 2, message="is wrong"), Problem("old/chart", message="needs helm")


def renamed(problem: Problem, label: str = "new") -> Problem:
    """The same problem of the other side."""
    return Problem(problem.file.replace("old/", f"{label}/"), problem.line, message=problem.message)


def test_a_side_has_all_of_its_repository() -> None:
    disk, field = at("c.yaml:5", manifest("root", kind="DataVolume")), Open(("spec", "a"), "${A}")
    hidden = [Opaque(Problem("new/c.yaml", message="needs sops", object=name), b"1") for name in ("S/a", "S/b", "S/a")]
    of = side_of(
        Repository(
            environments=(
                unit("a", "x", at("vms.yaml:3", manifest(), field), disk, unrendered=(renamed(HELM),)),
                unit("b", "y", problems=(renamed(BROKEN),), failed=True),
                unit("c", "y", problems=(renamed(BROKEN),)),
            ),
            opaque=tuple(hidden),
        ),
        "new",
    )
    (vm,) = of.vms
    assert (vm.key, vm.environment, vm.open, vm.unit, str(vm.place)) == (
        ("shop/web", "a", (field,), (0, "x"), "vms.yaml:3:1")
    )
    assert of.objects == {"": [], "a": [disk.data]}
    assert of.problems == (renamed(BROKEN),)
    assert of.unrendered == (renamed(HELM),)
    assert of.opaque == tuple(
        ((*("c.yaml", name), number), opaque)
        for (name, number), opaque in zip((("S/a", 0), ("S/b", 0), ("S/a", 1)), hidden, strict=True)
    )
    assert of.left_out == {"b.yaml"}
    assert of.units == ("a", "b", "c")
    assert of.incomplete == {"a": {HELM.sentence}, "b": {BROKEN.sentence}}


@pytest.mark.parametrize(
    ("broken", "there", "problems"),
    [
        # The same sentence on the same file, or another one, or on a file that is another one now.
        ((b"1", b"1"), BROKEN, 0),
        ((b"1", b"2"), BROKEN, 1),
        ((b"1", b"1"), Problem("old/b.yaml", 5, message="is wrong"), 0),
        ((b"1", b"1"), Problem("old/b.yaml", 2, message="is odd"), 1),
        ((b"1", b"1"), Problem("old/c.yaml", 2, message="is wrong"), 1),
        ((None, None), BROKEN, 1),
    ],
)
def test_a_problem_that_stands_on_both_sides_is_none_of_the_change(
    broken: tuple[bytes | None, bytes | None], there: Problem, problems: int
) -> None:
    files = [{"b.yaml": digest} if digest else {} for digest in broken]
    base = side(label="old", problems=(BROKEN,), broken=files[0])
    head = side(problems=(renamed(there),), broken=files[1])
    before, after = matched(base, head)
    assert (before.problems, after.problems) == ((BROKEN,) * problems, (renamed(there),) * problems)
    assert (before.unrendered, after.unrendered) == ((BROKEN,) * (not problems), (renamed(there),) * (not problems))


@pytest.mark.parametrize(
    ("declared", "kind", "names", "incomplete"),
    [
        ("new/b.yaml", "Kustomization", "ab", {"b": {"is wrong"}}),
        ("new/c.yaml", "Kustomization", "ab", {}),
        ("new/b.yaml", "kustomization", "ab", {}),
        ("new/b.yaml", "Kustomization", "b", {}),
    ],
)
def test_a_unit_whose_declaration_cannot_be_read_is_not_there_as_a_whole(
    declared: str, kind: Any, names: str, incomplete: dict[str, set[str]]
) -> None:
    there = unit("b", "x", place=Source(declared), kind=kind)
    here = [unit(names[0], "x")]
    before, after = matched(side(*here, label="old", problems=(BROKEN,)), side(unit("a", "x"), there))
    assert before.incomplete == incomplete
    assert after.incomplete == {}
    theirs = [
        replace(environment, place=Source(environment.place.file.replace("new/", "old/")))
        for environment in (unit("a", "x"), there)
    ]
    before, after = matched(side(*theirs, label="old"), side(*here, problems=(renamed(BROKEN),)))
    assert after.incomplete == incomplete
    assert before.incomplete == {}


def test_what_is_in_the_files_and_nothing_deploys_any_more_is_found_by_nobody() -> None:
    disk = at("d.yaml:1", manifest("root", kind="DataVolume"))
    before, after = matched(
        side(unit("a", "x", VM, disk), label="old"), side(unit("b", "y", DB), folder("plain", VM, disk))
    )
    assert vms(before) == [("a", "shop/web")]
    assert vms(after) == [("b", "shop/db")]
    assert after.views is not None
    assert before.views is not None
    assert [obj["metadata"]["name"] for obj in before.objects_in("a", before.vms[0].unit)] == ["root"]
    assert [*after.objects_in("b", after.vms[0].unit)] == []


LABELLED = {**manifest(), "metadata": {"name": "web", "namespace": "shop", "labels": {"a": "b"}}}


@pytest.mark.parametrize(
    ("old", "new", "verdicts", "lines"),
    [
        (manifest(), manifest(), [], []),
        (manifest(namespace="default"), manifest(namespace=""), [], []),
        (manifest(), LABELLED, [], [
            "1 VM differs in Git, and its machine does not, now or at its next start: shop/web (metadata.labels.a)",
        ]),
        (manifest(), LABELLED, [Verdict(vm="shop/web", environment="a", place="vms.yaml:3")], []),
        (manifest(), LABELLED, [Verdict(vm="shop/web", environment="b", place="vms.yaml:3")], [
            "1 VM differs in Git, and its machine does not, now or at its next start: shop/web (metadata.labels.a)",
        ]),
        (manifest("db"), LABELLED, [], []),
    ],
)  # fmt: skip
def test_a_vm_that_differs_in_git_alone_is_remarked(
    old: Data, new: Data, verdicts: list[Verdict], lines: list[str]
) -> None:
    base, head = matched(
        side(unit("a", "x", at("vms.yaml:3", old)), label="old"), side(unit("a", "x", at("vms.yaml:3", new)))
    )
    assert [*remarks(base, head, verdicts)] == lines
    opened = at("vms.yaml:3", new, Open(("spec", "a"), "${A}"))
    assert [*remarks(*matched(base, side(unit("a", "x", opened))), verdicts)] == []


def test_of_many_vms_that_differ_in_git_alone_five_are_named_and_five_fields() -> None:
    def of(label: str, value: str) -> Side:
        objects = [
            {**manifest(f"vm-{number}"), "metadata": {"name": f"vm-{number}", "labels": {f"l{number % 6}": value}}}
            for number in range(7)
        ]
        return side(unit("a", "x", *(at("vms.yaml:1", obj) for obj in objects)), label=label)

    (line,) = remarks(*matched(of("old", "a"), of("new", "b")), [])
    assert line == (
        "7 VMs differ in Git, and their machines do not, now or at their next start: "
        "vm-0, vm-1, vm-2, vm-3, vm-4 and 2 more (metadata.labels.l0, metadata.labels.l1, metadata.labels.l2, "
        "metadata.labels.l3, metadata.labels.l4 and 1 more)"
    )


def test_fields_that_cannot_change_are_remarked_but_for_those_of_vms() -> None:
    def of(label: str, size: int, place: str = "d.yaml:1") -> Side:
        vmi = manifest("vmi", kind="VirtualMachineInstance", spec={"a": size}) | {"apiVersion": "kubevirt.io/v1"}
        objects = manifest("root", kind="DataVolume", spec={"source": {"blank": {}}, "size": size}), vmi
        return side(unit("a", "x", *(at(place, obj) for obj in objects)), label=label)

    base, head = matched(of("old", 1), of("new", 2))
    assert [(change.unit.name, change.field) for change in frozen(base, head)] == [("a", "spec.size")]
    (line,) = remarks(base, head, [Verdict(vm="shop/vmi", environment="a", place="d.yaml:1")])
    assert line == (
        "DataVolume/shop/root: spec.size cannot change, and the sync fails: "
        "give it another name and have VMs use that, or delete it first, with its data"
    )


RENDERED = "catalog.yaml has changed, and what is rendered of it has not: `virtcatalog build` renders it"
IDLE = "b/vms.yaml has changed and holds VMs, and nothing deploys it"


@pytest.mark.parametrize(
    ("base", "head", "lines"),
    [
        ({"catalogs": {"catalog.yaml": b"1"}}, {"catalogs": {"catalog.yaml": b"2"}}, [RENDERED]),
        ({"catalogs": {"catalog.yaml": b"1"}}, {"catalogs": {"catalog.yaml": b"1"}}, []),
        ({}, {"catalogs": {"catalog.yaml": b"1"}}, []),
        ({"idle": {"b/vms.yaml": b"1"}}, {"idle": {"b/vms.yaml": b"2"}}, [IDLE]),
        ({}, {"idle": {"b/vms.yaml": b"2", "a.yaml": b"1"}}, [IDLE.replace("b/vms", "a"), IDLE]),
        ({"idle": {"b/vms.yaml": b"1"}}, {"idle": {"b/vms.yaml": b"1"}}, []),
        ({"idle": {"b/vms.yaml": b"1"}}, {}, []),
        ({}, {"idle": {"vms.yaml": b"2"}}, []),  # that something deployed it before is said of its VMs
    ],
)
def test_what_changes_and_is_not_applied_is_remarked(base: Data, head: Data, lines: list[str]) -> None:
    units = unit("a", "x", at("old/vms.yaml:1", manifest())), unit("a", "x", at("new/vms.yaml:1", manifest()))
    assert [*remarks(*matched(side(units[0], label="old", **base), side(units[1], **head)), [])] == lines


def test_a_catalog_that_changes_with_what_is_rendered_of_it_is_not_remarked() -> None:
    disks = (unit("a", "x", at("d.yaml:1", manifest("root", kind="DataVolume", status={"a": n}))) for n in (1, 2))
    base, head = (side(documents, catalogs={"catalog.yaml": b"%d" % n}) for n, documents in enumerate(disks))
    assert [*remarks(*matched(base, head), [])] == []
