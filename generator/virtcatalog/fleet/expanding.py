"""VMs of files expanded one by one, here or in other processes, alike ones once: what is printed of each VM."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from typing import TYPE_CHECKING, Final

from virtcatalog.errors import UnsupportedError, placed
from virtcatalog.fleet.files import Chosen, Fleet
from virtcatalog.fleet.filling import Fillers
from virtcatalog.fleet.many import CHUNK, WORTH_IT
from virtcatalog.fleet.outcome import Expansion, Form, Located, Outcome, Remark, located
from virtcatalog.fleet.pool import chunks
from virtcatalog.kubevirt.pipeline import expand

if TYPE_CHECKING:
    from virtcatalog.fleet.files import Section, Share
    from virtcatalog.fleet.pool import Executor
    from virtcatalog.kubevirt.cluster import Cluster
    from virtcatalog.kubevirt.launcher.lint import Finding, Schema
    from virtcatalog.kubevirt.pipeline import Result

_SECTION: Final = 192
"""How many pieces of a file a forked process reads at a time, at most: nobody sends them to it."""


class Expander:
    """Expands VMs of one cluster; it can be sent to other processes."""

    def __init__(
        self,
        cluster: Cluster,
        form: Form,
        warnings: Callable[[Located, Result], list[Remark]],
        schema: Schema | None = None,
        *,
        many: bool = False,
        pods: bool = False,
    ) -> None:
        """`many` says that there are more VMs, `pods` that a VM without a Pod is at fault."""
        self._cluster, self._form, self._many, self._pods = cluster, form, many, pods
        self._warnings, self._schema = warnings, schema
        self._fillers = Fillers(self._one_by_one, cluster, form.written) if form.fills else None

    def vms(self, vms: Iterable[Located]) -> Iterator[Expansion]:
        """Yield what becomes of VMs."""
        return (self._expand(vm, self._cluster) for vm in vms)

    def shares(self, shares: Iterable[Share]) -> Iterator[Expansion]:
        """Yield what becomes of the VMs in parts of files."""
        return chain.from_iterable(map(self._share, shares))

    def _share(self, share: Share) -> Iterable[Expansion]:
        expansions = self._fillers.of(share) if self._fillers else None
        return self._one_by_one(share, self._cluster) if expansions is None else expansions

    def _one_by_one(self, share: Share, cluster: Cluster) -> Iterator[Expansion]:
        manifests, problems = share.manifests()
        for problem in problems:
            yield Expansion("", remarks=(Remark(problem),))
        for manifest in manifests:
            if manifest.problems:
                yield Expansion("unreadable", remarks=tuple(map(Remark, sorted(manifest.problems))))
            else:
                yield self._expand(located(manifest, share.environment), cluster)

    def _expand(self, vm: Located, cluster: Cluster) -> Expansion:
        try:
            result = expand(vm.manifest, cluster, staged=self._form.staged)
            podless = [result.pod_error] if self._pods and result.pod_error else []
        except UnsupportedError as error:
            return Expansion("unsupported", remarks=tuple(map(Remark, placed([error], vm.problem))))
        output = self._form.make(Outcome(vm, result, cluster), self._many)
        faults = [vm.problem("", f"{self._schema}: {finding}") for finding in self._lint(result)]
        faults += (vm.problem(reason.field, reason.message) for reason in podless)
        remarks = (
            *map(Remark, placed(result.reasons, vm.problem)),
            *self._warnings(vm, result),
            *map(Remark, faults),
        )
        return Expansion("admitted" if result.admitted else "refused", output, remarks, bool(faults))

    def _lint(self, result: Result) -> list[Finding]:
        return self._schema.findings(result.domain_xml) if self._schema and result.domain_xml else []


def expand_fleet(fleet: Fleet | Chosen, expander: Expander, executor: Executor | None) -> Iterator[Expansion]:
    """Yield what becomes of the VMs of files, in their order: few are expanded here, many by the executor."""
    if executor is None or not executor.worth(fleet.number, WORTH_IT):
        shares = iter(fleet.shares())
        yield from expander.shares(islice(shares, 1))  # nobody waits for others to see a first result
        yield from expander.shares(shares)
    elif executor.forks and isinstance(fleet, Fleet):
        yield from chain.from_iterable(executor.each(_expand_section, fleet.sections(_SECTION), expander, fleet))
    else:
        yield from chain.from_iterable(executor.each(_expand_chunk, chunks(fleet.shares(), CHUNK), expander))


def _expand_section(section: Section, expander: Expander, fleet: Fleet) -> list[Expansion]:
    """In a process that has the files open, too."""
    return _expand_chunk(fleet.within(section), expander)


def _expand_chunk(shares: Iterable[Share], expander: Expander) -> list[Expansion]:
    return list(expander.shares(shares))
