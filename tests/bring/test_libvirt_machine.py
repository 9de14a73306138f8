"""What the VM says of a domain's machine, and what becomes of the rest."""

from __future__ import annotations

import pytest
from importing import bring, domain, fates, machine, why

from virtcatalog.bring.libvirt.machine import UNITS

#: Whatever a test looks at, its words are held against a snapshot, too.
pytestmark = pytest.mark.usefixtures("in_words")


class TestName:
    def test_is_the_vms_or_what_is_left_of_it_as_one(self):
        assert bring(domain()).vm["metadata"] == {"name": "db"}
        imported = bring(domain(name="<name>My DB_1!</name>"))
        assert imported.vm["metadata"]["name"] == "my-db-1"
        assert why(imported, "name") == "carried: metadata.name: my-db-1"

    def test_the_description_is_an_annotation_and_the_title_is_lost(self):
        imported = bring(domain("<title>T</title><description>the database</description>"))
        assert imported.vm["metadata"]["annotations"] == {"description": "the database"}
        assert fates(imported, "description") == {"carried"}
        assert fates(imported, "title") == {"lost"}


class TestMemory:
    def test_has_the_units_of_libvirt(self):
        assert UNITS == {
            "b": 1,
            "bytes": 1,
            "k": 2**10,
            "KB": 10**3,
            "MB": 10**6,
            "GB": 10**9,
            "TB": 10**12,
            "K": 2**10,
            "M": 2**20,
            "G": 2**30,
            "T": 2**40,
            "KiB": 2**10,
            "MiB": 2**20,
            "GiB": 2**30,
            "TiB": 2**40,
        }

    @pytest.mark.parametrize(
        ("memory", "guest"),
        [
            ("<memory>4194304</memory>", "4Gi"),
            ("<memory unit='MB'>4000</memory>", "3906250Ki"),
            ("<memory unit='bytes'>1073741824</memory>", "1Gi"),
            ("<memory unit='T'>1</memory>", "1Ti"),
        ],
    )
    def test_is_carried_in_whatever_unit(self, memory, guest):
        imported = bring(domain(memory=memory))
        assert machine(imported)["memory"]["guest"] == guest
        assert fates(imported, "memory") == {"carried"}

    def test_has_no_room_to_grow_unless_the_domain_has(self):
        assert machine(bring(domain()))["memory"]["maxGuest"] == "4Gi"
        imported = bring(domain("<maxMemory unit='GiB' slots='16'>16</maxMemory>"))
        assert machine(imported)["memory"]["maxGuest"] == "16Gi"
        assert why(imported, "maxMemory") == "carried: "
        assert why(imported, "maxMemory/@slots").startswith("host: KubeVirt plugs memory in")

    def test_that_the_balloon_holds_back_is_lost(self):
        assert fates(bring(domain("<currentMemory unit='GiB'>4</currentMemory>")), "currentMemory") == {"carried"}
        assert fates(bring(domain("<currentMemory unit='GiB'>2</currentMemory>")), "currentMemory") == {"lost"}

    def test_of_huge_pages_is_of_their_size(self):
        pages = "<memoryBacking><hugepages><page size='1' unit='G'/></hugepages><locked/></memoryBacking>"
        imported = bring(domain(pages))
        assert machine(imported)["memory"]["hugepages"] == {"pageSize": "1Gi"}
        assert fates(imported, "memoryBacking/hugepages") == {"carried"}
        assert fates(imported, "memoryBacking/locked") == {"host"}


