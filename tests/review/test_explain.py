"""Where the fields of a VMI come from."""

from __future__ import annotations

from typing import Any

import pytest

import otheryaml
from virtcatalog import Cluster, expand
from virtcatalog.ask.explain import _parts, explain, explain_result
from virtcatalog.errors import ManifestError

VM = """
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web, namespace: shop}
spec:
  runStrategy: Always
  {matchers}
  template:
    metadata: {labels: {app: web}, annotations: {owner: me}}
    spec:
      domain: {domain}
"""


def instancetype(name: str, spec: str) -> str:
    return f"""
        apiVersion: instancetype.kubevirt.io/v1beta1
        kind: VirtualMachineClusterInstancetype
        metadata: {{name: {name}}}
        spec: {spec}
        """


def preference(name: str, spec: str) -> str:
    return instancetype(name, spec).replace("Instancetype", "Preference")


def preset(name: str, domain: str) -> str:
    return f"""
        apiVersion: kubevirt.io/v1
        kind: VirtualMachineInstancePreset
        metadata: {{name: {name}, namespace: shop}}
        spec: {{selector: {{matchLabels: {{app: web}}}}, domain: {domain}}}
        """


def configured(configuration: str) -> str:
    identity = "apiVersion: kubevirt.io/v1, kind: KubeVirt, metadata: {name: kubevirt}"
    return f"{{{identity}, spec: {{configuration: {configuration}}}}}"


MEDIUM = instancetype("medium", "{cpu: {guest: 4}, memory: {guest: 4Gi}}")
CORES = preference("cores", "{cpu: {preferredCPUTopology: cores}}")


DOMAIN = "{devices: {}, memory: {guest: 1Gi}}"


def origins(*objects: str, matchers: str = "", domain: str = DOMAIN) -> dict[str, str]:
    vm = otheryaml.load(VM.replace("{matchers}", matchers).replace("{domain}", domain))
    cluster = Cluster([otheryaml.load(obj) for obj in objects])
    fields, result = explain(vm, cluster), expand(vm, cluster, staged=True)
    # Stages that were kept tell the same.
    assert not result.vmi or explain_result(vm, result, cluster) == fields
    return {origin.field: ", ".join(origin.sources) for origin in fields}


USING_MEDIUM = {"matchers": "instancetype: {name: medium}", "domain": "{devices: {}}"}


@pytest.mark.parametrize(
    ("field", "source"),
    [
        ("metadata.name", "VM"),
        ("metadata.namespace", "VM"),
        ("metadata.labels.app", "VM"),
        ("metadata.annotations.owner", "VM"),
        ("metadata.annotations[kubevirt.io/vm-generation]", "KubeVirt default"),
        ("spec.domain.memory.guest", "VM"),
        ("spec.domain.memory.maxGuest", "KubeVirt default"),
        ("spec.domain.machine.type", "KubeVirt default"),
        ("spec.domain.resources", "KubeVirt default"),
        ("spec.networks[0].pod", "KubeVirt default"),
        ("spec.architecture", "KubeVirt default"),
    ],
)
def test_what_the_author_wrote_is_the_vms_and_the_rest_kubevirts(field: str, source: str) -> None:
    assert origins()[field] == source


def test_an_instance_type_gives_what_is_not_there_without_it() -> None:
    sources = origins(MEDIUM, **USING_MEDIUM)
    assert sources["spec.domain.cpu.sockets"] == "instance type medium"
    assert sources["spec.domain.memory.guest"] == "instance type medium"
    assert sources["metadata.annotations[kubevirt.io/cluster-instancetype-name]"] == "instance type medium"


def test_what_a_vm_is_refused_without_gives_all_that_is_not_there_then() -> None:
    """The cluster has no interface for VMs without one, and the preference wants none: nothing starts without it."""
    bridged = configured("{network: {defaultNetworkInterface: bridge, permitBridgeInterfaceOnPodNetwork: false}}")
    alone = preference("alone", "{devices: {preferredAutoattachPodInterface: false}}")
    sources = origins(alone, bridged, matchers="preference: {name: alone}")
    assert sources["spec.domain.devices.autoattachPodInterface"] == "preference alone"
    assert sources["metadata.annotations[kubevirt.io/vm-generation]"] == "preference alone"
    assert sources["metadata.labels.app"] == "VM"
    assert sources["spec.domain.machine.type"] == "KubeVirt default"


def test_what_kubevirt_derives_from_an_instance_type_is_its_default() -> None:
    assert origins(MEDIUM, **USING_MEDIUM)["spec.domain.cpu.maxSockets"] == "KubeVirt default"


