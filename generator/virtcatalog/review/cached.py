"""Verdicts on many VMs: from the cache of an earlier run, or computed, by several processes if they are many."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

import msgspec
from msgspec.structs import replace

from virtcatalog.fleet.cache import Cache, key_of
from virtcatalog.fleet.inputs import either, encoded
from virtcatalog.fleet.pool import Executor, chunks, forked
from virtcatalog.kubevirt.instancetype.references import references
from virtcatalog.manifests.identity import namespace_of
from virtcatalog.progress import tracked
from virtcatalog.review.comparison import Comparison
from virtcatalog.review.judge import Case, judge_alike
from virtcatalog.review.verdict import Verdict

#: From so many VMs on a second process saves more time than it takes to start it.
WORTH_IT = 500
_CHUNK = 50


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Verdict).decode


def judge_all(cases: Sequence[Case], cache: Cache | None = None, executor: Executor | None = None) -> Iterator[Verdict]:
    """Yield what `judge_alike` returns for each case, in their order; what is new goes into the cache.

    That is found by the executor, or else by processes of this machine where they are worth it.
    """
    watched = tracked(cases, len(cases), "VMs that may change")
    for _, verdict in zip(watched, _verdicts(cases, cache, executor), strict=True):
        yield verdict
    if cache is not None:
        cache.save()


def _verdicts(cases: Sequence[Case], cache: Cache | None, executor: Executor | None) -> Iterator[Verdict]:
    keys = [_key(case) for case in cases] if cache is not None else []
    cached = [cache.recall(key, _decode) for key in keys] if cache is not None else [None] * len(cases)
    missing = [case for case, verdict in zip(cases, cached, strict=True) if verdict is None]
    new = _judge_here(missing) if executor is None else _judge_elsewhere(missing, executor)
    for index, verdict in enumerate(cached):
        if verdict is None:
            verdict = next(new)
            if cache is not None:
                cache.put(keys[index], _encode(verdict))
        yield verdict


def _key(case: Case) -> str:
    """What a verdict depends on: the VM, what it meets on both sides, and what counts as changed in that."""
    comparison = case.comparison
    referred = either(case.references, references(case.fresh, comparison.head))
    of_vm = (
        comparison.all_change,
        [reference in comparison.changed for reference in case.references or ()],
        comparison.gone(case.references),
        case.references,
        sorted(case.pinned.matchers),
        case.pinned.contents,
        case.pinned.assumed,
        case.pinned.turned,
        case.vm,
    )
    around = (inputs.of(namespace_of(case.vm), referred) for inputs in comparison.inputs)
    return key_of(b"a verdict of diff", encoded(of_vm), *around)


def _judge_here(cases: Sequence[Case]) -> Iterator[Verdict]:
    processes = forked()
    if not processes.worth(len(cases), WORTH_IT):
        return map(judge_alike, cases)
    return chain.from_iterable(processes.results(_judge_chunk, range(0, len(cases), _CHUNK), cases))


def _judge_chunk(first: int, cases: Sequence[Case]) -> list[Verdict]:
    return [judge_alike(case) for case in cases[first : first + _CHUNK]]


def _judge_elsewhere(cases: Sequence[Case], executor: Executor) -> Iterator[Verdict]:
    """Send the cases, and what they meet once."""
    comparisons = {id(case.comparison): case.comparison for case in cases}
    numbers = {key: number for number, key in enumerate(comparisons)}
    sent = ((replace(case, comparison=None), numbers[id(case.comparison)]) for case in cases)
    return chain.from_iterable(executor.results(_judge_sent, chunks(sent, _CHUNK), tuple(comparisons.values())))


def _judge_sent(sent: Sequence[tuple[Case, int]], comparisons: Sequence[Comparison]) -> list[Verdict]:
    return [judge_alike(replace(case, comparison=comparisons[number])) for case, number in sent]
