"""`virtcatalog import libvirt`: VMs out of libvirt domains."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from virtcatalog.cli import importing, options
from virtcatalog.cli.conditions import conditioned
from virtcatalog.cli.console import echo, failing, print_documents, print_problems, summary
from virtcatalog.cli.inputs import catalog_objects
from virtcatalog.cli.table import print_tables
from virtcatalog.errors import ManifestError, Problem, UnsupportedError
from virtcatalog.manifests.folder import SourceError
from virtcatalog.manifests.sources import is_folder, open_folder, read_file

if TYPE_CHECKING:
    from virtcatalog.adopt.fleet import Adoption
    from virtcatalog.bring.libvirt.domain import Imported
    from virtcatalog.bring.libvirt.rules import Rules
    from virtcatalog.kubevirt.conditions import Conditions

_COLUMNS = ("Line", "Part", "Fate", "Says", "How or why")


class _Machine(NamedTuple):
    file: str
    imported: Imported
    adoption: Adoption | None

    @property
    def vm(self) -> dict[str, Any]:
        """The manifest: with what it adopted, where its domain stays as it is."""
        if self.adoption is not None and self.adoption.outcome == "adopted" and self.adoption.shrunk is not None:
            return self.adoption.shrunk.manifest
        return self.imported.vm


@click.command(
    "libvirt",
    epilog="""\b
Examples:
  virsh dumpxml --inactive db | virtcatalog import libvirt -f - > db.yaml
  virtcatalog import libvirt -f db.xml -o report          the fate of every part of the domain
  virtcatalog import libvirt -f db.xml -c catalog         with an instance type and a preference
  virtcatalog import libvirt -f db.xml --disk 'vda=http:https://example.org/db.qcow2,20Gi' \\
      --disk '*.iso=drop' --network br1=vlans/office --device 0000:41:00.0=nvidia.com/A400
