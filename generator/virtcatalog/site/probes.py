"""VMs that have everything the form offers, and their domains taken apart: what is fixed, and what each choice adds.

A VM of the form has a root disk, further disks, perhaps cloud-init's, and interfaces. What a pair of instance type and
preference makes of each is read off the domain of one VM that has them all. `HOLE` encloses the name of what is
another text in each VM, such as its name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple
from uuid import uuid5

from virtcatalog.errors import VirtcatalogError
from virtcatalog.kubevirt.identity import named_by
from virtcatalog.kubevirt.launcher.elements.qemu import NAMESPACE as NAMESPACE_OF_QEMU
from virtcatalog.kubevirt.launcher.elements.qemu import NAMESPACE_ATTRIBUTE

NAMESPACE: Final = "default"
HOLE: Final = "\x01"
"""No XML has it: control characters are written as entities."""

ROOT: Final = "root"
CLOUD_INIT: Final = "cloudinitdisk"
POD_LINK: Final = "default"
LINKS: Final = ("net1", "net2", "net3", "net4")
"""How the form calls the networks of Multus, of which it takes so many."""

DISKS: Final = 8
"""How many disks a VM of the form may have, cloud-init's among them."""

Block = str
"""The lines of an element that is a child of `<domain>` or `<devices>`, as the domain has them."""

#: What the first line of a domain has where no free ports are added.
QEMU: Final = f' {NAMESPACE_ATTRIBUTE}="{NAMESPACE_OF_QEMU}"'

_VM = "z-the-vm"
_GIB = 2**30
_SIZE = 77
_CHILDREN, _DEVICES = (re.compile(rf"\n(?={indent}<[a-z!])") for indent in ("  ", "    "))
_IN_DISK = re.compile(
    r'<target dev="(?P<prefix>[a-z]d)(?P<letter>[a-z])"|<address [^>]* unit="(?P<unit>[0-9]+)"'
    r'|<boot order="(?P<order>[0-9]+)"| iothread="(?P<thread>[0-9]+)"'
)
_THREADS = re.compile("<iothreads>[0-9]+<")
_MAC = re.compile('(?<=:)([0-9a-f]{2})"/>')


Part = tuple[Block, Block]


class UnlikeError(VirtcatalogError):
    """A domain is made in a way in which it cannot be put together from parts."""


class Disk(NamedTuple):
    """A disk of the form: its kind, the name of its volume, its size in bytes, and whether it has a boot order.

    Kinds are `image` (a container image), `claim` (one whose size nobody says), and `sized` (one made with a size).
    """

    kind: str
    name: str
    size: int = 0
    first: bool = False


class Parts(NamedTuple):
    """A domain without disks, free ports and interfaces, in four runs between which these stand, and the parts.

    `disks` are by kind, with " first" behind it for one with a boot order, and "cloud" for cloud-init's; `links` are
    those of the pod and of LINKS. Each is there as it was found, and with holes for what depends on other choices.
    """

    runs: tuple[tuple[Part, ...], ...]
    disks: dict[str, Part]
    links: tuple[Part, ...]


def hole(name: str) -> str:
    """Return what stands for a text of that name."""
    return f"{HOLE}{name}{HOLE}"


#: The texts of the VM of a probe, and what stands for them.
_OWN: Final = {
    **{str(uuid5(space, start + _VM)): hole(what) for what, (space, start) in named_by(NAMESPACE).items()},
    _VM: hole("name"),
}

#: The disks of the VM that has all kinds; virtctl orders volumes in this way.
ALL: Final = (
    Disk("claim", "z-disk-a"),
    Disk("claim", "z-disk-b", first=True),
    Disk("sized", "z-disk-c", _SIZE * _GIB),
    Disk("sized", "z-disk-d", _SIZE * _GIB, first=True),
)
IMAGE, CLAIM = Disk("image", ROOT), Disk("claim", ROOT)


def vm(
    named: dict[str, Any], architecture: str, disks: Sequence[Disk], links: Sequence[str] | None, *, cloud: bool
) -> dict[str, Any]:
    """Return a VM with these disks, of which those come first in the domain that have a boot order; no links: default.

    `named` is the VM's instance type and preference.
    """
    volumes: list[dict[str, Any]] = []
    templates: list[dict[str, Any]] = []
    for each in disks:
        if each.kind == "image":
            volumes.append({"name": each.name, "containerDisk": {"image": "example.org/guest:1"}})
        elif each.kind == "claim":
            volumes.append({"name": each.name, "persistentVolumeClaim": {"claimName": each.name}})
        else:
            storage = {"resources": {"requests": {"storage": str(each.size)}}}
            templates.append({"metadata": {"name": each.name}, "spec": {"source": {"blank": {}}, "storage": storage}})
            volumes.append({"name": each.name, "dataVolume": {"name": each.name}})
    if cloud:
        volumes.append({"name": CLOUD_INIT, "cloudInitNoCloud": {"userData": "#cloud-config"}})
    ordered = [each.name for each in disks if each.first]
    devices: dict[str, Any] = {}
    if ordered:
        devices["disks"] = [{"name": name, "bootOrder": place} for place, name in enumerate(ordered, 1)]
    spec: dict[str, Any] = {"domain": {"devices": devices}, "volumes": volumes}
    if architecture:
        spec["architecture"] = architecture
    if links is not None:
        spec["networks"] = [_network(name) for name in links]
        devices["interfaces"] = [{"name": name, "masquerade" if name == POD_LINK else "bridge": {}} for name in links]
        if not links:
            devices["autoattachPodInterface"] = False
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": _VM, "namespace": NAMESPACE},
        "spec": {
            **named,
            "runStrategy": "Always",
            **({"dataVolumeTemplates": templates} if templates else {}),
            "template": {"spec": spec},
        },
    }


