"""What a stranger can commit: a folder that git takes for a bare repository, with settings that are commands."""

from __future__ import annotations

from pathlib import Path

#: A commit that is in no repository: git asks a promisor remote for it, which is a command.
NOWHERE = "1" * 40

_COMMANDS = """\
[core]
	repositoryformatversion = 1
	bare = {bare}
	fsmonitor = {run} fsmonitor
	sshCommand = {run} sshCommand
	pager = {run} pager
	editor = {run} editor
	askPass = {run} askPass
	alternateRefsCommand = {run} alternateRefsCommand
	hooksPath = {hooks}
[extensions]
	partialClone = evil
[remote "evil"]
	url = {folder}
	promisor = true
	uploadpack = {run} uploadpack
[remote "origin"]
	url = ext::{run} origin
	promisor = true
	uploadpack = {run} uploadpack
[credential]
	helper = !{run} credential
[diff]
	external = {run} diff
[diff "evil"]
	textconv = {run} textconv
	command = {run} diff-command
[filter "evil"]
	clean = {run} clean
	smudge = {run} smudge
	process = {run} process
	required = true
[gpg]
	program = {run} gpg
[log]
	showSignature = true
[protocol]
	allow = always
[include]
	path = included
[submodule]
	recurse = true
"""
_ALIASED = ("rev-parse", "diff-tree", "ls-tree", "cat-file", "rev-list", "for-each-ref", "fetch", "config", "version")
_HOOKS = ("post-index-change", "reference-transaction", "pre-auto-gc", "post-checkout", "fsmonitor-watchman")


def make_hostile(folder: Path, marker: Path, *, bare: bool = True) -> None:
    """Write such settings into a folder that has no others, and what git needs to take it for a repository."""
    folder.mkdir(exist_ok=True)
    run = folder / "run"
    run.write_text(f"#!/bin/sh\necho \"$@\" >> '{marker}'\nexit 1\n")
    run.chmod(0o755)
    hooks = folder / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in _HOOKS:
        (hooks / name).write_text(run.read_text())
        (hooks / name).chmod(0o755)
    for name in ("objects", "refs"):
        (folder / name).mkdir(exist_ok=True)
        (folder / name / "keep").touch()
    if bare:
        (folder / "HEAD").write_text(f"{NOWHERE}\n")
        (folder / "refs/heads").mkdir(exist_ok=True)
        (folder / "refs/heads/main").write_text(f"{NOWHERE}\n")
    values = {"run": run, "hooks": hooks, "folder": folder, "bare": str(bare).lower()}
    (folder / "config").write_text(_COMMANDS.format(**values))
    (folder / "included").write_text("[alias]\n" + "".join(f"\t{name} = !{run} {name}\n" for name in _ALIASED))
    (folder / "info").mkdir(exist_ok=True)
    (folder / "info/attributes").write_text("* diff=evil filter=evil\n")
