"""VMs that are alike but for names and addresses: a VirtualMachineTemplate for them, and values for each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import msgspec

from virtcatalog.api.kinds import TEMPLATE, TEMPLATE_API_VERSION
from virtcatalog.bring.imports import free_label, label
from virtcatalog.bring.vmware.fates import Brought
from virtcatalog.errors import TemplateError
from virtcatalog.kubevirt.template.process import process
from virtcatalog.manifests.identity import Data, without_metadata

_NAME: Final = "NAME"
_WORDS: Final = {
    _NAME: "What the VM is called, and its disks' claims are made of",
    "DESCRIPTION": "What vCenter's notes say",
    "UUID": "The SMBIOS UUID",
    "SERIAL": "VMware's serial number of the UUID",
}
_ADDRESS: Final = "The MAC address of a network card"
_LONGEST: Final = 50


class Template(NamedTuple):
    """A template, and the values that make each of its VMs, by their names."""

    name: str
    manifest: Data
    vms: dict[str, dict[str, str]]


class Templates:
    """Puts VMs together that one template makes: what it makes with their values are exactly their manifests."""

    def __init__(self) -> None:
        self._groups: dict[bytes, tuple[Brought, Data, dict[str, dict[str, str]]]] = {}

    def add(self, brought: Brought) -> None:
        """Add a VM; one that no template makes as it is, stays out."""
        vm, values = parametrized(brought.vm)
        key = msgspec.json.encode(vm)
        group = self._groups.get(key)
        manifest = group[1] if group is not None else _template(vm, list(values))
        if _makes(manifest, values, brought.vm):
            self._groups.setdefault(key, (brought, manifest, {}))[2][brought.name] = values

    def shared(self) -> Iterator[Template]:
        """Yield the templates that make several VMs."""
        used_names: set[str] = set()
        for first, manifest, vms in self._groups.values():
            if len(vms) > 1:
                name = free_label(_title(first), used_names, _LONGEST)
                yield Template(name, {**manifest, "metadata": {**manifest["metadata"], "name": name}}, vms)


def parametrized(vm: Data) -> tuple[Data, dict[str, str]]:
    """Return a VM with parameters in place of its name and addresses, and without a namespace; and their values."""
    values = {_NAME: vm["metadata"]["name"]}

    def parameter(name: str, value: str) -> str:
        values[name] = value
        return f"${{{name}}}"

    metadata: Data = {"name": f"${{{_NAME}}}"}
    if "annotations" in vm["metadata"]:
        description = vm["metadata"]["annotations"]["description"]
        metadata["annotations"] = {"description": parameter("DESCRIPTION", description)}
    spec = vm["spec"]["template"]["spec"]
    domain = dict(spec["domain"])
    if "firmware" in domain:
        firmware = domain["firmware"]
        identity = {key: parameter(key.upper(), firmware[key]) for key in ("uuid", "serial") if key in firmware}
        domain["firmware"] = firmware | identity
    if interfaces := domain["devices"].get("interfaces"):
        cards = [
            card | ({"macAddress": parameter(f"MAC_{number}", card["macAddress"])} if "macAddress" in card else {})
            for number, card in enumerate(interfaces)
        ]
        domain["devices"] = {**domain["devices"], "interfaces": cards}
    owned = {key: _owned(value, values[_NAME]) for key, value in spec.items() if key == "volumes"}
    own = {key: _owned(value, values[_NAME]) for key, value in vm["spec"].items() if key == "dataVolumeTemplates"}
    template = {"spec": {**spec, "domain": domain, **owned}}
    return {"metadata": metadata, "spec": {**vm["spec"], **own, "template": template}}, values


def _owned(data: Any, name: str) -> Any:
    """Volumes and DataVolumes with the parameter in the names that are made of the VM's."""
    if isinstance(data, dict):
        return {key: _owned(value, name) for key, value in data.items()}
    if isinstance(data, list):
        return [_owned(value, name) for value in data]
    is_name = isinstance(data, str) and data.startswith(f"{name}-disk-")
    return f"${{{_NAME}}}{data.removeprefix(name)}" if is_name else data


def _template(vm: Data, names: list[str]) -> Data:
    parameters = [{"name": name, "required": True, "description": _WORDS.get(name, _ADDRESS)} for name in names]
    return {
        "apiVersion": TEMPLATE_API_VERSION,
        "kind": TEMPLATE,
        "metadata": {"name": "vm"},
        "spec": {"parameters": parameters, "virtualMachine": vm},
    }


def _makes(template: Data, values: dict[str, str], vm: Data) -> bool:
    """Whether KubeVirt's engine makes the VM of a template; its namespace is that in which it is applied."""
    try:
        return process(template, values).vm == process(_template(without_metadata(vm, "namespace"), []), {}).vm
    except TemplateError:
        return False


def _title(brought: Brought) -> str:
    references = (brought.system.preference, brought.instancetype)
    return label("-".join(reference.name for reference in references if reference is not None), "vm")
