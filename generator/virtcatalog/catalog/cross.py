"""VM templates with other instance types and preferences than their own: what `cross` in vms.yaml asks for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase

from msgspec.structs import replace

from virtcatalog.catalog.kinds import Manifest
from virtcatalog.catalog.model import VmTemplate
from virtcatalog.errors import CatalogError, Problem
from virtcatalog.manifests.merge import fresh

_REFERENCES = (
    ("instancetype", "VirtualMachineClusterInstancetype"),
    ("preference", "VirtualMachineClusterPreference"),
)


def crossed(template: VmTemplate, objects: Sequence[Manifest]) -> Iterator[VmTemplate]:
    """Yield the template itself, then one with every pair of what it is crossed with.

    `objects` are those that the template's environment deploys. A pair's key ends in its names, and a kind
    that is not crossed stays as the template has it. CatalogError for a glob that matches nothing.
    """
    yield template
    cross = template.cross
    if cross is None:
        return
    namespace = template.manifest["metadata"].get("namespace", "")
    choices = []
    for (part, usual), globs in zip(_REFERENCES, (cross.instancetypes, cross.preferences), strict=True):
        own = template.manifest["spec"].get(part)
        if not globs:
            choices.append([(part, own)])
            continue
        kind = (own or {}).get("kind") or usual
        names = [
            manifest["metadata"]["name"]
            for manifest in objects
            if manifest["kind"].lower() == kind.lower()
            and manifest["metadata"].get("namespace", namespace) == namespace
        ]
        for glob in globs:
            if not any(fnmatchcase(name, glob) for name in names):
                message = f"crosses {template.file} with {part}s {glob!r}, and no {kind} has such a name"
                raise CatalogError(Problem(file=template.source.file, field=part, message=message))
        chosen = [name for name in names if any(fnmatchcase(name, glob) for glob in globs)]
        choices.append([(part, {"kind": kind, "name": name}) for name in chosen])
    for instancetype in choices[0]:
        for preference in choices[1]:
            pair = dict((instancetype, preference))
            names = [pair[part]["name"] for part, _ in _REFERENCES if getattr(cross, f"{part}s")]
            yield replace(template, key=".".join([template.key, *names]), manifest=_with(template.manifest, pair))


def _with(manifest: Manifest, pair: dict[str, dict[str, str]]) -> Manifest:
    copy: Manifest = fresh(manifest)
    copy["spec"] |= {part: reference for part, reference in pair.items() if reference}
    return copy
