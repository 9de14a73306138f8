"""Reads the files of a catalog: returns their sound parts and reports every fault."""

from __future__ import annotations

from typing import Any

from virtcatalog.api.findings import Findings
from virtcatalog.api.shape import Version, parse_release, struct_of
from virtcatalog.catalog.check import faults
from virtcatalog.catalog.compose import take_out
from virtcatalog.catalog.fragments import fragments_of, owner_of
from virtcatalog.catalog.layers import COMPONENT_FRAGMENT, check_layer
from virtcatalog.catalog.sources import Sources, is_extended
from virtcatalog.errors import similar
from virtcatalog.manifests.layout import CATALOG, OVERLAYS, PRICES, VMS


class Files:
    """The files of a catalog and of those that it extends; `release` is empty until catalog.yaml has been read."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self.release: Version = ()

    def read(self, place: str, kind: Any, *, over: bool = False) -> dict[str, Any]:
        """Return the sound parts of a file and report every fault; {} when there is no such file.

        A file `over` one of an extended catalog may lack required keys.
        """
        present = place in self.sources.files or self.sources.local(place) != place
        data = self.sources.read(place) if present else None
        if data is None:
            return {}
        local = self.sources.local(place)
        findings = self._faults(local, data, kind, over=over, extended=is_extended(place))
        for path, message in findings:
            self.sources.report(place, path, message)
            owner = owner_of(local, path)
            keys = [str(key) for key in path[len(owner) : len(owner) + 1]]
            self.sources.spoil(place, owner, keys + similar(keys, COMPONENT_FRAGMENT))
        for path, _ in findings:
            take_out(data, path)
        return data if isinstance(data, dict) else {}

    def _faults(self, place: str, data: Any, kind: Any, *, over: bool, extended: bool) -> Findings:
        """Return what is wrong with the data of a file (its path within its catalog), with the paths in the data."""
        if not isinstance(data, dict):
            return faults(data, kind)
        findings: Findings = []
        literal = {**data}
        if place == CATALOG:
            sections = {key: literal.pop(key) for key in ("instancetypes", "preferences") if key in data}
            findings = faults(literal, kind)
            if data.get("kubevirt") and not self.release and not any(path[:1] == ("kubevirt",) for path, _ in findings):
                self.release = parse_release(data["kubevirt"])
            literal = sections
        if "/" in place and not over:
            fields = struct_of(kind).fields
            findings += [((key,), "is required") for key in fields if fields[key].required and data.get(key) is None]
        partial, expressions = place not in (PRICES, VMS), place not in (OVERLAYS, PRICES, VMS)
        # What is too new in an extended catalog may be taken out again: Composer.check_spec looks at what is left.
        release = () if extended else self.release
        findings += faults(literal, kind, release, fragment=partial, expressions=expressions)
        for path, fragment in fragments_of(place, data):
            findings += [((*path, *field), message) for field, message in check_layer(fragment)]
        return findings
