"""A preference applied to a VM's template or to a VirtualMachineInstance: it fills in what the VM does not say.

Source: pkg/instancetype/preference/apply.
"""

from virtcatalog.kubevirt.preference.apply import (
    apply_architecture,
    apply_machine,
    apply_preference,
)
from virtcatalog.kubevirt.preference.devices import apply_autoattach

__all__ = [
    "apply_architecture",
    "apply_autoattach",
    "apply_machine",
    "apply_preference",
]
