"""Bare words that YAML readers disagree on."""

import pytest

from virtcatalog.check.scalars import ambiguous

WORDS = "yes No on OFF y N 017 0o17 1_000 0b11 12:30 -1:20 2026-01-31 1e3 1.5e3 2026-01-31T10:00:00Z"
ALIKE = "true False null ~ 1 -7 0x1f 1.5 2.0 1.0e+3 4Gi 500m v1.9.0 1.2.3 none 2Mi -x a:b 10.0.2.0/24"


@pytest.mark.parametrize("word", WORDS.split())
def test_words_that_readers_disagree_on_where_they_stand_bare(word):
    assert list(ambiguous(f"a: 1\nb: [{word}]\n")) == [(2, 5, word)]
    assert list(ambiguous(f"{word}: 1\n")) == [(1, 1, word)]
    assert list(ambiguous(f"a:\n  b: '{word}'\n")) == []


@pytest.mark.parametrize("word", ALIKE.split())
def test_words_that_all_readers_read_alike(word):
    assert list(ambiguous(f"a: {word}\n")) == []


def test_a_sunset_is_a_date_by_agreement():
    assert list(ambiguous("deprecated: {sunset: 2027-06-01}\n")) == []


def test_texts_of_the_catalog_and_of_rendered_templates(bench):
    findings = bench.vm(
        """\
        runStrategy: Halted
        template:
          metadata: {labels: {day: 2026-01-31}}
          spec:
            domain: {devices: {}, memory: {guest: 1Gi}}
        """,
        name="vms/one.yaml.j2",
    )
    expected = "vms/one.yaml.j2:7:30: YAML readers disagree on '2026-01-31': quote it, or write it plainly"
    assert findings == [f"{expected} [warning: ambiguous-scalar]"]