class TestCPU:
    def test_the_topology_is_kept_and_dies_become_sockets(self):
        imported = bring(
            domain("<cpu><topology sockets='1' dies='2' cores='2' threads='2'/></cpu>", vcpu="<vcpu>8</vcpu>")
        )
        assert machine(imported)["cpu"] == {"sockets": 2, "maxSockets": 2, "cores": 2, "threads": 2}
        assert fates(imported, "cpu/topology/@cores") == {"carried"}
        assert fates(imported, "cpu/topology/@dies") == {"lost"}

    def test_sockets_that_are_off_can_be_plugged_in(self):
        imported = bring(domain(vcpu="<vcpu current='2'>8</vcpu>"))
        assert machine(imported)["cpu"] == {"sockets": 2, "maxSockets": 8, "cores": 1, "threads": 1}
        assert fates(imported, "vcpu") == {"carried"}

    def test_half_a_socket_cannot(self):
        cpu = "<cpu><topology sockets='2' cores='4' threads='1'/></cpu>"
        imported = bring(domain(cpu, vcpu="<vcpu current='2'>8</vcpu>"))
        assert machine(imported)["cpu"]["sockets"] == 2
        assert why(imported, "vcpu/@current") == "lost: KubeVirt starts with whole sockets: 8 vCPUs in place of 2"

    def test_model_and_features_are_carried(self):
        cpu = (
            "<cpu mode='custom' match='exact'><model fallback='allow'>Skylake-Server</model>"
            "<feature policy='require' name='vmx'/><feature policy='disable' name='hle'/>"
            "<cache mode='passthrough'/></cpu>"
        )
        imported = bring(domain(cpu))
        assert machine(imported)["cpu"]["model"] == "Skylake-Server"
        assert machine(imported)["cpu"]["features"] == [
            {"name": "vmx", "policy": "require"},
            {"name": "hle", "policy": "disable"},
        ]
        assert {part.path for part in imported.lost} == {"cpu/cache", "cpu/cache/@mode"}

    def test_pinned_one_by_one_they_are_dedicated(self):
        tune = (
            "<cputune><vcpupin vcpu='0' cpuset='8'/><vcpupin vcpu='1' cpuset='9'/><emulatorpin cpuset='10'/></cputune>"
        )
        imported = bring(domain(tune))
        cpu = machine(imported)["cpu"]
        assert (cpu["dedicatedCpuPlacement"], cpu["isolateEmulatorThread"]) == (True, True)
        assert fates(imported, "cputune/vcpupin[1]/@cpuset") == {"host"}

    @pytest.mark.parametrize(
        ("scheduler", "realtime"),
        [
            ("", {}),
            ("<vcpusched vcpus='0-1' scheduler='fifo' priority='1'/>", {}),
            ("<vcpusched vcpus='1' scheduler='fifo' priority='1'/>", {"mask": "1"}),
        ],
    )
    def test_memory_of_its_own_without_a_pmu_is_real_time_for_the_scheduled_vcpus(self, scheduler, realtime):
        pins = "<vcpupin vcpu='0' cpuset='8'/><vcpupin vcpu='1' cpuset='9'/>"
        imported = bring(
            domain(
                f"<cputune>{pins}{scheduler}</cputune>"
                "<memoryBacking><hugepages/><nosharepages/></memoryBacking><features><pmu state='off'/></features>"
                "<numatune><memnode cellid='0' mode='strict' nodeset='0'/></numatune>"
            )
        )
        assert machine(imported)["cpu"]["realtime"] == realtime

    @pytest.mark.parametrize(
        "pins", ["<vcpupin vcpu='0' cpuset='8'/>", "<vcpupin vcpu='0' cpuset='0-3'/><vcpupin vcpu='1' cpuset='0-3'/>"]
    )
    def test_pinned_otherwise_they_are_placed_by_kubernetes(self, pins):
        imported = bring(domain(f"<cputune>{pins}<shares>2048</shares></cputune>"))
        assert "dedicatedCpuPlacement" not in machine(imported)["cpu"]
        assert fates(imported, "cputune/shares") == {"lost"}
        assert fates(imported, "cputune/vcpupin") | fates(imported, "cputune/vcpupin[1]") == {"host"}


