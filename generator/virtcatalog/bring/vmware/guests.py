"""Which operating system a VM has, by vSphere's guest id, a product's name, or VirtualBox's type; and its preference.

The ids are those of vSphere's VirtualMachineGuestOsIdentifier (vmware/govmomi, vim25/types/enum.go); what stands for
what of them, where the name misleads, is also in forklift's own table of preferences (kubev2v/forklift,
operator/roles/forkliftcontroller/templates/controller/configmap-osmap-vsphere.yml.j2). The names are those that vCenter
and VMware Tools show, and RVTools with them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from typing import Literal, NamedTuple

Drivers = Literal["virtio", "transitional", "none"]
"""What a guest has drivers for: today's virtio devices, virtio before 1.0, or neither."""


class Guest(NamedTuple):
    """An operating system: its family, `windows`, `rhel`, `linux` for any other Linux; and its version, "" if any."""

    family: str
    version: str = ""

    @property
    def drivers(self) -> Drivers:
        """What it has drivers for, once virt-v2v has converted it.

        Linux has virtio 1.0 since 4.0, and RHEL 7 backported it; of Windows, virtio-win has drivers from 7 and 2008 on.
        """
        if self.family == "windows":
            return "none" if self.version in _WINDOWS_WITHOUT_VIRTIO else "virtio"
        if self.family not in _LINUXES:
            return "none"
        major = self.version.partition(".")[0]
        newest_old = _NEWEST_OLD.get(self.family, 0)
        return "transitional" if major.isdecimal() and int(major) <= newest_old else "virtio"

    @property
    def generic(self) -> bool:
        """Whether it only says what sort of system it is."""
        return self.family in ("linux", "other")

    def __str__(self) -> str:
        return f"{self.family} {self.version}".strip()


_LINUXES = frozenset(
    ("rhel", "centos", "oraclelinux", "rocky", "alma", "fedora", "debian", "ubuntu", "sles", "opensuse", "amazonlinux")
) | {"photon", "coreos", "linux"}
_NEWEST_OLD: Mapping[str, int] = {"rhel": 6, "centos": 6, "oraclelinux": 6, "sles": 11, "debian": 8, "linux": 3}
_WINDOWS_WITHOUT_VIRTIO = frozenset(("31", "95", "98", "me", "nt", "2k", "xp", "2k3", "vista"))

#: What follows `windows` or `win` in an id, without `_64` and `Guest`.
_WINDOWS_IDS: Mapping[str, str] = {
    "7": "7",
    "7server": "2k8",
    "8": "8",
    "8server": "2k12",
    "9": "10",
    "9server": "2k16",
    "11": "11",
    "12": "12",
    "2019srv": "2k19",
    "2019srvnext": "2k22",
    "2022srvnext": "2k25",
    "hyperv": "hyperv",
    "31": "31",
    "95": "95",
    "98": "98",
    "me": "me",
    "nt": "nt",
    "vista": "vista",
    "longhorn": "2k8",
    "2000pro": "2k",
    "2000serv": "2k",
    "2000advserv": "2k",
    "xphome": "xp",
    "xppro": "xp",
    **{f"net{edition}": "2k3" for edition in ("web", "standard", "enterprise", "datacenter", "business")},
}
#: Families by what their ids begin with; those that are not here keep that as their name.
_FAMILIES: Mapping[str, str] = {
    "redhat": "rhel",
    "oraclelinux": "oraclelinux",
    "rockylinux": "rocky",
    "almalinux": "alma",
    "suse": "sles",
    "nld": "sles",
    "oes": "sles",
    "vmwarephoton": "photon",
    "genericlinux": "linux",
    "otherlinux": "linux",
    **dict.fromkeys(("asianux", "kylinlinux", "pardus", "miraclelinux", "prolinux", "fusionos"), "linux"),
    **dict.fromkeys(("crxpod", "crxsys"), "linux"),
}
#: Ids of old systems that do not say of which version: `centosGuest` is CentOS 4 or 5.
_OLD_IDS: Mapping[str, Guest] = {
    "redhat": Guest("rhel", "2"),
    "centos": Guest("centos", "5"),
    "oraclelinux": Guest("oraclelinux", "5"),
    "sles": Guest("sles", "9"),
    "suse": Guest("sles", "9"),
    "asianux3": Guest("linux", "2"),
    **{name: Guest("linux", "2") for name in ("asianux4", "mandrake", "mandriva", "turbolinux", "sjds")},
}
#: Ids whose names end in "or later".
_OR_LATER = frozenset(
    ("windows9Server64Guest", "centosGuest", "centos64Guest", "oracleLinuxGuest", "oracleLinux64Guest")
)
#: Of these the number in an id is no version of the system that bears the name.
_VERSIONLESS = frozenset(("linux", "photon", "coreos"))
_ID = re.compile(r"(?P<stem>[a-z]+?)(?P<version>\d*)(?:_?64)?guest", re.IGNORECASE)
_KERNEL = re.compile(r"other(?P<version>\d)\d?xlinux(?:_?64)?guest", re.IGNORECASE)
_WINDOWS_ID = re.compile(r"win(?:dows)?(?P<edition>\w+?)_?(?:64)?guest", re.IGNORECASE)

