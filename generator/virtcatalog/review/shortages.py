"""Who had room before a change and has none after it: nodes, quotas and budgets, where these are known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import msgspec

from virtcatalog.capacity.demand import Overspent, Spending
from virtcatalog.catalog.model import Budget
from virtcatalog.errors import FITS_NO_NODE
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.manifests.identity import Data

if TYPE_CHECKING:
    from virtcatalog.capacity.report import Report


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """What the VMs of an environment meet from now on: no node any more, a quota or LimitRange that refuses them."""

    environment: str
    homeless: tuple[tuple[str, str], ...] = ()
    refused: tuple[tuple[str, str], ...] = ()

    def lines(self) -> Iterator[str]:
        """Say each."""
        where = f"{self.environment}: " if self.environment else ""
        for name, why in self.homeless:
            yield f"{where}{name} {FITS_NO_NODE} any more: {why}"
        for name, why in self.refused:
            yield f"{where}{name} is refused from now on: {why}"


def standing(environment: str, vms: Sequence[Data], before: Cluster, after: Cluster) -> Standing:
    """Put the VMs on the nodes of their cluster and hold them against its quotas, before and after a change."""
    from virtcatalog.capacity.launches import launches
    from virtcatalog.capacity.report import report

    old, new = (report(launches(vms, cluster), len(vms), cluster, []) for cluster in (before, after))
    homeless = _homeless(new).items() - _homeless(old).items() if after.nodes else set()
    homeless_before = {vm_fit.name for vm_fit in old.homeless}
    refused = {refusal.vm for refusal in old.quota.refusals}
    return Standing(
        environment=environment,
        homeless=tuple(sorted(vm for vm in homeless if vm[0] not in homeless_before)),
        refused=tuple(
            (refusal.vm, f"{refusal.object} {refusal.message}")
            for refusal in new.quota.refusals
            if refusal.vm not in refused
        ),
    )


def overspent(
    budgets: Sequence[Budget], fleets: Iterable[tuple[str, Sequence[Data], Cluster]]
) -> tuple[Overspent, ...]:
    """What the VMs of all environments request beyond the budgets."""
    if not budgets:
        return ()
    from virtcatalog.capacity.launches import launches
    from virtcatalog.capacity.report import report

    spending = Spending()
    for environment, vms, cluster in fleets:
        for namespace, wanted in report(launches(vms, cluster), len(vms), cluster, []).requested.items():
            spending.add(environment, namespace, wanted)
    return tuple(spending.over(budgets))


def _homeless(fits: Report) -> dict[str, str]:
    return {
        vm_fit.name: "; ".join(f"{kind} {text}" for kind, _, _, text in vm_fit.reasons[:3]) for vm_fit in fits.homeless
    }
