"""`virtcatalog expand`: what KubeVirt makes of VMs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from virtcatalog.cli.console import failing, summary
from virtcatalog.cli.inputs import catalog_objects, is_catalog, read
from virtcatalog.errors import Cause, Problem, VirtcatalogError

if TYPE_CHECKING:
    from virtcatalog.catalog.model import VmTemplate
    from virtcatalog.pipeline import Result

    Results = Iterable[tuple["Vm", Result]]


@click.command(
    "expand",
    epilog="""\b
Examples:
  virtcatalog expand -f vm.yaml                       the libvirt domain XML
  virtcatalog expand -f vm.yaml -o vmi                the VirtualMachineInstance
  virtcatalog expand                                  every VM template of ./catalog
  kubectl get vm -A -o yaml | virtcatalog expand -f - -o json --catalog output
""",
)
@click.option(
    "--file",
    "-f",
    "sources",
    multiple=True,
    metavar="FILE|DIR|-",
    help="VMs, and whatever objects of the cluster they refer to. Default: the VM templates of the catalog.",
)
@click.option(
    "--catalog",
    metavar="CATALOG|DIR",
    help="A catalog, an output tree, or a folder of instance types and preferences. Default: ./catalog, if there is one.",
)
@click.option(
    "--output", "-o", "form", type=click.Choice(["xml", "vmi", "vm", "json"]), default="xml", help="What to print."
)
@click.option(
    "--arch",
    type=click.Choice(["amd64", "arm64", "s390x"]),
    default="amd64",
    help="The architecture of VMs that name none. [default: amd64]",
)
@failing
def command(sources: tuple[str, ...], catalog: str | None, form: str, arch: str) -> int:
    """Show what KubeVirt v1.9.0 makes of VMs: who refuses them, or the VMI and the libvirt domain XML.

    The KubeVirt CR, PersistentVolumeClaims, DataVolumes, DataSources, presets and ControllerRevisions among the files
    count as the cluster's.
    """
    from virtcatalog.expand.cluster import Cluster
    from virtcatalog.pipeline import expand

    vms, companions = _from_files(sources) if sources else _templates(catalog or "catalog")
    if not vms:
        raise VirtcatalogError(f"no VirtualMachine in {', '.join(sources) or catalog}")
    cluster = Cluster([*catalog_objects(catalog), *companions], architecture=arch)
    refused = 0

    def results() -> Iterator[tuple[Vm, Result]]:
        nonlocal refused
        for vm in vms:
            result = expand(vm.manifest, cluster)
            yield vm, result
            if not result.admitted:
                refused += 1
                for problem in _problems(vm, result):
                    click.echo(str(problem), err=True)

    for text in _PRINTERS[form](results(), len(vms) > 1):
        click.echo(text, nl=False)
    if len(vms) > 1:
        summary(f"{len(vms)} VMs: {len(vms) - refused} admitted, {refused} refused")
    return 1 if refused else 0


class Vm(NamedTuple):
    """A VirtualMachine to expand, and how to say that something is wrong with one of its fields."""

    manifest: dict[str, Any]
    problem: Callable[[str, str], Problem]


def _from_files(sources: Iterable[str]) -> tuple[list[Vm], list[dict[str, Any]]]:
    vms, companions = [], []
    for each in read(sources):
        if each.data["kind"] == "VirtualMachine":
            vms.append(Vm(each.data, each.problem))
        else:
            companions.append(each.data)
    return vms, companions


def _templates(catalog: str) -> tuple[list[Vm], list[dict[str, Any]]]:
    """The VM templates of a catalog, rendered."""
    if not is_catalog(catalog):
        raise click.UsageError(f"name VMs with -f: {catalog} is no catalog that holds VM templates")
    from virtcatalog.catalog.load import load_catalog

    vms, companions = [], []
    for template in load_catalog(catalog).vms:
        vms.append(Vm(template.manifest, partial(_in_template, template)))
        companions += template.companions
    return vms, companions


def _in_template(template: VmTemplate, field: str, message: str) -> Problem:
    source = template.source
    name = f"VirtualMachine/{template.name}"
    return Problem(source.file, source.line, source.column, name, field, message)


def _problems(vm: Vm, result: Result) -> list[Problem]:
    """Why a VM is refused, at the fields of the VM that the causes name."""
    causes = result.causes or [Cause("", "", result.message)]
    return sorted(vm.problem(_in_vm(cause.field, result.refused_by), cause.message) for cause in causes)


def _in_vm(field: str, refused_by: str | None) -> str:
    """The VM's field behind a field of its VMI."""
    return f"spec.template.{field}" if refused_by == "vmi" and field.startswith("spec") else field


def _xml(results: Results, many: bool) -> Iterator[str]:
    for vm, result in results:
        if result.domain_xml:
            yield (f"<!-- {_name(vm)} -->\n" if many else "") + result.domain_xml


def _manifests(part: str, results: Results, many: bool) -> Iterator[str]:
    from virtcatalog.api.emit import dump

    for _, result in results:
        manifest = getattr(result, part)
        if manifest:
            yield ("---\n" if many else "") + dump(manifest)


def _json(results: Results, many: bool) -> Iterator[str]:
    """One object for one VM, else a list of them."""
    separator = "[\n" if many else ""
    for vm, result in results:
        document = {
            "name": _name(vm),
            "admitted": result.admitted,
            "refusedBy": result.refused_by,
            "causes": [{"type": each.type, "field": each.field, "message": each.message} for each in result.causes],
            "message": result.message,
            "warnings": result.warnings,
            "vm": result.vm,
            "vmi": result.vmi,
            "domainXml": result.domain_xml,
        }
        yield separator + json.dumps(document, indent=2, ensure_ascii=False)
        separator = ",\n"
    yield "\n]\n" if many else "\n"


def _name(vm: Vm) -> str:
    metadata = vm.manifest.get("metadata") or {}
    return f"{metadata.get('namespace') or 'default'}/{metadata.get('name') or metadata.get('generateName')}"


_PRINTERS: dict[str, Callable[[Results, bool], Iterator[str]]] = {
    "xml": _xml,
    "vmi": partial(_manifests, "vmi"),
    "vm": partial(_manifests, "vm"),
    "json": _json,
}
