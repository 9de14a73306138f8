"""A whole site, page by page: of prices, of a past, of a fleet, of environments and of templates.

`pytest --snapshot-update` writes what has changed; look at that diff as a reader of the site would.
"""

from __future__ import annotations

import json
import re

import pytest
from offering import TEMPLATES
from syrupy.assertion import SnapshotAssertion

from virtcatalog import load_catalog
from virtcatalog.publish.environments import environments_now, objects_now
from virtcatalog.publish.releases import Release
from virtcatalog.publish.rendered import Event
from virtcatalog.site.changes import History
from virtcatalog.site.facts import preference_rows
from virtcatalog.site.pages import render
from virtcatalog.site.usage import Fleet

FILES = {
    "catalog.yaml": "name: house\nvendor: house.example.org\nkubevirt: v1.9.0\n",
    "overlays.yaml": """\
lab: {select: {names: ['m.*', linux-9, linux-9-arm]}}
production: {namespaces: [shop], clusters: [east], scope: namespaced, namespace: shop}
preview: {kubevirt: main}
""",
    "prices.yaml": """\
currency: EUR
perHour: {cpu: 0.0125, memory: 0.0031, example.org/gpu: 0.5}
environments: {lab: {cpu: 0.1}}
licences: [{osType: windows, cpu: 0.02}, {preferences: [linux-9], vm: 0.5}]
""",
    "instancetypes/m.yaml": """\
class: m
displayName: General purpose
description: For most VMs.
memoryPerVcpu: 4Gi
sizes:
  small: {vcpus: 1}
  large: {vcpus: 4, deprecated: {replacedBy: m.small, sunset: 2027-01-01}}
  huge: {vcpus: 16, deprecated: {}}
""",
    "instancetypes/g.yaml": """\
class: g
memoryPerVcpu: 8Gi
spec:
  gpus: [{name: gpu, deviceName: example.org/gpu}]
  cpu: {dedicatedCPUPlacement: true}
  memory: {hugepages: {pageSize: 2Mi}}
sizes: {big: {vcpus: 4}}
""",
    "instancetypes/r.yaml": "class: r\nmemoryPerVcpu: 4Gi\nsizes: {small: {vcpus: 1}}\n",
    "preferences/all.yaml": """\
preferences:
  linux-9:
    displayName: House Linux 9
    osType: linux
    spec:
      devices:
        preferredDiskBus: virtio
        preferredCdromBus: sata
        preferredInterfaceModel: virtio
        preferredVideoType: vga
        preferredSoundModel: ich9
        preferredRng: {}
      firmware: {preferredEfi: {secureBoot: false}}
  linux-9-arm:
    displayName: House Linux 9 (arm64)
    spec: {preferredArchitecture: arm64}
  linux-9-desktop:
    displayName: House Linux 9 Desktop Guest
    requirements: {vcpus: 2, memory: 4Gi}
    spec: {firmware: {preferredUseEfi: true}}
  linux-10:
    displayName: House Linux 10
    spec: {firmware: {preferredUseEfi: true, preferredUseSecureBoot: false}}
  windows:
    displayName: Windows Server (virtio)
    description: With its licence.
    osType: windows
    deprecated: {sunset: 2027-06-01}
    spec: {firmware: {preferredEfi: {}}, devices: {preferredTPM: {}}}
  old.bios:
    requirements: {memory: 1Gi}
    deprecated: {replacedBy: linux-9}
    spec: {firmware: {preferredUseBios: true}}
""",
    "templates/linux.yaml": TEMPLATES,
    "vms.yaml": "web.yaml.j2: {parameters: {size: m.small}, environments: {lab: {}, production: {size: r.small}}}\n",
    "vms/web.yaml.j2": """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web, namespace: shop}
spec:
  runStrategy: Always
  instancetype: {name: "{{ size }}"}
  preference: {name: linux-9-desktop}
  template: {spec: {domain: {devices: {}}}}
""",
}
BEFORE = {
    "catalog.yaml": FILES["catalog.yaml"],
    "overlays.yaml": "lab: {select: {names: ['m.*']}}\nold: {}\n",
    "instancetypes/m.yaml": """\
class: m
memoryPerVcpu: 2Gi
sizes:
  small: {vcpus: 1}
  large: {vcpus: 4}
  tiny: {vcpus: 1, memory: 1Gi, deprecated: {replacedBy: m.small, sunset: 2026-01-01}}
""",
    "preferences/all.yaml": """\
preferences:
  windows: {requirements: {vcpus: 2, memory: 4Gi}}
  gone: {}
""",
}


def catalog(files: dict[str, str]):
    return load_catalog("catalog", {path: text.encode() for path, text in files.items()})


