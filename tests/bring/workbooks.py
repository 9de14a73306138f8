"""Workbooks as Excel and RVTools write them, made of CSV files."""

from __future__ import annotations

import csv
import io
import zipfile
from xml.sax.saxutils import escape, quoteattr

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def rows_of(content):
    return list(csv.reader(io.StringIO(content.decode(), newline="")))


def parts(sheets):
    """The parts of a workbook with these rows by the names of its sheets: texts are shared, and numbers are none."""
    strings = {}

    def cell(row, number, text):
        letters = chr(ord("A") + number % 26)
        place = f"{chr(ord('A') + number // 26 - 1) if number >= 26 else ''}{letters}{row}"
        digits = text.replace(",", "")
        if digits.isdecimal():
            return f'<c r="{place}"><v>{digits}</v></c>'
        return f'<c r="{place}" t="s"><v>{strings.setdefault(text, len(strings))}</v></c>' if text else ""

    members = {}
    for number, (_, rows) in enumerate(sheets.items(), 1):
        lines = (
            f'<row r="{row}">{"".join(cell(row, column, text) for column, text in enumerate(cells))}</row>'
            for row, cells in enumerate(rows, 1)
        )
        members[f"xl/worksheets/sheet{number}.xml"] = (
            f'<worksheet xmlns="{MAIN}"><sheetData>{"".join(lines)}</sheetData></worksheet>'
        )
    names = (f'<sheet name={quoteattr(name)} r:id="r{number}"/>' for number, name in enumerate(sheets, 1))
    targets = (
        f'<Relationship Id="r{number}" Target="worksheets/sheet{number}.xml"/>' for number in range(1, len(sheets) + 1)
    )
    texts = (f"<si><r><t>{escape(text[:2])}</t></r><r><t>{escape(text[2:])}</t></r></si>" for text in strings)
    members["xl/workbook.xml"] = (
        f'<workbook xmlns="{MAIN}" xmlns:r="{RELATIONS}"><sheets>{"".join(names)}</sheets></workbook>'
    )
    members["xl/_rels/workbook.xml.rels"] = f'<Relationships xmlns="p">{"".join(targets)}</Relationships>'
    members["xl/sharedStrings.xml"] = f'<sst xmlns="{MAIN}">{"".join(texts)}</sst>'
    return members


def packed(members):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return content.getvalue()


def workbook(sheets):
    return packed(parts(sheets))
