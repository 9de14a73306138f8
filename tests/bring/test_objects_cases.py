"""Small sets of instance types and preferences: the files of the catalog that each becomes, and what is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion
from test_import_objects import OWN, a_type, labelled, preference, read

from virtcatalog.bring.objects.catalog import Draft, document, draft, prove
from virtcatalog.bring.objects.entries import Entry, as_file, conventions, with_text_amounts
from virtcatalog.bring.objects.facts import Expression
from virtcatalog.bring.objects.naming import component_name, section
from virtcatalog.bring.objects.read import collected
from virtcatalog.errors import ManifestError

Facts = dict[tuple[str, ...], Any]


def spec(*paths: str, **values: Any) -> Facts:
    """Facts below `spec`: `a.b=1`, or `-a.b` for what is taken away."""
    facts: Facts = {}
    for path in paths:
        name, _, value = path.partition("=")
        facts["spec", *name.lstrip("-").split(".")] = None if path.startswith("-") else json.loads(value)
    return facts | {("spec", name): value for name, value in values.items()}


NAMES: dict[str, Facts] = {
    name: spec(*name.split(" "))
    for name in [
        "devices.preferredDiskBus=\"virtio\"",
        "devices.preferredCdromBus=\"sata\"",
        "devices.preferredLunBus=\"scsi\"",
        "devices.preferredInterfaceModel=\"e1000e\"",
        "devices.preferredVideoType=\"virtio\"",
        "devices.preferredSoundModel=\"ich9\"",
        "devices.preferredDiskDedicatedIoThread=true",
        "devices.preferredDiskDedicatedIoThread=false",
        "devices.preferredDiskCache=\"none\"",
        "devices.preferredDiskIO=\"native\"",
        "devices.preferredBlockMultiQueue=true",
        "devices.preferredNetworkInterfaceMultiQueue=false",
        "devices.preferredTPM={}",
        "devices.preferredTPM.persistent=true",
        "devices.preferredRng={}",
        "devices.preferredPanicDeviceModel=\"isa\"",
        "devices.preferredUseVirtioTransitional=true",
        "devices.preferredInputType=\"tablet\" devices.preferredInputBus=\"usb\"",
        "devices.preferredInputBus=\"virtio\"",
        "devices.preferredAutoattachInputDevice=true",
        "devices.preferredDiskBus=\"virtio\" devices.preferredInterfaceModel=\"virtio\"",
        "machine.preferredMachineType=\"pc-q35-rhel9.4.0\"",
        "volumes.preferredStorageClassName=\"gold\"",
        "-devices.preferredTPM",
        "-devices.preferredAutoattachMemBalloon -devices.preferredRng",
        "firmware.preferredEfi={}",
        "firmware.preferredEfi.secureBoot=true features.preferredSmm={}",
        "firmware.preferredEfi.secureBoot=false",
        "firmware.preferredEfi.persistent=true",
        "firmware.preferredEfi.persistent=true firmware.preferredEfi.secureBoot=true",
        "firmware.preferredUseEfi=true",
        "firmware.preferredUseEfi=true firmware.preferredUseSecureBoot=true",
        "firmware.preferredUseBios=true",
        "firmware.preferredUseBios=false",
        "features.preferredSmm={}",
        "features.preferredAcpi={}",
        "features.preferredAcpi={} features.preferredApic={}",
        "features.preferredHyperv.relaxed={} features.preferredAcpi={}",
        "clock.preferredClockOffset.utc={} clock.preferredTimer.hpet.present=false",
        "clock.preferredTimer.hyperv={}",
        "cpu.preferredCPUTopology=\"cores\"",
        "cpu.preferredCPUTopology=\"spread\" cpu.spreadOptions.across=\"CoresThreads\" cpu.spreadOptions.ratio=4",
        "cpu.preferredCPUTopology=\"spread\" cpu.spreadOptions.across=\"SocketsCores\"",
        "cpu.preferredCPUFeatures=[]",
        "cpu.model=\"Haswell\"",
        "cpu.dedicatedCPUPlacement=true",
        "annotations.vm.kubevirt=true",
        "annotations.os=\"linux\"",
        "annotations.a.example=\"x\" annotations.b.example=\"y\"",
        "-firmware.preferredUseBios firmware.preferredEfi={}",
        "-cpu.preferredCPUFeatures cpu.preferredCPUTopology=\"any\"",
        "-devices.preferredInputBus devices.preferredInputType=\"tablet\"",
        "devices={}",
        "devices.preferredVirtualGPUOptions.display.enabled=false",
        "devices.preferredDiskBlockSize.custom.logical=512",
        "-firmware.preferredEfi",
        "features.preferredSmm.enabled=false",
        "features.preferredSmm.enabled=true",
        "features.preferredSmm.enabled=false firmware.preferredUseBios=true",
        "features.preferredAcpi.enabled=false",
        "features.preferredAcpi.enabled=true",
        "clock.preferredTimer.hpet.present=false",
        "clock.preferredClockOffset.timezone=\"Asia/Tokyo\"",
        "features.preferredHyperv={}",
        "preferredTerminationGracePeriodSeconds=5400",
        'preferredSubdomain="ä"',
        "preferredTerminationGracePeriodSeconds=3600",
        "preferredTerminationGracePeriodSeconds=180",
        "preferredTerminationGracePeriodSeconds=90",
        "preferredTerminationGracePeriodSeconds=0",
        "preferredSubdomain=\"x.y\"",
        "ioThreadsPolicy=\"auto\"",
        "memory.overcommitPercent=50",
        "memory.hugepages.pageSize=\"1Gi\"",
        "gpus=[]",
        "nodeSelector.zone=\"a\"",
    ]
} | {
    "annotations of one domain": {
        ("spec", "annotations", "a.example.org/x"): "1",
        ("spec", "annotations", "b.example.org/y"): "2",
    },
    "annotations of several domains": {
        ("spec", "annotations", "b.sample.org/x"): "1",
        ("spec", "annotations", "a.example.org/y"): "2",
        ("spec", "annotations", "team"): "3",
    },
    "annotations with dots in their names": {
        ("spec", "annotations", "a.example.org/x.y.z"): "1",
        ("spec", "annotations", "b.example.org/u.v.w"): "2",
    },
    "an annotation that is true": {("spec", "annotations", "vm.kubevirt.io/fast"): "True"},
    "an annotation with a value": {("spec", "annotations", "vm.kubevirt.io/os"): "linux"},
}  # fmt: skip


def test_components_are_called_by_what_they_say(snapshot: SnapshotAssertion) -> None:
    names = {text: component_name(facts) for text, facts in NAMES.items()}
    assert {text: f"{name} ({section(name)})" for text, name in names.items()} == snapshot


def own(**labels: str) -> dict[str, str]:
    return {OWN + key.replace("_", "-"): value for key, value in labels.items()}


def sized(text: str, version: str = "") -> dict[str, Any]:
    """A type of a class by `name vCPUs memory class size`."""
    name, vcpus, memory, series, size = text.split()
    instancetype: dict[str, Any] = labelled(name, int(vcpus), memory, series, size)
    if version:
        instancetype["metadata"]["labels"] |= own(version=version)
    return instancetype


def everywhere(manifest: dict[str, Any]) -> dict[str, Any]:
    """The namespaced object of an object that is cluster-wide, without a namespace."""
    return {**manifest, "kind": manifest["kind"].replace("Cluster", "")}


def paged(*texts: str) -> list[dict[str, Any]]:
    """Types of 1Gi in huge pages, each by `size vCPUs pages`."""
    return [
        a_type(f"r.{size}", int(vcpus), "1Gi", mem={"hugepages": {"pageSize": pages}})
        for size, vcpus, pages in map(str.split, texts)
    ]


ARM = {
    name: preference(
        f"arm-{name.replace(' ', '-')}",
        wanted,
        labels=own(arch="arm64", **{f"{key}-architecture": "arm64" for key in keys}),
    )
    for name, wanted, keys in [
        ("preferred", {"preferredArchitecture": "arm64"}, ["preferred"]),
        ("by its label", {}, []),
        ("required", {"requirements": {"architecture": "arm64", "cpu": {"guest": 2}}}, ["required"]),
        ("by its label with a size", {"requirements": {"cpu": {"guest": 2}}}, []),
        ("with another one", {"preferredArchitecture": "amd64"}, []),
        (
            "in both fields",
            {"preferredArchitecture": "arm64", "requirements": {"architecture": "arm64"}},
            ["preferred", "required"],
        ),
    ]
}
SETS: dict[str, list[dict[str, Any]]] = {
    "types of no class": [a_type("tiny"), a_type("huge", 64, "1Ti")],
    "a class by its name": [a_type(f"m.{size}", number, f"{4 * number}Gi") for number, size in enumerate("abc", 1)],
    "a class of another ratio in one size": [
        labelled("m.a", 1, "4Gi", "m", "a"), labelled("m.b", 2, "8Gi", "m", "b"), labelled("m.c", 4, "15Gi", "m", "c"),
    ],
    "classes with a version": [
        labelled("m1.a", 1, "4Gi", "m", "a", annotations={"x": "1"}),
        labelled("m1.b", 2, "8Gi", "m", "b", annotations={"x": "1"}),
        labelled("u1.a", 1, "4Gi", "u", "a", annotations={"x": "1"}),
    ],
    "a variant of all sizes": [
        *(labelled(f"m.{size}", 1, memory, "m", size) for size, memory in (("a", "1Gi"), ("b", "2Gi"))),
        *(a_type(f"m.{size}.dedicated", 1, memory, cpu={"dedicatedCPUPlacement": True}, labels=own(
            **{"class": "m", "size": f"{size}.dedicated", "cpu": "1", "memory": memory}))
          for size, memory in (("a", "1Gi"), ("b", "2Gi"))),
    ],
    "a deprecated type": [
        a_type("old", labels=own(deprecated="true"),
               annotations={f"{OWN}replacedBy": "new", f"{OWN}sunset": "2027-06-01"}),
        a_type("new", annotations={f"{OWN}displayName": "New", f"{OWN}description": "a\nb\n"}),
    ],
    "types with much in common": [
        a_type(f"g.{size}", number, f"{number}Gi", cpu={"dedicatedCPUPlacement": True, "isolateEmulatorThread": True},
               mem={"hugepages": {"pageSize": "1Gi"}}, gpus=[{"name": "g", "deviceName": "example.org/G"}])
        for number, size in ((1, "a"), (2, "b"))
    ],
    "preferences of one family": [
        preference("linux", {"devices": {"preferredDiskBus": "virtio", "preferredRng": {}}}),
        preference("linux.efi", {"devices": {"preferredDiskBus": "virtio", "preferredRng": {}},
                                 "firmware": {"preferredEfi": {"secureBoot": False}}}),
        preference("linux.bare", {"devices": {"preferredDiskBus": "sata"}}),
    ],
    "preferences with components": [
        preference(
            name,
            {"devices": {"preferredDiskBus": "virtio", "preferredTPM": {}}, "cpu": {"preferredCPUTopology": "cores"}},
        )
        for name in ("a", "b", "c")
    ],
    "a variant of an architecture that is a label": [
        preference("arm", labels=own(arch="arm64")), preference("arm.a", labels=own(arch="arm64")),
    ],
    "preferences of an architecture": list(ARM.values()),
    "preferences of architectures that are labels": [
        preference("arm", labels=own(arch="arm64")), preference("z", labels=own(arch="s390x")),
    ],
    "preferences of one architecture that is a label": [
        preference("arm.a", labels=own(arch="arm64")), preference("arm.b", labels=own(arch="arm64")),
        preference("z", labels=own(arch="arm64", os_type="linux")),
    ],
    "preferences that require something": [
        preference("a", {"requirements": {"cpu": {"guest": 2}, "memory": {"guest": 4294967296}}}),
        preference("b", {"requirements": {"cpu": {"guest": 2}, "memory": {"guest": "4Gi"}}}),
        preference("c", {"requirements": {}}),
    ],
    "vendors": [
        *(preference(name, labels=own(vendor=vendor)) for name, vendor in (("a", "x"), ("b", "house"), ("c", "house"))),
    ],
    "types of KubeVirt's own names": [a_type("u1.medium", 1, "4Gi"), preference("fedora")],
    "expressions that are none": [preference("a", annotations={"x": "{{ name }}", "y": 'a "b"\n{{ 1 }}'})],
    "names that are no file names": [preference("ä b/c"), a_type("ü.x")],
    "two namespaces": [
        a_type("a", namespace="x"), a_type("a", 2, namespace="y"), preference("a", namespace="y"),
        a_type("b", namespace="x", labels={"l": "1"}),
        a_type("b", namespace="y", labels={"l": "2"}, annotations={"n": "3"}),
    ],
    "both scopes, one with less": [a_type("a"), a_type("b"), a_type("a", namespace="default"), preference("a")],
}  # fmt: skip


SHAPES: dict[str, list[dict[str, Any]]] = {
    "classes with a version as a label": [
        sized("m1.a 1 4Gi m a", "1"), sized("m1.b 2 8Gi m b", "1"), sized("gp-v2-a 1 1Gi general a", "v2"),
        sized("n01.a 1 1Gi n a", "01"), sized("3x.a 1 1Gi x a", "3"),
    ],
    "a ratio of kibibytes": [sized("k.a 1 96Ki k a"), sized("k.b 2 192Ki k b")],
    "a ratio of mebibytes": [sized("k.a 1 100Mi k a"), sized("k.b 2 200Mi k b")],
    "no ratio of bytes": [sized("k.a 1 1000 k a"), sized("k.b 2 2k k b")],
    "two ratios of as many sizes": [
        sized("k.a 1 1Gi k a"), sized("k.b 2 2Gi k b"), sized("k.c 1 4Gi k c"), sized("k.d 2 8Gi k d"),
        sized("k.e 3 1Gi k e"),
    ],
    "a ratio that is written otherwise": [sized("k.a 1 1024Mi k a"), sized("k.b 2 2048Mi k b")],
    "limits that are the size itself": [
        a_type(f"m.{size}", 2 * number, f"{number}Gi", cpu={"maxSockets": 2 * number}, mem={"maxGuest": f"{number}Gi"})
        for number, size in ((1, "a"), (2, "b"))
    ],
    "limits that are no multiples": [
        a_type(f"m.{size}", 2 * number, f"{2 * number}Gi", cpu={"maxSockets": 3 * number},
               mem={"maxGuest": f"{3 * number}Gi"})
        for number, size in ((1, "a"), (2, "b"))
    ],
    "limits that are written otherwise": [
        a_type(f"m.{size}", number, f"{number}Gi", mem={"maxGuest": f"{2048 * number}Mi"})
        for number, size in ((1, "a"), (2, "b"))
    ],
    "names without their size": [
        sized("web 1 1Gi w small"), sized("web-big 1 2Gi w large"), sized("tiny 1 3Gi t tiny"), sized("x.y 1 5Gi q z"),
    ],
    "files of one name": [
        sized("m.a 1 1Gi m a"), sized("m.b 1 2Gi x b"), sized("m-c 1 3Gi m c"), a_type("m.d"),
    ],
    "variants of variants": paged("a 1 2Mi", "b 2 2Mi", "ax 1 4Mi", "bx 2 4Mi", "axx 1 1Gi", "bxx 2 1Gi"),
    "one suffix of two variants": paged(
        *("a 1 2Mi", "b 2 2Mi", "c 3 2Mi", "d 4 2Mi", "e 5 2Mi"),
        *("ax 1 4Mi", "bx 2 4Mi", "cx 3 1Gi", "dx 4 1Gi", "ex 5 1Gi"),
    ),
    "a variant of one size alone": paged("a 1 2Mi", "b 2 2Mi", "ax 1 4Mi"),
    "a longer name that is no variant": paged("a 1 2Mi", "b 2 2Mi", "ax 3 4Mi", "bx 4 4Mi"),
    "classes with much in common beside another": [
        *(a_type(f"{series}.a", number, f"{number}Gi", ioThreadsPolicy="auto",
                 cpu={"dedicatedCPUPlacement": True, "isolateEmulatorThread": True, "model": "Haswell"})
          for number, series in ((1, "g"), (2, "h"))),
        a_type("z.a", ioThreadsPolicy="shared"), a_type("y.a", ioThreadsPolicy="auto"),
    ],
    "types and preferences with the same labels": [
        *(a_type(f"{series}.a", labels={"team": "x", "tier": "1"}, annotations={"n": "1", "m": "2"})
          for series in ("g", "h")),
        *(preference(name, labels={"team": "x", "tier": "2", **own(os_type=name)}, annotations={"n": "1"})
          for name in ("linux", "windows")),
    ],
    "components of every section": [
        preference(f"{name}.{number}", spec_of, labels=own(os_type=name))
        for name in ("linux", "windows")
        for number, spec_of in enumerate([
            {"devices": {"preferredDiskBus": "virtio"}},
            {"devices": {"preferredInterfaceModel": "virtio", "preferredDiskBus": "sata"}},
            {"firmware": {"preferredUseBios": True}},
            {"cpu": {"preferredCPUTopology": "threads"}},
            {"preferredTerminationGracePeriodSeconds": 180},
        ])
    ],
    "requirements of every sort": [
        preference("a", {"requirements": {"cpu": {"guest": 2}, "memory": {"guest": "4Gi"}}}),
        preference("b", {"requirements": {"architecture": "amd64", "cpu": {"guest": 4}}, "preferredSubdomain": "x"}),
        preference("c", {"requirements": {"memory": {"guest": "1Gi"}}}),
        preference("c.small", {"requirements": {"cpu": {"guest": 1}}}),
        preference("c.any"),
    ],
    "many preferences of one guest, and a few of another": [
        *(preference(f"rhel.{number}", {"preferredSubdomain": str(number)}, labels=own(os_type="linux"))
          for number in (7, 8, 9, 10)),
        preference("fedora.41", labels=own(os_type="linux")), preference("fedora.42", labels=own(os_type="linux")),
        preference("sun"),
    ],
    "a variant of many preferences": [
        preference(f"{guest}{number}{variant}", {
            "preferredSubdomain": f"{guest}{number}", **({"devices": {"preferredRng": {}}} if variant else {}),
        })
        for guest, numbers in (("rhel.", range(5)), ("rhel.x", range(2)))
        for number in numbers
        for variant in ("", ".dpdk")
        if guest == "rhel." or not variant
    ],
    **{
        f"an architecture, and a variant of {name}": [
            preference("arm", labels=own(arch="arm64")), preference("arm.x", wanted, labels=labels),
        ]
        for name, wanted, labels in [
            ("none", {}, {}),
            ("another", {}, own(arch="s390x")),
            ("another that requires something", {"requirements": {"cpu": {"guest": 2}}}, own(arch="s390x")),
            ("none that requires something", {"requirements": {"cpu": {"guest": 2}}}, {}),
            ("one that it prefers", {"preferredArchitecture": "arm64"}, {}),
            ("one that it requires", {"requirements": {"architecture": "arm64"}}, {}),
        ]
    },
    "an architecture of a variant alone": [preference("arm"), preference("arm.x", labels=own(arch="arm64"))],
    "a size that is required with and without an architecture": [
        preference("arm", {"requirements": {"cpu": {"guest": 2}}}, labels=own(arch="arm64")),
        preference("arm.x", {"requirements": {"cpu": {"guest": 2}}}),
    ],
    "namespaces that are called as environments are": [
        a_type("a"), a_type("a", 2, namespace="cluster"), a_type("a", 3, namespace="namespaced"),
    ],
    "both scopes, alike and of no namespace": [a_type("a"), everywhere(a_type("a")), preference("p"),
                                               everywhere(preference("p"))],
    "both scopes, one of no namespace with others": [
        a_type("a"), everywhere(a_type("a", 2)), preference("p"), everywhere(preference("q")),
    ],
    "types of no namespace beside preferences of one": [
        everywhere(a_type("a")), everywhere(a_type("b")),
        preference("a", namespace="n"), preference("c", namespace="n"),
    ],
    "fields, labels and annotations of a namespace's own": [
        preference("p", {"devices": {"preferredDiskBus": "sata", "preferredRng": {}}}, labels={"a": "1", "b": "2"}),
        preference("p", {"devices": {"preferredDiskBus": "virtio"}}, namespace="n", labels={"a": "3"},
                   annotations={"c": "4"}),
        preference("q"), preference("q", namespace="n"),
    ],
    "deprecated types that say nothing else": [
        a_type("a", labels=own(deprecated="true")),
        a_type("b", labels=own(deprecated="true"), annotations={f"{OWN}sunset": "2027-06-01"}),
        preference("d", labels=own(deprecated="true"), annotations={f"{OWN}replacedBy": "e"}), preference("e"),
    ],
    "a type that says it is not deprecated": [a_type("c", labels=own(deprecated="false"))],
    "versions within names": [
        sized("a1-2-1.x 1 1Gi a x", "1"), sized("b-x 1 1Gi b x", "9"), sized("7.x 1 1Gi c x", "7"),
    ],
    "texts of most": [
        *(preference(name, annotations={f"{OWN}description": "of two", "openshift.io/display-name": "A"})
          for name in ("a.x", "a.y")),
        preference("a.z", annotations={"openshift.io/display-name": "A"}),
        preference("b", annotations={f"{OWN}description": "alone"}, labels=own(os_type="linux")),
    ],
    "names in texts": [
        preference(
            f"os.{version}{variant}",
            annotations={"openshift.io/display-name": f"OS {version}{title}", "tags": f"os.{version},kubevirt"},
        )
        for version in (1, 2, 3)
        for variant, title in (("", ""), (".efi", " with {EFI}" if version == 3 else " with EFI"))
    ],
}  # fmt: skip


def drafted(objects: list[dict[str, Any]], *, relabel: bool) -> list[str]:
    """The files of a catalog, and what it would change, or why it cannot be made."""
    try:
        manifests = read(*objects)
        catalog = draft(manifests, "house", relabel=relabel)
        restated = prove(catalog, manifests, relabel=relabel)
    except ManifestError as error:
        return str(error).splitlines()
    files = [line for path, text in catalog.files.items() for line in (f"# {path}", *text.splitlines())]
    return [*files, *map(str, restated)]


@pytest.mark.parametrize("case", ARM)
def test_an_architecture_is_said_as_the_preference_has_it(case: str, snapshot: SnapshotAssertion) -> None:
    assert drafted([ARM[case]], relabel=False) == snapshot


@pytest.mark.parametrize("relabel", [False, True], ids=["as they are", "relabelled"])
@pytest.mark.parametrize("case", SETS)
def test_sets(case: str, relabel: bool, snapshot: SnapshotAssertion) -> None:
    assert drafted(SETS[case], relabel=relabel) == snapshot


@pytest.mark.parametrize("case", SHAPES)
def test_what_objects_have_in_common_gives_files_their_shape(case: str, snapshot: SnapshotAssertion) -> None:
    assert drafted(SHAPES[case], relabel=False) == snapshot


X, DEEP = "x" * 40, {"a": {"b": {"c": {"d": {"e": {"f": 1}}}}}}


@pytest.mark.parametrize(
    ("data", "opened", "text"),
    [
        ({"a": 1, "b": None, "c": {}, "d": [], "yes": "no"}, (), "a: 1\nb: null\nc: {}\nd: []\n'yes': 'no'\n"),
        ({"k": {"a": f"{X}{X}", "b": "y" * 19}}, (), f"k: {{a: {X}{X}, b: {'y' * 19}}}\n"),
        ({"k": {"a": f"{X}{X}", "b": "y" * 20}}, (), f"k:\n  a: {X}{X}\n  b: {'y' * 20}\n"),
        ({"k": [f"{X}{X}", "y" * 25]}, (), f"k: [{X}{X}, {'y' * 25}]\n"),
        ({"k": [f"{X}{X}", "y" * 26]}, (), f"k:\n  [{X}{X}, {'y' * 26}]\n"),
        ({"k": [f"{X}{X}", "y" * 33]}, (), f"k:\n  [{X}{X}, {'y' * 33}]\n"),
        ({"k": [f"{X}{X}", "y" * 34]}, (), f"k:\n  - {X}{X}\n  - {'y' * 34}\n"),
        ({"k": DEEP}, (), "k: {a: {b: {c: {d: {e: {f: 1}}}}}}\n"),
        ({"k": {"z": DEEP}}, (), "k:\n  z: {a: {b: {c: {d: {e: {f: 1}}}}}}\n"),
        ({"k": [DEEP["a"]]}, (), "k: [{b: {c: {d: {e: {f: 1}}}}}]\n"),
        ({"k": [DEEP]}, (), "k:\n  [{a: {b: {c: {d: {e: {f: 1}}}}}}]\n"),
        ({"k": {"a": "b\nc\n"}}, (), "k:\n  a: |\n    b\n    c\n"),
        ({"k": {"a": "b\n\nc\n"}}, (), "k:\n  a: |\n    b\n\n    c\n"),
        ({"k": {"a": "b\n"}}, (), 'k: {a: "b\\n"}\n'),
        ({"k": {"a": ["b\nc"]}}, (), 'k:\n  a:\n    ["b\\nc"]\n'),
        ({"k": {"a": None, "yes": {"b": 1}}, "l": {"c": 1}}, ("k",), "k:\n  a: {}\n  'yes': {b: 1}\nl: {c: 1}\n"),
        ({"k": {}, "l": 1}, ("k",), "k: {}\nl: 1\n"),
        ({"k": Expression("{{ a }}"), "l": "{a}"}, (), "k: '{{ a }}'\nl: '{a}'\n"),
        ({"k": "{{ a }}"}, (), "k: '{{ \"{{ a }}\" }}'\n"),
        ({"k": ['{% "a" %}\n']}, (), 'k: ["{{ \\"{% \\\\\\"a\\\\\\" %}\\\\n\\" }}"]\n'),
    ],
)  # fmt: skip
def test_a_file_has_an_entry_a_line_as_long_as_that_is_short(
    data: dict[str, Any], opened: tuple[str, ...], text: str
) -> None:
    assert document(data, opened) == text


@pytest.mark.parametrize(
    ("name", "file"),
    [("Rhel.9_x-1", "Rhel.9_x-1"), ("a b/c", "a-b-c"), (".-a-.", "a"), ("ä.b", "b"), ("a²b", "a-b")],
)
def test_a_file_is_named_by_what_file_systems_take(name: str, file: str) -> None:
    assert as_file(name) == file


@pytest.mark.parametrize(
    ("vendors", "vendor"), [([], ""), ([""], ""), (["b", "a"], "a"), (["a", "b", "b"], "b"), (["", "", "c"], "c")]
)
def test_the_vendor_of_most_is_the_catalogs(vendors: list[str], vendor: str) -> None:
    entries = [Entry("preferences", "x", {f"{OWN}vendor": vendor}, {}, {}) for vendor in vendors]
    assert conventions(entries, relabel=True) == (vendor, True)
    assert conventions(entries, relabel=False) == (vendor, False)


@pytest.mark.parametrize(
    ("memory", "text"),
    [
        ({"guest": 1024}, {"guest": "1024"}),
        ({"guest": 1.5}, {"guest": "1.5"}),
        ({"guest": "1Gi"}, {"guest": "1Gi"}),
        ({"guest": None, "maxGuest": 4}, {"maxGuest": 4}),
        ("much", "much"),
    ],
)
def test_amounts_of_memory_are_texts(memory: Any, text: Any) -> None:
    assert with_text_amounts({"memory": memory, "requirements": {"memory": memory}}) == {
        "memory": text,
        "requirements": {"memory": text},
    }


def proved(files: dict[str, str], *objects: dict[str, Any], relabel: bool = False) -> list[str]:
    try:
        return list(map(str, prove(Draft(files, ()), read(*objects), relabel=relabel)))
    except ManifestError as error:
        return str(error).splitlines()


def test_a_catalog_of_other_objects_is_no_proof() -> None:
    files = draft(read(a_type("a"), a_type("b", 2)), "house").files
    kind = "VirtualMachineClusterInstancetype"
    assert proved(files, a_type("b", 4, annotations={"x": "y"}), a_type("c")) == [
        f"{kind}/a: the catalog would have it, too",
        f"{kind}/b: metadata.annotations.x: y could not be kept",
        f"{kind}/b: spec.cpu.guest: 4 would be 2",
        f"{kind}/c: the catalog would not have it",
        "VirtualMachineInstancetype/a: the catalog would have it, too",
        "VirtualMachineInstancetype/b: the catalog would have it, too",
    ]


def test_relabelling_allows_derived_labels_to_differ_and_nothing_else() -> None:
    scopes = (a_type("a"), everywhere(a_type("a")), preference("p"), everywhere(preference("p")))
    files = draft(read(*scopes), "house", relabel=True).files
    assert not [line for line in proved(files, *scopes, relabel=True) if "metadata.labels[instancetype" not in line]
    marked = preference("p", {"annotations": {f"{OWN}cpu": "1"}}, labels={"team": "x"}, annotations={"y": "z"})
    other = [a_type("a"), everywhere(a_type("a")), marked, everywhere(preference("p"))]
    preference_lines = [line for line in proved(files, *other, relabel=True) if "Preference" in line]
    assert preference_lines == [
        "VirtualMachineClusterPreference/p: metadata.annotations.y: z could not be kept",
        "VirtualMachineClusterPreference/p: metadata.labels.team: x could not be kept",
        f"VirtualMachineClusterPreference/p: spec.annotations[{OWN}cpu]: 1 could not be kept",
    ]


def listed(*objects: Any) -> bytes:
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}).encode()


WRONG: dict[str, list[Any]] = {
    "another object of one name": [a_type("a"), a_type("a", 2)],
    "no name": [{**a_type("a"), "metadata": {}}],
    "a label that is none": [a_type("a", labels={"-": "x"})],
    "a spec that is none": [{**a_type("a"), "spec": {"cpu": {"guest": "many"}}}],
    "no vCPU": [a_type("a", 0), a_type("b", -1, namespace="n")],
    "no memory": [a_type("a", 1, "0"), a_type("b", 1, "-1Gi"), a_type("c", 1, 1.5), a_type("d", 1, "1500m")],
    "no kind": [{"apiVersion": "v1", "metadata": {"name": "a"}}],
}


@pytest.mark.parametrize("case", WRONG)
@pytest.mark.parametrize("built", [False, True], ids=["files", "kustomizations"])
def test_objects_that_cannot_be_of_a_catalog(case: str, built: bool, snapshot: SnapshotAssertion) -> None:
    with pytest.raises(ManifestError) as raised:
        collected([] if built else [("x.json", listed(*WRONG[case]))], [("folder", WRONG[case])] if built else [])
    assert str(raised.value).splitlines() == snapshot


def test_objects_of_other_kinds_are_named() -> None:
    config = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "namespace": "n"}}
    files = collected([("x.json", listed(a_type("b"), config))], [])
    built = collected([], [("folder", [a_type("b"), config])])
    assert [manifest["metadata"]["name"] for manifest in files.manifests] == ["b"]
    assert (built.manifests, built.other_names) == (files.manifests, files.other_names)
    assert files.other_names == ["ConfigMap/n/c"]


def test_what_a_cluster_wrote_goes() -> None:
    written = [
        *("uid", "resourceVersion", "generation", "creationTimestamp", "managedFields", "selfLink"),
        *("ownerReferences", "finalizers", "deletionTimestamp", "deletionGracePeriodSeconds"),
    ]
    metadata = {key: "x" for key in written if key not in ("managedFields", "ownerReferences", "finalizers")}
    last = {"kubectl.kubernetes.io/last-applied-configuration": "{}"}
    metadata |= {"managedFields": [], "ownerReferences": [], "finalizers": [], "generation": 1}
    metadata |= {"deletionGracePeriodSeconds": 1, "annotations": last, "labels": {}}
    instancetype = a_type("a")
    instancetype["metadata"] |= {**metadata, "namespace": "n"}
    assert read(instancetype) == read(a_type("a"))
