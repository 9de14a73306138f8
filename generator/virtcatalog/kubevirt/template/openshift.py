"""OpenShift Templates as VirtualMachineTemplates.

Source: pkg/virtctl/template/convert/convert.go.
"""

from __future__ import annotations

from typing import Any

from virtcatalog.errors import Cause, TemplateError
from virtcatalog.kubevirt.template.process import as_written

_METADATA = ("name", "namespace", "labels", "annotations")


def convert_template(template: dict[str, Any]) -> dict[str, Any]:
    """Return the VirtualMachineTemplate of an OpenShift Template that was read: its one object is the VM."""
    objects = template.get("objects") or []
    if len(objects) != 1:
        message = f"a template for VMs holds one object, and this one holds {len(objects)}"
        raise TemplateError(Cause("", "objects", message))
    metadata = {key: template["metadata"][key] for key in _METADATA if key in template["metadata"]}
    spec = {key: template[key] for key in ("message", "parameters") if key in template}
    made: dict[str, Any] = as_written(
        {
            "apiVersion": "template.kubevirt.io/v1beta1",
            "kind": "VirtualMachineTemplate",
            **({"metadata": metadata} if metadata else {}),
            "spec": {**spec, "virtualMachine": objects[0]},
        }
    )
    return made
