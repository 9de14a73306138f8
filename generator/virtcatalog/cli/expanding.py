"""VMs expanded a few at a time, here or in another process: what is printed of each, and what is told."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import TYPE_CHECKING, Final

from virtcatalog.cli.expand_alike import Alike
from virtcatalog.cli.expand_warnings import Told, Warnings
from virtcatalog.cli.fleet import Fleet
from virtcatalog.cli.outcome import Done, Outcome
from virtcatalog.cli.vms import Batch, Located, located
from virtcatalog.errors import UnsupportedError, placed
from virtcatalog.kubevirt.many import CHUNK, WORTH_IT
from virtcatalog.kubevirt.pipeline import expand
from virtcatalog.pool import chunks

if TYPE_CHECKING:
    from virtcatalog.cli.expand_output import Form
    from virtcatalog.cli.fleet import Section, Share
    from virtcatalog.kubevirt.cluster import Cluster
    from virtcatalog.kubevirt.launcher.lint import Finding, Schema
    from virtcatalog.kubevirt.pipeline import Result
    from virtcatalog.pool import Executor

_SECTION: Final = 192
"""How many pieces of a file a forked process reads at a time, at most: nobody sends them to it."""


class Expander:
    """Expands VMs of one cluster; it can be sent to other processes."""

    def __init__(
        self, batch: Batch, cluster: Cluster, form: Form, schema: Schema | None, *, many: bool, pods: bool
    ) -> None:
        """`pods` says that a VM without a Pod is told, `many` that there are more VMs."""
        self._cluster, self._form, self._many, self._pods = cluster, form, many, pods
        self._schema = schema
        self._warnings = Warnings(batch.objects, cluster.release)
        self._alike = Alike(self._one_by_one, cluster, form.written) if form.fills else None

    def vms(self, vms: Iterable[Located]) -> Iterator[Done]:
        """Yield what became of VMs."""
        return (self._expand(vm, self._cluster) for vm in vms)

    def shares(self, shares: Iterable[Share]) -> Iterator[Done]:
        """Yield what became of the VMs in parts of files."""
        return chain.from_iterable(map(self._share, shares))

    def _share(self, share: Share) -> Iterable[Done]:
        done = self._alike.of(share) if self._alike else None
        return self._one_by_one(share, self._cluster) if done is None else done

    def _one_by_one(self, share: Share, cluster: Cluster) -> Iterator[Done]:
        manifests, problems = share.manifests()
        for problem in problems:
            yield Done("", told=(Told(problem),))
        for manifest in manifests:
            if manifest.problems:
                yield Done("unreadable", told=tuple(map(Told, sorted(manifest.problems))))
            else:
                yield self._expand(located(manifest, share.environment), cluster)

    def _expand(self, vm: Located, cluster: Cluster) -> Done:
        try:
            result = expand(vm.manifest, cluster, staged=self._form.staged)
            podless = [result.pod_error] if self._pods and result.pod_error else []
        except UnsupportedError as error:
            return self._unsupported(vm, error)
        made = self._form.make(Outcome(vm, result, cluster), self._many)
        faults = [vm.problem("", f"{self._schema}: {each}") for each in self._lint(result)]
        faults += (vm.problem(each.field, each.message) for each in podless)
        told = (
            *map(Told, placed(result.reasons, vm.problem)),
            *self._warnings.of(vm, result),
            *map(Told, faults),
        )
        return Done("admitted" if result.admitted else "refused", made, told, bool(faults))

    def _unsupported(self, vm: Located, error: UnsupportedError) -> Done:
        return Done("unsupported", told=tuple(map(Told, placed([error], vm.problem))))

    def _lint(self, result: Result) -> list[Finding]:
        return self._schema.findings(result.domain_xml) if self._schema and result.domain_xml else []


def expand_all(expanders: Iterable[tuple[Batch, Expander]], executor: Executor | None) -> Iterator[Done]:
    """Yield what became of all VMs, in their order: few of them are expanded here, many by the executor."""
    for batch, expander in expanders:
        yield from expander.vms(batch.vms)
        if batch.fleet is None:
            continue
        fleet = batch.fleet
        if executor is None or not executor.worth(fleet.number, WORTH_IT):
            shares = iter(fleet.shares())
            yield from expander.shares(islice(shares, 1))  # nobody waits for others to see a first result
            yield from expander.shares(shares)
        elif executor.forks and isinstance(fleet, Fleet):
            yield from chain.from_iterable(executor.each(_expand_section, fleet.sections(_SECTION), expander, fleet))
        else:
            yield from chain.from_iterable(executor.each(_expand_chunk, chunks(fleet.shares(), CHUNK), expander))


def _expand_section(section: Section, expander: Expander, fleet: Fleet) -> list[Done]:
    """In a process that has the files open, too."""
    return _expand_chunk(fleet.within(section), expander)


def _expand_chunk(shares: Iterable[Share], expander: Expander) -> list[Done]:
    return list(expander.shares(shares))
