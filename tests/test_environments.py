"""In which environments a VM is."""

from __future__ import annotations

from typing import Any

import pytest

from virtcatalog.catalog.environment import Overlay
from virtcatalog.catalog.model import VmTemplate
from virtcatalog.catalog.places import Origin, Source
from virtcatalog.environments import (
    check_environments,
    check_names,
    check_places,
    environments_for,
    environments_of,
    places_of,
    release_of,
    wants_catalog,
)
from virtcatalog.errors import VirtcatalogError


def overlay(name: str, **fields: Any) -> Overlay:
    return Overlay(name=name, source=Source("overlays.yaml"), **fields)


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


@pytest.mark.parametrize(
    ("where", "environments"), [("eu", ["production"]), ("test", ["staging"]), ("staging", ["staging"])]
)
def test_a_vm_is_where_its_dump_is_from(where: str, environments: list[str]) -> None:
    assert environments_for(vm("shop"), OPEN, where) == environments


@pytest.mark.parametrize(
    ("namespace", "environments"), [("shop", ["shop"]), ("shop-eu", ["shop"]), ("shopping", [""]), ("", ["shop"])]
)
def test_namespaces_are_globs(namespace: str, environments: list[str]) -> None:
    assert environments_for(vm(namespace), (SHOP,)) == environments


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


def template(name: str, manifest: dict[str, Any], *environments: str) -> VmTemplate:
    source = Source("vms.yaml")
    return VmTemplate(
        key=name,
        name=name,
        file="vms.yaml",
        environments=environments,
        manifest=manifest,
        source=source,
        origin=Origin("", lambda _: source, lambda _: source),
    )


@pytest.mark.parametrize(
    ("manifest", "named", "only", "environments"),
    [
        (vm("shop"), (), (), ["production", "staging"]),
        (vm("shop"), ("staging",), (), ["staging"]),
        (vm("shop"), ("staging", "production"), ("production",), ["production"]),
        (vm("shop"), (), ("staging", "lab"), ["staging"]),
        (vm("shop", "VirtualMachineInstancetype"), (), (), ["production", "staging"]),
        (vm("virt-lab", "VirtualMachineInstancetype"), (), (), ["lab"]),
    ],
)
def test_a_template_is_for_what_it_names_else_for_what_it_fits(
    manifest: dict[str, Any], named: tuple[str, ...], only: tuple[str, ...], environments: list[str]
) -> None:
    assert environments_of(template("a", manifest, *named), (*OPEN, LAB), only) == environments


def test_a_template_that_fits_none_is_for_all() -> None:
    assert environments_of(template("a", vm("other")), (SHOP, LAB)) == ["shop", "lab"]
    assert environments_of(template("a", vm("other")), ()) == [""]


@pytest.mark.parametrize(
    ("spec", "wants"),
    [
        ({"instancetype": {"name": "a"}}, True),
        ({"preference": {"inferFromVolume": "a"}}, True),
        ({"instancetype": None}, False),
        ({"template": {}}, False),
        ("x", False),
    ],
)
def test_who_wants_something_of_the_catalog(spec: Any, wants: bool) -> None:
    own = {"kind": "VirtualMachine", "metadata": {"name": "a"}, "spec": spec}
    assert wants_catalog(own) is wants
    assert environments_for(own, OPEN) == (["production", "staging"] if wants else [""])
    assert environments_for(own, (*OPEN, overlay("new", kubevirt="v1.8"))) == (
        ["production", "staging", "new"] if wants or spec is not None else [""]
    )


def test_a_vm_of_a_cluster_that_no_environment_has_is_in_the_base() -> None:
    assert environments_for(vm("shop"), OPEN, "mars") == []
    assert environments_for(vm("other"), (SHOP, LAB), only=["shop"]) == ["shop"]
    assert environments_for(vm("other"), (SHOP, LAB), "shop") == ["shop"]


def test_places_are_environments_and_their_clusters() -> None:
    assert places_of(["us", "staging"], OPEN) == ["production", "staging"]
    assert places_of(["eu"], OPEN) == ["production"]
    assert places_of([], OPEN) == []


def test_what_an_environment_runs() -> None:
    overlays = (*OPEN, overlay("old", kubevirt="v1.7"))
    assert [release_of(overlays, name) for name in ("old", "production", "none")] == ["v1.7", "", ""]


@pytest.mark.parametrize(
    ("name", "hint"),
    [("stagin", "; did you mean 'staging'?"), ("xyz", "; there is production, staging")],
)
def test_a_name_that_is_no_environment_is_an_error(name: str, hint: str) -> None:
    check_environments(["staging", "production"], OPEN, "in catalog")
    with pytest.raises(VirtcatalogError) as refused:
        check_environments(["staging", name], OPEN, "in catalog")
    assert str(refused.value) == f"there is no environment {name!r} in catalog{hint}"


def test_where_there_is_nothing_to_choose_of_no_choice_is_named() -> None:
    with pytest.raises(VirtcatalogError) as refused:
        check_names(["x"], [], "in the repository")
    assert str(refused.value) == "there is no environment 'x' in the repository"
    with pytest.raises(VirtcatalogError) as refused:
        check_places(["xyz"], (*OPEN, *OPEN), "in catalog")
    assert str(refused.value) == (
        "there is no environment or cluster 'xyz' in catalog; there is production, eu, us, staging, test"
    )
