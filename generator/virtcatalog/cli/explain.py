"""`virtcatalog explain`: why a field of a VM, or an element of its domain, is as it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click
import msgspec

from virtcatalog.cli.conditions import conditioned, conditions_of
from virtcatalog.cli.console import data, echo, failing
from virtcatalog.cli.vms import Batch, Located, gather
from virtcatalog.errors import ManifestError, RefusedError, UnsupportedError, VirtcatalogError, place, placed
from virtcatalog.escaping import as_json
from virtcatalog.manifests.sources import is_catalog

if TYPE_CHECKING:
    from virtcatalog.ask.why import Answer, Reason
    from virtcatalog.catalog.model import Catalog
    from virtcatalog.kubevirt.conditions import Conditions


@click.command(
    "explain",
    epilog="""\b
Examples:
  virtcatalog explain vm.yaml --field devices.disks[0].disk.bus
  virtcatalog explain catalog/vms/windows11.yaml --xml '//hyperv/evmcs'
  virtcatalog explain vm.yaml --xml 'string(//vcpu)' --catalog output -o json
""",
)
@click.argument("file", metavar="FILE|-")
@click.option("--field", metavar="FIELD", help="A field of the VMI; `spec.domain.` may be left out.")
@click.option("--xml", "xpath", metavar="XPATH", help="One element, attribute or text of the domain.")
@click.option("--vm", metavar="NAME", help="Which VM, when FILE holds several.")
@click.option(
    "--catalog",
    metavar="CATALOG|DIR",
    help="A catalog, an output tree, or a folder of instance types and preferences. [default: ./catalog, if any]",
)
@click.option("--output", "-o", "form", type=click.Choice(["text", "json"]), default="text", help="[default: text]")
@failing
@conditioned
def command(
    file: str,
    field: str | None,
    xpath: str | None,
    vm: str | None,
    catalog: str | None,
    form: str,
    conditions: Conditions,
) -> int:
    """Tell why a field of the VM in FILE, or an element of its domain, is as it is.

    The VM is expanded again without each field of the VM, its instance type, its preference, its presets and the
    KubeVirt CR; what makes a difference is told, with its place. What nothing of that changes is KubeVirt's own.
    """
    from virtcatalog.ask.field import of_field
    from virtcatalog.ask.why import why
    from virtcatalog.ask.xpath import of_xpath

    if (field is None) == (xpath is None):
        raise click.UsageError("give --field or --xml")
    view = of_field(field) if field is not None else of_xpath(xpath or "")
    located, batch = _choose(gather([file], catalog)[0], file, vm)
    objects = [each.manifest for each in batch.objects]
    try:
        answer = why(located.manifest, objects, conditions_of([batch], conditions)[0], view)
    except (RefusedError, UnsupportedError) as error:
        found = error.reasons if isinstance(error, RefusedError) else [error]
        raise ManifestError(*placed(found, located.problem)) from error
    places = [_place(reason, located, catalog, file) for reason in answer.reasons]
    if form == "json":
        data(as_json(_as_data(located, field or xpath or "", answer, places)))
    else:
        echo("".join(f"{line}\n" for line in _lines(field or xpath or "", answer, places)), nl=False)
    return 0


def _choose(batches: list[Batch], file: str, name: str | None) -> tuple[Located, Batch]:
    found = [(vm, batch) for batch in batches for vm in batch.vms if name in (None, vm.name, vm.name.partition("/")[2])]
    if not found:
        unreadable = [problem for batch in batches for vm in batch.unreadable for problem in vm]
        if unreadable:
            raise ManifestError(*unreadable)
        raise VirtcatalogError(f"{file} holds no VM{f' {name}' if name else ''}")
    if len(found) > 1:
        names = ", ".join(sorted({vm.name for vm, _ in found}))
        raise click.UsageError(f"{file} holds several VMs, name one with --vm: {names}")
    return found[0]


def _place(reason: Reason, vm: Located, catalog: str | None, file: str) -> str:
    """Where the field of a reason is written: `file:line:column`, "" when that is not known."""
    if reason.kind == "VM":
        return place(vm.problem(reason.field, ""))
    if reason.kind not in ("instance type", "preference"):
        return ""
    loaded = _catalog(catalog, file)
    entries = (loaded.instancetypes if reason.kind == "instance type" else loaded.preferences) if loaded else ()
    for entry in entries:
        if entry.name == reason.object:
            return str(entry.place(reason.field))
    return ""


def _catalog(catalog: str | None, file: str) -> Catalog | None:
    from virtcatalog.catalog.load import load_catalog
    from virtcatalog.cli.vms import catalog_around

    around = catalog_around(file)
    path = catalog or (str(around) if around else "catalog")
    return load_catalog(path) if is_catalog(path) else None


def _lines(what: str, answer: Answer, places: list[str]) -> Iterator[str]:
    yield f"{what}: {answer.value}"
    if not answer.reasons:
        yield "  KubeVirt's own: no field of the VM, its instance type, preference, preset or KubeVirt CR changes it"
    for reason, where in zip(answer.reasons, places, strict=True):
        value = f": {reason.value}" if reason.value else ""
        yield f"  {reason.kind} {reason.object}: {reason.field}{value}" + (f" ({where})" if where else "")
        condition = "with another value" if reason.otherwise else "without it"
        yield f"    {condition}: {reason.without or 'nothing'}"


def _as_data(vm: Located, what: str, answer: Answer, places: list[str]) -> dict[str, Any]:
    return {
        "vm": vm.name,
        "asked": what,
        "value": answer.value,
        "reasons": [
            {**msgspec.to_builtins(reason), "place": where}
            for reason, where in zip(answer.reasons, places, strict=True)
        ],
    }
