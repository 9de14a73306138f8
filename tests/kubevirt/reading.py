"""Read the YAML of the cases."""

from __future__ import annotations

import otheryaml
from virtcatalog.api.core import ObjectMeta
from virtcatalog.api.decode import convert
from virtcatalog.api.instancetype import VirtualMachineInstancetypeSpec, VirtualMachinePreferenceSpec
from virtcatalog.api.kubevirt import VirtualMachine, VirtualMachineInstanceSpec


def read(text):
    return otheryaml.load(text)


def read_vmi(text):
    """Return the spec and metadata of a VMI; `domain.devices` may be left out."""
    values = read(text)
    metadata = ObjectMeta(annotations=values.pop("annotations", {}))
    values.setdefault("domain", {}).setdefault("devices", {})
    return convert(values, VirtualMachineInstanceSpec), metadata


def read_instancetype(text):
    """Return an instance type with 2 vCPUs and 2Gi where `text` does not say."""
    values = read(text)
    values.setdefault("cpu", {}).setdefault("guest", 2)
    values.setdefault("memory", {}).setdefault("guest", "2Gi")
    return convert(values, VirtualMachineInstancetypeSpec)


def read_preference(text):
    return convert(read(text), VirtualMachinePreferenceSpec)


def read_vm(text="{}", template="{}", name="vm"):
    """Return a VM of the YAML of its spec and of its template's spec."""
    spec = {"template": {"spec": read(template)}, **read(text)}
    spec["template"]["spec"].setdefault("domain", {}).setdefault("devices", {})
    return convert({"metadata": {"name": name}, "spec": spec}, VirtualMachine)
