"""All defaults of a VirtualMachineInstance, in KubeVirt's order.

Source: pkg/defaults/defaults.go (SetDefaultVirtualMachineInstance).
"""

from __future__ import annotations

from virtcatalog.api.domainspec import CPU
from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.kubevirt.configuration import Configuration
from virtcatalog.kubevirt.defaults.architecture import set_architecture_defaults, set_architecture_features
from virtcatalog.kubevirt.defaults.hotplug import set_hotplug_limits
from virtcatalog.kubevirt.defaults.hyperv import set_hyperv_dependencies
from virtcatalog.kubevirt.defaults.objects import set_object_defaults
from virtcatalog.kubevirt.defaults.spec import set_default_vmi_spec

_CPU_MODEL = "host-model"


def set_default_vmi(vmi: VirtualMachineInstance, config: Configuration) -> None:
    """Set every default; NetworkDefaultError when no default network is possible."""
    spec = vmi.spec
    set_default_vmi_spec(spec, config)
    set_architecture_features(spec)
    set_object_defaults(vmi)
    set_hyperv_dependencies(spec)
    set_architecture_defaults(spec, config)
    if spec.domain.cpu is None:
        spec.domain.cpu = CPU()
    if not spec.domain.cpu.model:
        spec.domain.cpu.model = config.cpu_model or _CPU_MODEL
    set_hotplug_limits(spec, config)
