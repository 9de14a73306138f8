"""A VM that is being made of a libvirt domain, with the origins of its fields."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any, NamedTuple

from virtcatalog.api.findings import Path
from virtcatalog.bring.imports import Fate, Verdict, lost
from virtcatalog.errors import ManifestError
from virtcatalog.manifests.fields import get, without
from virtcatalog.manifests.xml import XMLElement, problem_at

KUBEVIRT = "{http://kubevirt.io}kubevirt"
_TRUTHS = {"yes": True, "on": True, "no": False, "off": False}


class Need(NamedTuple):
    """A field of the VM that the domain does not tell, and what to do about it."""

    field: str
    message: str


class Draft:
    """The template of a VM, filled in step by step.

    `devices` are the names of the VM's devices by their element in the domain. `verdicts` are those that need no
    comparison with the VM's domain: of an element with all its content, or of an attribute. `assumed` are manifests of
    claims that the VM uses.
    """

    def __init__(self, domain: XMLElement, file: str) -> None:
        self.domain, self.file = domain, file
        self.from_kubevirt = domain.first("metadata", KUBEVIRT) is not None
        """Whether KubeVirt made the domain: its paths and aliases then show volumes and names."""
        self.name = self.namespace = ""
        self.annotations: dict[str, str] = {}
        self.spec: dict[str, Any] = {"domain": {"devices": {}}}
        self.data_volumes: list[dict[str, Any]] = []
        self.devices: dict[XMLElement, str] = {}
        self.verdicts: dict[tuple[XMLElement, str | None], Verdict] = {}
        self.needs: list[Need] = []
        self.assumed: list[dict[str, Any]] = []
        self._origins: dict[Path, tuple[tuple[XMLElement, str | None], ...]] = {}

    @property
    def architecture(self) -> str:
        """The guest's architecture, as Kubernetes names it."""
        architecture: str = self.spec.get("architecture", "amd64")
        return architecture

    def put(self, path: Path, value: Any, *origins: XMLElement | tuple[XMLElement, str]) -> None:
        """Set a field below `spec.template.spec`, with the parts of the domain that it comes from."""
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
        """Return a field below `spec.template.spec`, None where it is not set."""
        return get(self.spec, path)

    def device(self, family: str, device: dict[str, Any], element: XMLElement) -> None:
        """Add a device with a name to one of the lists of devices."""
        self.spec["domain"]["devices"].setdefault(family, [])
        self.put(("domain", "devices", family, len(self.spec["domain"]["devices"][family])), device, element)
        self.devices[element] = device["name"]

    def mark(self, fate: Fate, why: str, *parts: XMLElement | tuple[XMLElement, str] | None) -> None:
        """Set the verdict of elements or attributes; None is skipped."""
        for part in parts:
            if part is not None:
                self.verdicts[(part, None) if isinstance(part, XMLElement) else part] = Verdict(fate, why)

    def need(self, field: str, message: str) -> None:
        """Note a field below `spec.template.spec` that the user has to fill in."""
        self.needs.append(Need(f"spec.template.spec.{field}", message))

    def drop(self, refused: Path, why: str) -> bool:
        """Remove the field that KubeVirt refuses, or the one around it, and return whether there is one.

        The parts of the domain that it comes from are lost. Items of lists stay: other fields refer to their indexes.
        """
        above = [path for path in self._origins if path == refused[: len(path)] and _goes(path)]
        below = [path for path in self._origins if refused and path[: len(refused)] == refused and _goes(path)]
        near = above or (below if len(below) == 1 else [])
        if not near:
            return False
        path = max(near, key=len)
        self.spec = without(self.spec, {path})[0]
        for origin in self._origins.pop(path):
            self.verdicts[origin] = lost(why)
        self._origins = {
            other_path: parts for other_path, parts in self._origins.items() if other_path[: len(path)] != path
        }
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
            value = int(text, 0) if len(text) < _LONGEST_NUMBER else -1
        except ValueError:
            value = -1
        if value < 0:
            raise self.fault(element, f"{_short(text)} is no whole number", attribute)
        return value

    def truth(self, element: XMLElement, attribute: str, default: bool) -> bool:
        """Return whether an attribute is yes or on."""
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


def integers(texts: Iterable[str]) -> list[int] | None:
    """Return texts as whole numbers, None if any is no such number."""
    digits = list(texts)
    return (
        [int(text) for text in digits]
        if all(text.isdecimal() and len(text) < _LONGEST_NUMBER for text in digits)
        else None
    )


def attribute(element: XMLElement | None, name: str) -> str:
    """Return an attribute of an element that may be missing."""
    return element.get(name) if element is not None else ""
