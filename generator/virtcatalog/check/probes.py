"""Instance types and preferences on their own: each is expanded with a VM that has nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from functools import partial
from typing import Any

from msgspec.structs import replace

from virtcatalog.api.decode import convert
from virtcatalog.api.findings import Path, field_path
from virtcatalog.api.instancetype import VirtualMachineInstancetypeSpec, VirtualMachinePreferenceSpec
from virtcatalog.api.quantity import Quantity
from virtcatalog.check.finding import Finding, Rule
from virtcatalog.check.minimal import host_of, lone_vm
from virtcatalog.check.subject import Inventory, Subject
from virtcatalog.errors import Reason, UnsupportedError
from virtcatalog.fleet.inputs import encoded
from virtcatalog.kubevirt.admission.instancetypes import validate_instancetype, validate_preference
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.pipeline import create_vmi, expand
from virtcatalog.kubevirt.result import Result
from virtcatalog.manifests.fields import get
from virtcatalog.manifests.identity import Data

HUGEPAGES = Rule(
    "hugepages",
    "error",
    "The memory of an instance type is not a whole number of its huge pages, or the page size is none.",
    "KubeVirt refuses every VM of the instance type.",
    "Let the page size divide the memory: 2Mi pages suit nearly all sizes, 1Gi pages whole gibibytes.",
)
PAGE_SIZE = Rule(
    "huge-page-size",
    "warning",
    "No processor that KubeVirt runs on has huge pages of this size.",
    "No node offers them: VMs of the instance type never start.",
    "Use 2Mi or 1Gi on amd64; 64Ki, 2Mi, 32Mi, 512Mi, 1Gi or 16Gi on arm64; 1Mi or 2Gi on s390x.",
)
PLACEMENT = Rule(
    "cpu-placement",
    "error",
    "An instance type combines dedicated CPUs, NUMA, real time and the emulator's thread in a way KubeVirt refuses.",
    "KubeVirt refuses every VM of the instance type: real time needs NUMA passthrough, that needs huge pages and "
    "dedicated CPUs, and an isolated emulator thread needs dedicated CPUs.",
    "Add what the finding says is needed, or leave out what needs it.",
)
OVERCOMMIT = Rule(
    "overcommit-dedicated-cpus",
    "error",
    "An instance type overcommits memory and has dedicated CPUs.",
    "With dedicated CPUs the pod's memory limit equals its request, and overcommit lowers the request below the "
    "guest's memory: the VM is killed once the guest uses what it was given.",
    "Leave out `spec.memory.overcommitPercent` or `spec.cpu.dedicatedCPUPlacement`.",
)
TYPE_REFUSED = Rule(
    "instancetype-refused",
    "error",
    "KubeVirt refuses a VM that has nothing but this instance type.",
    "Nobody can use the instance type.",
    "Change what the finding names. What depends on a feature gate is judged by the release's defaults unless "
    "a KubeVirt CR is given with `-f`.",
)
PREFERENCE_REFUSED = Rule(
    "preference-refused",
    "error",
    "KubeVirt refuses a VM that has nothing but this preference and what it requires.",
    "Nobody can use the preference: Secure Boot without System Management Mode is an example.",
    "Change the preferences that lead to the refused field. What depends on a feature gate is judged by the release's "
    "defaults unless a KubeVirt CR is given with `-f`.",
)
RULES = (HUGEPAGES, PAGE_SIZE, PLACEMENT, OVERCOMMIT, TYPE_REFUSED, PREFERENCE_REFUSED)

#: What Linux has on each architecture (its hugetlbpage documentation; arm64 by the size of its small pages).
_PAGE_SIZES = frozenset(map(Quantity.parse, ("64Ki", "1Mi", "2Mi", "32Mi", "512Mi", "1Gi", "2Gi", "16Gi")))

#: Fields of a VMI's domain, the field of the instance type that they come from, and the rule that it breaks.
_ORIGINS: tuple[tuple[str, str, Rule], ...] = (
    ("memory.hugepages", "spec.memory.hugepages.pageSize", HUGEPAGES),
    ("cpu.numa", "spec.cpu.numa", PLACEMENT),
    ("cpu.realtime", "spec.cpu.realtime", PLACEMENT),
    ("cpu.isolateEmulatorThread", "spec.cpu.isolateEmulatorThread", PLACEMENT),
    ("cpu.dedicatedCpuPlacement", "spec.cpu.dedicatedCPUPlacement", PLACEMENT),
    ("cpu.maxSockets", "spec.cpu.maxSockets", TYPE_REFUSED),
    ("cpu.sockets", "spec.cpu.maxSockets", TYPE_REFUSED),
    ("memory.maxGuest", "spec.memory.maxGuest", TYPE_REFUSED),
    ("memory", "spec.memory.guest", TYPE_REFUSED),
    ("resources.requests.memory", "spec.memory.guest", TYPE_REFUSED),
    ("launchSecurity", "spec.launchSecurity", TYPE_REFUSED),
    ("devices.gpus", "spec.gpus", TYPE_REFUSED),
    ("devices.hostDevices", "spec.hostDevices", TYPE_REFUSED),
    ("ioThreadsPolicy", "spec.ioThreadsPolicy", TYPE_REFUSED),
    ("ioThreads", "spec.ioThreads", TYPE_REFUSED),
)


def check(inventory: Inventory) -> Iterator[Finding]:
    """Expand a VM for every instance type and every preference; a patched object where it differs from its base."""
    keys: set[tuple[str, str, str]] = set()
    for scope in _scopes(inventory.objects):
        hosts = [host_of(subject).manifest for subject in scope if subject.is_preference]
        environment = scope[0].environment
        configurations = inventory.configurations(environment)
        cluster = inventory.cluster([*(subject.manifest for subject in scope), *hosts, *configurations], environment)
        cluster_of = partial(_cluster_of, inventory, environment)
        sound: set[bytes] = set()
        for subject in scope:
            is_type = subject.is_instancetype
            same = encoded([is_type, subject.spec])
            if same in sound:
                continue
            findings = [*(_instancetype(subject, cluster) if is_type else _preference(subject, cluster, cluster_of))]
            if not findings:  # else they may name the object
                sound.add(same)
            for finding in findings:
                key = (subject.name, finding.field, finding.rule)
                if key not in keys or subject.origin == "import":
                    keys.add(key)
                    yield finding


def _cluster_of(inventory: Inventory, environment: str, preference: Subject) -> Cluster:
    """The cluster of an environment in which there is a preference, and the instance type that it is judged with."""
    configurations = inventory.configurations(environment)
    return inventory.cluster([preference.manifest, host_of(preference).manifest, *configurations], environment)


def _scopes(objects: Sequence[Subject]) -> list[list[Subject]]:
    """The objects, by environment, first those of the catalog, so that no group has an object twice."""
    groups: dict[str, list[Subject]] = {}
    for subject in objects:
        groups.setdefault(subject.environment, []).append(subject)
    return list(groups.values())


def _instancetype(subject: Subject, cluster: Cluster) -> Iterator[Finding]:
    spec = convert(subject.spec, VirtualMachineInstancetypeSpec)
    if spec.memory.overcommit_percent and spec.cpu.dedicated_cpu_placement:
        message = "the pod's memory limit would be below the guest's memory: dedicated CPUs do not go with overcommit"
        yield subject.finding(OVERCOMMIT, message, "spec.memory.overcommitPercent")
    if validate_instancetype(spec):
        return  # the webhook's findings say what is wrong
    size = spec.memory.hugepages.page_size if spec.memory.hugepages is not None else ""
    fault = _page_size_fault(size)
    refused_pages = False
    for reason in _reasons(create_vmi, lone_vm(subject), cluster):
        rule, field = _origin(reason, spec)
        refused_pages |= rule == HUGEPAGES
        if rule != HUGEPAGES or not fault:
            yield subject.finding(rule, reason.message if field else str(reason), field)
    if fault:
        yield subject.finding(HUGEPAGES if refused_pages else PAGE_SIZE, fault, "spec.memory.hugepages.pageSize")


def _page_size_fault(size: str) -> str:
    """Say that no processor has pages of a size; "" where some has, or where it is no amount, which KubeVirt says."""
    amount = _amount(size)
    if amount is None or amount in _PAGE_SIZES:
        return ""
    hint = f"; did you mean {size}i?" if _amount(f"{size}i") in _PAGE_SIZES else ""
    return f"no processor has huge pages of {size}{hint}"


def _amount(text: str) -> Quantity | None:
    try:
        return Quantity.parse(text)
    except ValueError:
        return None


def _origin(reason: Reason, spec: VirtualMachineInstancetypeSpec) -> tuple[Rule, str]:
    field = reason.field.removeprefix("spec.template.spec.domain.")
    if spec.memory.hugepages is not None and field == "resources.requests.memory":
        return HUGEPAGES, "spec.memory.guest"
    return next(((rule, own) for start, own, rule in _ORIGINS if field.startswith(start)), (TYPE_REFUSED, ""))


def _preference(subject: Subject, cluster: Cluster, cluster_of: Callable[[Subject], Cluster]) -> Iterator[Finding]:
    if validate_preference(convert(subject.spec, VirtualMachinePreferenceSpec)):
        return
    for reason in _refusals(subject, cluster):
        field = _leading_field(subject, reason, cluster_of)
        text = str(replace(reason, origin="")) if field else str(reason)
        yield subject.finding(PREFERENCE_REFUSED, f"a VM with it is refused: {text}", field)


def _refusals(preference: Subject, cluster: Cluster) -> tuple[Reason, ...]:
    """Why a VM is refused that has nothing but a preference."""
    vm = lone_vm(preference)
    _add_disks(vm, preference.spec.get("devices") or {})
    return _reasons(expand, vm, cluster)


def _reasons(expanded: Callable[[Data, Cluster], Result], vm: Data, cluster: Cluster) -> tuple[Reason, ...]:
    """Why a VM is refused; none where that cannot be told."""
    try:
        return expanded(vm, cluster).reasons
    except UnsupportedError:
        return ()


def _leading_field(preference: Subject, reason: Reason, cluster_of: Callable[[Subject], Cluster]) -> str:
    """The field of a preference without which this reason is gone and no other comes; "" if no single one is."""
    reasons = {*_refusals(preference, cluster_of(preference))}
    for path in sorted(_fields(preference.spec), key=len, reverse=True):
        manifest = deepcopy(preference.manifest)
        del get(manifest["spec"], path[:-1])[path[-1]]
        without = replace(preference, manifest=manifest)
        if {*_refusals(without, cluster_of(without))} <= reasons - {reason}:
            return field_path(("spec", *path))
    return ""


def _fields(spec: Any, path: Path = ()) -> Iterator[Path]:
    """Yield the paths of what a preference says; a list is one thing, and what a VM requires gives it nothing."""
    for key, value in spec.items() if isinstance(spec, dict) else ():
        if (*path, key) != ("requirements",):
            yield (*path, key)
            yield from _fields(value, (*path, key))


def _add_disks(vm: Data, devices: dict[str, Any]) -> None:
    """A CD-ROM, where the preference says something about those."""
    if devices.get("preferredCdromBus"):
        spec = vm["spec"]["template"]["spec"]
        spec["domain"]["devices"]["disks"] = [{"name": "cdrom", "cdrom": {}}]
        spec["volumes"].append({"name": "cdrom", "containerDisk": {"image": "registry.example.org/cdrom:1"}})