class TestFirmware:
    def test_bios_is_the_rule(self):
        assert (
            "bootloader" not in machine(bring(domain()))["firmware"] if "firmware" in machine(bring(domain())) else True
        )

    @pytest.mark.parametrize(
        ("inner", "secure"),
        [
            ("<loader readonly='yes' type='pflash'>/usr/share/OVMF/OVMF_CODE.fd</loader><nvram>/v</nvram>", False),
            ("<loader readonly='yes' secure='yes' type='pflash'>/x.fd</loader><nvram template='/y'/>", True),
            ("<firmware><feature enabled='yes' name='secure-boot'/></firmware>", True),
            ("<firmware><feature enabled='no' name='secure-boot'/></firmware>", False),
        ],
    )
    def test_uefi_is_told_by_its_files_or_its_name(self, inner, secure):
        automatic = " firmware='efi'" if "<firmware>" in inner else ""
        os = f"<os{automatic}><type arch='x86_64' machine='q35'>hvm</type>{inner}</os>"
        imported = bring(domain("<features><acpi/><smm state='on'/></features>", os=os))
        assert machine(imported)["firmware"]["bootloader"] == {"efi": {"secureBoot": secure}}
        assert imported.reasons == ()
        assert imported.lost == []

    @pytest.mark.parametrize(
        ("machine_type", "expected", "fate"),
        [
            ("q35", "q35", "carried"),
            ("pc-q35-rhel9.4.0", "pc-q35-rhel9.4.0", "carried"),
            ("pc-q35-8.2", "q35", "lost"),
            ("pc-i440fx-8.2", "q35", "lost"),
            ("pc", "q35", "lost"),
        ],
    )
    def test_the_machine_is_a_q35(self, machine_type, expected, fate):
        imported = bring(domain(os=f"<os><type arch='x86_64' machine='{machine_type}'>hvm</type></os>"))
        assert machine(imported)["machine"] == {"type": expected}
        assert fates(imported, "os/type/@machine") == {fate}

    def test_uuid_and_serial_stay(self):
        uuid = "5a7f3c12-0000-4000-8000-00000000000A"
        entries = f"<sysinfo type='smbios'><system><entry name='uuid'>{uuid}</entry><entry name='serial'>S1</entry>"
        imported = bring(domain(f"<uuid>{uuid}</uuid>{entries}<entry name='product'>P</entry></system></sysinfo>"))
        assert machine(imported)["firmware"] == {"uuid": uuid.lower(), "serial": "S1"}
        assert fates(imported, "uuid") == {"carried"}
        assert why(imported, "sysinfo/system/entry[3]").startswith("host: KubeVirt's configuration")


class TestFeatures:
    def test_hyperv_is_carried_word_by_word(self):
        hyperv = (
            "<relaxed state='on'/><spinlocks state='on' retries='8191'/><vendor_id state='on' value='KVMKVM'/>"
            "<stimer state='on'><direct state='on'/></stimer><ipi state='off'/><avic state='on'/>"
        )
        imported = bring(domain(f"<features><acpi/><apic/><hyperv mode='custom'>{hyperv}</hyperv></features>"))
        assert machine(imported)["features"]["hyperv"] == {
            "relaxed": {},
            "spinlocks": {"spinlocks": 8191},
            "vendorid": {"vendorid": "KVMKVM"},
            "synictimer": {"direct": {}},
            "ipi": {"enabled": False},
        }
        assert [part.path for part in imported.outermost("lost")] == ["features/hyperv/avic"]

    def test_a_machine_without_acpi_stays_one(self):
        assert machine(bring(domain("<features><apic/></features>")))["features"]["acpi"] == {"enabled": False}

    def test_kvm_stays_hidden(self):
        imported = bring(domain("<features><acpi/><kvm><hidden state='on'/></kvm></features>"))
        assert machine(imported)["features"]["kvm"] == {"hidden": True}
        assert imported.lost == []


class TestClock:
    def test_timers_are_carried(self):
        timers = (
            "<timer name='rtc' tickpolicy='catchup' track='guest'/><timer name='hpet' present='no'/><timer name='tsc'/>"
        )
        imported = bring(domain(f"<clock offset='utc'>{timers}</clock>"))
        assert machine(imported)["clock"] == {
            "utc": {},
            "timer": {"rtc": {"tickPolicy": "catchup", "track": "guest"}, "hpet": {"present": False}},
        }
        assert [part.path for part in imported.outermost("lost")] == ["clock/timer[3]"]

    def test_zones_are_local_time_is_not(self):
        assert machine(bring(domain("<clock offset='timezone' timezone='Europe/Berlin'/>")))["clock"] == {
            "timezone": "Europe/Berlin"
        }
        assert fates(bring(domain("<clock offset='localtime'/>")), "clock/@offset") == {"lost"}

    def test_an_adjustment_stays(self):
        imported = bring(domain("<clock offset='variable' adjustment='-3600' basis='utc'/>"))
        assert machine(imported)["clock"] == {"utc": {"offsetSeconds": -3600}}
        assert fates(imported, "clock") == {"carried"}


def test_an_attribute_of_another_namespace_has_the_place_without_it():
    content = domain("<clock xmlns:x='urn:x' offset='utc' x:note='a'/>")
    assert fates(bring(content), "clock/@note") == {"lost"}


def test_what_qemu_is_told_beside_is_lost():
    content = domain().replace(
        b"<domain type='kvm'>", b"<domain type='kvm' xmlns:qemu='http://libvirt.org/schemas/domain/qemu/1.0'>"
    )
    content = content.replace(b"</domain>", b"<qemu:commandline><qemu:arg value='-foo'/></qemu:commandline></domain>")
    imported = bring(content)
    assert why(imported, "commandline") == "lost: KubeVirt hands no arguments to QEMU"
