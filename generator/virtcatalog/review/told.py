"""Verdicts on many VMs: those that an earlier run has kept, the others from several CPUs when they are many."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from virtcatalog.fleet.cache import Cache, key_of
from virtcatalog.fleet.inputs import either, encoded
from virtcatalog.fleet.pool import Executor, chunks, forked
from virtcatalog.kubevirt.instancetype.references import references
from virtcatalog.manifests.identity import namespace_of
from virtcatalog.review.comparison import Comparison
from virtcatalog.review.fate import Fate
from virtcatalog.review.judge import Case, Effect, Judged, judge
from virtcatalog.review.outcome import Kind, VmChange
from virtcatalog.review.requests import Ask

T = TypeVar("T")
Progress = Callable[[Sequence[T]], Iterable[T]]
"""Passes items on, one by one, and may show how far it is."""

#: From so many VMs on a second process saves more time than it takes to start it.
WORTH_IT = 500
_CHUNK = 50


class Change(msgspec.Struct, frozen=True, array_like=True):
    """A change of a verdict; without its diff where another VM's shows the same."""

    effect: Effect
    kind: Kind
    summary: tuple[str, ...]
    signature: tuple[str, ...]
    asks: tuple[Ask | None, Ask | None]
    diff: str | None


class Told(msgspec.Struct, frozen=True, array_like=True):
    """What `judge` returns, as plain data."""

    fate: Fate
    changes: tuple[Change, ...]


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Told).decode


def judge_all(
    cases: Sequence[Case],
    watch: Progress[Case] = iter,
    cache: Cache | None = None,
    executor: Executor | None = None,
) -> Iterator[Judged]:
    """Yield what `judge` returns for each case, in their order; what is new is kept in the cache.

    That is found by the executor, or else by processes of this machine where they are worth it.
    """
    for _, judged in zip(watch(cases), _judged(cases, cache, executor), strict=True):
        yield judged
    if cache is not None:
        cache.trim()


def _judged(cases: Sequence[Case], cache: Cache | None, executor: Executor | None) -> Iterator[Judged]:
    keys = [_key(case) for case in cases] if cache is not None else []
    kept = [cache.recall(key, _decode) for key in keys] if cache is not None else [None] * len(cases)
    unknown = [case for case, told in zip(cases, kept, strict=True) if told is None]
    new = _tell_all(unknown) if executor is None else _tell_elsewhere(unknown, executor)
    for index, (case, told) in enumerate(zip(cases, kept, strict=True)):
        if told is None:
            told = next(new)
            if cache is not None:
                cache.put(keys[index], _encode(told))
        yield _judged_of(told, case)


def _key(case: Case) -> str:
    """What a verdict depends on: the VM, what it meets on both sides, and what counts as changed in that."""
    comparison = case.comparison
    known = either(case.references, references(case.fresh, comparison.head))
    given = (
        comparison.all_change,
        [reference in comparison.changed for reference in case.references or ()],
        case.references,
        sorted(case.pinned.matchers),
        case.pinned.contents,
        case.pinned.assumed,
        case.pinned.turned,
        case.vm,
    )
    met = (inputs.of(namespace_of(case.vm), known) for inputs in comparison.inputs)
    return key_of(b"a verdict of diff", encoded(given), *met)


def _tell_all(cases: Sequence[Case]) -> Iterator[Told]:
    processes = forked()
    if not processes.worth(len(cases), WORTH_IT):
        shown: set[tuple[str, ...]] = set()
        return (_tell(case, shown) for case in cases)
    firsts = range(0, len(cases), _CHUNK)
    return chain.from_iterable(processes.each(_tell_chunk, firsts, cases))


_shown: set[tuple[str, ...]] = set()


def _tell_chunk(first: int, cases: Sequence[Case]) -> list[Told]:
    """In another process, which has all the chunks before this one behind it that it will ever have."""
    return [_tell(case, _shown) for case in cases[first : first + _CHUNK]]


def _tell_elsewhere(cases: Sequence[Case], executor: Executor) -> Iterator[Told]:
    """Send the cases, and what they meet once."""
    comparisons = {id(case.comparison): case.comparison for case in cases}
    numbers = {each: number for number, each in enumerate(comparisons)}
    sent = ((replace(case, comparison=None), numbers[id(case.comparison)]) for case in cases)
    return chain.from_iterable(executor.each(_tell_sent, chunks(sent, _CHUNK), tuple(comparisons.values())))


def _tell_sent(sent: Sequence[tuple[Case, int]], met: Sequence[Comparison]) -> list[Told]:
    """On a worker, of which nobody knows what chunks it has had."""
    shown: set[tuple[str, ...]] = set()
    return [_tell(replace(case, comparison=met[number]), shown) for case, number in sent]


def _tell(case: Case, shown: set[tuple[str, ...]]) -> Told:
    """Judge a case; `shown` are the changes, by environment and signature, of which there is a diff already."""
    found = judge(case)
    changes = []
    for effect, change in found.verdict:
        which = case.comparison.environment, *change.signature
        diff = None if which in shown else change.make_diff()
        shown.add(which)
        changes.append(Change(effect, change.kind, change.summary, change.signature, change.asks, diff))
    return Told(found.fate, tuple(changes))


def _judged_of(told: Told, case: Case) -> Judged:
    return Judged(
        [
            (
                change.effect,
                VmChange(
                    kind=change.kind,
                    summary=change.summary,
                    signature=change.signature,
                    make_diff=partial(_diff, change, case),
                    asks=change.asks,
                ),
            )
            for change in told.changes
        ],
        told.fate,
    )


def _diff(change: Change, case: Case) -> str:
    if change.diff is not None:
        return change.diff
    again = (each for _, each in judge(case).verdict if each.signature == change.signature)
    return next(each.make_diff() for each in again)
