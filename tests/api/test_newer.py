"""Fields that a release does not know go, as its API server drops them, and are named."""

from __future__ import annotations

from typing import Any

import pytest

from virtcatalog.api.decode import LATEST, prune
from virtcatalog.api.instancetype import VirtualMachineClusterPreference, VirtualMachineInstancetype
from virtcatalog.api.kinds import KINDS, kind_type
from virtcatalog.api.kubevirt import VirtualMachine
from virtcatalog.api.operator import KubeVirt
from virtcatalog.api.shape import List, Map, Struct, struct_of


def vm(**spec: Any) -> dict[str, Any]:
    return {"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "spec": {"template": {"spec": spec}}}


SPEC = ("spec", "template", "spec")


def test_a_field_goes_with_all_in_it() -> None:
    pruned, dropped = prune(vm(domain={"devices": {"video": {"type": "vga"}, "rng": {}}}), VirtualMachine, (1, 5))
    assert pruned == vm(domain={"devices": {"rng": {}}})
    assert dropped == {(*SPEC, "domain", "devices", "video"): (1, 6)}


def test_a_field_within_one_goes_when_that_one_stays() -> None:
    devices = {"video": {"type": "vga"}, "interfaces": [{"name": "a"}, {"name": "b", "portRanges": []}]}
    pruned, dropped = prune(vm(domain={"devices": devices}), VirtualMachine, (1, 8))
    assert pruned["spec"]["template"]["spec"]["domain"]["devices"]["interfaces"] == [{"name": "a"}, {"name": "b"}]
    assert dropped == {(*SPEC, "domain", "devices", "interfaces", 1, "portRanges"): (1, 9)}


@pytest.mark.parametrize(
    ("spec", "release", "dropped"),
    [
        ({"devices": {"preferredVideoType": "vga"}}, (1, 9), []),
        ({"devices": {"preferredVideoType": "vga"}}, (1, 8), ["devices.preferredVideoType"]),
        ({"devices": {"preferredPanicDeviceModel": "isa"}}, (1, 5), ["devices.preferredPanicDeviceModel"]),
        ({"devices": {"preferredPanicDeviceModel": "isa"}}, (1, 6), []),
        ({"preferredLaunchSecurity": {"snp": {}}}, (1, 8), ["preferredLaunchSecurity"]),
        (
            {"features": {"preferredHyperv": {"tlbflush": {"direct": {}}}}},
            (1, 7),
            ["features.preferredHyperv.tlbflush.direct"],
        ),
        ({"features": {"preferredHyperv": {"tlbflush": {"enabled": True}}}}, (1, 7), []),
    ],
)
def test_a_preference_loses_the_fields_that_the_release_does_not_know(
    spec: dict[str, Any], release: tuple[int, int], dropped: list[str]
) -> None:
    _, paths = prune({"spec": spec}, VirtualMachineClusterPreference, release)
    assert [".".join(map(str, path[1:])) for path in paths] == dropped


def test_a_type_that_took_the_place_of_another_keeps_that_ones_fields() -> None:
    hyperv = {"hyperv": {"tlbflush": {"enabled": True, "direct": {}}}}
    pruned, dropped = prune(vm(domain={"features": hyperv}), VirtualMachine, (1, 7))
    assert pruned == vm(domain={"features": {"hyperv": {"tlbflush": {"enabled": True}}}})
    assert dropped == {(*SPEC, "domain", "features", "hyperv", "tlbflush", "direct"): (1, 8)}


def test_a_claim_of_a_vm_is_as_old_as_the_list_that_it_stands_in() -> None:
    claims = vm(resourceClaims=[{"name": "gpu", "resourceClaimName": "a"}])
    assert prune(claims, VirtualMachine, (1, 8)) == (claims, {})
    assert prune(claims, VirtualMachine, (1, 5)) == (vm(), {(*SPEC, "resourceClaims"): (1, 6)})


def test_a_configuration_loses_what_its_operator_does_not_know() -> None:
    developer = {"featureGates": ["A"], "disabledFeatureGates": ["B"]}
    spec = {"configuration": {"developerConfiguration": developer, "confidentialCompute": {}}}
    pruned, dropped = prune({"spec": spec}, KubeVirt, (1, 7))
    assert pruned == {"spec": {"configuration": {"developerConfiguration": {"featureGates": ["A"]}}}}
    assert list(dropped.values()) == [(1, 8), (1, 9)]


def test_what_has_nothing_newer_is_the_same_object() -> None:
    machine = vm(domain={"cpu": {"cores": 2}})
    assert prune(machine, VirtualMachine, (1, 7))[0] is machine
    pruned, dropped = prune(vm(domain={"video": 1}), VirtualMachine, (1, 7))
    assert (pruned, dropped) == (vm(domain={"video": 1}), {}), "what no release knows is another's to refuse"


def test_the_data_given_stays_as_it_is() -> None:
    written = {"spec": {"cpu": {"guest": 1, "maxSockets": 2}, "nodeSelector": {"a": "b"}}}
    pruned, dropped = prune(written, VirtualMachineInstancetype, (1, 2))
    assert list(dropped) == [("spec", "cpu", "maxSockets")]
    assert written["spec"]["cpu"] == {"guest": 1, "maxSockets": 2}
    assert pruned["spec"]["nodeSelector"] is written["spec"]["nodeSelector"]


def test_null_says_nothing() -> None:
    data = {"spec": {"preferredArchitecture": None}}
    assert prune(data, VirtualMachineClusterPreference, (1, 0)) == (data, {})


@pytest.mark.parametrize("data", [{}, {"spec": None}, {"spec": []}, {"spec": {"template": "x"}}])
def test_what_is_no_manifest_at_all_passes(data: Any) -> None:
    assert prune(data, VirtualMachine, (1, 0)) == (data, {})


@pytest.mark.parametrize("kind", [kind_type(version, kind) for version, kinds in KINDS.items() for kind in kinds])
def test_every_kind_can_be_asked(kind: type) -> None:
    assert prune({"spec": {}}, kind, (0,)) == ({"spec": {}}, {})


def test_the_latest_release_knows_every_field_and_brought_one() -> None:
    releases = set()
    left = [struct_of(kind_type(version, kind)) for version, kinds in KINDS.items() for kind in kinds]
    seen = set(left)
    while left:
        shape = left.pop()
        below = [field.shape for field in shape.fields.values()] if isinstance(shape, Struct) else []
        if isinstance(shape, Struct):
            releases |= {field.since for field in shape.fields.values()}
        if isinstance(shape, Map | List):
            below = [shape.value if isinstance(shape, Map) else shape.item]
        left += [inner for inner in below if inner not in seen]
        seen.update(below)
    assert max(releases) == LATEST
