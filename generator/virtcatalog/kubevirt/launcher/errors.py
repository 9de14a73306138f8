"""Why virt-launcher makes no domain of a VMI."""

from __future__ import annotations

from virtcatalog.errors import VirtcatalogError


class DomainError(VirtcatalogError):
    """virt-launcher refuses the VMI: `field` is the path in the VMI (`spec.domain.memory`), `message` says why."""

    def __init__(self, field: str, message: str) -> None:
        self.field, self.message = field, message
        super().__init__(f"{field}: {message}")
