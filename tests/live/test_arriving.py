"""What a machine gets while it runs and has not yet, by the template as it was and as it is, and by its status."""

from __future__ import annotations

from typing import Any

import pytest

from virtcatalog.api.decode import convert
from virtcatalog.api.kubevirt import VirtualMachineInstance, VirtualMachineInstanceSpec
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.live.arriving import arriving, comes_with_a_migration, plugged_by_hand

Data = dict[str, Any]


def amounts(sockets: int | None = 1, guest: str | None = "1Gi", **spec: Any) -> Data:
    cpu = {"cpu": {"sockets": sockets}} if sockets is not None else {}
    memory = {"memory": {"guest": guest}} if guest is not None else {}
    return {"domain": {"devices": {}, **cpu, **memory}, **spec}


def nic(name: str = "blue", network: str = "blue", **interface: Any) -> Data:
    spec = amounts(networks=[{"name": name, "multus": {"networkName": network}}])
    spec["domain"]["devices"]["interfaces"] = [{"name": name, "bridge": {}, **interface}]
    return spec


def volume(claim: str = "data", **more: Any) -> Data:
    source = {"claimName": claim, **more}
    return amounts(volumes=[{"name": "data", "persistentVolumeClaim": source}])


def decoded(spec: Data) -> VirtualMachineInstanceSpec:
    return convert(spec, VirtualMachineInstanceSpec)


def machine(spec: Data, status: Data | None) -> VirtualMachineInstance:
    status_of = {} if status is None else {"status": status}
    vmi = {"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachineInstance", "metadata": {"name": "a"}, "spec": spec}
    return convert({**vmi, **status_of}, VirtualMachineInstance)


def in_domain(*names: str) -> Data:
    return {"interfaces": [{"name": name, "infoSource": "domain, multus-status"} for name in names]}


def plugged(phase: str) -> Data:
    return {"volumeStatus": [{"name": "data", "target": "", "phase": phase}]}


NONE = amounts()
NIC = {"name": "blue", "bridge": {}}
HOTPLUG = volume(hotpluggable=True)


@pytest.mark.parametrize(
    ("started", "wanted", "has", "status", "arrives"),
    [
        (NONE, NONE, NONE, None, []),
        # CPU sockets: of the guest, where its status says them and the VM has changed them.
        (NONE, amounts(2), NONE, None, [("domain.cpu.sockets", 1, 2)]),
        (NONE, amounts(2), amounts(2), None, []),
        (NONE, amounts(2), amounts(2), {"currentCPUTopology": {"sockets": 1}}, [("domain.cpu.sockets", 1, 2)]),
        (NONE, amounts(2), amounts(2), {"currentCPUTopology": {"sockets": 2}}, []),
        (NONE, amounts(2), amounts(2), {"currentCPUTopology": {"cores": 1}}, []),
        (amounts(2), amounts(2), amounts(2), {"currentCPUTopology": {"sockets": 1}}, []),
        (NONE, amounts(None), NONE, None, []),
        (NONE, amounts(2), amounts(None), None, []),
        (amounts(None), amounts(2), amounts(2), {"currentCPUTopology": {"sockets": 1}}, [("domain.cpu.sockets", 1, 2)]),
        # Memory: the same, but for what libvirt rounds.
        (NONE, amounts(guest="2Gi"), NONE, None, [("domain.memory.guest", "1Gi", "2Gi")]),
        (
            NONE,
            amounts(guest="2Gi"),
            amounts(guest="2Gi"),
            {"memory": {"guestCurrent": "1Gi"}},
            [("domain.memory.guest", "1Gi", "2Gi")],
        ),
        (NONE, amounts(guest="2Gi"), amounts(guest="2Gi"), {"memory": {"guestAtBoot": "1Gi"}}, []),
        (NONE, NONE, NONE, {"memory": {"guestCurrent": "2Gi"}}, []),
        (NONE, NONE, amounts(guest="1025Mi"), None, [("domain.memory.guest", "1025Mi", "1Gi")]),
        (NONE, NONE, amounts(guest="1073741825"), None, []),
        (NONE, amounts(guest=None), NONE, None, []),
        (NONE, NONE, amounts(guest=None), None, []),
        # Interfaces and networks.
        (NONE, nic(), NONE, None, [("domain.devices.interfaces[blue]", None, NIC)]),
        (NONE, nic(), nic(), None, []),
        (NONE, nic(), nic(), in_domain("blue"), []),
        (NONE, nic(), nic(), in_domain("red"), [("domain.devices.interfaces[blue]", None, NIC)]),
        (nic(), nic(), nic(), in_domain("red"), []),
        (nic(), nic(state="absent"), NONE, None, []),
        (
            nic(),
            nic(state="absent"),
            nic(),
            None,
            [("domain.devices.interfaces[blue]", NIC, None)],
        ),
        (nic(), nic(network="red"), nic(), None, [("networks[blue].multus.networkName", "blue", "red")]),
        # Volumes.
        (NONE, HOTPLUG, NONE, None, [("volumes[data]", None, HOTPLUG["volumes"][0])]),
        (NONE, HOTPLUG, HOTPLUG, None, [("volumes[data]", None, HOTPLUG["volumes"][0])]),
        (NONE, HOTPLUG, HOTPLUG, plugged("AttachedToNode"), [("volumes[data]", None, HOTPLUG["volumes"][0])]),
        (NONE, HOTPLUG, HOTPLUG, plugged("Ready"), []),
        (HOTPLUG, HOTPLUG, HOTPLUG, plugged("AttachedToNode"), []),
        (NONE, volume(), volume(), None, []),
        (volume(), volume("b"), volume(), None, [("volumes[data]", volume()["volumes"][0], volume("b")["volumes"][0])]),
        (HOTPLUG, NONE, HOTPLUG, None, [("volumes[data]", HOTPLUG["volumes"][0], None)]),
        (HOTPLUG, NONE, NONE, None, []),
        (NONE, NONE, HOTPLUG, None, []),  # it was plugged in by hand
    ],
)  # fmt: skip
def test_what_a_machine_has_not_yet(
    started: Data, wanted: Data, has: Data, status: Data | None, arrives: list[tuple[str, object, object]]
) -> None:
    differing = arriving(decoded(started), decoded(wanted), machine(has, status), Cluster([]).configuration)
    assert [
        (difference.field.removeprefix("spec.template.spec."), difference.old, difference.new)
        for difference in differing
    ] == arrives


