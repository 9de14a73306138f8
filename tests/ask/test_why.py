"""Of which objects the value of a VM is, each of a sort: what is asked again is the VM without one field."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

import otheryaml
from virtcatalog.ask.field import follow, of_field, of_pod_field, of_xpath
from virtcatalog.ask.why import Reason, View, why
from virtcatalog.errors import RefusedError, VirtcatalogError
from virtcatalog.kubevirt.conditions import Conditions
from virtcatalog.kubevirt.hosts import PodLinks

VM = """
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web, namespace: shop, labels: {app: web}}
spec:
  runStrategy: Always
  MATCHERS
  template:
    metadata: {labels: {app: web}}
    spec: {domain: {devices: {}}}
"""
MEMORY = "memory: {guest: 1Gi}, devices: {}"
OBJECTS = {
    "type": """
        apiVersion: instancetype.kubevirt.io/v1beta1
        kind: VirtualMachineClusterInstancetype
        metadata: {name: medium}
        spec: {cpu: {guest: 4}, memory: {guest: 4Gi}}
        """,
    "other": """
        apiVersion: instancetype.kubevirt.io/v1beta1
        kind: VirtualMachineClusterInstancetype
        metadata: {name: other}
        spec: {cpu: {guest: 8}, memory: {guest: 8Gi}}
        """,
    "type that cannot grow": """
        apiVersion: instancetype.kubevirt.io/v1beta1
        kind: VirtualMachineClusterInstancetype
        metadata: {name: medium}
        spec: {cpu: {guest: 4}, memory: {guest: 4Gi, maxGuest: 6Gi}}
        """,
    "own type": """
        apiVersion: instancetype.kubevirt.io/v1beta1
        kind: VirtualMachineInstancetype
        metadata: {name: medium, namespace: shop}
        spec: {cpu: {guest: 4}, memory: {guest: 4Gi}}
        """,
    "type of another namespace": """
        apiVersion: instancetype.kubevirt.io/v1beta1
        kind: VirtualMachineInstancetype
        metadata: {name: medium, namespace: lab}
        spec: {cpu: {guest: 2}, memory: {guest: 2Gi}}
        """,
    "preference": """
        apiVersion: instancetype.kubevirt.io/v1beta1
        kind: VirtualMachineClusterPreference
        metadata: {name: linux}
        spec: {cpu: {preferredCPUTopology: cores}}
        """,
    "preset": """
        apiVersion: kubevirt.io/v1
        kind: VirtualMachineInstancePreset
        metadata: {name: fast, namespace: shop}
        spec: {selector: {matchLabels: {app: web}}, domain: {cpu: {model: Haswell-v4}, devices: {}}}
        """,
    "preset of another namespace": """
        apiVersion: kubevirt.io/v1
        kind: VirtualMachineInstancePreset
        metadata: {name: slow, namespace: lab}
        spec: {selector: {matchLabels: {app: web}}, domain: {cpu: {model: Haswell-v4}, devices: {}}}
        """,
    "configuration": """
        apiVersion: kubevirt.io/v1
        kind: KubeVirt
        metadata: {name: kubevirt, namespace: kubevirt}
        spec: {configuration: {cpuModel: Skylake-Client-v1}}
        """,
    "revision": """
        apiVersion: apps/v1
        kind: ControllerRevision
        metadata:
          name: medium-1
          namespace: shop
          labels: {instancetype.kubevirt.io/object-version: v1beta1}
        revision: 0
        data:
          apiVersion: instancetype.kubevirt.io/v1beta1
          kind: VirtualMachineClusterInstancetype
          metadata: {name: medium}
          spec: {cpu: {guest: 4}, memory: {guest: 4Gi}}
        """,
    "revision of a preference": """
        apiVersion: apps/v1
        kind: ControllerRevision
        metadata:
          name: linux-1
          namespace: shop
          labels: {instancetype.kubevirt.io/object-version: v1beta1}
        revision: 0
        data:
          apiVersion: instancetype.kubevirt.io/v1beta1
          kind: VirtualMachineClusterPreference
          metadata: {name: linux}
          spec: {cpu: {preferredCPUTopology: cores}}
        """,
}
ALL = tuple(name for name in OBJECTS if "revision" not in name and "grow" not in name)


def reasons(
    view: View, *objects: str, matchers: str = "", domain: str = MEMORY, **conditions: Any
) -> tuple[Reason, ...]:
    vm = otheryaml.load(VM.replace("MATCHERS", matchers).replace("devices: {}", domain))
    return why(vm, [otheryaml.load(OBJECTS[name]) for name in objects], Conditions(**conditions), view).reasons


def reason(kind: Any, name: str, field: str, value: str, without: str, *, otherwise: bool = False) -> Reason:
    return Reason(kind=kind, object=name, field=field, value=value, without=without, otherwise=otherwise)


CASES = {
    "a VM's own field": (
        of_field("cpu.model"),
        {"domain": "cpu: {model: Penryn}, memory: {guest: 1Gi}, devices: {}"},
        [reason("VM", "web", "spec.template.spec.domain.cpu.model", "Penryn", "Skylake-Client-v1")],
    ),
    "an instance type's": (
        of_field("memory.guest"),
        {"matchers": "instancetype: {name: medium}", "domain": "devices: {}"},
        [reason("instance type", "medium", "spec.memory.guest", "4Gi", "8Gi", otherwise=True)],
    ),
    "that of an instance type with less than twice as much at most": (
        of_field("memory.guest"),
        {
            "matchers": "instancetype: {name: medium}",
            "domain": "devices: {}",
            "objects": ("type that cannot grow",),
        },
        [reason("instance type", "medium", "spec.memory.guest", "4Gi", "2Gi", otherwise=True)],
    ),
    "that of an instance type in the VM's namespace": (
        of_field("memory.guest"),
        {"matchers": "instancetype: {kind: VirtualMachineInstancetype, name: medium}", "domain": "devices: {}"},
        [reason("instance type", "medium", "spec.memory.guest", "4Gi", "8Gi", otherwise=True)],
    ),
    "a preference's": (
        of_field("cpu.cores"),
        {"matchers": "instancetype: {name: medium}\n  preference: {name: linux}", "domain": "devices: {}"},
        [
            reason("instance type", "medium", "spec.cpu.guest", "4", "8", otherwise=True),
            reason("preference", "linux", "spec.cpu.preferredCPUTopology", "cores", "1"),
        ],
    ),
    "a preset's": (
        of_field("cpu.model"),
        {},
        [
            reason("VM", "web", "spec.template.metadata.labels.app", "web", "Skylake-Client-v1"),
            reason("preset", "fast", "spec.domain.cpu.model", "Haswell-v4", "Skylake-Client-v1"),
        ],
    ),
    "the KubeVirt CR's": (
        of_field("cpu.model"),
        {"objects": ("configuration",)},
        [reason("cluster configuration", "kubevirt", "spec.configuration.cpuModel", "Skylake-Client-v1", "host-model")],
    ),
    "those of stored revisions": (
        of_field("cpu.cores"),
        {
            "matchers": "instancetype: {name: medium, revisionName: medium-1}\n"
            "  preference: {name: linux, revisionName: linux-1}",
            "domain": "devices: {}",
            "objects": (*ALL, "revision", "revision of a preference"),
        },
        [
            reason("instance type", "medium-1", "data.spec.cpu.guest", "4", "8", otherwise=True),
            reason("preference", "linux-1", "data.spec.cpu.preferredCPUTopology", "cores", "1"),
        ],
    ),
    "that of a VMI which is refused": (
        of_field("cpu.model"),
        {
            "domain": "cpu: {model: Penryn}, memory: {guest: 1Gi}, "
            "devices: {watchdog: {name: dog, diag288: {action: reset}}}",
            "objects": (),
        },
        [reason("VM", "web", "spec.template.spec.domain.cpu.model", "Penryn", "host-model")],
    ),
    "KubeVirt's own": (of_xpath("string(/domain/name)"), {"objects": ()}, []),
}


@pytest.mark.parametrize(("view", "options", "expected"), CASES.values(), ids=CASES)
def test_a_value_is_of_the_objects_without_which_it_is_another(
    view: View, options: dict[str, Any], expected: list[Reason]
) -> None:
    options = dict(options)
    assert [*reasons(view, *options.pop("objects", ALL), **options)] == expected


@pytest.mark.parametrize(("sockets", "other"), [(5000, "9"), (8192, "7")])
def test_an_amount_of_which_no_domain_is_made_is_no_other_value(sockets: int, other: str) -> None:
    """A domain lists 65,536 vCPUs at most: not twice the cores, and one more not of 8192 sockets."""
    many = otheryaml.load(OBJECTS["type"].replace("guest: 4}", f"guest: 8, maxSockets: {sockets}}}"))
    matchers = "instancetype: {name: medium}\n  preference: {name: linux}"
    vm = otheryaml.load(VM.replace("MATCHERS", matchers))
    objects = [many, otheryaml.load(OBJECTS["preference"])]
    of_type, of_preference = why(vm, objects, Conditions(), of_field("cpu.cores")).reasons
    assert of_type == reason("instance type", "medium", "spec.cpu.guest", "8", other, otherwise=True)
    assert of_preference == reason("preference", "linux", "spec.cpu.preferredCPUTopology", "cores", "1")


def test_what_takes_too_long_is_not_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("virtcatalog.ask.why.EXPLAIN_WORK", 0)
    with pytest.raises(VirtcatalogError) as caught:
        reasons(of_field("memory.guest"))
    assert str(caught.value) == (
        "what this depends on is not found out: the VM, or what applies to it, has too many fields to expand it "
        "without each of them in turn; leave out devices that are alike"
    )


@pytest.mark.parametrize(
    ("objects", "work"),
    [((), 984), (("configuration",), 1086), (("configuration", "preset of another namespace"), 1106)],
)
def test_an_object_of_the_cluster_takes_as_long_as_twenty_values_of_the_vm(
    objects: tuple[str, ...], work: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What applies to the VM is left out in turn, and the VM expanded again; what does not, is read again alone."""
    monkeypatch.setattr("virtcatalog.ask.why.EXPLAIN_WORK", work)
    assert len(reasons(of_field("memory.guest"), *objects)) == 1
    monkeypatch.setattr("virtcatalog.ask.why.EXPLAIN_WORK", work - 1)
    with pytest.raises(VirtcatalogError, match="too many fields"):
        reasons(of_field("memory.guest"), *objects)


