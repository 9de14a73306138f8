"""What libvirt's own schema says of a domain.

The schema is RELAX NG and comes with libvirt (Debian: libvirt0); it is found on the machine, and none is part of
virtcatalog. A machine's libvirt is often older than the one in KubeVirt's launcher, and KubeVirt leaves out or adds
things that libvirt's parser knows how to take: `ALLOWANCES` is what the schema may refuse for that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
from lxml import etree

from virtcatalog.errors import VirtcatalogError

SCHEMA = Path("/usr/share/libvirt/schemas/domain.rng")

_FRAME = ("name", "uuid", "memory", "os")


class Allowance(msgspec.Struct, frozen=True):
    """Elements or attributes that are taken out before the schema is asked again, and why."""

    path: str
    why: str


_LIBVIRT_FILLS = "libvirt's parser fills it in where KubeVirt leaves it out"
_KUBEVIRT_ONLY = "KubeVirt notes it for itself, and libvirt's parser passes over it"
_NEWER = "newer than libvirt 9.0"

ALLOWANCES = (
    Allowance("sysinfo/*[not(*)]", "KubeVirt writes SMBIOS tables that hold nothing"),
    Allowance("clock[not(@offset)]", _LIBVIRT_FILLS),
    Allowance("devices/hostdev[@type='pci'][not(@mode)]", _LIBVIRT_FILLS),
    Allowance("devices/disk/capacity", _KUBEVIRT_ONLY),
    Allowance("devices/disk/filesystemOverhead", _KUBEVIRT_ONLY),
    Allowance("devices/disk//source[@dev]/@name", _KUBEVIRT_ONLY),
    Allowance("devices/filesystem/@accessMode", "libvirt spells it accessmode, and goes by its default"),
    Allowance("devices/filesystem/source[@socket]/@dir", "KubeVirt writes an empty directory beside the socket"),
    Allowance("os/nvram/@format", _NEWER),
    Allowance("os/acpi/table[@type='msdm']", _NEWER),
    Allowance("iommufd", _NEWER),
    Allowance("features/hyperv/tlbflush/*", _NEWER),
    Allowance("launchSecurity[@type='sev-snp' or @type='tdx']", _NEWER),
    Allowance("devices/disk/driver/iothreads", _NEWER),
    Allowance("devices/disk/blockio/@discard_granularity", _NEWER),
    Allowance("devices/disk/source/dataStore", _NEWER),
    Allowance("devices/disk/source/reservations/@migration", _NEWER),
    Allowance("devices/hostdev/acpi", _NEWER),
    Allowance("devices/hostdev/driver/@iommufd", _NEWER),
    Allowance("devices/interface[@type='vhostuser'][backend]", _NEWER),
    Allowance("devices/iommu[@model='smmuv3']", _NEWER),
    Allowance("devices/panic[@model='pvpanic']", _NEWER),
)


class SchemaMissingError(VirtcatalogError):
    """The machine has no libvirt schema, or not where it was said to be."""


class Finding(msgspec.Struct, frozen=True):
    """What the schema refuses: the line of the XML, the element, and what is wrong with it."""

    line: int
    element: str
    message: str

    def __str__(self) -> str:
        return f"line {self.line}: <{self.element}>: {self.message}"


class Schema:
    """libvirt's schema of domains, read from a file."""

    def __init__(self, path: Path = SCHEMA) -> None:
        if not path.is_file():
            raise SchemaMissingError(
                f"there is no libvirt schema at {path}: install libvirt (Debian: libvirt0, Fedora: libvirt-libs) "
                "or name its domain.rng"
            )
        try:
            self._schema = etree.RelaxNG(etree.parse(path))
        except (etree.XMLSyntaxError, etree.RelaxNGParseError, OSError) as error:
            raise SchemaMissingError(f"{path} cannot be read as a RELAX NG schema: {error}") from None

    def findings(self, xml: str) -> list[Finding]:
        """Return what the schema refuses in a domain, but for what is allowed."""
        root: Any = etree.fromstring(xml.encode())
        if self._schema.validate(root):
            return []
        for allowance in ALLOWANCES:
            for found in _select(allowance.path)(root):
                _take_out(found)
        if self._schema.validate(root):
            return []
        return list(self._blame(root)) or [Finding(1, "domain", "its parts do not go together")]

    def _blame(self, domain: Any) -> Iterator[Finding]:
        """Name the elements that the schema refuses by themselves: it says little of a domain as a whole."""
        devices = domain.find("devices")
        parts = [(domain, part) for part in domain if part.tag not in (*_FRAME, "devices")]
        parts += [(devices, part) for part in devices] if devices is not None else []
        lines = {part: part.sourceline for _, part in parts}
        for parent, part in parts:
            parent.remove(part)
        if not self._schema.validate(domain):
            yield Finding(domain.sourceline, "domain", "its frame does not fit the schema")
            return
        for parent, part in parts:
            parent.append(part)
            if not self._schema.validate(domain):
                yield Finding(lines[part], part.tag, self._reason(domain, part))
            parent.remove(part)

    def _reason(self, domain: Any, part: Any) -> str:
        """The one attribute or element without which the schema would take a part, if there is one."""
        for element in part.iter():
            for name, value in element.attrib.items():
                del element.attrib[name]
                valid = self._schema.validate(domain)
                element.set(name, value)
                if valid:
                    return f'{name}="{value}" of <{element.tag}> does not fit the schema'
        for element in [each for each in part.iter() if each is not part]:
            parent, place = element.getparent(), element.getparent().index(element)
            parent.remove(element)
            valid = self._schema.validate(domain)
            parent.insert(place, element)
            if valid:
                return f"<{element.tag}> in <{parent.tag}> does not fit the schema"
        return "does not fit the schema"


def _take_out(found: Any) -> None:
    parent = found.getparent()
    if etree.iselement(found):
        parent.remove(found)
    else:
        del parent.attrib[found.attrname]


@cache
def _select(path: str) -> Callable[[Any], Any]:
    return etree.XPath(path)
