"""`virtcatalog import vmware`: VMs of what VMware's tools, VirtualBox and forklift say of machines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from virtcatalog.api.names import namespace_fault
from virtcatalog.bring.vmware.sources import read_sources
from virtcatalog.cli import importing, options
from virtcatalog.cli.conditions import conditioned
from virtcatalog.cli.console import failing, note, print_problems, progress
from virtcatalog.cli.importing.vmware_plans import Plans, Together, limits_of, providers_of, room_for
from virtcatalog.cli.inputs import catalog_objects
from virtcatalog.errors import ManifestError, Problem, VirtcatalogError
from virtcatalog.manifests.sources import exists

if TYPE_CHECKING:
    from virtcatalog.bring.vmware.machine import Machine
    from virtcatalog.bring.vmware.mapping import Mapping
    from virtcatalog.bring.vmware.sources import Machines
    from virtcatalog.kubevirt.conditions import Conditions

_MOST_LINES = 40
"""How many lines there are about what is lost, and how many about VMs that are refused."""


@click.command(
    "vmware",
    epilog="""\b
Examples:
  virtcatalog import vmware -f web.ovf -c catalog > web.yaml
  virtcatalog import vmware -f exports/ -c catalog -o table     which type and preference each VM gets
  virtcatalog import vmware -f rvtools/ -c catalog -o table     the same of an RVTools export
  virtcatalog import vmware -f web.ova -o report                the fate of every attribute
  virtcatalog import vmware -f exports/ -c catalog --mapping mapping.yaml --output-dir migration
  virtcatalog import vmware -f exports/ -c catalog --propose    sizes that the catalog lacks
