"""The VM's validating webhook, and what it knows of the VM when it is done.

Source: pkg/virt-api/webhooks/validating-webhook/admitters/vms-admitter.go.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from virtcatalog.api.kubevirt import VirtualMachine, VirtualMachineInstanceSpec, VirtualMachineSpec
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.admission.datavolumetemplates import validate_data_volume_schema
from virtcatalog.kubevirt.admission.instancetypes import apply_to_vm
from virtcatalog.kubevirt.admission.vm import validate_vm
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.configuration import Configuration
from virtcatalog.kubevirt.controller.vm import Found, own_template
from virtcatalog.kubevirt.defaults.network import NetworkDefaultError
from virtcatalog.kubevirt.defaults.spec import set_default_vmi_spec
from virtcatalog.kubevirt.preference.requirements import check_requirements
from virtcatalog.lockstep import Steps, at_once

Rules = Callable[[VirtualMachine, VirtualMachineSpec, Configuration], list[Cause]]


class Judged(msgspec.Struct, frozen=True):
    """What the VM's webhook finds on its way: causes; the VM's instance type and preference, if they are there; a spec.

    The spec is that of the VM's template with these and KubeVirt's defaults.
    """

    causes: list[Cause]
    found: Found | None = None
    spec: VirtualMachineInstanceSpec | None = None


def admit_vm(vm: VirtualMachine, cluster: Cluster, validate: Rules = validate_vm) -> list[Cause]:
    """Return why the webhook refuses a VM: it looks at it with its instance type, preference and defaults applied.

    `validate` are the rules for a new VM or for one that is updated.
    """
    return at_once(steps_to_judge(vm, cluster, validate)).causes


def steps_to_judge(vm: VirtualMachine, cluster: Cluster, validate: Rules = validate_vm) -> Steps[Judged]:
    """Find what `admit_vm` returns, and what else the webhook knows of the VM, in steps."""
    causes = list(validate_data_volume_schema(vm)) if vm.spec.data_volume_templates else []
    if causes:
        return Judged(causes)
    expanded = own_template(vm)
    yield
    applied = apply_to_vm(expanded, cluster)
    if applied.causes:
        return Judged(applied.causes)
    yield
    spec, found = expanded.spec.template.spec, (applied.instancetype, applied.preference)
    try:
        set_default_vmi_spec(spec, cluster.configuration)
    except NetworkDefaultError as error:
        return Judged([Cause("", "", str(error))])
    yield
    causes = check_requirements(*found, spec) or validate(vm, expanded.spec, cluster.configuration)
    missing = (vm.spec.instancetype and not found[0]) or (vm.spec.preference and not found[1])
    return Judged(causes, None if missing else found, spec)
