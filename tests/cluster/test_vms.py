"""Random VMs and what they refer to are stored, changed and refused by a real API server as virtcatalog says."""

from __future__ import annotations

from collections import Counter

from cluster.running import RunningCluster
from cluster.vms import differences
from sampling import ALL

NUMBER = 1000 if ALL else 50


def test_random_vms_are_stored_or_refused_as_virtcatalog_says(cluster: RunningCluster):
    counts: Counter[str] = Counter()
    unlike = list(differences(cluster.api, cluster.release, 1, NUMBER, counts))
    assert not unlike, f"{len(unlike)} differences; the first ones:\n" + "\n".join(unlike[:5])
    clusters = {what: number for what, number in counts.items() if what.startswith("KubeVirt CRs")}
    assert sum(clusters.values()) == NUMBER / 10, counts  # ten VMs each: none is passed over
    assert clusters["KubeVirt CRs stored"] > sum(clusters.values()) / 2, counts
    assert min(counts["stored"], counts["refused"]) > NUMBER / 10, counts
