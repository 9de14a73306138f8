"""A VM's way to its VMI, stage by stage, and from which stage the leaves of the VMI are.

The VMIs of the stages are compared, part by part where they differ. They are of the API's types; fields have the API's
names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import repeat, zip_longest
from operator import attrgetter
from types import SimpleNamespace
from typing import Any, Final, NamedTuple

import msgspec

from virtcatalog.api.decode import clone, to_manifest
from virtcatalog.api.kubevirt import VirtualMachine, VirtualMachineInstance
from virtcatalog.api.names import namespace_or_default
from virtcatalog.api.quantity import Quantity
from virtcatalog.ask.leaves import ABSENT, NESTED, STEPS, items
from virtcatalog.ask.template import VmOrVmi, read_vm
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.controller.vm import ControllerError, start_vmi, sync_instancetype
from virtcatalog.kubevirt.defaults.webhooks import mutate_vm, mutate_vmi
from virtcatalog.kubevirt.identity import without_placeholder_uids
from virtcatalog.kubevirt.result import Result
from virtcatalog.manifests.identity import Data

OF_AUTHOR, OF_INSTANCETYPE, OF_PREFERENCE, OF_BOTH, OF_CONTROLLER, OF_VMI_WEBHOOK = range(6)
"""Where a leaf is from: the VM's author; virt-controller or the VM's webhook, which took it from the instance type, the
preference, both or neither; the VMI's webhook."""


class Values(NamedTuple):
    """The value of a part or leaf of a VMI after each stage; None or ABSENT where there is none.

    The VM's webhook does not read the instance type. If the VM has no instance type or no preference, the value
    without it is the same.
    """

    final: Any
    mutated: Any
    mutated_without_preference: Any
    started: Any
    started_without_instancetype: Any
    started_without_preference: Any
    started_without_both: Any


class Origins:
    """The origins of leaves by field, in the order in which parts of the VMI are added.

    `author_value` returns what the VM's author wrote at a field, as the API server reads it.
    """

    def __init__(self, author_value: Callable[[str], Any]) -> None:
        self.by_field: dict[str, int] = {}
        self._author_value = author_value

    def add(self, field: str, item: Any, written: Any, values: Sequence[Any]) -> None:
        """Add the leaves of a part of the VMI's manifest; `written` is what the VM's author wrote for it, or ABSENT."""
        if item == written:
            self._add_authored(field, item)
        elif item.__class__ not in NESTED or not item:
            self.by_field[field] = self._of_leaf(field, item, written, values)
        elif not written and _is_started(*values):
            self._add_all(field, item, _of_matchers(*values[3:]))
        elif item.__class__ is list:
            written_list = written if isinstance(written, list) else ()
            lists = [value if value.__class__ is list else () for value in values]
            rows = zip(item, zip_longest(written_list, *lists, fillvalue=ABSENT), strict=False)
            for index, (part, (written_part, *row)) in enumerate(rows):
                self.add(field + STEPS[index], part, written_part, row)
        else:
            self._add_parts(field, item, written if isinstance(written, dict) else {}, values)

    def _add_parts(self, field: str, item: Data, written: Data, values: Sequence[Any]) -> None:
        """Add the leaves of a struct or a map."""
        kind = values[0].__class__
        default = {} if kind is dict else _DEFAULTS[kind]
        structs = [value if value.__class__ is kind else default for value in values]
        getters = _GETTERS[kind]
        for step, part in item.items():
            written_part, below = written.get(step, ABSENT), field + STEPS[step]
            if written_part == part:
                self._add_authored(below, part)
                continue
            if kind is dict:
                row = [*map(dict.get, structs, repeat(step), repeat(ABSENT))]
            else:
                row = [*map(getters[step], structs)]
            if part.__class__ in NESTED and part:
                self.add(below, part, written_part, row)
            else:
                self.by_field[below] = self._of_leaf(below, part, written_part, row)

    def _add_authored(self, field: str, item: Any) -> None:
        if item.__class__ in NESTED and item:
            self._add_all(field, item, OF_AUTHOR)
        else:
            self.by_field[field] = OF_AUTHOR

    def _add_all(self, field: str, value: Any, origin: int) -> None:
        """Add the leaves of a map or list, all with one origin."""
        for step, item in items(value):
            if item.__class__ in NESTED and item:
                self._add_all(field + STEPS[step], item, origin)
            else:
                self.by_field[field + STEPS[step]] = origin

    def _of_leaf(self, field: str, item: Any, written: Any, values: Sequence[Any]) -> int:
        """The first stage that gave the leaf its value."""
        if written is not ABSENT and written is not None and self._author_value(field) == item:
            return OF_AUTHOR
        if values[0].__class__ is Quantity:
            # The API writes some amounts out by itself.
            if values[0] == values[1] and self._author_value(field) == item:
                return OF_AUTHOR
            # Equal amounts may be spelled differently.
            values = [str(value) if value.__class__ is Quantity else value for value in values]
        final, mutated, mutated_without_preference, started, typeless, bare, neither = values
        if final == mutated:
            return OF_CONTROLLER if mutated == mutated_without_preference else OF_PREFERENCE
        return _of_matchers(started, typeless, bare, neither) if final == started else OF_VMI_WEBHOOK


