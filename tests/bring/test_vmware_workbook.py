"""Workbooks: the same VMs as of CSV files, and what is no workbook."""

from __future__ import annotations

import io
import zipfile

import pytest
from vmwares import FIXTURES
from workbooks import packed, parts, rows_of, workbook

from virtcatalog.bring.vmware import workbook as module
from virtcatalog.bring.vmware.rvtools import SHEETS, read_rvtools
from virtcatalog.bring.vmware.table import Row, read_csv
from virtcatalog.bring.vmware.workbook import read_workbook
from virtcatalog.errors import ManifestError

CSV = {sheet: (FIXTURES / "rvtools" / f"RVTools_tab{sheet}.csv").read_bytes() for sheet in SHEETS}
SHEET = "xl/worksheets/sheet1.xml"


def read(content):
    return read_workbook(content, "f.xlsx", SHEETS)


def cells(xml):
    """The rows of a sheet with this XML."""
    members = parts({"vInfo": [["text"]]})
    head, _, _ = members[SHEET].partition("<row")
    return read(packed({**members, SHEET: f"{head}{xml}</sheetData></worksheet>"}))["vInfo"]


def refusal(content):
    with pytest.raises(ManifestError) as caught:
        read(content)
    return str(caught.value.problems[0])


def test_a_workbook_has_the_vms_of_the_csv_files():
    problems = []
    machines = [
        [machine._replace(file="", line=0, attributes=()) for machine in read_rvtools(tables, problems).machines()]
        for tables in (
            read(workbook({sheet: rows_of(content) for sheet, content in CSV.items()})),
            {sheet: read_csv(content, sheet) for sheet, content in CSV.items()},
        )
    ]
    assert machines[0] == machines[1]
    assert len(machines[0]) == 4
    assert problems == []


def test_a_cell_is_at_its_row_and_column():
    table = read(workbook({"vHost": [["x"]], "vInfo": [["VM", "CPUs"], [], ["web", "x"]]}))["vInfo"]
    assert str(table.problem(table.rows[0], "CPUs", "is none", "web")) == "f.xlsx#vInfo:3:2: web: CPUs: is none"


@pytest.mark.parametrize(("letters", "column"), [("B", 2), ("Z", 26), ("AA", 27), ("BC", 55), ("ZZ", 702)])
def test_columns_after_the_26th_have_two_letters(letters, column):
    row = f'<c r="{letters}1" t="inlineStr"><is><t>VM</t></is></c>'
    table = cells(f'<row r="1">{row}</row><row r="2">{row.replace("1", "2", 1)}</row>')
    assert str(table.problem(table.rows[0], "VM", "is none", "")).startswith(f"f.xlsx#vInfo:2:{column}:")


def test_sheets_that_nobody_asks_for_are_not_read():
    members = parts({"vInfo": [["VM"]], "vHost": [["x"]]})
    assert list(read(packed({**members, "xl/worksheets/sheet2.xml": "<"}))) == ["vInfo"]


def test_cells_are_texts_numbers_and_truths():
    table = cells(
        '<row r="1"><c t="inlineStr"><is><t>a</t></is></c><c t="str"><v>b</v></c><c t="s"><v>0</v></c><c r="E1"/></row>'
        '<row><c r="B2"><v>4096</v></c><c t="b"><v>1</v></c></row>'
    )
    assert table.columns == {"a": 0, "b": 1, "text": 2}
    assert table.rows == [Row(2, ("", "4096", "True", "", ""))]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "f.xlsx: is no workbook: File is not a zip file"),
        (packed({**parts({"vInfo": [["VM"]]}), SHEET: ""}), "f.xlsx: is no workbook: no element found"),
        (packed({"a": "b"}), "f.xlsx: is no workbook: it has no xl/_rels/workbook.xml.rels"),
        (packed({**parts({"vInfo": [["VM"]]}), SHEET: "<a"}), "f.xlsx: is no workbook: "),
        (
            packed({**parts({"vInfo": [["VM"]]}), "xl/sharedStrings.xml": "<sst/>"}),
            "f.xlsx: is no workbook: a cell has the text '0', which is not there",
        ),
        (workbook({"vInfo": []}), "f.xlsx#vInfo: is empty"),
        (workbook({"vInfo": [["VM"], ["a", "b"]]}), "f.xlsx#vInfo:2:1: has 2 cells, and the header 1"),
    ],
)
def test_what_is_no_workbook_is_refused(content, message):
    assert message in refusal(content)


