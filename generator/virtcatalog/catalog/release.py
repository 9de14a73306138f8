"""What the last release of a catalog published, as `catalog.lock` has it."""

from __future__ import annotations

from typing import Any

import msgspec

from virtcatalog.catalog.places import Source


class Published(msgspec.Struct, frozen=True, kw_only=True):
    """An object as the last release published it: `since` is the version that had it first.

    `metadata` is the digest of its labels and annotations, `deprecated` has `replacedBy` and `sunset`; `labels` are
    those that are promised, None in a lock from before labels were promised.
    """

    since: str
    spec: dict[str, Any]
    metadata: str
    labels: dict[str, str] | None = None
    deprecated: dict[str, str] | None = None
    source: Source


class PublishedPatch(msgspec.Struct, frozen=True, kw_only=True):
    """The spec and promised labels that an environment published of an object; None: the object's own."""

    since: str
    spec: dict[str, Any] | None = None
    labels: dict[str, str] | None = None


class PublishedEnvironment(msgspec.Struct, frozen=True, kw_only=True):
    """An environment as the last release published it.

    `objects` are the names by kind, `labels` those of every object; `patched` is by `Kind/name`.
    """

    since: str
    namespace: str = ""
    labels: dict[str, str] = {}
    objects: dict[str, tuple[str, ...]]
    patched: dict[str, PublishedPatch] = {}
    source: Source


class Lock(msgspec.Struct, frozen=True, kw_only=True):
    """What the last release of a catalog published, by name."""

    version: str
    instancetypes: dict[str, Published]
    preferences: dict[str, Published]
    environments: dict[str, PublishedEnvironment] = {}
