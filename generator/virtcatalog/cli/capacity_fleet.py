"""What is launched of the VMs of a dump: made once for those that are alike, and filled in for the others."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from virtcatalog.capacity.launches import Launch, launch_of
from virtcatalog.cli.expand_alike import Alike
from virtcatalog.cli.expand_output import as_json_text
from virtcatalog.cli.fleet import Share, Whole
from virtcatalog.cli.outcome import Done
from virtcatalog.escaping import json_value
from virtcatalog.kubevirt.cluster import Cluster

_read = msgspec.json.Decoder(Launch).decode


def launched(fleet: Whole, cluster: Cluster) -> Iterator[Launch]:
    """Yield what is launched of each VM, in their order; ManifestError at the end when one cannot be read."""
    alike = Alike(_texts, cluster, as_json_text)

    def known(share: Share) -> Launch | None:
        done = alike.of(share)
        return None if done is None or len(done) != 1 or done[0].became == "unreadable" else _read(done[0].made)

    for found, _ in fleet.known(known):
        yield found if isinstance(found, Launch) else launch_of(found.data, cluster)


def _texts(share: Share, cluster: Cluster) -> Iterator[Done]:
    """Yield what is launched as JSON, in which what is a VM's own can be filled in."""
    manifests, problems = share.manifests()
    if problems or any(manifest.problems for manifest in manifests):
        yield Done("unreadable")
        return
    for manifest in manifests:
        launch = launch_of(manifest.data, cluster)
        yield Done("refused" if launch.pod is None else "admitted", json_value(launch))
