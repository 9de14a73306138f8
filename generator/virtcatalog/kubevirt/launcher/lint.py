"""What libvirt's own schema says of a domain.

The schema is RELAX NG and comes with libvirt (Debian: libvirt0); the newest on the machine is taken, and none is part
of virtcatalog. A machine's libvirt is often older than the one in KubeVirt's launcher, and KubeVirt leaves out or adds
things that libvirt's parser knows how to take: `ALLOWANCES` is what the schema may refuse for that.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec
from lxml import etree

from virtcatalog.errors import VirtcatalogError
from virtcatalog.kubevirt.memo import memo

Version = tuple[int, int]

_PREFIXES = ("/usr", "/usr/local", sys.prefix)
_SCHEMA = Path("share/libvirt/schemas/domain.rng")
_LIBRARIES = ("lib/libvirt.so.0.*", "lib64/libvirt.so.0.*", "lib/*/libvirt.so.0.*")
_LIBRARY = re.compile(r"libvirt\.so\.0\.(\d+)\.\d+")

_FRAME = ("name", "uuid", "memory", "os")


class Allowance(msgspec.Struct, frozen=True):
    """Elements or attributes that are taken out before the schema is asked again, and why.

    `since` is a version of libvirt whose schema takes them: nothing is taken out for it, or for a later one.
    """

    path: str
    why: str
    since: Version | None = None


_LIBVIRT_FILLS = "libvirt's parser fills it in where KubeVirt leaves it out"
_KUBEVIRT_ONLY = "KubeVirt notes it for itself, and libvirt's parser passes over it"
_NEW, _NEWER = "newer than libvirt 9.0", "newer than libvirt 11.3"

ALLOWANCES = (
    Allowance("sysinfo/*[not(*)]", "KubeVirt writes SMBIOS tables that hold nothing"),
    Allowance("clock[not(@offset)]", _LIBVIRT_FILLS),
    Allowance("devices/hostdev[@type='pci'][not(@mode)]", _LIBVIRT_FILLS),
    Allowance("devices/disk/capacity", _KUBEVIRT_ONLY),
    Allowance("devices/disk/filesystemOverhead", _KUBEVIRT_ONLY),
    Allowance("devices/disk//source[@dev]/@name", _KUBEVIRT_ONLY),
    Allowance("devices/filesystem/@accessMode", "libvirt spells it accessmode, and goes by its default"),
    Allowance("devices/filesystem/source[@socket]/@dir", "KubeVirt writes an empty directory beside the socket"),
    Allowance("os/nvram/@format", _NEW, (11, 3)),
    Allowance("os/acpi/table[@type='msdm']", _NEW, (11, 3)),
    Allowance("iommufd", _NEWER),
    Allowance("features/hyperv/tlbflush/*", _NEW, (11, 3)),
    Allowance("launchSecurity[@type='sev-snp' or @type='tdx']", _NEWER),
    Allowance("devices/disk/driver/iothreads", _NEW, (11, 3)),
    Allowance("devices/disk/blockio/@discard_granularity", _NEW, (11, 3)),
    Allowance("devices/disk/source/dataStore", _NEW, (11, 3)),
    Allowance("devices/disk/source/reservations/@migration", _NEWER),
    Allowance("devices/hostdev/acpi", _NEW, (11, 3)),
    Allowance("devices/hostdev/driver/@iommufd", _NEW, (11, 3)),
    Allowance("devices/interface[@type='vhostuser'][backend]", _NEW, (11, 3)),
    Allowance("devices/iommu[@model='smmuv3']", _NEWER),
    Allowance("devices/panic[@model='pvpanic']", _NEW, (11, 3)),
)


class SchemaMissingError(VirtcatalogError):
    """The machine has no libvirt schema, or not where it was said to be."""


_INSTALL = "install libvirt (Debian: libvirt0, Fedora: libvirt-libs) or name its domain.rng"


def newest_schema(prefixes: Iterable[str] = _PREFIXES) -> Schema:
    """Read the schema of the newest libvirt below `prefixes`; SchemaMissingError when there is none."""
    paths = [Path(prefix, _SCHEMA) for prefix in prefixes]
    files = [path for path in paths if path.is_file()]
    if not files:
        raise SchemaMissingError(f"there is no libvirt schema, {' or '.join(map(str, paths))}: {_INSTALL}")
    return Schema(max(files, key=lambda path: _version(path) or ()))


def _version(schema: Path) -> Version | None:
    """The version of the library that is installed with a schema, as its file is called: 0.11003.0 is 11.3."""
    prefix = schema.parents[len(_SCHEMA.parts) - 1] if schema.parts[-len(_SCHEMA.parts) :] == _SCHEMA.parts else None
    files = [file.name for pattern in _LIBRARIES for file in prefix.glob(pattern)] if prefix else []
    numbers = [int(match[1]) for match in map(_LIBRARY.fullmatch, files) if match]
    return divmod(max(numbers), 1000) if numbers else None


class Finding(msgspec.Struct, frozen=True):
    """What the schema refuses: the line of the XML, the element, and what is wrong with it."""

    line: int
    element: str
    message: str

    def __str__(self) -> str:
        return f"line {self.line}: <{self.element}>: {self.message}"


class Schema:
    """libvirt's schema of domains, read from a file; `version` is libvirt's, None when nothing beside it tells."""

    def __init__(self, path: Path) -> None:
        if not path.is_file():
            raise SchemaMissingError(f"there is no libvirt schema at {path}: {_INSTALL}")
        try:
            self._schema = etree.RelaxNG(etree.parse(path))
        except (etree.XMLSyntaxError, etree.RelaxNGParseError, OSError) as error:
            raise SchemaMissingError(f"{path} cannot be read as a RELAX NG schema: {error}") from None
        self.path, self.version = path, _version(path)

    def __reduce__(self) -> tuple[type[Schema], tuple[Path]]:
        return Schema, (self.path,)

    def __str__(self) -> str:
        return f"libvirt {'.'.join(map(str, self.version))}'s schema" if self.version else str(self.path)

    def findings(self, xml: str) -> list[Finding]:
        """Return what the schema refuses in a domain, but for what is allowed."""
        root: Any = etree.fromstring(xml.encode())
        if self._schema.validate(root):
            return []
        for allowance in ALLOWANCES:
            if allowance.since and self.version and self.version >= allowance.since:
                continue
            for place in _select(allowance.path)(root):
                _take_out(place)
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
        for element in [inner for inner in part.iter() if inner is not part]:
            parent, place = element.getparent(), element.getparent().index(element)
            parent.remove(element)
            valid = self._schema.validate(domain)
            parent.insert(place, element)
            if valid:
                return f"<{element.tag}> in <{parent.tag}> does not fit the schema"
        return "does not fit the schema"


def _take_out(place: Any) -> None:
    parent = place.getparent()
    if etree.iselement(place):
        parent.remove(place)
    else:
        del parent.attrib[place.attrname]


@memo
def _select(path: str) -> Callable[[Any], Any]:
    return etree.XPath(path)
