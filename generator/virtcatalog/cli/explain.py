"""`virtcatalog explain`: why a field of a VM, or an element of its domain, is as it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import click
import msgspec

from virtcatalog.cli import options
from virtcatalog.cli.conditions import conditioned, settled
from virtcatalog.cli.console import echo, failing, print_problems
from virtcatalog.cli.previews import print_json
from virtcatalog.cli.vms import Batch, gather
from virtcatalog.errors import (
    ManifestError,
    Problem,
    RefusedError,
    UnsupportedError,
    VirtcatalogError,
    place,
    placed,
    within,
)
from virtcatalog.fleet.outcome import Located
from virtcatalog.manifests.sources import is_catalog
from virtcatalog.units import mebibytes

if TYPE_CHECKING:
    from virtcatalog.ask.why import Reason
    from virtcatalog.catalog.model import Catalog
    from virtcatalog.kubevirt.conditions import Conditions
    from virtcatalog.kubevirt.pod.overhead import Term


@click.command(
    "explain",
    epilog="""\b
Examples:
  virtcatalog explain -f vm.yaml --field devices.disks[0].disk.bus
  virtcatalog explain -f catalog/vms/windows11.yaml --xml '//hyperv/vpindex'
  virtcatalog explain -f vm.yaml --xml 'string(//vcpu)' -c output -o json
  virtcatalog explain -f vm.yaml --pod requests.memory       the sum, term by term
