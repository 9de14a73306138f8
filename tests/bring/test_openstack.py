"""Flavors and images become instance types and preferences, and each of their properties has a fate."""

from __future__ import annotations

import json
import sys
from types import SimpleNamespace

import pytest

from virtcatalog import Cluster, admit
from virtcatalog.bring.openstack.objects import import_resources
from virtcatalog.bring.openstack.read import of_cloud, read
from virtcatalog.errors import VirtcatalogError

FOREIGN_MODELS = (
    *("netfront", "spapr-vlan", "sriov", "vmxnet", "vmxnet3"),
    *("VirtualE1000", "VirtualE1000e", "VirtualPCNet32", "lan9118"),
)


def flavor(vcpus=4, ram=8192, /, **others):
    return {"name": "m1", "vcpus": vcpus, "ram": ram, "properties": others}


def image(**properties):
    return {"name": "fedora", "disk_format": "qcow2", "properties": properties}


sentences = []


def bring(*data, **devices):
    resources, problems = read(json.dumps(list(data)).encode(), "c.json")
    assert problems == []
    imported = import_resources(resources, {name.replace("_", ":"): resource for name, resource in devices.items()})
    cluster = Cluster(imported.objects)
    assert [cause for obj in imported.objects for cause in admit(obj, cluster)] == []
    assert imported.problems == []
    sentences.extend(f"{part.key}: {part.fate}: {part.why}" for part in imported.properties)
    return imported


@pytest.fixture(autouse=True)
def in_words(snapshot):
    """All fates of what a test brings, but for those of every flavor and image, as a user reads them."""
    bring(flavor(), image())
    usual = {*sentences}
    sentences.clear()
    yield
    if new := [text for text in dict.fromkeys(sentences) if text not in usual]:
        assert new == snapshot
    sentences.clear()


def spec(imported, kind="Instancetype"):
    return next(obj["spec"] for obj in imported.objects if obj["kind"].endswith(kind))


def fate(imported, key):
    return next(f"{part.fate}: {part.why}" for part in imported.properties if part.key == key)


