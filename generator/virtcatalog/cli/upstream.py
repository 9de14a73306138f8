"""What KubeVirt's operator deploys by itself, for VMs of which nobody named a catalog."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from virtcatalog.cli.console import summary
from virtcatalog.cli.vms import Batch, unplaced

if TYPE_CHECKING:
    from virtcatalog.fleet.outcome import Deployed
    from virtcatalog.kubevirt.conditions import Conditions


def with_upstream(batches: Sequence[Batch], places: Sequence[Conditions]) -> list[Batch]:
    """Return the batches with common-instancetypes among the objects, where VMs refer to it and no catalog is named.

    They are those of the release that the batch meets, unless its KubeVirt CR has the operator deploy none.
    """
    from virtcatalog.kubevirt.conditions import choose_release
    from virtcatalog.repositories.operator import deployed

    complete, noted = [], set()
    for batch, conditions in zip(batches, places, strict=True):
        if batch.alone:
            manifests = [each.manifest for each in batch.objects]
            name = choose_release(conditions, batch.kubevirt, manifests).release.common_instancetypes
            if objects := deployed(name, batch.manifests(), manifests):
                noted.add(name)
                batch = batch._replace(objects=[*batch.objects, *map(unplaced, objects)])
        complete.append(batch)
    for name in sorted(noted):
        summary(f"no catalog is named: {name} counts, as KubeVirt's operator deploys it")
    return complete


def beside_upstream(units: Sequence[Deployed], conditions: Conditions, *, alone: bool) -> list[Deployed]:
    """Return VMs of repositories beside what KubeVirt's operator deploys; `alone`: no catalog says what there is."""
    from virtcatalog.cli.conditions import conditions_of

    batches = [Batch(unit.vms, unit.objects, [], unit.environment, alone=alone) for unit in units]
    complete = with_upstream(batches, conditions_of(batches, conditions))
    return [unit._replace(objects=batch.objects) for unit, batch in zip(units, complete, strict=True)]
