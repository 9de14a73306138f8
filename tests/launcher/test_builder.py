"""Whole domains."""

from itertools import product
from xml.etree.ElementTree import XML

import pytest
from fragments import TWO_NODES, make_context, make_vmi, xml
from hypothesis import given
from hypothesis import strategies as st

from virtcatalog.api.decode import to_manifest
from virtcatalog.api.names import EVEN_PARITY, NON_ROOT, PLACE_ON_ROOT_COMPLEX
from virtcatalog.kubevirt.launcher.builder import build_domain, convert, machine_text
from virtcatalog.kubevirt.launcher.context import BackingVolume
from virtcatalog.kubevirt.launcher.elements.memorybacking import MEMFD_ANNOTATION
from virtcatalog.kubevirt.launcher.errors import DomainError
from virtcatalog.kubevirt.launcher.launch.sync import launch
from virtcatalog.kubevirt.launcher.xml import write

# The order in which libvirt writes a domain.
ORDER = [
    "name", "metadata", "maxMemory", "memory", "memoryBacking", "vcpu", "vcpus", "iothreads", "cputune", "numatune",
    "sysinfo", "os", "iommufd", "features", "cpu", "clock", "on_reboot", "devices", "launchSecurity",
    "qemu:commandline",
]  # fmt: skip

EVERYTHING = """
    domain.cpu: {sockets: 2, maxSockets: 4, dedicatedCpuPlacement: true, numa: {guestMappingPassthrough: {}}}
    domain.memory: {guest: 1Gi, maxGuest: 4Gi, hugepages: {pageSize: 2Mi}}
    domain.ioThreadsPolicy: shared
    domain.devices.disks: [{name: root, disk: {bus: virtio}}]
    domain.clock: {utc: {}}
    domain.rebootPolicy: Terminate
    domain.launchSecurity: {sev: {}}
    volumes: [{name: root, emptyDisk: {capacity: 1Gi}}]
"""


def everything():
    context = make_context(topology=TWO_NODES, cpu_set=(0, 1), iommufd=True, launcher_log_verbosity=6)
    return make_vmi(EVERYTHING), context


def test_elements_come_in_libvirts_order():
    assert [element.tag for element in build_domain(*everything())] == ORDER


def test_the_plainest_domain():
    domain = build_domain(make_vmi("domain.memory: {guest: 64Mi}"), make_context())
    assert [element.tag for element in domain] == [
        "name", "metadata", "memory", "vcpu", "sysinfo", "os", "features", "cpu", "devices",
    ]  # fmt: skip
    assert domain.get("type") == "kvm"


def test_qemus_namespace_is_declared():
    assert (
        XML(write(build_domain(*everything()))).find("{http://libvirt.org/schemas/domain/qemu/1.0}commandline")
        is not None
    )


def test_the_same_input_gives_the_same_text():
    assert write(build_domain(*everything())) == write(build_domain(*everything()))


def test_a_domain_does_not_depend_on_those_that_were_made_before():
    seed = """
        domain.devices.disks: [{name: root, disk: {bus: virtio}}, {name: seed, disk: {bus: virtio}}]
        domain.devices.interfaces: [{name: n, bridge: {}MAC}]
        networks: [{name: n, pod: {}}]
        volumes: [{name: root, emptyDisk: {capacity: 1Gi}}, {name: seed, cloudInitNoCloud: {userData: x}}]
    """

    def text(name, mac, annotations):
        vmi, context = make_vmi(seed.replace("MAC", mac), annotations=annotations), make_context()
        vmi.metadata.name = vmi.metadata.uid = name
        domain = convert(vmi, context)
        launch(domain, vmi, context)
        return write(domain.element)

    macs = ("", ", macAddress: '02:00:5e:00:00:01'", ", macAddress: '02-00-5E-00-00-02'")
    cases = [*product(("a", "b"), macs, ({}, {PLACE_ON_ROOT_COMPLEX: "true"}))]
    texts = [text(*case) for case in cases]
    assert [text(*case) for case in reversed(cases)] == texts[::-1]
    assert len(set(texts)) == len(cases)
    for (name, *_), domain in zip(cases, texts, strict=True):
        assert f"cloud-init-data/default/{name}/noCloud.iso" in domain


