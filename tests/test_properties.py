"""What holds for every VM: clear answers, the same each time, inputs left alone, and nothing to add twice."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from sampling import examples
from virtcatalog import Cluster, expand
from virtcatalog.api.decode import decode_manifest
from virtcatalog.api.findings import Path
from virtcatalog.api.kubevirt import VirtualMachine
from virtcatalog.ask.explain import explain, explain_result
from virtcatalog.errors import UnsupportedError
from virtcatalog.kubevirt.defaults.webhooks import mutate_vm
from virtcatalog.kubevirt.pipeline import Result

Manifest = dict[str, Any]

OBJECTS: list[Manifest] = [
    {
        "apiVersion": "instancetype.kubevirt.io/v1beta1",
        "kind": "VirtualMachineClusterInstancetype",
        "metadata": {"name": "medium"},
        "spec": {"cpu": {"guest": 4, "model": "host-passthrough"}, "memory": {"guest": "4Gi", "overcommitPercent": 10}},
    },
    {
        "apiVersion": "instancetype.kubevirt.io/v1beta1",
        "kind": "VirtualMachineClusterInstancetype",
        "metadata": {"name": "pinned"},
        "spec": {
            "cpu": {"guest": 2, "dedicatedCPUPlacement": True, "isolateEmulatorThread": True},
            "memory": {"guest": "2Gi", "hugepages": {"pageSize": "2Mi"}},
            "ioThreadsPolicy": "auto",
        },
    },
    {
        "apiVersion": "instancetype.kubevirt.io/v1beta1",
        "kind": "VirtualMachineClusterPreference",
        "metadata": {"name": "linux"},
        "spec": {
            "cpu": {"preferredCPUTopology": "cores"},
            "devices": {"preferredDiskBus": "virtio", "preferredInterfaceModel": "virtio", "preferredRng": {}},
            "firmware": {"preferredEfi": {"secureBoot": False}},
        },
    },
    {
        "apiVersion": "instancetype.kubevirt.io/v1beta1",
        "kind": "VirtualMachineClusterPreference",
        "metadata": {"name": "windows"},
        "spec": {
            "clock": {"preferredClockOffset": {"utc": {}}, "preferredTimer": {"hyperv": {}}},
            "devices": {"preferredAutoattachInputDevice": True, "preferredInputType": "tablet", "preferredTPM": {}},
            "features": {"preferredHyperv": {"relaxed": {}, "spinlocks": {"spinlocks": 8191}}},
            "requirements": {"cpu": {"guest": 2}},
        },
    },
    {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachineInstancePreset",
        "metadata": {"name": "smm"},
        "spec": {"selector": {"matchLabels": {"preset": "yes"}}, "domain": {"devices": {}, "features": {"smm": {}}}},
    },
]
CLUSTER = Cluster(OBJECTS)

DISKS: st.SearchStrategy[Manifest] = st.one_of(
    st.fixed_dictionaries(
        {}, optional={"disk": st.fixed_dictionaries({}, optional={"bus": st.sampled_from(["virtio", "sata", "scsi"])})}
    ),
    st.fixed_dictionaries({"cdrom": st.fixed_dictionaries({}, optional={"bus": st.sampled_from(["sata", "scsi"])})}),
)
VOLUMES: st.SearchStrategy[Manifest] = st.sampled_from(
    [
        {"containerDisk": {"image": "registry.example.org/guest:1"}},
        {"emptyDisk": {"capacity": "1Gi"}},
        {"persistentVolumeClaim": {"claimName": "claim"}},
        {"dataVolume": {"name": "claim"}},
        {"cloudInitNoCloud": {"userData": "#cloud-config"}},
    ]
)
INTERFACES: st.SearchStrategy[Manifest] = st.fixed_dictionaries(
    {"masquerade": st.just({})}, optional={"model": st.sampled_from(["virtio", "e1000e"]), "bootOrder": st.just(1)}
)
SIZES: st.SearchStrategy[Manifest] = st.one_of(
    st.fixed_dictionaries(
        {"memory": st.fixed_dictionaries({"guest": st.sampled_from(["1Gi", "1500M", "2048Mi"])})},
        optional={
            "cpu": st.fixed_dictionaries(
                {},
                optional={
                    **{name: st.integers(0, 5) for name in ("cores", "sockets", "threads")},
                    "model": st.sampled_from(["host-model", "Nehalem"]),
                },
            )
        },
    ),
    st.just({"resources": {"requests": {"memory": "1Gi", "cpu": "3"}}}),
)
REST: st.SearchStrategy[Manifest] = st.fixed_dictionaries(
    {},
    optional={
        "features": st.sampled_from([{"smm": {}}, {"hyperv": {"vpindex": {}}}, {"apic": {"enabled": False}}]),
        "firmware": st.just({"bootloader": {"efi": {"secureBoot": False}}}),
        "clock": st.just({"timezone": "Europe/Berlin"}),
    },
)
MATCHERS: st.SearchStrategy[Manifest] = st.fixed_dictionaries(
    {},
    optional={
        "instancetype": st.sampled_from([{"name": "medium"}, {"name": "pinned"}]),
        "preference": st.sampled_from([{"name": "linux"}, {"name": "windows"}]),
    },
)


@st.composite
def vms(draw: st.DrawFn) -> Manifest:
    """VMs that fit the API; KubeVirt admits most of them."""
    volumes = draw(st.lists(VOLUMES, max_size=3))
    disks = [{**draw(DISKS), "name": f"v{index}"} for index in range(draw(st.integers(0, len(volumes))))]
    devices: Manifest = {"disks": disks} if disks else {}
    matchers = draw(MATCHERS)
    size = {} if "instancetype" in matchers else draw(SIZES)
    spec: Manifest = {"domain": {**size, **draw(REST), "devices": devices}}
    if volumes:
        spec["volumes"] = [{**volume, "name": f"v{index}"} for index, volume in enumerate(volumes)]
    if draw(st.booleans()):
        devices["interfaces"] = [{**draw(INTERFACES), "name": "default"}]
        spec["networks"] = [{"name": "default", "pod": {}}]
    template: Manifest = {"spec": spec}
    if draw(st.booleans()):
        template["metadata"] = {"labels": {"preset": "yes"}}
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": "guest"},
        "spec": {"runStrategy": "Always", **matchers, "template": template},
    }


JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(st.characters(), max_size=5), inner, max_size=3)
    ),
    max_leaves=5,
)


def paths(value: Any, path: Path = ()) -> list[Path]:
    below = [path]
    if isinstance(value, dict):
        below += [inner for key, item in value.items() for inner in paths(item, (*path, key))]
    elif isinstance(value, list):
        below += [inner for index, item in enumerate(value) for inner in paths(item, (*path, index))]
    return below


@st.composite
def damaged_vms(draw: st.DrawFn) -> Any:
    """VMs in which anything stands in one place."""
    vm = deepcopy(draw(vms()))
    path = draw(st.sampled_from(paths(vm)))
    if not path:
        return draw(JSON)
    parent: Any = vm
    for step in path[:-1]:
        parent = parent[step]
    parent[path[-1]] = draw(JSON)
    return vm


def outcome(result: Result) -> tuple[Any, ...]:
    return result.refused_by, result.causes, result.reasons, result.warnings, result.vm, result.vmi, result.domain_xml


THOROUGH = settings(max_examples=examples(100))


@THOROUGH
@given(vms() | damaged_vms())
@example({"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": {"name": "\ud800"}, "spec": {}})
@example({"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": {"name": "\udfff"}, "spec": {}})
def test_every_manifest_gets_a_result_or_is_not_supported(vm: Any) -> None:
    try:
        result = expand(vm, CLUSTER)
    except UnsupportedError:
        return
    assert result.admitted == (result.domain_xml is not None)
    assert result.admitted == (result.refused_by is None)
    assert result.admitted or result.reasons
    "".join(map(str, result.reasons)).encode()


@THOROUGH
@given(vms() | damaged_vms())
def test_expansion_gives_the_same_each_time_and_changes_no_input(vm: Any) -> None:
    before = deepcopy(vm)
    try:
        first, second = expand(vm, CLUSTER), expand(vm, Cluster(OBJECTS))
    except UnsupportedError:
        return
    assert outcome(first) == outcome(second)
    assert repr(vm) == repr(before)


@THOROUGH
@given(vms())
def test_a_vm_after_its_webhook_gets_nothing_more(vm: Manifest) -> None:
    result = expand(vm, CLUSTER)
    assume(result.admitted)
    assert result.vm
    assert outcome(expand(result.vm, CLUSTER)) == outcome(result)


@THOROUGH
@given(vms())
def test_a_vmi_as_the_template_of_a_vm_without_instance_type_stays_as_it_is(vm: Manifest) -> None:
    result = expand(vm, CLUSTER)
    assume(result.admitted)
    assert result.vmi
    template = {"metadata": {"labels": result.vmi["metadata"].get("labels", {})}, "spec": result.vmi["spec"]}
    again = expand({**vm, "spec": {"runStrategy": "Always", "template": template}}, CLUSTER)
    assert again.admitted, again.message
    assert again.vmi
    assert again.vmi["spec"] == result.vmi["spec"]


@THOROUGH
@given(vms())
def test_every_field_of_a_vmi_has_an_origin(vm: Manifest) -> None:
    result = expand(vm, CLUSTER, staged=True)
    assume(result.vmi)
    assert result.vmi
    origins = explain(vm, CLUSTER)
    assert explain_result(vm, result, CLUSTER) == origins
    assert [origin.sources for origin in origins if not origin.sources] == []
    fields = len([path for part in ("metadata", "spec") for path in leaves(result.vmi[part])])
    assert len(origins) == fields


@THOROUGH
@given(vms())
def test_the_webhook_of_vms_does_the_same_without_instance_type(vm: Manifest) -> None:
    with_it, without = decode_manifest(vm, VirtualMachine), decode_manifest(vm, VirtualMachine)
    without.spec.instancetype = None
    assert mutate_vm(with_it, CLUSTER) == mutate_vm(without, CLUSTER)
    assert with_it.spec.template == without.spec.template


def leaves(value: Any) -> list[Any]:
    children = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [leaf for child in children for leaf in leaves(child)] or [value]


@pytest.mark.parametrize("manifest", [None, [], "VirtualMachine", 3, {}, {"kind": "VirtualMachine"}])
def test_what_is_no_vm_is_refused(manifest: Any) -> None:
    assert expand(manifest, CLUSTER).refused_by == "vm"
