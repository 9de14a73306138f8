"""Free PCIe root ports for hotplug, and what adding them costs."""

import re

import pytest
from fragments import make_context, make_vmi
from fragments import xml as plain

from virtcatalog.errors import Warning
from virtcatalog.kubevirt.launcher.builder import convert
from virtcatalog.kubevirt.launcher.domain import Domain
from virtcatalog.kubevirt.launcher.errors import DomainError
from virtcatalog.kubevirt.launcher.launch.ports import add_root_ports
from virtcatalog.kubevirt.launcher.launch.sync import launch, launch_warnings
from virtcatalog.kubevirt.launcher.xml import leaf, own

IGNITION = {"kubevirt.io/ignitiondata": '{"ignition": {"version": "3.4.0"}}'}
ROOT_COMPLEX = {"kubevirt.io/placePCIDevicesOnRootComplex": "true"}
SLOTS = "kubevirt.io/pci-interface-slot-count"


def launched(devices="", memory="1Gi", *, machine="q35", annotations=None, architecture="amd64", volumes=""):
    """A VMI and its domain; ports are in use for the controllers of USB and SCSI and for the balloon."""
    vmi = make_vmi(
        "domain.devices: {autoattachSerialConsole: false, autoattachGraphicsDevice: false, " + devices + "}\n"
        f"domain.memory: {{guest: {memory}}}\ndomain.machine: {{type: {machine}}}\n"
        f"networks: [{{name: a, pod: {{}}}}]\n{volumes}",
        architecture,
        annotations,
    )
    context = make_context(architecture)
    domain = convert(vmi, context)
    launch(domain, vmi, context)
    return vmi, domain


def ports(*arguments, **keywords):
    """The indices of the root ports of a domain."""
    _, domain = launched(*arguments, **keywords)
    return [
        int(controller.get("index"))
        for controller in domain.devices.findall("controller")
        if controller.get("model") == "pcie-root-port"
    ]


def tags(domain):
    return [element.tag for element in domain.element]


def nics(count):
    absent = [f"{{name: s{number}, state: absent}}" for number in range(1, count)]
    return f"interfaces: [{', '.join(['{name: a, bridge: {}}', *absent])}]"


def test_a_root_port_is_a_controller_behind_the_others():
    _, domain = launched()
    *before, last = domain.devices.findall("controller")
    assert [each.get("type") for each in before] == ["usb", "scsi", *["pci"] * 4]
    assert plain([last]) == plain('<controller type="pci" index="5" model="pcie-root-port"/>')


@pytest.mark.parametrize(
    ("memory", "count"),
    [("1Gi", 5), ("2Gi", 5), ("2147483649", 13), ("4Gi", 13)],
)
def test_eight_ports_up_to_two_gibibytes_and_sixteen_above_less_those_in_use(memory, count):
    assert ports(memory=memory) == list(range(1, count + 1))


@pytest.mark.parametrize(("memory", "count"), [("1Gi", 3), ("4Gi", 6)])
def test_some_are_free_however_many_devices_there_are(memory, count):
    inputs = ", ".join(f"{{name: i{number}, bus: virtio, type: tablet}}" for number in range(20))
    assert len(ports(f"inputs: [{inputs}]", memory)) == count


@pytest.mark.parametrize(
    ("devices", "taken"),
    [
        ("disks: [{name: v, disk: {bus: virtio}}]", 1),
        ("disks: [{name: v, disk: {bus: virtio, pciAddress: '0000:01:02.0'}}]", 1),
        ("disks: [{name: v, disk: {bus: sata}}]", 0),
        ("disks: [{name: v, disk: {bus: scsi}}]", 0),
        ("inputs: [{name: i, bus: virtio, type: tablet}]", 1),
        ("inputs: [{name: i, bus: usb, type: tablet}]", 0),
        ("watchdog: {name: w, i6300esb: {action: reset}}", 1),
        ("rng: {}", 1),
        ("autoattachMemBalloon: false", 0),
        ("autoattachVSOCK: true", 0),
        ("sound: {name: s, model: ich9}", 0),
        ("disableHotplug: true", -1),
    ],
)
def test_what_takes_a_port(devices, taken):
    volumes = "volumes: [{name: v, emptyDisk: {capacity: 1Gi}}]" if "disks" in devices else ""
    assert len(ports(devices, volumes=volumes)) == 5 - taken


