"""The plain VM of every pair: its libvirt domain, which object each line comes from, and what its Pod requests.

A plain VM has an instance type, a preference or none, a container image to boot from, and the network that it gets by
itself. A line comes from the object without which it is missing or different: the same VM is expanded without its
preference, and with two other instance types in place of its own. A preference is never the source of what every
preference gives.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

import msgspec
from lxml import etree

from virtcatalog.api.kinds import CATALOG_API_VERSION, CLUSTER_INSTANCETYPE
from virtcatalog.ask.template import guest
from virtcatalog.check.minimal import required_architecture
from virtcatalog.errors import UnsupportedError
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.conditions import Conditions
from virtcatalog.kubevirt.identity import firmware_serial, firmware_uuid, legacy_firmware_uuid, owner_uid, vmi_uid
from virtcatalog.kubevirt.pipeline import expand
from virtcatalog.kubevirt.pod.amounts import extract
from virtcatalog.kubevirt.result import Result
from virtcatalog.manifests.emit import dump
from virtcatalog.manifests.identity import Data

NAME: Final = "my-vm"
NAMESPACE: Final = "default"
IMAGE: Final = "quay.io/containerdisks/fedora:latest"

#: What a domain holds of its VM's name.
NAMED: Final = (
    NAME,
    firmware_uuid(NAMESPACE, NAME),
    firmware_serial(NAMESPACE, NAME),
    legacy_firmware_uuid(NAME),
    owner_uid("VirtualMachine", NAMESPACE, NAME),
    vmi_uid(NAMESPACE, NAME),
)

#: vCPUs and memory of other instance types: preferences can spread such vCPUs, and no type is likely to have both.
_OTHERS: Final = tuple((number, f"{2048 + 61 * number}Mi") for number in (2, 4, 6, 8, 12, 16, 24, 32, 48))


Facts = tuple[tuple[str, str], ...]
"""Titles and values, for people."""


class PlainVM(NamedTuple):
    """The domain of a pair's plain VM in blocks, the requests of its Pod as YAML, and what its guest has."""

    blocks: tuple[Block, ...]
    requests: str
    facts: Facts


def plain_vm(instancetype: str, preference: str = "", architecture: str = "") -> Data:
    """Return the plain VM of a pair; its template names the architecture, if the preference requires one."""
    spec: dict[str, Any] = {
        "domain": {"devices": {}},
        "volumes": [{"name": "root", "containerDisk": {"image": IMAGE}}],
    }
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": NAME, "namespace": NAMESPACE},
        "spec": {
            "instancetype": {"name": instancetype},
            **({"preference": {"name": preference}} if preference else {}),
            "runStrategy": "Always",
            "template": {"spec": {**({"architecture": architecture} if architecture else {}), **spec}},
        },
    }


