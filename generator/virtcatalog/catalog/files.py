"""Reads single files of a catalog: what is sound of them, and every fault of the rest."""

from __future__ import annotations

from typing import Any

from virtcatalog.catalog.check import Checker, Version, collector, fields_of, parse_release, take_out
from virtcatalog.catalog.fragments import fragments_of, owner_of
from virtcatalog.catalog.layers import COMPONENT_FRAGMENT, check_layer
from virtcatalog.catalog.sources import FieldPath, Sources
from virtcatalog.errors import similar

Fault = tuple[FieldPath, str]


class Files:
    """The files of a catalog and of those that it extends; `release` is known once catalog.yaml is read."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self.release: Version = ()

    def read(self, place: str, kind: Any, *, over: bool = False) -> dict[str, Any]:
        """Return what is sound of a file, and report the rest; {} when there is no such file.

        A file `over` that of an extended catalog need not say everything again.
        """
        known = place in self.sources.files or self.sources.local(place) != place
        data = self.sources.read(place) if known else None
        if data is None:
            return {}
        faults = self._faults(self.sources.local(place), data, kind, over=over)
        for path, message in faults:
            self.sources.report(place, path, message)
            owner = owner_of(self.sources.local(place), path)
            keys = [str(key) for key in path[len(owner) : len(owner) + 1]]
            self.sources.spoil(place, owner, keys + similar(keys, COMPONENT_FRAGMENT))
        for path, _ in faults:
            take_out(data, path)
        return data if isinstance(data, dict) else {}

    def _faults(self, place: str, data: Any, kind: Any, *, over: bool) -> list[Fault]:
        """Return what is wrong with the data of a file, by its path within its catalog, each with the data's path."""
        faults: list[Fault] = []
        if not isinstance(data, dict):
            Checker(collector(faults)).check(data, kind)
            return faults
        literal = {**data}
        if place == "catalog.yaml":
            sections = {key: literal.pop(key) for key in ("instancetypes", "preferences") if key in data}
            Checker(collector(faults)).check(literal, kind)
            if data.get("kubevirt") and not self.release and not any(path[:1] == ("kubevirt",) for path, _ in faults):
                self.release = parse_release(data["kubevirt"])
            literal = sections
        if "/" in place and not over:
            missing = [key for key, field in fields_of(kind).items() if field.required and data.get(key) is None]
            faults += [((), f"{key!r} is missing") for key in missing]
        partial, expressions = place != "vms.yaml", place not in ("overlays.yaml", "vms.yaml")
        Checker(collector(faults), self.release, fragment=partial, expressions=expressions).check(literal, kind)
        for path, each in fragments_of(place, data):
            faults += [((*path, *field), message) for field, message in check_layer(each)]
        return faults
