"""Sources of Applications that are not rendered: what holds VMs there is known by all that it is made of."""

from __future__ import annotations

import json
from typing import Any

import pytest
from repository_cases import manifest

from virtcatalog.manifests.folder import held
from virtcatalog.repositories.find import find

JSONNET = 'local lib = import "lib.libsonnet";\n{apiVersion: "kubevirt.io/v1", kind: "VirtualMachine"} + lib\n'
PLUGIN = {"plugin": {"name": "avp", "env": [{"name": "CORES", "value": "2"}]}}
RECURSIVE = {"directory": {"recurse": True}}
BESIDE = {"other/notes.txt": "a", "vms/web.yaml": manifest("vm web"), "vms/more/notes.txt": "a"}
BY_PLUGIN, EVALUATED = ["vms is rendered by a plugin"], ["vms/a.jsonnet, which Argo CD evaluates"]
Data = dict[str, Any]


def opaque(source: Data, files: dict[str, str], path: str = "vms") -> tuple[list[str], list[bytes]]:
    """What is said of a source, and the digests of what it holds."""
    application = {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": "web", "namespace": "argocd"},
        "spec": {"source": {"repoURL": "https://example.org/fleet.git", "path": path, **source}},
    }
    texts = {"app.json": json.dumps(application), **files}
    found = find(held({path: text.encode() for path, text in texts.items()}), "repo")
    assert [str(opaque.problem) for opaque in found.all_opaque] in ([], list(map(str, found.all_unrendered)))
    said = [problem.message.removeprefix("is not rendered: ") for problem in found.all_unrendered]
    return said, [opaque.digest for opaque in found.all_opaque]


@pytest.mark.parametrize(
    ("source", "files", "path", "said", "is_opaque"),
    [
        (PLUGIN, BESIDE, "vms", BY_PLUGIN, True),
        (PLUGIN, {"web.yaml": manifest("vm web")}, ".", [". is rendered by a plugin"], True),
        (PLUGIN, {"vms/a.yaml": "a: b\n", "other.yaml": manifest("vm web")}, "vms", BY_PLUGIN, False),
        ({}, {"vms/a.jsonnet": JSONNET}, "vms", EVALUATED, True),
        ({}, {"vms/a.jsonnet": "{}", "lib.libsonnet": JSONNET}, "vms", EVALUATED, True),
        ({}, {"vms/a.jsonnet": "{}"}, "vms", EVALUATED, False),
        ({}, {"vms/a.yaml": "a: b\n", "vms/more/a.jsonnet": JSONNET, "b.jsonnet": JSONNET}, "vms", [], False),
        (RECURSIVE, {"vms/more/a.jsonnet": JSONNET}, "vms", ["vms/more/a.jsonnet, which Argo CD evaluates"], True),
        (RECURSIVE, {"a.jsonnet": JSONNET, "vms/a.yaml": "a: b\n"}, "vms", [], False),
        (
            {}, {f"vms/{name}.jsonnet": JSONNET for name in "abcd"}, "vms",
            ["vms/a.jsonnet, vms/b.jsonnet, vms/c.jsonnet and 1 more, which Argo CD evaluates"], True,
        ),
    ],
)  # fmt: skip
def test_what_argo_cd_renders_otherwise_is_said(
    source: Data, files: dict[str, str], path: str, said: list[str], is_opaque: bool
) -> None:
    texts, digests = opaque(source, files, path)
    assert texts == said
    assert bool(digests) == is_opaque


@pytest.mark.parametrize(
    ("source", "files", "changed", "is_another"),
    [
        (PLUGIN, BESIDE, {"vms/more/notes.txt": "b"}, True),
        (PLUGIN, BESIDE, {"vms/new.txt": "b"}, True),
        (PLUGIN, BESIDE, {"other/notes.txt": "b"}, False),
        (PLUGIN, BESIDE, {"vms/web.yaml": manifest("vm web cores=4")}, False),  # its own verdict says so
        ({}, {"vms/a.jsonnet": JSONNET, "lib.libsonnet": "{}"}, {"lib.libsonnet": "{a: 1}"}, True),
        ({}, {"vms/a.jsonnet": JSONNET}, {"vms/a.jsonnet": f"{JSONNET}\n"}, True),
        ({}, {"vms/a.jsonnet": JSONNET}, {"vms/b.jsonnet": "{}"}, True),
        ({}, {"vms/a.jsonnet": JSONNET, "other/b.jsonnet": "{}"}, {"other/b.jsonnet": JSONNET}, False),
    ],
)
def test_it_is_another_one_once_what_it_is_made_of_is(
    source: Data, files: dict[str, str], changed: dict[str, str], is_another: bool
) -> None:
    before, after = opaque(source, files)[1], opaque(source, files | changed)[1]
    assert before
    assert (before != after) == is_another


def test_a_plugin_with_other_options_makes_others() -> None:
    other = {"plugin": {"name": "avp", "env": [{"name": "CORES", "value": "4"}]}}
    assert opaque(PLUGIN, BESIDE)[1] != opaque(other, BESIDE)[1]
