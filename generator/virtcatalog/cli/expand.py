"""`virtcatalog expand`: what KubeVirt makes of VMs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from virtcatalog.cli import execution, options
from virtcatalog.cli.conditions import conditioned, settled
from virtcatalog.cli.console import echo, failing, print_problems, progress, summary
from virtcatalog.cli.expand_output import FORMS, PINS, Printer
from virtcatalog.errors import ManifestError, Problem, Warning, counted, outcome_word

if TYPE_CHECKING:
    from virtcatalog.cli.vms import Batch
    from virtcatalog.fleet.expanding import Expander
    from virtcatalog.fleet.outcome import Expansion
    from virtcatalog.fleet.pool import Executor
    from virtcatalog.kubevirt.cluster import Cluster
    from virtcatalog.kubevirt.conditions import Conditions
    from virtcatalog.kubevirt.launcher.lint import Schema

_COUNTED = ("admitted", "refused", "unreadable", "unsupported")


@click.command(
    "expand",
    epilog="""\b
Examples:
  virtcatalog expand -f vm.yaml                       the libvirt domain XML
  virtcatalog expand -f vm.yaml -o diff               what KubeVirt adds to the VM's template
  virtcatalog expand -f vm.yaml -o explain            where every field of the VMI comes from
  virtcatalog expand -f vm.yaml --pin                 the VM pinned to ControllerRevisions, and these
  virtcatalog expand -f vm.yaml -o disks              its disks, a line each
  virtcatalog expand -f vm.yaml -o pod                its virt-launcher Pod, or why there is none
  virtcatalog expand                                  every VM template of ./catalog
  virtcatalog expand -f vm.yaml --at v1.2.0           with the catalog of a tag
  virtcatalog expand -f vm.yaml --kubevirt v1.8.4     under an earlier release
  virtcatalog expand -f fleet.json -o json --executor dask://scheduler:8786
  virtcatalog expand --lint-xml --host mine.yaml      on nodes of your own, checked by libvirt's schema
  kubectl get vm -A -o yaml | virtcatalog expand -f - -o json -c output