def test_a_topology_takes_instance_type_and_preference() -> None:
    using = "instancetype: {name: medium}\n  preference: {name: cores}"
    sources = origins(MEDIUM, CORES, matchers=using, domain="{devices: {}}")
    assert sources["spec.domain.cpu.cores"] == "instance type medium, preference cores"
    assert sources["spec.domain.memory.guest"] == "instance type medium"


@pytest.mark.parametrize(
    ("spec", "field"),
    [
        ("{machine: {preferredMachineType: pc-q35-9.0}}", "spec.domain.machine.type"),
        ("{preferredArchitecture: arm64}", "spec.architecture"),
        ("{devices: {preferredTPM: {}}}", "spec.domain.devices.tpm"),
        (
            "{devices: {preferredAutoattachInputDevice: true, preferredInputBus: usb}}",
            "spec.domain.devices.inputs[0].bus",
        ),
        ("{firmware: {preferredEfi: {persistent: true}}}", "spec.domain.firmware.bootloader.efi.persistent"),
        ("{preferredTerminationGracePeriodSeconds: 7}", "spec.terminationGracePeriodSeconds"),
    ],
)
def test_a_preference_gives_fields_at_several_stages(spec: str, field: str) -> None:
    origin_of = origins(preference("mine", spec), matchers="preference: {name: mine}")
    assert origin_of[field] == "preference mine"
    assert origin_of["spec.domain.firmware.uuid"] == "KubeVirt default"


def test_what_both_say_alike_is_of_both() -> None:
    noted = "annotations: {note: a}}"
    objects = (
        instancetype("mine", f"{{cpu: {{guest: 4}}, memory: {{guest: 4Gi}}, {noted}"),
        preference("mine", f"{{{noted}"),
    )
    origin_of = origins(
        *objects, matchers="instancetype: {name: mine}\n  preference: {name: mine}", domain="{devices: {}}"
    )
    assert origin_of["metadata.annotations.note"] == "instance type mine, preference mine"
    assert origin_of["spec.domain.memory.guest"] == "instance type mine"


def test_the_vm_wins_over_the_preference_and_is_the_source() -> None:
    domain = "{devices: {}, memory: {guest: 1Gi}, machine: {type: q35}}"
    objects = preference("mine", "{machine: {preferredMachineType: pc-q35-9.0}}")
    assert origins(objects, matchers="preference: {name: mine}", domain=domain)["spec.domain.machine.type"] == "VM"


@pytest.mark.parametrize(
    ("configuration", "field"),
    [
        ("{cpuModel: Nehalem}", "spec.domain.cpu.model"),
        ("{evictionStrategy: LiveMigrate}", "spec.evictionStrategy"),
        ("{machineType: pc-q35-8.2}", "spec.domain.machine.type"),
        ("{network: {defaultNetworkInterface: masquerade}}", "spec.domain.devices.interfaces[0].masquerade"),
        ("{liveUpdateConfiguration: {maxGuest: 2Gi}}", "spec.domain.memory.maxGuest"),
    ],
)
def test_what_the_kubevirt_cr_changes_is_the_clusters(configuration: str, field: str) -> None:
    assert origins(configured(configuration))[field] == "cluster configuration"


def test_a_kubevirt_cr_that_says_the_default_changes_nothing() -> None:
    sources = origins(configured("{network: {defaultNetworkInterface: bridge}}"))
    assert sources["spec.domain.devices.interfaces[0].bridge"] == "KubeVirt default"


def test_presets_are_told_apart() -> None:
    one = preset("one", "{devices: {}, cpu: {cores: 3}}")
    two = preset("two", "{devices: {watchdog: {name: dog, i6300esb: {action: reset}}}}")
    sources = origins(one, two)
    assert sources["spec.domain.cpu.cores"] == "preset one"
    assert sources["spec.domain.devices.watchdog.name"] == "preset two"


def test_two_presets_that_say_the_same_are_both_the_source() -> None:
    same = "{devices: {}, cpu: {cores: 3}}"
    assert origins(preset("a", same), preset("b", same))["spec.domain.cpu.cores"] == "preset a, preset b"


CLAIM = """
    apiVersion: v1
    kind: PersistentVolumeClaim
    metadata: {name: disk, namespace: shop, labels: {instancetype.kubevirt.io/default-instancetype: medium}}
    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
    """


def test_an_inferred_instance_type_is_named() -> None:
    domain = "{devices: {}}\n      volumes: [{name: root, persistentVolumeClaim: {claimName: disk}}]"
    sources = origins(MEDIUM, CLAIM, matchers="instancetype: {inferFromVolume: root}", domain=domain)
    assert sources["spec.domain.memory.guest"] == "instance type medium"


