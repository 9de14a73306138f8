"""The create webhooks of what holds a VM: VirtualMachineInstanceReplicaSet and VirtualMachinePool.

Source: pkg/virt-api/webhooks/validating-webhook/admitters/vmirs-admitter.go and vmpool-admitter.go. They look at the
template as it is written, without instance type, preference and defaults.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from virtcatalog.api.core import LabelSelector
from virtcatalog.api.holders import (
    VirtualMachineInstanceReplicaSet,
    VirtualMachinePool,
    VirtualMachinePoolScaleInStrategy,
    VirtualMachinePoolUpdateStrategy,
)
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.admission.bindings import validate_discontinued_feature_gates
from virtcatalog.kubevirt.admission.grace import validate_grace_annotations
from virtcatalog.kubevirt.admission.vm import validate_vm_spec
from virtcatalog.kubevirt.admission.vmi import validate_vmi_spec
from virtcatalog.kubevirt.causes import invalid
from virtcatalog.kubevirt.configuration import Configuration
from virtcatalog.kubevirt.selectors import label_selector, selects

_STRATEGIES = ("unmanaged", "opportunistic", "proactive")
_INTEGER = re.compile(r"[+-]?[0-9]+")


def validate_replica_set(held: VirtualMachineInstanceReplicaSet, config: Configuration) -> list[Cause]:
    """Everything wrong with a new VirtualMachineInstanceReplicaSet (ValidateVMIRSSpec)."""
    template = held.spec.template
    return [
        *validate_grace_annotations(template.spec, template.metadata, "spec.template.metadata", config),
        *validate_vmi_spec(template.spec, "spec.template.spec", config),
        *_selector(held.spec.selector, template.metadata.labels),
        *validate_discontinued_feature_gates(template.spec, "spec", config),
    ]


def validate_pool(pool: VirtualMachinePool, config: Configuration) -> list[Cause]:
    """Everything wrong with a new VirtualMachinePool (ValidateVMPoolSpec)."""
    spec, template = pool.spec, pool.spec.virtual_machine_template
    return [
        *validate_vm_spec(template.spec, "spec.virtualMachineTemplate.spec", config),
        *_selector(spec.selector, template.metadata.labels),
        *_max_unavailable(spec.max_unavailable),
        *_one_strategy(spec.update_strategy, "spec.updateStrategy"),
        *_one_strategy(spec.scale_in_strategy, "spec.scaleInStrategy"),
        *validate_discontinued_feature_gates(template.spec.template.spec, "spec", config),
    ]


def _selector(selector: LabelSelector, labels: Mapping[str, str]) -> Iterator[Cause]:
    """The selector is one, and selects what the template makes."""
    faults = [cause.message for cause in label_selector(selector, "spec.selector")]
    if faults:
        yield invalid("spec.selector", "; ".join(faults))
    elif not selects(selector, labels):
        yield invalid("spec.selector", "it does not select the labels of the template")


def _max_unavailable(limit: int | str | None) -> Iterator[Cause]:
    field = "spec.maxUnavailable"
    if isinstance(limit, int):
        if limit <= 0:
            yield invalid(field, f"{limit} is not at least 1")
    elif limit is not None and not limit.endswith("%"):
        yield invalid(field, f"{limit!r} is no percentage: it has to end with %")
    elif limit is not None:
        number = limit[:-1]
        if not _INTEGER.fullmatch(number) or not 0 < int(number) <= 100:
            yield invalid(field, f"{limit!r} is no percentage from 1% to 100%")


def _one_strategy(
    strategy: VirtualMachinePoolUpdateStrategy | VirtualMachinePoolScaleInStrategy | None, field: str
) -> Iterator[Cause]:
    """At most one of them (validateMutualExclusivity)."""
    chosen = [name for name in _STRATEGIES if strategy is not None and getattr(strategy, name) is not None]
    if len(chosen) > 1:
        yield invalid(field, f"{' and '.join(chosen)} exclude each other")
