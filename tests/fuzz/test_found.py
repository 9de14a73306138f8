"""Inputs that fuzzing found, which once ended in a traceback or took long; and that the targets run."""

import importlib
import json
import random
from contextlib import suppress
from pathlib import Path

import pytest

from sampling import sample
from virtcatalog.errors import ManifestError
from virtcatalog.manifests.dump import read_dump
from virtcatalog.manifests.read import read_apart
from virtcatalog.manifests.spool import Spool
from virtcatalog.manifests.stream import Stream

NAMES = (
    "catalogs",
    "conversions",
    "imports",
    "expressions",
    "quantities",
    "yaml",
    "vms",
    "clusters",
    "dumps",
    "hosts",
    "cli",
    "kustomizations",
    "capacities",
    "machines",
    "names",
    "settings",
    "differences",
    "escapings",
    "repositories",
    "documents",
    "chart_values",
    "artifacts",
)


@pytest.fixture
def targets(monkeypatch):
    monkeypatch.syspath_prepend(Path(__file__).parent)
    return {name: importlib.import_module("run").find(name) for name in NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_some_inputs_of_each_target(targets, name):
    maker = random.Random(name)
    for _ in sample(range(20), 4):
        targets[name](maker.randbytes(maker.randrange(300)))


@pytest.mark.parametrize("kind", ["9" * 300, "../../x", "\x00", "\ud800", "Ⅸ"])
@pytest.mark.parametrize("version", ["v1", "a/b/c", "../../x/v1", "x" * 300 + "/v1"])
def test_kinds_and_versions_that_are_no_file_names(kind, version):
    content = json.dumps({"apiVersion": version, "kind": kind, "metadata": {"name": "x"}}).encode()
    manifests, problems = read_apart(content, "f")
    assert manifests or problems
    with suppress(ManifestError):
        assert all(isinstance(manifest, dict) for manifest in read_dump(Stream(Spool().copy(content), "f")))


@pytest.mark.parametrize(
    ("metadata", "problem"),
    [
        ("abc", "metadata: must be a map, not "),
        ({"name": [1]}, "metadata.name: must be a string, not "),
        ({"name": "x", "namespace": {}}, "metadata.namespace: must be a string, not "),
    ],
)
def test_objects_of_unknown_kinds_have_names_that_are_texts(metadata, problem):
    content = json.dumps({"apiVersion": "example.org/v1", "kind": "VirtualMachine", "metadata": metadata}).encode()
    (manifest,), _ = read_apart(content, "f")
    (reported,) = manifest.problems
    assert problem in str(reported)


def test_a_run_tells_what_it_did_and_fails_for_what_it_found(tmp_path, monkeypatch, capsys):
    monkeypatch.syspath_prepend(Path(__file__).parent)
    run = importlib.import_module("run")
    monkeypatch.setattr(run, "FOUND", tmp_path / "found")
    monkeypatch.setattr(run, "megabytes", lambda: 40)  # the tests before this one may have filled more

    def broken(data):
        if data:
            raise KeyError(data)

    watched = run.Watched("broken", broken)
    run.by_random(watched, 5, 10, seed=1)
    assert "KeyError at " in capsys.readouterr().out
    assert "broken: 10 inputs in 0 s" in watched.report(0)
    assert watched.report(0).endswith("1 found")
    assert len(list((tmp_path / "found").iterdir())) == 1
