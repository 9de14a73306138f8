"""`virtcatalog check --fix`: files hold what a cluster stores, and every other byte as it was."""

import pytest
from click.testing import CliRunner

from virtcatalog.cli import main

VM = """\
# The web server.
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata:
  name: web   # its name
  labels: {}
spec:
  runStrategy: Always
  template:
    metadata:
      creationTimestamp: null
    spec:
      nodeSelector: {}
      domain:
        machine: {type: ""}   # the default
        resources:
          requests:
            cpu: 2   # two
            memory: 0.5Gi
        devices:
          gpus: []
          disks:
          - name: root
            disk: {bus: virtio, readonly: false}
      volumes: [{name: root, containerDisk: {image: "example.org/a:1"}}]
"""
FIXED = """\
# The web server.
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata:
  name: web   # its name
spec:
  runStrategy: Always
  template:
    metadata: {}
    spec:
      domain:
        machine: {}   # the default
        resources:
          requests:
            cpu: "2"   # two
            memory: 512Mi
        devices:
          disks:
          - name: root
            disk: {bus: virtio}
      volumes: [{name: root, containerDisk: {image: "example.org/a:1"}}]
"""


def run(*arguments, stdin=None):
    return CliRunner().invoke(main, ["check", *arguments], input=stdin)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_file_is_written_as_it_is_stored(folder):
    (folder / "vm.yaml").write_text(VM)
    before = run("-f", ".")
    after = run("-f", ".", "--fix")
    assert before.stdout.count("[warning: out-of-sync]") == 7
    assert (folder / "vm.yaml").read_text() == FIXED
    assert "vm.yaml: 8 fields written as stored" in after.stderr
    assert after.exit_code == 0
    assert run("-f", ".", "--fix").stderr == "no findings in 1 VM\n"


def test_patches_of_kustomizations_stay(folder):
    (folder / "base").mkdir()
    (folder / "base/vm.yaml").write_text(VM)
    (folder / "base/patch.yaml").write_text(VM)
    (folder / "base/kustomization.yaml").write_text("resources: [vm.yaml]\npatches: [{path: patch.yaml}]\n")
    run("-f", ".", "--fix")
    assert (folder / "base/patch.yaml").read_text() == VM
    assert (folder / "base/vm.yaml").read_text() == FIXED


def test_what_is_shared_by_an_anchor_is_not_changed(folder):
    text = VM.replace("cpu: 2   # two", "cpu: &two 2").replace("memory: 0.5Gi", "memory: *two")
    (folder / "vm.yaml").write_text(text)
    assert "vm.yaml: cannot be rewritten in its own text: " in run("-f", ".", "--fix").stderr
    assert (folder / "vm.yaml").read_text() == text


def test_standard_input_is_no_file():
    assert "--fix changes files, and -f - is none" in run("-f", "-", "--fix", stdin="").stderr
