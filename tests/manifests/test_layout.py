"""Which files are read as what, by their names; and JSON that is known to be plain."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from virtcatalog.manifests.document import Text
from virtcatalog.manifests.folder import SourceError, held, manifest_files
from virtcatalog.manifests.layout import is_archive, may_hold_manifests
from virtcatalog.manifests.sources import opened


@pytest.mark.parametrize(
    ("path", "is_read"),
    [
        *((f"a/{name}", True) for name in ("x.yaml", "x.yml", "x.json", ".yaml", "kustomization.json")),
        *((f"a/{name}", False) for name in ("x.yaml.j2", "x.YAML", "x.txt", "yaml")),
        *((f"a/{name}", False) for name in ("kustomization.yaml", "kustomization.yml", "Kustomization")),
        ("kustomization.yml", False),
        ("kustomization.yml/x.yml", True),
    ],
)
def test_manifests_are_in_yaml_and_json_but_for_kustomizes_own(path: str, is_read: bool) -> None:
    assert may_hold_manifests(path) == is_read
    assert manifest_files(held({path: b""})).files == ((path,) if is_read and "/." not in path else ())


@pytest.mark.parametrize(
    ("path", "is_folder"),
    [*((f"x{end}", True) for end in (".tar", ".tar.gz", ".tgz", ".zip")), ("x.gz", False), ("tar", False)],
)
def test_archives_are_told_by_their_endings(path: str, is_folder: bool) -> None:
    assert is_archive(path) == is_folder


@pytest.mark.parametrize(
    ("text", "is_plain"),
    [
        ('{"a": [1, 0.5, null, "x"]}', True),
        ('\n {"a": 1}', False),
        ('{"a": "\\u00e4"}', False),
        ('{"a": 1, "a": 2}', False),
        ('{"a": 1}{"b": 2}', False),
        ('{"a": "\x7f"}', False),
        ('{"a": "ä"}', False),
        ('{"a": "ä€"}'.encode(), True),
        ('{"a": "\x80"}'.encode(), False),
        ('{"a": "\x85\xa0"}'.encode(), True),
        ('{"a": "\ufffe"}'.encode(), False),
        ('{"a": "\uffff"}'.encode(), False),
        ('{"a": "\ufffd"}'.encode(), True),
        (b"[1]", False),
        (b"a: 1", False),
    ],
)
def test_json_as_it_is_written_here_is_plain(text: str | bytes, is_plain: bool) -> None:
    source = Text(text)
    list(source.documents())
    assert source.is_plain == is_plain


def test_a_file_that_is_opened_is_regular(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "file").write_text("x")
    for name, message in (
        ("fifo", "is no regular file"),
        (".", "is a folder"),
        ("none", "there is no such file or folder"),
    ):
        with pytest.raises(SourceError) as caught:
            opened(str(tmp_path / name))
        assert caught.value.message == message
    descriptor = opened(str(tmp_path / "file"))
    assert os.read(descriptor, 9) == b"x"
    os.close(descriptor)
