"""Objects of APIs that KubeVirt had, one rule at a time."""

import json
from base64 import b64encode
from textwrap import dedent

import pytest

from virtcatalog.bring.convert.files import convert_files
from virtcatalog.errors import ManifestError
from virtcatalog.manifests.document import Text

UID = "5d307ca9-b3ef-428c-8861-06e72d69f223"


sentences = []


def converted(text, memory=""):
    """The objects that a text becomes, and (what, field, to) of each change."""
    (file,) = convert_files({"old.yaml": dedent(text).encode()}, memory)
    assert not file.loose
    sentences.extend(f"{change.field}: {change.sentence}" for _, obj in file.objects for change in obj.changes)
    changes = [change for _, obj in file.objects for change in obj.changes]
    return [data for _, data in Text(file.new).documents()], [
        (change.outcome, change.field, change.to) for change in changes
    ]


def only(text, memory=""):
    (obj,), _ = converted(text, memory)
    return obj


def refused(text, memory=""):
    with pytest.raises(ManifestError) as error:
        convert_files({"old.yaml": dedent(text).encode()}, memory)
    sentences.append(str(error.value))
    return str(error.value)


@pytest.fixture(autouse=True)
def in_words(snapshot):
    """All that is said of what a test converts, as a user reads it."""
    sentences.clear()
    yield
    if sentences:
        assert list(dict.fromkeys(sentences)) == snapshot


@pytest.mark.parametrize(
    ("version", "kind", "to"),
    [
        ("instancetype.kubevirt.io/v1alpha1", "VirtualMachineInstancetype", "instancetype.kubevirt.io/v1beta1"),
        ("instancetype.kubevirt.io/v1alpha2", "VirtualMachineClusterInstancetype", "instancetype.kubevirt.io/v1beta1"),
        ("pool.kubevirt.io/v1alpha1", "VirtualMachineThing", "pool.kubevirt.io/v1beta1"),
        ("snapshot.kubevirt.io/v1alpha1", "VirtualMachineSnapshot", "snapshot.kubevirt.io/v1beta1"),
        ("snapshot.kubevirt.io/v1alpha1", "VirtualMachineRestore", "snapshot.kubevirt.io/v1beta1"),
        ("export.kubevirt.io/v1alpha1", "VirtualMachineExport", "export.kubevirt.io/v1beta1"),
        ("clone.kubevirt.io/v1alpha1", "VirtualMachineClone", "clone.kubevirt.io/v1beta1"),
        ("kubevirt.io/v1alpha2", "VirtualMachineInstanceMigration", "kubevirt.io/v1"),
        ("kubevirt.io/v1alpha3", "VirtualMachineInstanceMigration", "kubevirt.io/v1"),
    ],
)
def test_a_version_goes_and_the_shape_stays(version, kind, to):
    spec = "{cpu: {guest: 2}, memory: {guest: 2Gi}}" if kind.endswith("Instancetype") else "{vmiName: x}"
    objects, changes = converted(f"apiVersion: {version}\nkind: {kind}\nmetadata: {{name: x}}\nspec: {spec}\n")
    assert [(obj["apiVersion"], obj["kind"]) for obj in objects] == [(to, kind)]
    assert changes == [("changed", "apiVersion", "apiVersion")]


@pytest.mark.parametrize("version", ["v1alpha1", "v1beta1"])
def test_backups_of_a_snapshot_have_the_names_of_their_volumes_alone(version):
    (snapshot,), changes = converted(f"""\
        apiVersion: snapshot.kubevirt.io/{version}
        kind: VirtualMachineSnapshotContent
        metadata: {{name: x}}
        spec:
          virtualMachineSnapshotName: x
          source: {{}}
          volumeBackups:
          - {{volumeName: a}}
          - {{volumeName: b, diskName: d}}
        """)
    assert snapshot["spec"]["volumeBackups"] == [{"volumeName": "a"}, {"volumeName": "b"}]
    assert changes[-1] == ("lost", "spec.volumeBackups[1].diskName", "")


VMI_SPEC = "{domain: {devices: {}}}"


