"""Annotations, and labels, of KubeVirt's that several parts of it write or read, named once."""

from __future__ import annotations

from typing import Final

DEPRECATED_LABEL: Final = "instancetype.kubevirt.io/deprecated"
"""A label of instance types and preferences."""
REPLACED_BY: Final = "instancetype.kubevirt.io/replacedBy"
SUNSET: Final = "instancetype.kubevirt.io/sunset"
"""Annotations of those that are deprecated: what to use instead, and the day on which they go."""

DISABLE_PCI_HOLE64: Final = "kubevirt.io/disablePCIHole64"
EVEN_PARITY: Final = "alpha.kubevirt.io/EmulatorThreadCompleteToEvenParity"
IGNITION: Final = "kubevirt.io/ignitiondata"
NON_ROOT: Final = "kubevirt.io/nonroot"
PLACE_ON_ROOT_COMPLEX: Final = "kubevirt.io/placePCIDevicesOnRootComplex"
QGS_SOCKET: Final = "kubevirt.io/qgs-socket-path"

APPLIED_PRESET: Final = "virtualmachinepreset.kubevirt.io/"
"""Before the name of each preset that a VMI got something from."""
