"""What holds for every VM: the result depends on nothing but the input, and an expanded VM expands to itself."""

import copy

from hypothesis import given, settings
from hypothesis import strategies as st
from reading import read

from sampling import examples
from virtcatalog import Cluster
from virtcatalog.kubevirt.pipeline import expand

OBJECTS = """
- apiVersion: instancetype.kubevirt.io/v1beta1
  kind: VirtualMachineClusterInstancetype
  metadata: {name: small}
  spec: {cpu: {guest: 2}, memory: {guest: 2Gi}, ioThreadsPolicy: auto, annotations: {from: instancetype}}
- apiVersion: instancetype.kubevirt.io/v1beta1
  kind: VirtualMachineClusterPreference
  metadata: {name: linux}
  spec:
    annotations: {from: preference}
    clock: {preferredTimer: {hpet: {present: false}}}
    devices:
      preferredAutoattachInputDevice: true
      preferredDiskBus: virtio
      preferredDiskCache: none
      preferredInputBus: virtio
      preferredInterfaceMasquerade: {}
      preferredInterfaceModel: virtio
      preferredRng: {}
    features: {preferredHyperv: {synictimer: {direct: {}}}}
    firmware: {preferredEfi: {secureBoot: false}}
- apiVersion: kubevirt.io/v1
  kind: VirtualMachineInstancePreset
  metadata: {name: cores}
  spec: {selector: {matchLabels: {preset: cores}}, domain: {devices: {}, clock: {utc: {}}, ioThreadsPolicy: shared}}
"""
CLUSTER = Cluster(read(OBJECTS))

state = st.fixed_dictionaries({}, optional={"enabled": st.booleans()})


def some(**fields):
    return st.fixed_dictionaries({}, optional=fields)


volume = st.sampled_from(
    [
        {"containerDisk": {"image": "guest:1"}},
        {"emptyDisk": {"capacity": "1Gi"}},
        {"persistentVolumeClaim": {"claimName": "claim"}},
        {"cloudInitNoCloud": {"userData": "#cloud-config"}},
    ]
)
disk = st.sampled_from(
    [
        {"name": "v0"},
        {"name": "v0", "bootOrder": 1},
        {"name": "v1", "disk": {"readonly": True}},
        {"name": "v1", "cdrom": {}},
        {"name": "v2", "lun": {"bus": "scsi"}},
    ]
)
domain = st.fixed_dictionaries(
    {
        "devices": some(
            autoattachInputDevice=st.booleans(),
            autoattachPodInterface=st.booleans(),
            disks=st.lists(disk, max_size=2),
            filesystems=st.just([{"name": "v1", "virtiofs": {}}]),
            interfaces=st.just([{"name": "default"}]),
            inputs=st.just([{"name": "tablet", "type": "tablet"}]),
            rng=st.just({}),
            tpm=some(persistent=st.booleans()),
            watchdog=st.just({"name": "dog"}),
        )
    },
    optional={
        "cpu": some(cores=st.integers(1, 4), sockets=st.integers(1, 300), threads=st.integers(1, 2)),
        "memory": some(guest=st.sampled_from(["512Mi", "1Gi", "1.5Gi", "3G"])),
        "resources": some(requests=some(memory=st.just("2Gi"), cpu=st.just("1500m")), limits=some(cpu=st.just("2"))),
        "machine": st.fixed_dictionaries({"type": st.sampled_from(["", "q35", "pc-q35-9.2", "pc-i440fx-7.2"])}),
        "features": some(
            acpi=state,
            apic=state,
            smm=state,
            hyperv=some(synic=state, synictimer=state, ipi=state, evmcs=state, spinlocks=state),
        ),
        "firmware": some(uuid=st.uuids().map(str), serial=st.just("s"), bootloader=some(efi=some())),
        "clock": some(timezone=st.just("UTC"), timer=some(hpet=some(), kvm=some())),
    },
)


@st.composite
def machines(draw):
    volumes = [{"name": f"v{index}", **source} for index, source in enumerate(draw(st.lists(volume, max_size=3)))]
    matchers = draw(some(instancetype=st.just({"name": "small"}), preference=st.just({"name": "linux"})))
    machine = draw(domain)
    if "instancetype" in matchers:  # that would conflict: not the subject here
        machine = {key: value for key, value in machine.items() if key not in ("cpu", "memory", "resources")}
    else:
        machine.setdefault("memory", {}).setdefault("guest", "1Gi")
    spec = some(
        architecture=st.sampled_from(["amd64", "arm64", "s390x", "riscv64"]),
        networks=st.just([{"name": "default", "pod": {}}]),
    )
    template = {
        "metadata": {"labels": draw(some(preset=st.just("cores")))},
        "spec": {"domain": machine, "volumes": volumes, **draw(spec)},
    }
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": "vm"},
        "spec": {"runStrategy": "Always", **matchers, "template": template},
    }


def outcome(result):
    # Where a value comes from is another matter once it is written down.
    reasons = [(reason.field, reason.message) for reason in result.reasons]
    return result.refused_by, result.causes, reasons, result.vm, result.vmi, result.domain_xml


@settings(max_examples=examples(150))
@given(machines())
def test_the_same_vm_gives_the_same_result_and_stays_as_it_is(manifest):
    before = copy.deepcopy(manifest)
    first = outcome(expand(manifest, CLUSTER))
    assert manifest == before
    assert outcome(expand(manifest, CLUSTER)) == first
    assert outcome(expand(manifest, Cluster(read(OBJECTS)))) == first


@settings(max_examples=examples(150))
@given(machines())
def test_an_expanded_vm_expands_to_itself(manifest):
    first = expand(manifest, CLUSTER)
    assert first.vm is not None
    assert outcome(expand(first.vm, CLUSTER)) == outcome(first)
