"""How far virtcatalog is to be trusted on one cluster: what it says of each VM beside what is there.

What libvirt, the scheduler and the cluster add is left out: of Pods and domains everything counts that we say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, Literal, NamedTuple
from xml.etree.ElementTree import Element

from virtcatalog.api.decode import to_manifest
from virtcatalog.errors import ManifestError, UnsupportedError
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.launcher.difference import Difference
from virtcatalog.kubevirt.launcher.difference import differences as element_differences
from virtcatalog.kubevirt.pipeline import build, create_vmi
from virtcatalog.kubevirt.result import Result
from virtcatalog.live.compare import vm_of, vmi_of
from virtcatalog.live.dumpxml import in_one_form
from virtcatalog.live.managers import unmanaged
from virtcatalog.live.revisions import started
from virtcatalog.live.snapshot import Snapshot
from virtcatalog.manifests.difference import differences
from virtcatalog.manifests.identity import Data
from virtcatalog.manifests.xml import XMLElement, read_xml
from virtcatalog.progress import tracked

Stage = Literal["admission", "vmi", "pod", "domain"]
STAGES: Final[tuple[Stage, ...]] = ("admission", "vmi", "pod", "domain")
_NO_DOMAIN: Final = "there is no dumpxml of it"
_DRAWN: Final = ("uuid", "serial", "macAddress")
_PREFIXES: Final = {"http://libvirt.org/schemas/domain/qemu/1.0": "qemu"}


class Finding(NamedTuple):
    """Where we say something else than the cluster: of a VM, at a field of the stage; None is absence."""

    vm: str
    field: str
    ours: object = None
    theirs: object = None


class Answer(NamedTuple):
    """What became of one stage of one VM: where it differs, or why it was not compared."""

    stage: Stage
    vm: str
    findings: tuple[Finding, ...] = ()
    left_out: str = ""


def verify(snapshot: Snapshot, cluster: Cluster, domains: Callable[[str], bytes | None] | None) -> Iterator[Answer]:
    """Yield the answers on each VM that runs; `domains` finds the dumpxml of a VM, if domains are to be compared."""
    names = sorted(snapshot.names)
    for name in tracked(names, len(names), "VMs"):
        live, vmi = snapshot.vm(name), snapshot.vmi(name)
        if live is None or vmi is None or (vmi.get("status") or {}).get("phase") != "Running":
            continue
        yield from _machine(name, live, vmi, snapshot, cluster, domains)


def _machine(
    name: str,
    live: Data,
    vmi: Data,
    snapshot: Snapshot,
    cluster: Cluster,
    domains: Callable[[str], bytes | None] | None,
) -> Iterator[Answer]:
    spec, meets = started(live, vmi, snapshot, cluster)
    if spec is None:
        yield Answer("vmi", name, left_out="what it was started with is not known")
        return
    then = {**{key: value for key, value in live.items() if key != "status"}, "spec": spec}
    try:
        yield _vmi(name, then, vmi, meets)
    except (UnsupportedError, ManifestError) as error:
        yield Answer("vmi", name, left_out=str(error))
    try:
        result = build(then, Result(raw_vm=vm_of(then, meets), raw_vmi=vmi_of(vmi)), meets)
    except (UnsupportedError, ManifestError) as error:
        yield Answer("domain", name, left_out=str(error))
        return
    yield from _pod(name, result, snapshot)
    if domains is not None:
        dumped = domains(name)
        yield _domain(name, result, dumped) if dumped is not None else Answer("domain", name, left_out=_NO_DOMAIN)


def _vmi(name: str, started: Data, vmi: Data, cluster: Cluster) -> Answer:
    result = create_vmi(unmanaged(started), cluster)
    if result.vmi_object is None or not result.admitted:
        reasons = "; ".join(map(str, result.reasons))
        return Answer("vmi", name, (Finding(name, "", f"refused: {reasons}", "runs"),))
    ours, theirs = to_manifest(result.vmi_object.spec), to_manifest(vmi_of(vmi).spec)
    changes = (change for change in differences(ours, theirs, ("spec",)) if change.path[-1] not in _DRAWN)
    return Answer("vmi", name, tuple(Finding(name, change.field, change.old, change.new) for change in changes))


def _pod(name: str, result: Result, snapshot: Snapshot) -> Iterator[Answer]:
    theirs = snapshot.pod(name)
    if theirs is None:
        return
    try:
        ours = result.pod
    except UnsupportedError as error:
        yield Answer("pod", name, left_out=str(error))
        return
    if ours is None:
        yield Answer("pod", name, (Finding(name, "", f"none: {result.pod_error}", "runs"),))
        return
    changes = (
        change for change in differences(ours["spec"], theirs.get("spec") or {}, ("spec",)) if change.old is not None
    )
    yield Answer("pod", name, tuple(Finding(name, change.field, change.old, change.new) for change in changes))


def domain_answer(name: str, live: Data, vmi: Data, cluster: Cluster, dumped: bytes) -> Answer:
    """Return how the domain of a machine, as dumpxml prints it, stands to the one that its VMI makes."""
    try:
        result = build(live, Result(raw_vm=vm_of(live, cluster), raw_vmi=vmi_of(vmi)), cluster)
    except (UnsupportedError, ManifestError) as error:
        return Answer("domain", name, left_out=str(error))
    return _domain(name, result, dumped)


def _domain(name: str, result: Result, dumped: bytes) -> Answer:
    try:
        theirs = read_domain(dumped, f"the domain of {name}")
    except ManifestError as error:
        return Answer("domain", name, left_out=str(error))
    if result.domain is None:
        reasons = "; ".join(map(str, result.reasons))
        return Answer("domain", name, (Finding(name, "", f"none: {reasons}", "runs"),))
    changes = unlike(result.domain, theirs)
    return Answer("domain", name, tuple(Finding(name, change.place, change.old, change.new) for change in changes))


def unlike(ours: Element, dumped: Element) -> Iterator[Difference]:
    """Yield what of a domain is otherwise in its dumpxml; what that has beside it is libvirt's."""
    for change in element_differences(*in_one_form(ours, dumped)):
        # Namespaces are no attributes to the parser.
        if change.old is not None and not (change.attribute or "").startswith("xmlns"):
            yield change


