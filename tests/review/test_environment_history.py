"""Thirty changes of a catalog with three environments, and what each does to the VMs that are there.

Two judges say it: `diff`, and the VMs expanded with what `kubectl kustomize` makes of each environment's tree before
and after.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from checkouts import git, write
from kustomizing import kustomize
from sampling import thorough
from virtcatalog.catalog.load import load_catalog
from virtcatalog.catalog.model import Catalog
from virtcatalog.cli import main
from virtcatalog.environments import rendered
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.pipeline import Result, expand
from virtcatalog.manifests.git import Repository
from virtcatalog.render.output import render
from virtcatalog.review import judge, onesided

ENVIRONMENTS = ("production", "staging", "lab")
OVERLAYS = """\
production:
  clusters: [eu]
staging:
  patches:
    - {select: {names: [m.large], kinds: [VirtualMachineClusterInstancetype]}, spec: {memory: {guest: 10Gi}}}
lab:
  scope: namespaced
  namespace: lab
  labels: {team: lab}
  select: {names: ["m.*", "server*"]}
"""
TYPES = """\
class: m
memoryPerVcpu: 4Gi
sizes:
  small: {vcpus: 1}
  medium: {vcpus: 2}
  large: {vcpus: 4}
"""
PREFERENCES = """\
preferences:
  server: {spec: {devices: {preferredDiskBus: virtio}}}
  desktop: {spec: {devices: {preferredDiskBus: sata}}}
"""
TEMPLATE = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata:
  name: server
  namespace: {{ namespace or "shop" }}
spec:
  runStrategy: Always
  instancetype: {kind: "{{ instancetypeKind }}", name: m.medium}
  preference: {kind: "{{ preferenceKind }}", name: server}
  template:
    spec:
      domain: {devices: {disks: [{name: root, disk: {}}]}}
      volumes: [{name: root, containerDisk: {image: registry.example.org/server}}]
"""
CATALOG = {
    "catalog.yaml": "name: test\nkubevirt: v1.9.0\nvendor: example.org\n",
    "components.yaml": "hyperv: {spec: {features: {preferredHyperv: {relaxed: {}}}}}\n",
    "overlays.yaml": OVERLAYS,
    "instancetypes/m.yaml": TYPES,
    "instancetypes/r.yaml": "class: r\nmemoryPerVcpu: 8Gi\nsizes: {large: {vcpus: 2}}\n",
    "preferences/all.yaml": PREFERENCES,
    "vms.yaml": "server.yaml.j2: {environments: {production: {}, staging: {}, lab: {}}}\n",
    "vms/server.yaml.j2": TEMPLATE,
}


def vm(name: str, environment: str, instancetype: str, preference: str = "server", *, stored: bool = False) -> Any:
    lab = environment == "lab"
    kinds = {"instancetype": "Instancetype", "preference": "Preference"}
    names = {"instancetype": instancetype, "preference": preference}
    matchers = {
        matcher: {"kind": f"VirtualMachine{'' if lab else 'Cluster'}{kinds[matcher]}", "name": name}
        for matcher, name in names.items()
        if name
    }
    disks = {"disks": [{"name": "root", "disk": {}}]}
    refs = {
        f"{matcher}Ref": {"name": ref["name"], "controllerRevisionRef": {"name": f"{name}-{matcher}"}}
        for matcher, ref in matchers.items()
    }
    own = {} if instancetype else {"memory": {"guest": "1Gi"}}
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": name, "namespace": "lab" if lab else "shop", "uid": f"{environment}-{name}"},
        "spec": {
            "runStrategy": "Always",
            **matchers,
            "template": {
                "spec": {
                    "domain": {"devices": disks, **own},
                    "volumes": [{"name": "root", "containerDisk": {"image": "registry.example.org/x"}}],
                }
            },
        },
        **({"status": refs} if stored else {}),
    }


def dump(environment: str) -> list[Any]:
    """The VMs that run in an environment; `pinned` has stored revisions, `alone` wants nothing of the catalog."""
    vms = [
        vm("web", environment, "m.small"),
        vm("db", environment, "m.large"),
        vm("pinned", environment, "m.large", stored=True),
        vm("alone", environment, "", ""),
    ]
    return vms if environment == "lab" else [*vms, vm("desk", environment, "r.large", "desktop")]


Told = dict[str, str]
SERVER = {"production": "server.production", "staging": "server.staging", "lab": "server.lab"}


def only(*environments: str, **becomes: str) -> dict[str, Told]:
    """The same VMs in these environments, in all if none is named; `server` is the VM template."""
    return {
        environment: {
            SERVER[environment] if name == "server" else f"{'lab' if environment == 'lab' else 'shop'}/{name}": kind
            for name, kind in becomes.items()
            if not (name == "desk" and environment == "lab")
        }
        for environment in environments or ENVIRONMENTS
    }