class TestFlavors:
    def test_have_vcpus_and_memory(self):
        imported = bring(flavor(2, 4000))
        assert spec(imported) == {"cpu": {"guest": 2}, "memory": {"guest": "4000Mi"}}
        assert len(imported.objects) == 1

    def test_lists_are_read_as_the_client_prints_them(self):
        imported = bring(
            {"ID": "1", "Name": "m1", "VCPUs": 1, "RAM": 1024, "Disk": 20, "Properties": {"hw:cpu_policy": "dedicated"}}
        )
        assert spec(imported)["cpu"] == {"guest": 1, "dedicatedCPUPlacement": True}
        assert fate(imported, "disk").startswith("lost: the VM's volumes have sizes")

    def test_properties_may_be_a_text_as_older_clients_print_them(self):
        imported = bring(
            {"name": "m1", "vcpus": 1, "ram": 1024, "properties": "hw:cpu_policy='dedicated', quota:cpu_shares='1'"}
        )
        assert spec(imported)["cpu"]["dedicatedCPUPlacement"] is True
        assert fate(imported, "quota:cpu_shares").startswith("lost: ")

    @pytest.mark.parametrize(
        ("properties", "expected"),
        [
            ({"hw:cpu_policy": "shared"}, {}),
            ({"hw:cpu_realtime": "no"}, {}),
            ({"hw:cpu_policy": "dedicated"}, {"dedicatedCPUPlacement": True}),
            (
                {"hw:emulator_threads_policy": "isolate", "hw:cpu_policy": "dedicated"},
                {"dedicatedCPUPlacement": True, "isolateEmulatorThread": True},
            ),
            (
                {
                    "hw:cpu_realtime": "yes",
                    "hw:cpu_realtime_mask": "^0",
                    "hw:cpu_policy": "dedicated",
                    "hw:mem_page_size": "1GB",
                },
                {
                    "dedicatedCPUPlacement": True,
                    "numa": {"guestMappingPassthrough": {}},
                    "realtime": {"mask": "0-3,^0"},
                },
            ),
            (
                {"hw:numa_nodes": "2", "hw:cpu_policy": "dedicated", "hw:mem_page_size": "large"},
                {"dedicatedCPUPlacement": True, "numa": {"guestMappingPassthrough": {}}},
            ),
        ],
    )
    def test_place_their_cpus(self, properties, expected):
        imported = bring(flavor(**properties))
        assert spec(imported)["cpu"] == {"guest": 4, **expected}
        assert not any(part.fate == "lost" for part in imported.properties)

    @pytest.mark.parametrize(
        "properties",
        [
            {"hw:numa_nodes": "2"},
            {"hw:cpu_realtime": "yes"},
            {"hw:emulator_threads_policy": "isolate"},
            {"hw:cpu_policy": "mixed"},
        ],
    )
    def test_lose_what_needs_dedicated_cpus(self, properties):
        imported = bring(flavor(**properties))
        assert spec(imported)["cpu"] == {"guest": 4}
        (key,) = properties
        assert fate(imported, key).startswith("lost: ")

    @pytest.mark.parametrize(
        ("other", "cpu"),
        [({"hw:cpu_policy": "dedicated"}, {"dedicatedCPUPlacement": True}), ({"hw:mem_page_size": "large"}, {})],
    )
    def test_have_numa_nodes_with_dedicated_cpus_and_huge_pages_alone(self, other, cpu):
        imported = bring(flavor(**{"hw:numa_nodes": "2", **other}))
        assert spec(imported)["cpu"] == {"guest": 4, **cpu}
        assert fate(imported, "hw:numa_nodes") == (
            "lost: KubeVirt gives guests the host's NUMA nodes, with dedicated CPUs and huge pages, or none"
        )

    @pytest.mark.parametrize(
        ("size", "expected"),
        [
            ("large", "2Mi"),
            ("2MB", "2Mi"),
            ("2048", "2Mi"),
            ("1GB", "1Gi"),
            ("1048576", "1Gi"),
            ("small", None),
            ("16MB", None),
        ],
    )
    def test_have_pages_of_their_size(self, size, expected):
        memory = spec(bring(flavor(**{"hw:mem_page_size": size})))["memory"]
        assert memory.get("hugepages", {}).get("pageSize") == expected

    def test_have_devices_of_the_resources_that_are_named(self):
        imported = bring(
            flavor(**{"pci_passthrough:alias": "a100:2,nic", "resources:VGPU": "1"}), a100="nvidia.com/A100"
        )
        assert spec(imported)["hostDevices"] == [
            {"name": "a100-0", "deviceName": "nvidia.com/A100"},
            {"name": "a100-1", "deviceName": "nvidia.com/A100"},
            {"name": "nic-0", "deviceName": "devices.invalid/nic"},
        ]
        assert spec(imported)["gpus"] == [{"name": "vgpu-0", "deviceName": "devices.invalid/VGPU"}]
        assert [need.partition(": --device")[0] for need in imported.needs] == [
            "flavor m1: the resource of nic",
            "flavor m1: the resource of VGPU",
        ]

    @pytest.mark.parametrize(
        ("trait", "feature"),
        [
            ("AVX2", "avx2"),
            ("AESNI", "aes"),
            ("AMXBF16", "amx-bf16"),
            ("AMXINT8", "amx-int8"),
            ("AMXTILE", "amx-tile"),
            ("BMI", "bmi1"),
            ("CLMUL", "pclmulqdq"),
            ("FMA3", "fma"),
            ("SHA", "sha-ni"),
            ("SSE3", "pni"),
            ("SSE41", "sse4.1"),
            ("TSX", "rtm"),
            ("AVX512VBMI2", "avx512vbmi2"),
            ("AVX512GFNI", "gfni"),
            ("AVX512VAES", "vaes"),
            ("AVX512VPCLMULQDQ", "vpclmulqdq"),
            ("AVX512VPOPCNTDQ", "avx512-vpopcntdq"),
            ("INTEL_MD_CLEAR", "md-clear"),
            ("SPEC_CTRL", "spec-ctrl"),
            ("AMD_NO_SSB", "amd-no-ssb"),
        ],
    )
    def test_a_trait_is_the_feature_by_libvirts_name(self, trait, feature):
        imported = bring(flavor(**{f"trait:HW_CPU_X86_{trait}": "required"}))
        assert spec(imported)["nodeSelector"] == {f"cpu-feature.node.kubevirt.io/{feature}": "true"}

    def test_select_nodes_by_the_cpus_traits(self):
        imported = bring(
            flavor(
                **{
                    "trait:HW_CPU_X86_AVX512F": "required",
                    "trait:HW_CPU_X86_SSE42": "required",
                    "trait:CUSTOM_X": "required",
                }
            )
        )
        assert spec(imported)["nodeSelector"] == {
            "cpu-feature.node.kubevirt.io/avx512f": "true",
            "cpu-feature.node.kubevirt.io/sse4.2": "true",
        }
        assert fate(imported, "trait:CUSTOM_X").startswith("lost: nodes have no such label")

    @pytest.mark.parametrize(
        ("properties", "cpu"),
        [
            ({"hw:cpu_sockets": "8"}, {"preferredCPUTopology": "sockets"}),
            ({"hw:cpu_sockets": "1"}, {"preferredCPUTopology": "cores"}),
            ({"hw:cpu_max_sockets": "1"}, {"preferredCPUTopology": "cores"}),
            ({"hw:cpu_threads": "8"}, {"preferredCPUTopology": "threads"}),
            (
                {"hw:cpu_sockets": "2", "hw:cpu_cores": "4"},
                {"preferredCPUTopology": "spread", "spreadOptions": {"across": "SocketsCores", "ratio": 4}},
            ),
            (
                {"hw:cpu_sockets": "2", "hw:cpu_cores": "2", "hw:cpu_threads": "2"},
                {"preferredCPUTopology": "spread", "spreadOptions": {"across": "SocketsCoresThreads", "ratio": 2}},
            ),
        ],
    )
    def test_lay_their_vcpus_out_in_a_preference(self, properties, cpu):
        imported = bring(flavor(8, **properties))
        assert spec(imported, "Preference")["cpu"] == cpu
        assert all(fate(imported, key) == "carried: preference: cpu.preferredCPUTopology" for key in properties)

    def test_have_a_preference_for_each_image_where_only_that_can_say_it(self):
        imported = bring(
            flavor(**{"hw:cpu_sockets": "1"}), image(hw_disk_bus="sata"), {**image(), "name": "Ubuntu 24.04"}
        )
        assert [obj["metadata"]["name"] for obj in imported.objects] == [
            "fedora",
            "ubuntu-24.04",
            "m1",
            "fedora.m1",
            "ubuntu-24.04.m1",
        ]
        both = imported.objects[3]["spec"]
        assert both["devices"]["preferredDiskBus"] == "sata"
        assert "cpu" in both
        assert "cpu" not in imported.objects[0]["spec"]

    def test_take_away_what_an_image_has(self):
        imported = bring(flavor(**{"hw_rng:allowed": "false"}), image())
        assert "preferredRng" in imported.objects[0]["spec"]["devices"]
        assert "preferredRng" not in imported.objects[-1]["spec"]["devices"]


