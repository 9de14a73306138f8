"""Faults of instance types and preferences for which KubeVirt refuses the VMs that use them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import deepcopy

from virtcatalog.api.findings import steps
from virtcatalog.api.kinds import INSTANCETYPE_KINDS, PREFERENCE_KINDS
from virtcatalog.check import likely, probes, usability, webhooks
from virtcatalog.check.finding import Finding
from virtcatalog.check.subject import Subject
from virtcatalog.manifests.fields import get
from virtcatalog.manifests.identity import Data

_RULES = frozenset(
    rule.id for rule in (*probes.RULES, webhooks.REFUSED, likely.BYTES, likely.TIMER, usability.UNUSABLE_PREFERENCE)
)
_PAGES = ("spec", "memory", "hugepages")


class Faults:
    """Findings about instance types and preferences, by what they are about."""

    def __init__(self, findings: Iterable[Finding]) -> None:
        self._of: dict[tuple[bool, str], list[Finding]] = {}
        for finding in sorted(findings):
            kind, _, name = finding.object.partition("/")
            if finding.rule in _RULES and kind in (*INSTANCETYPE_KINDS, *PREFERENCE_KINDS):
                self._of.setdefault((kind in INSTANCETYPE_KINDS, name.rpartition("/")[2]), []).append(finding)

    def of(self, vm: Subject) -> Iterator[Finding]:
        """Yield the faults of the preference, then those of the instance type that a VM names."""
        for part in ("preference", "instancetype"):
            name = str((vm.spec.get(part) or {}).get("name"))
            for fault in self._of.get((part == "instancetype", name), ()):
                if _is_in(fault, vm.environment):
                    yield fault

    def mended(self, manifest: Data, environment: str) -> Data:
        """Return an object of an environment without the fields that are at fault."""
        kind = manifest.get("kind")
        if kind not in (*INSTANCETYPE_KINDS, *PREFERENCE_KINDS):
            return manifest
        faults = self._of.get((kind in INSTANCETYPE_KINDS, manifest["metadata"]["name"]), ())
        faults = [fault for fault in faults if _is_in(fault, environment)]
        if faults:
            manifest = deepcopy(manifest)
            for fault in faults:
                _mend(manifest, fault)
        return manifest


def _is_in(fault: Finding, environment: str) -> bool:
    return not fault.environments or environment in fault.environments


def _mend(manifest: Data, fault: Finding) -> None:
    """Give memory its unit, or remove the field at fault; without one, a preference loses all but its requirements."""
    field = "spec.memory.guest" if fault.field == likely.RATIO else fault.field
    path = _PAGES if fault.rule in (probes.HUGEPAGES.id, probes.PAGE_SIZE.id) else steps(field)
    if fault.rule == usability.UNUSABLE_PREFERENCE.id:
        path = ("spec", "requirements")
    if fault.rule == likely.BYTES.id:
        holder = get(manifest, path[:-1])
        holder[path[-1]] = f"{holder[path[-1]]}Gi"
    elif path[:1] == ("spec",):
        holder = get(manifest, path[:-1])
        if isinstance(holder, dict):
            holder.pop(path[-1], None)
    elif manifest["kind"] in PREFERENCE_KINDS:
        manifest["spec"] = {key: value for key, value in manifest["spec"].items() if key == "requirements"}
