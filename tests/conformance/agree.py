"""virtcatalog's answers to a case, held against KubeVirt's."""

from __future__ import annotations

import traceback
from collections import Counter
from collections.abc import Iterable
from copy import deepcopy
from pathlib import Path
from typing import Any

import virtcatalog
from conformance import pods, views
from conformance.cases import CATALOG_KINDS, Case
from virtcatalog.api.decode import to_manifest
from virtcatalog.api.kubevirt import VirtualMachine
from virtcatalog.kubevirt.controller.vm import ControllerError, expand_instancetype
from virtcatalog.kubevirt.defaults.webhooks import mutate_vm
from virtcatalog.kubevirt.reading import read
from virtcatalog.kubevirt.result import Result

STAGES = ("objects", "admission", "vmi", "xml", "launch", "pod")
#: What the webhooks of the VM alone say: all that a dry run in a cluster tells.
WEBHOOK = "webhook"
#: The template of a stored VM with its instance type and preference applied: what the subresource expand-vm-spec tells.
EXPANDED = "expanded"
SHARE = Path(__file__).parent.parent / "conformance-share.txt"

Share = Counter[tuple[str, str]]


def stages(case: Case) -> list[str]:
    """The stages that KubeVirt reached in a case."""
    reached = {*case.expected, *(["pod"] if "podError" in case.expected else [])}
    return [stage for stage in (*STAGES, WEBHOOK, EXPANDED) if stage in reached]


def check(case: Case) -> dict[str, list[str]]:
    """{stage: what differs, a line each}; an exception is a difference at every stage."""
    try:
        here = answers(case)
        if EXPANDED in case.expected:
            here[EXPANDED] = expanded(case)
        return {stage: _compare(stage, case, here) for stage in stages(case)}
    except Exception:
        raised = traceback.format_exc().strip().splitlines()[-1]
        return {stage: [f"raised {raised}"] for stage in stages(case)}


def answers(case: Case) -> dict[str, Any]:
    """What virtcatalog makes of a case, with the keys of `Case.expected`."""
    cluster = case.cluster()
    result = virtcatalog.expand(deepcopy(case.vm), cluster)
    answer: dict[str, Any] = {
        "admission": views.admission(
            {
                "allowed": result.admitted,
                "refusedBy": result.refused_by,
                "fields": [cause.field for cause in result.causes],
            }
        ),
        "objects": {},
        WEBHOOK: _of_webhook(result),
        "vmi": views.vmi(result.vmi) if result.vmi else None,
        "xml": getattr(result, "converted_xml", None) or result.domain_xml,
        "launch": result.domain_xml,
        "pod": getattr(result, "pod", None),
        "podError": bool(getattr(result, "pod_error", None)),
    }
    for manifest in case.objects:
        if manifest["kind"] in CATALOG_KINDS:
            causes = virtcatalog.admit(deepcopy(manifest), cluster)
            if causes:
                name = f"{manifest['kind']}/{manifest['metadata']['name']}"
                answer["objects"][name] = sorted({cause.field for cause in causes})
    return views.without_drawn(answer, case.vm)


def expanded(case: Case) -> dict[str, Any] | None:
    """The template of the stored VM with its types applied, or that they cannot be; None for a VM that is refused."""
    cluster = case.cluster()
    vm = read(deepcopy(case.vm), VirtualMachine, cluster, [])
    if isinstance(vm, Result) or mutate_vm(vm, cluster):
        return None
    try:
        template = to_manifest(expand_instancetype(vm, cluster).spec.template)
    except ControllerError:
        return {"refused": True}
    return views.without_drawn({"vmi": views.vmi(template)}, case.vm)["vmi"]


def _of_webhook(result: virtcatalog.Result) -> dict[str, Any]:
    if result.refused_by != "vm":
        return {"allowed": True, "fields": []}
    return {"allowed": False, "fields": sorted({cause.field for cause in result.causes})}


def _compare(stage: str, case: Case, here: dict[str, Any]) -> list[str]:
    if stage == "pod" and "podError" in case.expected:
        return [] if here["podError"] and not here["pod"] else ["KubeVirt makes no Pod, and says why"]
    want, got = case.expected[stage], here[stage]
    if got is None:
        return [f"KubeVirt makes a {stage}, here is none"]
    if stage == WEBHOOK:
        got = {key: got[key] for key in want}
    view = {"xml": views.infoset, "launch": views.infoset, "pod": pods.view}.get(stage)
    return list(views.differences(view(want), view(got)) if view else views.differences(want, got))


def recorded() -> Share:
    """{(release, stage): cases that agree}, of lines `RELEASE STAGE COUNT`."""
    rows = (line.split() for line in SHARE.read_text(encoding="utf-8").splitlines())
    return Counter({(release, stage): int(count) for release, stage, count in rows})


def held(cases: Iterable[Case]) -> Share:
    """{(release, stage): cases that have an answer there}."""
    return Counter((case.release, stage) for case in cases for stage in stages(case))
