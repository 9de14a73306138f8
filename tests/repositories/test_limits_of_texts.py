"""What foreign texts may cost: as much as a limit is taken, more is refused with the limit in the sentence."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from virtcatalog.errors import VirtcatalogError
from virtcatalog.repositories import envsubst, gotemplates, parameters
from virtcatalog.repositories.envsubst import substituted
from virtcatalog.repositories.gotemplates import render
from virtcatalog.repositories.parameters import filled


def nested(levels: int) -> Callable[[], object]:
    return lambda: substituted("${a:-" * levels + "x" + "}" * levels, {})


@pytest.mark.parametrize(
    ("module", "limit", "as_much", "more", "sentence"),
    [
        (envsubst, "SUBSTITUTION_LEVELS", nested(5), nested(6), "references stand in each other more than 4 deep"),
        (
            envsubst,
            "SUBSTITUTED_CHARACTERS",
            lambda: substituted("${a}${a}", {"a": "xx"}),
            lambda: substituted("${a}${a}x", {"a": "xx"}),
            "the variables make a text of more than 4 characters",
        ),
        (
            gotemplates,
            "TEMPLATE_OUTPUT_CHARACTERS",
            lambda: render("ab{{ .x }}", {"x": "cd"}),
            lambda: render("ab{{ .x }}", {"x": "cde"}),
            "a template makes a text of more than 4 characters",
        ),
        (
            gotemplates,
            "TEMPLATE_OUTPUT_CHARACTERS",
            lambda: render('{{ len (printf "%s%s" .x .x) }}', {"x": "cd"}),
            lambda: render('{{ len (printf "%s%s%s" .x .x .x) }}', {"x": "cd"}),
            'the template {{len (printf "%s%s%s" .x .x .x)}} is not supported',
        ),
        (
            parameters,
            "TEMPLATE_OUTPUT_CHARACTERS",
            lambda: filled("{{x}}{{x}}", {"x": "ab"}, is_go=False),
            lambda: filled("{{x}}{{y}}", {"x": "abc", "y": ""}, is_go=False),
            "a template makes a text of more than 4 characters",
        ),
        (
            gotemplates,
            "TEMPLATE_ITERATIONS",
            lambda: render("{{ .x }}" * 4, {"x": "a"}),
            lambda: render("{{ .x }}" * 5, {"x": "a"}),
            "a template carries out more than 4 actions",
        ),
    ],
)
def test_a_limit_is_the_most_that_is_taken(
    module: object,
    limit: str,
    as_much: Callable[[], object],
    more: Callable[[], object],
    sentence: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, limit, 4)
    assert as_much()
    with pytest.raises(VirtcatalogError, match=f"^{re.escape(sentence)}$"):
        more()
