"""In which environments a VM is."""

from __future__ import annotations

from typing import Any

import pytest

from virtcatalog.catalog.environment import Overlay
from virtcatalog.catalog.places import Source
from virtcatalog.environments import check_places, environments_for
from virtcatalog.errors import VirtcatalogError


def overlay(name: str, **given: Any) -> Overlay:
    return Overlay(name=name, source=Source("overlays.yaml"), **given)


def vm(namespace: str = "", kind: str = "") -> dict[str, Any]:
    metadata = {"name": "a", **({"namespace": namespace} if namespace else {})}
    return {"kind": "VirtualMachine", "metadata": metadata, "spec": {"instancetype": {"name": "m.small", "kind": kind}}}


OPEN = (overlay("production", clusters=("eu", "us")), overlay("staging", clusters=("test",)))
LAB = overlay("lab", scope="namespaced", namespace="virt-lab")
SHOP = overlay("shop", namespaces=("shop", "shop-*"))


def test_without_environments_there_is_the_base() -> None:
    assert environments_for(vm("shop"), ()) == [""]


def test_a_vm_is_in_each_that_takes_it() -> None:
    assert environments_for(vm("shop"), OPEN) == ["production", "staging"]


@pytest.mark.parametrize(("where", "found"), [("eu", ["production"]), ("test", ["staging"]), ("staging", ["staging"])])
def test_a_vm_is_where_its_dump_is_from(where: str, found: list[str]) -> None:
    assert environments_for(vm("shop"), OPEN, where) == found


@pytest.mark.parametrize(
    ("namespace", "found"), [("shop", ["shop"]), ("shop-eu", ["shop"]), ("shopping", [""]), ("", ["shop"])]
)
def test_namespaces_are_globs(namespace: str, found: list[str]) -> None:
    assert environments_for(vm(namespace), (SHOP,)) == found


def test_namespaced_objects_are_out_of_reach_elsewhere() -> None:
    overlays = (*OPEN, LAB)
    assert environments_for(vm("virt-lab", "VirtualMachineInstancetype"), overlays) == ["lab"]
    assert environments_for(vm("shop", "VirtualMachineInstancetype"), overlays) == [""]
    assert environments_for(vm("virt-lab"), overlays) == ["production", "staging"]


def test_only_some_are_looked_at_and_a_vm_that_was_given_for_one_is_in_it() -> None:
    assert environments_for(vm("shop"), (*OPEN, LAB), only=["staging"]) == ["staging"]
    assert environments_for(vm("shop"), (*OPEN, LAB), only=["lab"]) == ["lab"]
    assert environments_for(vm("shop"), (*OPEN, LAB), "lab", only=["staging"]) == []


MISSPELT = r"^there is no environment or cluster 'stagin' in catalog; did you mean 'staging'\?$"


def test_a_place_that_no_environment_knows_is_an_error() -> None:
    check_places(["", "eu", "staging"], OPEN, "in catalog")
    with pytest.raises(VirtcatalogError, match=MISSPELT):
        check_places(["stagin"], OPEN, "in catalog")