def read_domain(text: bytes, file: str) -> Element:
    """Read a domain as ours are; raises ManifestError."""
    return _element(read_xml(text, file))


def _element(source: XMLElement) -> Element:
    """An element as ours are, whose tags have prefixes."""
    namespace, _, tag = source.tag.rpartition("}")
    prefix = _PREFIXES.get(namespace.lstrip("{"), "")
    element = Element(f"{prefix}:{tag}" if prefix else tag, dict(source.attributes))
    element.text = source.text or None
    element.extend(_element(child) for child in source.children)
    return element


class Tally(NamedTuple):
    """What became of one stage: how many VMs agree of those that were compared, and where others differ."""

    stage: Stage
    compared: int
    agree: int
    findings: tuple[Finding, ...]
    left_out: tuple[str, ...]


def tallied(answers: Iterable[Answer]) -> list[Tally]:
    """Return the answers by stage."""
    every = list(answers)
    tallies = []
    for stage in STAGES:
        of_stage = [answer for answer in every if answer.stage == stage]
        compared = [answer for answer in of_stage if not answer.left_out]
        findings = tuple(finding for answer in compared for finding in answer.findings)
        left_out = tuple(f"{answer.vm}: {answer.left_out}" for answer in of_stage if answer.left_out)
        agree = sum(not answer.findings for answer in compared)
        if of_stage:
            tallies.append(Tally(stage, len(compared), agree, findings, left_out))
    return tallies


def nameless(tally: Tally) -> Tally:
    """Return a tally that one may show to anybody: VMs are numbers, and texts are left out."""
    numbers: dict[str, str] = {}
    findings = tuple(
        Finding(numbers.setdefault(finding.vm, f"vm-{len(numbers) + 1}"), finding.field, *map(_bare, finding[2:]))
        for finding in tally.findings
    )
    return tally._replace(
        findings=findings, left_out=tuple(f"vm: {text.partition(': ')[2]}" for text in tally.left_out)
    )


def _bare(value: object) -> object:
    return value if value is None or isinstance(value, bool | int | float) else f"a {type(value).__name__}"
