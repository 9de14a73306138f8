"""The README tells the truth: its commands give the output that it shows."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from virtcatalog.cli import main

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text()
CONSOLE = re.compile(
    r"```console\n\$ virtcatalog (?P<command>[^\n]+)\n```\n.*?```(?:xml|text)\n(?P<output>.*?)```", re.DOTALL
)
EXAMPLES = [(match["command"], match["output"]) for match in CONSOLE.finditer(README)]


@pytest.mark.parametrize(("command", "output"), EXAMPLES, ids=[command for command, _ in EXAMPLES])
def test_a_command_gives_the_output_that_is_shown(command, output, monkeypatch):
    monkeypatch.chdir(ROOT)
    assert CliRunner().invoke(main, shlex.split(command)).output == output


def test_the_examples_are_found():
    assert [command.split()[0] for command, _ in EXAMPLES] == ["expand", "expand"]


def test_the_class_shown_is_the_one_in_the_catalog():
    shown = re.search(r"```yaml\n# catalog/instancetypes/m\.yaml\n(.*?)```", README, re.DOTALL)
    modeline, _, declared = (ROOT / "catalog/instancetypes/m.yaml").read_text().partition("\n")
    assert modeline.startswith("# yaml-language-server:")
    assert shown[1] == declared


def test_every_link_leads_somewhere():
    links = [link for link in re.findall(r"\]\(([^)]+)\)", README) if "://" not in link]
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []
