"""The guest's name on the network. Source: vmi-create-admitter.go."""

from __future__ import annotations

from collections.abc import Iterator

from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.api.names import dns_label_problems, dns_subdomain_problems
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.admission.causes import invalid
from virtcatalog.kubevirt.configuration import Configuration


def validate_hostname(spec: VirtualMachineInstanceSpec, path: str, _config: Configuration) -> Iterator[Cause]:
    """A host name is a DNS label (validateHostNameNotConformingToDNSLabelRules)."""
    if spec.hostname and (problems := dns_label_problems(spec.hostname)):
        yield invalid(f"{path}.hostname", f"not a DNS label: {', '.join(problems)}")


def validate_subdomain(spec: VirtualMachineInstanceSpec, path: str, _config: Configuration) -> Iterator[Cause]:
    """A subdomain is a DNS subdomain (validateSubdomainDNSSubdomainRules)."""
    if spec.subdomain and (problems := dns_subdomain_problems(spec.subdomain)):
        yield invalid(f"{path}.subdomain", f"not a DNS subdomain: {', '.join(problems)}")
