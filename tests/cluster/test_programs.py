"""What the API server is made of is asked for only where it has to be made."""

from __future__ import annotations

from pathlib import Path

import pytest

from cluster import programs


def test_a_program_that_is_built_needs_no_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    go = tmp_path / "bin" / "go"
    go.parent.mkdir()
    go.write_text('#!/bin/sh\necho built >> "$4"\n')
    go.chmod(0o755)
    for name in ("main.go", "go.mod", "go.sum"):
        (tmp_path / name).write_text(name)
    monkeypatch.setattr(programs, "HERE", tmp_path)
    monkeypatch.setattr(programs, "BUILD", tmp_path / "build")
    monkeypatch.setattr(programs, "PROGRAM", tmp_path / "build" / "cluster")
    monkeypatch.setenv("PATH", f"{go.parent}:/usr/bin:/bin")
    programs.program()
    assert programs.program().read_text() == "built\n"
    monkeypatch.setenv("PATH", str(tmp_path))
    assert programs.missing() == ""
    assert programs.program().read_text() == "built\n"
    (tmp_path / "main.go").write_text("other")
    assert "install Go" in programs.missing()
    with pytest.raises(programs.ClusterError, match="install Go"):
        programs.program()
