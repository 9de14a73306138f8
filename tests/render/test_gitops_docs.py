"""docs/gitops.md tells the truth: its commands give the output that it shows, its annotations are the ones rendered."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

import otheryaml
from virtcatalog.catalog.labels import FLUX_SUBSTITUTE, gitops_annotations
from virtcatalog.cli import main

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs/gitops.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```console\n\$ virtcatalog ([^\n]+)\n(.*?)```", TEXT, re.DOTALL)


def test_the_examples_are_found():
    assert [command.split()[:2] for command, _ in EXAMPLES] == [["gitops", "argocd"]] * 2 + [["gitops", "flux"]]


@pytest.mark.parametrize(("command", "output"), EXAMPLES, ids=[command for command, _ in EXAMPLES])
def test_a_command_gives_the_output_that_is_shown(command, output, monkeypatch):
    monkeypatch.chdir(ROOT)
    result = CliRunner().invoke(main, shlex.split(command))
    assert result.stdout == output
    assert re.fullmatch(r"note: in [^\n]+ an object that is no longer rendered is deleted, [^\n]+\n", result.stderr)


def test_every_annotation_is_described():
    declared = otheryaml.load(re.search(r"```yaml\n# catalog.yaml\n(.*?)```", TEXT, re.DOTALL)[1])["gitops"]
    described = dict(re.findall(r"^\| `[^`]+` \| `([^:`]+): \"?([^`\"]+)\"?` \|", TEXT, re.MULTILINE))
    assert described == gitops_annotations(declared) | {FLUX_SUBSTITUTE: "disabled"}
