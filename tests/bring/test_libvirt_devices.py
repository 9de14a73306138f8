"""What the VM says of a domain's devices: disks by rule, networks, and what the host has."""

from __future__ import annotations

import pytest
from importing import bring, domain, fates, machine, why

from virtcatalog.bring.libvirt.rules import Rules, device_rule, disk_rule, network_rule

#: Whatever a test looks at, its words are held against a snapshot, too.
pytestmark = pytest.mark.usefixtures("in_words")


DISK = (
    "<disk type='file' device='disk'><driver name='qemu' type='qcow2'/><source file='/srv/db.qcow2'/>"
    "<target dev='vda' bus='virtio'/></disk>"
)
BRIDGE = (
    "<interface type='bridge'><mac address='52:54:00:aa:bb:cc'/><source bridge='{}'/><model type='virtio'/></interface>"
)


def spec(imported):
    return imported.vm["spec"]["template"]["spec"]


class TestDisks:
    @pytest.mark.parametrize(
        ("rules", "volume", "templates"),
        [
            ([], {"persistentVolumeClaim": {"claimName": "db-vda"}}, None),
            (["vda=claim:root"], {"persistentVolumeClaim": {"claimName": "root"}}, None),
            (["*.qcow2=image:quay.example/db:1"], {"containerDisk": {"image": "quay.example/db:1"}}, None),
            (["vdb=claim:x", "/srv/*=blank:5Gi"], {"dataVolume": {"name": "db-vda"}}, ({"blank": {}}, "5Gi")),
            (["*=upload:5Gi"], {"dataVolume": {"name": "db-vda"}}, ({"upload": {}}, "5Gi")),
            (
                ["*=http:https://x/y,1.qcow2,5Gi"],
                {"dataVolume": {"name": "db-vda"}},
                ({"http": {"url": "https://x/y,1.qcow2"}}, "5Gi"),
            ),
            (
                ["*=registry:docker://x/y,5Gi"],
                {"dataVolume": {"name": "db-vda"}},
                ({"registry": {"url": "docker://x/y"}}, "5Gi"),
            ),
            (
                ["*=clone:gold/fedora"],
                {"dataVolume": {"name": "db-vda"}},
                ({"pvc": {"namespace": "gold", "name": "fedora"}}, ""),
            ),
        ],
    )
    def test_come_from_where_the_first_rule_says(self, rules, volume, templates):
        imported = bring(domain(devices=DISK), Rules(tuple(map(disk_rule, rules))))
        assert imported.reasons == ()
        assert spec(imported)["volumes"] == [{"name": "vda", **volume}]
        assert machine(imported)["devices"]["disks"] == [{"name": "vda", "disk": {"bus": "virtio"}}]
        data_volumes = imported.vm["spec"].get("dataVolumeTemplates")
        if templates is None:
            assert data_volumes is None
        else:
            source, size = templates
            storage = {"resources": {"requests": {"storage": size}}} if size else {}
            assert data_volumes == [{"metadata": {"name": "db-vda"}, "spec": {"source": source, "storage": storage}}]
        assert fates(imported, "devices/disk/source") == {"host"}
        assert imported.lost == []

    def test_that_are_left_out_are_lost(self):
        imported = bring(domain(devices=DISK), Rules((disk_rule("vda=drop"),)))
        assert "disks" not in machine(imported)["devices"]
        assert why(imported, "devices/disk") == "lost: left out, as the rule vda=drop says"

    def test_on_buses_that_kubevirt_lacks_change_it(self):
        imported = bring(domain(devices=DISK.replace("bus='virtio'", "bus='ide'")))
        assert machine(imported)["devices"]["disks"] == [{"name": "vda", "disk": {"bus": "sata"}}]
        assert (
            why(imported, "devices/disk/target/@bus") == "lost: KubeVirt has no disks on ide: the guest gets it on sata"
        )

    def test_options_are_carried(self):
        driver = "<driver name='qemu' type='raw' cache='writeback' io='threads' error_policy='report'/>"
        options = "<serial>ROOT</serial><boot order='2'/><shareable/>"
        disk = DISK.replace("<driver name='qemu' type='qcow2'/>", driver).replace("</disk>", f"{options}</disk>")
        disk = disk.replace("writeback", "none")
        imported = bring(domain(devices=disk))
        assert machine(imported)["devices"]["disks"] == [
            {
                "name": "vda",
                "disk": {"bus": "virtio"},
                "cache": "none",
                "io": "threads",
                "errorPolicy": "report",
                "serial": "ROOT",
                "shareable": True,
                "bootOrder": 2,
            }
        ]
        assert imported.lost == []

    @pytest.mark.parametrize(
        ("controller", "address"),
        [
            ("", "0000:05:00.0"),
            ("<controller type='usb' index='0' model='qemu-xhci'/>", "0000:05:00.0"),
            ("<controller type='pci' index='0' model='pcie-root'/>", None),
            ("<controller type='pci' index='0' model='pci-root'/>", None),
        ],
    )
    def test_addresses_are_carried_unless_libvirt_chose_them(self, controller, address):
        """libvirt lists the root of PCI once it has chosen."""
        disk = DISK.replace("</disk>", "<address type='pci' domain='0x0' bus='0x5' slot='0x0' function='0x0'/></disk>")
        imported = bring(domain(devices=disk + controller))
        assert machine(imported)["devices"]["disks"][0]["disk"].get("pciAddress") == address

    def test_what_kubevirt_refuses_is_lost_with_its_words(self):
        imported = bring(domain(devices=DISK.replace("</disk>", "<serial>a b</serial></disk>")))
        assert "serial" not in machine(imported)["devices"]["disks"][0]
        assert why(imported, "devices/disk/serial").startswith("lost: KubeVirt refuses it: serial 'a b'")

    def test_are_booted_in_the_order_of_their_families(self):
        cdrom = (
            "<disk type='file' device='cdrom'><source file='/x.iso'/><target dev='sda' bus='sata'/><readonly/></disk>"
        )
        os = "<os><type arch='x86_64' machine='q35'>hvm</type><boot dev='cdrom'/><boot dev='hd'/><boot dev='fd'/></os>"
        imported = bring(domain(devices=DISK + cdrom, os=os))
        assert [disk["bootOrder"] for disk in machine(imported)["devices"]["disks"]] == [2, 1]
        assert [part.path for part in imported.outermost("lost")] == ["os/boot[3]"]

    def test_drives_without_a_disk_are_lost(self):
        imported = bring(domain(devices="<disk type='file' device='cdrom'><target dev='sda' bus='sata'/></disk>"))
        assert fates(imported, "devices/disk") == {"lost"}
        assert imported.reasons == ()


