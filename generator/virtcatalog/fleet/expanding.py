"""VMs of files expanded one by one, here or in other processes, alike ones once: what is printed of each VM."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from typing import TYPE_CHECKING, Final, NamedTuple

from virtcatalog.api.kubevirt import VirtualMachine
from virtcatalog.errors import UnsupportedError, placed
from virtcatalog.fleet.files import Chosen, Fleet
from virtcatalog.fleet.filling import Fillers
from virtcatalog.fleet.outcome import Expansion, Form, Located, Outcome, Remark, located
from virtcatalog.fleet.pool import START, Executor, chunks
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.pipeline import InStages, expand_in_stages
from virtcatalog.kubevirt.result import Result

if TYPE_CHECKING:
    from virtcatalog.fleet.files import Section, Share
    from virtcatalog.kubevirt.launcher.lint import Finding, Schema


WORTH_IT = 500 if START == "fork" else 2000
"""The number of VMs from which on other processes save more time than it takes to start them."""

CHUNK = 48
"""How many VMs are sent to a process at a time."""

_SECTION: Final = 192
"""How many pieces of a file a forked process reads at a time, at most: nobody sends them to it."""
_TOGETHER, _LARGE = 32, 1 << 18
"""How many VMs go through a stage before the next one, fewer where their texts are so long together.

What a stage runs and reads stays in the CPU's caches meanwhile: that takes a seventh less time.
"""


class _Read(NamedTuple):
    """A VM that was read, and what it was decoded as."""

    vm: Located
    decoded: VirtualMachine | None = None


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
        return (self._expanded([_Read(vm)], self._cluster)[0] for vm in vms)

    def shares(self, shares: Iterable[Share]) -> Iterator[Expansion]:
        """Yield what becomes of the VMs in parts of files."""
        for batch in _batches(shares):
            yield from self._expanded([read for share in batch for read in self._read(share)], self._cluster)

    def _one_by_one(self, share: Share, cluster: Cluster) -> Iterator[Expansion]:
        return iter(self._expanded(list(_manifests(share)), cluster))

    def _read(self, share: Share) -> Iterable[Expansion | _Read]:
        expansions = self._fillers.of(share) if self._fillers else None
        return _manifests(share) if expansions is None else expansions

    def _expanded(self, vms: list[Expansion | _Read], cluster: Cluster) -> list[Expansion]:
        """What becomes of VMs, all of which go through a stage before the first goes through the next."""
        done: dict[int, Expansion | Outcome] = {}
        going: dict[int, tuple[Located, InStages]] = {}
        for index, vm in enumerate(vms):
            if isinstance(vm, Expansion):
                done[index] = vm
            else:
                stages = expand_in_stages(vm.vm.manifest, cluster, staged=self._form.staged, decoded=vm.decoded)
                going[index] = vm.vm, stages
        while going:
            for index, (located_vm, stages) in [*going.items()]:
                try:
                    next(stages)
                    continue
                except StopIteration as end:
                    done[index] = Outcome(located_vm, end.value, cluster)
                except UnsupportedError as error:
                    done[index] = _unsupported(located_vm, error)
                del going[index]
        return [self._print(vm) if isinstance(vm, Outcome) else vm for _, vm in sorted(done.items())]

    def _print(self, outcome: Outcome) -> Expansion:
        vm, result, _ = outcome
        try:
            pod_error = result.pod_error if self._pods else None
        except UnsupportedError as error:
            return _unsupported(vm, error)
        output = self._form.make(outcome, self._many)
        faults = [vm.problem("", f"{self._schema}: {finding}") for finding in self._lint(result)]
        if pod_error:
            faults.append(vm.problem(pod_error.field, pod_error.message))
        remarks = (
            *map(Remark, placed(result.reasons, vm.problem)),
            *self._warnings(vm, result),
            *map(Remark, faults),
        )
        return Expansion("admitted" if result.admitted else "refused", output, remarks, bool(faults))

    def _lint(self, result: Result) -> list[Finding]:
        return self._schema.findings(result.domain_xml) if self._schema and result.domain_xml else []


def _batches(shares: Iterable[Share]) -> Iterator[list[Share]]:
    batch: list[Share] = []
    size = 0
    for share in shares:
        batch.append(share)
        size += len(share.part.text)
        if len(batch) == _TOGETHER or size >= _LARGE:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _manifests(share: Share) -> Iterator[Expansion | _Read]:
    manifests, problems = share.manifests()
    for problem in problems:
        yield Expansion("", remarks=(Remark(problem),))
    for manifest in manifests:
        if manifest.problems:
            yield Expansion("unreadable", remarks=tuple(map(Remark, sorted(manifest.problems))))
        else:
            decoded = manifest.object if isinstance(manifest.object, VirtualMachine) else None
            yield _Read(located(manifest, share.environment), decoded)


def _unsupported(vm: Located, error: UnsupportedError) -> Expansion:
    return Expansion("unsupported", remarks=tuple(map(Remark, placed([error], vm.problem))))


def expand_fleet(fleet: Fleet | Chosen, expander: Expander, executor: Executor | None) -> Iterator[Expansion]:
    """Yield what becomes of the VMs of files, in their order: few are expanded here, many by the executor."""
    if executor is None or not executor.worth(fleet.number, WORTH_IT):
        shares = iter(fleet.shares())
        yield from expander.shares(islice(shares, 1))  # nobody waits for others to see a first result
        yield from expander.shares(shares)
    elif executor.forks and isinstance(fleet, Fleet):
        yield from chain.from_iterable(executor.results(_expand_section, fleet.sections(_SECTION), expander, fleet))
    else:
        yield from chain.from_iterable(executor.results(_expand_chunk, chunks(fleet.shares(), CHUNK), expander))


def _expand_section(section: Section, expander: Expander, fleet: Fleet) -> list[Expansion]:
    """In a process that has the files open, too."""
    return _expand_chunk(fleet.within(section), expander)


def _expand_chunk(shares: Iterable[Share], expander: Expander) -> list[Expansion]:
    return list(expander.shares(shares))
