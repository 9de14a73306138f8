"""What KubeVirt makes of every pair and of all that the form offers beside, so that a page can put a domain together.

For each pair three VMs are expanded. The one that has everything gives the parts; that the domains of the other two
come of these parts is looked at, line by line, for each pair. Where they do not, the pair has its plain VM alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

import msgspec

from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.catalog.model import API_VERSION, CLUSTER_INSTANCETYPE, Manifest
from virtcatalog.check.minimal import required_architecture
from virtcatalog.errors import UnsupportedError
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.conditions import Conditions
from virtcatalog.kubevirt.launcher.elements.diskthreads import bus_of, disk_threads
from virtcatalog.kubevirt.launcher.elements.iothreads import has_iothreads, iothread_counts
from virtcatalog.kubevirt.launcher.launch.ports import LAST_INDEX, free_ports
from virtcatalog.kubevirt.launcher.pci import is_on_pci
from virtcatalog.kubevirt.pipeline import expand
from virtcatalog.kubevirt.pod.amounts import extract
from virtcatalog.kubevirt.result import Result
from virtcatalog.manifests.emit import dump
from virtcatalog.site import probes
from virtcatalog.site.notes import Lines, Notes, Unit
from virtcatalog.site.probes import CLOUD_INIT, DISKS, LINKS, POD_LINK, QEMU, Disk, UnlikeError, hole, in_order

#: The disks of a recipe in their order; a first disk has a boot order.
PARTS: Final = ("image", "claim", "sized", "claim first", "sized first", "cloud")

PORT: Final = '    <controller type="pci" index="{}" model="pcie-root-port"/>'

#: vCPUs and memory of other instance types: preferences can spread such vCPUs, and no type is likely to have both.
_OTHERS: Final = tuple((number, f"{2048 + 61 * number}Mi") for number in (2, 4, 6, 8, 12, 16, 24, 32, 48))


class Numbers(NamedTuple):
    """What depends on how many disks and interfaces there are.

    Free root ports: the index of the first, and how many there are by number of disks, by number of interfaces. IO
    threads: by number of disks how many there are, and behind that the one of each disk on PCI; empty without any.
    """

    first_port: int
    ports: tuple[tuple[int, ...], ...]
    threads: tuple[tuple[int, ...], ...]


class Recipe(NamedTuple):
    """How a pair's domains are put together, and the requests of its Pods; texts have holes.

    Between the four runs come `disks` (see PARTS), ports, and `links`: the pod's, and that of each network. `requests`
    are those of a VM of a claim without a network, with one, and those of a VM of a container image.
    """

    runs: tuple[tuple[Unit, ...], ...]
    disks: tuple[Unit, ...]
    numbers: Numbers
    links: tuple[Unit, ...]
    requests: tuple[str, ...]


class Plain(NamedTuple):
    """The domain and the requests of a pair's plain VM, where those of others do not come of parts."""

    run: tuple[Unit, ...]
    requests: str


class Untold(NamedTuple):
    """Why nothing is told of a pair."""

    why: str


Told = Recipe | Plain | Untold


def compose(recipe: Recipe, disks: Sequence[Disk], links: Sequence[str], *, cloud: bool) -> str:
    """Return the domain of a VM with these disks and interfaces, holes for its name in it, as form.js does."""
    wanted = [(each.kind + " first" * each.first, each.name, each.size) for each in in_order(disks)]
    if cloud:
        wanted.append(("cloud", CLOUD_INIT, 0))
    first, ports, threads = recipe.numbers
    own = threads[len(wanted)] if threads else ()
    drawn = []
    for place, (part, name, size) in enumerate(wanted):
        holes = {
            "disk": name,
            "letter": chr(ord("a") + place),
            "unit": str(place),
            "bytes": str(size),
            "order": str(place + 1),
            "thread": str(own[place + 1]) if len(own) > 1 else "",
        }
        drawn.append(_filled(recipe.disks[PARTS.index(part)].text, holes))
    free = ports[len(wanted)][len(links)]
    last = min(first + free, LAST_INDEX + 1)
    names = (POD_LINK, *LINKS)
    taps = [
        _filled(recipe.links[names.index(name)].text, {"number": str(number)}) for number, name in enumerate(links, 1)
    ]
    before, controllers, between, after = ([unit.text for unit in run] for run in recipe.runs)
    whole = "\n".join(
        (*before, *drawn, *controllers, *map(PORT.format, range(first, last)), *between, *taps, *after, "")
    )
    return _filled(whole, {"qemu": "" if free else QEMU, "threads": str(own[0]) if own else ""})


def _filled(text: str, holes: Mapping[str, str]) -> str:
    for key, value in holes.items():
        text = text.replace(hole(key), value)
    return text


