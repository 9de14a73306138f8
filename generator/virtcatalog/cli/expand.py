"""`virtcatalog expand`: what KubeVirt makes of VMs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

import click

from virtcatalog.cli.console import failing, progress, summary
from virtcatalog.cli.expand_output import PRINTERS, Outcome, print_pins
from virtcatalog.cli.expand_warnings import Warnings
from virtcatalog.cli.vms import Batch, Located, gather
from virtcatalog.errors import ManifestError, Problem, UnsupportedError

if TYPE_CHECKING:
    from virtcatalog.expand.cluster import Cluster
    from virtcatalog.pipeline import Result

_REFUSERS = {
    "vm": "the VM webhook",
    "controller": "virt-controller",
    "vmi": "the VMI webhook",
    "launcher": "virt-launcher",
}
_COUNTED = ("admitted", "refused", "unreadable", "unsupported")


@click.command(
    "expand",
    epilog="""\b
Examples:
  virtcatalog expand -f vm.yaml                       the libvirt domain XML
  virtcatalog expand -f vm.yaml -o diff               what KubeVirt adds to the VM's template
  virtcatalog expand -f vm.yaml -o explain            where every field of the VMI comes from
  virtcatalog expand -f vm.yaml --pin                 the VM pinned to ControllerRevisions, and these
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
    help="A catalog, an output tree, or a folder of instance types and preferences. [default: ./catalog, if any]",
)
@click.option("--output", "-o", "form", type=click.Choice(list(PRINTERS)), help="What to print. [default: xml]")
@click.option("--pin", is_flag=True, help="Print the VMs with revisionNames, and their ControllerRevisions.")
@click.option(
    "--arch",
    type=click.Choice(["amd64", "arm64", "s390x"]),
    default="amd64",
    help="The architecture of VMs that name none. [default: amd64]",
)
@failing
def command(sources: tuple[str, ...], catalog: str | None, form: str | None, pin: bool, arch: str) -> int:
    """Show what KubeVirt v1.9.0 makes of VMs: who refuses them, or the VMI and the libvirt domain XML.

    The KubeVirt CR, PersistentVolumeClaims, DataVolumes, DataSources, presets and ControllerRevisions among the files
    count as the cluster's. VMs that cannot be read or are refused do not stop the others.
    """
    if pin and form not in (None, "json"):
        raise click.UsageError(f"--pin prints manifests, as YAML or with -o json; it has no -o {form}")
    batches, problems = gather(sources, catalog)
    run = _Run()
    for problem in sorted([*problems, *(each for batch in batches for vm in batch.unreadable for each in vm)]):
        run.say(problem)
    run.count["unreadable"] = sum(len(batch.unreadable) for batch in batches)
    clusters = [(batch, _cluster(batch, arch)) for batch in batches]
    number = sum(len(batch.vms) for batch in batches)
    outcomes = run.expand(progress(_paired(clusters), number, "VMs"))
    printer = partial(print_pins, form == "json") if pin else PRINTERS[form or "xml"]
    printer(outcomes, number > 1)
    if problems or run.count != Counter(admitted=1):
        summary(_summary(run.count, len(problems)))
    return 2 if problems or run.count["unreadable"] or run.count["unsupported"] else run.worst


class _Run:
    """Expands VMs one by one and tells what is wrong with them on the way."""

    def __init__(self) -> None:
        self.count: Counter[str] = Counter()
        self.worst = 0

    def say(self, problem: Problem) -> None:
        """Print a problem."""
        click.echo(str(problem), err=True)

    def expand(self, vms: Iterator[tuple[Located, Cluster, Warnings]]) -> Iterator[Outcome]:
        """Yield what became of each VM, refused ones too; what virtcatalog does not model is only told."""
        from virtcatalog.pipeline import expand

        for vm, cluster, warnings in vms:
            try:
                result = expand(vm.manifest, cluster)
            except UnsupportedError as error:
                self.say(vm.problem(_in_vm(error.field), f"not supported by virtcatalog: {error.message}"))
                self.count["unsupported"] += 1
                continue
            yield Outcome(vm, result, cluster)
            self.count["admitted" if result.admitted else "refused"] += 1
            self.worst = max(self.worst, 0 if result.admitted else 1)
            for problem in [*_refusals(vm, result), *warnings.of(vm, result)]:
                self.say(problem)


def _cluster(batch: Batch, arch: str) -> Cluster:
    from virtcatalog.expand.cluster import Cluster

    try:
        return Cluster([each.manifest for each in batch.objects], architecture=arch)
    except ManifestError as error:
        problems: list[Problem] = []
        for each in batch.objects:
            try:
                Cluster([each.manifest])
            except ManifestError as found:
                problems += (each.problem(problem.field, problem.message) for problem in found.problems)
        raise ManifestError(*problems) from error


def _paired(clusters: list[tuple[Batch, Cluster]]) -> Iterator[tuple[Located, Cluster, Warnings]]:
    for batch, cluster in clusters:
        warnings = Warnings(batch.objects)
        for vm in batch.vms:
            yield vm, cluster, warnings


def _refusals(vm: Located, result: Result) -> list[Problem]:
    """Why a VM is refused and who refuses it, at the fields of the VM that the reasons name."""
    if result.refused_by is None:
        return []
    who = _REFUSERS[result.refused_by]
    return sorted(
        vm.problem(_in_vm(each.field, of_vmi=result.refused_by == "vmi"), f"{each.message} (refused by {who})")
        for each in result.reasons
    )


def _in_vm(field: str, *, of_vmi: bool = False) -> str:
    """The VM's field behind a field of its VMI; KubeVirt names those of the VMI in answers about the VM, too."""
    from virtcatalog.api.kubevirt import VirtualMachineSpec

    first, _, rest = field.partition(".")
    name = rest.partition(".")[0].partition("[")[0]
    if first == "spec" and name and name not in VirtualMachineSpec.__struct_encode_fields__:
        return f"spec.template.{field}"
    return f"spec.template.{field}" if of_vmi and first.partition("[")[0] in ("metadata", "spec") else field


def _summary(count: Counter[str], others: int) -> str:
    number = count.total()
    parts = ", ".join(f"{count[name]} {name}" for name in _COUNTED if count[name])
    text = f"{number} VM{'' if number == 1 else 's'}: {parts}" if number else "no VM"
    return text + (f"; {others} other problem{'' if others == 1 else 's'}" if others else "")