LARGE = {"db": "changed", "pinned": "changed"}
LARGE_GONE = {"db": "refused", "pinned": "refused"}
EVERY = {"web": "changed", "server": "changed", **LARGE}
EVERY_GONE = {"web": "refused", "server": "refused", **LARGE_GONE}
OTHERS = OVERLAYS.partition("staging:")[2]
#: What is changed: the file, text → text; and what becomes of which VM of which environment. Others stay as they are.
CHANGES: dict[str, tuple[str, str, str, dict[str, Told]]] = {
    "a-size-grows": ("instancetypes/m.yaml", "large: {vcpus: 4}", "large: {vcpus: 8}", only(**LARGE)),
    "a-size-has-other-memory": (
        "instancetypes/m.yaml",
        "large: {vcpus: 4}",
        "large: {vcpus: 4, memory: 12Gi}",
        only("production", "lab", **LARGE),  # staging's patch says the memory
    ),
    "a-class-has-another-ratio": (
        "instancetypes/m.yaml",
        "memoryPerVcpu: 4Gi",
        "memoryPerVcpu: 2Gi",
        only("production", "lab", **EVERY) | only("staging", web="changed", server="changed"),
    ),
    "a-class-has-io-threads": (
        "instancetypes/m.yaml",
        "sizes:",
        "spec: {ioThreadsPolicy: shared}\nsizes:",
        only(**EVERY),
    ),
    "a-size-goes": ("instancetypes/m.yaml", "  large: {vcpus: 4}\n", "", {}),  # a patch selects it: see below
    "a-size-that-templates-use-goes": (
        "instancetypes/m.yaml",
        "  medium: {vcpus: 2}\n",
        "",
        only(server="refused"),
    ),
    "a-size-is-renamed": ("instancetypes/m.yaml", "medium:", "middle:", only(server="refused")),
    "a-size-comes": ("instancetypes/m.yaml", "  large:", "  huge: {vcpus: 16}\n  large:", {}),
    "a-size-is-deprecated": (
        "instancetypes/m.yaml",
        "large: {vcpus: 4}",
        "large: {vcpus: 4, deprecated: {replacedBy: m.medium}}",
        {},
    ),
    "a-text-changes": ("instancetypes/m.yaml", "sizes:", "description: Everyday.\nsizes:", {}),
    "a-class-that-the-lab-has-not": (
        "instancetypes/r.yaml",
        "vcpus: 2",
        "vcpus: 4",
        only("production", "staging", desk="changed"),
    ),
    "a-class-goes-that-the-lab-has-not": (
        "instancetypes/r.yaml",
        "class: r\nmemoryPerVcpu: 8Gi\nsizes: {large",
        "class: s\nmemoryPerVcpu: 8Gi\nsizes: {large",
        only("production", "staging", desk="refused"),
    ),
    "a-preference-has-another-bus": (
        "preferences/all.yaml",
        "server: {spec: {devices: {preferredDiskBus: virtio}}}",
        "server: {spec: {devices: {preferredDiskBus: scsi}}}",
        only(web="changed", server="changed", **LARGE),
    ),
    "a-preference-requires-more": (
        "preferences/all.yaml",
        "server: {",
        "server: {requirements: {vcpus: 2}, ",
        only(web="refused"),
    ),
    "a-preference-requires-what-staging-has-not": (
        "preferences/all.yaml",
        "server: {",
        "server: {requirements: {memory: 12Gi}, ",
        only("production", "lab", web="refused", server="refused")
        | only("staging", web="refused", server="refused", **LARGE_GONE),
    ),
    "a-preference-spreads": (
        "preferences/all.yaml",
        "server: {spec: {",
        "server: {spec: {cpu: {preferredCPUTopology: cores}, ",
        only(server="changed", **LARGE),
    ),
    "a-preference-goes": (
        "preferences/all.yaml",
        "  desktop:",
        "  laptop:",
        only("production", "staging", desk="refused"),
    ),
    "a-component-is-mixed-in": (
        "preferences/all.yaml",
        "desktop: {",
        "desktop: {components: [hyperv], ",
        only("production", "staging", desk="changed"),
    ),
    "the-vendor-changes": ("catalog.yaml", "example.org", "example.com", {}),
    "production-selects": (
        "overlays.yaml",
        "clusters: [eu]",
        'select: {names: ["m.medium", "m.large", "server", "r.*", "desktop"]}',
        only("production", web="refused"),
    ),
    "production-patches": (
        "overlays.yaml",
        "clusters: [eu]",
        "patches: [{select: {names: [m.small]}, spec: {memory: {guest: 6Gi}}}]",
        only("production", web="changed"),
    ),
    "production-labels": ("overlays.yaml", "clusters: [eu]", "labels: {tier: gold}", {}),
    "production-has-a-vendor": ("overlays.yaml", "clusters: [eu]", "vendor: shop.example.org", {}),
    "production-becomes-namespaced": (
        "overlays.yaml",
        "clusters: [eu]",
        "scope: namespaced\n  namespace: shop\n  clusters: [eu]",
        # Its VM template follows the scope, in the kinds that it names: annotations of the VMI say these.
        only("production", server="changed", web="refused", desk="refused", **LARGE_GONE),
    ),
    "production-has-both-scopes": ("overlays.yaml", "clusters: [eu]", "scope: both\n  namespace: shop", {}),
    "staging-patches-otherwise": ("overlays.yaml", "guest: 10Gi", "guest: 11Gi", only("staging", **LARGE)),
    "staging-patches-another": (
        "overlays.yaml",
        "names: [m.large]",
        "names: [m.small]",
        only("staging", web="changed", **LARGE),
    ),
    "staging-patches-a-preference": (
        "overlays.yaml",
        "  patches:\n",
        "  patches:\n    - {select: {names: [desktop]}, spec: {devices: {preferredDiskBus: virtio}}}\n",
        only("staging", desk="changed"),
    ),
    "the-lab-selects-less": (
        "overlays.yaml",
        '["m.*", "server*"]',
        '["m.small", "server*"]',
        only("lab", server="refused", **LARGE_GONE),
    ),
    "the-lab-selects-no-preference": (
        "overlays.yaml",
        '["m.*", "server*"]',
        '["m.*"]',
        only("lab", **EVERY_GONE),
    ),
    "the-lab-moves": (
        "overlays.yaml",
        "namespace: lab",
        "namespace: lab2",
        # Its VM template moves along, and is another VM there.
        only("lab", server="changed", web="refused", **LARGE_GONE),
    ),
    "the-lab-becomes-cluster-wide": (
        "overlays.yaml",
        "  scope: namespaced\n  namespace: lab\n",
        "  namespaces: [lab]\n",
        only("lab", server="changed", web="refused", **LARGE_GONE),
    ),
    "a-template-grows": ("vms/server.yaml.j2", "m.medium", "m.large", only(server="changed")),
}
#: Sizes that a patch selects go with the patch.
BESIDE = {"a-size-goes": ("overlays.yaml", "names: [m.large]", "names: [m.medium]")}
CHANGES["a-size-goes"] = (
    *CHANGES["a-size-goes"][:3],
    only(**LARGE_GONE) | only("staging", server="changed", **LARGE_GONE),
)


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a branch for each change, each as the commits that its author made of it."""
    root = tmp_path_factory.mktemp("history")

    def edit(name: str, old: str, new: str, change: str) -> None:
        file = root / "catalog" / name
        text = file.read_text()
        assert text.count(old) == 1, (change, old)
        file.write_text(text.replace(old, new))

    git(root, "init", "-q", "-b", "main")
    write(root / "catalog", CATALOG)
    for environment in ENVIRONMENTS:
        items = {"apiVersion": "v1", "kind": "List", "items": dump(environment)}
        (root / f"{environment}.json").write_text(json.dumps(items))
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "the catalog")
    for change, (name, old, new, _) in CHANGES.items():
        git(root, "checkout", "-q", "-b", change, "main")
        if change in BESIDE:
            edit(*BESIDE[change], change)
        edit(name, old, new, change)
        git(root, "commit", "-q", "-a", "-m", change)
    git(root, "checkout", "-q", "main")
    return root


def name_of(manifest: Any) -> str:
    return f"{manifest['metadata']['namespace']}/{manifest['metadata']['name']}"


def spec_of(root: Path, revision: str, environment: str, vm: Any, matcher: str) -> Any:
    """The spec of what a VM names, as an environment has it at a revision; None if that is not there."""
    named = vm["spec"].get(matcher)
    for obj in catalog_of(root, revision).objects(environment) if named else ():
        home = obj["metadata"].get("namespace", vm["metadata"]["namespace"])
        if (obj["kind"], obj["metadata"]["name"], home) == (*named.values(), vm["metadata"]["namespace"]):
            return obj["spec"]
    return None


@cache
def objects_of(root: Path, revision: str, environment: str) -> list[dict[str, Any]]:
    """What `kubectl kustomize` makes of an environment's tree at a revision."""
    tree = root / "trees" / revision
    write(tree, render(catalog_of(root, revision)))
    return kustomize(tree / "overlays" / environment)


