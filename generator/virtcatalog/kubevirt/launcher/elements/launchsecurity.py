"""`<launchSecurity>`: confidential guests."""

from __future__ import annotations

from virtcatalog.api.annotations import QGS_SOCKET
from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.kubevirt.launcher.context import Context
from virtcatalog.kubevirt.launcher.xml import Element, SubElement

_SEV_NO_DEBUG = 1 << 0
_SEV_ENCRYPTED_STATE = 1 << 2
_SNP_SMT = 1 << 16
_SNP_RESERVED = 1 << 17


def uses_sev(vmi: VirtualMachineInstance) -> bool:
    """AMD SEV, SEV-ES or SEV-SNP."""
    security = vmi.spec.domain.launch_security
    return security is not None and (security.sev is not None or security.snp is not None)


def uses_snp(vmi: VirtualMachineInstance) -> bool:
    """AMD SEV-SNP."""
    security = vmi.spec.domain.launch_security
    return security is not None and security.snp is not None


def uses_tdx(vmi: VirtualMachineInstance) -> bool:
    """Intel TDX."""
    security = vmi.spec.domain.launch_security
    return security is not None and security.tdx is not None


def uses_secure_execution(vmi: VirtualMachineInstance) -> bool:
    """IBM Secure Execution: any launch security on s390x."""
    return vmi.spec.domain.launch_security is not None and vmi.spec.architecture == "s390x"


def uses_iommu(vmi: VirtualMachineInstance) -> bool:
    """Whether virtio devices must reach the guest's memory through an IOMMU: on AMD SEV and IBM Secure Execution."""
    return vmi.spec.domain.launch_security is not None and (uses_sev(vmi) or uses_secure_execution(vmi))


def launchsecurity(vmi: VirtualMachineInstance, context: Context) -> Element | None:
    """`<launchSecurity>`; only amd64 has one: Secure Execution shows in the devices' `iommu` alone.

    Source: pkg/virt-launcher/virtwrap/converter/compute/launch_security.go
    (LaunchSecurityDomainConfigurator), launchsecurity/sev.go.
    """
    security = vmi.spec.domain.launch_security
    if security is None or context.architecture.name != "amd64":
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
        if context.release.traits.tdx_quotes:
            path = vmi.metadata.annotations.get(QGS_SOCKET)
            SubElement(element, "quoteGenerationService", {"path": path} if path else {})
        return element
    return None


def _text(parent: Element, name: str, text: str) -> None:
    if text:
        SubElement(parent, name).text = text
