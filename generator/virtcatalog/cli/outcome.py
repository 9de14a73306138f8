"""What `virtcatalog expand` prints of: a VM and what became of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from virtcatalog.cli.vms import Located

if TYPE_CHECKING:
    from virtcatalog.kubevirt.cluster import Cluster
    from virtcatalog.kubevirt.pipeline import Result


class Outcome(NamedTuple):
    """What a VM became in its cluster."""

    vm: Located
    result: Result
    cluster: Cluster


Outcomes = Iterable[Outcome]
