"""Sides of a comparison: what of them can be compared, and which of a side's paths a file has."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import Any

import pytest
from msgspec.structs import replace

from virtcatalog.catalog.places import Source
from virtcatalog.errors import Problem
from virtcatalog.manifests.folder import held
from virtcatalog.repositories.model import Repository
from virtcatalog.review.compare import only
from virtcatalog.review.read import read_side
from virtcatalog.review.side import Side, Sound, Vm, sound, within


@pytest.mark.parametrize(
    ("file", "label", "path"),
    [
        ("old/vms/web.yaml", "old", "vms/web.yaml"),
        ("./old/web.yaml", "./old/", "./old/web.yaml"),
        ("old.yaml", "old.yaml", ""),
        ("HEAD:vms/web.yaml", "HEAD:vms", "web.yaml"),
        ("HEAD:web.yaml", "HEAD:.", "web.yaml"),
        ("other/web.yaml", "old", "other/web.yaml"),
    ],
)
def test_a_file_has_a_path_within_its_side(file: str, label: str, path: str) -> None:
    assert within(file, label) == path


def type_of(name: str) -> dict[str, Any]:
    return {
        "apiVersion": "instancetype.kubevirt.io/v1beta1",
        "kind": "VirtualMachineClusterInstancetype",
        "metadata": {"name": name},
        "spec": {"cpu": {"guest": 1}, "memory": {"guest": "1Gi"}},
    }


def vm_of(name: str, file: str, environment: str = "") -> Vm:
    manifest = {"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": {"name": name}, "spec": {}}
    return Vm(key=name, manifest=manifest, environment=environment, place=Source(f"old/{file}"))


def _at(file: str) -> Callable[[str], Source]:
    return lambda _: Source(file)


def side_of(files: dict[str, list[str]], *vms: Vm, broken: str = "", environments: tuple[str, ...] = ("",)) -> Side:
    """A catalog whose files have these instance types, of which one may be broken."""
    types = [type_of(name) for names in files.values() for name in names]
    kind = "VirtualMachineClusterInstancetype"
    return Side(
        label="old",
        objects=dict.fromkeys(environments, types),
        fields={(kind, "", name): _at(f"old/{file}") for file, names in files.items() for name in names},
        vms=vms,
        left_out=frozenset([broken] if broken else []),
    )


def left(compared: Sound) -> list[tuple[list[str], list[str]]]:
    """The names of objects and of VMs that are compared, of each side."""
    return [
        ([obj["metadata"]["name"] for obj in chain(*side.objects.values())], [vm.key for vm in side.vms])
        for side in (compared.base, compared.head)
    ]


TEMPLATES = """\
defaults:
  instancetype: m.small
  preference: linux.one
  vm: {spec: {runStrategy: Halted, template: {spec: {domain: {devices: {}}}}}}
sizes: {small: }
workloads: {server: }
systems: {one: {displayName: One}}
"""
REPOSITORY_VM = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web}
spec: {runStrategy: Always, template: {spec: {domain: {devices: {}, memory: {guest: 1Gi}}}}}
"""
WEB, DB = vm_of("web", "vms/web.yaml"), vm_of("db", "vms/db.yaml")


def test_sides_that_can_be_read_are_compared_as_they_are() -> None:
    sides = side_of({"a.yaml": ["small", "large"]}, WEB), side_of({"a.yaml": ["small"]}, DB)
    assert sound(*sides) == Sound(*sides)


def test_what_stands_in_a_file_that_is_broken_on_the_other_side_is_left_out() -> None:
    files = {"a.yaml": ["small"], "b.yaml": ["large"]}
    whole, broken = side_of(files, WEB, DB), side_of({"b.yaml": ["large"]}, DB, broken="a.yaml")
    name = "VirtualMachineClusterInstancetype/small"
    for sides in ((whole, broken), (broken, whole)):
        compared = sound(*sides)
        assert (compared.objects, compared.vms) == ((name,), ())
        assert [objects for objects, _ in left(compared)] == [["large"]] * 2
    assert sound(replace(whole, fields={}), broken).objects == ()  # nobody knows where these are
    no_vm = side_of(files, DB, broken="vms/web.yaml")
    compared = sound(whole, no_vm)
    assert (compared.objects, compared.vms) == ((), ("web",))
    assert [vms for _, vms in left(compared)] == [["db"]] * 2