@pytest.mark.parametrize("spec", ["{devices: {preferredTPM: {}}}", "{machine: {preferredMachineType: pc-q35-9.0}}"])
@pytest.mark.parametrize("configuration", ["{}", "{cpuModel: Nehalem}"])
def test_memory_that_made_way_for_an_inferred_instance_type_is_in_the_way_of_nothing(
    spec: str, configuration: str
) -> None:
    matchers = """instancetype: {inferFromVolume: root, inferFromVolumeFailurePolicy: Ignore}
  preference: {name: mine}"""
    domain = f"{DOMAIN}\n      volumes: [{{name: root, persistentVolumeClaim: {{claimName: disk}}}}]"
    sources = origins(
        MEDIUM, preference("mine", spec), CLAIM, configured(configuration), matchers=matchers, domain=domain
    )
    assert sources["spec.domain.memory.guest"] == "instance type medium"
    assert sources["spec.domain.cpu.cores"] == "instance type medium"
    assert sources["metadata.name"] == "VM"
    assert sources["metadata.annotations[kubevirt.io/vm-generation]"] == "KubeVirt default"
    assert sources["metadata.annotations[kubevirt.io/cluster-preference-name]"] == "preference mine"


def test_an_empty_map_is_the_vms_only_where_the_vm_has_it() -> None:
    # The API writes both out.
    sources = origins(domain="{devices: {}, resources: {}, memory: {guest: 1Gi}}")
    assert sources["spec.domain.resources"] == "VM"
    assert origins()["spec.domain.resources"] == "KubeVirt default"


def test_a_namespace_that_the_vm_does_not_name_is_not_the_vms() -> None:
    vm = otheryaml.load(VM.replace(", namespace: shop", "").replace("{matchers}", "").replace("{domain}", DOMAIN))
    result = expand(vm, Cluster(), staged=True)
    sources = {origin.field: origin.sources for origin in explain_result(vm, result, Cluster())}
    assert sources["metadata.namespace"] == ("KubeVirt default",)
    assert explain_result(vm, result, Cluster()) == explain(vm, Cluster())


def test_stages_are_kept_where_they_are_asked_for_and_not_used_up() -> None:
    vm = otheryaml.load(VM.replace("{matchers}", USING_MEDIUM["matchers"]).replace("{domain}", "{devices: {}}"))
    cluster = Cluster([otheryaml.load(MEDIUM)])
    plain, staged = expand(vm, cluster), expand(vm, cluster, staged=True)
    assert plain.stages is None
    assert staged.stages
    assert staged.stages.read is None
    assert staged.stages.mutated.spec.template.spec.domain.machine
    assert staged.stages.mutated.spec.template.spec.domain.cpu is None
    assert (
        explain_result(vm, staged, cluster) == explain_result(vm, staged, cluster) == explain_result(vm, plain, cluster)
    )
    assert (staged.vm, staged.vmi) == (plain.vm, plain.vmi)


@pytest.mark.parametrize("policy", ["reference", "expand", "expandAll"])
def test_the_reference_policy_does_not_matter(policy: str) -> None:
    sources = origins(MEDIUM, configured(f"{{instancetype: {{referencePolicy: {policy}}}}}"), **USING_MEDIUM)
    assert sources["spec.domain.memory.guest"] == "instance type medium"


def test_the_configuration_counts_for_what_is_no_virtual_machine_too() -> None:
    vmi = {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachineInstance",
        "metadata": {"name": "web"},
        "spec": {"domain": {"devices": {}, "memory": {"guest": "1Gi"}}},
    }
    cluster = Cluster([otheryaml.load(configured("{cpuModel: Nehalem}"))])
    sources = {origin.field: origin.sources for origin in explain(vmi, cluster)}
    assert sources["spec.domain.cpu.model"] == ("cluster configuration",)
    assert sources["spec.domain.memory.guest"] == ("VM",)


def test_a_vm_of_which_no_vmi_is_made_has_no_origins() -> None:
    assert origins(matchers="instancetype: {name: missing}") == {}


@pytest.mark.parametrize("manifest", [{}, {"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "spec": 3}])
def test_what_is_no_vm_cannot_be_explained(manifest: dict[str, Any]) -> None:
    with pytest.raises(ManifestError):
        explain(manifest, Cluster())


def test_where_nothing_starts_nothing_is_compared() -> None:
    assert _parts(None) == (None, None)