def test_only_what_excel_compresses_is_read():
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_LZMA) as archive:
        for name, text in parts({"vInfo": [["VM"]]}).items():
            archive.writestr(name, text)
    assert refusal(content.getvalue()).endswith(" is compressed in a way that Excel does not know")


def test_one_with_a_password_is_refused():
    content = bytearray(workbook({"vInfo": [["VM"]]}))
    for signature, flags in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        at = -1
        while (at := content.find(signature, at + 1)) >= 0:
            content[at + flags] |= 1
    assert refusal(bytes(content)) == "f.xlsx: is encrypted: save it without a password"


def test_a_document_type_is_refused_with_its_entities():
    members = parts({"vInfo": [["VM"]]})
    sheet = members[SHEET].replace("<v>0</v>", "<v>&b;</v>")
    bomb = f'<!DOCTYPE a [<!ENTITY a "aaaaaaaa"><!ENTITY b "&a;&a;&a;">]>{sheet}'
    message = "f.xlsx: xl/worksheets/sheet1.xml: <!DOCTYPE is not taken: a workbook has none"
    assert refusal(packed({**members, SHEET: bomb})) == message


def test_a_bomb_is_refused_by_the_size_in_its_directory(monkeypatch):
    monkeypatch.setattr(module, "WORKBOOK_BYTES", 2**20)
    members = parts({"vInfo": [["VM"]]})
    content = packed({**members, SHEET: members[SHEET] + " " * 2**20})
    assert len(content) < 5000
    assert refusal(content) == "f.xlsx: is larger than 1 MiB unpacked"


def test_a_row_is_no_larger_than_any_that_is_real(monkeypatch):
    monkeypatch.setattr(module, "WORKBOOK_TAGS", 10_000)
    usual = workbook({"vInfo": [["VM"], *[["web"]] * 5000]})
    assert len(read(usual)["vInfo"].rows) == 5000
    members = parts({"vInfo": [["VM"]]})
    message = "f.xlsx: xl/worksheets/sheet1.xml: has more than 10,000 tags in one place"
    for bomb in (f"<row>{'<c/>' * 20_000}</row>", f"</sheetData><x>{'<y/>' * 20_000}</x><sheetData>"):
        text = members[SHEET].replace("</sheetData>", f"{bomb}</sheetData>")
        assert refusal(packed({**members, SHEET: text})) == message


@pytest.mark.parametrize(
    ("part", "name", "element"), [(SHEET, "row", "<row/>"), ("xl/sharedStrings.xml", "si", "<si/>")]
)
def test_empty_rows_and_texts_have_an_end(part, name, element, monkeypatch):
    monkeypatch.setattr(module, "WORKBOOK_ELEMENTS", 100)
    members = parts({"vInfo": [["VM"]]})
    end = members[part].rindex("</sheetData>" if part == SHEET else "</sst>")
    text = members[part][:end] + element * 100 + members[part][end:]
    assert refusal(packed({**members, part: text})) == f"f.xlsx: {part}: has more than 100 of <{name}>"


def test_cells_that_are_left_out_count(monkeypatch):
    monkeypatch.setattr(module, "TABLE_CELLS", 1000)
    members = parts({"vInfo": [["VM"]]})
    text = members[SHEET].replace("</sheetData>", '<row><c r="XFD2"/></row></sheetData>')
    assert refusal(packed({**members, SHEET: text})) == f"f.xlsx: {SHEET}: is more than 1,000 cells: split the file"


