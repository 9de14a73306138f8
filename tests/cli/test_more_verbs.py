"""Options and refusals of the commands over the files of test_verbs' repository, without its history, a line each.

`pytest --snapshot-update` writes what has changed; look at that diff as a user would.
"""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import house
import pytest
from click.testing import CliRunner

from checkouts import write
from virtcatalog.cli import main, table

FILES = {
    "openshift.yaml": """\
        apiVersion: template.openshift.io/v1
        kind: Template
        metadata: {name: old}
        parameters: [{name: NAME, value: old}, {name: BUS, value: virtio}]
        objects:
        - apiVersion: kubevirt.io/v1
          kind: VirtualMachine
          metadata: {name: "${NAME}"}
          spec:
            runStrategy: Always
            template:
              spec:
                domain:
                  cpu: {sockets: 2}
                  memory: {guest: 8Gi}
                  devices: {disks: [{name: root, disk: {bus: "${BUS}"}, cache: none}]}
                volumes: [{name: root, containerDisk: {image: "registry.example.org/old:1"}}]
        """,
    "flavor.yaml": """\
        # What we had.
        apiVersion: flavor.kubevirt.io/v1alpha1
        kind: VirtualMachineFlavor
        metadata: {name: small, namespace: shop}
        spec: {cpu: {guest: 2}, memory: {guest: 2Gi}}
        """,
    "pair.yaml": """\
        apiVersion: kubevirt.io/v1
        kind: VirtualMachine
        metadata: {name: one, namespace: shop}
        spec: {runStrategy: Always, instancetype: {name: m.small}, template: {spec: {domain: {devices: {}}}}}
        ---
        apiVersion: kubevirt.io/v1
        kind: VirtualMachine
        metadata: {name: two, namespace: shop}
        spec: {runStrategy: Halted, instancetype: {name: m.large}, template: {spec: {domain: {devices: {}}}}}
        """,
    "bad.yaml": "kind: [\n",
    "values.yaml": "NAME: from-a-file\n",
    "empty/.keep": "",
    "folder/pair.yaml": """\
        apiVersion: kubevirt.io/v1
        kind: VirtualMachine
        metadata: {name: one, namespace: shop}
        spec: {runStrategy: Always, instancetype: {name: m.small}, template: {spec: {domain: {devices: {}}}}}
        """,
    "metrics.json": '{"status": "success", "data": {"resultType": "scalar", "result": [1, "2"]}}\n',
    "more.csv": "namespace,name,cpu,memory\nshop,one,0.9,100000000\nshop,two,0.1,1000000\nshop,nobody,1,1\n",
}
RUNS = (
    "adopt -f inline.yaml -f refused.yaml --nearest -o diff",
    "adopt -f inline.yaml --propose",
    "adopt -f inline.yaml -c empty",
    "adopt -f openshift.yaml",
    "adopt -f -  -i",
    "adopt -f inline.yaml -f pair.yaml",
    "adopt -f inline.yaml -o json",
    "adopt -f inline.yaml -i -o diff",
    "adopt -f folder -f inline.yaml -q",
    "build --output-dir elsewhere",
    "build nowhere",
    "capacity -f nodes.yaml -f pair.yaml",
    "capacity -f nodes.yaml -f pair.yaml -o json",
    "capacity -f pair.yaml",
    "check -f pair.yaml -o json",
    "check -f bad.yaml",
    "check --fix -f -",
    "check -f refused.yaml -f pair.yaml --fail-on note -q",
    "check nowhere",
    "compare m.small",
    "compare m.small m.lrage",
    "compare m.small m.large -o csv",
    "compare m.small m.large house.linux -e lab",
    "compare m.small m.huge -o yaml",
    "convert -f flavor.yaml",
    "convert -f flavor.yaml -o diff",
    "convert -f flavor.yaml -o json",
    "convert -f preset.yaml --memory 0",
    "convert -f preset.yaml --memory two",
    "convert -f - -i",
    "convert -f pair.yaml",
    "convert -f bad.yaml",
    "create instancetype --name x --cpu 2 --memory 4Gi",
    "create instancetype --name x --cpu 0 --memory 4Gi",
    "create preference --name x --cpu-topology spread",
    "create vm --name web --memory 2Gi --volume-containerdisk src:registry.example.org/web:1",
    "create vm --name Web_ --memory 2Gi",
    "create instancetype --name m.new --cpu 2 --memory 4Gi -c catalog --dry-run",
    "create instancetype --cpu 2 --memory 4Gi -c catalog",
    "create preference --name x --namespaced -c catalog",
    "create preference --name x --dry-run",
    "create preference --name house.new --cpu-topology spread -c catalog",
    "diff - -",
    "drift",
    "drift --live live.yaml -e production --all --noise",
    "drift --live live.yaml -e production -o markdown",
    "drift --live live.yaml -e production web --noise",
    "drift --live live.yaml -f nowhere",
    "dump --live live.yaml --context lab",
    "expand -f empty",
    "expand -f template.yaml",
    "expand -f catalog/vms -e nowhere",
    "expand -f preset.yaml",
    "expand -f catalog/vms/nothing.yaml",
    "expand -f inline.yaml -o disks",
    "expand -f inline.yaml -o converted",
    "expand -f pair.yaml -o vm",
    "expand -f refused.yaml -o explain",
    "expand -f pair.yaml --pin",
    "explain -f pair.yaml --field memory.guest",
    "explain -f pair.yaml --field memory.guest --vm one",
    "explain -f pair.yaml --field memory.guest --vm three",
    "explain -f pair.yaml --field memory.guest --xml //vcpu",
    "explain -f pair.yaml",
    "explain -f pair.yaml --vm shop/two --pod requests.memory",
    "explain -f pair.yaml --vm two --pod requests.memory -o json",
    "explain -f pair.yaml --vm two --field cpu.sockets -o json",
    "explain -f catalog/vms --field memory.guest",
    "explain -f preset.yaml --field memory.guest",
    "explain -f bad.yaml --field memory.guest",
    "explain -f inline.yaml --field memory.guest",
    "gitops argocd",
    "gitops argocd -f folder",
    "gitops argocd -f folder --repo-url https://git.example.org/house.git",
    "gitops argocd -f folder -f pair.yaml --repo-url https://git.example.org/house.git",
    "gitops argocd -f folder --repo-url https://git.example.org/house.git --cluster a --cluster b",
    "gitops argocd --repo-url https://git.example.org/house.git -e lab --cluster lab=lab-1",
    "gitops argocd --repo-url https://git.example.org/house.git -e nowhere",
    "gitops argocd --repo-url https://git.example.org/house.git --cluster nowhere=lab-1",
    "gitops flux -f folder",
    "gitops flux -f folder --repo-url https://git.example.org/house.git --cluster a",
    "gitops flux -f folder --repo-url https://git.example.org/house.git -e production",
    "gitops flux --health",
    "gitops argocd --repo-url oci://registry.example.org/house --verify-key cosign-pub",
    "gitops flux --repo-url https://git.example.org/house.git --verify-key cosign-pub",
    "gitops flux --verify-key cosign-pub",
    "gitops flux -f folder --repo-url oci://registry.example.org/house --verify-key cosign-pub",
    "gitops flux --repo-url oci://example.org/house --verify-key key --verify-identity a b",
    "gitops flux --repo-url oci://example.org/house -e lab --verify-identity a b",
    "gitops flux --repo-url https://git.example.org/house.git --cluster lab",
    "gitops flux --repo-url oci://registry.example.org/house --revision '>=1.0.0'",
    "gitops feed --repo-url https://git.example.org/live.git --image registry.example.org/virtcatalog:1",
    "gitops feed --config-map --image registry.example.org/virtcatalog:1 --schedule '0 * * * *'",
    "gitops feed",
    "gitops rbac",
    "gitops rbac --user jane",
    "impact m.small -o json",
    "impact catalog/vms/web.yaml.j2",
    "impact house.linux -f inline.yaml -f pair.yaml",
    "impact fast-disks -o json",
    "init new --name New_",
    "init new --repo-url https://git.example.org/new.git",
    "init new --gitops argocd --repo-url https://git.example.org/new.git --package virtcatalog==1.2",
    "list -o json",
    "list --min-vcpus 2 --max-memory 10Gi",
    "list preferences",
    "list environments",
    "list --gpu",
    "list types -o name --no-deprecated",
    "list types -o csv --class m",
    "list templates -o json",
    "list environments -o csv",
    "list preferences -o name",
    "man nothing",
    "rightsize -f pair.yaml --metrics more.csv",
    "rightsize -f pair.yaml --metrics more.csv -o json",
    "rightsize -f pair.yaml --metrics more.csv -o csv",
    "rightsize -f pair.yaml --metrics more.csv -o markdown",
    "rightsize -f pair.yaml --metrics metrics.json",
    "rightsize -f pair.yaml --metrics more.csv --headroom 200",
    "rightsize -f inline.yaml -f refused.yaml --metrics usage.csv",
    "rightsize -f pair.yaml --metrics more.csv --percentile 50 --headroom 0",
    "schema",
    "schema nothing",
    "show lab",
    "show nothing",
    "show web",
    "show m.large -e lab -o json",
    "show web -o xml -e production",
    "show house.linux -e nowhere",
    "template convert -f openshift.yaml",
    "template convert -f openshift.yaml --instancetype m.large --preference house.linux",
    "template convert -f openshift.yaml --instancetype m.small",
    "template convert -f openshift.yaml --instancetype m.lrage",
    "template convert -f openshift.yaml --preference house.windows",
    "template convert -f template.yaml",
    "template convert",
    "template convert x -f y",
    "template process x",
    "template process --name x",
    "template process x --name y",
    "template process -f template.yaml --name x",
    "template process -f template.yaml --print-params",
    "template process -f template.yaml --params-file values.yaml",
    "template process -f template.yaml --params-file bad.yaml",
    "template process -f template.yaml -p NAME",
    "template process -f template.yaml -p OTHER=1",
    "template process -f template.yaml -p NAME=web --create",
    "template process -f template.yaml -p 'NAME=a\"b,X=c=d'",
    "template process -f nowhere.yaml",
    "template process -f template.yaml -p NAME=web -o json",
    "verify --live live.yaml -o markdown",
    "verify --live live.yaml --domains nowhere",
    "verify",
    "verify --live live.yaml -o json",
    "verify --live live.yaml --domains folder",
    "hosts reference",
    "hosts nothing",
    "release v0.1.0 --date tomorrow",
    "release v0.1.0 --date 2026-01-02 --dry-run",
)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("house") / "house"
    write(root, house.FIRST | house.LIVE | FILES)
    return root


@pytest.fixture
def repository(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(built, tmp_path / "house")
    monkeypatch.chdir(tmp_path / "house")
    return tmp_path


@pytest.mark.parametrize("arguments", RUNS)
def test_whole_runs(arguments, repository, snapshot, monkeypatch):
    monkeypatch.setattr(table, "columns_of_terminal", lambda: 160)
    result = CliRunner().invoke(main, shlex.split(arguments), terminal_width=160, prog_name="virtcatalog")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    text = f"{result.stdout}--- stderr\n{result.stderr}--- exit status {result.exit_code}\n"
    text = re.sub(r"(virtcatalog(?:\[pytest\])?==|\bv?ersion )\d+\.\d+[\w.+]*", r"\1VERSION", text)
    assert f"$ virtcatalog {arguments}\n{text.replace(str(repository), '')}" == snapshot
