"""Tables of text: where every cell is, and what is no table."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from virtcatalog.bring.vmware import table as module
from virtcatalog.bring.vmware.table import Row, read_csv
from virtcatalog.errors import ManifestError, Problem


def refusal(content):
    with pytest.raises(ManifestError) as caught:
        read_csv(content, "f.csv")
    return str(caught.value.problems[0])


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_table_has_a_header_and_rows_in_their_lines(delimiter, encoding):
    text = f'VM{delimiter}Notes\r\nweb{delimiter}"a\r\nb"\r\n\r\ndb{delimiter}ü\r\n'
    table = read_csv(text.encode(encoding), "f.csv")
    assert table.columns == {"VM": 0, "Notes": 1}
    assert table.rows == [Row(2, ("web", "a\r\nb")), Row(5, ("db", "ü"))]


def test_a_column_that_is_not_there_is_empty():
    table = read_csv(b"VM\n web \n", "f.csv")
    assert [table.get(table.rows[0], column) for column in ("VM", "Host")] == ["web", ""]


def test_a_problem_is_at_its_cell():
    table = read_csv(b"VM,CPUs\nweb,x\n", "f.csv")
    assert str(table.problem(table.rows[0], "CPUs", "is none", "web")) == "f.csv:2:2: web: CPUs: is none"


CELLS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8)


@given(st.lists(st.lists(CELLS, min_size=3, max_size=3), max_size=5))
def test_what_is_written_is_read(rows):
    written = io.StringIO(newline="")
    csv.writer(written, quoting=csv.QUOTE_ALL).writerows([["a", "b", "c"], *rows])
    table = read_csv(written.getvalue().encode(), "f.csv")
    assert [row.cells for row in table.rows] == [tuple(row) for row in rows if any(row)]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "f.csv: is empty"),
        (b"\n,,\n", "f.csv: is empty"),
        (b"VM,CPUs\nweb\n", "f.csv:2:1: has 1 cells, and the header 2"),
        (b"VM,CPUs,VM\n", "f.csv:1:3: has two columns 'VM'"),
        (b'VM,Notes\nweb,"x\n', "f.csv:2:1: is not CSV: unexpected end of data"),
        (b'VM,Notes\nweb,"x"y\n', "f.csv:2:1: is not CSV: ',' expected after '\"'"),
        (b"VM\n\xff\n", "f.csv:2:1: is neither UTF-8 nor UTF-16: save it as UTF-8"),
        (b"VM\n" + b"x" * 200_000, "f.csv:2:1: is not CSV: field larger than field limit (131072)"),
    ],
)
def test_what_is_no_table_is_refused_at_its_place(content, message):
    assert refusal(content) == message


def test_a_table_has_an_end(monkeypatch):
    monkeypatch.setattr(module, "TABLE_CELLS", 3)
    assert refusal(b"a,b\n1,2\n3,4\n") == "f.csv:3:1: is more than 3 cells: split the file"


def test_a_problem_of_a_column_that_is_not_there_is_at_the_first():
    table = read_csv(b"VM,CPUs\n\nweb,x\n", "f.csv")
    assert table.problem(table.rows[0], "Host", "is none") == Problem("f.csv", 3, 1, "", "Host", "is none")