""",
)
@options.manifests("The VM, and whatever objects of the cluster it refers to.", required=True)
@click.option("--field", metavar="FIELD", help="A field of the VMI; `spec.domain.` may be left out.")
@click.option("--xml", "xpath", metavar="XPATH", help="One element, attribute or text of the domain.")
@click.option("--pod", metavar="FIELD", help="A field of the virt-launcher Pod, such as requests.memory.")
@click.option("--vm", metavar="NAME", help="Which VM, when there are several.")
@options.catalog()
@options.form(("text", "json"))
@options.environments
@failing
@partial(conditioned, by_environment=True)
def command(
    sources: tuple[str, ...],
    field: str | None,
    xpath: str | None,
    pod: str | None,
    vm: str | None,
    catalog: str | None,
    form: str,
    environments: tuple[str, ...],
    conditions: Conditions,
) -> int:
    """Show where the value of a field of a VM or its Pod, or of an element of its domain, comes from.

    The VM is expanded again without each field of the VM, its instance type, its preference, its presets and the
    KubeVirt CR; those that make a difference are listed, with their places. If none does, the value is KubeVirt's own.
    """
    from virtcatalog.ask.field import of_field, of_pod_field, of_xpath, terms
    from virtcatalog.ask.why import why

    expressions = {of_field: field, of_xpath: xpath, of_pod_field: pod}
    questions = [(make, expression) for make, expression in expressions.items() if expression is not None]
    if len(questions) != 1:
        raise click.UsageError("give --field, --xml or --pod")
    make, expression = questions[0]
    view = make(expression)
    batches, faults = gather(sources, catalog, environments)
    loaded = _catalog(catalog, sources)
    answers_of: dict[_Answer, list[str]] = {}
    refused: list[Problem] = []
    for located, batch in _choose(batches, faults, ", ".join(sources), vm):
        ((everything, own),) = settled([batch], conditions)
        try:
            answer = why(located.manifest, [item.manifest for item in everything.objects], own, view)
        except (RefusedError, UnsupportedError) as error:
            reasons = error.reasons if isinstance(error, RefusedError) else [error]
            raise ManifestError(*placed(reasons, located.problem)) from error
        places = tuple(_place(reason, located, loaded) for reason in answer.reasons)
        parts = tuple(terms(expression, answer.result)) if pod is not None else ()
        own_answer = _Answer(located.name, answer.value, answer.reasons, parts, places)
        refused += placed(answer.result.reasons, located.problem)
        answers_of.setdefault(own_answer, []).append(batch.environment)
    if form == "json":
        answers = [_as_data(expression, item, names) for item, names in answers_of.items()]
        print_json(answers[0] if len(answers) == 1 else answers)
    else:
        lines = [line for item, names in answers_of.items() for line in _lines(within(expression, names), item)]
        echo("".join(f"{line}\n" for line in lines), nl=False)
    print_problems((*dict.fromkeys(refused), *sorted(faults)))
    return 2 if faults else 1 if refused else 0


class _Answer(NamedTuple):
    """What is told of a VM, perhaps in several environments; `places` are those of the reasons, `parts` of a sum."""

    vm: str
    value: str
    reasons: tuple[Reason, ...]
    parts: tuple[Term, ...]
    places: tuple[str, ...]


def _choose(batches: list[Batch], faults: list[Problem], where: str, name: str | None) -> list[tuple[Located, Batch]]:
    """The VM asked about, in each environment that it can be in; what is wrong with others is added to the faults."""
    matches = [
        (vm, batch)
        for batch in batches
        for vm in batch.readable(faults)
        if name in (None, vm.name, vm.name.partition("/")[2])
    ]
    if not matches:
        if faults:
            raise ManifestError(*faults)
        raise VirtcatalogError(f"{where} holds no VM{f' {name}' if name else ''}")
    names = sorted({vm.name for vm, _ in matches})
    if len(names) > 1 or len({batch.environment for _, batch in matches}) < len(matches):
        raise click.UsageError(f"{where} holds several VMs, name one with --vm: {', '.join(names)}")
    return matches


def _place(reason: Reason, vm: Located, catalog: Catalog | None) -> str:
    """Where the field of a reason is written: `file:line:column`, "" when that is not known."""
    if reason.kind == "VM":
        return place(vm.problem(reason.field, ""))
    if reason.kind not in ("instance type", "preference"):
        return ""
    entries = (catalog.instancetypes if reason.kind == "instance type" else catalog.preferences) if catalog else ()
    for entry in entries:
        if entry.name == reason.object:
            return str(entry.place(reason.field))
    return ""


def _catalog(catalog: str | None, sources: Iterable[str]) -> Catalog | None:
    from virtcatalog.catalog.load import load_catalog
    from virtcatalog.cli.vms import catalog_around

    folder = next(filter(None, map(catalog_around, sources)), None)
    path = catalog or (str(folder) if folder else "catalog")
    return load_catalog(path) if is_catalog(path) else None


def _lines(expression: str, answer: _Answer) -> Iterator[str]:
    yield f"{expression}: {answer.value}"
    if answer.parts:
        sums = [mebibytes(part.amount.value) for part in answer.parts]
        total = mebibytes(sum(part.amount.value for part in answer.parts))
        width = max(map(len, [*sums, total]))
        for sign, text, part in zip("=" + "+" * len(answer.parts), sums, answer.parts, strict=False):
            yield f"  {sign} {text:>{width}}  {part.cause}"
        yield f"    {total:>{width}}  in all"
    if not answer.reasons:
        yield "  KubeVirt's own: what VM, instance type, preference, presets and KubeVirt CR set makes no difference"
    for reason, where in zip(answer.reasons, answer.places, strict=True):
        value = f": {reason.value}" if reason.value else ""
        yield f"  {reason.kind} {reason.object}: {reason.field}{value}" + (f" ({where})" if where else "")
        condition = "with another value" if reason.otherwise else "without it"
        yield f"    {condition}: {reason.without or 'nothing'}"


def _as_data(expression: str, answer: _Answer, environments: list[str]) -> dict[str, Any]:
    sums = [{"amount": str(part.amount), "cause": part.cause} for part in answer.parts]
    return {
        "vm": answer.vm,
        "environments": [environment for environment in environments if environment],
        "asked": expression,
        "value": answer.value,
        **({"terms": sums} if sums else {}),
        "reasons": [
            {**msgspec.to_builtins(reason), "place": where}
            for reason, where in zip(answer.reasons, answer.places, strict=True)
        ],
    }
