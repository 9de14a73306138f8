"""The catalog's releases, by what their instance types and preferences hold: so a copy in a cluster is recognised."""

from __future__ import annotations

from collections.abc import Iterator

from virtcatalog.catalog.load import load_catalog
from virtcatalog.errors import VirtcatalogError
from virtcatalog.live.clusters import as_stored
from virtcatalog.live.revisions import Past, content
from virtcatalog.manifests.history import history_of
from virtcatalog.manifests.sources import is_catalog
from virtcatalog.publish.environments import Objects, objects_now
from virtcatalog.publish.releases import releases

_SECTIONS = (("instancetypes", "instancetype"), ("preferences", "preference"))


def past_of(catalog: str | None) -> tuple[Past, tuple[str, ...]]:
    """Return the releases of the catalog in a folder, the oldest first, and sentences on those that are left out.

    What the catalog has now and none of its releases has comes last, as one more, which is called after the catalog's
    folder. Without a catalog there are no releases.
    """
    if catalog is None or not is_catalog(catalog):
        return (), ()
    loaded = load_catalog(catalog)
    try:
        history = releases(loaded, history_of(catalog))
    except VirtcatalogError as error:
        return (), (str(error),)
    rows = [(release.name, dict(_specs(release.objects))) for release in history.releases]
    published = {key: text for _, specs in rows for key, text in specs.items()}
    fresh = {key: text for key, text in _specs(objects_now(loaded)) if published.get(key) != text}
    if fresh:
        rows.append((f"{catalog}, not released", fresh))
    return tuple(rows), history.omissions


def _specs(objects: Objects) -> Iterator[tuple[tuple[str, str], str]]:
    for section, which in _SECTIONS:
        for name, published in objects.get(section, {}).items():
            yield (which, name), content(as_stored(published.spec, which))