class TestImages:
    @pytest.mark.parametrize(
        ("properties", "path", "expected"),
        [
            ({}, "devices.preferredDiskBus", "virtio"),
            ({"hw_disk_bus": "scsi", "hw_scsi_model": "virtio-scsi"}, "devices.preferredDiskBus", "scsi"),
            ({"hw_cdrom_bus": "sata"}, "devices.preferredCdromBus", "sata"),
            ({"hw_vif_model": "e1000e"}, "devices.preferredInterfaceModel", "e1000e"),
            ({"hw_vif_multiqueue_enabled": "true"}, "devices.preferredNetworkInterfaceMultiQueue", True),
            ({"hw_firmware_type": "uefi"}, "firmware.preferredEfi", {"secureBoot": False}),
            ({"hw_firmware_type": "uefi", "os_secure_boot": "required"}, "firmware.preferredEfi", {"secureBoot": True}),
            ({"hw_firmware_type": "bios"}, "firmware.preferredUseBios", True),
            ({"hw_machine_type": "q35"}, "machine.preferredMachineType", "q35"),
            ({"hw_architecture": "aarch64"}, "preferredArchitecture", "arm64"),
            ({"hw_tpm_version": "2.0", "hw_tpm_model": "tpm-crb"}, "devices.preferredTPM", {"persistent": True}),
            ({"hw_video_model": "vga"}, "devices.preferredVideoType", "vga"),
            ({"hw_video_model": "none"}, "devices.preferredAutoattachGraphicsDevice", False),
            ({"hw_input_bus": "virtio", "hw_pointer_model": "usbtablet"}, "devices.preferredInputBus", "virtio"),
            ({"img_hide_hypervisor_id": "true"}, "features.preferredKvm", {"hidden": True}),
            ({"hw_time_hpet": "true"}, "clock.preferredTimer.hpet", {"present": True}),
            ({"os_type": "windows"}, "features.preferredHyperv.spinlocks", {"spinlocks": 8191}),
            ({"hw_qemu_guest_agent": "yes"}, "devices.preferredRng", {}),
        ],
    )
    def test_say_what_their_guests_are_to_have(self, properties, path, expected):
        imported = bring(image(**properties))
        value = spec(imported, "Preference")
        for step in path.split("."):
            value = value[step]
        assert value == expected
        assert [part for part in imported.properties if part.fate == "lost"] == []

    @pytest.mark.parametrize(
        ("key", "value", "why"),
        [
            ("hw_disk_bus", "ide", "KubeVirt has no disks on ide: they are on sata"),
            *(("hw_vif_model", model, f"KubeVirt has no {model}: interfaces are virtio") for model in FOREIGN_MODELS),
            ("hw_machine_type", "pc-i440fx-7.2", "KubeVirt has no i440fx: a q35"),
            ("hw_machine_type", "pc-q35-7.2", "KubeVirt's QEMU has versions of its own: the newest q35"),
            ("hw_video_model", "qxl", "KubeVirt has no qxl: a virtio card"),
            ("hw_tpm_version", "1.2", "KubeVirt's TPMs are 2.0"),
            ("hw_cpu_policy", "dedicated", "an instance type says so: give it to the flavor"),
            ("hw_watchdog_action", "reset", "no preference has a watchdog: the VM's own devices.watchdog has"),
        ],
    )
    def test_lose_what_kubevirt_has_not(self, key, value, why):
        assert fate(bring(image(**{key: value})), key) == f"lost: {why}"

    def test_need_memory(self):
        imported = bring({**image(), "min_ram": 2048, "min_disk": 10})
        assert spec(imported, "Preference")["requirements"] == {"memory": {"guest": "2Gi"}}

    def test_of_the_sdk_have_their_properties_beside_their_fields(self):
        imported = bring(
            {
                "name": "x",
                "disk_format": "raw",
                "hw_disk_bus": "sata",
                "hw_vif_model": None,
                "properties": {"os_distro": "fedora"},
            }
        )
        assert spec(imported, "Preference")["devices"]["preferredDiskBus"] == "sata"
        assert fate(imported, "os_distro").startswith("host: ")


