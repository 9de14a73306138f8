"""Which object of one repository is which of another: objects stay, go to another unit, or are deployed no longer."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import pytest

from virtcatalog.catalog.places import Source
from virtcatalog.errors import Problem
from virtcatalog.repositories.model import Environment, Kind, Repository, Resource
from virtcatalog.review.matching import Deployed, deployed_files, moved, without_aside, without_idle
from virtcatalog.review.side import Side
from virtcatalog.review.units import Unit

SIDE = Side(label="new")
PROBLEM = Problem("a.yaml", message="is wrong")


def vm(name: str = "web", namespace: str = "shop", **spec: Any) -> dict[str, Any]:
    metadata = {"name": name, "namespace": namespace}
    return {"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": metadata, "spec": spec}


def at(unit: str, kind: Kind = "Kustomization", file: str = "vms.yaml", cluster: str = "", **manifest: Any) -> Deployed:
    """A VM in a unit of that name."""
    environment = Environment(name=unit, kind=kind, folder=unit, place=Source("unit.yaml"), cluster=cluster)
    return Deployed(Unit(0, unit), environment, Resource(vm(**manifest), lambda _: Source(f"new/{file}", 1)), unit)


def names(before: list[Deployed], after: list[Deployed], *units: Collection[str]) -> list[str]:
    """In which environments the objects of before are, once they are where those of after are."""
    objects = moved(before, after, units or ({"a", "b"}, {"a", "b"}))
    assert [object_.resource for object_ in objects] == [object_.resource for object_ in before]
    return [object_.name for object_ in objects]


A, B, C = at("a"), at("b"), at("c")
FOLDER, OTHER_FOLDER = at("plain", "folder"), at("other", "folder")
WEST, EAST = at("a", cluster="west"), at("b", cluster="east")


@pytest.mark.parametrize(
    ("before", "after", "units", "environment_names"),
    [
        # It stays, or leaves a unit that is still there for one that was there: deleted here, created there.
        ([A], [A], ("ab", "ab"), ["a"]),
        ([A], [B], ("ab", "ab"), ["a"]),
        # The unit is renamed, or split.
        ([A], [B], ("a", "b"), ["b"]),
        ([A], [B], ("a", "ab"), ["b"]),
        ([A], [B], ("ab", "b"), ["b"]),
        # Nothing of it is there any more, or something else is.
        ([A], [], ("a", ""), ["a"]),
        ([A], [at("b", name="db")], ("a", "b"), ["a"]),
        ([A], [at("b", namespace="ops")], ("a", "b"), ["a"]),
        # It is not clear which of two it is.
        ([A], [B, C], ("a", "bc"), ["a"]),
        ([A, B], [C], ("ab", "c"), ["a", "b"]),
        # One of two stays, so that it is the other one.
        ([A, B], [A, C], ("ab", "ac"), ["a", "c"]),
        # Two objects each.
        ([A, at("a", name="db")], [B, at("c", name="db")], ("a", "bc"), ["b", "c"]),
        # Folders of plain manifests are no units: who applies them is not known.
        ([FOLDER], [OTHER_FOLDER], ("", ""), ["other"]),
        ([FOLDER], [A], ("", "a"), ["a"]),
        ([FOLDER], [A], ("a", "a"), ["plain"]),
        ([A], [FOLDER], ("a", ""), ["a"]),
        ([at("a", "kustomization")], [FOLDER], ("a", ""), ["plain"]),
        ([at("a", "kustomization")], [FOLDER], ("a", "a"), ["a"]),
        # Between clusters nothing goes; within one it does.
        ([WEST], [EAST], ("a", "b"), ["a"]),
        ([WEST], [at("b", cluster="west")], ("ab", "ab"), ["b"]),
        ([WEST], [B], ("a", "b"), ["b"]),
        ([WEST], [B], ("ab", "ab"), ["a"]),
        ([WEST], [at("b", "chart", cluster="west")], ("ab", "ab"), ["a"]),
    ],
)
def test_an_object_goes_from_a_unit_to_another(
    before: list[Deployed], after: list[Deployed], units: tuple[str, str], environment_names: list[str]
) -> None:
    assert names(before, after, *units) == environment_names


def unit(origin: str, by: str = "", resources: int = 1, failed: bool = False, unrendered: bool = False) -> Environment:
    place = Source("unit.yaml")
    return Environment(
        name=origin,
        kind="Kustomization",
        folder="",
        place=place,
        resources=(Resource(vm(), lambda _: place),) * resources,
        failed=failed,
        unrendered=(PROBLEM,) * unrendered,
        origin=origin,
        by=by,
    )


@pytest.mark.parametrize(
    ("here", "there", "stay"),
    [
        # The root deploys the unit on both sides, or nothing does.
        ([unit("root"), unit("apps", "root")], [unit("root"), unit("apps", "root")], ["root", "apps"]),
        ([unit("root"), unit("apps")], [unit("root"), unit("apps")], ["root", "apps"]),
        # The root deploys it there alone; with it go those that it deploys, and those that these do.
        ([unit("root"), unit("apps")], [unit("root"), unit("apps", "root")], ["root"]),
        (
            [unit("leaf", "team"), unit("team", "apps"), unit("root"), unit("apps"), unit("db", "root")],
            [unit("root"), unit("apps", "root")],
            ["root", "db"],
        ),
        # What deploys it there is not here, or cannot be told here.
        ([unit("apps")], [unit("root"), unit("apps", "root")], ["apps"]),
        ([unit("root", resources=0), unit("apps")], [unit("apps", "root")], ["root"]),
        ([unit("root", resources=0, failed=True), unit("apps")], [unit("apps", "root")], ["root", "apps"]),
        ([unit("root", resources=0, unrendered=True), unit("apps")], [unit("apps", "root")], ["root", "apps"]),
        ([unit("root", failed=True), unit("apps")], [unit("apps", "root")], ["root"]),
        ([unit("root", unrendered=True), unit("apps")], [unit("apps", "root")], ["root"]),
        # What deploys it is another one now.
        ([unit("root"), unit("top"), unit("apps", "top")], [unit("apps", "root")], ["root", "top", "apps"]),
    ],
)
def test_a_unit_that_the_one_above_no_longer_deploys_is_none(
    here: list[Environment], there: list[Environment], stay: list[str]
) -> None:
    left = without_aside(Repository(environments=tuple(here)), Repository(environments=tuple(there)))
    assert [environment.origin for environment in left.environments] == stay


def test_the_files_that_something_deploys() -> None:
    objects = [at("a", file="a.yaml"), at("b", "kustomization", "b.yaml"), at("c", "HelmRelease", "c.yaml")]
    assert deployed_files(SIDE, objects) == {"a.yaml", "c.yaml"}
    assert deployed_files(Side(label="old"), objects[2:]) == {"new/c.yaml"}


IDLE = at("plain", "folder")


@pytest.mark.parametrize(
    ("objects", "others", "files", "is_after", "stay"),
    [
        # What is deployed stays, and what is in a folder on both sides.
        ([A], [], {"vms.yaml"}, False, ["a"]),
        ([IDLE], [IDLE], {"vms.yaml"}, True, ["plain"]),
        ([IDLE], [], (), True, ["plain"]),
        # An Application that goes leaves its files behind, and the folder of one that stays moves.
        ([IDLE], [A], {"vms.yaml"}, True, []),
        ([IDLE], [A], {"other.yaml"}, True, []),
        ([IDLE], [at("a", runStrategy="Always")], {"other.yaml"}, True, ["plain"]),
        ([IDLE], [at("a", name="db")], {"other.yaml"}, True, ["plain"]),
        ([at("plain", "folder", x=1, y=2)], [at("a", y=2, x=1)], {"other.yaml"}, True, []),
        ([IDLE], [at("a", namespace="ops")], {"other.yaml"}, True, []),
        ([IDLE], [at("a", "folder")], {"other.yaml"}, True, ["plain"]),
        ([IDLE, A], [A], {"other.yaml"}, True, ["plain", "a"]),
        # A folder is not the unit that was called as it is; before the change it was.
        ([IDLE], [at("plain")], {"vms.yaml"}, True, []),
        ([IDLE], [at("plain")], {"vms.yaml"}, False, ["plain"]),
        ([IDLE], [at("plain")], {"other.yaml"}, True, ["plain"]),
    ],
)
def test_what_nothing_deploys_any_more_is_left_out(
    objects: list[Deployed], others: list[Deployed], files: Collection[str], is_after: bool, stay: list[str]
) -> None:
    assert [object_.name for object_ in without_idle(SIDE, objects, others, files, is_after=is_after)] == stay
