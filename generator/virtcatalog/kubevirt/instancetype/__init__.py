"""An instance type applied to a VM's template or to a VirtualMachineInstance.

Source: pkg/instancetype/apply/vmi.go.
"""

from virtcatalog.kubevirt.instancetype.apply import apply_instancetype, apply_to_vmi
from virtcatalog.kubevirt.matchers import set_annotations

__all__ = ["apply_instancetype", "apply_to_vmi", "set_annotations"]