def test_templates_of_a_file_that_is_broken_on_the_other_side_are_left_out() -> None:
    files = {
        "catalog.yaml": "name: test\nkubevirt: v1.9.0\n",
        "instancetypes/m.yaml": "class: m\nsizes: {small: {vcpus: 1, memory: 4Gi}}\n",
        "preferences/all.yaml": "preferences: {linux.one: {displayName: Linux}}\n",
        "templates/linux.yaml": TEMPLATES,
    }
    broken = {**files, "templates/linux.yaml": "sizes: []\n"}
    base, head = (read_side(held({path: text.encode() for path, text in of.items()}), "old") for of in (files, broken))
    compared = sound(base, head)
    assert compared.objects == ("VirtualMachineTemplate/one-server-small",)
    names = [obj["metadata"]["name"] for obj in compared.base.objects[""]]
    assert names == ["m.small", "m.small", "linux.one", "linux.one"]
    assert head.left_out == {"templates/linux.yaml"}


def test_a_vm_that_can_be_read_on_both_sides_stays_in_whatever_file_it_is() -> None:
    whole, broken = side_of({}, WEB, DB), side_of({}, WEB, broken="vms/web.yaml")
    assert left(sound(whole, broken)) == [([], ["web", "db"]), ([], ["web"])]


def test_of_a_side_of_which_nothing_can_be_read_nothing_is_compared() -> None:
    whole, broken = side_of({"a.yaml": ["small"]}, WEB), side_of({}, broken="*")
    compared = sound(whole, broken)
    assert left(compared) == [([], []), ([], [])]
    assert (compared.objects, compared.vms) == (("VirtualMachineClusterInstancetype/small",), ("web",))


def test_an_environment_that_only_one_side_has_is_left_out_where_a_file_is_broken() -> None:
    files = {"a.yaml": ["small"]}
    vms = vm_of("web", "vms/web.yaml", "lab"), vm_of("db", "vms/db.yaml", "prod")
    both = side_of(files, *vms, environments=("lab", "prod"))
    one = side_of(files, vms[1], broken="overlays.yaml", environments=("prod",))
    compared = sound(both, one)
    assert compared.vms == ("web",)
    assert left(compared) == [(["small"], ["db"]), (["small"], ["db"])]
    assert compared.base.objects.keys() == {"prod"}


def test_vms_that_go_in_a_repository_are_hidden_where_the_other_side_cannot_be_read() -> None:
    whole = Side(label="old", repository=Repository(), vms=(WEB, DB))
    gone = Side(label="old", repository=Repository())
    assert sound(whole, gone) == Sound(whole, gone)
    unread = replace(gone, left_out=frozenset(["vms/web.yaml"]))
    assert left(sound(whole, unread)) == [([], ["db"]), ([], [])]
    assert sound(whole, unread).vms == ("web",)
    faulty = replace(gone, problems=(Problem("x.yaml", object="VirtualMachine/db", message="is wrong"),))
    assert left(sound(whole, faulty)) == left(sound(faulty, whole))[::-1] == [([], ["web"]), ([], [])]
    there = replace(faulty, vms=(DB,))
    assert left(sound(whole, there)) == [([], ["web", "db"]), ([], ["db"])]


@pytest.mark.parametrize(
    ("environments", "places"),
    [
        ((), ["lab: gone.yaml", "base", "prod"]),
        (("lab",), ["lab: gone.yaml", "base"]),
        (("prod",), ["base", "prod"]),
        (("lab", "prod"), ["lab: gone.yaml", "base", "prod"]),
    ],
)
def test_what_is_wrong_with_other_environments_of_a_repository_is_left_out(
    environments: tuple[str, ...], places: list[str]
) -> None:
    files = {
        "base/kustomization.yaml": "resources: [web.yaml, 'https://example.org/base.yaml']\n",
        "base/web.yaml": REPOSITORY_VM,
        "lab/kustomization.yaml": "resources: [../base, gone.yaml]\nnamespace: lab\n",
        "prod/kustomization.yaml": "resources: [../base, 'https://example.org/prod.yaml']\nnamespace: prod\n",
    }
    side = only(read_side(held({path: text.encode() for path, text in files.items()}), "x"), environments)
    wrong = [f"{problem.file.split('/')[1]}: {problem.message.rpartition(' ')[2]}" for problem in side.problems]
    assert [*wrong, *(problem.file.split("/")[1] for problem in side.unrendered)] == places
    assert [vm.environment for vm in side.vms] == list(environments or ("lab", "prod"))


def test_a_unit_that_is_otherwise_incomplete_hides_its_vms() -> None:
    web, db = vm_of("web", "vms/web.yaml", "lab"), vm_of("db", "vms/db.yaml", "prod")
    lacking, other = {"lab": frozenset(["a chart"])}, {"lab": frozenset(["another"])}
    for before, after, compared in (({}, lacking, ["db"]), (lacking, lacking, ["web", "db"]), (other, lacking, ["db"])):
        base = Side(label="old", repository=Repository(), vms=(web, db), incomplete=before)
        head = Side(label="old", repository=Repository(), incomplete=after)
        assert left(sound(base, head)) == [([], compared), ([], [])]
