"""What `virtcatalog expand` prints of a VM, one function a form."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from virtcatalog.cli.console import data, summary, write_diff
from virtcatalog.cli.expand_disks import print_disks
from virtcatalog.cli.outcome import Outcomes
from virtcatalog.cli.table import print_tables
from virtcatalog.errors import UnsupportedError
from virtcatalog.escaping import as_json

if TYPE_CHECKING:
    from virtcatalog.ask.explain import Origin
    from virtcatalog.cli.vms import Located
    from virtcatalog.kubevirt.cluster import Cluster
    from virtcatalog.kubevirt.pipeline import Result

_LONGEST = 60
_COLUMNS = ("Field", "Value", "From")


Printer = Callable[[Outcomes, bool], None]


def print_xml(part: str, outcomes: Outcomes, many: bool) -> None:
    """Print `domain_xml` or `converted_xml` of each result; of many, each after a comment that names its VM."""
    for vm, result, _ in outcomes:
        xml = getattr(result, part)
        if xml:
            name = vm.title.replace("--", "- -")
            data((f"<!-- {name} -->\n" if many else "") + xml)


def print_manifests(part: str, outcomes: Outcomes, many: bool) -> None:
    """Print `vm`, `vmi` or `pod` of each result as YAML."""
    from virtcatalog.manifests.emit import dump

    for vm, result, _ in outcomes:
        manifest = getattr(result, part)
        if manifest:
            where = f"# in {vm.environment}\n" if vm.environment else ""
            data((f"---\n{where}" if many else "") + dump(manifest))


def print_diff(outcomes: Outcomes, _many: bool) -> None:
    """Print the unified diffs from VM templates to VMIs."""
    from virtcatalog.ask.template import template_diff

    for vm, result, _ in outcomes:
        if result.vmi:
            write_diff(template_diff(vm.manifest, result.vmi, vm.title))


def print_sarif(outcomes: Outcomes, _many: bool) -> None:
    """Print why VMs are refused, and what they are warned of, as a SARIF log for code scanning."""
    from virtcatalog.errors import placed
    from virtcatalog.sarif import log, result

    rules = [{"id": rule, "shortDescription": {"text": text}} for rule, (_, text) in _SARIF.items()]
    found: list[dict[str, Any]] = []
    for vm, expanded, _ in outcomes:
        for rule, problems in (
            ("refused", placed(expanded.reasons, vm.problem)),
            ("warning", placed(expanded.warnings, vm.problem)),
        ):
            level, index = _SARIF[rule][0], list(_SARIF).index(rule)
            found += (result(rule, index, level, each.sentence, each.file, each.line, each.column) for each in problems)
    data(as_json(log("virtcatalog expand", rules, found)))


_SARIF = {
    "refused": ("error", "KubeVirt refuses the VM, or virt-launcher fails on it."),
    "warning": ("warning", "KubeVirt takes the VM, and something in it is odd."),
}


def print_explanation(outcomes: Outcomes, many: bool) -> None:
    """Print where every field of the VMIs comes from."""
    tables = (
        (
            f"VirtualMachineInstance/{vm.title}",
            [(each.field, _short(each.value), _sources(each)) for each in _origins(vm, cluster)],
        )
        for vm, result, cluster in outcomes
        if result.vmi is not None
    )
    print_tables(_COLUMNS, tables, titled=many, style=lambda row: _STYLES.get(row[2].split(" ", 1)[0], ""))


def print_json(outcomes: Outcomes, many: bool) -> None:
    """Print one object for one VM, else a list of them."""
    from virtcatalog.ask.disks import disks_of

    separator = "[\n" if many else ""
    for vm, result, cluster in outcomes:
        document = {
            "name": vm.name,
            "environment": vm.environment,
            "admitted": result.admitted,
            "refusedBy": result.refused_by,
            "causes": [msgspec.structs.asdict(each) for each in result.causes],
            "reasons": [msgspec.structs.asdict(each) for each in result.reasons],
            "warnings": [msgspec.structs.asdict(each) for each in result.warnings],
            "vm": result.vm,
            "vmi": result.vmi,
            **_pod(result),
            "origins": {each.field: [str(source) for source in each.sources] for each in _origins(vm, cluster)}
            if result.vmi
            else None,
            "domainXml": result.domain_xml,
            "disks": [msgspec.to_builtins(each) for each in disks_of(result, cluster)],
        }
        data(separator + as_json(document).rstrip("\n"))
        separator = ",\n"
    if many:
        data("\n]\n" if separator == ",\n" else "[]\n")
    elif separator:
        data("\n")


def _pod(result: Result) -> dict[str, Any]:
    """The Pod, or why there is none: virt-controller makes none of the VMI, or virtcatalog does not model it."""
    try:
        error = result.pod_error
        return {"pod": result.pod, "podError": msgspec.structs.asdict(error) if error else None}
    except UnsupportedError as unsupported:
        return {"pod": None, "podError": {"field": unsupported.field, "message": unsupported.sentence}}


def print_pins(json_wanted: bool, outcomes: Outcomes, _many: bool) -> None:
    """Print the VMs pinned to revisions, each before its ControllerRevisions: a YAML stream or a List as JSON."""
    from virtcatalog.ask.pinned import pinned
    from virtcatalog.manifests.emit import dump, join

    items: list[dict[str, Any]] = []
    for vm, result, cluster in outcomes:
        if result.admitted:
            items += pinned(vm.manifest, result.vm_object, cluster)
    if json_wanted:
        data(as_json({"apiVersion": "v1", "kind": "List", "items": items}))
    else:
        data(join(map(dump, items)))
    revisions = [each["metadata"] for each in items if each["kind"] == "ControllerRevision"]
    if not all("ownerReferences" in each for each in revisions):
        summary("ControllerRevisions of what has no uid yet have no owner: they stay when it is deleted")


def _origins(vm: Located, cluster: Cluster) -> list[Origin]:
    from virtcatalog.ask.explain import explain

    return explain(vm.manifest, cluster)


def _sources(origin: Origin) -> str:
    return ", ".join(map(str, origin.sources))


def _short(value: Any) -> str:
    """The value on one line: strings as they are unless that would mislead."""
    text = value if isinstance(value, str) and value.isprintable() and value else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


_STYLES = {"VM": "bold", "instance": "green", "preference": "cyan", "preset": "magenta", "cluster": "yellow"}

PRINTERS: dict[str, Printer] = {
    "xml": partial(print_xml, "domain_xml"),
    "converted": partial(print_xml, "converted_xml"),
    "vmi": partial(print_manifests, "vmi"),
    "vm": partial(print_manifests, "vm"),
    "pod": partial(print_manifests, "pod"),
    "json": print_json,
    "diff": print_diff,
    "explain": print_explanation,
    "disks": print_disks,
    "sarif": print_sarif,
}
