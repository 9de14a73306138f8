"""What `virtcatalog expand` prints of a VM, one function a form."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from virtcatalog.cli.console import data, show_json, stream, summary, write_diff
from virtcatalog.cli.previews import with_previews
from virtcatalog.cli.table import Table, print_tables
from virtcatalog.errors import Problem, UnsupportedError, cut, placed
from virtcatalog.escaping import as_json, json_text, json_value
from virtcatalog.fleet.outcome import Form, Outcome

if TYPE_CHECKING:
    from virtcatalog.ask.disks import DiskInfo
    from virtcatalog.kubevirt.pipeline import Result


_DISK_COLUMNS = (
    *("Name", "Volume", "Type", "Bus", "Dev", "Format", "Size"),
    *("Boot", "Cache", "IO", "Serial", "Path", "Backing"),
)


def make_disks(outcome: Outcome, _many: bool) -> Table | None:
    """Return the disks of a VM that has a domain, a row each."""
    from virtcatalog.ask.disks import disks_of

    vm, result, cluster = outcome
    if not result.domain_xml:
        return None
    return f"VirtualMachineInstance/{vm.title}", [_row(disk) for disk in disks_of(result, cluster)]


def show_disks(tables: Iterable[Table], many: bool) -> None:
    """Print the tables: as columns of text, or drawn on a terminal."""
    print_tables(_DISK_COLUMNS, tables, titled=many)


def _row(disk: DiskInfo) -> list[str]:
    from virtcatalog.api.quantity import Quantity

    boot = str(disk.boot) if disk.boot else ""
    size = str(Quantity.of(disk.size)) if disk.size else ""
    how = [disk.type, disk.bus, disk.dev, disk.format, size, boot, disk.cache, disk.io, disk.serial]
    return [disk.name, disk.volume, *how, disk.path, disk.backing_file]


_LONGEST = 60
_ENCODE = json.JSONEncoder(ensure_ascii=False).encode
_COLUMNS = ("Field", "Value", "From")


class Printer(NamedTuple):
    """How a form of output is printed: what it makes of each VM, and how all of that is shown, be they many or one."""

    form: Form
    show: Callable[[Iterable[Any], bool], None]


def show_one_by_one(print_text: Callable[[str], None], texts: Iterable[str], _many: bool) -> None:
    """Print texts one after the other."""
    for text in texts:
        print_text(text)


def make_xml(part: str, outcome: Outcome, many: bool) -> str | None:
    """Return `domain_xml` or `converted_xml`; of many, after a comment that names the VM."""
    xml: str | None = getattr(outcome.result, part)
    return f"<!-- {outcome.vm.title.replace('--', '- -')} -->\n{xml}" if xml and many else xml


def make_manifest(part: str, outcome: Outcome, many: bool) -> str | None:
    """Return `vm`, `vmi` or `pod` as YAML; of many, as one document of them."""
    from virtcatalog.manifests.emit import dump

    manifest = getattr(outcome.result, part)
    if not manifest:
        return None
    where = f"# in {outcome.vm.environment}\n" if outcome.vm.environment else ""
    return (f"---\n{where}" if many else "") + dump(manifest)


def make_diff(outcome: Outcome, _many: bool) -> str | None:
    """Return the unified diff from the VM's template to the VMI."""
    from virtcatalog.ask.template import template_diff

    vm, result, _ = outcome
    return template_diff(vm.manifest, result.vmi, vm.title) if result.vmi else None


def make_findings(outcome: Outcome, _many: bool) -> list[tuple[str, Problem]]:
    """Return why the VM is refused and what it is warned of, each with the rule of SARIF that says so."""
    vm, result, _ = outcome
    refusals, warnings = placed(result.reasons, vm.problem), placed(result.warnings, vm.problem)
    return [*(("refused", refusal) for refusal in refusals), *(("warning", warning) for warning in warnings)]


def show_sarif(findings: Iterable[list[tuple[str, Problem]]], _many: bool) -> None:
    """Print findings as a SARIF log for code scanning."""
    from virtcatalog.sarif import log, result

    rules = [{"id": rule, "shortDescription": {"text": text}} for rule, (_, text) in _SARIF.items()]
    results: list[dict[str, Any]] = []
    for rule, problem in chain.from_iterable(findings):
        level, index = _SARIF[rule][0], list(_SARIF).index(rule)
        results.append(result(rule, index, level, problem.sentence, problem.file, problem.line, problem.column))
    data(as_json(log("virtcatalog expand", rules, results, with_previews({}))))


_SARIF = {
    "refused": ("error", "KubeVirt refuses the VM, or virt-launcher crashes on it."),
    "warning": ("warning", "KubeVirt takes the VM, and something in it is odd."),
}