@pytest.mark.parametrize(
    ("kind", "spec"),
    [
        ("VirtualMachine", f"{{running: true, template: {{spec: {VMI_SPEC}}}}}"),
        ("VirtualMachineInstance", VMI_SPEC),
        (
            "VirtualMachineInstanceReplicaSet",
            f"{{selector: {{matchLabels: {{a: b}}}}, template: {{metadata: {{labels: {{a: b}}}}, spec: {VMI_SPEC}}}}}",
        ),
    ],
)
def test_kinds_of_v1alpha2_are_those_of_v1(kind, spec):
    text = f"apiVersion: kubevirt.io/v1alpha2\nkind: {kind}\nmetadata: {{name: x}}\nspec: {spec}\n"
    (manifest,), changes = converted(text)
    assert (manifest["apiVersion"], manifest["kind"]) == ("kubevirt.io/v1", kind)
    assert ("changed", "apiVersion", "apiVersion") in changes


def test_what_is_served_stays_as_it_is_to_the_byte():
    text = (
        "# as upstream has it\napiVersion: instancetype.kubevirt.io/v1beta1\nkind: VirtualMachinePreference\n"
        "metadata: {name: x}\nspec: {cpu: {preferredCPUTopology: preferCores}}\n---\nkind: ConfigMap\napiVersion: v1\n"
    )
    (file,) = convert_files({"a.yaml": text.encode()})
    assert (file.new, file.objects) == (text, ())


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("preferCores", "cores"),
        ("preferSockets", "sockets"),
        ("preferThreads", "threads"),
        ("preferSpread", "spread"),
        ("preferAny", "any"),
        ("sockets", "sockets"),
    ],
)
@pytest.mark.parametrize("group", ["flavor.kubevirt.io/v1alpha1", "instancetype.kubevirt.io/v1alpha2"])
def test_topologies_of_preferences_have_other_names(group, old, new):
    objects, changes = converted(
        f"""\
        apiVersion: {group}
        kind: VirtualMachinePreference
        metadata: {{name: x}}
        spec: {{cpu: {{preferredCPUTopology: {old}}}}}
        """
    )
    assert objects[0]["spec"]["cpu"] == {"preferredCPUTopology": new}
    field = "spec.cpu.preferredCPUTopology"
    assert (("changed", field, field) in changes) == (old != new)


def test_an_empty_topology_is_none():
    obj = only(
        """\
        apiVersion: instancetype.kubevirt.io/v1alpha1
        kind: VirtualMachineClusterPreference
        metadata: {name: x}
        spec: {cpu: {preferredCPUTopology: ""}, devices: {preferredRng: {}}}
        """
    )
    assert obj["spec"] == {"cpu": {}, "devices": {"preferredRng": {}}}


class TestFlavors:
    def test_of_the_second_shape_are_instance_types(self):
        obj = only(
            """\
            apiVersion: flavor.kubevirt.io/v1alpha1
            kind: VirtualMachineClusterFlavor
            metadata: {name: x}
            spec: {cpu: {guest: 2, dedicatedCPUPlacement: true}, memory: {guest: 1Gi}}
            """
        )
        assert obj["kind"] == "VirtualMachineClusterInstancetype"
        assert obj["spec"] == {"cpu": {"guest": 2, "dedicatedCPUPlacement": True}, "memory": {"guest": "1Gi"}}

    def test_may_have_left_the_memory_to_the_vm_and_have_to_say_it(self):
        text = """\
        apiVersion: flavor.kubevirt.io/v1alpha1
        kind: VirtualMachineFlavor
        metadata: {name: x}
        spec: {cpu: {guest: 2}, memory: {}}
        """
        assert "old.yaml:4:25: VirtualMachineFlavor/x: spec.memory.guest" in refused(text)
        assert "--memory" in refused(text)
        assert only(text, "3Gi")["spec"]["memory"] == {"guest": "3Gi"}

    def test_with_profiles_are_a_type_each(self):
        objects, changes = converted(
            """\
            apiVersion: flavor.kubevirt.io/v1alpha1
            kind: VirtualMachineFlavor
            metadata: {name: x, namespace: ns}
            profiles:
            - {name: a, cpu: {sockets: 2, threads: 2, model: Haswell, features: [{name: vmx}]}}
            - {name: b, default: true, cpu: {dedicatedCpuPlacement: true}}
            """,
            "1Gi",
        )
        assert [(obj["metadata"], obj["spec"]["cpu"]) for obj in objects] == [
            ({"name": "x-a", "namespace": "ns"}, {"guest": 4, "model": "Haswell"}),
            ({"name": "x", "namespace": "ns"}, {"guest": 1, "dedicatedCPUPlacement": True}),
        ]
        assert ("lost", "profiles[0].cpu.features", "") in changes

    def test_without_a_profile_are_nothing(self):
        text = (
            "apiVersion: flavor.kubevirt.io/v1alpha1\nkind: VirtualMachineFlavor\nmetadata: {name: x}\nprofiles: []\n"
        )
        assert "old.yaml:4:1: VirtualMachineFlavor/x: profiles: a flavor without a profile" in refused(text)

    def test_are_named_by_vms_under_the_names_of_their_types(self):
        text = """\
        apiVersion: flavor.kubevirt.io/v1alpha1
        kind: VirtualMachineFlavor
        metadata: {name: x}
        profiles: [{name: a, default: true}, {name: b}]
        """
        for profile, name in (("a", "x"), ("b", "x-b"), ("", "x")):
            objects, _ = converted(
                dedent(text) + "---\napiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {name: v}\n"
                f"spec: {{flavor: {{kind: VirtualMachineFlavor, name: x, profile: '{profile}'}}, "
                "template: {spec: {domain: {devices: {}}}}}\n",
                "1Gi",
            )
            matcher = objects[-1]["spec"]["instancetype"]
            assert matcher == {"kind": "VirtualMachineInstancetype", "name": name}


