"""Variants that several preferences of a file have."""

import pytest

FILE = """\
    defaults: {{osType: linux}}
    variants:
      desktop: {desktop}
    preferences:
      one: {{displayName: One}}
      two: {{displayName: Two, variants: {{desktop: {{description: Our own.}}}}}}
"""


@pytest.mark.parametrize(
    ("desktop", "names"),
    [
        ("{}", {"one", "one.desktop", "two", "two.desktop"}),
        ("{preferences: [one]}", {"one", "one.desktop", "two", "two.desktop"}),
        ('{preferences: ["t*"]}', {"one", "two", "two.desktop"}),
    ],
)
def test_globs_say_which_have_it(catalog, desktop, names):
    loaded = catalog.load({"preferences/linux.yaml": FILE.format(desktop=desktop)})
    assert {preference.name for preference in loaded.preferences} == names


def test_it_is_a_layer_between_the_preference_and_its_own_variant(catalog):
    text = FILE.format(desktop='{displayName: "{{ displayName }} Desktop", description: Shared.}')
    by_name = {preference.name: preference for preference in catalog.load({"preferences/linux.yaml": text}).preferences}
    assert (by_name["one.desktop"].display_name, by_name["one.desktop"].description) == ("One Desktop", "Shared.")
    assert (by_name["two.desktop"].display_name, by_name["two.desktop"].description) == ("Two Desktop", "Our own.")
    assert by_name["one.desktop"].source.line == 3
    assert by_name["two.desktop"].source.line == 6


def test_a_glob_that_matches_nothing_is_a_mistake(catalog):
    text = FILE.format(desktop="{preferences: [ones]}")
    assert catalog.problems({"preferences/linux.yaml": text}) == [
        (
            "preferences/linux.yaml:3:27: variants.desktop.preferences[0]: 'ones' matches no preference of this file; "
            "did you mean 'one'?"
        )
    ]


def test_a_fault_in_it_is_at_its_place(catalog):
    text = FILE.format(desktop="{osTyp: x}")
    (problem,) = catalog.problems({"preferences/linux.yaml": text})
    assert problem.startswith("preferences/linux.yaml:3:13: variants.desktop.osTyp: unknown field 'osTyp'")
