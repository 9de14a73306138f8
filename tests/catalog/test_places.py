"""Where something is declared."""

from __future__ import annotations

from virtcatalog.catalog.places import Origin, Source


def test_a_place_is_looked_for_when_it_is_needed_and_once() -> None:
    looked: list[int] = []

    def find() -> tuple[int, int]:
        looked.append(1)
        return 3, 4

    source = Source("a.yaml", find=find)
    assert not looked
    assert (source.line, source.column, str(source), repr(source)) == (3, 4, "a.yaml:3:4", "Source('a.yaml:3:4')")
    assert looked == [1]
    assert str(Source("a.yaml")) == "a.yaml:1:1"


def test_places_are_equal_by_what_they_say() -> None:
    assert {Source("a", 1, 2), Source("a", find=lambda: (1, 2)), Source("a", 2, 1)} == {
        Source("a", 1, 2),
        Source("a", 2, 1),
    }
    assert Source("a") != "a:1:1"


def test_origins_are_equal_by_their_text() -> None:
    one, other = (Origin("x", lambda field, file=file: Source(file), lambda at: Source("f", *at)) for file in "ab")
    assert (one, hash(one)) == (other, hash(other))
    assert one != Origin("y", one.field, lambda at: Source("f", *at))
    assert (str(one.field("spec")), str(one.place(5, 6))) == ("a:1:1", "f:5:6")