class TestMachines:
    def test_an_offline_vm_is_a_vm(self):
        objects, changes = converted(
            """\
            apiVersion: kubevirt.io/v1alpha1
            kind: OfflineVirtualMachine
            metadata: {name: x}
            spec:
              Running: true
              Template:
                spec:
                  domain: {devices: {disks: [{name: a, volumeName: b}]}}
                  volumes: [{name: b, registryDisk: {image: i}}]
            status: {VMname: x}
            """
        )
        assert objects == [
            {
                "apiVersion": "kubevirt.io/v1",
                "kind": "VirtualMachine",
                "metadata": {"name": "x"},
                "spec": {
                    "running": True,
                    "template": {
                        "spec": {
                            "domain": {"devices": {"disks": [{"name": "b"}]}},
                            "volumes": [{"name": "b", "containerDisk": {"image": "i"}}],
                        }
                    },
                },
            }
        ]
        assert ("renamed", "spec.Running", "spec.running") in changes
        name = "spec.template.spec.domain.devices.disks[0].name"
        assert ("moved", "spec.Template.spec.domain.devices.disks[0].volumeName", name) in changes
        assert ("lost", "status", "") in changes

    def test_a_vm_was_an_instance_once(self):
        obj = only(
            "apiVersion: kubevirt.io/v1alpha1\nkind: VirtualMachine\nmetadata: {name: x}\n"
            "spec: {domain: {devices: {}}}\n"
        )
        assert (obj["apiVersion"], obj["kind"]) == ("kubevirt.io/v1", "VirtualMachineInstance")

    def test_replica_sets_have_instances_in_them(self):
        obj = only(
            """\
            apiVersion: kubevirt.io/v1alpha1
            kind: VirtualMachineReplicaSet
            metadata: {name: x}
            spec:
              replicas: 2
              selector: {matchLabels: {a: b}}
              template:
                metadata: {labels: {a: b}}
                spec:
                  domain: {devices: {disks: [{name: a, volumeName: a}]}}
                  volumes: [{name: a, registryDisk: {image: i}}]
            """
        )
        assert obj["kind"] == "VirtualMachineInstanceReplicaSet"
        assert obj["spec"]["template"]["spec"]["volumes"] == [{"name": "a", "containerDisk": {"image": "i"}}]

    def test_a_migration_names_its_vmi(self):
        objects, changes = converted(
            """\
            apiVersion: kubevirt.io/v1alpha1
            kind: Migration
            metadata: {name: x}
            spec: {selector: {name: web}, nodeSelector: {zone: a}}
            """
        )
        assert objects[0]["kind"] == "VirtualMachineInstanceMigration"
        assert objects[0]["spec"] == {"vmiName": "web", "addedNodeSelector": {"zone": "a"}}
        assert ("moved", "spec.selector.name", "spec.vmiName") in changes

    @pytest.mark.parametrize(
        ("spec", "lost"),
        [
            ("domain: {devices: {disks: [{name: a, floppy: {}}]}}", "domain.devices.disks[0].floppy"),
            ("{domain: {devices: {}}, networks: [{name: a, genie: {networkName: b}}]}", "networks[0].genie"),
            ("domain: {devices: {}, cpuz: 4}", "domain.cpuz"),
        ],
    )
    def test_what_v1_does_not_have_is_lost_and_named(self, spec, lost):
        spec = spec if spec.startswith("{") else f"{{{spec}}}"
        _, changes = converted(
            "apiVersion: kubevirt.io/v1alpha2\nkind: VirtualMachineInstance\nmetadata: {name: x}\n" + f"spec: {spec}\n"
        )
        assert ("lost", f"spec.{lost}", "") in changes

    def test_limits_of_hotplug_are_the_domains(self):
        objects, changes = converted(
            """\
            apiVersion: kubevirt.io/v1
            kind: VirtualMachine
            metadata: {name: x}
            spec:
              liveUpdateFeatures: {cpu: {maxSockets: 8}, memory: {maxGuest: 8Gi}}
              template: {spec: {domain: {cpu: {cores: 2}, devices: {}}}}
            """
        )
        domain = objects[0]["spec"]["template"]["spec"]["domain"]
        assert domain == {"cpu": {"cores": 2, "maxSockets": 8}, "devices": {}, "memory": {"maxGuest": "8Gi"}}
        assert ("lost", "spec.liveUpdateFeatures", "") in changes

    def test_pools_choose_by_another_word(self):
        objects, changes = converted(
            """\
            apiVersion: pool.kubevirt.io/v1alpha1
            kind: VirtualMachinePool
            metadata: {name: x}
            spec:
              replicas: 1
              selector: {matchLabels: {a: b}}
              scaleInStrategy: {proactive: {selectionPolicy: {basePolicy: Random}}}
              virtualMachineTemplate: {spec: {flavor: {name: small}, template: {spec: {domain: {devices: {}}}}}}
            """
        )
        spec = objects[0]["spec"]
        assert spec["scaleInStrategy"] == {"proactive": {"selectionPolicy": {"sortPolicy": "Random"}}}
        assert spec["virtualMachineTemplate"]["spec"]["instancetype"] == {"name": "small"}
        field = "spec.virtualMachineTemplate.spec"
        assert ("renamed", f"{field}.flavor", f"{field}.instancetype") in changes


