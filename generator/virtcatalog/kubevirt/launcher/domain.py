"""A domain while virt-launcher makes and launches it."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from virtcatalog.kubevirt.launcher.elements.disksource import DiskSource
from virtcatalog.kubevirt.launcher.xml import Element


class Domain(msgspec.Struct):
    """`<domain>` and what is behind each of its disks: None behind a CD-ROM drive's empty tray.

    The domain's own are the element and its `<devices>`, with the lists of their children: these are changed in place.
    What is in the lists may be in other domains, too, if it is `Shared`: then it is replaced, and never changed.
    """

    element: Element
    sources: Sequence[DiskSource | None]

    @property
    def devices(self) -> Element:
        """`<devices>`."""
        devices = self.element.find("devices")
        assert devices is not None
        return devices

    @property
    def memory(self) -> int:
        """`<memory>`, in bytes."""
        size = self.element.findtext("memory")
        assert size is not None
        return int(size)
