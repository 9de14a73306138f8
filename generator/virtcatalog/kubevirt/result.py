"""What a VM became: a value that does not change, and that other processes can send."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from virtcatalog.api.decode import convert, to_manifest
from virtcatalog.api.kubevirt import VirtualMachine, VirtualMachineInstance
from virtcatalog.errors import Cause, Reason, Refuser, Warning
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.handler import build_context
from virtcatalog.kubevirt.identity import without_placeholder_uids
from virtcatalog.kubevirt.launcher.builder import build_domain
from virtcatalog.kubevirt.launcher.errors import DomainError
from virtcatalog.kubevirt.launcher.xml import write
from virtcatalog.kubevirt.reasons import field_of_holder, field_of_vm

if TYPE_CHECKING:
    from virtcatalog.kubevirt.launcher.xml import Element

T = TypeVar("T", bound=msgspec.Struct)

_ENCODER = msgspec.msgpack.Encoder(enc_hook=str)


class Stages(msgspec.Struct, frozen=True):
    """A VM between KubeVirt's stages: as it was read, if its manifest may say something else, and after its webhook.

    Read both, change neither.
    """

    read: VirtualMachine | None
    mutated: VirtualMachine


class Result(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """What a VM became, as far as it came: a refused object is there too, as the webhook saw it.

    `refused_by` is None when the VM can run, else who refused it: "vm" (the VM's webhooks), "controller"
    (virt-controller makes no VMI of it), "vmi" (the VMI's webhooks) or "launcher" (virt-launcher makes no domain of
    it). `causes` are what the webhooks answer, ten at most, at the fields that they name; controller and launcher
    answer with nothing but a sentence. `reasons` are all that is against the VM, whoever refuses it, at the fields of
    the VM's own manifest. `holder` is the kind of that manifest when it is no VirtualMachine. `raw_vm`, `raw_vmi`
    and `raw_domain` are what the properties are read from: objects, or those packed by the process that made the
    result. `cluster` is there as soon as virt-launcher was asked, `stages` if they were to be kept; neither is sent to
    other processes.
    """

    refused_by: Refuser | None = None
    causes: tuple[Cause, ...] = ()
    reasons: tuple[Reason, ...] = ()
    warnings: tuple[Warning, ...] = ()
    raw_vm: VirtualMachine | bytes | None = None
    raw_vmi: VirtualMachineInstance | bytes | None = None
    raw_domain: Element | str | None = None
    cluster: Cluster | None = None
    holder: str | None = None
    stages: Stages | None = None

    @property
    def admitted(self) -> bool:
        """Whether nobody refused the VM."""
        return self.refused_by is None

    @cached_property
    def vm_object(self) -> VirtualMachine | None:
        """The VirtualMachine after its webhooks: read it, do not change it."""
        return _unpacked(self.raw_vm, VirtualMachine)

    @cached_property
    def vmi_object(self) -> VirtualMachineInstance | None:
        """The VirtualMachineInstance after its webhooks: read it, do not change it."""
        return _unpacked(self.raw_vmi, VirtualMachineInstance)

    @cached_property
    def domain(self) -> Element | None:
        """The libvirt domain; None in a result of another process, which has its text alone."""
        return None if isinstance(self.raw_domain, str) else self.raw_domain

    @cached_property
    def vm(self) -> dict[str, Any] | None:
        """The VirtualMachine after its webhooks, as a manifest."""
        return to_manifest(self.vm_object) if self.vm_object else None

    @cached_property
    def vmi(self) -> dict[str, Any] | None:
        """The VirtualMachineInstance after its webhooks, as a manifest, without the uids that only a cluster gives."""
        return without_placeholder_uids(to_manifest(self.vmi_object)) if self.vmi_object else None

    @cached_property
    def domain_xml(self) -> str | None:
        """The domain that libvirt gets, in its last definition before the VM first starts, as text."""
        domain = self.raw_domain
        return domain if domain is None or isinstance(domain, str) else self._written(domain)

    @cached_property
    def converted_xml(self) -> str | None:
        """The domain as virt-launcher's converter makes it, before it is launched, as text."""
        vmi = self.vmi_object
        if vmi is None or self.cluster is None or self.refused_by not in (None, "launcher"):
            return None
        try:
            return self._written(build_domain(vmi, build_context(vmi, self.cluster, self.vm_object)))
        except DomainError:
            return None

    @property
    def pod(self) -> dict[str, Any] | None:
        """The virt-launcher Pod as virt-controller sends it, as a manifest; None when it sends none.

        Raises UnsupportedError for what virtcatalog does not model of it.
        """
        return self._rendered_pod[0]

    @property
    def pod_error(self) -> Reason | None:
        """Why virt-controller sends no Pod for a VMI, at a field of the VM's own manifest; None when it sends one."""
        return self._rendered_pod[1]

    @cached_property
    def _rendered_pod(self) -> tuple[dict[str, Any] | None, Reason | None]:
        vmi = self.vmi_object
        if vmi is None or self.cluster is None or self.refused_by not in (None, "launcher"):
            return None, None
        from virtcatalog.kubevirt.pod.facts import PodError
        from virtcatalog.kubevirt.pod.render import render_pod

        try:
            return render_pod(vmi, self.cluster, self.vm_object), None
        except PodError as error:
            field = field_of_holder(field_of_vm(error.field, of_vmi=True), self.holder)
            return None, Reason(field, f"no Pod is made: {error.message}", "controller")

    def _written(self, domain: Element) -> str:
        """The domain as text, with a comment that says what it was made for."""
        return write(domain, self.cluster.computed(_conditions_text) if self.cluster else "")

    def __reduce__(self) -> tuple[Any, ...]:
        fields = {name: getattr(self, name) for name in _SENT}
        fields |= {"raw_vm": _packed(self.vm_object), "raw_vmi": _packed(self.vmi_object)}
        return _sent, ({**fields, "raw_domain": self.domain_xml},)


def _conditions_text(cluster: Cluster) -> str:
    return f"host profile {cluster.host}, KubeVirt {cluster.release}"


_SENT = ("refused_by", "causes", "reasons", "warnings", "holder")


def _sent(fields: dict[str, Any]) -> Result:
    return Result(**fields)


def _packed(obj: msgspec.Struct | None) -> bytes | None:
    return None if obj is None else _ENCODER.encode(obj)


def _unpacked(packed: T | bytes | None, kind: type[T]) -> T | None:
    return convert(msgspec.msgpack.decode(packed), kind) if isinstance(packed, bytes) else packed
