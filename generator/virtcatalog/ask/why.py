"""Why a part of a domain or VMI is as it is: the VM is expanded again without the fields that it could come from.

Large parts are removed first, then the parts within those that matter, down to single fields. A field that cannot be
removed, since the VM would be refused, gets another value instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from typing import Any, Literal

import msgspec

from virtcatalog.api.findings import Path, field_path
from virtcatalog.api.kinds import CATALOG_KINDS, vm_spec
from virtcatalog.api.names import namespace_or_default
from virtcatalog.api.quantity import Quantity
from virtcatalog.ask.leaves import parts
from virtcatalog.catalog.work import size
from virtcatalog.errors import ManifestError, RefusedError, UnsupportedError, VirtcatalogError
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.conditions import Conditions
from virtcatalog.kubevirt.hosts import HostProfile
from virtcatalog.kubevirt.instancetype.references import references
from virtcatalog.kubevirt.pipeline import Result, expand
from virtcatalog.limits import EXPLAIN_WORK
from virtcatalog.manifests.difference import shown
from virtcatalog.manifests.identity import Data, identity, namespace_of

Kind = Literal["VM", "instance type", "preference", "preset", "cluster configuration", "host profile"]

View = Callable[[Result], str | None]
"""Reads a value from a result; None where there is none."""

_OBJECT = 20
"""The work of an object that a cluster is made of again, in values of a VM that is expanded again."""
_GONE = object()
_REFUSED = object()


class Reason(msgspec.Struct, frozen=True, kw_only=True):
    """A field that the value depends on.

    `without` is the value when the field is removed, "" for none; `otherwise` is set where the field is required, and
    got another value instead.
    """

    kind: Kind
    object: str
    field: str
    value: str
    without: str
    otherwise: bool = False


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """A value and everything that it depends on; with no reasons, it is KubeVirt's own.

    `result` is the expansion of the unchanged VM.
    """

    value: str
    reasons: tuple[Reason, ...] = ()
    result: Result


class _Source(msgspec.Struct, frozen=True):
    """An object that a value may come from, and where in it to look."""

    kind: Kind
    name: str
    manifest: Data
    roots: tuple[Path, ...]


def why(vm: Data, objects: Iterable[Data], conditions: Conditions, view: View) -> Answer:
    """Explain the value that `view` reads from the VM's result in a cluster of these objects.

    RefusedError when the VM is refused before it has the value, VirtcatalogError when there is no value; other errors
    are those of `expand`.
    """
    return _Question(vm, list(objects), conditions, view).answer()


class _Question:
    def __init__(self, vm: Data, objects: list[Data], conditions: Conditions, view: View) -> None:
        self._vm, self._objects, self._view = vm, objects, view
        self._conditions, self._host = conditions, conditions.host
        self._expanding, self._left = size(vm), EXPLAIN_WORK
        self._cluster = self._cluster_of(objects)
        self._result_as_is = expand(vm, self._cluster)
        value = view(self._result_as_is)
        if not value and not self._result_as_is.admitted:
            raise RefusedError(*self._result_as_is.reasons)
        if not value:
            raise VirtcatalogError("there is nothing at that place: see `virtcatalog expand`")
        self._value = value

    def answer(self) -> Answer:
        reasons = [reason for source in self._sources() for root in source.roots for reason in self._ask(source, root)]
        reasons += self._ask_host()
        # That a disk is gone without all devices is no news: such reasons count only where there are no others.
        telling = [reason for reason in reasons if reason.field not in _CONTAINERS]
        return Answer(value=self._value, reasons=tuple(telling or reasons), result=self._result_as_is)

    def _sources(self) -> Iterator[_Source]:
        """Yield the VM, and then the objects that apply to it."""
        yield _Source("VM", identity(self._vm)[2], self._vm, (("spec",), ("metadata", "annotations")))
        referenced = set(references(self._vm, self._cluster) or ())
        namespace = namespace_of(self._vm)
        for manifest in self._objects:
            kind, home, name = identity(manifest)
            if any(
                key[0] == kind and key[2] == name and key[1] in ("", namespace_or_default(home)) for key in referenced
            ):
                kind_of_object: Kind = "instance type" if kind.endswith("Instancetype") else "preference"
                yield _Source(kind_of_object, name, manifest, (("spec",),))
            elif kind == "VirtualMachineInstancePreset" and namespace_or_default(home) == namespace:
                yield _Source("preset", name, manifest, (("spec", "domain"),))
            elif kind == "KubeVirt":
                yield _Source("cluster configuration", name, manifest, (("spec", "configuration"),))
            elif kind == "ControllerRevision" and name in _pinned(self._vm):
                revision_kind = str((manifest.get("data") or {}).get("kind"))
                kind_of_object = "instance type" if revision_kind.endswith("Instancetype") else "preference"
                yield _Source(kind_of_object, name, manifest, (("data", "spec"),))

    def _ask(self, source: _Source, path: Path) -> list[Reason]:
        """The fields at or below a path that the value depends on, as deep as possible."""
        part = _at(source.manifest, path)
        if part is _GONE or path in _IDENTITIES:
            return []
        outcome = self._outcome(source, _without(source.manifest, path))
        if outcome == self._value:
            return []
        reasons = [reason for step in parts(part) for reason in self._ask(source, (*path, step))]
        if reasons:
            return reasons
        if outcome is not _REFUSED:
            return [self._reason(source, path, part, outcome)]
        for other in _other_values(part):
            outcome = self._outcome(source, _replaced(source.manifest, path, other))
            if outcome not in (_REFUSED, self._value):
                return [self._reason(source, path, part, outcome, otherwise=True)]
        return []

    def _ask_host(self) -> Iterator[Reason]:
        usual = HostProfile(name=self._host.name, version=self._host.version)
        for field in self._host.__struct_fields__:
            other = getattr(usual, field)
            if getattr(self._host, field) == other:
                continue
            host = msgspec.structs.replace(self._host, **{field: other})
            outcome = self._view_of(self._vm, self._cluster_of(self._objects, host))
            if outcome not in (_REFUSED, self._value):
                yield Reason(kind="host profile", object=str(self._host), field=field, value="", without=_text(outcome))

    def _outcome(self, source: _Source, manifest: Data) -> Any:
        if source.kind == "VM":
            return self._view_of(manifest, self._cluster)
        relevant = self._relevant()
        self._left -= _OBJECT * len(relevant)
        try:
            cluster = self._cluster_of([manifest if other is source.manifest else other for other in relevant])
        except ManifestError:
            return _REFUSED
        return self._view_of(self._vm, cluster)

    def _relevant(self) -> list[Data]:
        """The objects without the catalog's instance types and preferences that the VM does not use, to save time."""
        referenced = {key[2] for key in references(self._vm, self._cluster) or ()}
        return [
            manifest
            for manifest in self._objects
            if identity(manifest)[0] not in CATALOG_KINDS or identity(manifest)[2] in referenced
        ]

    def _view_of(self, vm: Data, cluster: Cluster) -> Any:
        self._left -= self._expanding
        if self._left < 0:
            raise VirtcatalogError(
                "what this depends on is not found out: the VM, or what applies to it, has too many fields to expand "
                "it without each of them in turn; leave out devices that are alike"
            )
        try:
            result = expand(vm, cluster)
            # The values of a refused VM are those of the stages before its refusal.
            return self._view(result) if result.admitted or not self._result_as_is.admitted else _REFUSED
        except UnsupportedError:
            return _REFUSED

    def _cluster_of(self, objects: list[Data], host: HostProfile | None = None) -> Cluster:
        return Cluster.under(objects, msgspec.structs.replace(self._conditions, host=host or self._host))

    def _reason(self, source: _Source, path: Path, part: Any, outcome: Any, *, otherwise: bool = False) -> Reason:
        text = shown(part) if not isinstance(part, dict | list) else ""
        return Reason(
            kind=source.kind,
            object=source.name,
            field=field_path(path),
            value=text,
            without=_text(outcome),
            otherwise=otherwise,
        )


