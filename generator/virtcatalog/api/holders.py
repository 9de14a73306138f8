"""VirtualMachineInstanceReplicaSet (kubevirt.io/v1) and VirtualMachinePool (pool.kubevirt.io/v1beta1)."""

from __future__ import annotations

from typing import Literal

from msgspec import field

from virtcatalog.api.core import LabelSelector, ObjectMeta, Resource
from virtcatalog.api.kubevirt import VirtualMachineInstanceTemplateSpec, VirtualMachineSpec
from virtcatalog.api.object import Duration, Int32, Object, Status, UInt32
from virtcatalog.api.scheduling import NodeSelectorRequirement

SortPolicy = Literal["AscendingOrder", "DescendingOrder", "Newest", "Oldest", "Random"]
StatePreservation = Literal["Disabled", "Offline", "Online"]


class HolderStatus(Status):
    """Nothing that bears on what a VM becomes."""


class VirtualMachineInstanceReplicaSetSpec(Object):
    """How many VMIs there are, which they are, and what they are made of."""

    selector: LabelSelector
    template: VirtualMachineInstanceTemplateSpec
    replicas: Int32 | None = None
    paused: bool = False


class VirtualMachineInstanceReplicaSet(Resource, kw_only=True):
    """As many alike VMIs as are asked for."""

    spec: VirtualMachineInstanceReplicaSetSpec
    status: HolderStatus | None = None


class VirtualMachineTemplateSpec(Object):
    """What the VMs of a pool are made of."""

    spec: VirtualMachineSpec
    metadata: ObjectMeta = field(default_factory=ObjectMeta)


class VirtualMachinePoolNameGeneration(Object):
    """Whether the config maps and secrets that a VM names are its own, by its number."""

    append_index_to_config_map_refs: bool | None = None
    append_index_to_secret_refs: bool | None = None


class VirtualMachinePoolSelectors(Object):
    """VMs by their labels, and by their nodes."""

    label_selector: LabelSelector | None = None
    node_selector_requirement_matcher: list[NodeSelectorRequirement] | None = None


class VirtualMachinePoolSelectionPolicy(Object):
    """Which VMs come first."""

    sort_policy: SortPolicy | None = None
    selectors: VirtualMachinePoolSelectors | None = None


class VirtualMachinePoolUnmanagedStrategy(Object):
    """The user does it."""


class VirtualMachinePoolOpportunisticScaleInStrategy(Object):
    """VMs go when something else deletes them."""

    state_preservation: StatePreservation | None = None


class VirtualMachinePoolProactiveScaleInStrategy(Object):
    """VMs are shut down."""

    selection_policy: VirtualMachinePoolSelectionPolicy | None = None
    state_preservation: StatePreservation | None = None


class VirtualMachinePoolScaleInStrategy(Object):
    """How a pool gets smaller: one way."""

    unmanaged: VirtualMachinePoolUnmanagedStrategy | None = None
    opportunistic: VirtualMachinePoolOpportunisticScaleInStrategy | None = None
    proactive: VirtualMachinePoolProactiveScaleInStrategy | None = None


class VirtualMachineOpportunisticUpdateStrategy(Object):
    """VMs change at once, their VMIs when they restart."""


class VirtualMachinePoolProactiveUpdateStrategy(Object):
    """VMs restart when they change."""

    selection_policy: VirtualMachinePoolSelectionPolicy | None = None


class VirtualMachinePoolUpdateStrategy(Object):
    """How a pool's VMs change: one way."""

    unmanaged: VirtualMachinePoolUnmanagedStrategy | None = None
    opportunistic: VirtualMachineOpportunisticUpdateStrategy | None = None
    proactive: VirtualMachinePoolProactiveUpdateStrategy | None = None


class VirtualMachinePoolAutohealingStrategy(Object):
    """When a failing VM is replaced."""

    start_up_failure_threshold: UInt32 | None = None
    min_failing_to_start_duration: Duration | None = None


class VirtualMachinePoolSpec(Object):
    """How many VMs there are, which they are, what they are made of, and how they change."""

    selector: LabelSelector
    virtual_machine_template: VirtualMachineTemplateSpec
    replicas: Int32 | None = None
    paused: bool = False
    name_generation: VirtualMachinePoolNameGeneration | None = None
    max_unavailable: Int32 | str | None = None
    scale_in_strategy: VirtualMachinePoolScaleInStrategy | None = None
    update_strategy: VirtualMachinePoolUpdateStrategy | None = None
    autohealing: VirtualMachinePoolAutohealingStrategy | None = None


class VirtualMachinePool(Resource, kw_only=True):
    """As many alike VMs as are asked for."""

    spec: VirtualMachinePoolSpec
    status: HolderStatus | None = None
