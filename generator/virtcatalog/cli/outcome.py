"""What becomes of a VM: as `virtcatalog expand` prints it, and as it is told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from virtcatalog.cli.expand_warnings import Told
    from virtcatalog.cli.vms import Located
    from virtcatalog.kubevirt.cluster import Cluster
    from virtcatalog.kubevirt.pipeline import Result


class Outcome(NamedTuple):
    """What a VM became in its cluster."""

    vm: Located
    result: Result
    cluster: Cluster


Table = tuple[str, list[list[str]]]
"""A table of text: its title and its rows."""


class Done(NamedTuple):
    """What became of a VM: `made` is what its form makes of it, None for nothing.

    `became` is one of `admitted`, `refused`, `unreadable` and `unsupported`, or "" for a text that holds no VM at all.
    """

    became: str
    made: Any = None
    told: tuple[Told, ...] = ()
    faulty: bool = False