_CONTAINERS = frozenset(
    {
        "spec",
        "spec.template",
        "spec.template.spec",
        "spec.template.spec.domain",
        "spec.template.spec.domain.devices",
        "spec.template.spec.volumes",
        "spec.template.spec.networks",
    }
)
#: Without these fields the VM is another one, so they are no reasons.
_IDENTITIES = frozenset(
    {("spec", "instancetype"), ("spec", "preference"), ("spec", "running"), ("spec", "runStrategy")}
)


def _pinned(vm: Data) -> set[str]:
    spec = vm_spec(vm)
    matchers = [spec.get(key) for key in ("instancetype", "preference")] if isinstance(spec, dict) else []
    return {
        str(matcher["revisionName"])
        for matcher in matchers
        if isinstance(matcher, dict) and matcher.get("revisionName")
    }


def _text(outcome: Any) -> str:
    return outcome if isinstance(outcome, str) else ""


def _at(data: Any, path: Path) -> Any:
    for step in path:
        try:
            data = data[step]
        except (KeyError, IndexError, TypeError):
            return _GONE
    return data


def _without(data: Data, path: Path) -> Data:
    copy = deepcopy(data)
    parent = _at(copy, path[:-1])
    del parent[path[-1]]
    return copy


def _replaced(data: Data, path: Path, value: Any) -> Data:
    copy = deepcopy(data)
    _at(copy, path[:-1])[path[-1]] = value
    return copy


def _other_values(value: Any) -> Iterator[Any]:
    """Other values for a field that is required."""
    if isinstance(value, int) and not isinstance(value, bool):  # a missing bool is one of its two values
        yield from (value * 2, value + 1, value - 1)
    elif isinstance(value, str):
        try:
            quantity = Quantity.parse(value)
        except ValueError:
            return
        yield from (str(quantity * 2), str(Quantity.of(quantity.value // 2)))