@cache
def catalog_of(root: Path, revision: str) -> Catalog:
    repository = Repository(root)
    folder = repository.folder(repository.commit(revision), "catalog")
    assert folder is not None
    return load_catalog("catalog", folder)


@cache
def cluster_of(root: Path, revision: str, environment: str) -> tuple[Cluster, dict[str, Any]]:
    """What VMs meet in an environment at a revision, and the VM templates there."""
    templates = {
        resource.key: resource.manifest
        for resource, where in rendered(catalog_of(root, revision))
        if where == environment
    }
    return Cluster(objects_of(root, revision, environment)), templates


def expanded(root: Path, change: str, environment: str) -> Told:
    """What becomes of each VM, by expanding it before and after; without its status, as if it were created anew."""
    (base, before), (head, after) = (cluster_of(root, revision, environment) for revision in ("main", change))
    both = before.keys() & after.keys()
    kinds = {name: compared(expand(before[name], base), expand(after[name], head)) for name in both}
    for vm_data in dump(environment):
        fresh = {key: value for key, value in vm_data.items() if key != "status"}
        kind = compared(expand(fresh, base), expand(fresh, head))
        kinds[name_of(vm_data)] = kind
    return {name: kind for name, kind in kinds.items() if kind}


def compared(old: Result, new: Result) -> str:
    if not old.admitted or not new.admitted:
        if old.admitted == new.admitted:
            return "reason" if old.reasons != new.reasons else ""
        return "refused" if old.admitted else "admitted"
    return "changed" if old.domain_xml != new.domain_xml or seen(old) != seen(new) else ""


