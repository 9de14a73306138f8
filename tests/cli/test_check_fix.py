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


def test_what_is_shared_by_an_anchor_is_changed_where_it_stands(folder):
    text = VM.replace("requests:\n", "requests: &all # both\n").replace("cpu: 2 ", "cpu: &two 2 ")
    text = text.replace("        devices:", "          limits: {<<: *all, cpu: *two}\n        devices:")
    (folder / "vm.yaml").write_text(text)
    assert "vm.yaml: 10 fields written as stored" in run("-f", ".", "--fix").stderr
    assert "requests: &all # both\n" in (folder / "vm.yaml").read_text()
    assert 'cpu: &two "2"   # two\n            memory: 512Mi\n' in (folder / "vm.yaml").read_text()
    assert run("-f", ".").stderr == "no findings in 1 VM\n"


def test_what_is_shared_by_an_anchor_and_stored_in_two_ways_is_not_changed(folder):
    text = VM.replace("cpu: 2   # two", "cpu: &two 2").replace(
        "        devices:", "        cpu: {cores: *two}\n        devices:"
    )
    (folder / "vm.yaml").write_text(text)
    assert "vm.yaml: cannot be rewritten in its own text: " in run("-f", ".", "--fix").stderr
    assert (folder / "vm.yaml").read_text() == text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("requests: {cpu:  2 }\r\n", 'requests: {cpu:  "2" }\r\n'),
        (
            "requests:\n            cpu: # two\n              2\n",
            'requests:\n            cpu: # two\n              "2"\n',
        ),
        ('requests: {"memory":"1024Mi"}\n', 'requests: {"memory":"1Gi"}\n'),
        ("requests: {memory: '1024Mi'}\n", "requests: {memory: '1Gi'}\n"),
        ("requests: {memory: !!str &m 1024Mi}\n", "requests: {memory: !!str &m 1Gi}\n"),
        ("requests:\n            cpu: >-\n              2000m\n", 'requests:\n            cpu: "2"\n'),
    ],
)
def test_a_value_stands_where_and_as_the_old_one_stood(folder, old, new):
    before, after = VM.split("requests:")[0], "".join(VM.partition("        devices:")[1:])
    fixed_before, fixed_after = FIXED.split("requests:")[0], "".join(FIXED.partition("        devices:")[1:])
    (folder / "vm.yaml").write_bytes(f"\ufeff{before}{old}{after}".encode())
    run("-f", ".", "--fix")
    assert (folder / "vm.yaml").read_bytes() == f"\ufeff{fixed_before}{new}{fixed_after}".encode()


def test_an_object_with_a_fault_stays(folder):
    text = VM.replace("runStrategy:", "runStrategi:")
    (folder / "vm.yaml").write_text(f"{text}---\n{VM}")
    assert "vm.yaml:8:3: VirtualMachine/web: spec.runStrategi: unknown field" in run("-f", ".", "--fix").stdout
    assert (folder / "vm.yaml").read_text() == f"{text}---\n{FIXED}"


def test_a_field_of_a_later_release_stays(folder):
    later = "      hostname: web\n      utilityVolumes: [{name: tools, claimName: tools, type: memoryDump}]\n"
    (folder / "vm.yaml").write_text(VM.replace("      nodeSelector: {}\n", later))
    run("-f", ".", "--fix", "--kubevirt", "v1.7.4")
    assert "utilityVolumes" in (folder / "vm.yaml").read_text()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('tolerations: [{key: ""}, {operator: Exists}]', "tolerations: [{}, {operator: Exists}]"),
        (
            'tolerations:\n      - key: ""  # any\n        value: ""\n      - operator: Exists',
            "tolerations:\n      - {}\n      - operator: Exists",
        ),
    ],
)
def test_an_item_of_which_nothing_is_stored_is_an_empty_map(folder, old, new):
    (folder / "vm.yaml").write_text(VM.replace("nodeSelector: {}", old))
    assert "written as stored" in run("-f", ".", "--fix").stderr
    assert (folder / "vm.yaml").read_text() == FIXED.replace("      domain:", f"      {new}\n      domain:", 1)


def test_json_keeps_its_spaces(folder):
    (folder / "vm.json").write_text(
        '{"apiVersion":"kubevirt.io/v1","kind":"VirtualMachine","metadata":{"name":"a","labels":{}},\n'
        '"spec":{"runStrategy":"Halted","template":{"metadata":{"creationTimestamp":null},"spec":{"domain":\n'
        '{"resources":{"requests":{"cpu":2,"memory" : "1024Mi"}},"devices":{}}}}}}'
    )
    run("-f", ".", "--fix")
    assert (folder / "vm.json").read_text() == (
        '{"apiVersion":"kubevirt.io/v1","kind":"VirtualMachine","metadata":{"name":"a"},\n'
        '"spec":{"runStrategy":"Halted","template":{"metadata":{},"spec":{"domain":\n'
        '{"resources":{"requests":{"cpu":"2","memory" : "1Gi"}},"devices":{}}}}}}'
    )


def test_standard_input_is_no_file():
    assert "--fix changes files, and -f - is none" in run("-f", "-", "--fix", stdin="").stderr


def test_a_folder_that_is_not_there_has_nothing_to_fix(folder):
    done = run("-f", "missing/vm.yaml", "--fix")
    assert done.exit_code == 2
    assert done.stderr == "error: missing/vm.yaml: there is no such file or folder\n"
