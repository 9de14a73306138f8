"""A domain while it is made, in which a launch changes devices by the family."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from virtcatalog.kubevirt.launcher.elements.devices import Devices
from virtcatalog.kubevirt.launcher.xml import Element


class Domain(msgspec.Struct):
    """A `<domain>`: its attributes, what comes before `<devices>` and behind it, and its memory in bytes."""

    attributes: dict[str, str]
    before: Sequence[Element]
    devices: Devices
    behind: Sequence[Element]
    memory: int

    def element(self) -> Element:
        """`<domain>`, in which forms are not yet whole."""
        element = Element("domain", self.attributes)
        element.extend((*self.before, self.devices.element(), *self.behind))
        return element

    def placed(self, element: Element) -> Domain:
        """The domain of an element in which devices have got addresses."""
        devices = element.find("devices")
        assert devices is not None
        place = list(element).index(devices)
        return Domain(element.attrib, element[:place], self.devices.placed(devices), element[place + 1 :], self.memory)
