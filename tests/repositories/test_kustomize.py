"""Kustomize's trees: what is read is what kubectl builds, and what is not known is an error."""

from __future__ import annotations

from pathlib import Path

import pytest

from kustomizing import by_identity, kustomize
from virtcatalog.bring.objects.read import kustomized
from virtcatalog.errors import VirtcatalogError
from virtcatalog.manifests.folder import held
from virtcatalog.repositories.kustomize.budget import Budget
from virtcatalog.repositories.kustomize.build import build
from virtcatalog.repositories.kustomize.jsonpatch import PatchError, patched

TYPE = """\
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineClusterInstancetype
metadata: {name: NAME, labels: {size: NAME}}
spec: {cpu: {guest: 1}, memory: {guest: 1Gi}, gpus: [{name: a, deviceName: b/c}]}
"""
PREFERENCE = """\
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachinePreference
metadata: {name: NAME, annotations: {for: NAME}}
spec: {devices: {preferredDiskBus: virtio, preferredRng: {}}}
"""
BASE = {
    "base/kustomization.yaml": "resources: [types.yaml, preference.yaml]\n",
    "base/types.yaml": "---\n".join(TYPE.replace("NAME", name) for name in ("small", "large")),
    "base/preference.yaml": PREFERENCE.replace("NAME", "linux"),
}
KUSTOMIZATIONS = {
    "names": "resources: [../base]\nnamePrefix: a-\nnameSuffix: .b\n",
    "labels": (
        "resources: [../base]\ncommonLabels: {a: b}\ncommonAnnotations: {c: d}\n"
        "labels: [{pairs: {e: f}}, {pairs: {g: h}, includeSelectors: true}]\n"
    ),
    "namespace": "resources: [one.yaml]\nnamespace: lab\n",
    "merge": """\
resources: [../base]
patches:
  - target: {kind: VirtualMachineClusterInstancetype, name: sm.*}
    patch: |-
      apiVersion: x/y
      kind: Any
      metadata: {name: any, labels: {new: "1"}}
      spec: {memory: {guest: 2Gi, hugepages: {pageSize: 2Mi}}, gpus: [{name: z, deviceName: q/r}]}
  - patch: |-
      apiVersion: instancetype.kubevirt.io/v1beta1
      kind: VirtualMachineClusterInstancetype
      metadata: {name: large, labels: {size: null, other: "2"}}
      spec: {gpus: null}
""",
    "replaced": """\
resources: [../base]
patches:
  - target: {kind: VirtualMachinePreference}
    patch: |-
      {"spec": {"devices": {"$patch": "replace", "preferredCdromBus": "sata"}}, "kind": "x", "metadata": {"name": "y"}}
""",
    "deleted": """\
resources: [../base]
patches:
  - target: {labelSelector: size=small}
    patch: '{"$patch": "delete", "kind": "x", "metadata": {"name": "y"}}'
""",
    "operations": """\
resources: [../base]
patches:
  - target: {group: instancetype.kubevirt.io, version: v1beta1, kind: VirtualMachine.*, name: small|linux}
    patch: |-
      - {op: add, path: /metadata/annotations, value: {"a/b": c}}
      - {op: replace, path: /metadata/annotations/a~1b, value: d}
  - target: {name: small}
    path: operations.json
""",
    "old": """\
bases: [../base]
patchesStrategicMerge:
  - strategic.yaml
  - |-
    apiVersion: instancetype.kubevirt.io/v1beta1
    kind: VirtualMachinePreference
    metadata: {name: linux}
    spec: {devices: {preferredRng: null}}
patchesJson6902:
  - target: {group: instancetype.kubevirt.io, version: v1beta1, kind: VirtualMachinePreference, name: linux}
    patch: '[{"op": "replace", "path": "/metadata/name", "value": "unix"}]'
""",
    "component": "resources: [../base]\ncomponents: [../big]\nnameSuffix: .x\n",
    "renamed": """\
resources: [../base]
nameSuffix: .x
components: [../big]
patches:
  - {target: {name: large}, patch: '[{"op": "replace", "path": "/kind", "value": "VirtualMachineInstancetype"}]'}
""",
    "twice": """\
resources: [../names]
patches:
  - {target: {name: small}, patch: '[{"op": "replace", "path": "/spec/cpu/guest", "value": 9}]'}
  - {target: {name: a-large.b}, patch: '[{"op": "replace", "path": "/spec/cpu/guest", "value": 8}]'}
""",
}
BESIDE = {
    "namespace/one.yaml": PREFERENCE.replace("NAME", "one"),
    "operations/operations.json": '[{"op": "remove", "path": "/spec/gpus/0"}, {"op": "add", "path": "/spec/gpus/-", '
    '"value": {"name": "n", "deviceName": "o/p"}}, '
    '{"op": "copy", "from": "/spec/cpu/guest", "path": "/spec/cpu/maxSockets"}, '
    '{"op": "test", "path": "/spec/cpu/guest", "value": 1}, {"op": "move", "from": "/metadata/labels/size", '
    '"path": "/metadata/labels/was"}]',
    "old/strategic.yaml": TYPE.replace("NAME", "small").replace("guest: 1}", "guest: 7}"),
    "big/kustomization.yaml": (
        "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nnamePrefix: big-\n"
        "patches: [{target: {kind: VirtualMachineClusterInstancetype}, "
        'patch: \'[{"op": "replace", "path": "/spec/cpu/guest", "value": 64}]\'}]\n'
    ),
}
FILES = BASE | BESIDE | {f"{name}/kustomization.yaml": text for name, text in KUSTOMIZATIONS.items()}


