"""A VM in the making out of a libvirt domain, and where each of its fields comes from."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any, Literal, NamedTuple

from virtcatalog.adopt.data import get, without
from virtcatalog.api.findings import Path
from virtcatalog.errors import ManifestError
from virtcatalog.manifests.xml import XMLElement, problem_at

Fate = Literal["carried", "host", "lost", "unproven"]
"""What becomes of a part of a domain; unproven: the VM is refused, and there is no domain to compare with."""
FATES: tuple[Fate, ...] = ("carried", "host", "lost", "unproven")
KUBEVIRT = "{http://kubevirt.io}kubevirt"
_TRUTHS = {"yes": True, "on": True, "no": False, "off": False}


class Said(NamedTuple):
    """What becomes of a part of a domain, and why or how."""

    fate: Fate
    why: str


class Need(NamedTuple):
    """A field of the VM that the domain cannot tell, and what to do about it."""

    field: str
    message: str


class Draft:
    """The template of a VM, filled in piece by piece.

    `devices` are the names of the VM's devices by the element that they were made of, `said` what is known of a part of
    the domain without looking at what comes of it: an element (all of it), or an attribute of one. `assumed` are the
    manifests of claims that the VM needs to be as the domain tells.
    """

    def __init__(self, domain: XMLElement, file: str) -> None:
        self.domain, self.file = domain, file
        self.ours = domain.first("metadata", KUBEVIRT) is not None
        """Whether KubeVirt made the domain: its paths and aliases then tell of volumes and names."""
        self.name = self.namespace = ""
        self.annotations: dict[str, str] = {}
        self.spec: dict[str, Any] = {"domain": {"devices": {}}}
        self.data_volumes: list[dict[str, Any]] = []
        self.devices: dict[XMLElement, str] = {}
        self.said: dict[tuple[XMLElement, str | None], Said] = {}
        self.needs: list[Need] = []
        self.assumed: list[dict[str, Any]] = []
        self._origins: dict[Path, tuple[tuple[XMLElement, str | None], ...]] = {}

    @property
    def architecture(self) -> str:
        """The guest's architecture, as Kubernetes names it."""
        found: str = self.spec.get("architecture", "amd64")
        return found

    def put(self, path: Path, value: Any, *origins: XMLElement | tuple[XMLElement, str]) -> None:
        """Put a value below `spec.template.spec`, and remember the parts of the domain that it comes from."""
        node: Any = self.spec
        for step, below in pairwise(path):
            if isinstance(node, list):
                node = node[int(step)]
            else:
                node = node.setdefault(step, [] if isinstance(below, int) else {})
        if isinstance(node, list) and path[-1] == len(node):
            node.append(value)
        else:
            node[path[-1]] = value
        self._origins[path] = tuple((origin, None) if isinstance(origin, XMLElement) else origin for origin in origins)

    def get(self, *path: str) -> Any:
        """Return what stands below `spec.template.spec`, None where nothing does."""
        return get(self.spec, path)

    def device(self, family: str, device: dict[str, Any], element: XMLElement) -> None:
        """Add a device that has a name to one of the lists of devices."""
        self.spec["domain"]["devices"].setdefault(family, [])
        self.put(("domain", "devices", family, len(self.spec["domain"]["devices"][family])), device, element)
        self.devices[element] = device["name"]

    def say(self, fate: Fate, why: str, *parts: XMLElement | tuple[XMLElement, str] | None) -> None:
        """Say what becomes of elements or attributes; None is none."""
        for part in parts:
            if part is not None:
                self.said[(part, None) if isinstance(part, XMLElement) else part] = Said(fate, why)

    def need(self, field: str, message: str) -> None:
        """Note a field below `spec.template.spec` that somebody has to fill in."""
        self.needs.append(Need(f"spec.template.spec.{field}", message))

    def drop(self, refused: Path, why: str) -> bool:
        """Take out the field that KubeVirt refuses, or what holds it, with where it comes from; whether one is found.

        The devices of a list stay: others go with them, and are counted.
        """
        above = [path for path in self._origins if path == refused[: len(path)] and _goes(path)]
        below = [path for path in self._origins if refused and path[: len(refused)] == refused and _goes(path)]
        near = above or (below if len(below) == 1 else [])
        if not near:
            return False
        path = max(near, key=len)
        self.spec = without(self.spec, {path})[0]
        for origin in self._origins.pop(path):
            self.said[origin] = Said("lost", why)
        self._origins = {each: found for each, found in self._origins.items() if each[: len(path)] != path}
        return True

    def fault(self, element: XMLElement, message: str, attribute: str = "") -> ManifestError:
        """Return the error of an element, or an attribute of it, that cannot be read."""
        return ManifestError(problem_at(self.file, element, message, attribute))

    def number(self, element: XMLElement, attribute: str = "", default: int | None = None) -> int:
        """Return the whole number that an element or an attribute of it holds."""
        text = element.get(attribute) if attribute else element.text
        if not text and default is not None:
            return default
        try:
            found = int(text, 0) if len(text) < _LONGEST_NUMBER else -1
        except ValueError:
            found = -1
        if found < 0:
            raise self.fault(element, f"{_short(text)} is no whole number", attribute)
        return found

    def truth(self, element: XMLElement, attribute: str, default: bool) -> bool:
        """Return whether an attribute says yes or on."""
        text = element.get(attribute)
        if text and text not in _TRUTHS:
            raise self.fault(element, f"{_short(text)} is none of {', '.join(_TRUTHS)}", attribute)
        return _TRUTHS.get(text, default)

    def one(self, *path: str) -> XMLElement:
        """Return the element at a path that a domain must have."""
        element = self.domain.first(*path)
        if element is None:
            raise self.fault(self.domain, f"<{'><'.join(path)}> is missing: every domain has it")
        return element


_LONGEST_NUMBER = 20


def _goes(path: Path) -> bool:
    return path[0] == "domain" and path != ("domain", "memory", "guest") and not isinstance(path[-1], int)


def _short(text: str) -> str:
    return repr(text if len(text) < 60 else f"{text[:60]}…")


def each_number(texts: Iterable[str]) -> list[int] | None:
    """Return texts as whole numbers, None if one is none."""
    found = list(texts)
    return (
        [int(each) for each in found]
        if all(each.isdecimal() and len(each) < _LONGEST_NUMBER for each in found)
        else None
    )
