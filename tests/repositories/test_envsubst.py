"""`${VAR}` as Flux fills it in (fluxcd/pkg, envsubst): operators, references within each other, and what is refused."""

from __future__ import annotations

import pytest

from virtcatalog.repositories.envsubst import SubstitutionError, substituted

VALUES = {"name": "web", "path": "a/b/a", "empty": "", "greek": "αβ", "price": "$5"}


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("<${name}>", "<web>"),
        ("${name}${name}", "webweb"),
        ("$name $ $$ $${name}", "$name $ $ ${name}"),
        ("${none}", ""),
        ("${none:-x} ${empty:-x} ${name:-x}", "x x web"),
        ("${none:=x} ${none=x} ${none:+x} ${none:?x}", "x x x x"),
        ("${none:-${name}-${none:-db}}", "web-db"),
        ("${#name} ${#greek} ${#none}", "3 4 0"),
        ("${name^} ${name^^}", "Web WEB"),
        ("${name,} ${name,,}", "web web"),
        ("${name:1} ${name:1:1} ${name:0:2} ${name:-1}", "eb e we web"),
        ("${name:x} ${name:7} ${name:1:1:1} ${name:1::1}", "web  web e"),
        ("<${name:1234567890}> <${name:0:1234567890}> <${name:-1234567890}>", "<> <web> <web>"),
        (f"${{name:{'1' * 19}}} ${{name:0:{'9' * 18}}} ${{name:+1}} ${{name:-+1}}", "web web web web"),
        ("${name:01:02} ${name:3}. ${name: 1}", "eb . web"),
        ("${greek^} ${empty^} ${empty,} ${empty,,} ${#empty}", "Αβ    0"),
        ("${path/a/$$} ${path//a/\\/} ${path/\\//\\\\}", "$/b/a //b// a\\b/a"),
        ("${name#?}${name##?}${name%?}${name%%?} ${path#[ab]/}", "ebebwewe b/a"),
        ("${name#*} ${name##*}|${name%*} ${name%%*}|", "eb |we |"),
        ("${name:1:-1} ${name:1:-9} ${greek:2} ${name:${none}}", "e  β web"),
        ("${path#*/} ${path##*/}", "b/a a"),
        ("${path%/*} ${path%%/*}", "a/b a"),
        ("${path#x} ${path%x}", "a/b/a a/b/a"),
        ("<${name#web}> <${name%web}> <${name##web}> <${name%%web}>", "<> <> <> <>"),
        ("${path/a/c} ${path//a/c} ${path/a/} ${path//a/}", "c/b/a c/b/c /b/a /b/"),
        ("${path/a//c} ${path/}/c} ${path/a/b/c}", "c/b/a a/b/a b/c/b/a"),
        ("${path/#a/} ${path/%a/} ${path/${none}/x}", "a/b/a a/b/a xa/b/a"),
        ("${path/#a/c} ${path/#b/c}", "c/b/a a/b/a"),
        ("${path/%a/c} ${path/%b/c}", "a/b/c a/b/a"),
        ("${path/\\//-} ${path//\\//-}", "a-b/a a-b-a"),
        ("${price/$$/€} ${price/x/$$} ${path/b/\\\\}", "€5 $5 a/\\/a"),
    ],
)
def test_references_stand_for_their_values(text: str, filled: str) -> None:
    assert substituted(text, VALUES) == filled


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("${none}-${name}", "${none}-web"),
        ("${none:-x}", "${none:-x}"),
        ("${#none} ${empty:-x}", "${#none} x"),
    ],
)
def test_what_may_have_a_value_elsewhere_stays_as_it_is(text: str, expected: str) -> None:
    assert substituted(text, VALUES, is_open=True) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a ${name", "bad substitution: '${name'"),
        (f"${{name {'x' * 40}", f"bad substitution: '${{name {'x' * 33}'"),
        (f"${{- {'x' * 40}}}", f"unable to parse variable name: '${{- {'x' * 36}'"),
        ("${name!}", "bad substitution: '${name!}'"),
        ("${none:-x", "bad substitution: '${none:-x'"),
        ("${none:-${name}", "bad substitution: '${none:-${name}'"),
        ("${path/a}", "bad substitution: '${path/a}'"),
        ("${path/#a}", "bad substitution: '${path/#a}'"),
        ("${path/%/c}", "bad substitution: '${path/%/c}'"),
        ("${path/a${none}/c}", "bad substitution: '${path/a${none}/c}'"),
        ("${path/a${none}}", "bad substitution: '${path/a${none}}'"),
        ("${name:}", "bad substitution: '${name:}'"),
        ("${name::1}", "bad substitution: '${name::1}'"),
        ("${name#}", "bad substitution: '${name#}'"),
        ("${name^x}", "bad substitution: '${name^x}'"),
        ("${greek:1}", "bytes from 1 on of 'αβ' are no text"),
        ("a ${-} b", "unable to parse variable name: '${-} b'"),
        ("${}", "unable to parse variable name: '${}'"),
        ("${#-}", "unable to parse variable name: '${#-}'"),
    ],
)
def test_what_flux_refuses_is_refused(text: str, message: str) -> None:
    with pytest.raises(SubstitutionError) as caught:
        substituted(text, VALUES)
    assert str(caught.value) == message


def test_references_are_in_each_other_only_so_deep() -> None:
    deep = "${none:-" * 60 + "x" + "}" * 60
    with pytest.raises(SubstitutionError, match="stand in each other more than"):
        substituted(deep, VALUES)
