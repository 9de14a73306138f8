"""What an Application has to ignore of its VMs, and no more."""

from __future__ import annotations

from copy import deepcopy

import pytest

from gitops.vms import vm
from virtcatalog import Cluster
from virtcatalog.gitops.ignoring import Ignored, Needs, needs, rules_text, written

MEMORY = "memory: {guest: 1Gi}"
INFERS = "Here it infers."
ADDS = "Here it adds."
CLAIM = {
    "apiVersion": "v1",
    "kind": "PersistentVolumeClaim",
    "metadata": {
        "name": "root",
        "namespace": "shop",
        "labels": {"instancetype.kubevirt.io/default-preference": "linux"},
    },
    "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
}
INFERRING = vm(
    MEMORY,
    "volumes: [{name: root, persistentVolumeClaim: {claimName: root}}]",
    "preference: {inferFromVolume: root}",
)
DISK = "dataVolumeTemplates: [{metadata: {name: data}, spec: {storage: {}, source: {blank: {}}}}]"
INFERRED = Ignored(
    "kubevirt.io",
    "VirtualMachine",
    '(.spec.preference | select(.inferFromVolume == "root")).inferFromVolume',
    "KubeVirt writes the name that it infers in the place of this.",
    in_list=False,
)
ADDED = Ignored(
    "kubevirt.io",
    "VirtualMachine",
    "(.spec.dataVolumeTemplates[]?.spec.storage | select(.resources == {})).resources",
    "KubeVirt's webhook adds this to the item of a list.",
    in_list=True,
)


@pytest.mark.parametrize(
    ("manifests", "mode", "expected"),
    [
        ([vm(MEMORY)], "client", Needs((), 0)),
        ([vm(MEMORY)], "structured", Needs((), 0)),
        ([vm("memory: {guest: 1024Mi}"), vm("memory: {guest: 2048Mi}, cpu: {cores: null}")], "client", Needs((), 2)),
        ([vm("memory: {guest: 1024Mi}, cpu: {cores: null}")], "structured", Needs((), 2)),
        ([INFERRING, INFERRING], "client", Needs((INFERRED,), 0)),
        ([vm(MEMORY, spec=DISK)], "client", Needs((), 0)),
        ([INFERRING, vm(MEMORY, spec=DISK)], "structured", Needs((ADDED, INFERRED), 0)),
        ([vm(MEMORY, spec="preference: {inferFromVolume: no}")], "client", Needs((), 0, ("web",))),
        ([{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}], "client", Needs((), 0)),
        (
            [{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}}, vm("machine: {type: ''}")],
            "client",
            Needs((), 1),
        ),
    ],
)
def test_what_objects_need(manifests, mode, expected):
    before = deepcopy(manifests)
    assert needs(manifests, Cluster([CLAIM]), mode) == expected
    assert manifests == before


@pytest.mark.parametrize(
    ("fields", "respects"), [((), False), ((INFERRED,), True), ((ADDED,), False), ((INFERRED, ADDED), False)]
)
def test_what_is_inferred_is_respected_unless_lists_would_be_too(fields, respects):
    assert Needs(fields, 0).respects is respects


def test_rules_by_kind_with_a_comment_on_each_reason():
    fields = (
        Ignored("g", "A", ".a", ADDS, in_list=True),
        Ignored("g", "A", ".b", ADDS, in_list=True),
        Ignored("g", "A", ".c", INFERS, in_list=False),
        Ignored("g", "B", ".d", INFERS, in_list=False),
        Ignored("h", "A", '.e."#a"', INFERS, in_list=False),
        Ignored("h", "A", "(.f | select(.g == {})).g", INFERS, in_list=False),
        Ignored("h", "A", ".i", ADDS, in_list=False),
    )
    rules = """\
ignoreDifferences:
- group: g
  kind: A
  jqPathExpressions:
  # Here it adds.
  - .a
  - .b
  # Here it infers.
  - .c
- group: g
  kind: B
  jqPathExpressions:
  # Here it infers.
  - .d
- group: h
  kind: A
  jqPathExpressions:
  # Here it infers.
  - ".e.\\"#a\\""
  - "(.f | select(.g == {})).g"
  # Here it adds.
  - .i
"""
    assert rules_text(Needs(fields, 0)) == written(Needs(fields, 0)) == rules


def test_nothing_to_ignore_is_an_empty_list():
    assert rules_text(Needs((), 5)) == written(Needs((), 5)) == "ignoreDifferences: []\n"


def test_what_is_respected_is_said_in_the_sync_policy():
    assert (
        written(Needs((INFERRED,), 0))
        == f"""\
ignoreDifferences:
- group: kubevirt.io
  kind: VirtualMachine
  jqPathExpressions:
  # KubeVirt writes the name that it infers in the place of this.
  - {INFERRED.expression}
syncPolicy:
  syncOptions:
  # A sync leaves them as they are: KubeVirt refuses them beside the names that it infers.
  - RespectIgnoreDifferences=true
"""
    )
