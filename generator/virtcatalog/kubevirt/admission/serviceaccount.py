"""The service account that the VM's pod runs as. Source: vmi-create-admitter.go."""

from __future__ import annotations

from collections.abc import Iterator

from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.api.names import dns_subdomain_problems
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.admission.causes import invalid
from virtcatalog.kubevirt.configuration import Configuration


def validate_service_account(spec: VirtualMachineInstanceSpec, path: str, _config: Configuration) -> Iterator[Cause]:
    """The name is a DNS subdomain, and serviceAccount volumes show the same account (validateServiceAccountName)."""
    name = spec.service_account_name
    if not name:
        return
    if problems := dns_subdomain_problems(name):
        yield invalid(f"{path}.serviceAccountName", f"not a service account's name: {', '.join(problems)}")
    for volume in spec.volumes:
        if volume.service_account is not None and volume.service_account.service_account_name != name:
            other = volume.service_account.service_account_name
            yield invalid(
                f"{path}.serviceAccountName", f"is {name!r}, but the volume {volume.name!r} shows the account {other!r}"
            )
            return
