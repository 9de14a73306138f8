"""What the shell completes: names of a catalog's objects."""

from __future__ import annotations

from collections.abc import Callable

import click


def names(kind: str) -> Callable[[click.Context, click.Parameter, str], list[str]]:
    """Return what completes the names of instance types ("instancetype") or preferences, of the catalog that is named.

    A catalog that cannot be read completes nothing: the command itself will say why.
    """

    def complete(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
        from virtcatalog.cli.inputs import catalog_objects
        from virtcatalog.errors import VirtcatalogError

        try:
            objects = catalog_objects(ctx.params.get("catalog"))
        except VirtcatalogError:
            return []
        found = {each["metadata"]["name"] for each in objects if each["kind"].lower().endswith(kind)}
        return sorted(name for name in found if name.startswith(incomplete))

    return complete
