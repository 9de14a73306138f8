"""A command run in a folder of its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from expanding import Run

from virtcatalog.cli import main


@pytest.fixture(name="run")
def run_expand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run `virtcatalog expand` in a folder of its own that holds these files."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str, stdin: str | None = None, **files: str) -> Result:
        for name, text in files.items():
            Path(name.replace("_", ".")).write_text(text)
        result = CliRunner().invoke(main, ["expand", *arguments], input=stdin)
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        return result

    return run
