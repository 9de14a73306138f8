"""The unified diff of two texts, of however many lines.

The standard library compares each line with all that are the same, and manifests of a fleet have thousands of each:
long texts are taken apart at the lines that both have once (Cohen's patience diff), and it compares what is between.
"""

from __future__ import annotations

from bisect import bisect
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from difflib import Match, SequenceMatcher
from io import StringIO
from itertools import pairwise
from typing import Final, NamedTuple

from virtcatalog.limits import LINE_COMPARISONS

_UNENDED: Final = "\\ No newline at end of file"


def unified(old: str, new: str, old_name: str = "before", new_name: str = "after", context: int = 3) -> str:
    """Return the unified diff of two texts, with so many lines around each change; "" when they are the same.

    Lines end with a line feed and nothing else, as for those who apply such a diff.
    """
    if old == new:
        return ""

    matcher = LineMatcher(*(StringIO(text, newline="\n").readlines() for text in (old, new)))
    lines = [f"--- {old_name}\n", f"+++ {new_name}\n"]
    for group in matcher.get_grouped_opcodes(context):
        (_, old_start, _, new_start, _), (_, _, old_end, _, new_end) = group[0], group[-1]
        lines.append(f"@@ -{_range(old_start, old_end)} +{_range(new_start, new_end)} @@\n")
        for tag, start, end, other_start, other_end in group:
            if tag == "equal":
                lines += (f" {line}" for line in matcher.a[start:end])
                continue
            lines += (f"-{line}" for line in matcher.a[start:end])
            lines += (f"+{line}" for line in matcher.b[other_start:other_end])
    return "".join(line if line.endswith("\n") else f"{line}\n{_UNENDED}\n" for line in lines)


def _range(start: int, end: int) -> str:
    """Lines as a hunk's head says them: the first one's number, from 1, and how many, unless it is one."""
    length = end - start
    return f"{start + 1}" if length == 1 else f"{start + 1 if length else start},{length}"


_SHORT: Final = 2_000
"""So many lines are compared as they are."""


class _Part(NamedTuple):
    """Lines of one text and of another, between two indices each."""

    start: int
    end: int
    other_start: int
    other_end: int


class _Bounded(SequenceMatcher[str]):
    """Compares lines so many times for each of them; what is left then is not the same."""

    def __init__(self, old: Sequence[str], new: Sequence[str]) -> None:
        super().__init__(None, old, new)
        self._lines, self._left = len(old), LINE_COMPARISONS * (len(old) + len(new))
        places: Mapping[str, list[int]] = self.b2j  # type: ignore[attr-defined]  # typeshed leaves it out
        self._cost = 1 + sum(len(places.get(line, ())) for line in old) // len(old)

    def find_longest_match(self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None) -> Match:
        self._left -= self._cost * ((self._lines if ahi is None else ahi) - alo)
        return super().find_longest_match(alo, ahi, blo, bhi) if self._left >= 0 else Match(alo, blo, 0)


class LineMatcher(SequenceMatcher[str]):
    """Finds lines that are the same in two texts."""

    a: Sequence[str]
    b: Sequence[str]

    def __init__(self, old: Sequence[str], new: Sequence[str]) -> None:
        super().__init__(None, old, new)

    def get_matching_blocks(self) -> list[Match]:
        """Return where the texts have the same lines, in their order; behind them an empty block."""
        matches: list[Match] = []
        for start, other_start, size in sorted(self._same(_Part(0, len(self.a), 0, len(self.b)))):
            if matches and (matches[-1].a + matches[-1].size, matches[-1].b + matches[-1].size) == (start, other_start):
                matches[-1] = Match(matches[-1].a, matches[-1].b, matches[-1].size + size)
            elif size:
                matches.append(Match(start, other_start, size))
        return [*matches, Match(len(self.a), len(self.b), 0)]

    def _same(self, part: _Part) -> Iterator[tuple[int, int, int]]:
        """Yield blocks of lines that are the same, in any order."""
        parts = [part]
        while parts:
            start, end, other_start, other_end = parts.pop()
            first, other_first = start, other_start
            while start < end and other_start < other_end and self.a[start] == self.b[other_start]:
                start, other_start = start + 1, other_start + 1
            yield first, other_first, start - first
            last = end
            while start < end and other_start < other_end and self.a[end - 1] == self.b[other_end - 1]:
                end, other_end = end - 1, other_end - 1
            yield end, other_end, last - end
            lines = end - start + other_end - other_start
            anchors = self._anchors(_Part(start, end, other_start, other_end)) if lines > _SHORT else []
            if anchors:
                places = [(start - 1, other_start - 1), *anchors, (end, other_end)]
                for (one, other), (following, other_following) in pairwise(places):
                    parts.append(_Part(one + 1, following, other + 1, other_following))
                yield from ((one, other, 1) for one, other in anchors)
            elif start < end and other_start < other_end:
                between = _Bounded(self.a[start:end], self.b[other_start:other_end])
                for one, other, size in between.get_matching_blocks():
                    yield start + one, other_start + other, size

    def _anchors(self, part: _Part) -> list[tuple[int, int]]:
        """The indices of lines that both texts have once there: as many as are in one order in both."""
        old, new = self.a[part.start : part.end], self.b[part.other_start : part.other_end]
        once = {line for line, count in Counter(old).items() if count == 1}
        once &= {line for line, count in Counter(new).items() if count == 1}
        places = {line: part.other_start + index for index, line in enumerate(new) if line in once}
        return _ascending([(part.start + index, places[line]) for index, line in enumerate(old) if line in once])


def _ascending(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest part of pairs, which ascend in the first number, that ascends in the second one, too."""
    ends: list[int] = []
    at: list[int] = []
    before: list[int | None] = []
    for index, (_, other) in enumerate(pairs):
        length = bisect(ends, other)
        before.append(at[length - 1] if length else None)
        ends[length : length + 1] = [other]
        at[length : length + 1] = [index]
    ascending: list[tuple[int, int]] = []
    last = at[-1] if at else None
    while last is not None:
        ascending.append(pairs[last])
        last = before[last]
    return ascending[::-1]
