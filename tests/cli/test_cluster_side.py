"""A cluster as a source of manifests: which one is named, what is told of it, and its text."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import pytest
from click.testing import CliRunner

from virtcatalog.cli import cluster


@pytest.mark.parametrize(
    ("live", "context", "kubeconfig", "message"),
    [
        (("a",), "lab", None, "the cluster is read from a dump (--live) or from its API (--context): name one"),
        (("a",), None, "config", "the cluster is read from a dump (--live) or from its API (--context): name one"),
        ((), None, None, "name the cluster: --context NAME, or a dump of it by --live DUMP"),
    ],
)
def test_a_cluster_is_named_once(
    live: tuple[str, ...], context: str | None, kubeconfig: str | None, message: str
) -> None:
    with pytest.raises(click.UsageError) as caught:
        cluster.snapshot(live, context, kubeconfig)
    assert caught.value.message == message


@pytest.mark.parametrize(
    ("manifests", "text"),
    [
        ([], '{"apiVersion":"v1","kind":"List","items":[\n\n]}\n'),
        (
            [{"b": 1, "a": "ü"}, {"x": "##[group]"}],
            '{"apiVersion":"v1","kind":"List","items":[\n{"a":"\\u00fc","b":1},\n{"x":"\\u0023#[group]"}\n]}\n',
        ),
    ],
)
def test_a_dump_has_a_line_for_each_object(manifests: list[dict[str, Any]], text: str) -> None:
    assert "".join(cluster.lines(manifests)) == text
    assert json.loads(text)["items"] == manifests


@pytest.mark.parametrize(("label", "name"), [("lab/eu 1", "lab-eu-1.json"), ("", "cluster.json")])
def test_a_cluster_is_read_into_a_file_as_long_as_the_command_runs(
    monkeypatch: pytest.MonkeyPatch, label: str, name: str
) -> None:
    objects = [{"metadata": {"name": object_name}} for object_name in ("web", "revision-start-vm-11-2")]
    read = SimpleNamespace(label=label, gaps=["nodes: no right", "claims: no right"], manifests=lambda: iter(objects))
    calls: list[Any] = []

    def reading(*arguments: Any, **options: Any) -> Any:
        calls.append((arguments, options))
        return read

    monkeypatch.setattr(cluster, "read", reading)
    files: list[Path] = []

    @click.command()
    def command() -> None:
        file = Path(cluster.dumped("lab", "config"))
        files.append(file)
        assert json.loads(file.read_text())["items"] == objects[:1]

    result = CliRunner().invoke(command, catch_exceptions=False)
    assert result.stderr == (
        f"warning: not read of {label}: claims: no right\nwarning: not read of {label}: nodes: no right\n"
    )
    assert calls == [(("lab", "config"), {"surroundings": True})]
    assert (files[0].name, files[0].exists()) == (name, False)
    assert files[0].parent.name.startswith("virtcatalog-")
