"""A VM before and after an attempt to shrink it, with the differences of the VMI and the domain."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any

from virtcatalog.adopt.candidates import Instancetype, Preference
from virtcatalog.adopt.rules import FIELD_PATTERNS, FIELDS, TEMPLATE
from virtcatalog.api.decode import to_manifest
from virtcatalog.api.findings import Path
from virtcatalog.api.quantity import Quantity
from virtcatalog.kubevirt.launcher import difference as domains
from virtcatalog.kubevirt.matchers import NAMING
from virtcatalog.kubevirt.pipeline import Result
from virtcatalog.manifests.difference import Difference, alike, differences
from virtcatalog.manifests.fields import Patterns, get, matches

DOMAIN: Path = (*TEMPLATE, "spec", "domain")
_TOPOLOGY = frozenset((*DOMAIN, "cpu", name) for name in ("sockets", "cores", "threads"))
_GUEST: Path = (*DOMAIN, "memory", "guest")
_REQUEST: Path = (*DOMAIN, "resources", "requests", "memory")
_NAMING_PATHS = frozenset((*TEMPLATE, "metadata", "annotations", key) for key in NAMING.values())
_AMOUNTS = frozenset({"memory", "resources"})


class Original:
    """An admitted VM before any change, and its expansion."""

    def __init__(self, manifest: dict[str, Any], result: Result) -> None:
        self.manifest, self.result = manifest, result
        self.shape = _shape(result)
        self.size = count(manifest)
        self._matches = matches(manifest, FIELD_PATTERNS)
        self._values: dict[Path, int] = {}

    def find(self, pattern: Path) -> Iterable[Path]:
        """Return the fields of the VM that a pattern matches."""
        paths = self._matches if pattern in FIELDS else matches(self.manifest, Patterns([pattern]))
        return paths.get(pattern, ())

    def saved(self, group: Instancetype | Preference) -> int:
        """Return how many values naming an object of a group saves the VM at best."""
        return sum(map(self._count, group.fields)) - min(len(member.reference.matcher()) for member in group.members)

    def _count(self, pattern: Path) -> int:
        values = self._values.get(pattern)
        if values is None:
            values = sum(count(get(self.manifest, path)) for path in self.find(pattern))
            self._values[pattern] = values
        return values


class Attempt:
    """A VM with some fields removed, its expansion, and how that differs from the original's.

    `emptied` are the maps and lists that were removed as they became empty.
    """

    def __init__(self, original: Original, manifest: dict[str, Any], emptied: set[Path], result: Result) -> None:
        self.original, self.manifest, self.emptied, self.result = original, manifest, emptied, result

    @cached_property
    def shape(self) -> dict[str, Any]:
        """Its VMI, at the paths of the VM."""
        return _shape(self.result)

    @cached_property
    def vmi(self) -> list[Difference]:
        """Where its VMI differs."""
        all_differences = differences(self.original.shape, self.shape, by_name=False, same=_same)
        guest = get(self.shape, _GUEST)
        return [
            difference
            for difference in all_differences
            if difference.path not in _NAMING_PATHS and not _means_the_same(difference, guest)
        ]

    @property
    def keeps_domain(self) -> bool:
        """Whether its domain, if it has one, is the same."""
        return self.result.admitted and self.result.domain_xml == self.original.result.domain_xml

    @cached_property
    def domain(self) -> list[domains.Difference]:
        """Where its domain differs."""
        if self.keeps_domain:
            return []
        old, new = self.original.result.domain, self.result.domain
        assert old is not None
        assert new is not None  # both VMs are admitted
        return list(domains.differences(old, new))


def count(data: Any) -> int:
    """Count the values in a manifest that its author had to write: scalars, and maps and lists without any."""
    parts = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    return sum(map(count, parts)) if parts else 1


def _same(old: Any, new: Any, path: Path) -> bool:
    """Whether two amounts are the same, however they are written."""
    if old is None or new is None or not _AMOUNTS.intersection(path):
        return alike(old, new, path)
    try:
        return Quantity.parse(old) == Quantity.parse(new)
    except (ValueError, TypeError):
        return alike(old, new, path)


def _means_the_same(difference: Difference, guest: Any) -> bool:
    """Whether a value on one side is the default on the other side, where the field is left out.

    Sockets, cores and threads default to 1, the memory request to the guest's memory.
    """
    default = 1 if difference.path in _TOPOLOGY else guest if difference.path == _REQUEST else None
    return default is not None and {difference.old, difference.new} == {None, default}


def _shape(result: Result) -> dict[str, Any]:
    """A VM's expansion at the paths of the VM: the VMI in place of the template, and the templates of DataVolumes."""
    vmi, vm = result.vmi_object, result.vm_object
    assert vmi is not None
    assert vm is not None
    manifest = to_manifest(vmi)
    metadata = {key: value for key, value in manifest["metadata"].items() if key in ("annotations", "labels")}
    shape: dict[str, Any] = {"template": {"metadata": metadata, "spec": manifest["spec"]}}
    if vm.spec.data_volume_templates:
        shape["dataVolumeTemplates"] = [
            to_manifest(data_volume_template) for data_volume_template in vm.spec.data_volume_templates
        ]
    return {"spec": shape}
