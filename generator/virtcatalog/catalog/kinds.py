"""The kinds that a catalog renders."""

from __future__ import annotations

from typing import Any

API_VERSION = "instancetype.kubevirt.io/v1beta1"
CLUSTER_INSTANCETYPE = "VirtualMachineClusterInstancetype"
INSTANCETYPE = "VirtualMachineInstancetype"
CLUSTER_PREFERENCE = "VirtualMachineClusterPreference"
PREFERENCE = "VirtualMachinePreference"

#: The kinds that a catalog renders, in output order.
KINDS = (CLUSTER_INSTANCETYPE, INSTANCETYPE, CLUSTER_PREFERENCE, PREFERENCE)
TEMPLATE_API_VERSION = "template.kubevirt.io/v1beta1"
TEMPLATE = "VirtualMachineTemplate"
CLUSTER_KINDS = (CLUSTER_INSTANCETYPE, CLUSTER_PREFERENCE)
NAMESPACED_KINDS = (INSTANCETYPE, PREFERENCE)
INSTANCETYPE_KINDS = (CLUSTER_INSTANCETYPE, INSTANCETYPE)
PREFERENCE_KINDS = (CLUSTER_PREFERENCE, PREFERENCE)

Manifest = dict[str, Any]