DEDICATED = "domain.cpu: {cores: 2, dedicatedCpuPlacement: true}"
ISOLATED = DEDICATED.replace("2,", "2, isolateEmulatorThread: true,")
CLAIM = "volumes: [{name: d, persistentVolumeClaim: {claimName: c}}]\n"
DISK = f"{CLAIM}domain.devices.disks: [{{name: d, disk: {{bus: virtio}}}}]\n"
DISKS = f"{CLAIM}domain.devices.disks: [{{name: d, disk: {{bus: virtio}}}}, {{name: e, cdrom: {{bus: sata}}}}]\n"
DEDICATED_DISK = DISKS.replace("virtio}", "virtio}, dedicatedIOThread: true")
NIC = "domain.devices.interfaces: [{name: n, %s}]\nnetworks: [{name: n, %s}]\n"
TAP = NIC % ("bridge: {}", "pod: {}")
EFI = "domain.firmware: {uuid: u, bootloader: {efi: {}}}"
FILES = frozenset({"OVMF_CODE.secboot.fd", "OVMF_VARS.secboot.fd"})


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("", {"name": "other"}),
        ("", {"namespace": "other"}),
        ("", {"uid": "other"}),
        (EFI, {"name": "other"}),
        (EFI, {"annotations": {NON_ROOT: ""}}),
        (EFI, {"text": EFI.replace("u,", "v,")}),
        (EFI, {"text": EFI.replace("u,", "u, serial: s,")}),
        (EFI.replace("u,", "u, serial: s,"), {"text": EFI.replace("u,", "u, serial: t,")}),
        ("domain.chassis: {serial: s}", {"text": "domain.chassis: {serial: t}"}),
        ("startStrategy: Paused", {"text": ""}),
        ("domain.memory: {guest: 1Gi}", {"text": "domain.memory: {guest: 2Gi}"}),
        ("domain.memory: {hugepages: {pageSize: 2Mi}}", {"annotations": {MEMFD_ANNOTATION: "false"}}),
        (TAP, {"text": NIC % ("passtBinding: {}", "pod: {}")}),
        (TAP, {"text": NIC % ("bridge: {}", "multus: {networkName: x}")}),
        (TAP, {"text": NIC % ("bridge: {}, macAddress: '02:00:00:00:00:09'", "pod: {}")}),
        (NIC % ("passtBinding: {}", "pod: {}"), {"annotations": {"sidecar.istio.io/inject": "true"}}),
        (TAP, {"text": f"{TAP}domain.launchSecurity: {{sev: {{}}}}"}),
        (DISK, {"text": DISK.replace("virtio", "sata")}),
        (DISK, {"text": DISK.replace("virtio}", "virtio}, dedicatedIOThread: true")}),
        (DISK, {"text": f"{DISK}domain.ioThreadsPolicy: auto"}),
        (f"{DISK}domain.ioThreadsPolicy: auto", {"text": f"{DISKS}domain.ioThreadsPolicy: auto"}),
        (f"{DISKS}domain.ioThreadsPolicy: shared", {"text": f"{DEDICATED_DISK}domain.ioThreadsPolicy: shared"}),
        (DISK, {"text": DISK.replace("d, p", "x, p").replace("d, d", "x, d")}),
        (DISK, {"text": DISK.replace("persistentVolumeClaim: {claimName: c}", "secret: {secretName: c}")}),
        (DISK, {"volumes": {"d": BackingVolume(capacity=2**30)}}),
        (DISK, {"changed_block_tracking": True}),
        ("", {"annotations": {"kubevirt.io/disablePCIHole64": "true"}}),
        ("", {"text": "domain.devices: {disableHotplug: true}"}),
        ("", {"text": "domain.devices: {autoattachSerialConsole: false}"}),
        ("", {"text": "domain.devices: {tpm: {}}"}),
        ("", {"text": EFI}),
        ("", {"serial_console_log": False}),
        ("", {"free_page_reporting": False}),
        ("", {"vsock_cid": 4}),
        (DEDICATED, {"cpu_set": (4, 5)}),
        (ISOLATED, {"annotations": {EVEN_PARITY: ""}}),
        ("domain.cpu: {features: [{name: invtsc, policy: require}]}", {"tsc_frequency": 5}),
    ],
)
def test_what_is_like_another_in_all_but_one_thing_has_a_domain_of_its_own(text, changed):
    base = {"non_root": False, "topology": TWO_NODES, "firmware_files": FILES, "cpu_set": (0, 1, 2, 3)}

    def texts(annotations=None, text=text, name="vm", namespace="default", uid="u", **changes):
        vmi = make_vmi(f"{text}\n", annotations=annotations)
        vmi.metadata.name, vmi.metadata.namespace, vmi.metadata.uid = name, namespace, uid
        context = make_context(**{**base, "volumes": {"d": BackingVolume()}, **changes})
        domain = convert(vmi, context)
        before = write(domain.element)
        launch(domain, vmi, context)
        return before, write(domain.element)

    plain, other = texts(), texts(**changed)
    assert plain != other
    # Whatever was made before:
    assert [texts(), texts(**changed), texts(**changed), texts()] == [plain, other, other, plain]


