"""Globs of paths: those of ApplicationSets' folders, in which a star ends at a slash, and those of files."""

from __future__ import annotations

import pytest

from virtcatalog.repositories.globs import Globs


@pytest.mark.parametrize(
    ("glob", "path", "of_folder", "of_file"),
    [
        ("vms", "vms", True, True),
        ("vms", "vms/web", False, False),
        ("*", "vms", True, True),
        ("*", "vms/web", False, True),
        ("vms/*", "vms/web", True, True),
        ("vms/*", "vms", False, False),
        ("vms/*", "vms/web/more", False, True),
        ("vms/*/a.yaml", "vms/web/a.yaml", True, True),
        ("vms/**", "vms/web/more", True, True),
        ("vms/**/a.yaml", "vms/web/more/a.yaml", True, True),
        ("vms/***", "vms/web/more", True, True),
        ("vm?", "vms", True, True),
        ("vm?", "vm", False, False),
        ("a?b", "a/b", False, True),
        ("[ab]", "b", True, True),
        ("[ab]", "c", False, False),
        ("[!ab]", "c", True, True),
        ("[^ab]", "a", False, False),
        ("[a-c]x", "bx", True, True),
        ("[ab", "[ab", True, True),
        ("{lab,prod}/vms", "prod/vms", True, True),
        ("{lab,prod}/vms", "test/vms", False, False),
        ("{a{1,2},b}", "a2", True, True),
        ("{a", "{a", True, True),
        ("a,b", "a,b", True, True),
        ("a}", "a}", True, True),
        ("a.b", "axb", False, False),
        ("a.b+(c)|d$^\\", "a.b+(c)|d$^\\", True, True),
    ],
)
def test_what_a_glob_matches(glob: str, path: str, of_folder: bool, of_file: bool) -> None:
    assert Globs().glob(glob, within=True)(path) == of_folder
    assert Globs().glob(glob, within=False)(path) == of_file
