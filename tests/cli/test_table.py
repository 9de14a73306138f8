"""Tables within a terminal's width: cells break between words and parts, and rows never into shreds."""

from __future__ import annotations

import pytest

from virtcatalog.cli.table import aligned, laid_out, print_tables

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


def test_a_row_without_a_first_cell_keeps_its_facts():
    assert table(("Name", "Why", "Where"), [("", "x" * 20, "y" * 20)], 30) == [
        "-",
        f"  why: {'x' * 20}",
        f"  where: {'y' * 20}",
    ]


def test_a_word_that_is_too_long_for_any_line_is_cut():
    lines = table(("Name", "Other"), [("x" * 50, "y" * 50)], 40)
    assert lines == ["x" * 40, "x" * 10, "  other:", f"  {'y' * 38}", f"  {'y' * 12}"]


@pytest.mark.parametrize("width", [20, 40, 79, 80, 160])
def test_no_line_is_wider_and_nothing_is_lost(width):
    rows = [(f"m.large{number}", "production", LONG, "/a/b/c" * number, "ключ " * number) for number in range(1, 9)]
    lines = table(("Name", "Environment", "Why not", "Path", "Words"), rows, width)
    assert max(map(len, lines)) <= width
    letters = "".join("".join(lines).split())
    assert all(letters.count(letter) >= sum("".join(row).count(letter) for row in rows) for letter in "/8ю")


WORDS = "one two three four five six seven eight nine"


@pytest.mark.parametrize(
    ("columns", "row", "width", "lines"),
    [
        # twelve columns are the least that a text is narrowed to, or its header
        (
            ("A", "B"),
            ("a" * 12, "123456789 123"),
            26,
            ["A             B", "aaaaaaaaaaaa  123456789", "              123"],
        ),
        (("A", "B"), ("a" * 12, "123456789 123"), 25, ["aaaaaaaaaaaa", "  b: 123456789 123"]),
        (
            ("A", "A longer header"),
            ("a", "b" * 10 + " " + "c" * 8),
            18,
            ["A  A LONGER HEADER", "a  bbbbbbbbbb", "   cccccccc"],
        ),
        (
            ("A", "A longer header"),
            ("a", "b" * 10 + " " + "c" * 8),
            17,
            ["a", "  a longer", "  header:", "  bbbbbbbbbb", "  cccccccc"],
        ),
        # four lines are a row's most
        (
            ("A", "B"),
            ("a", WORDS),
            15,
            ["a", "  b: one two", "  three four", "  five six", "  seven eight", "  nine"],
        ),
        (("A", "B"), ("a", WORDS[:39]), 15, ["A  B", "a  one two", "   three four", "   five six", "   seven eight"]),
    ],
)
def test_columns_are_narrowed_as_long_as_rows_are_easy_to_read(columns, row, width, lines):
    assert table(columns, [row], width) == lines


@pytest.mark.parametrize(
    ("width", "lines"),
    [
        (29, ["abcdefghijklmnopqrstuvwxyz", "  b: one  c: two  d: fourfour"]),
        (28, ["abcdefghijklmnopqrstuvwxyz", "  b: one  c: two", "  d: fourfour"]),
        (18, ["abcdefghijklmnopqr", "stuvwxyz", "  b: one  c: two", "  d: fourfour"]),
        (15, ["abcdefghijklmno", "pqrstuvwxyz", "  b: one", "  c: two", "  d: fourfour"]),
    ],
)
def test_facts_below_a_row_share_its_lines(width, lines):
    row = ("abcdefghijklmnopqrstuvwxyz", "one", "two", "", "fourfour")
    assert table(("A", "B", "C", "None", "D"), [row], width) == lines


def test_marks_take_no_column_and_wide_letters_two():
    assert table(("A", "B"), [("e\u0301", "x"), ("\uff46", "y"), ("abc", "z")], None) == [
        "A    B",
        "e\u0301    x",
        "\uff46   y",
        "abc  z",
    ]


def test_a_cell_without_text_is_a_dash():
    assert list(aligned(("Name", "b"), [("", "x"), ("y", "")])) == ["NAME  B", "-     x", "y     -"]


def test_a_header_of_names_stays_as_it_is(capsys):
    print_tables(("Name", "b\n"), [("", [("1", "2")])], titled=False, capitals=False)
    assert capsys.readouterr().out == "Name  b\\n\n1     2\n"


def test_tables_in_a_pipe(capsys):
    print_tables(("a",), [("one\x07", [("1",)]), ("two", [])], titled=True)
    assert capsys.readouterr().out == "one\\x07\nA\n1\n\ntwo\nA\n"


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