def _of_matchers(started: Any, typeless: Any, bare: Any, neither: Any) -> int:
    """What the value changes without: the instance type, the preference, or both of them.

    Both, too, where the value changes only without both.
    """
    if typeless != started:
        return OF_BOTH if bare != started else OF_INSTANCETYPE
    if bare != started:
        return OF_PREFERENCE
    return OF_BOTH if neither != started else OF_CONTROLLER


def _is_started(final: Any, mutated: Any, _mutated: Any, started: Any, typeless: Any, bare: Any, neither: Any) -> bool:
    """Whether virt-controller made all of a part: the same, or nothing, without the instance type or preference."""
    return (
        not mutated
        and final == started
        and (not typeless or typeless == started)
        and (not bare or bare == started)
        and (not neither or neither == started)
    )


class _Getters(dict[type, Mapping[str, Callable[[Any], Any]]]):
    """Getters of the fields of API types, by their names in manifests; none for maps."""

    def __missing__(self, kind: type) -> Mapping[str, Callable[[Any], Any]]:
        names: Iterable[tuple[str, str]] = ()
        if issubclass(kind, msgspec.Struct):
            names = zip(kind.__struct_encode_fields__, kind.__struct_fields__, strict=True)
        getters = self[kind] = {name: attrgetter(attribute) for name, attribute in names}
        return getters


class _Defaults(dict[type, Any]):
    """Objects with the default of every field of an API type; ABSENT for fields that are always written."""

    def __missing__(self, kind: type[msgspec.Struct]) -> Any:
        default = self[kind] = SimpleNamespace(
            **{field.name: _unwritten(field) for field in msgspec.structs.fields(kind)}
        )
        return default


def _unwritten(field: msgspec.structs.FieldInfo) -> Any:
    if field.default is not msgspec.NODEFAULT:
        return field.default
    return field.default_factory() if field.default_factory in (list, dict) else ABSENT


_GETTERS: Final = _Getters()
_DEFAULTS: Final = _Defaults()


class Expansion(NamedTuple):
    """A VM and its stages.

    `manifest` is its author's; `read` is the VM or VMI read from it, None where this is the same as `manifest`;
    `mutated` is that after its webhook. `final` is the VMI after its webhook, and `manifest_of_vmi` its manifest
    without generated uids.
    """

    manifest: Data
    read: VmOrVmi | None
    mutated: VmOrVmi
    final: VirtualMachineInstance
    manifest_of_vmi: Data


def expansion_of(manifest: Data, result: Result, cluster: Cluster) -> Expansion | None:
    """Return the stages of a result, run again where it has none; None where KubeVirt refuses the VM or VMI."""
    stages, final, vmi = result.stages, result.vmi_object, result.vmi
    if stages is None or final is None or vmi is None:
        return expand_by_stages(manifest, cluster)
    return Expansion(manifest, stages.read, stages.mutated, final, vmi)


def expand_by_stages(manifest: Data, cluster: Cluster) -> Expansion | None:
    """Run the stages that change objects, as in `pipeline`; None where KubeVirt refuses the VM or VMI."""
    vm = read_namespaced(manifest, cluster)
    unchanged = None if manifest.get("kind") == "VirtualMachine" else clone(vm)
    vmi = started_vmi(vm, cluster)
    if vmi is None:
        return None
    mutated = vm if isinstance(vm, VirtualMachine) else clone(vm)
    vmi_manifest = final_manifest(vmi, cluster)
    return Expansion(manifest, unchanged, mutated, vmi, vmi_manifest) if vmi_manifest else None


def read_namespaced(manifest: Data, cluster: Cluster) -> VmOrVmi:
    """Read a VM or VMI as the API server does, in its namespace."""
    vm = read_vm(manifest, cluster.release)
    vm.metadata.namespace = namespace_or_default(vm.metadata.namespace)
    return vm


def started_vmi(vm: VmOrVmi, cluster: Cluster) -> VirtualMachineInstance | None:
    """Run the VM's webhook, which changes the VM, and virt-controller; returns a VMI as it is."""
    if isinstance(vm, VirtualMachineInstance):
        return vm
    try:
        return None if mutate_vm(vm, cluster) else start_vmi(sync_instancetype(vm, cluster), cluster)
    except ControllerError:
        return None


def final_manifest(vmi: VirtualMachineInstance, cluster: Cluster) -> Data:
    """Run the VMI's webhook, and return the VMI's manifest, {} if the webhook refuses it."""
    return {} if mutate_vmi(vmi, cluster) else without_placeholder_uids(to_manifest(vmi))
