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
gitops argocd --repo-url https://git.example.com/a.git -f vms -e lab
gitops argocd -f vms --path output/overlays/lab
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
adopt -f vm.yaml -i --context lab
capacity --nodes nodes.yaml -c kubevirt.yaml
capacity --nodes nodes.yaml -c types.yaml -e lab
check --pairs -o sarif
compare 'u1.*' -c common-instancetypes
compare std.medium linux.any
create instancetype -c catalog --name m.x --cpu 2 --memory 0
create instancetype -c empty --name m.x --cpu 2 --memory 4Gi
create instancetype --cpu 0 --memory 4Gi
create instancetype --cpu 2 --memory 4Gi --gpu name:a
create instancetype --cpu 2 --memory 4Gi --iothreadspolicy many
create instancetype --cpu -1 --memory 4Gi
create instancetype --cpu 4294967296 --memory 4Gi
create preference --cpu-topology socket
create preference --cpu-topology x
create vm --access-cred type:ssh
create vm --access-cred src:a
create vm --access-cred src:a,type:key
create vm --access-cred src:a,method:mail
create vm --access-cred src:a,method:nocloud,user:b
create vm --access-cred src:a,method:nocloud --cloud-init configdrive
create vm --access-cred src:a,type:password,method:nocloud
create vm --access-cred src:a,type:password,user:b
create vm --cloud-init isolinux
create vm --infer-instancetype
create vm --infer-instancetype --name a --volume-containerdisk src:a
create vm --infer-instancetype --volume-import type:blank,size:1Gi,name:a
create vm --infer-instancetype-from b --volume-pvc src:a
create vm --instancetype kind/a
create vm --instancetype a/b/c
create vm --memory ' 1Gi'
create vm --run-strategy sometimes
create vm --termination-grace-period 9223372036854775808
create vm --volume-blank ''
create vm --volume-import size:1Gi
create vm --volume-import type:http,size:1Gi
create vm --volume-import type:http,url:a
create vm --volume-import type:pvc,src:a
create vm --volume-import type:pvc,src:a/
create vm --volume-import type:registry,size:1Gi
create vm --volume-import type:registry,size:1Gi,url:a,pullmethod:mail
create vm --volume-pvc ''
create vm --volume-pvc a
create vm --volume-pvc name:a
create vm --volume-pvc src:a/b
create vm --volume-pvc src:a,bootorder:0
create vm --volume-pvc src:a,bootorder:4294967296
create vm --volume-pvc src:a,bootorder:x
create vm --volume-pvc src:a,bootorder:1 --volume-pvc src:b,bootorder:1
create vm --volume-pvc src:a --volume-pvc src:a
create vm --volume-pvc src:a,name:A
create vm --volume-pvc src:a,nmae:b
create vm --volume-pvc src:a,x:b
create vm --volume-sysprep src:a,type:disk
create vm --ssh-key 'a"b'
diff --stat -o json
diff --full -o html
diff - -
diff -
diff catalog catalog --config kubevirt.yaml types.yaml
diff catalog empty
drift -f empty --live kubevirt.yaml
expand --pin -o xml
expand --executor dask://scheduler
expand --executor dask://scheduler:8786 -j 2
expand -j 0
expand -f catalog/vms/empty
expand -f catalog/vms/none.yaml
expand -f kubevirt.yaml
expand -f template.yaml
expand -c empty
explain -f vm.yaml --field a --xml b
explain -f vms.yaml --field cpu.cores
explain -f vms.yaml --field cpu.cores --vm c
explain -f running.yaml --field ''
explain -f running.yaml --field .cpu
explain -f running.yaml --field cpu[
explain -f running.yaml --field cpu[]
explain -f running.yaml --field cpu.none
explain -f running.yaml --xml //[
explain -f running.yaml --xml 'a:b(1)'
explain -f running.yaml --xml //none
explain -f running.yaml --xml //devices/*
explain -f vm.yaml --pod requests.memory
gitops argocd --repo-url https://git.example.com/a.git --cluster lab
gitops argocd --repo-url https://git.example.com/a.git --cluster none=lab
gitops argocd --repo-url https://git.example.com/a.git --cluster production=https://10.0.0.1
gitops argocd --repo-url https://git.example.com/a.git --name A
gitops argocd --repo-url https://git.example.com/a.git --path output/overlays/productoin
gitops argocd --repo-url https://git.example.com/a.git --path none
gitops argocd --repo-url https://git.example.com/a.git --tree ../a
gitops argocd --repo-url https://git.example.com/a.git -f catalog/vms --cluster a=b
gitops argocd --repo-url https://git.example.com/a.git -f vm.yaml
gitops flux --repo-url https://git.example.com/a.git -f catalog/vms --path overlays/none
gitops argocd --repo-url https://git.example.com/a.git -c none
hosts none
import libvirt -f vm.yaml --disk vda
import libvirt -f vm.yaml --disk vda=x:y
import libvirt -f vm.yaml --network br0
import libvirt -f vm.yaml --device a
import openstack -f vm.yaml --device a
import vmware -f vm.yaml --namespace A_b
import vmware -f vm.yaml --templates
import vmware -f vm.yaml --forklift a --output-dir b -n c
import vmware -f vm.yaml --forklift a/b --output-dir b -n c --wave vms=0
import vmware -f vm.yaml --forklift a/b --output-dir b -n c --wave disks=x
list --max-price 0.1
list --max-price a
list --max-price=-1
list --min-memory a
list preferences --class std
list environments --min-vcpus 2
list tpyes
man expnad
pull catalog
push oci://registry.example.com/a
push oci://registry.example.com/a:v1 --created tomorrow
push oci://registry.example.com/a:v1 --sign --key cosign.key
release v1.0.0 --accept x
rightsize -f - --metrics usage.csv -i
rightsize -f vm.yaml --metrics usage.csv -c kubevirt.yaml
rightsize -f kubevirt.yaml --metrics usage.csv
schema VirtualMachine --check
schema --output-dir vm.yaml
schema virtualmachin
show broken -o xml -c types.yaml
show 'std.*'
show production -o xml
template process a -f template.yaml
template process a --name b
template process -f template.yaml -p NAME
template process -f template.yaml -p 'a="b=c"d'
template process -f template.yaml -p a=b --params-file c
template convert a -f template.yaml
verify --live kubevirt.yaml --domains none
completion csh
"""


_RUNNING = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: NAME}
spec: {runStrategy: Always, template: {spec: {domain: {cpu: {cores: 2}, memory: {guest: 1Gi}, devices: {}}}}}
"""
FILES = {
    "running.yaml": _RUNNING.replace("NAME", "a"),
    "vms.yaml": f"{_RUNNING.replace('NAME', 'a')}---\n{_RUNNING.replace('NAME', 'b')}",
    "kubevirt.yaml": "apiVersion: kubevirt.io/v1\nkind: KubeVirt\nmetadata: {name: kubevirt}\nspec: {}\n",
    "types.yaml": """\
        apiVersion: instancetype.kubevirt.io/v1beta1
        kind: VirtualMachineClusterInstancetype
        metadata: {name: broken}
        spec: {cpu: {guest: 1, isolateEmulatorThread: true}, memory: {guest: 4Gi}}
        """,
    "template.yaml": """\
        apiVersion: template.kubevirt.io/v1beta1
        kind: VirtualMachineTemplate
        metadata: {name: web}
        spec: {parameters: [{name: NAME, required: true}], virtualMachine: {metadata: {name: a}, spec: {}}}
        """,
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("usage")
    write(root, contents("house", package="virtcatalog==1.0.0"))
    (root / "empty").mkdir()
    (root / "nodes.yaml").write_text("nodes: [{name: a, count: 1, allocatable: {cpu: 4, memory: 8Gi}}]\n")
    (root / "catalog/vms/empty").mkdir()
    (root / "usage.csv").write_text("namespace,name,cpu,memory\ndefault,a,1,1Gi\n")
    write(root, FILES)
    (root / "vm.yaml").write_text("apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {name: a}\nspec: {}\n")
    return root


@pytest.mark.parametrize("line", LINES.splitlines(), ids=LINES.splitlines())
def test_a_wrong_line_is_told_in_words(
    line: str, folder: Path, monkeypatch: pytest.MonkeyPatch, snapshot: SnapshotAssertion
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("KUBECONFIG", str(folder / "none"))
    monkeypatch.delenv("COSIGN_PASSWORD", raising=False)
    result = CliRunner().invoke(main, split(line), prog_name="virtcatalog", env={"COLUMNS": "120"})
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert f"{result.stderr}exit status {result.exit_code}" == snapshot