class PlainVMs:
    """Expands the plain VMs of a catalog's pairs, an instance type at a time."""

    def __init__(self, types: Sequence[Data], preferences: Sequence[Data], conditions: Conditions) -> None:
        """`preferences` are in the site's order: the first of all is none."""
        self._cluster = Cluster.under([*types, *preferences], conditions)
        self.conditions = f"KubeVirt {self._cluster.release}, host profile {self._cluster.host}"
        self._names = ("", *(preference["metadata"]["name"] for preference in preferences))
        self.architectures = ("", *(required_architecture(preference["spec"]) for preference in preferences))
        # The domain of a pair that fits depends on what the preference says beside its requirements, not on its name.
        lenient = [
            {**preference, "spec": {key: value for key, value in preference["spec"].items() if key != "requirements"}}
            for preference in preferences
        ]
        specs = (None, *(preference["spec"] for preference in lenient))
        contents = [
            (architecture, msgspec.json.encode(spec, order="deterministic"))
            for architecture, spec in zip(self.architectures, specs, strict=True)
        ]
        self._first_alike = [contents.index(content) for content in contents]
        other_types = [_other(vcpus, memory) for vcpus, memory in _OTHERS]
        cluster = Cluster.under([*other_types, *lenient], conditions)
        self._with_others = {
            number: self._of_other_types([other["metadata"]["name"] for other in other_types], number, cluster)
            for number in set(self._first_alike)
        }

    def of_type(self, name: str, fits: Sequence[bool]) -> list[PlainVM | str | None]:
        """Return the plain VMs of an instance type: without a preference, then with every preference in turn.

        The reason as a text where KubeVirt refuses the VM or virtcatalog does not model it; None for a
        preference that does not fit.
        """
        without = self._lines(name, 0, self._cluster)
        alike: dict[int, PlainVM] = {}
        vms: list[PlainVM | str | None] = []
        for number, fit in enumerate((True, *fits)):
            first = self._first_alike[number]
            if not fit:
                vms.append(None)
                continue
            vm = alike.get(first) or self._expanded(name, number, Sources(without, self._with_others[first], NAMED))
            if isinstance(vm, PlainVM):  # a refusal may name the preference
                alike[first] = vm
            vms.append(vm)
        return vms

    def _expanded(self, name: str, number: int, sources: Sources) -> PlainVM | str:
        try:
            result = self._result(name, number, self._cluster)
        except UnsupportedError as error:
            return str(error)
        if not result.admitted:
            return "; ".join(map(str, result.reasons))
        domain = tuple(map(sources.block, blocks(result.domain_xml or "")))
        return PlainVM(domain, _requests(result), _facts(result))

    def _of_other_types(self, names: Sequence[str], number: int, cluster: Cluster) -> list[DomainLines] | None:
        """The domains of a preference with the smallest and the largest other types; None unless two of them fit."""
        domains = ((name, lines) for name in names if (lines := self._lines(name, number, cluster)))
        least = next(domains, None)
        if least is None:
            return None
        larger = (name for name in reversed(names) if name != least[0])
        largest = next((lines for name in larger if (lines := self._lines(name, number, cluster))), None)
        return [least[1], largest] if largest else None

    def _lines(self, instancetype: str, number: int, cluster: Cluster) -> DomainLines | None:
        """The lines of a pair's domain; None where there is no domain."""
        try:
            result = self._result(instancetype, number, cluster)
        except UnsupportedError:
            return None
        return DomainLines(result.domain_xml or "") if result.admitted else None

    def _result(self, instancetype: str, number: int, cluster: Cluster) -> Result:
        return expand(plain_vm(instancetype, self._names[number], self.architectures[number]), cluster)


def _facts(result: Result) -> Facts:
    """What the guest of an admitted VM has, by its domain and its VMI, and what its Pod requests."""
    domain = etree.fromstring(result.domain_xml or "")
    loader, kind = domain.find("os/loader"), domain.find("os/type")
    firmware = "BIOS" if kind is not None and kind.get("arch") == "x86_64" else ""
    if loader is not None:
        firmware = "UEFI, secure boot" if loader.get("secure") == "yes" else "UEFI"
    facts = {"Firmware": firmware}
    for title, path, name in (("Disk", "devices/disk/target", "bus"), ("Network", "devices/interface/model", "type")):
        element = domain.find(path)
        facts[title] = "" if element is None else element.get(name, "")
    last = ""
    for title, value in guest(result):  # "Up to" is about what stands before it
        last = title if title != "Up to" else last
        facts[last] = f"{facts[last]}, up to {value}" if last in facts else value
    return tuple(facts.items())


def _requests(result: Result) -> str:
    """The requests of a Pod and of its containers; or why there is no Pod."""
    pod = result.pod
    if pod is None:
        return f"# {result.pod_error}\n"
    parts = {part: pod["spec"].get(part, []) for part in ("containers", "initContainers")}
    containers = [*parts["containers"], *parts["initContainers"]]
    return dump(
        {
            "pod": extract({"spec": parts}),
            "containers": {container["name"]: container.get("resources", {}) for container in containers},
        }
    )