class TestReading:
    """What a list has of flavors and images, whatever client printed it."""

    def resource(self, data):
        ((resource,), problems) = read(json.dumps(data).encode(), "c.json")
        assert problems == []
        return resource

    @pytest.mark.parametrize("field", ["disk_format", "container_format", "visibility", "checksum"])
    def test_any_of_its_own_fields_tells_an_image(self, field):
        resource = self.resource({"name": "fedora", field: "x"})
        assert (resource.kind, resource.vcpus, resource.ram) == ("image", 0, 0)

    def test_keys_are_read_as_the_client_writes_titles(self):
        resource = self.resource({"Name": "fedora", "Disk Format": "qcow2", "Min Disk": 10, "Min RAM": 512})
        assert (resource.kind, resource.sizes) == ("image", {"min_disk": 10, "min_ram": 512})

    def test_sizes_are_those_that_are_more_than_nothing(self):
        sizes = {"disk": 20, "swap": 0, "OS-FLV-EXT-DATA:ephemeral": 5}
        assert self.resource({"name": "m1", "vcpus": 1, "ram": 1, **sizes}).sizes == {"disk": 20, "ephemeral": 5}

    def test_properties_of_an_image_may_stand_beside_its_fields(self):
        resource = self.resource(
            {
                "name": "fedora",
                "disk_format": "raw",
                "hw_disk_bus": "scsi",
                "os_hidden": False,
                "properties": {"a": True},
            }
        )
        assert resource.properties == {"hw_disk_bus": "scsi", "a": "true"}

    def test_those_of_a_flavor_may_not(self):
        resource = self.resource({"name": "m1", "vcpus": 1, "ram": 1, "hw:boot_menu": "x", "extra_specs": {"a": 1}})
        assert resource.properties == {"a": "1"}

    def test_what_is_no_text_among_the_properties_is_passed_over(self):
        resource = self.resource(
            {"name": "i", "disk_format": "raw", "properties": {"a": None, "b": [], "c": {}, "d": "e"}}
        )
        assert resource.properties == {"d": "e"}

    def test_a_property_has_the_place_where_it_counts(self):
        properties = {"hw_a": "2", "hw_b": "3"}
        data = {"name": "i", "disk_format": "raw", "hw_a": "1", "hw_c": "4", "properties": properties}
        resource, text = self.resource(data), json.dumps(data)
        assert resource.properties == {"hw_a": "2", "hw_b": "3", "hw_c": "4"}
        for key, value in resource.properties.items():
            assert resource.place(key) == (1, text.index(f'"{key}": "{value}"') + 1)


