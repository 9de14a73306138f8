"""Why virt-launcher makes no domain of a VMI."""

from __future__ import annotations

from virtcatalog.errors import VirtcatalogError
from virtcatalog.releases import Release


class DomainError(VirtcatalogError):
    """virt-launcher refuses the VMI: `field` is the path in the VMI (`spec.domain.memory`), `message` says why."""

    is_crash = False

    def __init__(self, field: str, message: str) -> None:
        self.field, self.message = field, message
        super().__init__(f"{field}: {message}")


class LauncherCrashError(DomainError):
    """virt-launcher itself fails on the VMI, which never starts; `message` says on what."""

    is_crash = True

    def __init__(self, release: Release, field: str, cause: str) -> None:
        super().__init__(field, f"KubeVirt {release} crashes on this VM: {cause}")