""",
)
@importing.files(
    "OVF descriptors, OVA archives, RVTools' workbooks and CSV files, forklift's inventory in JSON; of a folder, "
    "all that are in it.",
)
@click.option(
    "--mapping",
    "mapping_file",
    metavar="FILE",
    shell_complete=options.completes("files"),
    help="What networks, datastores and systems are in the cluster; it is made if it is missing.",
)
@click.option("--vm", "patterns", multiple=True, metavar="GLOB", help="Machines of these names only; repeatable.")
@click.option("-n", "--namespace", metavar="NAME", default="", help="The namespace of the VMs.")
@click.option(
    "--disks",
    type=click.Choice(["claim", "upload"]),
    default="claim",
    help="Disks are claims VM-disk-N that are there by then, or DataVolumes to upload into. [default: claim]",
)
@click.option(
    "--raw", is_flag=True, help="Nobody converts the guests: SATA disks and e1000e cards, which need no new drivers."
)
@importing.run_strategy
@options.catalog("The types and preferences to choose from. [default: catalog; without one, VMs say their size]")
@click.option(
    "--forklift",
    metavar="NAMESPACE/PROVIDER",
    help="Write a NetworkMap, a StorageMap and Plans, too, by which forklift moves the VMs of this Provider to `host`.",
)
@click.option(
    "--wave",
    "limits",
    multiple=True,
    metavar="LIMIT",
    help="What a Plan has at most: vms=NUMBER, disks=SIZE, or host=NUMBER of VMs on one ESXi host. [default: vms=20]",
)
@click.option(
    "--templates",
    is_flag=True,
    help="Write VMs that are alike but for names and addresses as one VirtualMachineTemplate, with values for each.",
)
@options.file(
    "--nodes",
    "Kinds of node and their number (docs/capacity.md): tell what the VMs take of them; what fits no node, waits.",
    default="",
)
@options.file(
    "--prices", "What a month of CPUs, memory and devices costs: tell what the VMs cost together.", default=""
)
@click.option("--propose", is_flag=True, help="Print sizes for the catalog that several VMs have and no type has.")
@options.form(("yaml", "table", "csv", "report", "json"))
@options.output_dir("A folder to write to: a file for each VM, and a table of them.")
@failing
@conditioned
def command(
    sources: tuple[str, ...],
    mapping_file: str | None,
    patterns: tuple[str, ...],
    namespace: str,
    disks: Any,
    raw: bool,
    run_strategy: str,
    catalog: str | None,
    forklift: str | None,
    limits: tuple[str, ...],
    templates: bool,
    nodes: str,
    prices: str,
    propose: bool,
    form: str,
    output: Path | None,
    conditions: Conditions,
) -> int:
    """Make VMs of machines of vSphere, with types and preferences, and account for every attribute of them.

    A VM gets the preference of its operating system and the smallest instance type that fits, as `adopt` finds it. It
    is expanded, and its domain compared with the machine: an attribute is carried, the host's, or lost, which is told
    with the reason; the exit status is 1 then, and 2 when something cannot be read.
    """
    from virtcatalog.bring.vmware.bring import Bringer
    from virtcatalog.bring.vmware.manifest import Target
    from virtcatalog.bring.vmware.templating import Templates
    from virtcatalog.cli.adopt import print_proposals
    from virtcatalog.cli.importing.vmware_output import Tally, print_vms, write_folder

    if namespace and (fault := namespace_fault(namespace)):
        raise click.UsageError(f"--namespace: {fault}")
    if limits and forklift is None:
        raise click.UsageError("--wave is for --forklift")
    if templates and output is None:
        raise click.UsageError("--templates needs --output-dir")
    if forklift is not None and (output is None or not namespace or disks == "upload"):
        raise click.UsageError("--forklift needs --output-dir and --namespace, and makes the claims itself")
    providers, wave = (providers_of(forklift), limits_of(limits)) if forklift is not None else (None, None)
    problems: list[Problem] = []
    read = read_sources(sources, problems)
    print_problems(sorted(problems))

    tally = Tally()
    machines = _moving(read, patterns, tally.left_out)

    file = mapping_file or (str(output / "mapping.yaml") if output is not None else None)
    objects = catalog_objects(catalog)
    mapping = _mapping(file, machines, objects, conditions)
    plans = Plans(providers, wave, namespace, mapping, file or "") if providers and wave else None
    room = room_for(objects, nodes, conditions) if nodes or prices else None
    together = Together(plans, room, Templates() if templates else None)
    bringer = Bringer(objects, Target(mapping, namespace, disks, run_strategy, not raw), conditions)
    vms = together.taking(progress(map(bringer.bring, machines()), None, "VMs", silent=True))
    if propose:
        for _ in tally.counted(vms):
            pass
        print_proposals(tally.adoptions, tally.outcomes.total(), bringer.candidates)
        return 2 if problems else 0
    if output is not None:
        write_folder(vms, output, tally, lambda: together.texts(output))
    else:
        print_vms(vms, form, tally)
    if not tally.outcomes and not problems:
        raise VirtcatalogError(f"there is no machine {'of these names ' if patterns else ''}in {', '.join(sources)}")
    fits = together.tell(prices, _MOST_LINES)
    tally.tell(_MOST_LINES, form if output is None else "")
    if problems:
        return 2
    return 0 if tally.fine and fits else 1


def _moving(sources: Iterable[Machines], patterns: Sequence[str], left_out: Counter[str]) -> Machines:
    """The machines whose names match and that can move; `left_out` counts the others by reason."""

    def machines(*, accounted: bool = True) -> Iterator[Machine]:
        for machine in (machine for source in sources for machine in source(accounted=accounted)):
            if patterns and not any(fnmatchcase(machine.name, pattern) for pattern in patterns):
                continue
            if not machine.left_out:
                yield machine
            elif accounted:
                left_out[machine.left_out] += 1

    return machines


def _mapping(file: str | None, machines: Machines, objects: list[dict[str, Any]], conditions: Conditions) -> Mapping:
    """The mapping of a file, which is made if it is missing; ManifestError for what it does not tell of."""
    from virtcatalog.bring.vmware.bring import Bringer
    from virtcatalog.bring.vmware.manifest import Target
    from virtcatalog.bring.vmware.mapping import (
        Census,
        Mapping,
        load_mapping,
        missing,
        problems_in,
        proposed,
        written,
    )
    from virtcatalog.writing import write_files

    mapping = load_mapping(file) if file is not None and exists(file) else None
    bringer = Bringer(objects, Target(mapping or Mapping()), conditions)
    census = Census()
    for machine in machines(accounted=False):
        system = bringer.system(machine.guests)
        census.add(machine, system.text if system.preference is None else "")
    if mapping is None:
        mapping = proposed(census)
        if file is not None:
            path = Path(file)
            write_files(path.parent, {path.name: written(mapping)}, note)
            note(f"{file}: made: say in it what vSphere's networks and datastores are in the cluster, and import again")
        return mapping
    faults = [*missing(mapping, census), *bringer.unknown_preferences()]
    if faults and file is not None:
        raise ManifestError(*problems_in(file, faults))
    return mapping
