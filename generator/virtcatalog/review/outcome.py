"""What became of a VM on both sides, and in what the two differ."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Final, Literal

import msgspec

from virtcatalog.api.names import namespace_or_default
from virtcatalog.errors import CRASH, UnsupportedError
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.launcher.difference import same
from virtcatalog.kubevirt.launcher.xml import Element
from virtcatalog.kubevirt.matchers import MATCHERS
from virtcatalog.kubevirt.pipeline import Result, expand
from virtcatalog.kubevirt.pod.amounts import extract
from virtcatalog.kubevirt.rollout.volumes import claim_of
from virtcatalog.manifests.difference import differences
from virtcatalog.manifests.emit import dump
from virtcatalog.manifests.fields import map_at
from virtcatalog.manifests.identity import Data
from virtcatalog.manifests.merge import three_way
from virtcatalog.manifests.textdiff import unified
from virtcatalog.review.machines import element_words, machine_words

#: What stands alone where there is no Pod.
_ERROR: Final = "error"
Kind = Literal["refused", "crash", "unsupported", "domain", "vmi", "pod", "reason", "admitted", "recovered"]


class VmChange(msgspec.Struct, frozen=True, kw_only=True):
    """One change: what it comes to, in a line each, and the diff that shows it: `make_diff`, of one VM of many."""

    kind: Kind
    summary: tuple[str, ...]
    make_diff: Callable[[], str] = str


class Outcome(msgspec.Struct, frozen=True):
    """What became of a VM under a release; `unsupported` says what virtcatalog does not model in it."""

    result: Result | None
    release: str
    unsupported: str = ""

    @property
    def crashes(self) -> bool:
        """Whether virt-launcher crashes on the VM rather than refusing it."""
        return self.result is not None and any(reason.type == CRASH for reason in self.result.reasons)

    def without_release(self, texts: Sequence[str]) -> list[str]:
        """Return texts without the release's name, which differs in what otherwise stays the same."""
        return [text.replace(self.release, "") for text in texts]


def outcome(manifest: Data, cluster: Cluster) -> Outcome:
    """Expand a VM."""
    try:
        return Outcome(expand(manifest, cluster), cluster.release.name)
    except UnsupportedError as error:
        return Outcome(None, cluster.release.name, str(error))


def with_data_volumes_of(old: Data, new: Data) -> Data:
    """Return a VM whose dataVolumeTemplates are those of before, where they have the same names: no DataVolume changes.

    Source: pkg/virt-controller/watch/vm/vm.go (handleDataVolumes).
    """
    key = "dataVolumeTemplates"
    before, after = (map_at(manifest, "spec").get(key) for manifest in (old, new))
    if new.get("kind") != "VirtualMachine" or not before or not after or before == after:
        return new
    old_templates = {map_at(template, "metadata").get("name"): template for template in before}
    templates = [old_templates.get(map_at(template, "metadata").get("name"), template) for template in after]
    return {**new, "spec": {**new["spec"], key: templates}}


def applied_to_expanded(old: Data, new: Data, before: Outcome) -> Data:
    """Return what applying a manifest makes of a VM whose type KubeVirt has put into its template.

    What only the type or preference gave it stays: no manifest has ever had it. `before` is the outcome of `old`.
    """
    vm = before.result.vm if before.result is not None else None
    if vm is None or not names_types(old) or names_types(vm):
        return new
    return three_way(old, new, vm)


def names_types(vm: Data) -> bool:
    """Whether a VM names an instance type or a preference."""
    return any(map_at(vm, "spec").get(matcher) for matcher in MATCHERS)


def compare(old: Outcome, new: Outcome) -> VmChange | None:
    """Return what changes for a VM, None when nothing does."""
    before, after = refusals(old), refusals(new)
    if old.result is None or new.result is None:
        if old.without_release([old.unsupported]) == new.without_release([new.unsupported]):
            return None
        return VmChange(kind="unsupported", summary=tuple(after or before))
    if before or after:
        if old.without_release(before) == new.without_release(after):
            return None
        kind, summary = _refusal(old, new, before, after)
        make_diff = (lambda: _lines("-", before) + _lines("+", after)) if kind == "reason" else str
        return VmChange(kind=kind, summary=tuple(summary), make_diff=make_diff)
    change = (
        _compare_domains(old.result, new.result)
        or _compare_vmis(old.result, new.result)
        or _compare_pods(_of_pod(old.result), _of_pod(new.result))
    )
    return _without_claims(change, old.result, lost_claims(old.result, new.result))


def lost_claims(old: Result, new: Result) -> list[str]:
    """Return the claims that a VM names before and after, and that are there only before."""
    after = _claims(new)
    return [claim for claim in _claims(old) if claim in after and _has_claim(old, claim) and not _has_claim(new, claim)]


def deleted_claims(old: Result, head: Cluster, *, of_pool: bool = False) -> list[str]:
    """Return the claims of a VM that goes which go, too: those that it makes, and those that the change removes.

    Of a pool these are those alone that its first VM makes.
    """
    return [
        claim
        for claim in _claims(old)
        if _makes(old, claim) or (not of_pool and _has_claim(old, claim) and not _is_in(head, old, claim))
    ]