def seen(result: Result) -> Any:
    """What of a VMI an owner can say."""
    vmi = result.vmi or {}
    return [vmi["metadata"].get("labels"), vmi["metadata"].get("annotations"), vmi["spec"]]


def report(change: str) -> Any:
    """What `diff` says of a change, for the VMs of each environment."""
    fleets = [part for environment in ENVIRONMENTS for part in ("-f", f"{environment}={environment}.json")]
    result = CliRunner().invoke(main, ["diff", "main", change, "-o", "json", *fleets])
    assert result.exit_code in (0, 1), result.output
    return json.loads(result.stdout)


def touched(answer: Any) -> dict[str, Told]:
    """What becomes of each VM of each environment, once it is made anew."""
    touched_vms: dict[str, Told] = {}
    for verdict in answer["vms"]:
        anew = verdict["anew"] if verdict["next"] == "kept" else verdict["next"]
        if anew != "same":
            touched_vms.setdefault(verdict["environment"], {})[verdict["vm"]] = anew
    return touched_vms


@pytest.mark.parametrize("change", CHANGES)
def test_each_change_does_to_each_vm_what_it_does(history: Path, monkeypatch: pytest.MonkeyPatch, change: str) -> None:
    monkeypatch.chdir(history)
    answer, expected = report(change), CHANGES[change][3]
    assert touched(answer) == expected
    # What runs has a revision of what it names, and keeps that: nothing else becomes of it.
    vms = [verdict for verdict in answer["vms"] if not verdict["template"]]
    assert {(verdict["now"], verdict["next"]) for verdict in vms} <= {("unchanged", "kept")}
    kept_vms: dict[str, set[str]] = {}
    for verdict in vms:
        kept_vms.setdefault(verdict["environment"], set()).add(verdict["vm"])
    assert {name: kept_vms.get(name, set()) for name in ENVIRONMENTS} == {
        name: {
            name_of(vm)
            for vm in dump(name)
            for matcher in ("instancetype", "preference")
            if spec_of(history, "main", name, vm, matcher) != spec_of(history, change, name, vm, matcher)
        }
        for name in ENVIRONMENTS
    }


@thorough
@pytest.mark.parametrize("change", CHANGES)
def test_what_kustomize_makes_of_an_environment_gives_the_same_answers(history: Path, change: str) -> None:
    by_environment = {environment: expanded(history, change, environment) for environment in ENVIRONMENTS}
    assert {name: kinds for name, kinds in by_environment.items() if kinds} == CHANGES[change][3]


@pytest.mark.parametrize("change", [change for change, (*_, expected) in CHANGES.items() if expected])
def test_a_judge_that_says_nothing_is_found_out(history: Path, monkeypatch: pytest.MonkeyPatch, change: str) -> None:
    monkeypatch.chdir(history)
    for module in (judge, onesided):
        monkeypatch.setattr(module, "compare", lambda *_: None)
        monkeypatch.setattr(module, "without_objects", lambda *_: None)
    assert touched(report(change)) != CHANGES[change][3]


def test_there_are_thirty_changes() -> None:
    assert len(CHANGES) >= 30
