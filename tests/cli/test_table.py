"""Tables within a terminal's width: cells break between words and parts, and rows never into shreds."""

from __future__ import annotations

import pytest

from virtcatalog.cli.table import laid_out, print_tables

COLUMNS = ("Name", "Why not")
LONG = "spec.instancetype: the preference requires 8 vCPUs, there are 4"


def table(columns, rows, width):
    return [line for line, _ in laid_out(columns, rows, width)]


def test_a_pipe_gets_every_row_on_a_line():
    assert table(COLUMNS, [("c.large", LONG)], None) == ["NAME     WHY NOT", f"c.large  {LONG}"]


def test_what_fits_is_as_in_a_pipe():
    assert table(COLUMNS, [("c.large", LONG)], 80) == table(COLUMNS, [("c.large", LONG)], None)


def test_the_widest_column_is_narrowed_and_broken_between_words():
    assert table(COLUMNS, [("c.large", LONG)], 40) == [
        "NAME     WHY NOT",
        "c.large  spec.instancetype: the",
        "         preference requires 8 vCPUs,",
        "         there are 4",
    ]


def test_paths_are_broken_at_their_parts():
    path = "spec.template.spec.domain.devices.disks[0].disk.bus"
    assert table(("Field", "From"), [(path, "VM")], 40) == [
        "FIELD                               FROM",
        "spec.template.spec.domain.devices.  VM",
        "disks[0].disk.bus",
    ]


def test_rows_of_many_columns_are_written_one_below_the_other():
    columns = ("Name", "Volume", "Type", "Bus", "Serial", "Path")
    row = ("root", "dataVolume", "disk", "virtio", "", "/var/run/kubevirt-private/vmi-disks/root/disk.img")
    assert table(columns, [row], 50) == [
        "root",
        "  volume: dataVolume  type: disk  bus: virtio",
        "  path: /var/run/kubevirt-private/vmi-disks/root/",
        "  disk.img",
    ]


def test_a_word_that_is_too_long_for_any_line_is_cut():
    lines = table(("Name", "Other"), [("x" * 50, "y" * 50)], 40)
    assert lines == ["x" * 40, "x" * 10, "  other:", f"  {'y' * 38}", f"  {'y' * 12}"]


@pytest.mark.parametrize("width", [20, 40, 79, 80, 160])
def test_no_line_is_wider_and_nothing_is_lost(width):
    rows = [(f"m.large{number}", "production", LONG, "/a/b/c" * number, "ключ " * number) for number in range(1, 9)]
    lines = table(("Name", "Environment", "Why not", "Path", "Words"), rows, width)
    assert max(map(len, lines)) <= width
    kept = "".join("".join(lines).split())
    assert all(kept.count(letter) >= sum("".join(row).count(letter) for row in rows) for letter in "/8ю")


def test_letters_of_two_columns_count_as_two():
    assert table(("A", "B"), [("漢字", "x"), ("abc", "y")], None) == ["A     B", "漢字  x", "abc   y"]


def test_control_characters_are_shown():
    assert table(("A",), [("a\x1b[2J\nb",)], 80) == ["A", "a\\x1b[2J\\nb"]


def test_on_a_terminal_titles_headers_and_rows_have_their_styles(monkeypatch):
    lines = []
    monkeypatch.setattr("virtcatalog.cli.table.coloured", lambda: True)
    monkeypatch.setattr("virtcatalog.cli.table.print_line", lambda text, style, _colour: lines.append((text, style)))
    tables = [("one", [("a", "b"), ("c", "d")]), ("two", [("e", "f")])]
    print_tables(("x", "y"), tables, titled=True, style=lambda row: {"a": "red"}.get(row[0], ""))
    assert lines == [
        *(("one", "bold"), ("X  Y", "bold"), ("a  b", "red"), ("c  d", "")),
        *(("\ntwo", "bold"), ("X  Y", "bold"), ("e  f", "")),
    ]
    lines.clear()
    print_tables(("x", "y"), tables[1:], titled=False, capitals=False)
    assert lines == [("x  y", "bold"), ("e  f", "")]