def removed_claims(new: Result, base: Cluster) -> list[str]:
    """Return the claims that a new VM names, and that the change removes."""
    return [claim for claim in _claims(new) if _is_in(base, new, claim) and not _has_claim(new, claim)]


def _claims(of: Result) -> list[str]:
    """The claims that a VM names, none of a VMI without a VM."""
    if of.vm_object is None or of.vmi_object is None:
        return []
    return [claim for claim in dict.fromkeys(map(claim_of, of.vmi_object.spec.volumes)) if claim]


def _has_claim(of: Result, claim: str) -> bool:
    """Whether a claim is there, or what makes it."""
    return _makes(of, claim) or (of.cluster is not None and _is_in(of.cluster, of, claim))


def _makes(of: Result, claim: str) -> bool:
    assert of.vm_object is not None
    return any(template.metadata.name == claim for template in of.vm_object.spec.data_volume_templates)


def _is_in(cluster: Cluster, of: Result, claim: str) -> bool:
    """Whether a cluster has a claim of a VM's namespace, or the DataVolume of its name."""
    assert of.vm_object is not None
    namespace = namespace_or_default(of.vm_object.metadata.namespace)
    return any(find(namespace, claim) for find in (cluster.pvc, cluster.data_volume))


def _without_claims(change: VmChange | None, old: Result, lost: Sequence[str]) -> VmChange | None:
    """Say of a VM first which claims that it names are gone, and nothing more of their disks."""
    if not lost:
        return change
    assert old.vmi_object is not None
    lines = [f"claim {claim} is gone" for claim in lost]
    disks = tuple(f"<disk {volume.name}>" for volume in old.vmi_object.spec.volumes if claim_of(volume) in lost)
    change = change or VmChange(kind="pod", summary=(), make_diff=lambda: _lines("-", lines))
    others = (line for line in change.summary if not line.startswith(disks))
    return msgspec.structs.replace(change, summary=(*lines, *others))


def refusals(of: Outcome) -> list[str]:
    """Say who refuses a VM and why, or on what virt-launcher crashes; nothing when it is admitted."""
    result = of.result
    if result is None:
        return [of.unsupported]
    return [str(reason) for reason in result.reasons]


def _refusal(old: Outcome, new: Outcome, before: list[str], after: list[str]) -> tuple[Kind, list[str]]:
    if new.crashes and not old.crashes:
        return "crash", after
    if not before:
        return "refused", after
    if after:
        return "reason", after
    return ("recovered" if old.crashes else "admitted"), [f"was: {cause}" for cause in before]


def _compare_domains(old: Result, new: Result) -> VmChange | None:
    before, after = old.domain, new.domain
    if before is None or after is None or _alike(before, after):
        return None
    words = machine_words(old.vmi_object, new.vmi_object) or list(element_words(before, after))
    return VmChange(
        kind="domain",
        summary=tuple(words) or ("elements change their order",),
        make_diff=lambda: unified(_body(old), _body(new)),
    )


def _body(result: Result) -> str:
    return _COMMENT.sub("", result.domain_xml or "", count=1)


def _alike(old: Element, new: Element) -> bool:
    """Whether two domains are the same but for the comment that names the host profile."""
    return len(old) == len(new) and old.attrib == new.attrib and all(map(same, old, new))


def _compare_vmis(old: Result, new: Result) -> VmChange | None:
    before, after = _of_manifests(old.vmi or {}), _of_manifests(new.vmi or {})
    if before == after:
        return None
    summary = tuple(machine_words(old.vmi_object, new.vmi_object)) or tuple(map(str, differences(before, after)))
    return VmChange(kind="vmi", summary=summary, make_diff=lambda: unified(dump(before), dump(after)))


def _compare_pods(before: Data, after: Data) -> VmChange | None:
    if before == after:
        return None
    if _ERROR in after:
        summary: tuple[str, ...] = (after[_ERROR],)
    elif _ERROR in before:
        summary = (f"was: {before[_ERROR]}",)
    else:
        summary = tuple(f"Pod {difference}" for difference in differences(before, after))
    return VmChange(kind="pod", summary=summary, make_diff=lambda: unified(dump(before), dump(after)))


def _of_pod(result: Result) -> Data:
    """What of the Pod of an admitted VM decides where it fits; why there is none, or why that is not known."""
    try:
        if result.pod is not None:
            return extract(result.pod)
        assert result.pod_error is not None
        return {_ERROR: result.pod_error.message}
    except UnsupportedError as error:
        return {_ERROR: str(error)}


def _of_manifests(vmi: Data) -> Data:
    """What of a VMI manifests can change."""
    metadata: dict[str, Any] = vmi.get("metadata") or {}
    return {
        "metadata": {key: metadata[key] for key in ("labels", "annotations") if key in metadata},
        "spec": vmi.get("spec") or {},
    }


def _lines(sign: str, texts: list[str]) -> str:
    return "".join(f"{sign}{text}\n" for text in texts)


_COMMENT = re.compile(r"^  <!--.*-->\n", re.MULTILINE)
