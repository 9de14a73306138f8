"""The short elements: name, metadata, sysinfo, launch security, reboot, QEMU's command line, type, emulator."""

import pytest
from fragments import make_context, make_vmi, part, parts, xml

from virtcatalog.api.configuration import SMBiosConfiguration
from virtcatalog.api.domainspec import SEVSNP, TDX, LaunchSecurity
from virtcatalog.kubevirt.launcher.architecture import AMD64, architecture_of
from virtcatalog.kubevirt.launcher.builder import build_domain
from virtcatalog.kubevirt.launcher.elements.launchsecurity import uses_secure_execution, uses_sev
from virtcatalog.kubevirt.launcher.elements.qemu import NAMESPACE
from virtcatalog.kubevirt.launcher.errors import DomainError
from virtcatalog.kubevirt.launcher.xml import Element

VERBOSE = [
    "-chardev",
    "file,id=firmwarelog,path=/var/run/kubevirt-private/QEMUSeaBiosDebugPipe",
    "-device",
    "isa-debugcon,iobase=0x402,chardev=firmwarelog",
]
IGNITION = [
    "-fw_cfg",
    "name=opt/com.coreos/config,file=/var/run/kubevirt-ephemeral-disks/ignition-data/default/vm/data.ign",
]
SEV = '<launchSecurity type="sev"><policy>0x1</policy></launchSecurity>'


def test_the_name_holds_the_namespace_and_metadata_is_kubevirts():
    metadata = '<metadata><kubevirt xmlns="http://kubevirt.io"><uid/></kubevirt></metadata>'
    assert xml(parts("name metadata", make_vmi())) == xml(f"<name>default_vm</name>{metadata}")


NAMELESS = "".join(f'<entry name="{name}"/>' for name in ("manufacturer", "family", "product", "sku", "version"))


def tables(numbers="", chassis="", cluster=NAMELESS):
    system = f"<system>{numbers}{cluster}</system>"
    return f'<sysinfo type="smbios"><bios/>{system}<baseBoard/><chassis>{chassis}</chassis></sysinfo>'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{}", tables()),
        ("domain.firmware: {}", tables('<entry name="uuid"/>')),
        (
            "domain.firmware: {uuid: 5d307ca9, serial: e4686d2c}",
            tables('<entry name="uuid">5d307ca9</entry><entry name="serial">e4686d2c</entry>'),
        ),
        (
            "domain.chassis: {manufacturer: ACME, sku: x}",
            tables(
                chassis="""<entry name="manufacturer">ACME</entry><entry name="version"/><entry name="serial"/>
                           <entry name="asset"/><entry name="sku">x</entry>"""
            ),
        ),
    ],
)
def test_sysinfo(text, expected):
    assert xml(part("sysinfo", make_vmi(text))) == xml(expected)


def test_sysinfo_names_the_system_as_the_cluster_says():
    context = make_context(smbios=SMBiosConfiguration(manufacturer="KubeVirt", family="F", product="None"))
    assert xml(part("sysinfo", make_vmi(), context)) == xml(
        tables(
            cluster="""<entry name="manufacturer">KubeVirt</entry><entry name="family">F</entry>
               <entry name="product">None</entry><entry name="sku"/><entry name="version"/>"""
        )
    )


@pytest.mark.parametrize(
    ("security", "expected"),
    [
        ("{}", ""),
        ("{sev: {}}", SEV),
        (
            "{sev: {policy: {encryptedState: false}}}",
            SEV,
        ),
        ("{sev: {policy: {encryptedState: true}}}", '<launchSecurity type="sev"><policy>0x5</policy></launchSecurity>'),
        (
            "{sev: {dhCert: QQ==, session: Qg==}}",
            """<launchSecurity type="sev">
                 <policy>0x1</policy><dhCert>QQ==</dhCert><session>Qg==</session>
               </launchSecurity>""",
        ),
        ("{snp: {}}", '<launchSecurity type="sev-snp"><policy>0x30000</policy></launchSecurity>'),
        ("{tdx: {}}", '<launchSecurity type="tdx"><quoteGenerationService/></launchSecurity>'),
    ],
)
def test_launch_security(security, expected):
    assert xml(part("launchSecurity", make_vmi(f"domain.launchSecurity: {security}"))) == xml(expected)


def test_tdx_quotes_come_through_a_socket():
    vmi = make_vmi("domain.launchSecurity: {tdx: {}}", annotations={"kubevirt.io/qgs-socket-path": "/run/qgs"})
    assert part("launchSecurity", vmi).find("quoteGenerationService").get("path") == "/run/qgs"


@pytest.mark.parametrize("architecture", ["arm64", "s390x"])
def test_only_amd64_has_the_element(architecture):
    vmi = make_vmi("domain.launchSecurity: {sev: {}}", architecture)
    assert part("launchSecurity", vmi) is None


