"""VMIs from a fragment of YAML, and XML that compares whatever its layout."""

from __future__ import annotations

from xml.etree.ElementTree import canonicalize

import msgspec

import otheryaml
from virtcatalog.api.decode import convert
from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.kubevirt.hosts import HostCell, HostCPU, HostTopology
from virtcatalog.kubevirt.launcher.architecture import architecture_of
from virtcatalog.kubevirt.launcher.builder import build_domain
from virtcatalog.kubevirt.launcher.context import Context
from virtcatalog.kubevirt.launcher.xml import write

TWO_NODES = HostTopology(
    tuple(
        HostCell(node, tuple(HostCPU(cpu, (cpu & ~1, cpu | 1)) for cpu in range(8 * node, 8 * node + 8)))
        for node in range(2)
    )
)
"""Two NUMA nodes of four cores with two threads each: CPUs 0-7 and 8-15."""


def make_vmi(text="", architecture="amd64", annotations=None):
    """Make the VMI default/vm of the YAML of its spec, whose keys may be dotted; `domain.devices` may be left out."""
    spec = {"architecture": architecture, "domain": {"devices": {}}}
    for key, value in (otheryaml.load(text) or {}).items():
        *parents, last = key.split(".")
        place = spec
        for parent in parents:
            place = place.setdefault(parent, {})
        place[last] = value
    metadata = {"name": "vm", "namespace": "default", "uid": "u", "annotations": annotations or {}}
    return convert({"metadata": metadata, "spec": spec}, VirtualMachineInstance)


def make_context(architecture="amd64", **changes):
    """Make the context of a VMI of an architecture."""
    return msgspec.structs.replace(Context(), architecture=architecture_of(architecture), **changes)


def xml(parts):
    """Give elements or XML text in a form that compares: order of attributes and white space do not count."""
    if parts is None:
        return ""
    text = (
        parts if isinstance(parts, str) else "".join(map(write, parts if isinstance(parts, list | tuple) else [parts]))
    )
    return canonicalize(f"<_>{text}</_>", strip_text=True)[3:-4]


def parts(tags, vmi, context=None):
    """Give the elements with these tags, in `<domain>` or in `<devices>`, of the domain of a VMI."""
    domain = build_domain(vmi, context or make_context(vmi.spec.architecture))
    return [element for element in (*domain, *domain.find("devices")) if element.tag in tags.split()]


def part(tag, vmi, context=None):
    """Give the element with a tag of the domain of a VMI, None where there is none."""
    return next(iter(parts(tag, vmi, context)), None)