@pytest.fixture(scope="module", name="tree")
def write_tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tree = tmp_path_factory.mktemp("tree")
    (tree / ".git").mkdir()
    for path, text in FILES.items():
        (tree / path).parent.mkdir(exist_ok=True)
        (tree / path).write_text(text)
    return tree


@pytest.mark.parametrize("name", ["base", *KUSTOMIZATIONS])
def test_builds_what_kubectl_builds(tree, name):
    ours = kustomized(str(tree / name))
    assert ours
    assert by_identity(ours) == by_identity(kustomize(tree / name))


def test_a_folder_without_a_kustomization_is_none(tmp_path):
    assert kustomized(str(tmp_path)) is None
    assert kustomized(str(tmp_path / "x.yaml")) is None


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (
            {"kustomization.yaml": "configMapGenerator: []\n"},
            "x/kustomization.yaml: configMapGenerator: is not supported",
        ),
        (
            {"kustomization.yaml": "resources: [https://x.io/y]\n"},
            "resources[0]: https://x.io/y is elsewhere, and nothing is",
        ),
        ({"kustomization.yaml": "resources: [gone]\n"}, "resources[0]: there is no file and no kustomization at gone"),
        ({"kustomization.yaml": "resources: [../../..]\n"}, "resources[0]: ../../.. leads out of what may be read"),
        (
            {"kustomization.yaml": "resources: [.]\n"},
            "resources[0]: . is built of this folder: they go round in a circle",
        ),
        ({"kustomization.yaml": "resources: x\n"}, "resources: must be a list"),
        ({"kustomization.yaml": "resources: [1]\n"}, "resources[0]: must be a path"),
        ({"kustomization.yaml": "- x\n"}, "x/kustomization.yaml: must be one map"),
        ({"kustomization.yaml": "a: [\n"}, "x/kustomization.yaml:2:1: is not YAML"),
        (
            {"kustomization.yaml": "resources: [a.yaml]\n", "a.yaml": "- 1\n"},
            "x/a.yaml: holds something that is no object",
        ),
        ({"kustomization.yaml": "patches: [{}, 1]\n"}, "patches[1]: must have `path` or `patch`"),
        (
            {"kustomization.yaml": "patches: [{patch: 'x'}]\n"},
            "patches[0]: is neither an object nor a list of operations",
        ),
        ({"kustomization.yaml": "patches: [{patch: '[]'}]\n"}, "patches[0]: a list of operations needs a `target`"),
        ({"kustomization.yaml": "patches: [{path: p}]\n"}, "x/p: there is no such file"),
        (
            {"kustomization.yaml": "patches: [{patch: '{kind: A, apiVersion: b, metadata: {name: c}}'}]\n"},
            "patches[0]: A/c is the name of no object",
        ),
        (
            {"kustomization.yaml": "patches: [{patch: '{}', target: {x: 1}}]\nresources: [r]\n", "r": TYPE},
            "target: x is none of",
        ),
        (
            {"kustomization.yaml": "components: [c]\n", "c/kustomization.yaml": "{}\n"},
            "components[0]: c is no Component",
        ),
        (
            {"kustomization.yaml": "patches: [{patch: '{}', target: {name: 'a{2}'}}]\nresources: [r]\n", "r": TYPE},
            "patches[0].target: the pattern 'a{2}' has {, which is not supported there",
        ),
        (
            {
                "kustomization.yaml": "patches: [{patch: '[{op: replace, path: /x}]', target: {}}]\nresources: [r]\n",
                "r": TYPE,
            },
            "patches[0]: replace needs a value",
        ),
        (
            {
                "kustomization.yaml": "patches: [{patch: '{a: {$patch: keep}}', target: {}}]\nresources: [r]\n",
                "r": TYPE,
            },
            "patches[0]: $patch: keep is not supported here",
        ),
        ({"kustomization.yaml": "resources: [../x.yaml]\n"}, "there is no file and no kustomization at ../x.yaml"),
        ({"kustomization.yaml": "patches: [{path: ../x.yaml}]\n"}, "../x.yaml is not in the folder"),
        (
            {
                "kustomization.yaml": "patches: [{path: p, target: {}}]\nresources: [r]\n",
                "p": "metadata: {labels: {a: null}}\n",
                "r": TYPE,
            },
            "kustomize makes a text of null in labels",
        ),
        ({"kustomization.yaml": "labels: [{fields: []}]\n"}, "labels[0]: may have pairs"),
        ({"kustomization.yaml": "labels: [{pairs: [a]}]\n"}, "labels[0].pairs: must be a map"),
        ({"kustomization.yaml": "commonLabels: [[a, b]]\n"}, "commonLabels: must be a map"),
        ({"kustomization.yaml": "commonAnnotations: x\n"}, "commonAnnotations: must be a map"),
        *(
            ({"kustomization.yaml": "namespace: a\nnamePrefix: b\nresources: [r]\n", "r": text}, f"x/r: {message}")
            for text, message in {
                "{kind: [], metadata: {name: a}}\n": "kind must be a string, not a list",
                "{apiVersion: {}, kind: {a: b}}\n": "apiVersion must be a string, not a map",
                "{kind: A, metadata: [a]}\n": "metadata must be a map, not a list",
                "{kind: A, metadata: {name: [a]}}\n": "metadata.name must be a string, not a list",
                "{kind: A, metadata: {labels: a}}\n": "metadata.labels must be a map, not the string 'a'",
                "{kind: List, items: {a: b}}\n": "holds something that is no object",
                "{kind: List, items: 3}\n": "holds something that is no object",
            }.items()
        ),
        *(
            (
                {"kustomization.yaml": f"patches: [{{patch: '{patch}', target: {{}}}}]\nresources: [r]\n", "r": TYPE},
                message,
            )
            for patch, message in {
                "{metadata: a}": "patches[0]: metadata must be a map, not the string 'a' (VirtualMachineClusterIn",
                "[{op: replace, path: /kind, value: [a]}]": "patches[0]: kind must be a string, not a list (Virt",
                "[{op: add, path: /metadata/annotations, value: 1}]": "annotations must be a map, not the number 1",
            }.items()
        ),
    ],
)
def test_what_is_not_known_is_an_error(files, message):
    with pytest.raises(VirtcatalogError) as error:
        build(held({path: text.encode() for path, text in files.items()}), "x")
    assert message in str(error.value)


