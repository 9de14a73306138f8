"""Where fields stand in JSON: in its documents, and in the items of their lists; lines end as in YAML."""

from __future__ import annotations

import pytest

from virtcatalog.manifests.document import Text

TEXT = """\
{"kind": "List"}

 {"a": [1, {"b": []}],
  "a.b": {"c": {}, "d" : "x]}"}, "\\u0065": {"f": 1},
  "items": [
    {"name": "one", "list": [[], [{"x": 1}, {"y": "\u2028"}], "z"]},
    {"name": "two", "\\"": 2, "list": [ ], "name.of": {"\u00e4": 1, "b": 2}} , 3
  ],
  "none": null
 } {"last": {"a": 1}}"""


def places(text: Text, document: int, field: str | tuple[str | int, ...], item: tuple[str | int, ...]) -> list[object]:
    """The place that is found first, and the one that is found when many have been asked for."""
    for _ in range(2):
        text.place(document, "spec", item)
    return [text.place(document, field, item) for _ in range(9)]


@pytest.mark.parametrize(
    ("document", "field", "item", "place"),
    [
        (0, "", (), (1, 1)),
        (0, "kind", (), (1, 2)),
        (0, "kind.x", (), (1, 2)),
        (0, "none", (), (1, 1)),
        (1, "", (), (3, 2)),
        (1, "a", (), (3, 3)),
        (1, "a[0]", (), (3, 9)),
        (1, "a[1]", (), (3, 12)),
        (1, "a[1].b", (), (3, 13)),
        (1, "a[1].b[0]", (), (3, 13)),
        (1, "a[2]", (), (3, 3)),
        (1, ("a", -1), (), (3, 3)),
        (1, ("a", "b"), (), (3, 3)),
        (1, "a.b", (), (4, 3)),
        (1, "a.b.c", (), (4, 11)),
        (1, "a.b.d", (), (4, 20)),
        (1, "a.b.d.e", (), (4, 20)),
        (1, "[a.b].d", (), (4, 20)),
        (1, ("a.b", "d"), (), (4, 20)),
        (1, "e", (), (4, 34)),
        (1, "e.f", (), (4, 45)),
        (1, ("e", "f"), (), (4, 45)),
        (1, "none", (), (10, 3)),
        (1, "none.x", (), (10, 3)),
        (1, "items", (), (5, 3)),
        (1, "items[0].name", (), (6, 6)),
        (1, "items[1]", (), (8, 5)),
        (1, "items[2]", (), (8, 74)),
        (1, "name", ("items", 0), (6, 6)),
        (1, "list[1][0].x", ("items", 0), (6, 36)),
        (1, "", ("items", 1), (8, 5)),
        (1, '"', ("items", 1), (8, 21)),
        (1, "list[0]", ("items", 1), (8, 30)),
        (1, "name.of", ("items", 1), (8, 43)),
        (1, "name.of.b", ("items", 1), (8, 63)),
        (1, "x", ("items", 1), (8, 5)),
        (1, (), ("items", 2), (8, 74)),
        (2, "", (), (11, 4)),
        (2, "last.a", (), (11, 14)),
    ],
)
def test_a_field_is_where_its_key_is(
    document: int, field: str | tuple[str | int, ...], item: tuple[str | int, ...], place: tuple[int, int]
) -> None:
    text = Text(TEXT)
    assert [index for index, _ in text.documents()] == [0, 1, 2]
    assert places(text, document, field, item) == [place] * 9
    assert text.place(1, "name", ("items", 0)) == (6, 6)


def test_items_of_lists_in_lists_have_places() -> None:
    text = Text('[{"a": 1}]'.join(['{"l":[{"m": [{"n": 0},\n{"m": ', "}]}, 4]}"]))
    ((_, data),) = text.documents()
    assert data == {"l": [{"m": [{"n": 0}, {"m": [{"a": 1}]}]}, 4]}
    assert text.place(0, "a", ("l", 0, "m", 1, "m", 0)) == (2, 9)
    assert text.place(0, "", ("l", 1)) == (2, 22)
    assert text.place(0, "n", ("l", 0, "m", 0)) == (1, 15)


@pytest.mark.parametrize(
    ("text", "field", "column"),
    [
        ('{"a": {"b": 1}, "a.b": 2}', "a.b", 17),
        ('{"a": {"b": 1}, "a.bc": 2}', "a.b", 8),
        ('{"a": {"b": 1}, "\\u0061.b": 2}', "a.b", 17),
        ('{"\\u0061": {"b": 1}, "ab": 2}', "a.b", 13),
        ('{"a.b": 1, "a": {"b": 2}}', "a.b", 2),
        ('{"a": [1], "a[0]": 2}', "a[0]", 12),
        ('{"a": {"b": 1}, "[a]": 2}', "[a].b", 8),
    ],
)
def test_the_key_that_takes_most_of_a_field_counts(text: str, field: str, column: int) -> None:
    source = Text(text)
    assert len(list(source.documents())) == 1
    assert [source.place(0, field) for _ in range(10)] == [(1, column)] * 10