def test_a_host_profile_has_its_say() -> None:
    usual = Conditions().host
    host = msgspec.structs.replace(usual, name="mine", version=2, pod_links=PodLinks(mtu=9000))
    (answer,) = reasons(of_xpath("string(//interface/mtu/@size)"), host=host)
    assert answer == reason("host profile", "mine v2", "pod_links", "", "1500")


XPATHS = {
    "count(//disk)": "0",
    "1 div 2": "0.5",
    "boolean(//devices)": "true",
    "/domain/vcpu": '<vcpu placement="static">4</vcpu>',
    "/domain/vcpu/text()": "4",
    "/domain/vcpu/@placement": "static",
    "//interface": "<interface type",
}


@pytest.mark.parametrize("expression", XPATHS)
def test_an_xpath_finds_an_element_an_attribute_a_text_or_a_value(expression: str) -> None:
    vm = otheryaml.load(VM.replace("MATCHERS", "").replace("devices: {}", MEMORY))
    assert why(vm, [], Conditions(), of_xpath(expression)).value.startswith(XPATHS[expression])


@pytest.mark.parametrize(
    ("view", "value"),
    [
        (of_field("spec.domain.memory.guest"), "1Gi"),
        (of_field("spec.template.spec.domain.memory"), '{"guest":"1Gi","maxGuest":"4Gi"}'),
        (of_field(" metadata.labels[app] "), "web"),
        (of_field("networks[0].name"), "default"),
        (of_field("networks[default].name"), "default"),
        (of_pod_field("containers[compute].name"), "compute"),
        (of_pod_field("spec.containers[0].name"), "compute"),
        (of_pod_field("metadata.labels[kubevirt.io]"), "virt-launcher"),
    ],
)
def test_a_path_may_leave_out_where_it_begins(view: View, value: str) -> None:
    vm = otheryaml.load(VM.replace("MATCHERS", "").replace("devices: {}", MEMORY))
    assert why(vm, [], Conditions(), view).value == value


