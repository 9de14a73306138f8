"""The pages about CI tell the truth: their Makefile runs, the hooks and folders exist."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import otheryaml
from checkouts import git, write
from sampling import thorough
from virtcatalog.scaffold.content import contents

ROOT = Path(__file__).parents[1]
TEXT = "\n".join(page.read_text(encoding="utf-8") for page in sorted((ROOT / "docs").glob("ci*.md")))


def block(language: str, start: str = "") -> str:
    blocks: list[str] = re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)
    (block,) = [text for text in blocks if text.startswith(start)]
    return block


@pytest.mark.skipif(not (shutil.which("make") and shutil.which("git")), reason="needs make and git")
@thorough
def test_the_makefile_for_a_bare_runner_runs(tmp_path, programs):
    write(tmp_path, contents("house"))
    (tmp_path / "Makefile").write_text(block("make"))
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "first"]):
        git(tmp_path, *arguments)
    (tmp_path / ".venv/bin").mkdir(parents=True)
    for program in ("python", "virtcatalog"):
        (tmp_path / ".venv/bin" / program).symlink_to(programs / program)
    (tmp_path / ".venv/.ready").touch()
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("MAKE", "PYTEST"))}
    done = subprocess.run(
        ["make", "ci", "BASE=HEAD"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "nothing changes; no object changes" in (tmp_path / "change.md").read_text()
    assert "<testsuite" in (tmp_path / "findings.xml").read_text()


def test_the_workflow_uses_the_action_that_there_is():
    steps = otheryaml.load(block("yaml", "# .github/"))["jobs"]["catalog"]["steps"]
    _, _, path = steps[-1]["uses"].partition("@")[0].split("/", 2)
    assert (ROOT / path / "action.yml").is_file()


def test_the_included_template_is_there():
    (include,) = otheryaml.load(block("yaml", "# .gitlab-ci"))["include"]
    assert (ROOT / include["file"]).is_file()


def test_every_hook_is_described():
    hooks = [hook["id"] for hook in otheryaml.load((ROOT / ".pre-commit-hooks.yaml").read_text())]
    assert re.findall(r"^\| `(virtcatalog-[a-z]+)` \|", TEXT, re.MULTILINE) == hooks
    (repository,) = otheryaml.load(block("yaml", "# .pre-commit"))["repos"]
    assert {hook["id"] for hook in repository["hooks"]} <= set(hooks)
