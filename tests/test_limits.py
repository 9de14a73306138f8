"""docs/limits.md has every limit, and as it is."""

import re
from pathlib import Path

from virtcatalog import limits

PAGE = (Path(__file__).parents[1] / "docs/limits.md").read_text()
ROW = re.compile(r"^\| `([A-Z_]+)` \| ([0-9,.]+)( [KMG]iB)? \| (.*) \|$", re.MULTILINE)
UNITS = {"": 1, " KiB": 2**10, " MiB": 2**20, " GiB": 2**30}


def test_the_page_has_every_limit_as_it_is():
    documented = {name: float(number.replace(",", "")) * UNITS[unit] for name, number, unit, _ in ROW.findall(PAGE)}
    units = ("KIB", "MIB", "GIB")
    assert documented == {name: value for name, value in vars(limits).items() if name.isupper() and name not in units}


def test_every_limit_is_described_once():
    rows = ROW.findall(PAGE)
    assert len({name for name, *_ in rows}) == len(rows)
    assert [name for name, *_, meaning in rows if not meaning.strip()] == []
