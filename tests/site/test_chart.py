"""Where the marks, labels, lines and ticks of the chart are: the axes, crowds, and classes on the same way."""

from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from virtcatalog.site import chart as charts
from virtcatalog.site.chart import Chart, chart
from virtcatalog.site.facts import TypeRow

MIB, GIB = 2**20, 2**30


def row(name: str, vcpus: int, memory: int, series: str = "m") -> TypeRow:
    return TypeRow(
        name=name,
        title="",
        description="",
        series=series,
        vcpus=vcpus,
        memory=memory,
        ratio=0,
        gpus=0,
        page="",
        dedicated=False,
        features=(),
        environments=(),
        deprecated=False,
        retirement="",
    )


def drawn(of: Chart) -> list[str]:
    """The chart, a line for each thing in it."""
    marks = [
        f"{mark.title} | {mark.name} at {mark.x}, {mark.y}; "
        + (f"label {mark.label.anchor} {mark.label.x:.1f}, {mark.label.y:.1f}" if mark.label else "no label")
        for mark in of.marks
    ]
    ticks = [
        f"{what}: {', '.join(f'{tick.text} at {tick.at}' for tick in axis)}"
        for what, axis in (("vCPUs", of.vcpus), ("memory", of.memory))
    ]
    return [*marks, *ticks, *(f"line {name}: {points}" for name, points in of.lines.items())]


CROWD = [
    row(f"c{memory}.size-{vcpus}", vcpus, memory * vcpus * GIB, f"c{memory}")
    for vcpus in range(1, 13)
    for memory in (1, 2, 3)
]
CHARTS = {
    "nothing": [],
    "one": [row("m.small", 1, 4 * GIB)],
    "nothing that has a size": [row("m.none", 0, GIB), row("m.empty", 1, 0)],
    "powers of two and what lies between": [row("m.three", 3, 3 * GIB), row("m.five", 5, 12 * GIB)],
    "three of one size": [row("a", 2, GIB), row("b", 2, GIB, "n"), row("c", 2, GIB, "o"), row("d", 4, 2 * GIB)],
    "very small and very large": [row("a", 1, MIB), row("b", 2**14, 2**44), row("c", 2**15, 2**45)],
    "fifteen steps": [row("a", 1, GIB), row("b", 2**13, 2**44)],
    "fourteen steps": [row("a", 1, GIB), row("b", 2**14, 2**43)],
    "a label at the right edge": [row("a", 1, GIB), row("m.of-a-very-long-name-that-goes-on", 64, 64 * GIB)],
    "a label at the left edge": [row("m.of-a-very-long-name-that-goes-on-and-on", 1, GIB), row("b", 64, GIB)],
    "half of the sizes are another's": [
        *(row(f"a{vcpus}", vcpus, vcpus * GIB, "a") for vcpus in (1, 2, 4, 8)),
        *(row(f"b{vcpus}", vcpus, vcpus * GIB, "b") for vcpus in (1, 2)),
        *(row(f"c{vcpus}", vcpus, vcpus * GIB * (1 if vcpus < 4 else 2), "c") for vcpus in (1, 4, 8)),
    ],
    "seven classes on one way": [
        row(f"{series}{vcpus}", vcpus, vcpus * GIB, series) for series in "abcdefg" for vcpus in (1, 4)
    ],
    "a line through where labels would be": [
        row("a.one", 1, GIB, "a"),
        row("a.two", 64, GIB, "a"),
        row("b.one", 8, GIB, "b"),
        row("b.two", 8, 64 * GIB, "b"),
        row("m", 16, 16 * GIB, "c"),
        row("n", 4, 4 * GIB, "c"),
    ],
    "a crowd": CROWD,
}


@pytest.mark.parametrize("types", CHARTS.values(), ids=CHARTS)
def test_what_is_where(types: list[TypeRow], snapshot: SnapshotAssertion) -> None:
    assert drawn(chart(types)) == snapshot


def test_a_chart_that_is_too_full_keeps_its_labels_off_no_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """Up to the limit both are looked at; one more line, and all labels stand as without any line."""
    marks, ways = len(chart(CROWD).marks), 3 * 11
    minded = drawn(chart(CROWD))
    monkeypatch.setattr(charts, "_LOOKS", marks * ways)
    assert drawn(chart(CROWD)) == minded
    monkeypatch.setattr(charts, "_LOOKS", marks * ways - 1)
    unminded = drawn(chart(CROWD))
    assert unminded != minded
    monkeypatch.setattr(charts, "_crosses", lambda _way, _box: False)
    monkeypatch.setattr(charts, "_LOOKS", marks * ways)
    assert drawn(chart(CROWD)) == unminded


@pytest.mark.parametrize(
    ("other", "overlaps"),
    [
        ((9, 9, 12, 12), True),
        ((2, 2, 3, 3), True),
        ((10, 0, 12, 10), False),
        ((-2, 0, 0, 10), False),
        ((0, 10, 10, 12), False),
        ((0, -2, 10, 0), False),
    ],
)
def test_boxes_that_touch_do_not_overlap(other: object, overlaps: bool) -> None:
    box = (0, 0, 10, 10)
    assert charts._overlap(box, other) is charts._overlap(other, box) is overlaps  # type: ignore[arg-type]


UP = ((0.0, 0.0), (10.0, 10.0))


@pytest.mark.parametrize(
    ("way", "box", "crosses"),
    [
        (UP, (4, 4, 6, 6), True),
        (UP, (6, 1, 9, 4), False),
        (UP, (1, 6, 4, 9), False),
        (UP, (3, 1, 5, 4), True),
        (UP, (11, 11, 12, 12), False),
        (UP, (10, 10, 12, 12), False),
        (((0.0, 10.0), (10.0, 0.0)), (4, 4, 6, 6), True),
        (((0.0, 10.0), (10.0, 0.0)), (6, 6, 9, 9), False),
        (((5.0, 0.0), (5.0, 10.0)), (4, 4, 6, 6), True),
        (((6.0, 0.0), (6.0, 10.0)), (4, 4, 6, 6), False),
        (((5.0, 0.0), (5.5, 10.0)), (4, 4, 6, 6), True),
    ],
)
def test_a_line_goes_through_a_box(way: object, box: object, crosses: bool) -> None:
    assert charts._crosses(way, box) is crosses  # type: ignore[arg-type]