class TestMistakes:
    @pytest.mark.parametrize(
        ("text", "message"),
        [
            (
                '[{"name": "m1"}]',
                "c.json:1:2: 'm1' is neither a flavor (with vcpus and ram) nor an image (with a disk_format)",
            ),
            ('{"vcpus": 1, "ram": 1}', "c.json:1:1: a flavor or image has a name"),
            ('{"name": "m1", "ram": 1}', "c.json:1:1: flavor 'm1': vcpus is null, no whole number from 1 to 65535"),
            (
                '{"name": "m1", "vcpus": 0, "ram": 1}',
                "c.json:1:16: flavor 'm1': vcpus is the number 0, no whole number from 1 to 65535",
            ),
            (
                '{"name": "m1", "vcpus": 1, "ram": "1"}',
                "c.json:1:28: flavor 'm1': ram is the string '1', no whole number from 1 to 2147483647",
            ),
            (
                '{"name": "m1", "vcpus": 1, "ram": 1, "properties": [1]}',
                "c.json:1:38: 'm1': the properties are no map of texts",
            ),
            ('{"name": 7, "vcpus": 1, "ram": 1}', "c.json:1:2: a flavor or image has a name"),
            ('{"name": "", "vcpus": 1, "ram": 1}', "c.json:1:2: a flavor or image has a name"),
            (
                '{"name": "m1", "vcpus": 1}',
                "c.json:1:1: flavor 'm1': ram is null, no whole number from 1 to 2147483647",
            ),
            (
                '{"name": "m1", "vcpus": true, "ram": 1}',
                "c.json:1:16: flavor 'm1': vcpus is the boolean true, no whole number from 1 to 65535",
            ),
            (
                '{"name": "m1", "vcpus": 65536, "ram": 1}',
                "c.json:1:16: flavor 'm1': vcpus is the number 65536, no whole number from 1 to 65535",
            ),
            ("[1]", "c.json:1:2: is neither a flavor nor an image: these are maps"),
            ("[]", "c.json: holds no flavor and no image"),
            ("", "c.json: holds no flavor and no image"),
        ],
    )
    def test_in_what_is_read_have_a_place(self, text, message):
        resources, problems = read(text.encode(), "c.json")
        assert resources == []
        assert [str(problem) for problem in problems] == [message]

    @pytest.mark.parametrize("vcpus", [1, 65535])
    @pytest.mark.parametrize("ram", [1, 2147483647])
    def test_the_least_and_the_most_are_none(self, vcpus, ram):
        ((flavor,), problems) = read(json.dumps({"name": "m1", "vcpus": vcpus, "ram": ram}).encode(), "c.json")
        assert (flavor.kind, flavor.vcpus, flavor.ram, problems) == ("flavor", vcpus, ram, [])

    @pytest.mark.parametrize(
        ("data", "message"),
        [
            (flavor(**{"hw:cpu_polcy": "x"}), "OpenStack knows no such property; did you mean 'hw:cpu_policy'?"),
            (flavor(**{"hw:cpu_policy": "own"}), "'own' is none of dedicated, shared, mixed"),
            (flavor(**{"hw:mem_page_size": "big"}), "'big' is none of small, large, any, and no size such as 2MB"),
            (flavor(**{"hw:numa_nodes": "-1"}), "'-1' is no whole number from 1 on"),
            (flavor(**{"hw:cpu_realtime": "maybe"}), "'maybe' is neither true nor false"),
            (flavor(**{"hw:cpu_sockets": "3"}), "the layout does not divide 4 vCPUs"),
            (flavor(**{"hw:cpu_cores": "x"}), "'x' is no whole number from 1 on"),
            (flavor(**{"pci_passthrough:alias": "a:x"}), "'a:x' is no whole number from 1 on"),
            (flavor(**{"pci_passthrough:alias": "a:1000"}), "'a:1000' wants more than 64 devices"),
            (flavor(**{"trait:HW_CPU_X86_AVX": "yes"}), "'yes' is none of required, forbidden"),
            (image(hw_disk_bus="nvme"), "'nvme' is none of virtio, scsi, sata, usb, ide, fdc, xen, lxc, uml, lan"),
            (image(hw_firmware="uefi"), "OpenStack knows no such property; did you mean 'hw_firmware_type'?"),
            (image(hw_vif_multiqueue_enabled="2"), "'2' is neither true nor false"),
        ],
    )
    def test_in_properties_have_one_too(self, data, message):
        (key,) = data["properties"]
        text = json.dumps(data, indent=1)
        resources, _ = read(text.encode(), "c.json")
        (problem,) = import_resources(resources, {}).problems
        assert problem.message == message
        line = next(number for number, line_text in enumerate(text.splitlines(), 1) if f'"{key}"' in line_text)
        assert (problem.line, problem.column, problem.field) == (line, 3, key)

    def test_all_documented_properties_have_a_fate(self):
        properties = {
            f"hw:{name}": "1"
            for name in (
                "boot_menu",
                "cpu_thread_policy",
                "locked_memory",
                "pmu",
                "serial_port_count",
                "numa_cpus.0",
                "numa_mem.1",
            )
        }
        properties |= {
            "quota:disk_read_bytes_sec": "1",
            "aggregate_instance_extra_specs:ssd": "true",
            "accel:device_profile": "x",
        }
        properties |= {
            "hw_video:ram_max_mb": "1",
            "resources1:VCPU": "1",
            "trait1:CUSTOM_A": "required",
            "vmware:hw_version": "1",
            "mine": "1",
        }
        imported = bring(flavor(**properties))
        assert {part.key for part in imported.properties} == {"vcpus", "ram", *properties}
        assert all(fate(imported, key).startswith("lost: ") for key in properties)


