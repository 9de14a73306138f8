"""`<launchSecurity>`: confidential guests."""

from __future__ import annotations

from virtcatalog.api.domainspec import LaunchSecurity
from virtcatalog.kubevirt.launcher.xml import Element, SubElement

_SEV_NO_DEBUG = 1 << 0
_SEV_ENCRYPTED_STATE = 1 << 2
_SNP_SMT = 1 << 16
_SNP_RESERVED = 1 << 17


def uses_sev(security: LaunchSecurity | None) -> bool:
    """AMD SEV, SEV-ES or SEV-SNP."""
    return security is not None and (security.sev is not None or security.snp is not None)


def uses_snp(security: LaunchSecurity | None) -> bool:
    """AMD SEV-SNP."""
    return security is not None and security.snp is not None


def uses_tdx(security: LaunchSecurity | None) -> bool:
    """Intel TDX."""
    return security is not None and security.tdx is not None


def uses_secure_execution(security: LaunchSecurity | None, architecture: str) -> bool:
    """IBM Secure Execution: any launch security on s390x."""
    return security is not None and architecture == "s390x"


def uses_iommu(security: LaunchSecurity | None, architecture: str) -> bool:
    """Whether virtio devices must reach the guest's memory through an IOMMU: on AMD SEV and IBM Secure Execution."""
    return uses_sev(security) or uses_secure_execution(security, architecture)


def launchsecurity(
    security: LaunchSecurity | None, architecture: str, *, tdx_quotes: bool, quote_socket: str
) -> Element | None:
    """`<launchSecurity>`; only amd64 has one: Secure Execution shows in the devices' `iommu` alone.

    `tdx_quotes`: the release has a service of quotes, which listens on `quote_socket` ("": where libvirt looks).
    Source: pkg/virt-launcher/virtwrap/converter/compute/launch_security.go
    (LaunchSecurityDomainConfigurator), launchsecurity/sev.go.
    """
    if security is None or architecture != "amd64":
        return None
    if security.sev is not None:
        element = Element("launchSecurity", type="sev")
        policy = security.sev.policy
        encrypted = policy is not None and policy.encrypted_state
        _text(element, "policy", hex(_SEV_NO_DEBUG | (_SEV_ENCRYPTED_STATE if encrypted else 0)))
        _text(element, "dhCert", security.sev.dh_cert)
        _text(element, "session", security.sev.session)
        return element
    if security.snp is not None:
        element = Element("launchSecurity", type="sev-snp")
        _text(element, "policy", hex(_SNP_SMT | _SNP_RESERVED))
        return element
    if security.tdx is not None:
        element = Element("launchSecurity", type="tdx")
        if tdx_quotes:
            SubElement(element, "quoteGenerationService", {"path": quote_socket} if quote_socket else {})
        return element
    return None


def _text(parent: Element, name: str, text: str) -> None:
    if text:
        SubElement(parent, name).text = text
