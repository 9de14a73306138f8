"""The public names, and what importing them costs."""

from __future__ import annotations

import subprocess
import sys

import pytest

import virtcatalog


@pytest.mark.parametrize("name", virtcatalog.__all__)
def test_public_names_exist(name: str) -> None:
    assert getattr(virtcatalog, name) is not None
    assert name in dir(virtcatalog)


def test_expand_stays_a_function_once_its_module_is_imported() -> None:
    from virtcatalog.kubevirt import pipeline

    assert virtcatalog.expand is pipeline.expand


def test_other_names_do_not() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'expnd'"):
        virtcatalog.expnd  # noqa: B018


def test_importing_virtcatalog_imports_next_to_nothing() -> None:
    code = "import sys; before = set(sys.modules); import virtcatalog; print(*sorted(set(sys.modules) - before))"
    result = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert result.stdout.split() == ["__future__", "virtcatalog", "virtcatalog._version"]