class TestClouds:
    @pytest.mark.parametrize(
        ("name", "place", "question"), [("test", "cloud test", {"cloud": "test"}), ("", "cloud", {})]
    )
    def test_are_asked_for_flavors_and_images(self, name, place, question, monkeypatch):
        def resource(**data):
            return SimpleNamespace(to_dict=lambda: data)

        flavors = [
            resource(name="m1", vcpus=1, ram=512, extra_specs={"hw:cpu_policy": "dedicated"}, swap=0, description=None)
        ]
        images = [
            resource(name="fedora", disk_format="raw", hw_disk_bus="sata", properties={}, os_hash_algo="sha512"),
            resource(name="odd", visibility=None),
        ]
        questions = []

        def connect(**options):
            questions.append(options)
            return SimpleNamespace(
                compute=SimpleNamespace(flavors=lambda **options: questions.append(options) or flavors),
                image=SimpleNamespace(images=lambda: images),
            )

        monkeypatch.setitem(sys.modules, "openstack", SimpleNamespace(connect=connect))
        *resources, odd = of_cloud(name)
        assert questions == [question, {"details": True, "get_extra_specs": True}]
        assert [
            (resource.kind, resource.name, resource.properties, resource.file, resource.place("name"))
            for resource in resources
        ] == [
            ("flavor", "m1", {"hw:cpu_policy": "dedicated"}, f"{place}: flavors", (0, 0)),
            ("image", "fedora", {"hw_disk_bus": "sata"}, f"{place}: images", (0, 0)),
        ]
        assert str(odd) == (
            f"{place}: images: 'odd' is neither a flavor (with vcpus and ram) nor an image (with a disk_format)"
        )

    @pytest.mark.parametrize(("name", "cloud"), [("x", "x"), ("", "of the environment")])
    def test_that_do_not_answer_are_told(self, name, cloud, monkeypatch):
        def connect(**_):
            raise RuntimeError("no such cloud")

        monkeypatch.setitem(sys.modules, "openstack", SimpleNamespace(connect=connect))
        with pytest.raises(VirtcatalogError) as raised:
            list(of_cloud(name))
        assert str(raised.value) == f"cloud {cloud}: no such cloud"

    def test_need_the_sdk(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "openstack", None)
        with pytest.raises(VirtcatalogError) as raised:
            list(of_cloud("x"))
        assert str(raised.value) == "openstacksdk is missing: pip install 'virtcatalog[import]'"
