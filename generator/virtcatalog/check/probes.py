"""Instance types and preferences on their own: each is expanded with a VM that has nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from virtcatalog.api.decode import convert
from virtcatalog.api.instancetype import VirtualMachineInstancetypeSpec, VirtualMachinePreferenceSpec
from virtcatalog.catalog.kinds import Manifest
from virtcatalog.check.finding import Finding, Rule
from virtcatalog.check.minimal import host_of, lone_vm
from virtcatalog.check.subject import Inventory, Subject
from virtcatalog.errors import Reason, UnsupportedError
from virtcatalog.kubevirt.admission.instancetypes import validate_instancetype, validate_preference
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.pipeline import create_vmi, expand

HUGEPAGES = Rule(
    "hugepages",
    "error",
    "The memory of an instance type is not a whole number of its huge pages, or the page size is none.",
    "KubeVirt refuses every VM of the instance type.",
    "Let the page size divide the memory: 2Mi pages suit nearly all sizes, 1Gi pages whole gibibytes.",
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
RULES = (HUGEPAGES, PLACEMENT, OVERCOMMIT, TYPE_REFUSED, PREFERENCE_REFUSED)

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
    seen: set[tuple[str, str, str]] = set()
    for scope in _scopes(inventory.objects):
        hosts = [host_of(subject).manifest for subject in scope if subject.is_preference]
        environment = scope[0].environment
        others = inventory.configurations(environment)
        cluster = inventory.cluster([*(subject.manifest for subject in scope), *hosts, *others], environment)
        for subject in scope:
            probe = _instancetype if subject.is_instancetype else _preference
            for finding in probe(subject, cluster):
                key = (subject.name, finding.field, finding.rule)
                if key not in seen or subject.origin == "import":
                    seen.add(key)
                    yield finding


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
    for reason in create_vmi(lone_vm(subject), cluster).reasons:
        rule, field = _origin(reason, spec)
        yield subject.finding(rule, reason.message if field else str(reason), field)


def _origin(reason: Reason, spec: VirtualMachineInstancetypeSpec) -> tuple[Rule, str]:
    field = reason.field.removeprefix("spec.template.spec.domain.")
    if spec.memory.hugepages is not None and field == "resources.requests.memory":
        return HUGEPAGES, "spec.memory.guest"
    return next(((rule, own) for start, own, rule in _ORIGINS if field.startswith(start)), (TYPE_REFUSED, ""))


def _preference(subject: Subject, cluster: Cluster) -> Iterator[Finding]:
    if validate_preference(convert(subject.spec, VirtualMachinePreferenceSpec)):
        return
    vm = lone_vm(subject)
    _add_disks(vm, subject.spec.get("devices") or {})
    try:
        result = expand(vm, cluster)
    except UnsupportedError:
        return
    for reason in result.reasons:
        yield subject.finding(PREFERENCE_REFUSED, f"a VM with it is refused: {reason}")


def _add_disks(vm: Manifest, devices: dict[str, Any]) -> None:
    """A CD-ROM, where the preference says something about those."""
    if devices.get("preferredCdromBus"):
        spec = vm["spec"]["template"]["spec"]
        spec["domain"]["devices"]["disks"] = [{"name": "cdrom", "cdrom": {}}]
        spec["volumes"].append({"name": "cdrom", "containerDisk": {"image": "registry.example.org/cdrom:1"}})
