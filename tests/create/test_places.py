"""Where a new type or preference is declared: the file, its section, and the class that its name fits."""

from __future__ import annotations

import pytest

from virtcatalog.catalog.load import load_catalog
from virtcatalog.create.declare import DeclarationError, declare_instancetype, declare_preference
from virtcatalog.manifests.folder import held

SIZES = "memoryPerVcpu: 4Gi\nsizes: {small: {vcpus: 1}}\n"
FILES = {
    "catalog.yaml": "name: house\nkubevirt: v1.7.0\noperator: {commonInstancetypes: disabled}\n",
    "instancetypes/m.yaml": f"class: m\n{SIZES}",
    "instancetypes/m-fast.yaml": f"class: m-fast\nname: 'm.fast.{{{{ size }}}}'\n{SIZES}",
    "instancetypes/b.yaml": f"class: b\nname: 'b-{{{{ size }}}}-x'\n{SIZES}",
    "preferences/linux.yaml": "preferences: {linux.fedora: {}, linux.suse.leap: {}}\n",
    "preferences/suse.yaml": "preferences: {linux.suse.enterprise.server: {}}\n",
}
SPEC = {"cpu": {"guest": 2}, "memory": {"guest": "8Gi"}}


def declared(name: str, *, preference: bool = False) -> str:
    """The file of the declaration and the lines that are new in it."""
    folder = held({path: text.encode() for path, text in FILES.items()})
    how = declare_preference if preference else declare_instancetype
    declaration = how(load_catalog("house", folder), folder, name, {} if preference else SPEC)
    old = declaration.old.splitlines()
    return "\n".join([declaration.file, *(line for line in declaration.new.splitlines() if line not in old)])


@pytest.mark.parametrize(
    "name", ["m.large", "m.fast.large", "b-large-x", "b-x", "b-large", "n.large", "n", "n.fast.large", "m.small.large"]
)
def test_the_place_of_an_instance_type(name: str, snapshot: object) -> None:
    assert declared(name) == snapshot


@pytest.mark.parametrize(
    "name", ["linux.debian", "linux.suse.micro", "linux.suse.enterprise.desktop", "windows.11", "windows", "linux"]
)
def test_the_place_of_a_preference(name: str, snapshot: object) -> None:
    assert declared(name, preference=True) == snapshot


@pytest.mark.parametrize(("name", "preference"), [("m.small", False), ("linux.fedora", True), ("M", False), ("", True)])
def test_names_that_cannot_be(name: str, preference: bool, snapshot: object) -> None:
    from virtcatalog.create.options import FlagError

    with pytest.raises((DeclarationError, FlagError)) as error:
        declared(name, preference=preference)
    assert str(error.value) == snapshot
