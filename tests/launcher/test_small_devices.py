"""Devices of which a machine has one or none: their elements, and when they are there."""

import pytest

from virtcatalog.kubevirt.launcher.errors import DomainError

EFI = "domain.firmware: {bootloader: {efi: {secureBoot: false}}}"
OVMF = frozenset({"OVMF_CODE.fd", "OVMF_VARS.fd", "AAVMF_CODE.fd", "AAVMF_VARS.fd"})
PRIVATE = "/var/run/kubevirt-private"


@pytest.mark.parametrize(
    "absent", ["filesystem", "panic", "redirdev", "rng", "sound", "tpm", "vsock", "watchdog", "input"]
)
def test_what_nobody_asked_for_is_not_there(built, absent):
    assert built(absent) == ""


def test_virtiofs(built, xml):
    assert built("filesystem", "filesystems: [{name: f, virtiofs: {}}]") == xml("""
        <filesystem type="mount" accessMode="passthrough">
          <driver type="virtiofs" queue="1024"/>
          <source dir="" socket="/var/run/kubevirt/virtiofs-containers/f.sock"/>
          <target dir="f"/>
        </filesystem>
    """)


def test_a_filesystem_without_a_name_has_no_tag(built):
    assert "<target></target>" in built("filesystem", "filesystems: [{name: '', virtiofs: {}}]")


@pytest.mark.parametrize(
    ("device", "element"),
    [
        ("{}", '<tpm model="tpm-tis"><backend type="emulator" version="2.0"/></tpm>'),
        ("{enabled: true}", '<tpm model="tpm-tis"><backend type="emulator" version="2.0"/></tpm>'),
        (
            "{persistent: true}",
            '<tpm model="tpm-crb"><backend type="emulator" version="2.0" persistent_state="yes"/></tpm>',
        ),
        ("{enabled: false, persistent: true}", ""),
    ],
)
def test_tpm(built, xml, device, element):
    assert built("tpm", f"tpm: {device}") == xml(element)


@pytest.mark.parametrize(
    ("device", "element"),
    [
        ("{name: s}", '<sound model="ich9"><alias name="ua-s"/></sound>'),
        ("{name: s, model: ac97}", '<sound model="ac97"><alias name="ua-s"/></sound>'),
    ],
)
def test_sound(built, xml, device, element):
    assert built("sound", f"sound: {device}") == xml(element)


@pytest.mark.parametrize(
    ("architecture", "device", "model"),
    [("amd64", "i6300esb: {action: reset}", "i6300esb"), ("s390x", "diag288: {action: reset}", "diag288")],
)
def test_watchdogs(built, xml, architecture, device, model):
    expected = xml(f'<watchdog model="{model}" action="reset"><alias name="ua-w"/></watchdog>')
    assert built("watchdog", f"watchdog: {{name: w, {device}}}", architecture=architecture) == expected


@pytest.mark.parametrize(
    ("architecture", "device"),
    [("amd64", "diag288: {action: reset}"), ("s390x", "i6300esb: {action: reset}"), ("arm64", "i6300esb: {}")],
)
def test_watchdogs_of_other_architectures_are_refused(built, architecture, device):
    with pytest.raises(DomainError, match="watchdog"):
        built("watchdog", f"watchdog: {{name: w, {device}}}", architecture=architecture)


def test_rng(built, xml):
    assert built("rng", "rng: {}") == xml(
        '<rng model="virtio-non-transitional"><backend model="random">/dev/urandom</backend></rng>'
    )


def test_panic_devices(built, xml):
    assert built("panic", "panicDevices: [{model: hyperv}, {}]") == xml('<panic model="hyperv"/><panic/>')


def test_vsock(built, xml):
    expected = xml('<vsock model="virtio-non-transitional"><cid auto="no" address="3"/></vsock>')
    assert built("vsock", vsock_cid=3) == expected


@pytest.mark.parametrize(
    ("devices", "changes", "element"),
    [
        (
            "",
            {},
            '<memballoon model="virtio-non-transitional" freePageReporting="on"><stats period="10"/></memballoon>',
        ),
        (
            "useVirtioTransitional: true",
            {"free_page_reporting": False, "mem_balloon_stats_period": 0},
            '<memballoon model="virtio-transitional" freePageReporting="off"/>',
        ),
        ("autoattachMemBalloon: false", {}, '<memballoon model="none"/>'),
    ],
)
def test_memballoon(built, xml, devices, changes, element):
    assert built("memballoon", devices, **changes) == xml(element)


@pytest.mark.parametrize("device", ["rng", "memballoon"])
@pytest.mark.parametrize(
    ("architecture", "security", "iommu"),
    [("amd64", "{sev: {}}", True), ("amd64", "{tdx: {}}", False), ("s390x", "{}", True)],
)
def test_confidential_guests_reach_virtio_through_an_iommu(built, xml, device, architecture, security, iommu):
    shown = built(device, "rng: {}", f"domain.launchSecurity: {security}", architecture=architecture)
    assert (xml('<driver iommu="on"/>') in shown) is iommu


