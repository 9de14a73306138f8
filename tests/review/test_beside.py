"""Files beside a catalog that differ are named where a repository has VMs there."""

from __future__ import annotations

import pytest

from virtcatalog.errors import Problem
from virtcatalog.limits import SOURCE_FILE_BYTES
from virtcatalog.manifests.folder import held
from virtcatalog.review.beside import beside

VM = b"apiVersion: kubevirt.io/v1\nkind: VirtualMachine\n"
OTHER = b"kind: ConfigMap\n"
LARGE = bytes(SOURCE_FILE_BYTES + 1)


@pytest.mark.parametrize(
    ("before", "after", "file", "others"),
    [
        ({"a.yaml": VM}, {"a.yaml": VM + b"#\n"}, "a.yaml", ""),
        ({"a.yaml": VM, "b.yaml": OTHER}, {"a.yaml": VM}, "b.yaml", ""),
        ({"a.yaml": VM}, {"b.yaml": OTHER}, "a.yaml", ", and 1 other file"),
        ({}, {"c.yaml": OTHER, "a.yaml": VM, "b.yaml": OTHER}, "a.yaml", ", and 2 other files"),
        ({"a.yaml": VM, "b.yaml": OTHER}, {"a.yaml": VM, "b.yaml": LARGE}, "b.yaml", ""),
    ],
)
def test_files_that_differ_are_named(before: dict[str, bytes], after: dict[str, bytes], file: str, others: str) -> None:
    message = f"differs{others}, and the catalog alone is compared: VMs beside it are with `--catalog .`"
    assert beside(held(before), held(after), "catalog") == Problem(file, message=message)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"a.yaml": VM}, {"a.yaml": VM}),
        ({"a.yaml": OTHER}, {"a.yaml": LARGE, "b.yaml": b"kubevirt.io", "c.yaml": b"VirtualMachine"}),
        ({"a.yaml": VM, "b.yaml": LARGE}, {"a.yaml": VM, "b.yaml": LARGE + b"\\n"}),
        ({"a.yaml": VM, "notes.txt": OTHER}, {"a.yaml": VM, "notes.txt": VM}),
        ({"a.yaml": VM, "catalog/b.yaml": OTHER}, {"a.yaml": VM, "catalog/b.yaml": VM}),
    ],
)
def test_what_is_the_same_or_of_no_vm_is_not_named(before: dict[str, bytes], after: dict[str, bytes]) -> None:
    assert beside(held(before), held(after), "catalog") is None


def test_output_trees_are_the_catalogs_own_whatever_they_are_called() -> None:
    tree = {"a.yaml": VM, "out/.virtcatalog": b"", "out/b.yaml": VM, "out/deep/er/c.yaml": VM}
    changed = {**tree, "out/b.yaml": OTHER, "out/deep/er/c.yaml": OTHER}
    assert beside(held(tree), held(changed), "catalog") is None
    del changed["out/.virtcatalog"]
    assert beside(held(tree), held(changed), "catalog") is not None