def make_explanation(outcome: Outcome, _many: bool) -> Table | None:
    """Return where every field of the VMI comes from."""
    from virtcatalog.ask.explain import explain_result

    vm, result, cluster = outcome
    if result.vmi is None:
        return None
    origins = explain_result(vm.manifest, result, cluster)
    rows = [[origin.field, _short(origin.value), ", ".join(origin.sources)] for origin in origins]
    return f"VirtualMachineInstance/{vm.title}", rows


def show_explanations(tables: Iterable[Table], many: bool) -> None:
    """Print the tables, coloured by where fields come from."""
    print_tables(_COLUMNS, tables, titled=many, style=lambda row: _STYLES.get(row[2].split(" ", 1)[0], ""))


def make_json(outcome: Outcome, _many: bool) -> str:
    """Return all that is known of a VM as JSON."""
    from virtcatalog.ask.disks import disks_of
    from virtcatalog.ask.explain import sources_of

    vm, result, cluster = outcome
    document = {
        "name": vm.name,
        "environment": vm.environment,
        "admitted": result.admitted,
        "refusedBy": result.refused_by,
        "causes": result.causes,
        "reasons": result.reasons,
        "warnings": result.warnings,
        "vm": result.vm_object,
        "vmi": result.vmi,
        **_pod(result),
        "origins": sources_of(vm.manifest, result, cluster) if result.vmi else None,
        "domainXml": result.domain_xml,
        "disks": disks_of(result, cluster),
        **({"preview": cluster.release.preview} if cluster.release.preview else {}),
    }
    return json_value(document, write=str)  # amounts


def make_yaml(outcome: Outcome, many: bool) -> str:
    """Return all that is known of a VM as YAML; of many, as one document of them."""
    from virtcatalog.manifests.emit import dump

    return ("---\n" if many else "") + dump(json.loads(make_json(outcome, many)))


def _pod(result: Result) -> dict[str, Any]:
    """The Pod, or why there is none: virt-controller makes none of the VMI, or virtcatalog does not model it."""
    try:
        return {"pod": result.pod, "podError": result.pod_error}
    except UnsupportedError as unsupported:
        return {"pod": None, "podError": {"field": unsupported.field, "message": unsupported.sentence}}


class Pins(NamedTuple):
    """A VM pinned to revisions, and these; `owned` says whether all of them belong to what is there already."""

    items: list[dict[str, Any]]
    owned: bool


def make_pins(outcome: Outcome, _many: bool) -> Pins | None:
    """Return the VM pinned to revisions, before its ControllerRevisions."""
    from virtcatalog.ask.template import pinned

    vm, result, cluster = outcome
    if not result.admitted:
        return None
    items = pinned(vm.manifest, result.vm_object, cluster)
    revisions = [item["metadata"] for item in items if item["kind"] == "ControllerRevision"]
    return Pins(items, all("ownerReferences" in revision for revision in revisions))


def show_pins(json_wanted: bool, pins: Iterable[Pins], _many: bool) -> None:
    """Print a YAML stream or a List as JSON."""
    from virtcatalog.manifests.emit import dump, join

    revisions = list(pins)
    items = [item for revision in revisions for item in revision.items]
    if json_wanted:
        data(as_json({"apiVersion": "v1", "kind": "List", "items": items}))
    else:
        data(join(map(dump, items)))
    if not all(revision.owned for revision in revisions):
        summary("ControllerRevisions of what has no uid yet have no owner: they stay when it is deleted")


PINS: Final = {
    "yaml": Printer(Form(make_pins), partial(show_pins, False)),
    "json": Printer(Form(make_pins), partial(show_pins, True)),
}
"""What `--pin` prints."""


def _short(value: Any) -> str:
    """The value on one line: strings as they are unless that would mislead."""
    text = value if isinstance(value, str) and value.isprintable() and value else _ENCODE(value)
    return cut(text, _LONGEST)


_STYLES = {"VM": "bold", "instance": "green", "preference": "cyan", "preset": "magenta", "cluster": "yellow"}

_TEXTS = partial(show_one_by_one, stream)

FORMS: Final[dict[str, Printer]] = {
    "xml": Printer(Form(partial(make_xml, "domain_xml"), fills=True), _TEXTS),
    "converted": Printer(Form(partial(make_xml, "converted_xml"), fills=True), _TEXTS),
    "vmi": Printer(Form(partial(make_manifest, "vmi")), _TEXTS),
    "vm": Printer(Form(partial(make_manifest, "vm")), _TEXTS),
    "pod": Printer(Form(partial(make_manifest, "pod")), _TEXTS),
    "json": Printer(Form(make_json, fills=True, written=json_text, staged=True), show_json),
    "yaml": Printer(Form(make_yaml, staged=True), _TEXTS),
    "diff": Printer(Form(make_diff), partial(show_one_by_one, write_diff)),
    "explain": Printer(Form(make_explanation, staged=True), show_explanations),
    "disks": Printer(Form(make_disks), show_disks),
    "sarif": Printer(Form(make_findings), show_sarif),
}
