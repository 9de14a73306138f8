"""The plain VM of every pair: its libvirt domain, the sources of its lines, and what its Pod requests.

A plain VM has an instance type, a preference or none, a container image to boot from, and the network that it gets by
itself. A preference is never the source of what every preference gives: see `sources.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from virtcatalog.api.kinds import CLUSTER_INSTANCETYPE
from virtcatalog.catalog.kinds import API_VERSION, Manifest
from virtcatalog.check.minimal import required_architecture
from virtcatalog.errors import UnsupportedError
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.conditions import Conditions
from virtcatalog.kubevirt.identity import firmware_serial, firmware_uuid, legacy_firmware_uuid, owner_uid, vmi_uid
from virtcatalog.kubevirt.pipeline import expand
from virtcatalog.kubevirt.pod.amounts import extract
from virtcatalog.kubevirt.result import Result
from virtcatalog.manifests.emit import dump
from virtcatalog.site.sources import Block, Lines, Sources, blocks

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


class PlainVM(NamedTuple):
    """The domain of a pair's plain VM in blocks, and the requests of its Pod as YAML."""

    blocks: tuple[Block, ...]
    requests: str


def plain_vm(instancetype: str, preference: str = "", architecture: str = "") -> Manifest:
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

    def __init__(self, types: Sequence[Manifest], preferences: Sequence[Manifest], conditions: Conditions) -> None:
        """`preferences` are in the site's order: the first of all is none."""
        self._cluster = Cluster.under([*types, *preferences], conditions)
        self.conditions = f"KubeVirt {self._cluster.release}, host profile {self._cluster.host}"
        self._names = ("", *(preference["metadata"]["name"] for preference in preferences))
        self.architectures = ("", *(required_architecture(preference["spec"]) for preference in preferences))
        # The domain of a pair that fits depends on what the preference says beside its requirements, not on its name.
        lenient = [{**preference, "spec": _without_requirements(preference["spec"])} for preference in preferences]
        specs = (None, *(preference["spec"] for preference in lenient))
        contents = [
            (architecture, msgspec.json.encode(spec, order="deterministic"))
            for architecture, spec in zip(self.architectures, specs, strict=True)
        ]
        self._first_alike = [contents.index(content) for content in contents]
        others = [_other(vcpus, memory) for vcpus, memory in _OTHERS]
        cluster = Cluster.under([*others, *lenient], conditions)
        self._with_others = {
            number: self._of_other_types([other["metadata"]["name"] for other in others], number, cluster)
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
        return PlainVM(tuple(map(sources.block, blocks(result.domain_xml or ""))), _requests(result))

    def _of_other_types(self, names: Sequence[str], number: int, cluster: Cluster) -> list[Lines] | None:
        """The domains of a preference with the smallest and the largest other types; None unless two of them fit."""
        domains = ((name, lines) for name in names if (lines := self._lines(name, number, cluster)))
        least = next(domains, None)
        if least is None:
            return None
        larger = (name for name in reversed(names) if name != least[0])
        largest = next((lines for name in larger if (lines := self._lines(name, number, cluster))), None)
        return [least[1], largest] if largest else None

    def _lines(self, instancetype: str, number: int, cluster: Cluster) -> Lines | None:
        """The lines of a pair's domain; None where there is no domain."""
        try:
            result = self._result(instancetype, number, cluster)
        except UnsupportedError:
            return None
        return Lines(result.domain_xml or "") if result.admitted else None

    def _result(self, instancetype: str, number: int, cluster: Cluster) -> Result:
        return expand(plain_vm(instancetype, self._names[number], self.architectures[number]), cluster)


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


def _other(vcpus: int, memory: str) -> Manifest:
    return {
        "apiVersion": API_VERSION,
        "kind": CLUSTER_INSTANCETYPE,
        "metadata": {"name": f"z-{vcpus}"},
        "spec": {"cpu": {"guest": vcpus}, "memory": {"guest": memory}},
    }


def _without_requirements(spec: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in spec.items() if key != "requirements"}
