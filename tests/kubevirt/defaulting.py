"""Read a VMI, give it its defaults, look at what it got."""

from __future__ import annotations

from reading import read

from virtcatalog.api.configuration import KubeVirtConfiguration
from virtcatalog.api.decode import convert, to_manifest
from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.kubevirt.configuration import Configuration
from virtcatalog.kubevirt.defaults.spec import set_default_vmi
from virtcatalog.releases import RELEASES


def read_vmi(text):
    """Return a VMI of the YAML of its spec, in which a key may be dotted."""
    spec = {"domain": {"devices": {}}}
    for key, value in read(text).items():
        *parents, last = key.split(".")
        place = spec
        for parent in parents:
            place = place.setdefault(parent, {})
        place[last] = value
    return convert({"metadata": {"name": "vm"}, "spec": spec}, VirtualMachineInstance)


def value_at(manifest, path):
    """Follow `domain.devices.disks.0.disk`; None where it ends."""
    for step in path.split("."):
        if isinstance(manifest, list):
            manifest = manifest[int(step)] if int(step) < len(manifest) else None
        else:
            manifest = (manifest or {}).get(step)
    return manifest


def default(text, path, config="{}", architecture="amd64", setter=None, release="v1.9.0"):
    """Give a VMI its defaults, or with `setter` its spec some of them, and return what is then at a path of it."""
    configuration = Configuration(
        convert(read(config), KubeVirtConfiguration), architecture=architecture, release=RELEASES[release]
    )
    vmi = read_vmi(text)
    if setter:
        setter(vmi.spec, configuration)
    else:
        set_default_vmi(vmi, configuration)
    return value_at(to_manifest(vmi)["spec"], path)
