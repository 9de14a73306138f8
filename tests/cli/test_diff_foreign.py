"""Whole runs of `diff` over repositories of others: what is none of ours, what is open, sealed, in values, assumed."""

import json
import textwrap

import pytest
from click.testing import CliRunner
from repository_cases import HELM_RELEASE, LOCAL_CHART, REMOTE_CHART

from checkouts import write
from virtcatalog.cli import main
from virtcatalog.repositories import helmprocess


def vm(name, memory="2Gi", devices="{}"):
    return f"""\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata:
  name: {name}
  namespace: shop
spec:
  runStrategy: Always
  template:
    spec:
      domain:
        memory: {{guest: {memory}}}
        devices: {devices}
"""


TYPED = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: typed, namespace: shop}
spec:
  runStrategy: Always
  instancetype: {name: u1.TYPE}
  preference: {name: fedora}
  template: {spec: {domain: {devices: {}}}}
"""
SEALED = """\
apiVersion: v1
kind: Secret
metadata: {name: cloud-init, namespace: shop}
data: {userData: 'ENC[AES256_GCM,data:x,type:str]'}
sops: {mac: 'ENC[x]', version: 3.9.0}
"""
NONE_OF_OURS = {
    "Taskfile.yaml": "version: '3'\ntasks:\n  default: {cmds: [make]}\n",
    "workflow.yaml": "on: push\njobs:\n  a: {runs-on: x, steps: [{run: 'echo ${{ github.sha }}'}]}\n",
    "package.json": '{"name": "site", "dependencies": {"a": "^1"}}\n',
    "secret.yaml": SEALED,
    "binary.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  a: !!binary |\n    0\n",
    "role.yaml": "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: 'kubevirt.io:view'}\n",
    "ansible.yaml": "- hosts: all\n  tasks: [{name: '{{ name }}'}]\n",
}
RELEASE = f"{HELM_RELEASE}{REMOTE_CHART}  values:\n    extraObjects:\n    - |\n"
LOCAL = f"{HELM_RELEASE}{LOCAL_CHART}  values: {{memory: MEMORY}}\n"
OPEN, STAYS = vm("b", "'${MEMORY}'"), vm("c", "'${MEMORY}'")
HOST_DEVICE = "{hostDevices: [{name: a, deviceName: example.org/a}]}"
SIDES = {
    "none of ours": (
        {**NONE_OF_OURS, "vm.yaml": vm("db")},
        {**NONE_OF_OURS, "vm.yaml": vm("db", "4Gi")},
    ),
    "one broken among others": (
        {"vms.yaml": f"{vm('one')}---\n{vm('two')}---\n{vm('three')}"},
        {"vms.yaml": f"{vm('one', '4Gi')}---\n{vm('two')}    broken\n---\n{vm('three')}"},
    ),
    "values that are not here": (
        {"vms.yaml": f"{vm('${NAME}-a')}---\n{OPEN}---\n{STAYS}"},
        {"vms.yaml": f"{vm('${NAME}-a', '4Gi')}---\n{OPEN.replace('Always', 'Manual')}---\n{STAYS}"},
    ),
    "a template of a vm": (
        {"a.yaml": vm("db"), "t.yaml": vm("db-{{ .Values.x }}\n{{ if .Values.x }}")},
        {"a.yaml": vm("db", "4Gi"), "t.yaml": vm("db-{{ .Values.x }}\n{{ if .Values.x }}")},
    ),
    "a template of a vm that changes": (
        {"t.yaml": vm("db-{{ .Values.x }}\n{{ if .Values.x }}")},
        {"t.yaml": vm("db-{{ .Values.x }}\n{{ if .Values.x }}", "4Gi")},
    ),
    "objects in values": tuple(
        {"release.yaml": RELEASE + textwrap.indent(vm("db", memory), " " * 6)} for memory in ("2Gi", "4Gi")
    ),
    "a chart without helm": tuple(
        {
            "apps/release.yaml": LOCAL.replace("MEMORY", memory),
            "charts/vms/Chart.yaml": "apiVersion: v2\nname: vms\nversion: 1.0.0\n",
            "charts/vms/templates/vm.yaml": vm("db", "'{{ .Values.memory }}'"),
        }
        for memory in ("2Gi", "4Gi")
    ),
    "what the cluster has": (
        {"a.yaml": vm("gpu", devices=HOST_DEVICE), "b.yaml": TYPED.replace("TYPE", "small")},
        {"a.yaml": vm("gpu", "4Gi", HOST_DEVICE), "b.yaml": TYPED.replace("TYPE", "medium")},
    ),
    "a gate that is needed anew": ({"a.yaml": vm("gpu")}, {"a.yaml": vm("gpu", devices=HOST_DEVICE)}),
}


@pytest.fixture(autouse=True)
def _without_helm(monkeypatch):
    """Whether helm is there is the machine's: `tests/repositories/test_helm.py` is about it."""
    monkeypatch.setattr(helmprocess, "find_helm", str)


def diff(tmp_path, monkeypatch, sides, *arguments):
    monkeypatch.chdir(tmp_path)
    for folder, files in zip(("before", "after"), sides, strict=True):
        write(folder, files)
    result = CliRunner().invoke(main, ["diff", "before", "after", *arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.mark.parametrize("name", SIDES)
def test_whole_runs(name, tmp_path, monkeypatch, snapshot):
    result = diff(tmp_path, monkeypatch, SIDES[name])
    assert f"{result.stdout}{result.stderr}exit {result.exit_code}\n" == snapshot


@pytest.mark.parametrize("name", ["values that are not here", "what the cluster has"])
def test_as_markdown(name, tmp_path, monkeypatch, snapshot):
    assert diff(tmp_path, monkeypatch, SIDES[name], "-o", "markdown").stdout == snapshot


def test_as_json(tmp_path, monkeypatch):
    report = json.loads(diff(tmp_path, monkeypatch, SIDES["what the cluster has"], "-o", "json").stdout)
    assert [line.split()[0] for line in report["assumed"]] == ["HostDevices,", "as"]
    answer = json.loads(diff(tmp_path, monkeypatch, SIDES["none of ours"], "-o", "json").stdout)
    assert answer["passedOver"] == {
        "other YAML or JSON document": 4,
        "encrypted object": 1,
        "unreadable document": 1,
    }


def test_what_a_user_names_is_read_strictly(tmp_path, monkeypatch):
    """A file that is named is asked about: what cannot be read of it is an error, and not passed over."""
    monkeypatch.chdir(tmp_path)
    write(".", {"binary.yaml": NONE_OF_OURS["binary.yaml"], "vm.yaml": vm("db")})
    result = CliRunner().invoke(main, ["expand", "-f", "vm.yaml", "-f", "binary.yaml"])
    assert (
        result.exit_code,
        "binary.yaml:5:6: is not base64 of a text, as the tag !!binary says" in result.stderr,
    ) == (2, True)
