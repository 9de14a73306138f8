"""What a cluster is taken to have of which the repository says nothing: the operator's types, and feature gates."""

import ast
import json
import re
from pathlib import Path

import pytest

import virtcatalog
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.conditions import Conditions
from virtcatalog.manifests.folder import held
from virtcatalog.releases import DEFAULT, find_release
from virtcatalog.review.assumed import (
    GATE,
    assumed_words,
    claims_once,
    hinted,
    naming_types,
    networks_elsewhere,
    turned_off,
)
from virtcatalog.review.compare import review
from virtcatalog.review.comparison import Comparison
from virtcatalog.review.dumps import Dump, DumpedVm, header_of
from virtcatalog.review.read import read_side
from virtcatalog.review.side import Side
from virtcatalog.review.verdict import Verdict

HOST_DEVICES = {"hostDevices": [{"name": "a", "deviceName": "example.org/a"}]}
ASSUMED = "{}, which VMs needed before; give the KubeVirt CR with -f to be sure"


def vm(name="db", guest="1Gi", devices=(), **spec):
    domain = {"memory": {"guest": guest}, "devices": dict(devices)}
    if guest is None:
        del domain["memory"]
    spec = {"runStrategy": "Always", "template": {"spec": {"domain": domain}}, **spec}
    return {"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": {"name": name}, "spec": spec}


def kubevirt(*gates, **configuration):
    developer = {"developerConfiguration": {"featureGates": list(gates)}, **configuration}
    metadata = {"name": "kubevirt", "namespace": "kubevirt"}
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "KubeVirt",
        "metadata": metadata,
        "spec": {"configuration": developer},
    }


def reviewed(base, head, dump=(), releases=(None, None)):
    sides = (
        read_side(held({f"{number}.json": json.dumps(obj).encode() for number, obj in enumerate(objects)}), label)
        for objects, label in ((base, "base"), (head, "head"))
    )
    conditions = tuple(Conditions(release=release and find_release(release)) for release in releases)
    return review(*sides, conditions, [Dump(dump)] if dump else [])


def verdicts(report):
    return [(verdict.vm, verdict.now, verdict.next) for verdict in report.fleet.verdicts]


def test_a_gate_that_a_vm_needed_is_on():
    report = reviewed([vm(devices=HOST_DEVICES)], [vm(guest="2Gi", devices=HOST_DEVICES)])
    assert [verdict[1:] for verdict in verdicts(report)] == [("restart", "changed")]
    assert report.fleet.assumed == (ASSUMED.format("HostDevices"),)


def test_several_gates_of_one_vm():
    devices = {**HOST_DEVICES, "autoattachVSOCK": True}
    report = reviewed([vm(devices=devices)], [vm(guest="2Gi", devices=devices)])
    assert report.fleet.assumed == (ASSUMED.format("HostDevices and VSOCK"),)


def test_a_gate_that_no_vm_needed_before_is_off():
    report = reviewed([vm()], [vm(devices=HOST_DEVICES)])
    (verdict,) = report.fleet.verdicts
    assert verdict.now == "refused"
    assert verdict.reasons[-1] == "no KubeVirt CR is at hand: give it with -f if the gate is on"
    assert report.fleet.assumed == ()


def test_a_gate_that_another_vm_needed_is_on():
    other = vm("other", devices=HOST_DEVICES)
    report = reviewed([vm(), other], [vm(devices=HOST_DEVICES), other])
    assert [verdict[1] for verdict in verdicts(report)] == ["restart"]
    assert report.fleet.assumed == (ASSUMED.format("HostDevices"),)


def unit(*objects):
    """A folder that is built: a claim of its own, by which its VMs meet what those of no other folder do."""
    claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "root"}}
    vms = "".join(f"---\n{json.dumps(obj)}\n" for obj in (*objects, {**claim, "spec": {"volumeName": str(objects)}}))
    return {"kustomization.yaml": "resources: [vms.yaml]\n", "vms.yaml": vms}


