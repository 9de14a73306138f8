"""What is said of a command line that asks for what does not go together, or for nothing."""

from __future__ import annotations

from pathlib import Path
from shlex import split

import pytest
from click.testing import CliRunner
from syrupy.assertion import SnapshotAssertion

from checkouts import write
from virtcatalog.cli import main
from virtcatalog.scaffold.content import contents

LINES = """\
adopt
adopt -f vm.yaml
adopt -f vm.yaml -i -o json -c catalog
adopt -f - -i -c catalog
capacity
capacity -f vm.yaml
capacity --nodes nodes.yaml -c empty
check --since HEAD -f -
compare
convert
convert -f nowhere.yaml
create instancetype --cpu 2 --memory 4Gi --dry-run
create instancetype -c catalog --cpu 2 --memory 4Gi
create instancetype -c catalog --name m.x --cpu 2 --memory 4Gi --namespace lab
create preference -c catalog
create preference -c catalog --name linux.x --namespace lab
create vm --instancetype a --memory 1Gi
create vm --volume-import type:nothing
diff a b c
drift
drift --live lab.json --context lab
dump
dump --live lab.json --context lab
expand -f nowhere.yaml
expand -f empty
explain
gitops argocd
gitops flux --repo-url https://git.example.com/a.git --cluster prod
gitops flux --repo-url https://git.example.com/a.git -f vms --cluster prod
gitops flux --repo-url https://git.example.com/a.git --health
gitops argocd --repo-url https://git.example.com/a.git -f vms --cluster a --cluster b
gitops argocd --repo-url https://git.example.com/a.git -f vms -f . --name a
gitops argocd --repo-url https://git.example.com/a.git -f .
gitops flux -f vms
gitops feed
gitops feed --image registry.example.com/virtcatalog:1 --repo-url oci://registry.example.com/a
gitops feed --image registry.example.com/virtcatalog:1 --config-map a --repo-url https://git.example.com/a.git
gitops flux --repo-url oci://registry.example.com/a:v1 --verify-key a --verify-identity b c
gitops argocd --repo-url oci://registry.example.com/a:v1 --verify-key a
impact
impact nothing -c catalog
import libvirt
import libvirt -f empty
import objects
import objects -f empty
import openstack
import vmware
import vmware -f empty
import vmware -f vm.yaml --forklift vsphere
import vmware -f vm.yaml --wave 2
init
init house --repo-url https://git.example.com/a.git
list nothing -c catalog
list -c nowhere
man expand --output-dir pages
pull
pull catalog upstream
pull oci://registry.example.com/a:v1 upstream --base catalog
push
push oci://registry.example.com/a:v1 --key a
push oci://registry.example.com/a:v1 --sign --key a --trust-config b
release
release v1.0
rightsize
rightsize -f vm.yaml
rightsize -f vm.yaml --metrics nowhere.json
schema nothing
schema catalog --output-dir schemas
show
show nothing -c catalog
site --no-git --revision HEAD
template process
template process -f nowhere.yaml
template process --name a
template convert
template convert --name a
verify
verify --live lab.json --context lab
nothing
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("usage")
    write(root, contents("house", package="virtcatalog==1.0.0"))
    (root / "empty").mkdir()
    (root / "nodes.yaml").write_text("nodes: [{name: a, count: 1, allocatable: {cpu: 4, memory: 8Gi}}]\n")
    (root / "vm.yaml").write_text("apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {name: a}\nspec: {}\n")
    return root


@pytest.mark.parametrize("line", LINES.splitlines(), ids=LINES.splitlines())
def test_a_wrong_line_is_told_in_words(
    line: str, folder: Path, monkeypatch: pytest.MonkeyPatch, snapshot: SnapshotAssertion
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("KUBECONFIG", str(folder / "none"))
    result = CliRunner().invoke(main, split(line), prog_name="virtcatalog", env={"COLUMNS": "120"})
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert f"{result.stderr}exit status {result.exit_code}" == snapshot
