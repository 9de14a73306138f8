"""What `virtcatalog expand` prints of: a VM and what became of it."""

from __future__ import annotations

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


Table = tuple[str, list[list[str]]]
"""A table of text: its title and its rows."""