def test_the_serial_console_is_on_a_socket_and_logged(built, xml):
    assert built("serial console") == xml(f"""
        <serial type="unix">
          <source mode="bind" path="{PRIVATE}/u/virt-serial0"/>
          <log file="{PRIVATE}/u/virt-serial0-log" append="on"/>
          <target port="0"/>
        </serial>
        <console type="pty"><target type="serial" port="0"/></console>
    """)


def test_the_log_and_the_console_itself_can_be_turned_off(built):
    assert "log" not in built("serial console", serial_console_log=False)
    assert built("serial console", "autoattachSerialConsole: false") == ""


def test_the_guest_agent_has_a_channel(built, xml):
    assert built("channel") == xml(
        '<channel type="unix"><target type="virtio" name="org.qemu.guest_agent.0"/></channel>'
    )


def test_so_have_downward_metrics(built, xml):
    assert xml(f"""
        <channel type="unix">
          <source mode="bind" path="{PRIVATE}/downwardmetrics-channel/downwardmetrics.sock"/>
          <target type="virtio" name="org.github.vhostmd.1"/>
        </channel>
    """) in built("channel", "downwardMetrics: {}")


def test_usb_redirection_has_four_ports(built, xml):
    shown = built("redirdev", "clientPassthrough: {}")
    assert shown.count("<redirdev") == 4
    for port in range(4):
        source = f'<source mode="bind" path="{PRIVATE}/u/virt-usbredir-{port}"/>'
        assert xml(f'<redirdev type="unix" bus="usb">{source}</redirdev>') in shown


def test_graphics_are_vnc_on_a_socket(built, xml):
    listen = f'<listen type="socket" socket="{PRIVATE}/u/virt-vnc"/>'
    assert built("graphics") == xml(f'<graphics type="vnc">{listen}</graphics>')


@pytest.mark.parametrize("device", ["graphics", "video"])
def test_graphics_can_be_left_out(built, device):
    assert built(device, "autoattachGraphicsDevice: false") == ""
    assert built(device, architecture="arm64", host_architecture="amd64") == ""


@pytest.mark.parametrize(
    ("architecture", "spec", "changes", "model"),
    [
        ("amd64", "", {}, 'type="vga" vram="16384" heads="1"'),
        ("amd64", EFI, {}, 'type="bochs" heads="1"'),
        ("amd64", EFI, {"bochs_for_efi_guests": False}, 'type="vga" vram="16384" heads="1"'),
        ("arm64", EFI, {}, 'type="virtio" heads="1"'),
        ("s390x", "", {}, 'type="virtio" heads="1"'),
    ],
)
def test_the_usual_graphics_card_of_an_architecture(built, xml, architecture, spec, changes, model):
    shown = built("video", "", spec, architecture=architecture, firmware_files=OVMF, **changes)
    assert shown == xml(f"<video><model {model}/></video>")


def test_the_graphics_card_that_the_vmi_names(built, xml):
    assert built("video", "video: {type: cirrus}") == xml(
        '<video><model type="cirrus" vram="16384" heads="1"/></video>'
    )


@pytest.mark.parametrize(
    ("device", "element"),
    [
        ("{name: t, type: tablet}", '<input type="tablet" bus="usb"><alias name="ua-t"/></input>'),
        ("{name: t, type: tablet, bus: usb}", '<input type="tablet" bus="usb"><alias name="ua-t"/></input>'),
        (
            "{name: t, type: tablet, bus: virtio}",
            '<input type="tablet" bus="virtio" model="virtio"><alias name="ua-t"/></input>',
        ),
    ],
)
def test_tablets(built, xml, device, element):
    assert built("input", f"inputs: [{device}]") == xml(element)


@pytest.mark.parametrize("device", ["{name: k, type: keyboard}", "{name: t, type: tablet, bus: ps2}"])
def test_other_inputs_are_refused(built, device):
    with pytest.raises(DomainError, match=r"inputs\[0\]"):
        built("input", f"inputs: [{device}]")


@pytest.mark.parametrize(
    ("architecture", "devices", "added"),
    [
        ("arm64", "", '<input type="tablet" bus="usb"/><input type="keyboard" bus="usb"/>'),
        ("arm64", "inputs: [{name: t, type: tablet, bus: virtio}]", '<input type="keyboard" bus="usb"/>'),
        ("s390x", "", '<input type="keyboard" bus="virtio"/>'),
        ("arm64", "autoattachGraphicsDevice: false", ""),
    ],
)
def test_graphics_bring_input_devices_where_the_architecture_lacks_them(built, xml, architecture, devices, added):
    shown = built("input", devices, architecture=architecture)
    assert shown.endswith(xml(added))
    assert shown.count("<input") == added.count("<input") + devices.count("tablet")