@pytest.mark.parametrize(
    ("count", "free"),
    [(1, 1), (2, 2), (3, 3), (4, 4), (5, 4)],
)
def test_placeholders_of_interfaces_count_as_free_ports(count, free):
    """Each interface to four has one; absent interfaces count among the four, and take no port."""
    assert len(ports(nics(count))) == free


@pytest.mark.parametrize(
    ("slots", "count"),
    [("0", 5), ("2", 3), ("+2", 3), ("00000000000000000000002", 3), ("-7", 5), ("9", 0), ("9223372036854775807", 0)],
)
def test_the_annotation_says_how_many_interfaces_there_are_to_be(slots, count):
    assert len(ports(annotations={SLOTS: slots})) == count


@pytest.mark.parametrize("slots", ["many", "", "1.0", " 1", "1_0", "٣", "9223372036854775808"])
def test_an_annotation_that_is_no_number_stops_the_launch(slots):
    with pytest.raises(DomainError, match=re.escape(f"metadata.annotations[{SLOTS}]")):
        ports(annotations={SLOTS: slots})
    with pytest.raises(DomainError):
        ports(annotations={SLOTS: slots, **ROOT_COMPLEX})


def test_devices_on_the_root_complex_leave_no_ports():
    assert ports(nics(1), "4Gi", annotations=ROOT_COMPLEX) == []


@pytest.mark.parametrize(
    ("architecture", "machine", "has_ports"),
    [
        ("amd64", "pc-q35-9.2", True),
        ("amd64", "pc-i440fx", False),
        ("arm64", "virt-9.2", True),
        ("s390x", "s390-ccw-virtio", False),
    ],
)
def test_only_pcie_machines_have_root_ports(architecture, machine, has_ports):
    assert bool(ports(architecture=architecture, machine=machine)) is has_ports


def test_ports_follow_the_last_index_in_use_and_end_at_31():
    indices = [("usb", "90"), ("pci", "3"), ("pci", "28")]
    controllers = [leaf("controller", type=kind, index=index) for kind, index in indices]
    domain = Domain(own("domain", own("devices", *controllers, leaf("rng"))), [])
    add_root_ports(domain, 6)
    assert [(device.tag, device.get("index")) for device in domain.devices] == [
        *(("controller", index) for index in ("90", "3", "28", "29", "30", "31")),
        ("rng", None),
    ]


def test_ignition_data_is_lost_where_ports_are_added():
    vmi, domain = launched(memory="4Gi", annotations=IGNITION)
    assert "qemu:commandline" not in tags(domain)
    assert "xmlns:qemu" not in domain.element.attrib
    message = (
        "the guest does not get this data: virt-launcher drops <qemu:commandline> where it adds PCIe root ports for "
        'hotplug (kubevirt/kubevirt#16901). Set the annotation kubevirt.io/placePCIDevicesOnRootComplex: "true", or '
        "hand the data to Ignition in a cloudInitConfigDrive volume"
    )
    assert launch_warnings(vmi, domain) == [
        Warning("Ignored", "spec.template.metadata.annotations[kubevirt.io/ignitiondata]", message)
    ]


@pytest.mark.parametrize(
    "annotations",
    [{**IGNITION, **ROOT_COMPLEX}, {**IGNITION, SLOTS: "20"}],
)
def test_ignition_data_stays_where_no_ports_are_added(annotations):
    vmi, domain = launched(memory="4Gi", annotations=annotations)
    assert "qemu:commandline" in tags(domain)
    assert "xmlns:qemu" in domain.element.attrib
    assert launch_warnings(vmi, domain) == []


def test_who_has_no_ignition_data_is_not_warned():
    assert launch_warnings(*launched(memory="4Gi", annotations={"kubevirt.io/ignitiondata": "{}"})) == []