#: Names of products, as VMware and VirtualBox write them, and as os-release has them.
_NAMES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (family, re.compile(pattern, re.IGNORECASE))
    for family, pattern in (
        ("fedora", r"(?:red ?hat )?fedora(?: linux)? ?(?P<version>\d+)?"),
        ("rhel", r"red ?hat(?: enterprise)?(?: linux)?(?: server)?(?: release)? ?(?P<version>\d+)?(?!/)"),
        ("centos", r"cent ?os(?: linux)?(?: stream)?(?: release)? ?(?P<version>\d+)?(?![\d/])"),
        ("oraclelinux", r"oracle(?! ?solaris)(?: enterprise)?(?: ?linux)?(?: server)? ?(?P<version>\d+)?(?![\d/])"),
        ("rocky", r"rocky(?: ?linux)? ?(?P<version>\d+)?"),
        ("alma", r"alma ?linux ?(?P<version>\d+)?"),
        ("debian", r"debian(?: gnu/linux)? ?(?P<version>\d+)?"),
        ("ubuntu", r"ubuntu(?: linux)? ?(?P<version>\d+(?:\.\d+)?)?"),
        ("sles", r"suse linux enterprise(?: server| desktop)? ?(?P<version>\d+)?|sles ?(?P<other>\d+)?|suse linux"),
        ("opensuse", r"(?:suse )?opensuse(?: leap| linux|_leap|_linux)? ?(?P<version>\d+)?"),
        ("amazonlinux", r"amazon linux ?(?P<version>\d+)?"),
        ("photon", r"(?:vmware )?photon"),
        ("coreos", r"coreos"),
        ("linux", r"other (?P<version>\d)\.\S* (?:or later )?linux|linux ?(?P<other>\d)?|other linux|other_?linux"),
        ("freebsd", r"freebsd ?(?P<version>\d+)?"),
    )
)
_WINDOWS_NAME = re.compile(
    r"(?:microsoft )?(?:windows|small business server) ?(?:server ?)?"
    r"(?P<version>\d{4}|\d{1,2}(?:\.\d)?|xp|vista|nt|me)(?!\d)",
    re.IGNORECASE,
)
_YEARS: Mapping[str, str] = {
    "2000": "2k",
    "2003": "2k3",
    "2008": "2k8",
    "2012": "2k12",
    "2016": "2k16",
    "2019": "2k19",
    "2022": "2k22",
    "2025": "2k25",
    "3.1": "31",
    "81": "8",
    "8.1": "8",
}


@lru_cache(maxsize=1 << 12)
def guest_of(text: str) -> Guest | None:
    """Return the system of a guest id (`rhel9_64Guest`), a name (`Ubuntu Linux (64-bit)`) or VirtualBox's type.

    None for a text that names no system that is known.
    """
    text = " ".join(text.split())
    if not text:
        return None
    return _of_id(text) if text.lower().endswith("guest") else _of_name(text)


def _of_id(text: str) -> Guest | None:
    if match := _KERNEL.fullmatch(text):
        return Guest("linux", match["version"])
    if match := _WINDOWS_ID.fullmatch(text):
        version = _WINDOWS_IDS.get(match["edition"].lower().removesuffix("64"))
        return Guest("windows", version) if version else None
    match = _ID.fullmatch(text)
    if match is None:
        return None
    stem = match["stem"].lower()
    if stem == "win":
        return None
    version = "" if match["version"] == "64" else match["version"]
    if old := _OLD_IDS.get(f"{stem}{version}"):
        return old
    family = _FAMILIES.get(stem, stem)
    return Guest(family, "" if family in _VERSIONLESS else version)


def _of_name(text: str) -> Guest | None:
    if match := _WINDOWS_NAME.match(text):
        version = match["version"].lower()
        return Guest("windows", _YEARS.get(version, version))
    for family, pattern in _NAMES:
        if match := pattern.match(text):
            groups = match.groupdict()
            return Guest(family, groups.get("version") or groups.get("other") or "")
    if "linux" in text.lower():
        return Guest("linux")
    return Guest("other") if text.lower().startswith("other") else None


def or_later(text: str) -> bool:
    """Whether a guest id or a name stands for later versions as well, as that of Windows Server 2016 does."""
    return " or later" in text.lower() or text in _OR_LATER


def guest_of_machine(texts: Collection[str]) -> tuple[Guest | None, str]:
    """Return the system that a VM has, and the text that says so.

    The first text counts that says more than the sort of system; without one, the first that says that.
    """
    guests = [(guest, text) for text in texts if (guest := guest_of(text)) is not None]
    specific = next(((guest, text) for guest, text in guests if not guest.generic), None)
    return specific or next(iter(guests), (None, next(filter(None, texts), "")))


def preferences_for(guest: Guest, *, virtio: bool) -> Iterator[tuple[str, bool]]:
    """Yield the names that preferences for a system have, without punctuation, the best first.

    With each comes whether it is for more than that version of it: for all versions, or for any Linux. With `virtio`,
    those for Windows with virtio-win's drivers come first.
    """
    family, version, major = guest.family, guest.version.replace(".", ""), guest.version.partition(".")[0]
    if family == "windows":
        if virtio:
            yield f"windows{version}virtio", False
        yield f"windows{version}", False
        return
    for name in _PREFERENCES.get(family, (family,)):
        yield from ((f"{name}{number}", False) for number in dict.fromkeys((version, major)) if number)
        if family not in ("rhel", "centos"):
            yield name, bool(version)
    if family in _LINUXES and family != "linux":
        yield "linux", True


#: How preferences for a family are called, where that is not the family's name.
_PREFERENCES: Mapping[str, tuple[str, ...]] = {
    "centos": ("centosstream", "centos"),
    "opensuse": ("opensuseleap", "opensuse"),
    "rocky": ("rocky", "rockylinux"),
    "alma": ("almalinux", "alma"),
}


def plain(name: str) -> str:
    """Return a preference's name as `preferences_for` has it: also of `windows.windows2k22` and `linux.rhel9`."""
    text = re.sub(r"[^a-z0-9]", "", name.lower())
    for sort in ("linux", "windows"):
        rest = text.removeprefix(sort)
        if rest and (sort == "linux" or rest.startswith(sort)):
            text = rest
    return text