""",
)
@importing.files("Domains, as `virsh dumpxml` prints them; of a folder, its .xml files.")
@click.option(
    "--disk",
    "disks",
    multiple=True,
    metavar="PATTERN=KIND[:VALUE]",
    help="Where disks come from, by target, path or file name: claim[:NAME], clone:NAMESPACE/NAME, http:URL,SIZE, "
    "registry:URL,SIZE, blank:SIZE, upload:SIZE, image:IMAGE or drop. The first that fits. [default: *=claim]",
)
@click.option(
    "--network",
    "networks",
    multiple=True,
    metavar="PATTERN=pod|[NAMESPACE/]NAME",
    help="What interfaces are attached to, by network, bridge or MAC address: the pod's network or a "
    "NetworkAttachmentDefinition. [default: the first to the pod's, others to one of their network's name]",
)
@click.option(
    "--device",
    "devices",
    multiple=True,
    metavar="PATTERN=RESOURCE",
    help="The resource of a device plugin that host devices are, by their address.",
)
@importing.run_strategy
@options.catalog("Adopt an instance type and a preference of this catalog, where the domain stays the same.")
@options.form(("yaml", "report", "json"))
@failing
@conditioned
def command(
    sources: tuple[str, ...],
    disks: tuple[str, ...],
    networks: tuple[str, ...],
    devices: tuple[str, ...],
    run_strategy: str,
    catalog: str | None,
    form: str,
    conditions: Conditions,
) -> int:
    """Make a VM of a libvirt domain, and prove what became of every element and attribute of it.

    The VM is expanded, and its domain compared with the one that it was made of: a part is carried, the host's (where
    it runs, paths, addresses), or lost, which is told with the reason; the exit status is 1 then.
    """
    from virtcatalog.bring.libvirt.domain import import_domain

    rules = _rules(disks, networks, devices)
    objects = catalog_objects(catalog) if catalog else []
    machines: list[_Machine] = []
    problems: list[Problem] = []
    for source in sources:
        for name, content in _domains(source, problems):
            try:
                imported = import_domain(content, name, rules, conditions, objects, run_strategy)
            except ManifestError as error:
                problems += error.problems
            except UnsupportedError as error:
                problems.append(Problem(file=name, field=error.field, message=error.sentence))
            else:
                adoption = _adopt(imported, objects, conditions) if catalog else None
                machines.append(_Machine(name, imported, adoption))
    print_problems(sorted(problems))
    for machine in machines:
        _tell(machine)
    if machines:
        _print(form, machines)
    if problems:
        return 2
    return 1 if any(machine.imported.lost or machine.imported.reasons for machine in machines) else 0


def _rules(disks: tuple[str, ...], networks: tuple[str, ...], devices: tuple[str, ...]) -> Rules:
    from virtcatalog.bring.libvirt.rules import RuleError, Rules, device_rule, disk_rule, network_rule

    try:
        return Rules(tuple(map(disk_rule, disks)), tuple(map(network_rule, networks)), tuple(map(device_rule, devices)))
    except RuleError as error:
        raise click.UsageError(str(error)) from None


def _domains(source: str, problems: list[Problem]) -> Iterator[tuple[str, bytes]]:
    """Yield the name and content of each file of a source; add what cannot be read."""
    from virtcatalog.limits import XML_BYTES

    try:
        if not is_folder(source):
            yield "<stdin>" if source == "-" else source, read_file(source, XML_BYTES)
            return
        folder = open_folder(source)
        files = [path for path in folder.listing().files if path.endswith(".xml")]
        if not files:
            problems.append(Problem(file=source, message="no .xml file in this folder"))
    except SourceError as error:
        problems.append(Problem(file=source, message=error.message))
        return
    for path in files:
        name = str(Path(source, path))
        try:
            yield name, folder.read(path, XML_BYTES)
        except SourceError as error:
            problems.append(Problem(file=name, message=error.message))


def _adopt(imported: Imported, objects: list[dict[str, Any]], conditions: Conditions) -> Adoption:
    from virtcatalog.adopt.candidates import Candidates
    from virtcatalog.adopt.fleet import adopt

    return adopt(imported.vm, Candidates([*objects, *imported.assumed], conditions))


def _tell(machine: _Machine) -> None:
    imported = machine.imported
    for part in imported.outermost("lost"):
        echo(f"{machine.file}:{part.line}:{part.column}: {part.path}: lost: {part.why}", err=True)
    for need in imported.needs:
        echo(f"{machine.file}: {need.field}: fill in: {need.message}", err=True)
    for claim in imported.assumed:
        mode = claim["spec"]["volumeMode"]
        echo(f"{machine.file}: assumed: the claim {claim['metadata']['name']} is of mode {mode}", err=True)
    for reason in imported.reasons:
        echo(f"{machine.file}: the VM is refused, so that nothing is proven: {reason}", err=True)
    if machine.adoption is not None:
        from virtcatalog.adopt.report import explain

        for line in explain(machine.adoption):
            echo(f"{machine.file}: {line}", err=True)
    counts = Counter(part.fate for part in imported.parts)
    counted = f"{counts['carried']} carried, {counts['host']} the host's, {counts['lost']} lost"
    if counts["unproven"]:
        counted = "none of it is proven"
    proof = "; the same domain comes back" if imported.same else ""
    summary(f"{machine.file}: {len(imported.parts)} elements and attributes: {counted}{proof}")


def _print(form: str, machines: list[_Machine]) -> None:
    if form == "yaml":
        print_documents([machine.vm for machine in machines], form)
    elif form == "json":
        print_documents([_document(machine) for machine in machines], form)
    else:
        print_tables(
            _COLUMNS, ((machine.file, _rows(machine.imported)) for machine in machines), titled=len(machines) > 1
        )


def _rows(imported: Imported) -> Iterator[list[str]]:
    for part in imported.parts:
        yield [str(part.line), part.path, part.fate, importing.short_value(part.value), part.why]


def _document(machine: _Machine) -> dict[str, Any]:
    from virtcatalog.bring.imports import FATES

    imported = machine.imported
    return {
        "file": machine.file,
        "name": imported.name,
        "vm": machine.vm,
        "assumed": imported.assumed,
        "needs": [need._asdict() for need in imported.needs],
        "refused": [{"field": reason.field, "message": reason.message, "by": reason.by} for reason in imported.reasons],
        "same": imported.same,
        "counts": {fate: sum(part.fate == fate for part in imported.parts) for fate in FATES},
        "parts": [part._asdict() for part in imported.parts],
        "added": imported.added,
        "adopted": machine.adoption.outcome if machine.adoption is not None else None,
    }