class Cook:
    """Makes the recipes of a catalog's pairs, an instance type at a time; `preferences` are in the site's order."""

    def __init__(self, types: Sequence[Manifest], preferences: Sequence[Manifest], conditions: Conditions) -> None:
        self._cluster = Cluster.under([*types, *preferences], conditions)
        self.made_for = f"KubeVirt {self._cluster.release}, host profile {self._cluster.host}"
        others = [_other(number, memory) for number, memory in _OTHERS]
        lenient = [{**each, "spec": _without_requirements(each["spec"])} for each in preferences]
        cluster = Cluster.under([*others, *lenient], conditions)
        self.names = ("", *(each["metadata"]["name"] for each in preferences))
        self.architectures = ("", *(required_architecture(each["spec"]) for each in preferences))
        # What is made of a pair that fits depends on what the preference says beside its requirements, not on its name.
        specs = (None, *(each["spec"] for each in lenient))
        said = [
            (architecture, msgspec.json.encode(spec, order="deterministic"))
            for architecture, spec in zip(self.architectures, specs, strict=True)
        ]
        self._alike = [said.index(each) for each in said]
        stand_ins = [each["metadata"]["name"] for each in others]
        self._with_others = {
            number: _with_others(stand_ins, self.names[number], self.architectures[number], cluster)
            for number in sorted(set(self._alike))
        }

    def told(self, name: str, fits: Sequence[bool]) -> list[Told | None]:
        """Return the recipe of an instance type without a preference, and with each; None for those that do not fit."""
        alone = [_shown(make(_named(name, ""), ""), self._cluster) for make in (probes.whole, probes.plain)]
        without = None if None in alone else Lines(each for each in alone if each is not None)
        known: dict[int, Told] = {}
        found: list[Told | None] = []
        for number, fit in enumerate((True, *fits)):
            alike = self._alike[number]
            told = known.get(alike) if fit else None
            if fit and told is None:
                told = self._told(name, number, Notes(without, self._with_others[alike]))
                if not isinstance(told, Untold):  # whose words may name the preference
                    known[alike] = told
            found.append(told)
        return found

    def _told(self, name: str, number: int, notes: Notes) -> Told:
        named, architecture = _named(name, self.names[number]), self.architectures[number]
        try:
            plain = expand(probes.plain(named, architecture), self._cluster)
            if not plain.admitted:
                return Untold("; ".join(map(str, plain.reasons)))
            whole, bare = (expand(make(named, architecture), self._cluster) for make in (probes.whole, probes.bare))
            try:
                return _recipe(plain, whole, bare, notes)
            except UnlikeError:
                units = tuple(notes.unit(each) for each in probes.blocks(_domain(plain)))
                return Plain(units, _requests(plain))
        except UnsupportedError as error:
            return Untold(str(error))


def _recipe(plain: Result, whole: Result, bare: Result, notes: Notes) -> Recipe:
    """Put a pair's recipe together; UnlikeError when the domains of the three VMs do not come of it."""
    if not (whole.admitted and bare.admitted):
        raise UnlikeError("a VM of the pair is refused")
    numbers = _numbers(whole)
    domains = [_domain(each) for each in (plain, whole, bare)]
    parts = probes.take_apart(domains[1], numbers.ports[len(probes.ALL) + 1][1 + len(LINKS)])
    units = {
        kind: notes.unit(found, template)
        for kind, (found, template) in {**parts.disks, "image": probes.image_disk(domains[0])}.items()
    }
    recipe = Recipe(
        tuple(tuple(notes.unit(*each) for each in run) for run in parts.runs),
        tuple(units[kind] for kind in PARTS),
        numbers,
        tuple(notes.unit(*each) for each in parts.links),
        _all_requests(plain, whole, bare),
    )
    composed = (
        compose(recipe, (probes.IMAGE,), (POD_LINK,), cloud=False),
        compose(recipe, probes.ALL, (POD_LINK, *LINKS), cloud=True),
        compose(recipe, (probes.CLAIM,), (), cloud=True),
    )
    for one, other in zip(composed, domains, strict=True):
        if one != other:
            raise UnlikeError("a VM of the pair has another domain")
    return recipe


def _numbers(result: Result) -> Numbers:
    domain, vmi = result.domain, result.vmi_object
    assert domain is not None
    assert vmi is not None
    devices, disks = domain.findall("devices/*"), vmi.spec.domain.devices.disks
    fixed = [
        each for each in devices if each.tag not in ("disk", "interface") and each.get("model") != "pcie-root-port"
    ]
    indices = [int(each.get("index", "0")) for each in fixed if each.get("type") == "pci"]
    if len({(bus_of(each), each.dedicated_io_thread) for each in disks}) != 1:
        raise UnlikeError("its disks are of several sorts")
    a_disk = bus_of(disks[0]) == "virtio"
    ports = _ports(vmi, int(domain.findtext("memory", "0")), sum(map(is_on_pci, fixed)), a_disk=a_disk)
    return Numbers(max(indices, default=0) + 1, ports, _threads(vmi, a_disk=a_disk) if has_iothreads(vmi) else ())