def test_secure_execution_is_any_launch_security_on_s390x():
    assert uses_secure_execution(LaunchSecurity(), "s390x")
    assert not uses_secure_execution(LaunchSecurity(), "amd64")
    assert not uses_secure_execution(None, "s390x")


def test_snp_is_a_kind_of_sev():
    assert uses_sev(LaunchSecurity(snp=SEVSNP()))
    assert not uses_sev(LaunchSecurity(tdx=TDX()))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("domain.rebootPolicy: Terminate", "<on_reboot>destroy</on_reboot>"),
        ("domain.rebootPolicy: Reboot", "<on_reboot>restart</on_reboot>"),
    ],
)
def test_what_a_reboot_does(text, expected):
    assert xml(part("on_reboot", make_vmi(text))) == xml(expected)


@pytest.mark.parametrize(
    ("architecture", "annotations", "verbosity", "arguments"),
    [
        ("amd64", {"kubevirt.io/ignitiondata": '{"ignition": {}}'}, 2, IGNITION),
        ("amd64", {"kubevirt.io/ignitiondata": "{}"}, 2, []),
        ("amd64", {}, 5, []),
        ("amd64", {}, 6, VERBOSE),
        ("arm64", {}, 6, []),
        ("amd64", {"kubevirt.io/ignitiondata": '{"ignition": {}}'}, 9, IGNITION + VERBOSE),
    ],
)
def test_qemus_command_line(architecture, annotations, verbosity, arguments):
    vmi = make_vmi(architecture=architecture, annotations=annotations)
    element = part("qemu:commandline", vmi, make_context(architecture, launcher_log_verbosity=verbosity))
    expected = "".join(f'<qemu:arg value="{argument}"/>' for argument in arguments)
    root = Element("domain", {"xmlns:qemu": NAMESPACE})
    root.extend([element] if element is not None else [])
    commands = f"<qemu:commandline>{expected}</qemu:commandline>" if expected else ""
    assert xml(root) == xml(f'<domain xmlns:qemu="{NAMESPACE}">{commands}</domain>')


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, "kvm"),
        ({"allow_emulation": True}, "kvm"),
        ({"hypervisor_available": False, "allow_emulation": True}, "qemu"),
        ({"hypervisor": "hyperv-direct"}, "hyperv"),
        ({"hypervisor": "hyperv-direct", "hypervisor_available": False, "allow_emulation": True}, "qemu"),
        ({"host_architecture": "arm64"}, "qemu"),
        ({"host_architecture": "amd64"}, "kvm"),
    ],
)
def test_the_domains_type(changes, expected):
    assert build_domain(make_vmi(), make_context(**changes)).get("type") == expected


@pytest.mark.parametrize("hypervisor", ["kvm", "hyperv-direct"])
def test_a_node_without_hypervisor_needs_leave_to_emulate(hypervisor):
    with pytest.raises(DomainError, match=hypervisor):
        build_domain(make_vmi(), make_context(hypervisor=hypervisor, hypervisor_available=False))


@pytest.mark.parametrize(
    ("guest", "host", "expected"),
    [
        ("amd64", "", ""),
        ("amd64", "amd64", ""),
        ("amd64", "arm64", "<emulator>/usr/bin/qemu-system-x86_64</emulator>"),
        ("arm64", "amd64", "<emulator>/usr/bin/qemu-system-aarch64</emulator>"),
        ("s390x", "amd64", "<emulator>/usr/bin/qemu-system-s390x</emulator>"),
    ],
)
def test_another_architecture_has_its_own_emulator(guest, host, expected):
    assert xml(part("emulator", make_vmi(architecture=guest), make_context(guest, host_architecture=host))) == xml(
        expected
    )


def test_iommufd_shows_when_the_pod_has_it():
    assert part("iommufd", make_vmi()) is None
    assert xml(part("iommufd", make_vmi(), make_context(iommufd=True))) == xml(
        '<iommufd enabled="yes" fdgroup="iommu"/>'
    )


@pytest.mark.parametrize(
    ("architecture", "transitional", "virtio", "scsi"),
    [
        ("amd64", None, "virtio-non-transitional", "virtio-non-transitional"),
        ("arm64", True, "virtio-transitional", "virtio-transitional"),
        ("s390x", True, "virtio", "virtio-scsi"),
    ],
)
def test_virtio_models(architecture, transitional, virtio, scsi):
    traits = architecture_of(architecture)
    assert (traits.virtio_model(transitional), traits.scsi_model(transitional)) == (virtio, scsi)


def test_an_unknown_architecture_counts_as_amd64():
    assert architecture_of("riscv64") is AMD64
