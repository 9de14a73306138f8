"""The rules as a whole, and their page."""

import re
from datetime import date
from pathlib import Path

import pytest

from virtcatalog.catalog.load import load_catalog
from virtcatalog.check.inventory import take
from virtcatalog.check.rules import RULES, check, page

REPOSITORY = Path(__file__).parents[2]


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_every_rule_says_what_why_and_what_to_do(rule):
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", rule.id)
    assert rule.severity in ("error", "warning", "note")
    for text in (rule.summary, rule.why, rule.remedy):
        assert text.endswith(".")
        assert text[0].isupper() or text[0] == "`"


def test_every_rule_has_a_test():
    tests = "".join(path.read_text() for path in Path(__file__).parent.glob("test_*.py"))
    cli = (REPOSITORY / "tests/cli/test_check.py").read_text()
    assert [rule for rule in RULES if rule not in tests + cli] == []


def test_the_page_is_fresh():
    assert (REPOSITORY / "docs/findings.md").read_text() == page(RULES)


def test_the_repositorys_own_catalog_is_clean():
    catalog = load_catalog(REPOSITORY / "catalog")
    assert check(take(catalog, today=date(2026, 11, 21))) == []