""",
)
@options.manifests("VMs, and whatever objects of the cluster they refer to. [default: the catalog's VM templates]")
@options.catalog()
@options.form(list(FORMS), optional=True)
@click.option("--pin", is_flag=True, help="Print the VMs with revisionNames, and their ControllerRevisions.")
@execution.executor
@click.option("--lint-xml", is_flag=True, help="Check every domain against libvirt's schema, too.")
@click.option(
    "--libvirt-schema",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Where that is: domain.rng. [default: the newest installed]",
)
@options.environments
@options.revision("--at", "at", "With the catalog of this git revision, in place of the working tree's.")
@failing
@partial(conditioned, by_environment=True)
def command(
    sources: tuple[str, ...],
    catalog: str | None,
    form: str | None,
    pin: bool,
    executor: Executor | None,
    lint_xml: bool,
    libvirt_schema: Path | None,
    environments: tuple[str, ...],
    at: str | None,
    conditions: Conditions,
) -> int:
    """Show what KubeVirt makes of VMs: who refuses them, or the VMI, the virt-launcher Pod and the libvirt domain XML.

    The KubeVirt CR, PersistentVolumeClaims, DataVolumes, DataSources, presets, ControllerRevisions, and for the Pod
    Namespaces, ResourceQuotas and NetworkAttachmentDefinitions among the files count as the cluster's. VMs that cannot
    be read or are refused do not stop the others.
    """
    if pin and form not in (None, "json"):
        raise click.UsageError(f"--pin prints manifests, as YAML or with -o json; it has no -o {form}")
    from virtcatalog.cli.vms import gather

    gathered, faults = gather(sources, catalog, environments, at)
    schema = _schema(libvirt_schema) if lint_xml or libvirt_schema else None
    batches = settled(gathered, conditions)
    print_problems(sorted(faults))
    number = sum(batch.number for batch, _ in batches)
    printer = PINS[form or "yaml"] if pin else FORMS[form or "xml"]
    run = _Run()
    expanders = [
        (batch, _expander(batch, own, printer, schema, many=number > 1, pods=form == "pod")) for batch, own in batches
    ]
    printer.show(run.tell(progress(_expanded(expanders, executor), number, "VMs")), number > 1)
    if without := sorted(name for batch, _ in batches for name in batch.without_vm):
        summary(f"{counted(len(without), 'file holds', 'files hold')} no VM: {', '.join(without)}")
    other_problems = len(faults) + run.count.pop("", 0)
    if other_problems or run.count != Counter(admitted=1):
        summary(_summary([batch for batch, _ in batches], run.count, other_problems))
    if schema:
        summary(f"domains are checked against {schema}")
    return 2 if other_problems or run.count["unreadable"] or run.count["unsupported"] else run.worst


class _Run:
    """Tells what is wrong with VMs, one by one, while what is made of them passes on to be printed."""

    def __init__(self) -> None:
        self.count: Counter[str] = Counter()
        self.worst = 0

    def tell(self, expanded: Iterator[Expansion]) -> Iterator[Any]:
        """Yield what was made of each VM; what is said of an object that many use is said once."""
        warnings: set[Warning] = set()
        for expansion in expanded:
            if expansion.output is not None:
                yield expansion.output
            self.count[expansion.became] += 1
            self.worst = max(self.worst, 1 if expansion.became == "refused" or expansion.faulty else 0)
            for problem, about in expansion.remarks:
                if about is None or about not in warnings:
                    echo(str(problem), err=True)
                if about is not None:
                    warnings.add(about)


def _schema(file: Path | None) -> Schema:
    from virtcatalog.kubevirt.launcher.lint import Schema, newest_schema

    return Schema(file) if file else newest_schema()


def _cluster(batch: Batch, conditions: Conditions) -> Cluster:
    from virtcatalog.kubevirt.cluster import Cluster

    try:
        return Cluster.under([located.manifest for located in batch.objects], conditions)
    except ManifestError as error:
        faults: list[Problem] = []
        for located in batch.objects:
            try:
                Cluster([located.manifest])
            except ManifestError as own:
                faults += (located.problem(problem.field, problem.message) for problem in own.problems)
        raise ManifestError(*faults) from error


def _expander(
    batch: Batch, conditions: Conditions, printer: Printer, schema: Schema | None, *, many: bool, pods: bool
) -> Expander:
    from virtcatalog.ask.warnings import Warnings
    from virtcatalog.fleet.expanding import Expander

    cluster = _cluster(batch, conditions)
    warnings = Warnings(batch.objects, cluster.release)
    return Expander(cluster, printer.form, warnings.of, schema, many=many, pods=pods)


def _expanded(expanders: list[tuple[Batch, Expander]], executor: Executor | None) -> Iterator[Expansion]:
    """What becomes of the VMs of all batches, in their order."""
    from virtcatalog.fleet.expanding import expand_fleet

    for batch, expander in expanders:
        yield from expander.vms(batch.vms)
        if batch.fleet is not None:
            yield from expand_fleet(batch.fleet, expander, executor)


def _summary(batches: list[Batch], count: Counter[str], other_problems: int) -> str:
    from virtcatalog.fleet.files import distinct

    templates = len({id(vm.manifest) for batch in batches for vm in batch.vms})
    number = min(templates + distinct(batch.fleet for batch in batches if batch.fleet), count.total())
    environments = len({batch.environment for batch in batches if batch.number})
    where = f" in {counted(environments, 'environment')}" if number < count.total() else ""
    parts = ", ".join(f"{count[name]:,} {outcome_word(name)}" for name in _COUNTED if count[name])
    text = f"{counted(number, 'VM')}{where}: {parts}" if number else "no VM"
    return text + (f"; {counted(other_problems, 'other problem')}" if other_problems else "")
