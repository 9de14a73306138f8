"""The bill of materials of an artifact, in CycloneDX's JSON: its files with their digests, and what they build on."""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from virtcatalog.oci.reference import need


def bom(
    name: str, version: str, files: Mapping[str, bytes], extends: Sequence[tuple[str, str]], created: str, tool: str
) -> dict[str, Any]:
    """Return the bill of materials of a catalog; `extends` are names of other catalogs, with digests of artifacts.

    `created` is a time or "", `tool` virtcatalog's version. The same catalog gives the same bytes.
    """
    need("cyclonedx.model.bom")
    from cyclonedx.model import HashAlgorithm, HashType
    from cyclonedx.model.bom import Bom
    from cyclonedx.model.component import Component, ComponentType
    from cyclonedx.output.json import JsonV1Dot6

    def component(kind: ComponentType, name: str, digest: str, version: str | None = None) -> Component:
        hashes = [HashType(alg=HashAlgorithm.SHA_256, content=digest)] if digest else []
        return Component(type=kind, name=name, version=version, bom_ref=f"{kind.value}:{name}", hashes=hashes)

    top = component(ComponentType.DATA, name, "", version or None)
    parts = [
        component(ComponentType.FILE, path, hashlib.sha256(content).hexdigest())
        for path, content in sorted(files.items())
    ]
    extended = [component(ComponentType.DATA, other, digest.partition(":")[2]) for other, digest in extends]
    bom = Bom(components=[*parts, *extended])
    bom.metadata.component = top
    bom.metadata.tools.components.add(component(ComponentType.APPLICATION, "virtcatalog", "", tool))
    identity = hashlib.sha256("".join(f"{path}\0" for path in files).encode() + b"".join(files.values())).hexdigest()
    bom.serial_number = uuid.uuid5(uuid.NAMESPACE_URL, f"{name}#{identity}")
    if created:
        bom.metadata.timestamp = datetime.fromisoformat(created)
    bom.register_dependency(top, [*parts, *extended])
    listing: dict[str, Any] = json.loads(JsonV1Dot6(bom).output_as_string())
    if not created:
        del listing["metadata"]["timestamp"]  # which is that of this moment
    return listing
