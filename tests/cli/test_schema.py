"""`virtcatalog schema --output-dir` and `--check`: a folder of schemas that is fresh or says what is not."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from virtcatalog.cli import main


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["schema", *arguments])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    assert run("--output-dir", "schemas").exit_code == 0
    return tmp_path / "schemas"


def test_schemas_are_fresh_or_missing_stale_or_no_longer_written(folder: Path) -> None:
    fresh = run("--check")
    assert (fresh.exit_code, fresh.stdout, fresh.stderr) == (0, "", "schemas are fresh\n")
    (folder / "catalog/old.json").write_text((folder / "catalog/prices.json").read_text())
    (folder / "catalog/other.json").write_text("{}")
    (folder / "catalog/prices.json").unlink()
    (folder / "virtcatalog.json").write_text("{}")
    stale = run("--check", "--output-dir", "schemas")
    assert stale.exit_code == 1
    assert stale.stderr.splitlines() == [
        "schemas/catalog/prices.json: missing",
        "schemas/virtcatalog.json: stale",
        "schemas/catalog/old.json: no longer written",
        f"3 of {len([*folder.rglob('*.json')]) - 1} schemas differ",
    ]
    assert run("--output-dir", "schemas").exit_code == 0
    assert run("--check").exit_code == 0
    assert (folder / "catalog/other.json").read_text() == "{}"
    assert not (folder / "catalog/old.json").exists()


@pytest.mark.parametrize("link", ["catalog", "catalog/prices.json"])
def test_nothing_is_read_or_written_through_a_link(folder: Path, link: str) -> None:
    (folder / link).rename(folder.parent / "elsewhere")
    (folder / link).symlink_to(folder.parent / "elsewhere")
    result = run("--check")
    assert result.exit_code == 2
    first = "schemas/catalog/catalog.json" if link == "catalog" else "schemas/catalog/prices.json"
    assert result.stderr == (
        f"error: {first}: is a symbolic link, or below one: schemas are not written through links\n"
    )
