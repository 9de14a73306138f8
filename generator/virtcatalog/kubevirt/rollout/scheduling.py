"""Where a running VMI may go at its next migration: affinity, node selector, tolerations.

Source: pkg/virt-controller/watch/vm/vm.go (handleAffinityChangeRequest, handleTolerationsChangeRequest).
"""

from __future__ import annotations

from msgspec.structs import replace

from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec


def place(spec: VirtualMachineInstanceSpec, wanted: VirtualMachineInstanceSpec) -> list[VirtualMachineInstanceSpec]:
    """Return the VMI's spec after each step that brings it where its VM wants it: there are up to three."""
    steps = []
    for changed in (
        {"affinity": wanted.affinity},
        {"node_selector": wanted.node_selector},
        {"tolerations": wanted.tolerations},
    ):
        following = replace(spec, **changed)
        if following != spec:
            steps.append(following)
            spec = following
    return steps