class TestPresets:
    PRESET = """\
    apiVersion: kubevirt.io/v1
    kind: VirtualMachineInstancePreset
    metadata: {name: win, namespace: ns}
    spec:
      selector: {matchLabels: {os: win}}
      domain: DOMAIN
    """

    def test_are_a_type_and_a_preference(self):
        objects, changes = converted(
            self.PRESET.replace(
                "DOMAIN",
                "{cpu: {sockets: 2, model: Haswell}, memory: {guest: 4Gi, hugepages: {pageSize: 2Mi}}, "
                "features: {smm: {}}, machine: {type: q35}, firmware: {bootloader: {bios: {useSerial: true}}}, "
                "ioThreadsPolicy: auto, devices: {tpm: {}, gpus: [{name: g, deviceName: a/b}], "
                "autoattachInputDevice: true}}",
            )
        )
        assert [(obj["kind"], obj["metadata"]) for obj in objects] == [
            ("VirtualMachineInstancetype", {"name": "win", "namespace": "ns"}),
            ("VirtualMachinePreference", {"name": "win", "namespace": "ns"}),
        ]
        assert objects[0]["spec"] == {
            "cpu": {"guest": 2, "model": "Haswell"},
            "memory": {"guest": "4Gi", "hugepages": {"pageSize": "2Mi"}},
            "ioThreadsPolicy": "auto",
            "gpus": [{"name": "g", "deviceName": "a/b"}],
        }
        assert objects[1]["spec"] == {
            "cpu": {"preferredCPUTopology": "sockets"},
            "devices": {"preferredTPM": {}, "preferredAutoattachInputDevice": True},
            "features": {"preferredSmm": {}},
            "firmware": {"preferredUseBios": True, "preferredUseBiosSerial": True},
            "machine": {"preferredMachineType": "q35"},
        }
        assert [change for change in changes if change[0] == "lost"] == [("lost", "spec.selector", "")]

    @pytest.mark.parametrize(
        ("part", "carried"),
        [
            ("cpu: {cores: 1, maxSockets: 4}", {"cpu": {"guest": 1, "maxSockets": 4}}),
            ("cpu: {cores: 1, dedicatedCpuPlacement: true}", {"cpu": {"guest": 1, "dedicatedCPUPlacement": True}}),
            ("cpu: {cores: 1, isolateEmulatorThread: true}", {"cpu": {"guest": 1, "isolateEmulatorThread": True}}),
            (
                "cpu: {cores: 1, numa: {guestMappingPassthrough: {}}}",
                {"cpu": {"guest": 1, "numa": {"guestMappingPassthrough": {}}}},
            ),
            ("cpu: {cores: 1, realtime: {mask: '0'}}", {"cpu": {"guest": 1, "realtime": {"mask": "0"}}}),
            (
                "cpu: {cores: 1}, ioThreads: {supplementalPoolThreadCount: 2}",
                {"ioThreads": {"supplementalPoolThreadCount": 2}},
            ),
            ("cpu: {cores: 1}, launchSecurity: {sev: {}}", {"launchSecurity": {"sev": {}}}),
            (
                "cpu: {cores: 1}, devices: {hostDevices: [{name: h, deviceName: a/b}]}",
                {"hostDevices": [{"name": "h", "deviceName": "a/b"}]},
            ),
            ("cpu: {cores: 1}, memory: {maxGuest: 4Gi}", {"memory": {"guest": "1Gi", "maxGuest": "4Gi"}}),
        ],
    )
    def test_an_instance_type_says_it(self, part, carried):
        objects, _ = converted(self.PRESET.replace("DOMAIN", f"{{resources: {{requests: {{memory: 1Gi}}}}, {part}}}"))
        assert objects[0]["spec"] == {"cpu": {"guest": 1}, "memory": {"guest": "1Gi"}} | carried

    @pytest.mark.parametrize(
        ("domain", "to"),
        [
            (
                "{cpu: {features: [{name: vmx, policy: require}]}}",
                {"cpu": {"preferredCPUFeatures": [{"name": "vmx", "policy": "require"}]}},
            ),
            (
                "{firmware: {bootloader: {efi: {secureBoot: true}}}}",
                {"firmware": {"preferredEfi": {"secureBoot": True}}},
            ),
            ("{firmware: {bootloader: {bios: {}}}}", {"firmware": {"preferredUseBios": True}}),
            (
                "{clock: {utc: {offsetSeconds: 9}}}",
                {"clock": {"preferredClockOffset": {"utc": {"offsetSeconds": 9}}}},
            ),
            ("{clock: {timezone: Asia/Tokyo}}", {"clock": {"preferredClockOffset": {"timezone": "Asia/Tokyo"}}}),
            ("{clock: {timer: {hpet: {present: false}}}}", {"clock": {"preferredTimer": {"hpet": {"present": False}}}}),
            ("{features: {acpi: {enabled: false}}}", {"features": {"preferredAcpi": {"enabled": False}}}),
            ("{features: {apic: {endOfInterrupt: true}}}", {"features": {"preferredApic": {"endOfInterrupt": True}}}),
            ("{features: {hyperv: {relaxed: {}}}}", {"features": {"preferredHyperv": {"relaxed": {}}}}),
            ("{features: {kvm: {hidden: true}}}", {"features": {"preferredKvm": {"hidden": True}}}),
            ("{features: {pvspinlock: {enabled: false}}}", {"features": {"preferredPvspinlock": {"enabled": False}}}),
            ("{devices: {autoattachGraphicsDevice: false}}", {"devices": {"preferredAutoattachGraphicsDevice": False}}),
            ("{devices: {autoattachMemBalloon: false}}", {"devices": {"preferredAutoattachMemBalloon": False}}),
            ("{devices: {autoattachPodInterface: false}}", {"devices": {"preferredAutoattachPodInterface": False}}),
            ("{devices: {autoattachSerialConsole: false}}", {"devices": {"preferredAutoattachSerialConsole": False}}),
            ("{devices: {disableHotplug: true}}", {"devices": {"preferredDisableHotplug": True}}),
            ("{devices: {useVirtioTransitional: true}}", {"devices": {"preferredUseVirtioTransitional": True}}),
            ("{devices: {rng: {}}}", {"devices": {"preferredRng": {}}}),
            ("{devices: {blockMultiQueue: true}}", {"devices": {"preferredBlockMultiQueue": True}}),
            (
                "{devices: {networkInterfaceMultiqueue: true}}",
                {"devices": {"preferredNetworkInterfaceMultiQueue": True}},
            ),
            ("{devices: {sound: {model: ich9}}}", {"devices": {"preferredSoundModel": "ich9"}}),
            ("{devices: {video: {type: vga}}}", {"devices": {"preferredVideoType": "vga"}}),
        ],
    )
    def test_a_preference_says_it(self, domain, to):
        obj = only(self.PRESET.replace("DOMAIN", domain))
        assert (obj["kind"], obj["spec"]) == ("VirtualMachinePreference", to)

    def test_what_a_type_would_say_is_lost_where_there_can_be_none(self):
        objects, changes = converted(self.PRESET.replace("DOMAIN", "{cpu: {cores: 2}, devices: {rng: {}}}"))
        assert [obj["kind"] for obj in objects] == ["VirtualMachinePreference"]
        assert ("lost", "spec.domain.cpu.cores", "") in changes
        objects, changes = converted(self.PRESET.replace("DOMAIN", "{cpu: {cores: 2}, devices: {rng: {}}}"), "2Gi")
        assert objects[0]["spec"] == {"cpu": {"guest": 2}, "memory": {"guest": "2Gi"}}

    def test_each_leaf_of_the_domain_is_carried_or_named(self):
        domain = (
            "{chassis: {sku: x}, resources: {requests: {memory: 1Gi, cpu: 2}}, cpu: {cores: 2, sockets: 2}, "
            "devices: {watchdog: {name: w, i6300esb: {action: reset}}, disks: [{name: d}]}}"
        )
        _, changes = converted(self.PRESET.replace("DOMAIN", domain))
        lost = {field for what, field, _ in changes if what == "lost"}
        assert lost == {
            "spec.selector",
            *(f"spec.domain.{field}" for field in ("chassis.sku", "resources.requests.cpu", "cpu", "devices.disks")),
            *(f"spec.domain.devices.watchdog.{field}" for field in ("name", "i6300esb.action")),
        }

    def test_empty_maps_that_switch_something_on_are_named(self):
        domain = (
            "{machine: {type: q35}, devices: {clientPassthrough: {}, disks: []}, features: {hypervPassthrough: {}}, "
            "cpu: {}, resources: {limits: {}}}"
        )
        _, changes = converted(self.PRESET.replace("DOMAIN", domain))
        assert [field for what, field, _ in changes if what == "lost"] == [
            "spec.domain.devices.clientPassthrough",
            "spec.domain.features.hypervPassthrough",
            "spec.selector",
        ]

    def test_stay_where_nothing_can_be_said_otherwise(self):
        objects, changes = converted(self.PRESET.replace("DOMAIN", "{devices: {disks: [{name: d}]}}"))
        assert [obj["kind"] for obj in objects] == ["VirtualMachineInstancePreset"]
        assert changes == [("kept", "spec", "spec")]

    def test_of_an_old_version_that_stay_are_of_v1(self):
        text = self.PRESET.replace("kubevirt.io/v1", "kubevirt.io/v1alpha1").replace("MachineInstanceP", "MachineP")
        objects, changes = converted(text.replace("DOMAIN", "{devices: {}}"))
        assert (objects[0]["apiVersion"], objects[0]["kind"]) == ("kubevirt.io/v1", "VirtualMachineInstancePreset")
        assert [field for _, field, _ in changes] == ["apiVersion", "kind", "spec"]


