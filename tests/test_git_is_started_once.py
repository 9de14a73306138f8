"""One module starts git, and one starts helm, so that each is started as it says there."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

import otheryaml

ROOT = Path(__file__).parents[1]
STARTS = {
    "git": "generator/virtcatalog/manifests/gitprocess.py",
    "helm": "generator/virtcatalog/repositories/helmprocess.py",
}
#: git as a command of a shell: at its beginning, or after what ends another, or after words that start a program.
IN_SHELL = re.compile(
    r"(?:^|[;&|({`!\n]|\$\(|\b(?:then|do|else|if|while|env|exec|command|sudo|xargs))\s*(?:\S+=\S*\s+)*git\s"
)


def modules():
    return sorted(str(path.relative_to(ROOT)) for top in ("generator", "action") for path in (ROOT / top).rglob("*.py"))


@cache
def first_words(text):
    """The texts that lists, tuples and calls begin with, each with its line."""
    words = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.List | ast.Tuple):
            words += node.elts[:1]
        elif isinstance(node, ast.Call):
            words += node.args[:1]
    return [
        (word.lineno, word.value) for word in words if isinstance(word, ast.Constant) and isinstance(word.value, str)
    ]


def starts(program, text):
    """Whether Python has a word of a command line, or a program to look for, that is this one."""
    for line, word in first_words(text) if program in text else ():
        if re.fullmatch(rf"(?:\S*/)?{program}", word) or re.match(rf"{program} [a-z-]", word):
            yield line, word


@pytest.mark.parametrize("program", STARTS)
def test_one_module_starts_it(program):
    starting = {name for name in modules() for _ in starts(program, (ROOT / name).read_text(encoding="utf-8"))}
    assert starting == {STARTS[program]}


def test_it_is_seen_however_it_is_started():
    for text in (
        "run(['git', 'status'])",
        "Popen(('git', *words))",
        "which('git')",
        "os.system('git status')",
        "command = ['/usr/bin/git', 'status']",
    ):
        assert [*starts("git", text)], text
    assert not [*starts("git", "raise Error('no git')")]


def scripts():
    """What shells run: of the Action, GitLab's template, what `init` writes, and the hooks."""
    for step in otheryaml.load((ROOT / "action/action.yml").read_text())["runs"]["steps"]:
        yield step.get("run", "")
    for job in otheryaml.load((ROOT / "ci-templates/gitlab/virtcatalog.gitlab-ci.yml").read_text()).values():
        if isinstance(job, dict):
            yield from (*job.get("before_script", ()), *job.get("script", ()))
    files = ROOT / "generator/virtcatalog/scaffold/files"
    yield (files / "Makefile").read_text()
    for job in otheryaml.load((files / "dot-github/workflows/catalog.yaml").read_text())["jobs"].values():
        yield from (step.get("run", "") for step in job["steps"])
    for hook in otheryaml.load((ROOT / ".pre-commit-hooks.yaml").read_text()):
        yield hook["entry"]


def test_no_script_starts_it():
    assert [script for script in scripts() if IN_SHELL.search(script)] == []


@pytest.mark.parametrize(
    "script", ["git fetch", "a; git fetch", "if ! git x", "x=$(git x)", "env A=b git x", "A=b git x", "a\n  git x"]
)
def test_it_is_seen_wherever_it_stands(script):
    assert IN_SHELL.search(script)
