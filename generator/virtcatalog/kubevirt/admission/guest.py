"""The guest's name, how it resolves names, its credentials and service account. Source: vmi-create-admitter.go.

The fields of what is wrong in `dnsConfig` are as short as KubeVirt gives them: without the path before them.
The DNS policy itself is one of the API schema's values.
"""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_address

from virtcatalog.api.core import PodDNSConfig
from virtcatalog.api.kubevirt import (
    SSHPublicKeyAccessCredential,
    UserPasswordAccessCredential,
    VirtualMachineInstanceSpec,
)
from virtcatalog.api.names import dns_label_problems, dns_subdomain_problems
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.causes import invalid, required
from virtcatalog.kubevirt.configuration import Configuration


def validate_access_credentials(spec: VirtualMachineInstanceSpec, path: str, _config: Configuration) -> Iterator[Cause]:
    """A credential is a key or a password, from one source, by one way for which the VM is equipped.

    Source: validateAccessCredentials.
    """
    for index, credential in enumerate(spec.access_credentials):
        field = f"{path}.accessCredentials[{index}]"
        key, password = credential.ssh_public_key, credential.user_password
        if key is not None:
            yield from _key(f"{field}.sshPublicKey", key, spec)
        if password is not None:
            yield from _password(f"{field}.userPassword", password)
        if (key is None) == (password is None):
            yield invalid(field, "a credential is either an sshPublicKey or a userPassword")


def _key(field: str, key: SSHPublicKeyAccessCredential, spec: VirtualMachineInstanceSpec) -> Iterator[Cause]:
    method = key.propagation_method
    if method.no_cloud is not None and all(volume.cloud_init_no_cloud is None for volume in spec.volumes):
        yield invalid(f"{field}.propagationMethod", "noCloud needs a volume with cloudInitNoCloud")
    if method.config_drive is not None and all(volume.cloud_init_config_drive is None for volume in spec.volumes):
        yield invalid(f"{field}.propagationMethod", "configDrive needs a volume with cloudInitConfigDrive")
    if method.qemu_guest_agent is not None and not method.qemu_guest_agent.users:
        yield invalid(f"{field}.propagationMethod.qemuGuestAgent.users", "names no user who gets the keys")
    if key.source.secret is None:
        yield invalid(f"{field}.source", "names no secret that holds the keys")
    methods = {
        "noCloud": method.no_cloud,
        "configDrive": method.config_drive,
        "qemuGuestAgent": method.qemu_guest_agent,
    }
    if sum(value is not None for value in methods.values()) != 1:
        yield invalid(f"{field}.propagationMethod", f"has to be exactly one of {', '.join(methods)}")


def _password(field: str, password: UserPasswordAccessCredential) -> Iterator[Cause]:
    if password.source.secret is None:
        yield invalid(f"{field}.source", "names no secret that holds the passwords")
    if password.propagation_method.qemu_guest_agent is None:
        yield invalid(f"{field}.propagationMethod", "has to be qemuGuestAgent")


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


def validate_hostname(spec: VirtualMachineInstanceSpec, path: str, _config: Configuration) -> Iterator[Cause]:
    """A host name is a DNS label (validateHostNameNotConformingToDNSLabelRules)."""
    if spec.hostname and (problems := dns_label_problems(spec.hostname)):
        yield invalid(f"{path}.hostname", f"not a DNS label: {', '.join(problems)}")


def validate_subdomain(spec: VirtualMachineInstanceSpec, path: str, _config: Configuration) -> Iterator[Cause]:
    """A subdomain is a DNS subdomain (validateSubdomainDNSSubdomainRules)."""
    if spec.subdomain and (problems := dns_subdomain_problems(spec.subdomain)):
        yield invalid(f"{path}.subdomain", f"not a DNS subdomain: {', '.join(problems)}")


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