def whole(named: dict[str, Any], architecture: str) -> dict[str, Any]:
    """Return the VM that has everything, as `take_apart` reads its domain."""
    return vm(named, architecture, ALL, (POD_LINK, *LINKS), cloud=True)


def plain(named: dict[str, Any], architecture: str) -> dict[str, Any]:
    """Return the VM of which the form tells at first: a container image, and the network that it gets by itself."""
    return vm(named, architecture, (IMAGE,), None, cloud=False)


def bare(named: dict[str, Any], architecture: str) -> dict[str, Any]:
    """Return a VM of little but a claim and cloud-init, without any network."""
    return vm(named, architecture, (CLAIM,), (), cloud=True)


def _network(name: str) -> dict[str, Any]:
    return {"name": name, **({"pod": {}} if name == POD_LINK else {"multus": {"networkName": name}})}


def templated(xml: str) -> str:
    """Return a domain of a probe with holes for the texts that only its VM has."""
    for text, stands in _OWN.items():
        xml = xml.replace(text, stands)
    return xml


def blocks(xml: str) -> list[Block]:
    """Split a domain: the children of `<devices>` each for themselves, those of `<domain>`, and the tags of both."""
    head, _, rest = xml.rstrip("\n").partition("\n  <devices>\n")
    devices, _, tail = rest.partition("\n  </devices>\n")
    around = [_CHILDREN.split(head), _CHILDREN.split(tail)]
    return [*around[0], "  <devices>", *_DEVICES.split(devices), "  </devices>", *around[1]]


def take_apart(xml: str, ports: int) -> Parts:
    """Return the parts of the domain of `whole`, which has so many free root ports; holes are in it already.

    UnlikeError when it has other disks or interfaces than the VM was given, or another order.
    """
    runs: list[list[Part]] = [[]]
    disks: list[Block] = []
    links: list[Block] = []
    found = blocks(xml)
    controllers = [place for place, each in enumerate(found) if each.startswith("    <controller ")]
    free = controllers[len(controllers) - ports :]
    after = controllers[-1] if controllers else -1
    for place, each in enumerate(found):
        if each.startswith("    <disk "):
            if not disks:
                runs.append([])
            disks.append(each)
        elif each.startswith("    <interface "):
            if not links:
                runs.append([])
            links.append(each)
        elif place not in free:
            runs[-1].append((each, _fixed(each)))
        if place == after:
            runs.append([])
    kinds = {each.kind + " first" * each.first: each for each in in_order(ALL)} | {"cloud": Disk("cloud", CLOUD_INIT)}
    if len(runs) != 4 or len(disks) != len(kinds) or len(links) != 1 + len(LINKS):
        raise UnlikeError("its disks, controllers and interfaces are others than the VM's, or in another order")
    return Parts(
        tuple(map(tuple, runs)),
        {
            kind: (found, _disk(found, place, disk))
            for place, ((kind, disk), found) in enumerate(zip(kinds.items(), disks, strict=True))
        },
        tuple((found, _link(found, number)) for number, found in enumerate(links, 1)),
    )


@lru_cache(maxsize=4096)
def _fixed(text: str) -> str:
    if text.startswith("<domain ") and QEMU not in text:
        return text.replace(">", hole("qemu") + ">")
    return _THREADS.sub(f"<iothreads>{hole('threads')}<", text)


def in_order(disks: Iterable[Disk]) -> list[Disk]:
    """Return disks as a domain has them: those with a boot order are written in the VM's list, and come first."""
    return sorted(disks, key=lambda each: not each.first)


def image_disk(xml: str) -> Part:
    """Return the root disk of the domain of `plain`."""
    found = [each for each in blocks(xml) if each.startswith("    <disk ")]
    if len(found) != 1:
        raise UnlikeError("a VM of one volume has not one disk")
    return found[0], _disk(found[0], 0, IMAGE)


@lru_cache(maxsize=4096)
def _disk(text: str, place: int, disk: Disk) -> str:
    def another(match: re.Match[str]) -> str:
        whole = match[0]
        if match["letter"] is not None:
            _same(match["letter"], chr(ord("a") + place))
            return f'<target dev="{match["prefix"]}{hole("letter")}"'
        name = str(match.lastgroup)
        if name == "unit":
            _same(match["unit"], str(place))
        start = match.start(name) - match.start()
        return whole[:start] + hole(name) + whole[start + len(match[name]) :]

    text = _IN_DISK.sub(another, text)
    if disk.kind == "sized":
        text = text.replace(str(disk.size), hole("bytes"))
    return text.replace(disk.name, hole("disk"))


@lru_cache(maxsize=4096)
def _link(text: str, number: int) -> str:
    def another(match: re.Match[str]) -> str:
        _same(match[1], f"{number:02x}")
        return f'0{hole("number")}"/>'

    return _MAC.sub(another, text, count=1)


def _same(found: str, wanted: str) -> None:
    if found != wanted:
        raise UnlikeError(f"a part of it is numbered {found}, not {wanted}")
