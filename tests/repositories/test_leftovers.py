"""What of a repository no unit deploys: which of it counts as plain manifests, which is passed over, what is said."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest
from repository_cases import manifest

from virtcatalog.manifests.folder import held
from virtcatalog.repositories import helmprocess
from virtcatalog.repositories.find import find

KUSTOMIZATION = """\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: vms, namespace: flux-system}
spec: {path: ./vms, sourceRef: {kind: GitRepository, name: flux-system}}
"""
CHART = "apiVersion: v2\nname: app\nversion: 1.0.0\n"
CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n"
TEMPLATED = manifest("vm web").replace("web", "{{ .name }}")
BROKEN = "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {name: x}\nspec: [\n"
A_TEMPLATE = "is a template of a KubeVirt object, and is not rendered"


FLOW = "{apiVersion: kubevirt.io/v1, kind: VirtualMachine, metadata: {name: web}, spec: {template: {}}}"


def release(name: str, chart: str, values: str = "a: 1") -> str:
    """A HelmRelease of a chart, here or far away."""
    source = "GitRepository, name: flux-system" if "/" in chart else "HelmRepository, name: far"
    head = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\n"
    spec = f"chart: {{spec: {{chart: {chart}, sourceRef: {{kind: {source}}}}}}}, values: {{{values}}}"
    return f"{head}metadata: {{name: {name}, namespace: shop}}\nspec: {{{spec}}}\n"


class Left(NamedTuple):
    """Files, and what is found: the VMs of each unit by kind and name, and lists of files and sentences."""

    files: dict[str, str]
    units: dict[str, list[str]]
    passed_over: dict[str, int] = {}
    idle: list[str] = []
    catalogs: list[str] = []
    unrendered: list[str] = []
    problems: dict[str, str] = {}


LEFT = {
    "plain manifests are a unit for each folder": Left(
        {"vms/a.yaml": manifest("vm a"), "vms/b.yaml": manifest("vm b"), "c.yaml": manifest("vm c")},
        {"folder vms": ["a", "b"], "folder ": ["c"]},
    ),
    "a file in the folder of a kustomization that does not name it": Left(
        {
            "app/kustomization.yaml": "resources: [a.yaml]\n",
            "app/a.yaml": manifest("vm a"),
            "app/b.yaml": manifest("vm b"),
            "app/notes.yaml": "a: b\n",
            "app/more/c.yaml": manifest("vm c"),
        },
        {"kustomization app": ["a"], "folder app/more": ["c"]},
        passed_over={"file that no kustomization includes": 2},
        idle=["app/b.yaml"],
    ),
    "what a kustomization names in other folders": Left(
        {
            "app/kustomization.yaml": "resources: [../base, more/a.yaml]\n",
            "app/more/a.yaml": manifest("vm a"),
            "base/kustomization.yaml": "resources: [b.yaml]\n",
            "base/b.yaml": manifest("vm b"),
            "base/c.yaml": manifest("vm c"),
        },
        {"kustomization app": ["b", "a"]},
        passed_over={"file that no kustomization includes": 1},
        idle=["base/c.yaml"],
    ),
    "a release that a kustomization does not name, with VMs of its own or of a chart": Left(
        {
            "app/kustomization.yaml": "resources: [a.yaml]\n",
            "app/a.yaml": CONFIG_MAP,
            "apps.yaml": KUSTOMIZATION.replace("vms", "app"),
            "app/own.yaml": release("own", "far", values="vm: " + FLOW),
            "app/none.yaml": release("none", "far"),
            "app/chart.yaml": release("chart", "./charts/app"),
            "charts/app/Chart.yaml": CHART,
            "charts/app/templates/vm.yaml": TEMPLATED,
        },
        {"Kustomization app": ["x"], "folder ": ["app"]},
        passed_over={"file that no kustomization includes": 3},
        idle=["app/own.yaml"],
    ),
    "what a Kustomization of Flux deploys, in all folders below its path": Left(
        {
            "flux.yaml": KUSTOMIZATION,
            "vms/a.yaml": manifest("vm a"),
            "vms/more/b.yaml": manifest("vm b"),
            "others/c.yaml": manifest("vm c"),
        },
        {"Kustomization vms": ["a", "b"], "folder ": ["vms"], "folder others": ["c"]},
    ),
    "objects of Flux that deploy each other, and that the kustomization of their folder does not name": Left(
        {
            "flux/vms.yaml": KUSTOMIZATION,
            "vms/kustomization.yaml": "resources: [web.yaml]\n",
            "vms/web.yaml": manifest("vm web"),
            "vms/more.yaml": KUSTOMIZATION.replace("vms", "more"),
            "more/again.yaml": KUSTOMIZATION.replace("vms", "again"),
            "more/db.yaml": manifest("vm db"),
            "again/more.yaml": KUSTOMIZATION.replace("vms", "more"),
            "again/cache.yaml": manifest("vm cache"),
        },
        {"Kustomization vms": ["web"], "folder flux": ["vms"]},
        passed_over={"file that no kustomization includes": 5},
        idle=["again/cache.yaml", "more/db.yaml"],
    ),
    "a chart that no release installs": Left(
        {
            "charts/app/Chart.yaml": CHART,
            "charts/app/values.yaml": "name: web\n",
            "charts/app/values-lab.yaml": "name: lab\n",
            "charts/app/templates/vm.yaml": TEMPLATED,
        },
        {"chart app": [], "chart app (values-lab.yaml)": []},
    ),
    "a chart without anything of KubeVirt's": Left(
        {"charts/app/Chart.yaml": CHART, "charts/app/templates/x.yaml": CONFIG_MAP, "charts/vm.yaml": manifest("vm a")},
        {"folder charts": ["a"]},
        passed_over={"file of a chart": 2},
    ),
    "what cannot be read, or has no name": Left(
        {
            "a/a.yaml": BROKEN,
            "b/b.yaml": TEMPLATED,
            "c/c.yaml": "apiVersion: [\n",
            "c/d.yaml": "apiVersion: v1\nkind: Config\n",
        },
        {},
        passed_over={"template": 1, "unreadable document": 1, "nameless object": 1},
        unrendered=[f"repo/b/b.yaml:1:1: {A_TEMPLATE}"],
        problems={"a/a.yaml": "repo/a/a.yaml:5:1: is not YAML: the text ends where a value is wanted"},
    ),
    "catalogs: folders that have instance types or preferences": Left(
        {
            "types/catalog.yaml": "name: x\n",
            "types/instancetypes/a.yaml": "a: 1\n",
            "preferences/catalog.yaml": "name: x\n",
            "preferences/preferences/a.yaml": "a: 1\n",
            "neither/catalog.yaml": "name: x\n",
            "neither/more/a.yaml": "a: 1\n",
            "none/a.yaml": "a: 1\n",
            "none/instancetypes/a.yaml": "a: 1\n",
        },
        {},
        passed_over={"other YAML or JSON document": 8},
        catalogs=["preferences", "types"],
    ),
}


@pytest.fixture(autouse=True)
def _without_helm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(helmprocess, "find_helm", str)


@pytest.mark.parametrize("name", LEFT)
def test_what_no_unit_deploys(name: str) -> None:
    left = LEFT[name]
    repository = find(held({path: text.encode() for path, text in left.files.items()}), "repo")
    units: dict[str, Any] = {
        f"{unit.kind} {unit.name}": [resource.data["metadata"]["name"] for resource in unit.resources]
        for unit in repository.environments
    }
    assert units == left.units
    assert repository.passed_over == left.passed_over
    assert sorted(repository.idle) == left.idle
    assert sorted(repository.catalogs) == left.catalogs
    assert list(map(str, repository.unrendered)) == [str(part.problem) for part in repository.opaque] == left.unrendered
    assert list(map(str, repository.problems)) == list(left.problems.values())
    assert list(repository.broken) == list(left.problems)
    assert repository.files == {path for path in left.files if not path.endswith("/kustomization.yaml")}


@pytest.mark.parametrize(
    ("before", "path", "is_felt"),
    [
        ({"app/kustomization.yaml": "resources: []\n", "app/b.yaml": manifest("vm b")}, "app/b.yaml", "idle"),
        ({"a.yaml": BROKEN}, "a.yaml", "broken"),
        ({"types/catalog.yaml": "name: x\n", "types/instancetypes/a.yaml": "a: 1\n"}, "types/catalog.yaml", "catalogs"),
        (
            {"types/catalog.yaml": "name: x\n", "types/instancetypes/a.yaml": "a: 1\n"},
            "types/instancetypes/a.yaml",
            "catalogs",
        ),
    ],
)
def test_it_is_another_once_its_files_are(before: dict[str, str], path: str, is_felt: str) -> None:
    def of(files: dict[str, str]) -> Any:
        return getattr(find(held({path: text.encode() for path, text in files.items()}), "repo"), is_felt)

    assert of(before)
    assert of(before) == of({**before, "other.yaml": CONFIG_MAP})
    changed = of({**before, path: f"{before[path]}# \n"})
    assert changed.keys() == of(before).keys()
    assert changed != of(before)
