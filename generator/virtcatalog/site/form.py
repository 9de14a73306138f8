"""What the form needs to make a manifest and a line for virtctl."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from virtcatalog.catalog.model import Catalog
from virtcatalog.site import plainvms
from virtcatalog.site.bootsources import boot_sources
from virtcatalog.site.domains import Domains
from virtcatalog.site.facts import PreferenceRow, Type
from virtcatalog.site.prices import PriceList


def form_data(
    catalog: Catalog,
    types: Sequence[Type],
    preferences: Sequence[PreferenceRow],
    prices: PriceList | None,
    domains: Domains,
) -> dict[str, Any]:
    """Return the data of the form; lists are in the order of the types and preferences."""
    environments = {
        overlay.name: {
            "namespace": overlay.namespace if overlay.scope == "namespaced" else "",
            "types": [row.name for row in types if overlay.name in row.environments],
            "preferences": [row.name for row in preferences if overlay.name in row.environments],
        }
        for overlay in catalog.overlays
    }
    return {
        "domains": domains.data,
        "plain": {"name": plainvms.NAME, "image": plainvms.IMAGE},
        "families": [row.family for row in preferences],
        "needs": [f"requires {row.requirements}" if row.requirements else "" for row in preferences],
        "licences": [row.licence for row in preferences],
        "boots": boot_sources(preferences),
        "environments": environments,
        "prices": msgspec.to_builtins(
            {row.name: {"price": row.cost, "prices": row.prices} for row in types if row.price}
        ),
        "currency": prices.currency if prices else "",
    }
