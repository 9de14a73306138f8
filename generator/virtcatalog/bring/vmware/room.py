"""What the VMs of machines take together: on which nodes they fit, and what they request of these."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from virtcatalog.bring.vmware.fates import Brought
from virtcatalog.capacity.launches import Launch, launch_of
from virtcatalog.capacity.report import Report, report
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.conditions import Conditions
from virtcatalog.manifests.identity import full_name


class Room:
    """Puts VMs on nodes, all of them running; of VMs that are alike one Pod is made."""

    def __init__(
        self, objects: Iterable[dict[str, Any]], nodes: Iterable[dict[str, Any]], conditions: Conditions
    ) -> None:
        self._cluster = Cluster.under([*objects, *nodes], conditions)
        self._alike: dict[bytes, Launch] = {}
        self._launches: list[Launch] = []

    def take(self, brought: Brought) -> None:
        """Add a VM; one that KubeVirt refuses takes nothing."""
        if brought.hardware is None:
            return
        launch = self._alike.get(brought.likeness)
        if launch is None:
            running = {**brought.vm, "spec": {**brought.vm["spec"], "runStrategy": "Always"}}
            launch = self._alike[brought.likeness] = launch_of(running, self._cluster)
        self._launches.append(replace(launch, name=full_name(brought.vm)))

    def report(self) -> Report:
        """Return on which nodes the VMs are, as `virtcatalog capacity` finds them."""
        return report(iter(self._launches), len(self._launches), self._cluster, ())


def requested(answer: Report) -> Counter[str]:
    """Return what all VMs request together."""
    total: Counter[str] = Counter()
    for amounts in answer.requested.values():
        total.update(dict(amounts))
    return total