def test_folders_that_name_each_other_twice_are_not_built_for_ever():
    files = {
        f"l{level}/kustomization.yaml": f"resources: [../l{level + 1}, ../l{level + 1}]\n".encode()
        for level in range(28)
    }
    files |= {"l28/kustomization.yaml": b"{}\n", "kustomization.yaml": b"resources: [l0]\n"}
    with pytest.raises(VirtcatalogError, match="asks for more work than one may"):
        build(held(files), "x")


@pytest.mark.parametrize(
    ("operation", "message"),
    [
        (1, "an operation must be a map"),
        ({"op": "jump", "path": "/a"}, "there is no operation 'jump'"),
        ({"op": "remove", "path": "/x"}, "there is nothing at /x"),
        ({"op": "remove", "path": "a"}, "'a' is no JSON pointer"),
        ({"op": "add", "path": "/a/b", "value": 1}, "nothing can be put at /a/b"),
        ({"op": "test", "path": "/a", "value": 2}, "the test of /a fails"),
        ({"op": "add", "path": "/l/9", "value": 2}, "nothing can be put at /l/9"),
    ],
)
def test_an_operation_that_cannot_be_carried_out_is_an_error(operation, message):
    with pytest.raises(PatchError, match=message):
        patched({"a": 1, "l": []}, [operation], Budget())