def numbered(*rows: str):
    """The lines of rows that have these numbers."""
    head = '<row r="1"><c t="str"><v>VM</v></c></row>'
    return [row.line for row in cells(head + "".join(f'<row{row}><c t="str"><v>a</v></c></row>' for row in rows)).rows]


def test_rows_are_numbered_or_follow_each_other():
    assert numbered(' r="3"', "", ' r="9999999"') == [3, 4, 9999999]
    assert numbered(' r="3"', ' r="10000000"', ' r="x"', ' r="-9"', ' r="\u0662"', ' r=""') == [3, 4, 5, 6, 7, 8]


def test_how_a_text_is_pronounced_is_no_part_of_it():
    table = cells(
        '<row r="1"><c t="inlineStr"><is><t>a</t><rPh><t>X</t></rPh><r><t>b</t></r><t/></is></c></row>'
        '<row r="2"><c t="inlineStr"><is><t>c</t></is></c></row>'
    )
    assert (table.columns, table.rows) == ({"ab": 0}, [Row(2, ("c",))])


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ('<c t="b"><v>0</v></c>', "False"),
        ('<c t="b"><v>2</v></c>', "2"),
        ("<c><v>1.5</v></c>", "1.5"),
        ('<c t="n"><v>7</v></c>', "7"),
        ('<c t="s"><v>0</v></c>', "text"),
        ('<c t="e"><v>#REF!</v></c>', "#REF!"),
    ],
)
def test_what_a_cell_holds(cell, text):
    assert cells(f'<row r="1"><c t="str"><v>VM</v></c></row><row r="2">{cell}</row>').rows == [Row(2, (text,))]


@pytest.mark.parametrize("number", ["1", "-1", "x", "", "1234567890", "\u0660"])
def test_a_text_that_is_not_there(number):
    members = parts({"vInfo": [["text"]]})
    text = members[SHEET].replace("<v>0</v>", f"<v>{number}</v>")
    message = f"f.xlsx: is no workbook: a cell has the text {number!r}, which is not there"
    assert refusal(packed({**members, SHEET: text})) == message


def test_a_sheet_is_where_its_relation_leads():
    members = parts({"vInfo": [["VM"]]})
    relations = "xl/_rels/workbook.xml.rels"
    moved = {**members, relations: members[relations].replace("worksheets/", "/xl/worksheets/")}
    assert read(packed(moved))["vInfo"].columns == {"VM": 0}
    elsewhere = {**members, relations: members[relations].replace("worksheets/", "/other/")}
    assert refusal(packed(elsewhere)) == "f.xlsx: is no workbook: it has no other/sheet1.xml"
    nowhere = {**members, relations: '<Relationships xmlns="p"/>'}
    assert refusal(packed(nowhere)) == "f.xlsx: is no workbook: it has no xl/"


def test_a_workbook_without_texts_needs_no_list_of_them():
    members = parts({"vInfo": [["1"], ["2"]]})
    del members["xl/sharedStrings.xml"]
    assert read(packed(members))["vInfo"].rows == [Row(2, ("2",))]


def test_what_is_as_large_as_it_may_be_is_read(monkeypatch):
    members = parts({"vInfo": [["VM"], ["a"], ["b"]]})
    monkeypatch.setattr(module, "WORKBOOK_BYTES", sum(len(text.encode()) for text in members.values()))
    monkeypatch.setattr(module, "WORKBOOK_ELEMENTS", 3)
    monkeypatch.setattr(module, "TABLE_CELLS", 3)
    assert len(read(packed(members))["vInfo"].rows) == 2
    monkeypatch.setattr(module, "TABLE_CELLS", 2)
    assert refusal(packed(members)) == f"f.xlsx: {SHEET}: is more than 2 cells: split the file"
    monkeypatch.setattr(module, "WORKBOOK_ELEMENTS", 2)
    assert refusal(packed(members)) == "f.xlsx: xl/sharedStrings.xml: has more than 2 of <si>"
