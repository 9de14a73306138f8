"""Where a question is asked: the four things that every answer depends on."""

from __future__ import annotations

import msgspec

from virtcatalog.kubevirt.hosts import HOSTS, HostProfile
from virtcatalog.releases import Release


class Conditions(msgspec.Struct, frozen=True, kw_only=True):
    """What VMs meet beside the objects of their cluster.

    `release`: the KubeVirt release; None is the one that the KubeVirt CR among the objects says it runs, or the
    default. `architecture`: of VMs that name none. `host`: the profile of the nodes. `environment`: an overlay of the
    catalog, None for the base.
    """

    release: Release | None = None
    architecture: str = "amd64"
    host: HostProfile = HOSTS["reference"]
    environment: str | None = None
