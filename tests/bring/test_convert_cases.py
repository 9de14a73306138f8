"""Small objects of old APIs, each with one thing that matters: the text that it becomes, and what is said of that."""

from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion
from test_convert_whole import TEMPLATE, converted, encoded, flavor, preset, refused, revision, vm

from virtcatalog.bring.convert.files import convert_files
from virtcatalog.errors import ManifestError


def vmi(spec: str, version: str = "v1alpha3") -> str:
    head = f"apiVersion: kubevirt.io/{version}\nkind: VirtualMachineInstance\nmetadata: {{name: v}}\n"
    return f"{head}spec: {{domain: {{devices: {{}}}}, {spec}}}\n"


def disks(*texts: str) -> str:
    spec = f"domain: {{devices: {{disks: [{', '.join(texts)}]}}}}"
    return f"apiVersion: kubevirt.io/v1alpha3\nkind: VirtualMachineInstance\nmetadata: {{name: v}}\nspec: {{{spec}}}\n"


def of(kind: str, spec: str, version: str = "kubevirt.io/v1alpha3") -> str:
    return f"apiVersion: {version}\nkind: {kind}\nmetadata: {{name: v}}\nspec: {spec}\n"


TOPOLOGY = "{cpu: {preferredCPUTopology: preferCores}}"
UID = "5d307ca9-b3ef-428c-8861-06e72d69f223"
SPEC = encoded({"cpu": {"guest": 2}, "memory": {"guest": "2Gi"}})
PREFERENCE = {
    "apiVersion": "instancetype.kubevirt.io/v1alpha2",
    "kind": "VirtualMachinePreference",
    "spec": {"cpu": {"preferredCPUTopology": "preferCores"}},
}
OLDEST = {"apiVersion": "instancetype.kubevirt.io/v1alpha1", "spec": SPEC}
POOL = "pool.kubevirt.io/v1alpha1"
PRESET = "resources: {requests: {memory: 2Gi}}"
CASES: dict[str, list[str]] = {
    "a VM without a spec": ["apiVersion: kubevirt.io/v1alpha3\nkind: VirtualMachine\nmetadata: {name: v}\n"],
    "running with a capital": [vm(f"{{Running: true, Template: {TEMPLATE.partition(': ')[2]}}}", "v1alpha3")],
    "both spellings": [vm(f"{{Running: true, running: false, {TEMPLATE}}}", "v1alpha3")],
    "changes in a template with a capital": [
        vm(
            "{running: true, Template: {spec: {domain: {devices: {}}, networks: [{name: lan, pod: {}, genie: {}}]}}}",
            "v1alpha3",
        )
    ],
    "a registry disk": [vmi("volumes: [{name: a, registryDisk: {image: i}}, {name: b, containerDisk: {image: i}}]")],
    "two disks in one volume": [vmi("volumes: [{name: a, registryDisk: {image: i}, containerDisk: {image: j}}]")],
    "a network of genie": [vmi("networks: [{name: lan, pod: {}, genie: {networkName: g}}, {name: m, pod: {}}]")],
    "a disk's volume": [
        disks(
            "{name: a, volumeName: b, disk: {}}",
            "{name: a, volumeName: a, disk: {}}",
            "{name: c, volumeName: '', disk: {}}",
            "{name: d, volumeName: 4, disk: {}}",
            "{name: e, disk: {}}",
        )
    ],
    "a floppy": [disks("{name: a, floppy: {}}")],
    "lists that are none": [vmi("volumes: {a: b}, networks: 5")],
    "limits of hotplug": [
        vm(f"{{running: true, liveUpdateFeatures: {{cpu: {{maxSockets: 4}}, memory: {{maxGuest: 8Gi}}}}, {TEMPLATE}}}"),
        vm(
            "{running: true, liveUpdateFeatures: {cpu: {maxSockets: 4}}, "
            "template: {spec: {domain: {cpu: {cores: 2}, devices: {}}}}}"
        ),
    ],
    "a migration": [
        of("Migration", "{selector: {name: v}, nodeSelector: {a: b}}", "kubevirt.io/v1alpha1"),
        of("Migration", "{selector: v}", "kubevirt.io/v1alpha1"),
        "apiVersion: kubevirt.io/v1alpha1\nkind: Migration\nmetadata: {name: m}\n",
    ],
    "a pool": [
        of(
            "VirtualMachinePool",
            "{scaleInStrategy: {proactive: {selectionPolicy: {basePolicy: Oldest}}}, "
            "selector: {}, virtualMachineTemplate: {spec: {Running: true, liveUpdateFeatures: {}, "
            "template: {spec: {domain: {devices: {disks: [{name: a, volumeName: b}]}}}}}}}",
            POOL,
        ),
    ],
    "a pool of nothing": [
        "apiVersion: pool.kubevirt.io/v1alpha1\nkind: VirtualMachinePool\nmetadata: {name: p}\n",
        of("VirtualMachinePool", "{replicas: 1}", POOL),
    ],
    "revisions that a VM names": [
        revision("a", PREFERENCE),
        revision("b", OLDEST),
        vm(
            "{instancetype: {name: x, revisionName: b}, preference: {name: z, revisionName: a}, " + TEMPLATE + "}",
            more="status: {preferenceRef: {controllerRevisionRef: {name: a}}, "
            "instancetypeRef: {controllerRevisionRef: {name: b}}}\n",
        ),
        vm("{instancetype: {name: x, revisionName: c}, preference: {name: z}, " + TEMPLATE + "}"),
    ],
    "a replica set": [
        of(
            "VirtualMachineInstanceReplicaSet",
            "{selector: {}, template: {spec: {domain: {devices: {}}, volumes: [{name: a, registryDisk: {image: i}}]}}}",
        )
    ],
    "a status": [
        of("VirtualMachine", "{domain: {devices: {}}}", "kubevirt.io/v1alpha1") + "status: {phase: Running}\n",
        vm(f"{{running: true, {TEMPLATE}}}", "v1alpha3", "status: {ready: true, stale: 1}\n"),
    ],
    "a snapshot's backups": [
        of(
            "VirtualMachineSnapshotContent",
            "{volumeBackups: [{volumeName: a, diskName: b}, {volumeName: c}, 4]}",
            "snapshot.kubevirt.io/v1alpha1",
        )
    ],
    "a preference's topology": [
        of(
            "VirtualMachinePreference",
            f"{{cpu: {{preferredCPUTopology: {value}}}}}",
            "instancetype.kubevirt.io/v1alpha2",
        )
        for value in ("preferCores", "preferSockets", "preferThreads", "preferSpread", "preferAny", "''", "cores")
    ],
    "a preset of memory": [preset(f"{{selector: {{matchLabels: {{a: b}}}}, domain: {{cpu: {{cores: 2}}, {PRESET}}}}}")],
    "a preset of both amounts": [
        preset(f"{{domain: {{cpu: {{cores: 2}}, memory: {{guest: {guest}}}, {PRESET}}}}}") for guest in ("4Gi", "2Gi")
    ],
    "a preset of a topology": [
        preset(f"{{selector: {{}}, domain: {{cpu: {cpu}, {PRESET}, devices: {{}}}}}}")
        for cpu in ("{sockets: 2}", "{sockets: 2, cores: 1}", "{cores: 2, threads: 2}", "{sockets: 1}", "{cores: 0}")
    ],
    "a preset of no firmware": [preset("{domain: {firmware: {bootloader: {bios: 4}}}}")],
    "a preset of nothing": [preset("{selector: {}, domain: {devices: {}}}"), preset("{selector: {}}")],
    "a preset of a device alone": [preset("{domain: {devices: {rng: {}}}}")],
    "a preset of firmware": [
        preset("{domain: {firmware: {bootloader: {bios: {useSerial: true}}}}}"),
        preset(
            "{selector: {}, domain: {devices: {}, firmware: {bootloader: {}}, resources: {limits: {}}, "
            "chassis: {}, clock: null}}"
        ),
    ],
    "a preset that a type would say in part": [preset("{domain: {ioThreadsPolicy: auto, devices: {rng: {}}}}")],
    "an old preset": [preset("{domain: {machine: {type: q35}}}").replace("v1alpha3", "v1alpha1")],
    "flavors of the first shape": [
        flavor(
            "profiles: [{name: a, default: true, cpu: {cores: 2, dedicatedCpuPlacement: true, features: [{name: x}]}}]"
        )
    ],
    "flavors of the second shape": [
        flavor("spec: {cpu: {sockets: 2, cores: 2}, memory: {guest: 1Gi}}"),
        flavor("spec: {cpu: {}, memory: {guest: 1Gi}}"),
    ],
}