class TestRevisions:
    def revision(self, data, name=f"web-x-{UID}-1", **metadata):
        return json.dumps(
            {
                "apiVersion": "apps/v1",
                "kind": "ControllerRevision",
                "metadata": {"name": name, **metadata},
                "data": data,
                "revision": 0,
            }
        )

    def test_hold_the_object_and_a_version(self):
        spec = {"cpu": {"preferredCPUTopology": "preferCores"}}
        data = {"apiVersion": "instancetype.kubevirt.io/v1alpha2", "kind": "VirtualMachinePreference", "spec": spec}
        labels = {"instancetype.kubevirt.io/object-version": "v1alpha2"}
        obj = only(self.revision(data, f"web-x-v1alpha2-{UID}-3", labels=labels))
        assert obj["metadata"] == {
            "name": f"web-x-v1beta1-{UID}-3",
            "labels": {"instancetype.kubevirt.io/object-version": "v1beta1"},
        }
        assert obj["data"]["apiVersion"] == "instancetype.kubevirt.io/v1beta1"
        assert obj["data"]["spec"] == {"cpu": {"preferredCPUTopology": "cores"}}

    @pytest.mark.parametrize(
        ("spec", "kind"),
        [
            ({"cpu": {"guest": 2}, "memory": {"guest": "2Gi"}}, "VirtualMachineInstancetype"),
            ({"cpu": {"preferredCPUTopology": "preferSockets"}}, "VirtualMachinePreference"),
        ],
    )
    def test_of_the_oldest_kind_hold_a_spec_in_base64(self, spec, kind):
        text = b64encode(json.dumps(spec).encode()).decode()
        owners = [{"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "name": "web", "uid": "u"}]
        obj = only(
            self.revision({"apiVersion": "instancetype.kubevirt.io/v1alpha1", "spec": text}, ownerReferences=owners)
        )
        assert obj["metadata"]["name"] == f"web-x-v1beta1-{UID}-1"
        assert obj["data"]["kind"] == kind
        assert obj["data"]["metadata"] == {"name": "x", "uid": UID, "generation": 1}
        labels = {key.rpartition("/")[2]: value for key, value in obj["metadata"]["labels"].items()}
        assert labels == {
            "object-generation": "1",
            "object-kind": kind,
            "object-name": "x",
            "object-uid": UID,
            "object-version": "v1beta1",
        }

    @pytest.mark.parametrize("spec", ["no base64", b64encode(b"{").decode(), b64encode(b'{"x": 1}').decode()])
    def test_that_hold_nothing_of_use_are_errors(self, spec):
        text = self.revision({"apiVersion": "flavor.kubevirt.io/v1alpha1", "spec": spec})
        assert f"ControllerRevision/web-x-{UID}-1: data.spec: " in refused(text)

    def test_hold_what_a_flavor_becomes_and_its_changes_lie_below_their_data(self):
        flavor = {
            "apiVersion": "flavor.kubevirt.io/v1alpha1",
            "kind": "VirtualMachineFlavor",
            "metadata": {"name": "x"},
            "profiles": [{"name": "small", "default": True, "cpu": {"cores": 2}}],
        }
        (obj,), changes = converted(self.revision(flavor, f"web-x-{UID}-1"), "2Gi")
        assert obj["data"]["kind"] == "VirtualMachineInstancetype"
        assert obj["data"]["spec"] == {"cpu": {"guest": 2}, "memory": {"guest": "2Gi"}}
        assert ("moved", "data.profiles[0].cpu.cores", "spec.cpu.guest") in changes

    def test_are_named_anew_by_their_vms(self):
        spec = {"cpu": {"guest": 2}, "memory": {"guest": "2Gi"}}
        data = {"apiVersion": "instancetype.kubevirt.io/v1alpha2", "kind": "VirtualMachineInstancetype", "spec": spec}
        vm = {
            "apiVersion": "kubevirt.io/v1",
            "kind": "VirtualMachine",
            "metadata": {"name": "web"},
            "spec": {
                "instancetype": {"name": "x", "revisionName": "r"},
                "template": {"spec": {"domain": {"devices": {}}}},
            },
            "status": {"instancetypeRef": {"controllerRevisionRef": {"name": "r"}}},
        }
        files = {"a.json": self.revision(data, "r").encode(), "b.json": json.dumps(vm).encode()}
        first, second = (json.loads(file.new) for file in convert_files(files))
        assert first["metadata"]["name"] == "r-v1beta1"
        assert second["spec"]["instancetype"]["revisionName"] == "r-v1beta1"
        assert second["status"]["instancetypeRef"]["controllerRevisionRef"]["name"] == "r-v1beta1"


class TestText:
    def test_comments_quotes_and_order_stay(self):
        (file,) = convert_files(
            {
                "a.yaml": dedent(
                    """\
                    # what it is for
                    kind: 'VirtualMachinePreference'  # the kind
                    apiVersion: instancetype.kubevirt.io/v1alpha2 # old
                    metadata: {name: x} # its name
                    spec:
                        # how
                        cpu: {preferredCPUTopology: preferCores} # cores
                    """
                ).encode()
            }
        )
        assert file.new == dedent(
            """\
            # what it is for
            kind: 'VirtualMachinePreference'  # the kind
            apiVersion: instancetype.kubevirt.io/v1beta1 # old
            metadata: {name: x} # its name
            spec:
                # how
                cpu: {preferredCPUTopology: cores} # cores
            """
        )

    @pytest.mark.parametrize("kind", ["List", "VirtualMachineFlavorList"])
    def test_lists_get_what_items_become(self, kind):
        version = "v1" if kind == "List" else "flavor.kubevirt.io/v1alpha1"
        own = "apiVersion: flavor.kubevirt.io/v1alpha1, kind: VirtualMachineFlavor, " if kind == "List" else ""
        obj = only(
            f"apiVersion: {version}\nkind: {kind}\nitems:\n"
            f"- {{{own}metadata: {{name: x}}, profiles: [{{name: a}}, {{name: b}}]}}\n"
            f"- {{{own}metadata: {{name: z}}, spec: {{cpu: {{guest: 1}}, memory: {{guest: 1Gi}}}}}}\n",
            "1Gi",
        )
        assert (obj["apiVersion"], obj["kind"]) == ("v1", "List")
        assert [item["metadata"]["name"] for item in obj["items"]] == ["x-a", "z", "x-b"]
        assert {item["kind"] for item in obj["items"]} == {"VirtualMachineInstancetype"}

    def test_json_stays_json(self):
        old = '{"apiVersion": "kubevirt.io/v1alpha1", "kind": "OfflineVirtualMachine", "metadata": {"name": "x"},\n'
        old += ' "spec": {"Running": true, "Template": {"spec": {"domain": {"devices": {}}}}}}\n'
        (file,) = convert_files({"a.json": old.encode()})
        assert file.new == old.replace("v1alpha1", "v1").replace("OfflineV", "V").replace("Running", "running").replace(
            "Template", "template"
        )

    def test_windows_line_ends_stay(self):
        old = b"kind: VirtualMachineFlavor\r\napiVersion: flavor.kubevirt.io/v1alpha1\r\nmetadata: {name: x}\r\n"
        (file,) = convert_files({"a.yaml": old + b"spec:\r\n  cpu:\r\n    guest: 2\r\n"}, "1Gi")
        assert file.new.endswith("spec:\r\n  cpu:\r\n    guest: 2\r\n  memory:\r\n    guest: 1Gi\r\n")

    def test_what_is_shared_by_anchors_is_written_out(self):
        old = dedent(
            """\
            apiVersion: instancetype.kubevirt.io/v1alpha2
            kind: VirtualMachinePreference
            metadata: {name: x}
            spec: &spec {cpu: {preferredCPUTopology: preferCores}}
            ---
            apiVersion: instancetype.kubevirt.io/v1alpha2
            kind: VirtualMachinePreference
            metadata: &names {name: z}
            spec: {<<: *names}
            """
        ).replace("{<<: *names}", "{}")
        (file,) = convert_files({"a.yaml": old.encode()})
        assert not file.loose
        old = "x: &v instancetype.kubevirt.io/v1alpha2\nkind: VirtualMachinePreference\napiVersion: *v\nspec: {}\n"
        (file,) = convert_files({"a.yaml": old.encode()})
        assert file.loose
        assert "apiVersion: instancetype.kubevirt.io/v1beta1\n" in file.new

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("a: [", "a.yaml:2:1: is not YAML"),
            ("", "a.yaml:1:1: holds no manifest"),
            ("- 1\n", "a manifest is a map"),
            ("apiVersion: kubevirt.io/v1alpha1\nkind: Spice\nmetadata: {name: x}\n", "virtctl vnc"),
            (
                "apiVersion: kubevirt.io/v1alpha2\nkind: VirtualMachine\nmetadata: {name: x}\nspec: {template: 4}\n",
                "a.yaml:4:8: VirtualMachine/x: spec.template: once converted: must be a map",
            ),
        ],
    )
    def test_what_cannot_be_read_or_converted_is_an_error_with_its_place(self, text, message):
        with pytest.raises(ManifestError) as error:
            convert_files({"a.yaml": text.encode()})
        assert message in str(error.value)
