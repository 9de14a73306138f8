"""`virtcatalog expand`: what KubeVirt makes of VMs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from virtcatalog.cli import options
from virtcatalog.cli.conditions import conditioned, conditions_of
from virtcatalog.cli.console import echo, failing, progress, summary
from virtcatalog.cli.expand_output import PRINTERS, print_pins
from virtcatalog.cli.expand_warnings import Warnings
from virtcatalog.cli.outcome import Outcome
from virtcatalog.cli.upstream import with_upstream
from virtcatalog.cli.vms import Batch, Located, gather
from virtcatalog.errors import ManifestError, Problem, Reason, UnsupportedError, counted, placed

if TYPE_CHECKING:
    from virtcatalog.cli.revisions import Revision
    from virtcatalog.kubevirt.cluster import Cluster
    from virtcatalog.kubevirt.conditions import Conditions
    from virtcatalog.kubevirt.launcher.lint import Finding, Schema
    from virtcatalog.kubevirt.pipeline import Result
    from virtcatalog.pool import Executor

    _Expanded = tuple[Located, Result | UnsupportedError, Cluster, Warnings]

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
  virtcatalog expand --lint-xml --host nodes.yaml     on nodes of your own, checked by libvirt's schema
  kubectl get vm -A -o yaml | virtcatalog expand -f - -o json -c output
""",
)
@options.manifests("VMs, and whatever objects of the cluster they refer to. [default: the catalog's VM templates]")
@options.catalog()
@options.form(list(PRINTERS))
@click.option("--pin", is_flag=True, help="Print the VMs with revisionNames, and their ControllerRevisions.")
@options.executor
@click.option("--lint-xml", is_flag=True, help="Check every domain against libvirt's schema, too.")
@click.option(
    "--libvirt-schema",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Where that is: domain.rng. [default: the newest installed]",
)
@options.environments
@click.option("--at", metavar="REVISION", help="With the catalog of this git revision, in place of the working tree's.")
@failing
@conditioned
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
    revision = _revision(at) if at is not None else None
    batches, faults = gather(sources, catalog, options.settings().cluster, environments, revision)
    schema = _schema(libvirt_schema) if lint_xml or libvirt_schema else None
    run = _Run(schema, pods=form == "pod")
    for problem in sorted([*faults, *(each for batch in batches for vm in batch.unreadable for each in vm)]):
        run.say(problem)
    run.count["unreadable"] = sum(len(batch.unreadable) for batch in batches)
    met = conditions_of(batches, conditions)
    batches = with_upstream(batches, met)
    clusters = [(batch, _cluster(batch, own)) for batch, own in zip(batches, met, strict=True)]
    number = sum(len(batch.vms) for batch in batches)
    outcomes = run.tell(progress(_expanded(clusters, executor), number, "VMs"))
    printer = partial(print_pins, form == "json") if pin else PRINTERS[form or "xml"]
    printer(outcomes, number > 1)
    if without := sorted(name for batch in batches for name in batch.without_vm):
        summary(_without_vm(without))
    if faults or run.count != Counter(admitted=1):
        summary(_summary(batches, run.count, len(faults)))
    if schema:
        summary(f"domains are checked against {schema}")
    return 2 if faults or run.count["unreadable"] or run.count["unsupported"] else run.worst


class _Run:
    """Tells what is wrong with VMs, one by one, while their results pass on to be printed."""

    def __init__(self, schema: Schema | None, *, pods: bool) -> None:
        self.count: Counter[str] = Counter()
        self.worst = 0
        self._schema, self._pods = schema, pods

    def say(self, problem: Problem) -> None:
        """Print a problem."""
        echo(str(problem), err=True)

    def tell(self, expanded: Iterator[_Expanded]) -> Iterator[Outcome]:
        """Yield what became of each VM, refused ones too; what virtcatalog does not model is only told."""
        for vm, result, cluster, warnings in expanded:
            podless = [] if isinstance(result, UnsupportedError) else self._podless(result)
            if isinstance(result, UnsupportedError) or isinstance(podless, UnsupportedError):
                unsupported = [each for each in (result, podless) if isinstance(each, UnsupportedError)]
                for problem in placed(unsupported, vm.problem):
                    self.say(problem)
                self.count["unsupported"] += 1
                continue
            yield Outcome(vm, result, cluster)
            self.count["admitted" if result.admitted else "refused"] += 1
            faults = [vm.problem("", f"{self._schema}: {each}") for each in self._lint(result)]
            faults += (vm.problem(each.field, each.message) for each in podless)
            self.worst = max(self.worst, 0 if result.admitted and not faults else 1)
            for problem in [*placed(result.reasons, vm.problem), *warnings.of(vm, result), *faults]:
                self.say(problem)

    def _podless(self, result: Result) -> list[Reason] | UnsupportedError:
        """Why a VM has no Pod, if Pods are asked for, or why that cannot be told."""
        try:
            return [result.pod_error] if self._pods and result.pod_error else []
        except UnsupportedError as error:
            return error

    def _lint(self, result: Result) -> list[Finding]:
        return self._schema.findings(result.domain_xml) if self._schema and result.domain_xml else []


def _revision(name: str) -> Revision:
    from virtcatalog.cli.revisions import Revision

    return Revision(name)


def _schema(file: Path | None) -> Schema:
    from virtcatalog.kubevirt.launcher.lint import Schema, newest_schema

    return Schema(file) if file else newest_schema()


def _cluster(batch: Batch, conditions: Conditions) -> Cluster:
    from virtcatalog.kubevirt.cluster import Cluster

    try:
        return Cluster.under([each.manifest for each in batch.objects], conditions)
    except ManifestError as error:
        faults: list[Problem] = []
        for each in batch.objects:
            try:
                Cluster([each.manifest])
            except ManifestError as found:
                faults += (each.problem(problem.field, problem.message) for problem in found.problems)
        raise ManifestError(*faults) from error


def _expanded(clusters: list[tuple[Batch, Cluster]], executor: Executor | None) -> Iterator[_Expanded]:
    from virtcatalog.kubevirt.many import expand_many

    for batch, cluster in clusters:
        warnings = Warnings(batch.objects, cluster.release)
        results = expand_many((vm.manifest for vm in batch.vms), cluster, executor)
        for vm, result in zip(batch.vms, results, strict=True):
            yield vm, result, cluster, warnings


def _without_vm(files: list[str]) -> str:
    return f"{counted(len(files), 'file holds', 'files hold')} no VM: {', '.join(files)}"


def _summary(batches: list[Batch], count: Counter[str], others: int) -> str:
    number = len({id(vm.manifest) for batch in batches for vm in batch.vms}) + count["unreadable"]
    environments = len({batch.environment for batch in batches if batch.vms})
    where = f" in {counted(environments, 'environment')}" if number < count.total() else ""
    parts = ", ".join(f"{count[name]:,} {name}" for name in _COUNTED if count[name])
    text = f"{counted(number, 'VM')}{where}: {parts}" if number else "no VM"
    return text + (f"; {counted(others, 'other problem')}" if others else "")
