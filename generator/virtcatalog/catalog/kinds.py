"""The kinds that a catalog renders."""

from __future__ import annotations

from typing import Any

from virtcatalog.api.kinds import CLUSTER_INSTANCETYPE, CLUSTER_PREFERENCE, INSTANCETYPE, PREFERENCE

API_VERSION = "instancetype.kubevirt.io/v1beta1"

#: In output order.
KINDS = (CLUSTER_INSTANCETYPE, INSTANCETYPE, CLUSTER_PREFERENCE, PREFERENCE)
TEMPLATE_API_VERSION = "template.kubevirt.io/v1beta1"
TEMPLATE = "VirtualMachineTemplate"

Manifest = dict[str, Any]