def _other(vcpus: int, memory: str) -> Data:
    return {
        "apiVersion": CATALOG_API_VERSION,
        "kind": CLUSTER_INSTANCETYPE,
        "metadata": {"name": f"z-{vcpus}"},
        "spec": {"cpu": {"guest": vcpus}, "memory": {"guest": memory}},
    }


#: Letters of sources, and what a page calls them.
KUBEVIRT, TYPE, PREFERENCE, BOTH, VM, UNKNOWN = "ktpbv-"
SOURCES: Final = {
    TYPE: "type",
    PREFERENCE: "preference",
    BOTH: "type + preference",
    VM: "this VM",
    KUBEVIRT: "KubeVirt",
    UNKNOWN: "not known",
}
_NONE: Final[frozenset[str]] = frozenset()
_CHILDREN, _DEVICES = (re.compile(rf"\n(?={indent}<[a-z!])") for indent in ("  ", "    "))
_OPENING: Final = re.compile(r" *</?[^ />]+")
_OF_VM: Final = ("    <disk ", "    <interface ")


class Block(NamedTuple):
    """Lines of a domain that stand together, and their sources: a letter a line, or one letter for all lines."""

    text: str
    sources: str


def blocks(xml: str) -> list[str]:
    """Split a domain: the children of `<devices>` one by one, those of `<domain>`, and the tags of both."""
    head, _, rest = xml.rstrip("\n").partition("\n  <devices>\n")
    devices, _, tail = rest.partition("\n  </devices>\n")
    halves = [_CHILDREN.split(head), _CHILDREN.split(tail)]
    return [*halves[0], "  <devices>", *_DEVICES.split(devices), "  </devices>", *halves[1]]


class DomainLines:
    """The lines of a domain, by the element in which they stand."""

    def __init__(self, xml: str) -> None:
        self._blocks = set(blocks(xml))
        self._lines = {(_opening(block), line) for block in self._blocks for line in block.split("\n")}

    def missing(self, block: str) -> frozenset[str]:
        """Return the lines of a block that are nowhere here in such an element."""
        if block in self._blocks:
            return _NONE
        opening = _opening(block)
        return frozenset(line for line in block.split("\n") if (opening, line) not in self._lines)


class Sources:
    """Finds the sources of one pair's lines."""

    def __init__(
        self,
        without_preference: DomainLines | None,
        with_other_types: Sequence[DomainLines] | None,
        names: tuple[str, ...] = (),
    ) -> None:
        """None stands for a missing domain; `names` are the texts that follow from the VM's name."""
        self._without, self._others, self._names = without_preference, with_other_types, names

    def block(self, text: str) -> Block:
        """Return a block with the sources of its lines."""
        if self._without is None or self._others is None:
            return Block(text, UNKNOWN)
        of_preference = self._without.missing(text)
        of_type = _NONE.union(*(lines.missing(text) for lines in self._others))
        return _block(text, of_preference, of_type, self._names)


@lru_cache(maxsize=16384)
def _block(text: str, of_preference: frozenset[str], of_type: frozenset[str], names: tuple[str, ...]) -> Block:
    own = VM if text.startswith(_OF_VM) else KUBEVIRT
    letters: list[str] = []
    opened: dict[int, str] = {}
    for line in text.split("\n"):
        depth = len(line) - len(line.lstrip(" "))
        if line.startswith("</", depth):
            letters.append(opened.get(depth, own))
            continue
        if line in of_type:
            letter = BOTH if line in of_preference else TYPE
        elif line in of_preference:
            letter = PREFERENCE
        else:
            letter = VM if any(text in line for text in names) else own
        opened[depth] = letter
        letters.append(letter)
    return Block(text, letters[0] if len(set(letters)) == 1 else "".join(letters))


def _opening(block: str) -> str:
    """The indent and the tag of the block's element."""
    opening = _OPENING.match(block)
    assert opening is not None
    return str(opening[0])
