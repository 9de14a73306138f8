"""VM templates and VMs: whether KubeVirt admits them in their environments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from virtcatalog.api.corekinds import check_core
from virtcatalog.api.decode import decode_manifest, decode_pruned
from virtcatalog.api.findings import field_path, inspect_kind
from virtcatalog.api.kinds import READ, is_halted, kind_type
from virtcatalog.api.kubevirt import VirtualMachine
from virtcatalog.api.names import RESERVED_INSTANCETYPES, RESERVED_PREFERENCES, namespace_or_default
from virtcatalog.capacity.demand import Spending
from virtcatalog.check.declarations import DECLARATION
from virtcatalog.check.faults import Faults
from virtcatalog.check.finding import Finding, Rule
from virtcatalog.check.outcome import Expander, Message
from virtcatalog.check.subject import Inventory, Subject, VmCheck
from virtcatalog.errors import ManifestError

REFUSED = Rule(
    "vm-refused",
    "error",
    "KubeVirt refuses a VM, or virt-launcher crashes on it, in the environment that it is for.",
    "The VM cannot be created, or never runs. A VM that is refused for a fault of its instance type or preference "
    "alone has no finding of its own: it is named beside that fault, which is an error then.",
    "Change the field that the finding names; or, of a template that is not for the environment, say in `vms.yaml` "
    "which ones it is for. `virtcatalog expand` shows how far the VM comes. What depends on a "
    "feature gate is judged by the release's defaults unless a KubeVirt CR is given with `-f`.",
)
WARNED = Rule(
    "vm-warning",
    "warning",
    "KubeVirt admits a VM with a warning.",
    "It uses something deprecated, or something that has no effect.",
    "Use what the warning names instead.",
)
UNCHECKED = Rule(
    "vm-unchecked",
    "note",
    "A VM uses something that virtcatalog does not know or does not model, and cannot be judged.",
    "Whether KubeVirt admits it shows only in a cluster.",
    "Where it uses an object that KubeVirt's operator deploys, give the files of common-instancetypes with `-f`.",
)
NO_POD = Rule(
    "vm-without-pod",
    "error",
    "KubeVirt admits a VM, and virt-controller makes no Pod of it.",
    "The VM waits for ever: nothing says so but an event.",
    "Change the field that the finding names. `virtcatalog expand -o pod` shows the Pod.",
)
OVER_BUDGET = Rule(
    "over-budget",
    "warning",
    "VMs request more than the catalog's budget allows.",
    "What was planned for an environment or a namespace is used up.",
    "Raise the budget in `catalog.yaml`, or make VMs smaller. VMs given with `-f` count, unless they are switched off.",
)
RULES = (REFUSED, WARNED, UNCHECKED, NO_POD, OVER_BUDGET)


def check(inventory: Inventory) -> Iterator[Finding]:
    """Check what lies beside the VMs."""
    for other in inventory.companions:
        yield from faults(other)


class Vms(VmCheck):
    """Expands every VM among the objects of its environment."""

    def __init__(self, inventory: Inventory) -> None:
        super().__init__(inventory)
        self._faults = Faults(inventory.faults)
        self._sound = [other for other in inventory.companions if not any(faults(other))]
        self._clusters: dict[tuple[str, str, bool], Expander] = {}
        self._spending = Spending()

    def check(self, vm: Subject) -> Iterator[Finding]:
        """Say whether KubeVirt admits and starts it, and what it warns of."""
        if vm.kind != VirtualMachine.__name__:
            return
        missing, field = _of_the_operator(vm, self.inventory)
        if missing:
            yield vm.finding(
                UNCHECKED, f"uses {missing}, which KubeVirt's operator deploys and which is not given", field
            )
            return
        outcome = self._expander(vm).outcome(vm.manifest)
        if outcome.unsupported is not None:
            yield vm.finding(UNCHECKED, *outcome.unsupported)
            return
        if outcome.pod_error is not None:
            yield vm.finding(NO_POD, *outcome.pod_error)
        if outcome.requests is not None and vm.origin == "import" and not is_halted(vm.manifest):
            self._spending.add(vm.environment, namespace_or_default(vm.namespace), outcome.requests)
        yield from self._refusals(vm, outcome.reasons)
        faults = {fault.message for fault in self._faults.of(vm)} if outcome.warnings else ()
        for message in outcome.warnings:
            if message[0] not in faults:
                yield vm.finding(WARNED, *message)

    def finish(self) -> Iterator[Finding]:
        """Compare what the VMs request with the budgets."""
        inventory = self.inventory
        if inventory.cache is not None:
            inventory.cache.save()
        for over in self._spending.over(inventory.catalog.budgets if inventory.catalog else ()):
            yield OVER_BUDGET.at(over.budget.source, str(over), field=f"requests.{over.resource}")

    def _refusals(self, vm: Subject, reasons: Sequence[Message]) -> Iterator[Finding]:
        """Say why a VM is refused: that its type or preference is at fault is said where that stands."""
        fault = next(self._faults.of(vm), None) if reasons else None
        if fault is not None:
            mended = self._expander(vm, mended=True).outcome(vm.manifest)
            if mended.unsupported is None and set(mended.reasons) < set(reasons):
                first = next(reason for reason in reasons if reason not in mended.reasons)
                yield fault.refusing(vm.finding(REFUSED, *first))
                reasons = mended.reasons
        for message in reasons:
            yield vm.finding(REFUSED, *message)

    def _expander(self, vm: Subject, *, mended: bool = False) -> Expander:
        """Expand VMs where this one is; `mended` types and preferences have no faults."""
        key = vm.environment, vm.where, mended
        if key not in self._clusters:
            manifests = self.inventory.met_by(vm, self._sound)
            if mended:
                manifests = [self._faults.mended(manifest, vm.environment) for manifest in manifests]
            cluster = self.inventory.cluster(manifests, vm.environment)
            self._clusters[key] = Expander(manifests, cluster, self.inventory.cache)
        return self._clusters[key]


def faults(subject: Subject) -> Iterator[Finding]:
    """Yield what is wrong with an object beside a VM template; imported ones were checked as they were read."""
    if subject.origin == "import":
        return
    manifest = subject.manifest
    findings = inspect_kind(manifest)
    typed = None if findings else kind_type(manifest["apiVersion"], subject.kind)
    if not findings and typed is None:
        findings = list(check_core(manifest))
    elif typed is not None:
        try:
            if typed.__name__ in READ:
                for path, message in decode_pruned(manifest, typed)[1]:
                    yield subject.finding(WARNED, f"{message}; it is left out", field_path(path))
            else:
                decode_manifest(manifest)
        except ManifestError as error:
            for problem in error.problems:
                yield subject.finding(DECLARATION, problem.message, problem.field)
    for path, message in findings:
        yield subject.finding(DECLARATION, message, field_path(path))


def _of_the_operator(vm: Subject, inventory: Inventory) -> tuple[str, str]:
    """The name of an object that the VM uses, the operator deploys and nobody passed in; the VM's field."""
    if inventory.catalog is None or not inventory.catalog.operator_deployment:
        return "", ""
    for part, names in (("instancetype", RESERVED_INSTANCETYPES), ("preference", RESERVED_PREFERENCES)):
        name = (vm.spec.get(part) or {}).get("name")
        subjects = (subject for subject in inventory.objects if subject.is_in(vm.environment, vm.where))
        if name in names and not any(
            subject.name == name and subject.is_instancetype == (part == "instancetype") for subject in subjects
        ):
            return str(name), f"spec.{part}.name"
    return "", ""