def test_a_gate_that_another_vm_of_its_folder_needed_is_on_whatever_folder_is_new():
    needing = vm("other", devices=HOST_DEVICES)
    base = {"east": unit(vm(), needing), "west": unit(vm("far"))}
    head = {"anew": unit(vm("first")), "east": unit(vm(devices=HOST_DEVICES), needing), "west": unit(vm("far"))}
    sides = (
        read_side(held({f"{at}/{name}": text.encode() for at in of for name, text in of[at].items()}), label)
        for of, label in ((base, "base"), (head, "head"))
    )
    report = review(*sides, (Conditions(), Conditions()), [])
    assert verdicts(report) == [("db", "restart", "changed"), ("first", "create", "same")]
    assert report.fleet.assumed == (ASSUMED.format("HostDevices"),)


@pytest.mark.parametrize("where", ["repository", "dump"])
def test_with_a_kubevirt_cr_its_gates_count(where):
    base, head = [vm(devices=HOST_DEVICES)], [vm(guest="2Gi", devices=HOST_DEVICES)]
    if where == "repository":
        report = reviewed([*base, kubevirt()], [*head, kubevirt()])
    else:
        report = reviewed(base, head, [kubevirt()])
    assert [verdict[1] for verdict in verdicts(report)] == ["refused"]
    assert "at hand" not in str(report.fleet.verdicts)
    assert report.fleet.assumed == ()


def test_the_operators_types_are_there():
    spec = {"instancetype": {"name": "u1.small"}, "preference": {"name": "fedora"}}
    larger = {"instancetype": {"name": "u1.medium"}, "preference": {"name": "fedora"}}
    report = reviewed([vm(guest=None, **spec)], [vm(guest=None, **larger)])
    assert verdicts(report) == [("db", "restart", "changed")]
    assert report.fleet.assumed == (f"as KubeVirt's operator deploys it: {DEFAULT.common_instancetypes}",)
    assert verdicts(reviewed([vm(guest=None, **spec)], [vm(guest=None, **spec)])) == []


def test_types_of_the_repository_count_before_the_operators():
    own = {
        "apiVersion": "instancetype.kubevirt.io/v1beta1",
        "kind": "VirtualMachineClusterInstancetype",
        "metadata": {"name": "u1.small"},
        "spec": {"cpu": {"guest": 7}, "memory": {"guest": "7Gi"}},
    }
    objects = [vm(guest=None, instancetype={"name": "u1.small"}), own]
    assert reviewed(objects, objects).fleet.assumed == ()


def test_an_operator_that_deploys_none_deploys_none():
    declines = kubevirt(commonInstancetypesDeployment={"enabled": False})
    report = reviewed([declines], [vm(guest=None, instancetype={"name": "u1.small"}), declines])
    assert verdicts(report) == [("db", "create", "refused")]
    assert report.fleet.assumed == ()


def test_a_wrong_name_of_a_type_is_refused_all_the_same():
    report = reviewed([], [vm(guest=None, instancetype={"name": "u1.smal"})])
    assert verdicts(report) == [("db", "create", "refused")]


def test_vms_of_a_dump_find_the_operators_types_of_each_release():
    dump = [vm(guest=None, instancetype={"name": "u1.small"})]
    report = reviewed([], [], dump, ("v1.8.4", "v1.9.0"))
    assert all("no VirtualMachineClusterInstancetype" not in str(verdict) for verdict in report.fleet.verdicts)
    assert report.fleet.assumed


KUBEVIRT = Path(virtcatalog.__file__).parent / "kubevirt"
#: A message that is about a gate that no longer exists, so that no cluster can have it on.
REMOVED = re.compile(r"were removed in KubeVirt|is disabled: KubeVirt serves")


def messages():
    """The words of `kubevirt/` that are about a feature gate, docstrings aside."""
    for path in sorted((KUBEVIRT / "admission").rglob("*.py")):
        tree = ast.parse(path.read_text())
        documented = (ast.Module, ast.FunctionDef, ast.ClassDef)
        docs = {ast.get_docstring(node, clean=False) for node in ast.walk(tree) if isinstance(node, documented)}
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr):
                text = "".join(str(part.value) if isinstance(part, ast.Constant) else "Name" for part in node.values)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value not in docs:
                text = node.value
            else:
                continue
            if "feature gate" in text and not REMOVED.search(text):
                yield path.name, text


def test_every_refusal_for_a_gate_names_it_in_the_same_words():
    sentences = [*messages()]
    assert len(sentences) > 15
    # A constant that ends so is a part of a text with the name behind it, which is looked at as a whole.
    assert [
        sentence for sentence in sentences if not GATE.search(sentence[1]) and not sentence[1].endswith("feature gate ")
    ] == []


