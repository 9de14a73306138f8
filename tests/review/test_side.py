"""Sides of a comparison: which of a side's paths a file has."""

import pytest

from virtcatalog.review.side import within


@pytest.mark.parametrize(
    ("file", "label", "path"),
    [
        ("old/vms/web.yaml", "old", "vms/web.yaml"),
        ("./old/web.yaml", "./old/", "./old/web.yaml"),
        ("old.yaml", "old.yaml", ""),
        ("HEAD:vms/web.yaml", "HEAD:vms", "web.yaml"),
        ("HEAD:web.yaml", "HEAD:.", "web.yaml"),
        ("other/web.yaml", "old", "other/web.yaml"),
    ],
)
def test_a_file_has_a_path_within_its_side(file: str, label: str, path: str) -> None:
    assert within(file, label) == path