def _ports(vmi: VirtualMachineInstance, memory: int, on_pci: int, *, a_disk: bool) -> tuple[tuple[int, ...], ...]:
    return tuple(
        tuple(free_ports(vmi, memory, on_pci + disks * a_disk + links, links) for links in range(2 + len(LINKS)))
        for disks in range(DISKS + 1)
    )


def _threads(vmi: VirtualMachineInstance, *, a_disk: bool) -> tuple[tuple[int, ...], ...]:
    found = []
    for number in range(DISKS + 1):
        disks = vmi.spec.domain.devices.disks[:1] * number
        devices = msgspec.structs.replace(vmi.spec.domain.devices, disks=disks)
        domain = msgspec.structs.replace(vmi.spec.domain, devices=devices)
        other = msgspec.structs.replace(vmi, spec=msgspec.structs.replace(vmi.spec, domain=domain))
        found.append((iothread_counts(other)[0], *(disk_threads(other) if number and a_disk else ())))
    return tuple(found)


def _all_requests(plain: Result, whole: Result, bare: Result) -> tuple[str, ...]:
    """The requests of a claim's VM without and with networks, and of an image's, which has a container more."""
    with_image, with_claim, alone = map(_containers, (plain, whole, bare))
    image = {name: each for name, each in with_image.items() if name not in with_claim}
    if {name: each for name, each in with_image.items() if name in with_claim} != with_claim:
        raise UnlikeError("the Pod's containers depend on its disks")
    return tuple(map(_text, (alone, with_claim, {**alone, **image}, with_image)))


Containers = dict[str, tuple[str, dict[str, Any]]]
"""The containers of a Pod by name: what kind they are (container, init container, one that goes on), and resources."""


def _containers(result: Result) -> Containers:
    pod = result.pod
    if pod is None:
        raise UnlikeError(str(result.pod_error))
    spec = pod["spec"]
    return {
        each["name"]: (each.get("restartPolicy", "") or part, each.get("resources", {}))
        for part in ("containers", "initContainers")
        for each in spec.get(part, ())
    }


def _requests(result: Result) -> str:
    if result.pod is None:
        return f"# {result.pod_error}\n"
    return _text(_containers(result))


def _text(containers: Containers) -> str:
    return _written(msgspec.json.encode(containers))


@lru_cache(maxsize=4096)
def _written(encoded: bytes) -> str:
    containers = msgspec.json.decode(encoded)
    spec: dict[str, list[dict[str, Any]]] = {"containers": [], "initContainers": []}
    for kind, resources in containers.values():
        restarts = {"restartPolicy": kind} if kind == "Always" else {}
        spec["containers" if kind == "containers" else "initContainers"].append({"resources": resources, **restarts})
    return dump({"pod": extract({"spec": spec}), "containers": {name: each for name, (_, each) in containers.items()}})


def _domain(result: Result) -> str:
    return probes.templated(result.domain_xml or "")


def _shown(vm: Manifest, cluster: Cluster) -> str | None:
    """The domain of a VM; None when nobody makes one."""
    try:
        result = expand(vm, cluster)
    except UnsupportedError:
        return None
    return _domain(result) if result.admitted else None


def _with_others(names: Sequence[str], preference: str, architecture: str, cluster: Cluster) -> list[Lines] | None:
    """The domains of a preference with the least and the largest of other instance types; None when it takes no two."""

    def made(name: str) -> Lines | None:
        named = _named(name, preference)
        shown = [_shown(make(named, architecture), cluster) for make in (probes.whole, probes.plain)]
        return None if None in shown else Lines(each for each in shown if each is not None)

    taken = ((name, lines) for name in names if (lines := made(name)))
    least = next(taken, None)
    if least is None:
        return None
    largest = next((lines for name in reversed(names) if name != least[0] and (lines := made(name))), None)
    return [least[1], largest] if largest else None


def _named(instancetype: str, preference: str) -> dict[str, Any]:
    named = {"instancetype": {"name": instancetype}}
    return {**named, "preference": {"name": preference}} if preference else named


def _other(vcpus: int, memory: str) -> Manifest:
    return {
        "apiVersion": API_VERSION,
        "kind": CLUSTER_INSTANCETYPE,
        "metadata": {"name": f"z-{vcpus}"},
        "spec": {"cpu": {"guest": vcpus}, "memory": {"guest": memory}},
    }


def _without_requirements(spec: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in spec.items() if key != "requirements"}