def test_claims_that_are_not_there_are_told_of_once():
    def grown(name, sockets):
        disks = {"disks": [{"name": "root", "disk": {}}]}
        machine = vm(name, devices=disks)
        spec = machine["spec"]["template"]["spec"]
        spec["domain"]["cpu"] = {"sockets": sockets, "maxSockets": 8}
        spec["volumes"] = [{"name": "root", "persistentVolumeClaim": {"claimName": f"root-{name}"}}]
        return machine

    report = reviewed([grown(name, 2) for name in "ab"], [grown(name, 4) for name in "ab"])
    assert [(verdict.now, verdict.reasons[-1]) for verdict in report.fleet.verdicts] == (
        [("pending", "volume 'root' counts as not shared")] * 2
    )
    assert report.fleet.assumed == ("2 claims count as not shared: nothing is known of root-a, root-b",)


def on_networks(*names):
    networks = [{"name": f"n{number}", "multus": {"networkName": name}} for number, name in enumerate(names)]
    interfaces = [{"name": network["name"], "bridge": {}} for network in networks]
    manifest = vm(devices={"interfaces": interfaces})
    manifest["spec"]["template"]["spec"]["networks"] = networks
    return manifest


def attachment_definition(name):
    return {
        "apiVersion": "k8s.cni.cncf.io/v1",
        "kind": "NetworkAttachmentDefinition",
        "metadata": {"name": name, "namespace": "default"},
    }


def test_networks_that_are_not_there_are_told_once():
    twice = [{**on_networks("lan", "infra/dmz"), "metadata": {"name": name}} for name in ("a", "b")]
    report = reviewed([vm("a"), vm("b")], twice)
    assert report.fleet.assumed == (
        "2 NetworkAttachmentDefinitions are in the cluster, without a device to request: default/lan, infra/dmz",
    )


def test_networks_of_pools_and_replica_sets_count_too():
    template = on_networks("lan")
    pool = {
        "apiVersion": "pool.kubevirt.io/v1beta1",
        "kind": "VirtualMachinePool",
        "metadata": {"name": "p"},
        "spec": {
            "selector": {"matchLabels": {"a": "b"}},
            "virtualMachineTemplate": {"metadata": {"labels": {"a": "b"}}, "spec": template["spec"]},
        },
    }
    (line,) = reviewed([], [pool]).fleet.assumed
    assert line.endswith("without a device to request: default/lan")


def test_a_network_that_is_there_or_that_no_change_meets_is_not_assumed():
    lan = attachment_definition("lan")
    assert reviewed([vm()], [on_networks("lan"), lan]).fleet.assumed == ()
    assert reviewed([on_networks("lan"), vm("b")], [on_networks("lan"), vm("b", guest="2Gi")]).fleet.assumed == ()


ELSEWHERE = "in the cluster, without a device to request"
CLAIM = "volume '{}': claim '{}' has no known access modes, and counts as not shared: a migration needs ReadWriteMany"


def test_of_a_fleet_few_vms_name_all_types_and_those_that_infer_them_stand_for_themselves():
    inferred = vm("c", instancetype={"inferFromVolume": "root"})
    vms = [
        vm("a", instancetype={"name": "small"}, preference={"name": "linux"}),
        vm("b", instancetype={"name": "small"}),
        inferred,
        vm("d"),
    ]
    named = [*naming_types(DumpedVm(header_of(vm), "", vms, at) for at, vm in enumerate(vms))]
    assert named[0] == inferred
    assert sorted((revision["kind"], *revision["spec"].items()) for revision in named[1:]) == [
        ("VirtualMachine", ("instancetype", {"name": "small"})),
        ("VirtualMachine", ("preference", {"name": "linux"})),
    ]


def test_of_claims_of_which_nothing_is_known_each_is_named_once():
    verdicts = [
        Verdict(vm="a", reasons=("it cannot migrate", CLAIM.format("root", "a-root"), CLAIM.format("data", "data"))),
        Verdict(vm="b", reasons=("it cannot migrate",)),
        Verdict(vm="c", reasons=(CLAIM.format("data", "data"),)),
    ]
    shorter, claims = claims_once(verdicts)
    assert [verdict.reasons for verdict in shorter] == [
        (
            "it cannot migrate",
            "volume 'root' counts as not shared",
            "volume 'data' counts as not shared",
        ),
        ("it cannot migrate",),
        ("volume 'data' counts as not shared",),
    ]
    assert claims == ["a-root", "data"]