@pytest.mark.parametrize(
    ("has", "strategy", "arrives"),
    [
        ({}, "LiveUpdate", [("nodeSelector.disk", None, "fast"), ("tolerations[gpu].key", None, "gpu")]),
        ({"nodeSelector": {"disk": "fast"}}, "LiveUpdate", [("tolerations[gpu].key", None, "gpu")]),
        ({}, "Stage", []),
    ],
)
def test_where_it_may_run_comes_where_kubevirt_updates_what_runs(has: Data, strategy: str, arrives: Any) -> None:
    kubevirt = {
        "apiVersion": "kubevirt.io/v1",
        "kind": "KubeVirt",
        "metadata": {"name": "kubevirt", "namespace": "kubevirt"},
        "spec": {"configuration": {"vmRolloutStrategy": strategy}},
    }
    wanted = amounts(nodeSelector={"disk": "fast"}, tolerations=[{"key": "gpu"}])
    differing = list(
        arriving(decoded(NONE), decoded(wanted), machine(amounts(**has), None), Cluster([kubevirt]).configuration)
    )
    assert [
        (difference.field.removeprefix("spec.template.spec."), difference.old, difference.new)
        for difference in differing
    ] == arrives


@pytest.mark.parametrize(
    ("started", "wanted", "has", "status", "moves"),
    [
        (NONE, amounts(2), NONE, None, True),
        (NONE, amounts(guest="2Gi"), NONE, None, True),
        (NONE, nic(), NONE, None, True),
        (nic(), nic(network="red"), nic(), None, True),
        (NONE, HOTPLUG, NONE, None, False),
        (NONE, amounts(nodeSelector={"a": "b"}), NONE, None, False),
    ],
)
def test_what_comes_with_a_migration(started: Data, wanted: Data, has: Data, status: None, moves: bool) -> None:
    differing = arriving(decoded(started), decoded(wanted), machine(has, status), Cluster([]).configuration)
    assert [comes_with_a_migration(difference) for difference in differing] == [moves]


@pytest.mark.parametrize(
    ("started", "wanted", "has", "alone"),
    [
        (NONE, NONE, HOTPLUG, [("spec.template.spec.volumes[data]", HOTPLUG["volumes"][0], None)]),
        (HOTPLUG, NONE, HOTPLUG, []),
        (NONE, HOTPLUG, HOTPLUG, []),
        (HOTPLUG, HOTPLUG, NONE, []),
    ],
)
def test_what_a_machine_alone_has(started: Data, wanted: Data, has: Data, alone: list[Any]) -> None:
    differing = plugged_by_hand(decoded(started), decoded(wanted), machine(has, None))
    assert [(difference.field, difference.old, difference.new) for difference in differing] == alone
