"""What rules are given and return are values: nobody changes them, and their like fields are told apart by name."""

import importlib
import pkgutil

import msgspec
import pytest

from virtcatalog import kubevirt
from virtcatalog.kubevirt import hosts
from virtcatalog.kubevirt.conditions import Conditions
from virtcatalog.kubevirt.launcher import architecture, efi
from virtcatalog.kubevirt.launcher.domain import Domain
from virtcatalog.kubevirt.launcher.elements.disksource import DiskSource
from virtcatalog.kubevirt.launcher.elements.vcpu import CPUTopology
from virtcatalog.kubevirt.launcher.pci import ExpanderBus
from virtcatalog.kubevirt.launcher.pinning import Pinning, _Wanted


def structs():
    for info in pkgutil.walk_packages(kubevirt.__path__, f"{kubevirt.__name__}."):
        module = importlib.import_module(info.name)
        for value in vars(module).values():
            if isinstance(value, type) and issubclass(value, msgspec.Struct) and value.__module__ == info.name:
                yield value


STRUCTS = list(structs())


def test_nobody_changes_a_value():
    """A domain being made is none."""
    assert {struct for struct in STRUCTS if not struct.__struct_config__.frozen} == {Domain, ExpanderBus}


@pytest.mark.parametrize(
    "kind",
    [architecture.Architecture, efi.EFI, DiskSource, _Wanted, Conditions],
    ids=lambda kind: kind.__name__,
)
def test_fields_that_are_alike_are_given_by_name(kind):
    with pytest.raises(TypeError, match="Extra positional arguments"):
        kind("x")


def test_values_that_are_remembered_by_keep_their_hash():
    """They are large, and looked up with each machine."""
    assert {struct for struct in STRUCTS if struct.__struct_config__.cache_hash} == {
        hosts.HostTopology, CPUTopology, architecture.Architecture, Pinning,
    }  # fmt: skip
