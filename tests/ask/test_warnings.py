"""Where a warning stands that is about another object than the VM."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from virtcatalog.ask.warnings import Warnings
from virtcatalog.errors import Problem, Warning
from virtcatalog.fleet.outcome import Located
from virtcatalog.releases import DEFAULT

PREFERENCE = "VirtualMachineClusterPreference"


def located(kind: str, name: str) -> Located:
    manifest = {"kind": kind, "metadata": {"name": name, "namespace": "default"}}
    return Located(manifest, lambda field, message: Problem("x.yaml", 1, 2, f"{kind}/{name}", field, message))


VM = located("VirtualMachine", "db")
ABOUT = Warning(field="spec.a", message="is odd", type="Suspect", object=f"{PREFERENCE}/default/linux")


@pytest.mark.parametrize(
    ("objects", "message"),
    [
        ([], f"{PREFERENCE}/default/linux: spec.a: warning: is odd"),
        (
            [located(PREFERENCE, "linux")],
            "x.yaml:1:2: VirtualMachineClusterPreference/linux: spec.a: warning: is odd",
        ),
    ],
)
def test_it_stands_at_the_object_where_that_is_given(objects: list[Located], message: str) -> None:
    result: Any = SimpleNamespace(warnings=[ABOUT], vm_object=None)
    (remark,) = Warnings(objects, DEFAULT).of(VM, result)
    assert (str(remark.problem), remark.about) == (message, ABOUT)