@pytest.mark.parametrize(
    ("dedicated", "threads"), [((), "2"), ((0,), "2"), ((0, 1), "3"), ((0, 1, 2), "4"), ((0, 1, 2, 3), "5")]
)
def test_the_number_of_io_threads_is_that_of_all_disks(dedicated, threads):
    listed = [
        f"{{name: d{number}, disk: {{bus: virtio}}, dedicatedIOThread: {number in dedicated}}}" for number in range(4)
    ]
    volumes = [f"{{name: d{number}, emptyDisk: {{capacity: 1Gi}}}}" for number in range(4)]
    vmi = make_vmi(f"""
        domain.ioThreadsPolicy: auto
        domain.devices.disks: [{", ".join(listed)}]
        volumes: [{", ".join(volumes)}]
    """)
    assert build_domain(vmi, make_context()).findtext("iothreads") == threads


def test_firmware_and_features_know_of_launch_security():
    vmi = make_vmi("domain.launchSecurity: {tdx: {}}\ndomain.firmware: {bootloader: {efi: {}}}\ndomain.features: {}")
    domain = build_domain(vmi, make_context(firmware_files=frozenset({"OVMF.inteltdx.secboot.fd"})))
    assert domain.findtext("os/loader").endswith("OVMF.inteltdx.secboot.fd")
    assert domain.find("features/pmu").get("state") == "off"


def test_a_text_that_cannot_be_encoded_is_written_nevertheless():
    vmi = make_vmi("domain.machine: {type: q35}\ndomain.devices: {sound: {name: s}}")
    vmi.spec.domain.machine.type = vmi.spec.domain.devices.sound.name = "\ud800"
    text = write(build_domain(vmi, make_context()))
    assert 'machine="\N{REPLACEMENT CHARACTER}"' in text
    assert 'name="ua-\N{REPLACEMENT CHARACTER}"' in text


def test_a_number_that_no_manifest_could_hold_counts_nevertheless():
    vmi = make_vmi("domain.cpu: {sockets: 1}")
    vmi.spec.domain.cpu.sockets = 2**32 + 3
    assert build_domain(vmi, make_context()).findtext("vcpu") == "3"


def test_the_vmi_stays_as_it_was():
    vmi, context = everything()
    before = to_manifest(vmi)
    build_domain(vmi, context)
    assert to_manifest(vmi) == before


def test_huge_pages_bring_a_numa_cell():
    domain = build_domain(make_vmi("domain.memory: {guest: 64Mi, hugepages: {pageSize: 2Mi}}"), make_context())
    assert xml(domain.find("cpu/numa")) == xml('<numa><cell id="0" cpus="0-0" memory="65536" unit="KiB"/></numa>')


def test_a_refusal_goes_through():
    with pytest.raises(DomainError):
        build_domain(make_vmi("domain.memory: {guest: -1Gi}"), make_context())


@given(st.text(max_size=20))
def test_whatever_the_texts_are_the_xml_is_well_formed(text):
    vmi = make_vmi("domain.firmware: {kernelBoot: {kernelArgs: x}}\ndomain.chassis: {serial: x}")
    vmi.spec.domain.firmware.kernel_boot.kernel_args = text
    vmi.spec.domain.chassis.serial = text
    XML(write(build_domain(vmi, make_context())))


def test_the_text_of_a_machine_is_that_of_its_domain_up_to_the_devices():
    vmi, context = everything()
    begin, _, _ = write(build_domain(vmi, context)).partition("  <devices>")
    begin = begin.replace(' xmlns:qemu="http://libvirt.org/schemas/domain/qemu/1.0"', "")
    assert machine_text(vmi, context) == f"{begin}</domain>\n"


def test_a_machine_with_grace_gpus_has_no_text_without_its_devices():
    assert machine_text(make_vmi(), make_context(grace_host_device_aliases=("gpu-a",))) is None
