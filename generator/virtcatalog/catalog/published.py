"""What an environment publishes, as `catalog.lock` holds it: names, scope, and what differs from the objects' own."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from typing import Any, Final

from virtcatalog.api.object import Object
from virtcatalog.catalog.environment import Overlay
from virtcatalog.catalog.labels import promised
from virtcatalog.catalog.model import Catalog, PublishedEnvironment, PublishedPatch
from virtcatalog.catalog.places import Source

LOCK: Final = "catalog.lock"


class PatchLine(Object, kw_only=True):
    """The spec and labels that an environment published of an object, where they differ from the object's own."""

    since: str
    digest: str
    spec: dict[str, Any] | None = None
    labels: dict[str, str] | None = None


class EnvironmentLine(Object, kw_only=True):
    """An environment in the lock."""

    since: str
    namespace: str = ""
    labels: dict[str, str] = {}
    objects: dict[str, list[str]]
    patched: dict[str, PatchLine] = {}


def published_in(catalog: Catalog, overlay: Overlay) -> PublishedEnvironment:
    """Return what an environment publishes now; its versions are "", as before a release."""
    own = {entry.name: (entry.spec, promised(entry.labels)) for entry in (*catalog.instancetypes, *catalog.preferences)}
    labels = promised(overlay.labels)
    objects: dict[str, tuple[str, ...]] = {}
    patched = {}
    for manifest in catalog.objects(overlay.name):
        kind, name = manifest["kind"], manifest["metadata"]["name"]
        objects[kind] = (*objects.get(kind, ()), name)
        spec, plain = own[name]
        shown = promised(manifest["metadata"].get("labels") or {})
        patch = PublishedPatch(
            since="",
            spec=manifest["spec"] if manifest["spec"] != spec else None,
            labels=shown if shown != dict(sorted({**plain, **labels}.items())) else None,
        )
        if patch.spec is not None or patch.labels is not None:
            patched[f"{kind}/{name}"] = patch
    return PublishedEnvironment(
        since="", namespace=overlay.namespace, labels=labels, objects=objects, patched=patched, source=overlay.source
    )


def same(catalog: Catalog, name: str) -> bool:
    """Whether an environment is there and publishes what the lock says of it."""
    was = catalog.lock.environments[name] if catalog.lock else None
    overlay = next((overlay for overlay in catalog.overlays if overlay.name == name), None)
    if was is None or overlay is None:
        return False
    now = published_in(catalog, overlay)
    return (was.namespace, was.labels, was.objects) == (now.namespace, now.labels, now.objects) and {
        key: (patch.spec, patch.labels) for key, patch in was.patched.items()
    } == {key: (patch.spec, patch.labels) for key, patch in now.patched.items()}


def line(now: PublishedEnvironment, was: PublishedEnvironment | None, version: str) -> dict[str, Any]:
    """Return the lock's line of an environment; what did not change keeps the version that had it first."""
    patched = {}
    for key, patch in now.patched.items():
        before = was.patched.get(key) if was else None
        row: dict[str, Any] = {"since": before.since if before and before.spec == patch.spec else version}
        row["digest"] = digest([patch.spec, patch.labels])
        row |= {"spec": patch.spec} if patch.spec is not None else {}
        patched[key] = row | ({"labels": patch.labels} if patch.labels is not None else {})
    return {
        "since": was.since if was else version,
        "namespace": now.namespace,
        "labels": now.labels,
        "objects": now.objects,
        "patched": patched,
    }


def read_environments(
    data: Mapping[str, Any],
    source: Callable[[str, tuple[str | int, ...]], Source],
    report: Callable[[tuple[str | int, ...], str], None],
) -> Iterator[tuple[str, PublishedEnvironment]]:
    """Yield the environments of a lock by name; `read_lock` has checked their shape, and this their digests."""
    for name, environment in data.items():
        if environment is None:
            report(("environments", name), "must be a map, not nothing")
            continue
        patched = {}
        for key, patch in (environment.get("patched") or {}).items():
            if patch is None or digest([patch.get("spec"), patch.get("labels")]) != patch["digest"]:
                report(("environments", name, "patched", key), f"what {key!r} is there is not what its digest says")
                continue
            patched[key] = PublishedPatch(since=patch["since"], spec=patch.get("spec"), labels=patch.get("labels"))
        yield (
            name,
            PublishedEnvironment(
                since=environment["since"],
                namespace=environment.get("namespace") or "",
                labels=environment.get("labels") or {},
                objects={kind: tuple(names or ()) for kind, names in environment["objects"].items()},
                patched=patched,
                source=source(LOCK, ("environments", name)),
            ),
        )


def digest(value: Any) -> str:
    """Return the SHA-256 of plain data, as JSON with sorted keys and without spaces."""
    return "sha256:" + sha256(json.dumps(value, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