VERSION = "instancetype.kubevirt.io/object-version"


def owner(name: str) -> dict[str, str]:
    return {"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "name": name, "uid": "u"}


REVISIONS: dict[str, str] = {
    "a spec of no name": revision("r", OLDEST),
    "a spec of a preference": revision("r", {**OLDEST, "spec": encoded({"preferredSubdomain": "x"})}),
    "a spec that either may have": revision("r", {**OLDEST, "spec": encoded({})}),
    "a spec of the second owner": revision(
        f"web-x-{UID}-12",
        OLDEST,
        ownerReferences=[owner("web-x"), owner("web")],
        labels={"team": "a", VERSION: "v1alpha1"},
    ),
    "a spec of no owner": revision(f"web-x-v1alpha1-{UID}-3", OLDEST, ownerReferences=[owner("db")]),
    "an object without labels": revision(f"web-x-v1alpha2-{UID}-1", PREFERENCE),
    "an object of a version that its labels name": revision("a", PREFERENCE, labels={VERSION: "v1alpha2", "a": "b"}),
    "an object of a version that its labels do not name": revision("a", PREFERENCE, labels={VERSION: "v1beta1"}),
    "an object of labels without one": revision("a", PREFERENCE, labels={}),
    "a uid in upper case": revision(f"web-x-{UID.upper()}-1", PREFERENCE),
    "a name that goes on": revision(f"web-x-{UID}-1-b", PREFERENCE),
    "a flavor": revision(
        "a",
        {
            "apiVersion": "flavor.kubevirt.io/v1alpha1",
            "kind": "VirtualMachineClusterFlavor",
            "spec": {"cpu": {"guest": 1}},
        },
    ),
    "a preference of the flavors' API": revision("a", {**PREFERENCE, "apiVersion": "flavor.kubevirt.io/v1alpha1"}),
    "an object of the present version": revision("a", {**PREFERENCE, "apiVersion": "instancetype.kubevirt.io/v1beta1"}),
    "something else": revision("a", {"apiVersion": "apps/v1", "spec": {}}),
    "nothing": revision("a", None),
}


@pytest.mark.parametrize(
    "text",
    [
        "kind: ConfigMap\napiVersion: v1\n",
        "apiVersion: [kubevirt.io/v1alpha3]\nkind: VirtualMachine\n",
        "apiVersion: kubevirt.io/v1alpha3\nkind: [VirtualMachine]\n",
        "apiVersion: example.org/v1\nkind: VirtualMachineInstancePreset\nspec: {domain: {cpu: {cores: 2}}}\n",
        "apiVersion: example.org/v1alpha1\nkind: VirtualMachineFlavor\nprofiles: [{name: a}]\n",
        "apiVersion: kubevirt.io/v1\nkind: Spice\n",
        "apiVersion: kubevirt.io/v1\nkind: VirtualMachineInstance\nspec: {domain: {devices: {}}}\n",
        "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {name: x}\nspec: 4\n",
        "apiVersion: pool.kubevirt.io/v1beta1\nkind: VirtualMachinePool\nspec: {virtualMachineTemplate: 4}\n",
        "apiVersion: snapshot.kubevirt.io/v1beta1\nkind: VirtualMachineSnapshotContent\nspec: {volumeBackups: {}}\n",
        f"apiVersion: instancetype.kubevirt.io/v1beta1\nkind: VirtualMachinePreference\nspec: {TOPOLOGY}\n",
        f"apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nspec: {{running: true, {TEMPLATE}}}\n",
    ],
)
def test_what_is_of_the_present_or_not_of_kubevirts_stays(text: str) -> None:
    (file,) = convert_files({"a.yaml": text.encode()})
    assert (file.new, file.objects, file.loose) == (text, (), "")


def test_what_anchors_share_is_written_out_and_it_is_said_why() -> None:
    version = "instancetype.kubevirt.io/v1alpha2"
    old = f"# gone\nkind: VirtualMachinePreference\napiVersion: &v {version}\nmetadata: {{name: *v}}\nspec: {{}}\n"
    (file,) = convert_files({"a.yaml": f"{old}---\n# too\na: 1\n".encode()})
    assert file.new == (
        "kind: VirtualMachinePreference\napiVersion: instancetype.kubevirt.io/v1beta1\n"
        f"metadata:\n  name: {version}\nspec: {{}}\n---\na: 1\n"
    )
    assert file.loose == "what must change is shared through YAML anchors, aliases or <<: write it out first"


@pytest.mark.parametrize("case", REVISIONS)
def test_revisions(case: str, snapshot: SnapshotAssertion) -> None:
    assert converted(REVISIONS[case], memory="3Gi") == snapshot


@pytest.mark.parametrize("case", CASES)
def test_objects(case: str, snapshot: SnapshotAssertion) -> None:
    try:
        lines = converted(*CASES[case], memory="3Gi")
    except ManifestError as error:
        lines = str(error).splitlines()
    assert lines == snapshot


REFUSED: dict[str, list[str]] = {
    "presets and flavors without memory": [
        preset("{domain: {cpu: {cores: 2}}}"),
        flavor("profiles: [{name: a}]"),
        flavor("spec: {cpu: {guest: 2}}"),
    ],
    "a list of what is no object": ["apiVersion: v1\nkind: List\nitems: [4, {apiVersion: v1}]\n"],
    "revisions of owners that are none": [
        revision(f"web-x-{UID}-{number}", OLDEST, ownerReferences=owners)
        for number, owners in enumerate(("web", [{}], [4]))
    ],
    "a field that v1 does not take": [vm(f"{{running: maybe, {TEMPLATE}}}", "v1alpha3")],
}


@pytest.mark.parametrize("case", REFUSED)
def test_objects_that_cannot_be_converted(case: str, snapshot: SnapshotAssertion) -> None:
    assert refused(*REFUSED[case]) == snapshot


def test_names_refer_to_objects_of_all_files() -> None:
    files = {
        "a.yaml": flavor("profiles: [{name: x, default: true}, {name: large}]").encode(),
        "b.yaml": vm(f"{{flavor: {{kind: VirtualMachineFlavor, name: f, profile: large}}, {TEMPLATE}}}").encode(),
        "c.yaml": b"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n",
    }
    converted_files = convert_files(files, "1Gi")
    assert [file.name for file in converted_files if file.new != file.old] == ["a.yaml", "b.yaml"]
    assert "name: f-large" in converted_files[1].new