class TestInterfaces:
    def test_the_first_is_on_the_pods_network_others_on_one_of_their_name(self):
        imported = bring(domain(devices=BRIDGE.format("br0") + BRIDGE.format("Br_1").replace("cc'", "cd'")))
        assert spec(imported)["networks"] == [
            {"name": "default", "pod": {}},
            {"name": "br-1", "multus": {"networkName": "br-1"}},
        ]
        assert [
            set(interface) & {"masquerade", "bridge"} for interface in machine(imported)["devices"]["interfaces"]
        ] == [
            {"masquerade"},
            {"bridge"},
        ]
        assert machine(imported)["devices"]["interfaces"][0]["macAddress"] == "52:54:00:aa:bb:cc"
        assert [need.field for need in imported.needs] == ["spec.template.spec.networks[name=br-1].multus.networkName"]

    def test_rules_say_otherwise(self):
        rules = Rules(networks=(network_rule("br0=vlans/office"), network_rule("*=pod")))
        imported = bring(domain(devices=BRIDGE.format("br0") + BRIDGE.format("br1").replace("cc'", "cd'")), rules)
        assert [network.get("multus", network.get("pod")) for network in spec(imported)["networks"]] == [
            {"networkName": "vlans/office"},
            {},
        ]
        assert imported.needs == []

    def test_models_that_kubevirt_lacks_become_virtio(self):
        imported = bring(domain(devices=BRIDGE.format("br0").replace("type='virtio'", "type='vmxnet3'")))
        assert "model" not in machine(imported)["devices"]["interfaces"][0]
        assert why(imported, "devices/interface/model") == "lost: KubeVirt has no vmxnet3: the guest gets virtio"

    def test_none_is_none(self):
        assert machine(bring(domain()))["devices"]["autoattachPodInterface"] is False


class TestHostDevices:
    DEVICE = (
        "<hostdev mode='subsystem' type='pci' managed='yes'><source>"
        "<address domain='0x0000' bus='0x41' slot='0x00' function='0x0'/></source></hostdev>"
    )

    def test_are_lost_unless_a_rule_names_their_resource(self):
        imported = bring(domain(devices=self.DEVICE))
        assert why(imported, "devices/hostdev").endswith("--device 0000:41:00.0=RESOURCE names it")
        imported = bring(domain(devices=self.DEVICE), Rules(devices=(device_rule("0000:41:*=nvidia.com/A400"),)))
        assert machine(imported)["devices"]["hostDevices"] == [{"name": "device-0", "deviceName": "nvidia.com/A400"}]
        assert imported.lost == []


def test_consoles_and_cards_are_turned_off_where_there_are_none():
    devices = machine(bring(domain()))["devices"]
    assert (devices["autoattachSerialConsole"], devices["autoattachGraphicsDevice"]) == (False, False)
    some = "<serial type='pty'/><graphics type='vnc'/><video><model type='vga'/></video><memballoon model='none'/>"
    devices = machine(bring(domain(devices=some)))["devices"]
    assert not {"autoattachSerialConsole", "autoattachGraphicsDevice"} & set(devices)
    assert devices["autoattachMemBalloon"] is False


def test_small_devices_are_carried():
    devices = (
        "<rng model='virtio'><backend model='random'>/dev/urandom</backend></rng>"
        "<tpm model='tpm-crb'><backend type='emulator' version='2.0'/></tpm>"
        "<watchdog model='i6300esb' action='reset'/><sound model='ich9'/><input type='tablet' bus='usb'/>"
        "<input type='mouse' bus='ps2'/><controller type='usb' index='0' model='qemu-xhci'/>"
    )
    imported = bring(domain(devices=devices))
    vm_devices = machine(imported)["devices"]
    assert vm_devices["rng"] == {}
    assert vm_devices["tpm"] == {"persistent": True}  # as libvirt's keeps its state
    assert vm_devices["watchdog"] == {"name": "watchdog", "i6300esb": {"action": "reset"}}
    assert vm_devices["inputs"] == [{"type": "tablet", "bus": "usb", "name": "tablet"}]
    assert imported.lost == []


def test_what_kubevirt_has_no_device_for_is_lost():
    imported = bring(
        domain(devices="<smartcard mode='host'/><shmem name='x'/><disk device='floppy'><target dev='fda'/></disk>")
    )
    assert [part.path for part in imported.outermost("lost")] == ["devices/smartcard", "devices/shmem", "devices/disk"]
