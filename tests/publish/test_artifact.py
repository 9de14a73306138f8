"""What of an artifact is the tree of a catalog, and what is said of what is none."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from virtcatalog.oci.reference import OciError, Reference
from virtcatalog.oci.store import Artifact
from virtcatalog.publish.artifact import tree_of
from virtcatalog.render.ownership import with_ownership

TREE = {"README.md": "# a\n", "base/a.yaml": "a: 1\n"}
FILES = {path: text.encode() for path, text in with_ownership(TREE, "house").items()}


def artifact(files: Mapping[str, bytes]) -> Artifact:
    return Artifact(Reference("r.example.com", "a", "v1"), files, {})


def test_a_tree_comes_back_with_the_name_of_its_catalog() -> None:
    assert tree_of(artifact(FILES)) == ("house", TREE)


@pytest.mark.parametrize(
    ("files", "fault"),
    [
        (
            {"README.md": b"# a\n"},
            "is no catalog: it lacks .virtcatalog, which `virtcatalog push` writes",
        ),
        ({**FILES, "bin/sh": b""}, "holds 'bin/sh', which no artifact of a catalog has"),
        ({**FILES, "README.md": b"\xff"}, "README.md: is no UTF-8"),
        ({**FILES, "base/b.yaml": b""}, ".virtcatalog lists other files than there are"),
        (
            {path: content for path, content in FILES.items() if path != "base/a.yaml"},
            ".virtcatalog lists other files than there are",
        ),
    ],
)
def test_an_artifact_that_is_no_catalog(files: Mapping[str, bytes], fault: str) -> None:
    with pytest.raises(OciError) as refused:
        tree_of(artifact(files))
    assert str(refused.value) == f"oci://r.example.com/a:v1: {fault}"
