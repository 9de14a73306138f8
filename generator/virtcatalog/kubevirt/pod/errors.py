"""Why virt-controller makes no Pod."""

from __future__ import annotations

from virtcatalog.errors import VirtcatalogError


class PodError(VirtcatalogError):
    """virt-controller sends no Pod for an admitted VMI; `field` is the VMI's, "" when none is to blame."""

    def __init__(self, field: str, message: str) -> None:
        self.field, self.message = field, message
        super().__init__(f"{field}: {message}" if field else message)
