"""What is said of faults: places, fields and sentences, and how many of what."""

from __future__ import annotations

import pickle

import pytest

from virtcatalog.create.options import FlagError
from virtcatalog.errors import (
    Cause,
    ManifestError,
    Problem,
    Reason,
    RefusedError,
    TemplateError,
    UnsupportedError,
    VirtcatalogError,
    Warning,
    counted,
    listed,
    nearest,
    outcome_word,
    placed,
    some,
    within,
)


@pytest.mark.parametrize(
    ("fault", "text"),
    [
        (Cause("FieldValueInvalid", "spec.a", "is wrong"), "spec.a: is wrong"),
        (Cause("FieldValueInvalid", "", "is wrong"), "is wrong"),
        (Problem("a\nb.yaml", 1, 2, message="is wrong"), "a\\nb.yaml:1:2: is wrong"),
        (Problem("a\nb.yaml", message="is wrong"), "a\\nb.yaml: is wrong"),
        (Reason("spec.a", "is wrong", "vm"), "spec.a: is wrong (refused by the VM webhook)"),
        (Reason("", "is wrong", "controller"), "is wrong (refused by virt-controller)"),
        (
            Reason("", "is wrong", "vmi", origin="a preset sets it"),
            "is wrong (a preset sets it; refused by the VMI webhook)",
        ),
        (Reason("", "it dies", "launcher"), "it dies (refused by virt-launcher)"),
        (Reason("", "it dies", "launcher", type="Crash"), "it dies"),
        (Reason("", "it dies", "vm", type="Crash", origin="m.large"), "it dies (m.large)"),
        (Warning("Suspect", "spec.a", "is odd"), "spec.a: is odd"),
        (Warning("Suspect", "spec.a", "is odd", "Kind/ns/name"), "Kind/ns/name: spec.a: is odd"),
        (Problem("f", 3, 4, "Kind/name", "spec.a", "is wrong"), "f:3:4: Kind/name: spec.a: is wrong"),
        (Problem("f", message="is wrong"), "f: is wrong"),
        (Problem("", 3, 4, message="is wrong"), "<input>:3:4: is wrong"),
        (Problem(message="is wrong"), "is wrong"),
        (UnsupportedError("spec.a", "a"), "spec.a: not supported by virtcatalog: a"),
        (
            RefusedError(Reason("a", "b", "vm"), Reason("", "c", "vmi")),
            "the VM is refused: a: b (refused by the VM webhook); c (refused by the VMI webhook)",
        ),
        (TemplateError(Cause("x", "a", "b"), Cause("x", "c", "d")), "a: b; c: d"),
        (ManifestError(Problem("b", message="2"), Problem("a", message="1")), "a: 1\nb: 2"),
        (FlagError("cpu", "is wrong"), "--cpu: is wrong"),
    ],
)
def test_a_fault_says_where_and_what(fault: object, text: str) -> None:
    assert str(fault) == text


@pytest.mark.parametrize("error", [UnsupportedError("spec.a", "a"), FlagError("cpu", "is wrong")])
def test_an_error_of_another_process_says_the_same(error: VirtcatalogError) -> None:
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_a_template_s_error_is_at_the_field_of_its_first_cause_unless_another_is_known() -> None:
    cause = Cause("x", "spec.a", "b")
    assert (TemplateError(cause).at, TemplateError(cause, at="spec.a[0]").at) == ("spec.a", "spec.a[0]")


def test_what_is_said_of_a_vm_has_its_places_in_their_order() -> None:
    reasons = [
        Reason("spec.b", "is wrong", "vm"),
        Warning("Suspect", "spec.a", "is odd"),
        Warning("Suspect", "spec.c", "is odd", "Kind/name"),
        UnsupportedError("spec.a", "a"),
    ]
    problems = placed(reasons, lambda field, message: Problem("f", 1, 1, "VM", field, message))
    assert [(problem.field, problem.message) for problem in problems] == [
        ("", "warning: Kind/name: spec.c: is odd"),
        ("spec.a", "not supported by virtcatalog: a"),
        ("spec.a", "warning: is odd"),
        ("spec.b", "is wrong (refused by the VM webhook)"),
    ]


def test_numbers_and_names_are_worded_for_people() -> None:
    assert [counted(number, "VM") for number in (0, 1, 1200)] == ["0 VMs", "1 VM", "1,200 VMs"]
    assert [counted(number, "VM is", "VMs are") for number in (1, 2)] == ["1 VM is", "2 VMs are"]
    assert [listed(names) for names in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == ["", "a", "a and b", "a, b and c"]
    assert [some(["a", "b", "c"], most) for most in (3, 2, 1)] == ["a, b, c", "a, b and 1 more", "a and 2 more"]
    assert some([str(number) for number in range(1201)], 1) == "0 and 1,200 more"
    assert [within("x", names) for names in ([], [""], ["a"], ["", "a", "b"])] == [
        "x",
        "x",
        "x (in a)",
        "x (in a and b)",
    ]
    assert [outcome_word(word) for word in ("unsupported", "refused")] == ["unknown", "refused"]


@pytest.mark.parametrize(
    ("name", "names", "hint"),
    [
        ("M.LARGE", ["m.small", "m.Large"], "; did you mean 'm.Large'?"),
        ("nothing", ["m.large"], ""),
        ("x", [], ""),
        (7, ["7a", "b"], "; did you mean '7a'?"),
        ("a" * 100, ["a" * 99], f"; did you mean {'a' * 99!r}?"),
        ("a" * 101, ["a" * 99], ""),
        # Of very many, those that begin or end alike are looked at.
        ("sarge", [*(f"x{number}y" for number in range(200)), "large"], "; did you mean 'large'?"),
        ("larze", [*(f"x{number}y" for number in range(200)), "large"], "; did you mean 'large'?"),
        ("zargz", [*(f"x{number}y" for number in range(200)), "large"], ""),
        ("zargz", [*(f"x{number}y" for number in range(199)), "large"], "; did you mean 'large'?"),
    ],
)
def test_a_hint_names_what_was_meant(name: object, names: list[str], hint: str) -> None:
    assert nearest(name, names) == hint