def release(name: str, date: str, commit: str, files: dict[str, str]) -> Release:
    loaded = catalog(files)
    return Release(
        name=name, date=date, commit=commit, objects=objects_now(loaded), environments=environments_now(loaded)
    )


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    loaded = catalog(FILES)
    event = Event(
        date="2026-02-01", commit="b" * 40, subject="Larger", what="changed", fields=("memory.guest: 2Gi → 4Gi",)
    )
    past = History(
        releases=(
            release("v1.0.0", "2026-01-01", "a" * 40, BEFORE),
            release("v1.1 (b)", "2026-02-01", "b" * 40, FILES),
        ),
        events={("instancetypes", "m.small"): (event,)},
        omissions=("v0.9 is left out: it cannot be read.",),
        event_omission="Of older commits nothing is known.",
    )
    fleet = Fleet(loaded)
    for name, namespace in (("a", "shop"), ("b", "shop"), ("c", "desk")):
        spec = {"instancetype": {"name": "m.small"}, "preference": {"name": "windows"}}
        metadata = {"name": name, "namespace": namespace}
        fleet.add({"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": metadata, "spec": spec}, "")
    return render(loaded, past=past, fleet=fleet)


PAGES = (
    *("changes.atom", "changes.html", "chart.html", "compare.html", "deprecated.ics", "domain.html"),
    *("environments.html", "fields.html", "form.html", "index.html", "matrix.html"),
    *("preferences.html", "search.js", "templates.html", "types/g.big.html", "types/m.small.html"),
    *("types/m.large.html", "preferences/linux-9.html", "preferences/linux-9-desktop.html"),
    *("preferences/windows.html", "preferences/old.bios.html"),
    *("templates/alpine-server-small.html", "vms/web.html", "domains/g.big.js"),
)


def body(page: str) -> str:
    """Return what a page alone has: the head and the foot are those of every other."""
    match = re.search(r"<main.*?>(.*)</main>", page, re.DOTALL)
    lines = (match[1] if match else page).splitlines()
    return "\n".join(line.rstrip() for line in lines if line.strip())


@pytest.mark.parametrize("path", PAGES)
def test_each_page(pages: dict[str, str], path: str, snapshot: SnapshotAssertion) -> None:
    assert body(pages[path]) == snapshot


def test_the_head_and_the_foot_of_a_page(pages: dict[str, str], snapshot: SnapshotAssertion) -> None:
    head, _, rest = pages["types/m.small.html"].partition("<main")
    foot = rest.partition("</main>")[2]
    assert re.sub(r"virtcatalog \d[\w.+]*", "virtcatalog VERSION", f"{head}…{foot}") == snapshot


@pytest.mark.parametrize(
    ("firmware", "words"),
    [
        ({}, ""),
        ({"preferredUseBios": True}, "BIOS"),
        ({"preferredUseBios": False}, ""),
        ({"preferredEfi": {}}, "UEFI, secure boot"),
        ({"preferredEfi": {"secureBoot": True}}, "UEFI, secure boot"),
        ({"preferredEfi": {"secureBoot": False}}, "UEFI"),
        ({"preferredEfi": {}, "preferredUseSecureBoot": False}, "UEFI, secure boot"),
        ({"preferredUseEfi": True}, "UEFI, secure boot"),
        ({"preferredUseEfi": True, "preferredUseSecureBoot": True}, "UEFI, secure boot"),
        ({"preferredUseEfi": True, "preferredUseSecureBoot": False}, "UEFI"),
        ({"preferredUseEfi": False, "preferredUseSecureBoot": True}, ""),
        ({"preferredUseBios": True, "preferredEfi": {}}, "BIOS"),
        ({"preferredUseBios": True, "preferredUseEfi": True}, "BIOS"),
    ],
)
def test_the_firmware_is_the_one_that_kubevirt_applies(firmware: dict[str, object], words: str) -> None:
    entry = {"p": {"spec": {"firmware": firmware}}}
    files = {"catalog.yaml": FILES["catalog.yaml"], "preferences/p.yaml": json.dumps({"preferences": entry})}
    (row,) = preference_rows(catalog(files))
    assert (row.firmware, row.licence) == (words, "")


@pytest.mark.parametrize(
    ("title", "family", "version"),
    [
        ("Red Hat Enterprise Linux 9 Desktop (amd64)", "Red Hat Enterprise Linux", "9 Desktop"),
        ("Red Hat Enterprise Linux 9 (s390x)", "Red Hat Enterprise Linux", "9"),
        ("Red Hat Enterprise Linux 9 (riscv64)", "Red Hat Enterprise Linux", "9 (riscv64)"),
        ("Fedora (arm64)", "Fedora", ""),
        ("Windows Server 2025 Guest", "Windows Server", "2025"),
        ("Microsoft Windows XP", "Microsoft Windows", "XP"),
        ("Linux (transitional)", "Linux", "transitional"),
        ("Alpine Guest", "Alpine", ""),
        ("Virtio Linux", "Virtio Linux", ""),
        ("centos.stream9_dpdk", "centos", "stream9 dpdk"),
        ("opensuse-leap", "opensuse leap", ""),
        ("9front", "9front", ""),
    ],
)
def test_the_family_of_a_title(title: str, family: str, version: str) -> None:
    entry = {"p": {"displayName": title}}
    files = {"catalog.yaml": FILES["catalog.yaml"], "preferences/p.yaml": json.dumps({"preferences": entry})}
    (row,) = preference_rows(catalog(files))
    assert (row.family, row.version) == (family, version)
