"""Names for what imports make: valid, as near to the old ones as can be, and each once."""

from __future__ import annotations

import pytest

from virtcatalog.bring.imports import free_label, free_name, label
from virtcatalog.bring.libvirt.volumes import in_place


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("db", "db"),
        ("My DB_1!", "my-db-1"),
        ("-a--b-", "a-b"),
        ("9", "9"),
        ("a.b", "a-b"),
        ("ÄB", "b"),
        ("", "vm"),
        ("_ä_", "vm"),
        ("a" * 64, "a" * 63),
        ("a" * 62 + "-b", "a" * 62),
    ],
)
def test_a_text_is_a_label_or_something_else_is(text: str, name: str) -> None:
    assert label(text, "vm") == name


def test_labels_are_numbered_where_they_are_taken() -> None:
    used: set[str] = set()
    assert [free_label(name, used) for name in ("a", "b", "a", "a", "a-2")] == ["a", "b", "a-2", "a-3", "a-2-2"]
    assert used == {"a", "b", "a-2", "a-3", "a-2-2"}


def test_labels_stay_as_short_as_they_have_to_be() -> None:
    used: set[str] = set()
    assert [free_label("x" * 70, used) for _ in range(10)][::9] == ["x" * 63, f"{'x' * 60}-10"]
    assert [free_label("abc-d", used, 4) for _ in range(3)] == ["abc", "ab-2", "ab-3"]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("m1.large", "m1.large"),
        ("Ubuntu 24.04 LTS", "ubuntu-24.04-lts"),
        ("a..-b-.c", "a.b.c"),
        (".-a-.", "a"),
        ("", "unnamed"),
        ("ä", "unnamed"),
        (f"{'a' * 64}.b", f"{'a' * 63}.b"),
        (".".join(["a" * 62] * 5), ".".join(["a" * 62] * 3 + ["a" * 61])),
        ("a." * 200, "a." * 124 + "a"),
    ],
)
def test_a_text_is_a_name_of_an_object(text: str, name: str) -> None:
    used: set[str] = set()
    assert free_name(text, used) == name
    assert free_name(text, used) == f"{name}-2"
    assert used == {name, f"{name}-2"}


A, B, C = ({"name": name} for name in "abc")


@pytest.mark.parametrize(
    ("volumes", "names"),
    [
        ([], ""),
        ([(None, A), (None, B)], "ab"),
        ([(1, A), (0, B)], "ba"),
        ([(None, A), (0, B)], "ba"),
        ([(2, A), (None, B), (None, C)], "bca"),
        ([(3, A), (None, B), (0, C)], "cab"),
        ([(0, A), (0, B)], "ba"),
    ],
)
def test_volumes_are_where_their_paths_say_and_the_others_between_them(
    volumes: list[tuple[int | None, dict[str, str]]], names: str
) -> None:
    assert "".join(volume["name"] for volume in in_place(volumes)) == names