def test_a_place_with_nothing_has_no_answer() -> None:
    vm = otheryaml.load(VM.replace("MATCHERS", "").replace("devices: {}", MEMORY))
    for view in (of_field("networks[7].name"), of_pod_field("none"), of_xpath("//none")):
        with pytest.raises(VirtcatalogError, match="there is nothing at that place: see `virtcatalog expand`"):
            why(vm, [], Conditions(), view)
    vm["spec"]["template"]["spec"]["domain"]["cpu"] = {"cores": -1}
    with pytest.raises(RefusedError, match="the VM is refused: "):
        why(vm, [], Conditions(), of_xpath("//vcpu"))


def test_an_item_of_a_list_is_followed_by_its_name() -> None:
    names: dict[int, str] = {}
    disks = {"disks": [{"name": "a", "bus": "x"}, {"name": "b", "bus": "y"}]}
    assert follow(disks, ("disks", 1, "bus"), names) == "y"
    assert names == {1: "b"}
    assert follow({"disks": [{"name": "b", "bus": "z"}]}, ("disks", 1, "bus"), names) == "z"
    assert follow({"disks": [{"name": "a", "bus": "x"}]}, ("disks", 0, "bus"), names) is None
    unnamed: dict[int, str] = {}
    assert follow({"keys": [{"name": 7}, 8]}, ("keys", 0, "name"), unnamed) == 7
    assert follow({"keys": [{"name": 7}, 8]}, ("keys", 1), unnamed) == 8
    assert follow({"keys": [8]}, ("keys", 1), unnamed) is None
    assert follow({"keys": [8, {"name": "c"}]}, ("keys", "c", "name"), unnamed) == "c"
    assert follow({"key": "text"}, ("key", "more"), unnamed) is None
    assert unnamed == {}