@pytest.mark.parametrize(
    ("assumed", "lines"),
    [
        (((), (), (), ()), ()),
        ((["b", "a"], (), (), ()), (ASSUMED.format("a and b"),)),
        (((), ["y@2", "x@1"], (), ()), tuple(f"as KubeVirt's operator deploys it: {name}" for name in ("x@1", "y@2"))),
        (((), (), ["c"], ()), ("1 claim counts as not shared: nothing is known of c",)),
        (
            ((), (), list("gfedcba"), ()),
            ("7 claims count as not shared: nothing is known of a, b, c, d, e and 2 more",),
        ),
        (
            ((), (), (), {"shop/a"}),
            (f"1 NetworkAttachmentDefinition is {ELSEWHERE}: shop/a",),
        ),
        (
            ((), (), (), set("abcdef")),
            (f"6 NetworkAttachmentDefinitions are {ELSEWHERE}: a, b, c, d, e and 1 more",),
        ),
        ((["a"], ["x@1"], ["c"], {"n"}), (
            ASSUMED.format("a"),
            "as KubeVirt's operator deploys it: x@1",
            "1 claim counts as not shared: nothing is known of c",
            f"1 NetworkAttachmentDefinition is {ELSEWHERE}: n",
        )),
    ],
)  # fmt: skip
def test_what_is_assumed_in_words(assumed, lines):
    assert assumed_words(*assumed) == lines


@pytest.mark.parametrize(
    ("reasons", "changes", "hints"),
    [
        ((), (), (0, 0)),
        (("x",), ("y",), (0, 0)),
        (("the feature gate X, which is off",), ("y",), (1, 0)),
        (("x",), ("the feature gate X",), (0, 1)),
        (("feature gate X",), ("feature gate X",), (1, 0)),
    ],
)
def test_of_a_gate_that_nobody_has_said_to_be_off_it_is_said_what_to_do(reasons, changes, hints):
    hint = "no KubeVirt CR is at hand: give it with -f if the gate is on"
    verdict = hinted(Verdict(reasons=reasons, changes=changes))
    assert (verdict.reasons, verdict.changes) == ((*reasons, *[hint] * hints[0]), (*changes, *[hint] * hints[1]))


def test_networks_of_which_the_cluster_has_no_definition():
    definition = {
        "apiVersion": "k8s.cni.cncf.io/v1",
        "kind": "NetworkAttachmentDefinition",
        "metadata": {"name": "blue", "namespace": "shop"},
    }
    networks = [{"name": "pod", "pod": {}}] + [
        {"name": name.replace("/", "-"), "multus": {"networkName": name}} for name in ("blue", "red", "ops/blue")
    ]
    cluster = Cluster([definition])
    manifest = {
        "kind": "VirtualMachine",
        "metadata": {"name": "a", "namespace": "shop"},
        "spec": {"template": {"spec": {"networks": networks}}},
    }
    assert [*networks_elsewhere(manifest, cluster)] == ["shop/red", "ops/blue"]
    alone = {"kind": "VirtualMachineInstance", "metadata": {"name": "a"}, "spec": {"networks": networks}}
    assert [*networks_elsewhere(alone, cluster)] == ["default/blue", "default/red", "ops/blue"]
    assert [*networks_elsewhere({**manifest, "spec": {}}, cluster)] == []


@pytest.mark.parametrize(
    ("before", "after", "sentence"),
    [
        (("HostDevices",), (), "feature gate HostDevices, which this change turns off: x"),
        ((), (), "feature gate HostDevices, which is off: x"),
        (("HostDevices",), ("HostDevices",), "feature gate HostDevices, which is off: x"),
    ],
)
def test_a_gate_that_the_change_turns_off_is_said_to_be(before, after, sentence):
    sides = tuple(Side(label="side", objects={"": [kubevirt(*gates)]}) for gates in (before, after))
    comparison = Comparison(sides, "", (Conditions(), Conditions()))
    text = "feature gate HostDevices, which is off: x"
    verdict = turned_off(Verdict(reasons=(text, "a"), changes=("b", text)), comparison)
    assert (verdict.reasons, verdict.changes) == ((sentence, "a"), ("b", sentence))
