"""VMs on their way: their names, and the environments that their problems name."""

from __future__ import annotations

import pytest

from virtcatalog.errors import Problem
from virtcatalog.fleet.outcome import Expansion, Form, Located, Remark


def problem(field: str, message: str) -> Problem:
    return Problem(file="vm.yaml", field=field, message=message)


VM = Located({"kind": "VirtualMachine", "metadata": {"name": "web", "namespace": "shop"}}, problem)


@pytest.mark.parametrize(
    ("environment", "title", "sentence"),
    [
        ("", "shop/web", "vm.yaml: spec.x: is odd"),
        ("lab", "shop/web (in lab)", "vm.yaml: spec.x: is odd (in lab)"),
    ],
)
def test_a_vm_in_an_environment_says_so(environment: str, title: str, sentence: str) -> None:
    vm = VM.located_in(environment)
    assert (vm.name, vm.title, vm.environment) == ("shop/web", title, environment)
    assert str(vm.problem("spec.x", "is odd")) == sentence
    assert (vm is VM) is (not environment)


def test_what_nobody_says() -> None:
    assert Expansion("admitted") == ("admitted", None, (), False)
    assert Remark(Problem()).about is None
    assert Form(print)[1:] == (False, None, False)
