"""How the guest resolves names. Source: vmi-create-admitter.go.

The fields of what is wrong in `dnsConfig` are as short as KubeVirt gives them: without the path before them.
The policy itself is one of the API schema's values.
"""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_address

from virtcatalog.api.core import PodDNSConfig
from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.api.names import dns_subdomain_problems
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.admission.causes import invalid, required
from virtcatalog.kubevirt.configuration import Configuration

MAX_NAMESERVERS, MAX_SEARCHES, MAX_SEARCH_BYTES = 3, 6, 256


def validate_dns(spec: VirtualMachineInstanceSpec, path: str, _config: Configuration) -> Iterator[Cause]:
    """The policy None leaves everything to dnsConfig, which stays within what a resolver reads.

    Source: validateDNSPolicy, validatePodDNSConfig.
    """
    config = spec.dns_config
    if spec.dns_policy == "None":
        if config is None:
            yield required(f"{path}.dnsConfig", "the dnsPolicy None needs it, with at least one name server")
            return
        if not config.nameservers:
            yield required("nameservers", f"the dnsPolicy None needs one or more in {path}.dnsConfig.nameservers")
            return
    if config is not None:
        yield from _nameservers(config)
        yield from _searches(config)
        for option in config.options:
            if not option.name:
                yield invalid("options", f"an option has no name, but the value {option.value!r}")


def _nameservers(config: PodDNSConfig) -> Iterator[Cause]:
    if len(config.nameservers) > MAX_NAMESERVERS:
        yield invalid("nameservers", f"{len(config.nameservers)} name servers are more than {MAX_NAMESERVERS}")
    for server in config.nameservers:
        if not _is_ip_address(server):
            yield invalid("nameservers", f"{server!r} is not an IP address")


def _searches(config: PodDNSConfig) -> Iterator[Cause]:
    if len(config.searches) > MAX_SEARCHES:
        yield invalid("searchDomains", f"{len(config.searches)} search domains are more than {MAX_SEARCHES}")
    length = len(" ".join(config.searches).encode())
    if length > MAX_SEARCH_BYTES:
        yield invalid("searchDomains", f"the search list has {length} characters, more than {MAX_SEARCH_BYTES}")
    for search in config.searches:
        for problem in dns_subdomain_problems(search):
            yield invalid("searchDomains", f"not a DNS subdomain: {problem}")


def _is_ip_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return "%" not in text
