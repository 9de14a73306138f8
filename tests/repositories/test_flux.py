"""What a Kustomization of Flux adds to what it deploys: metadata, names, patches and variables."""

from __future__ import annotations

import textwrap

import pytest

from virtcatalog.manifests.folder import held
from virtcatalog.repositories.find import find
from virtcatalog.repositories.model import Environment

VM = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web, labels: {app: web, team: a}}
spec:
  runStrategy: Always
  template:
    spec:
      domain:
        devices: {}
        cpu:
          cores: 1
"""


def deployed(spec: str, vm: str = VM) -> Environment:
    """What a Kustomization with these fields deploys of a folder with one VM."""
    head = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: apps, namespace: flux}\n"
    own = "spec:\n  path: ./apps\n  sourceRef: {kind: GitRepository, name: flux-system}\n"
    text = head + own + textwrap.indent(textwrap.dedent(spec), "  ")
    files = {"apps.yaml": text.encode(), "apps/web.yaml": vm.encode()}
    return next(unit for unit in find(held(files), "x").environments if unit.name == "apps")


def metadata(spec: str) -> object:
    (vm,) = deployed(spec).resources
    return vm.data["metadata"]


def test_common_metadata_wins_over_that_of_the_object():
    assert metadata("commonMetadata: {labels: {team: b, tier: c}, annotations: {d: e}}\n") == {
        "name": "web",
        "labels": {"app": "web", "team": "b", "tier": "c"},
        "annotations": {"d": "e"},
    }
    assert metadata("commonMetadata: {annotations: {d: e}}\n") == {
        "name": "web",
        "labels": {"app": "web", "team": "a"},
        "annotations": {"d": "e"},
    }
    assert metadata("commonMetadata: {}\n") == {"name": "web", "labels": {"app": "web", "team": "a"}}


def test_names_are_put_around_and_the_namespace_is_the_targets():
    spec = "targetNamespace: prod\nnamePrefix: p-\nnameSuffix: -s\n"
    assert metadata(spec) == {"name": "p-web-s", "namespace": "prod", "labels": {"app": "web", "team": "a"}}


def test_a_json_patch_of_the_old_field_is_applied():
    (vm,) = deployed("""\
        patchesJson6902:
        - target: {kind: VirtualMachine, name: web}
          patch: [{op: remove, path: /metadata/labels}]
        """).resources
    assert vm.data["metadata"] == {"name": "web"}


def test_variables_are_filled_in_as_yaml():
    vm = VM.replace("cores: 1", "cores: ${CORES}")
    (filled,) = deployed("postBuild: {substitute: {CORES: 4}}\n", vm).resources
    assert filled.data["spec"]["template"]["spec"]["domain"]["cpu"] == {"cores": 4}


def test_an_object_that_opts_out_keeps_its_variables():
    for key in ("labels", "annotations"):
        vm = f"""\
apiVersion: v1
kind: ConfigMap
metadata: {{name: a, {key}: {{kustomize.toolkit.fluxcd.io/substitute: disabled}}}}
data: {{a: "${{B}}"}}
"""
        (kept,) = deployed("postBuild: {substitute: {B: 4}}\n", vm).resources
        assert kept.data["data"] == {"a": "${B}"}


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("${CORES}", "with the variables filled in: is not YAML: the text ends where a value is wanted"),
        ("${CORES", r"bad substitution: '${CORES\n'"),
    ],
)
def test_an_object_that_is_none_with_its_variables_filled_in_is_a_problem(text, fault):
    unit = deployed("postBuild: {substitute: {CORES: '{'}}\n", VM.replace("cores: 1", f"cores: {text}"))
    assert unit.resources == ()
    assert list(map(str, unit.problems)) == [f"x/apps/web.yaml:1:1: VirtualMachine/web: {fault}"]
