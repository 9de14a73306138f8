"""What is filled in for VMs that are alike is what becomes of each of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from virtcatalog.cli import expand_alike, fleet
from virtcatalog.cli.expand_output import FORMS
from virtcatalog.cli.expanding import Expander
from virtcatalog.cli.inputs import Placed
from virtcatalog.cli.outcome import Done
from virtcatalog.cli.vms import Batch, unplaced
from virtcatalog.kubevirt.blanks import Blank, Known, blank, compact, maps, stand_ins
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.manifests.emit import dump

OBJECTS = [
    {
        "apiVersion": "instancetype.kubevirt.io/v1beta1",
        "kind": "VirtualMachineClusterInstancetype",
        "metadata": {"name": "small"},
        "spec": {"cpu": {"guest": 2}, "memory": {"guest": "2Gi"}},
    },
    {
        "apiVersion": "instancetype.kubevirt.io/v1beta1",
        "kind": "VirtualMachineClusterPreference",
        "metadata": {"name": "linux"},
        "spec": {"cpu": {"preferredCPUTopology": "preferCores"}, "devices": {"preferredDiskBus": "virtio"}},
    },
    {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "web-1-root", "namespace": "claims"},
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "volumeMode": "Block",
            "resources": {"requests": {"storage": "5Gi"}},
        },
    },
    {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachineInstancePreset",
        "metadata": {"name": "web-1", "namespace": "presets"},
        "spec": {"selector": {"matchLabels": {"app": "web-1"}}, "domain": {"cpu": {"cores": 3}, "devices": {}}},
    },
    {
        "apiVersion": "cdi.kubevirt.io/v1beta1",
        "kind": "DataSource",
        "metadata": {
            "name": "web-1",
            "namespace": "images",
            "labels": {
                "instancetype.kubevirt.io/default-instancetype": "small",
                "instancetype.kubevirt.io/default-instancetype-kind": "VirtualMachineClusterInstancetype",
            },
        },
        "spec": {"source": {"pvc": {"name": "x", "namespace": "images"}}},
    },
]
NAMES = ("web", "db", "yes", "null", "default", "root", "kubevirt", "spec", "vm", "Web", "x" * 40, "a" * 60)
SPACES = ("team", "shop", "claims", "presets", "images", "default", "kubevirt", "Bad_")
SORTS = 40
UID = "11111111-2222-4333-8444-555555555555"
INITS = ("cloudInitNoCloud", "cloudInitConfigDrive")


def random_vm(chance: Random, number: int) -> dict[str, Any]:
    """A VM of one of a few sorts, most of what is its own drawn."""
    sort = Random(chance.randrange(SORTS))
    name = chance.choice(NAMES[:1] * 30 + NAMES) + chance.choice((f"-{number}", f"-{chance.randrange(4)}", "", "-1"))
    namespace = chance.choice(SPACES[:1] * 20 + SPACES)
    uuid = f"{chance.getrandbits(32):08x}-1111-4222-a333-{chance.getrandbits(48):012x}"
    mac = chance.choice(("02", "02", "0a", "10", "02", "06", "01")) + "".join(
        f":{chance.getrandbits(8):02x}" for _ in range(5)
    )
    volume = sort.choice(("root", "data"))
    claim = sort.choice((f"{name}-root", "shared", name))
    source = sort.choice(
        (
            {"persistentVolumeClaim": {"claimName": claim}},
            {"dataVolume": {"name": claim}},
            {"containerDisk": {"image": sort.choice(("registry.example.org/a:1", f"registry.example.org/{name}:1"))}},
        )
    )
    user_data = chance.choice((f"#cloud-config\nhostname: {name}\n", '#!/bin/sh\necho "<&>"\n\u2028', "x" * 2100, "a"))
    firmware = sort.choice(({}, {"uuid": uuid}, {"serial": uuid}, {"uuid": uuid, "serial": "s-1"}))
    domain: dict[str, Any] = {
        "devices": {
            "disks": [{"name": volume, "disk": sort.choice(({}, {"bus": "sata"}, {"bus": "floppy"}))}],
            "interfaces": [{"name": "default", "masquerade": {}, **sort.choice(({}, {"macAddress": mac}))}],
        },
        **({"firmware": firmware} if firmware else {}),
        **sort.choice(({}, {"cpu": {"cores": 2}}, {"cpus": 2})),
    }
    spec: dict[str, Any] = {
        **sort.choice(({"runStrategy": "Always"}, {"running": True}, {"runStrategy": "Sometimes"})),
        "template": {
            "metadata": {"creationTimestamp": None, "labels": {"app": name, sort.choice(("a", name)): "b"}},
            "spec": {
                "domain": domain,
                "networks": [{"name": "default", "pod": {}}],
                "volumes": [
                    {"name": volume, **source},
                    {
                        "name": "init",
                        sort.choice(("cloudInitNoCloud", "cloudInitConfigDrive")): {"userData": user_data},
                    },
                ],
                **sort.choice(({}, {"hostname": name}, {"hostname": f"{name}-{'h' * 40}"})),
            },
        },
    }
    if sort.random() < 0.5:
        infer = sort.choice((False, False, True))
        spec["instancetype"] = {"inferFromVolume": volume} if infer else {"name": sort.choice(("small", name))}
        spec["preference"] = {"name": "linux"}
    else:
        domain["memory"] = {"guest": sort.choice(("1Gi", "4"))}
    if "dataVolume" in source and sort.random() < 0.7:
        of = {"name": sort.choice(("guest", name)), "namespace": sort.choice(("images", "team"))}
        storage = {"resources": {"requests": {"storage": "3Gi"}}}
        template = {
            "metadata": {"name": claim},
            "spec": {"sourceRef": {"kind": "DataSource", **of}, "storage": storage},
        }
        spec["dataVolumeTemplates"] = [template]
    metadata = {
        "name": name,
        "namespace": namespace,
        **sort.choice(({}, {"uid": uuid, "resourceVersion": str(number), "generation": 1 + number % 4})),
        **sort.choice(({}, {"creationTimestamp": f"2026-01-{1 + number % 28:02}T00:00:00Z"})),
        **sort.choice(({}, {"labels": {f"l-{'x' * 40}": "v", "of": f"{'l' * 50}{name}"}})),
        **sort.choice(({}, {"annotations": {"kubectl.kubernetes.io/last-applied": json.dumps({"macAddress": mac})}})),
    }
    return {"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": metadata, "spec": spec}


def written(vm: dict[str, Any]) -> bytes:
    text = compact(json.dumps(vm, indent=2).encode())
    assert text is not None
    return text


def as_lines(vms: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(vm, separators=(",", ":")) + "\n" for vm in vms)


def as_list(vms: list[dict[str, Any]]) -> str:
    return json.dumps({"apiVersion": "v1", "items": vms, "kind": "List"}, indent=4, ensure_ascii=False)


def as_list_of_one_kind(vms: list[dict[str, Any]]) -> str:
    bare = [{key: vm[key] for key in ("metadata", "spec")} for vm in vms]
    return json.dumps({"apiVersion": "kubevirt.io/v1", "items": bare, "kind": "VirtualMachineList"})


def as_yaml(vms: list[dict[str, Any]]) -> str:
    """As YAML, in which a line separator would end a line, so that the text would not be taken apart."""
    return dump({"apiVersion": "v1", "items": json.loads(json.dumps(vms).replace(r"\u2028", "-")), "kind": "List"})


@pytest.fixture
def filled(monkeypatch: pytest.MonkeyPatch) -> list[Done]:
    """All that is filled in."""
    found: list[Done] = []
    fill = expand_alike._Filler.fill

    def noted(*args: Any) -> Done:
        found.append(fill(*args))
        return found[-1]

    monkeypatch.setattr(expand_alike._Filler, "fill", noted)
    monkeypatch.setattr(expand_alike, "_WORTH_IT", 2)
    monkeypatch.setattr(expand_alike, "_TRIED", 10_000)
    monkeypatch.setattr(expand_alike, "_OFTEN", 1)
    return found


def became(path: str, form: str, *, plainly: bool) -> Iterator[Done]:
    batch = Batch([], [unplaced(each) for each in OBJECTS], [])
    expander = Expander(batch, Cluster(OBJECTS), FORMS[form], None, many=True, pods=False)
    if plainly:
        expander._alike = None
    yield from expander.shares(fleet.Fleet([Placed(path)]).shares())


@pytest.mark.parametrize(
    ("form", "write", "number"),
    [
        ("xml", as_lines, 1500),
        ("xml", as_list, 1500),
        ("xml", as_list_of_one_kind, 700),
        ("xml", as_yaml, 700),
        ("converted", as_list, 300),
        ("json", as_list, 300),
    ],
)
def test_vms_that_are_alike_become_what_each_of_them_becomes(tmp_path, filled, form, write, number):
    chance = Random(f"{form} {write.__name__}")
    file = tmp_path / "fleet"
    file.write_text(write([random_vm(chance, index) for index in range(number)]))
    plain = list(became(str(file), form, plainly=True))
    assert {"admitted", "refused", "unreadable"} <= {each.became for each in plain}
    for one, other in zip(plain, became(str(file), form, plainly=False), strict=True):
        assert other == one
    assert len(filled) > number // 10
    assert {each.became for each in filled} == {"admitted", "refused"}
    assert any(each.told for each in filled)


def test_a_blank_is_whatever_is_a_vms_own():
    uid = UID
    metadata = {"name": "web-1", "namespace": "shop", "uid": uid, "resourceVersion": "12", "generation": 3}
    spec = {
        "mac": "02:00:00:00:00:01",
        "claim": "web-1-root",
        "userData": 'a "b"',
        "of": uid,
        "at": "shop",
    }
    found = blank(written({"metadata": metadata, "spec": spec}))
    assert found is not None
    assert found.text.replace(b"\0", b"%").decode() == (
        '{"metadata":{"name":"%0%","namespace":"%1%","uid":"%5%","resourceVersion":"%4%","generation":%3%},'
        '"spec":{"mac":"%6%","claim":"%0%-root","userData":"%2%","of":"%5%","at":"%1%"}}'
    )
    assert found.kinds == "nsxvvum"
    assert found.values[2:] == (rb"a \"b\"", b"3", b"12", uid.encode(), b"02:00:00:00:00:01")
    assert json.loads(found.filled(found.values)) == {"metadata": metadata, "spec": spec}


def test_a_vm_is_known_by_the_text_of_another_just_if_they_are_alike():
    chance = Random("known")
    vms = [written(random_vm(chance, index)) for index in range(400)]
    owns = [own for own in map(blank, vms) if own]
    known = {own.text: Known(own) for own in owns}
    found = missed = 0
    for vm in filter(blank, vms):
        own = blank(vm)
        assert own is not None
        for text, each in known.items():
            assert each.blank(vm) in ((own, None) if text == own.text else (None,))
        assert known[own.text].maps == maps(vm)
        if known[own.text].own != own:
            found += 1
            missed += known[own.text].blank(vm) is None
    assert found > 50
    assert missed < found // 20


@pytest.mark.parametrize(
    ("first", "other"),
    [
        ({"uid": UID, "of": UID}, {"uid": UID, "of": UID.replace("1", "6")}),
        ({"uid": UID, "of": UID.replace("1", "6")}, {"uid": UID, "of": UID}),
        ({"uid": UID}, {"uid": UID.replace("5", "A")}),
        ({"generation": 3}, {"generation": 0}),
        ({"resourceVersion": "3"}, {"resourceVersion": "3a"}),
        ({"at": "web"}, {"at": "shop"}),
        ({"userData": "a"}, {"userData": ""}),
    ],
)
def test_a_vm_that_is_alike_but_for_what_is_no_blank_is_not_known(first, other):
    one, two = (written({"metadata": {"name": "vm-1", "namespace": "shop"}, "spec": each}) for each in (first, other))
    own = blank(one)
    assert own is not None
    assert Known(own).blank(two) is None
    assert Known(own).blank(one) == own


@pytest.mark.parametrize(
    ("spec", "name", "namespace", "found"),
    [
        ({"a": "pvc-vm-1"}, "web-2", "team", True),
        ({"a": "web-2"}, "web-2", "team", False),
        ({"a": "x-web-2-y"}, "web-2", "team", False),
        ({"a": "team"}, "web-2", "team", False),
        ({"userData": "vm-1 web-2 shop"}, "web-2", "team", True),
        ({"userData": "team"}, "web-2", "team", False),
        ({"a": "vm-1vm-1-vm-1"}, "web-2", "team", True),
        ({"a": "a-vm-1"}, "a-a", "team", False),
        ({"a": "xab-vm-1"}, "ab-ab", "team", False),
        ({"uid": UID}, "abc", "team", True),
        ({"uid": "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee"}, "bbb", "team", False),
        ({"of": "shop"}, "web-2", "shop-web-2", False),
        ({"of": "shop"}, "web", "web", False),
        ({"of": "shop"}, "shop", "team", True),
    ],
)
def test_a_name_is_known_where_it_stands_and_nowhere_else(spec, name, namespace, found):
    vm = {"metadata": {"name": "vm-1", "namespace": "shop"}, "spec": {"x": "vm-1", **spec}}
    own, text = blank(written(vm)), written(vm)
    assert own is not None
    for old, new in (("vm-1", "\1"), ("shop", "\2"), ("\1", name), ("\2", namespace)):
        text = text.replace(old.encode(), new.encode())
    other = blank(text)
    assert other is not None
    assert Known(own).blank(text) == (other if found else None)
    assert not found or other.text == own.text


@pytest.mark.parametrize(
    ("first", "second", "found"),
    [
        ({}, {}, True),
        ({}, {"namespace": "team"}, False),
        ({"namespace": "default"}, {"namespace": "default"}, True),
        ({"namespace": "default"}, {"namespace": "team"}, False),
        ({"namespace": "vm-1-x"}, {"namespace": "web-2-x"}, False),
    ],
)
def test_a_namespace_is_known_if_it_is_said(first, second, found):
    one, two = (
        written({"metadata": {"name": name, **said}, "spec": {"networks": ["default", name]}})
        for name, said in (("vm-1", first), ("web-2", second))
    )
    own, other = blank(one), blank(two)
    assert own is not None
    assert Known(own).blank(two) == (other if found else None)


def test_another_network_is_no_namespace_that_is_not_said():
    one = written({"metadata": {"name": "vm-1"}, "spec": {"networks": ["default", "default"]}})
    own, other = blank(one), one.replace(b"default", b"other")
    assert own is not None
    assert own.kinds == "ns"
    assert Known(own).blank(one) == own
    assert Known(own).blank(other) is None


@pytest.mark.parametrize("text", ["a", "\t\u2028", "ü", '\\ " /', "x" * 2000])
def test_user_data_is_known_whatever_it_says(text):
    one, two = (written({"metadata": {"name": "vm-1"}, "spec": {"userData": each}}) for each in ("a", text))
    own = blank(one)
    assert own is not None
    assert Known(own).blank(two) == blank(two)


@pytest.mark.parametrize("text", [b"\\q", b"\\ud83d\\ude00", b"\\ud800", b"\t", b"", b"x" * 2001])
def test_user_data_that_may_be_no_text_is_not_known(text):
    one = written({"metadata": {"name": "vm-1"}, "spec": {"userData": "%"}})
    own = blank(one)
    assert own is not None
    assert Known(own).blank(one.replace(b"%", text)) is None


@pytest.mark.parametrize("name", ["Web", "a.b", "ab", "a" * 31, "1a2", ""])
def test_a_name_that_may_mean_more_has_no_blanks(name):
    assert blank(written({"metadata": {"name": name}})) is None


def test_stand_ins_are_all_different_and_of_their_kind():
    own = Blank(b"", "ns" + "umtvx" * 40, (b"web-1", b"shop", *[b""] * 200))
    both = [*stand_ins(own, 0), *stand_ins(own, 1)]
    assert len(set(both)) == len(both)
    assert not any(one in other for one in both for other in both if one is not other)


def plain_vm(name: str, **spec: Any) -> dict[str, Any]:
    template = {"spec": {"domain": {"devices": {}, "memory": {"guest": "1Gi"}}}}
    metadata = {"name": name, "namespace": "team"}
    spec = {"runStrategy": "Always", "template": template, **spec}
    return {"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": metadata, "spec": spec}


def of_source(name: str) -> dict[str, Any]:
    """A VM whose instance type is said by a DataSource of its name in another namespace."""
    source = {"sourceRef": {"kind": "DataSource", "name": name, "namespace": "images"}, "storage": {}}
    volumes = [{"name": "root", "dataVolume": {"name": "root"}}]
    return plain_vm(
        name,
        instancetype={"inferFromVolume": "root"},
        dataVolumeTemplates=[{"metadata": {"name": "root"}, "spec": source}],
        template={"spec": {"domain": {"devices": {}}, "volumes": volumes}},
    )


def with_label(name: str) -> dict[str, Any]:
    """A VM with a label of just the length that Kubernetes takes if the name has five letters."""
    vm = plain_vm(name)
    return {**vm, "metadata": {**vm["metadata"], "labels": {"of": f"{'l' * 58}{name}"}}}


@pytest.mark.parametrize(
    ("make", "names", "expected"),
    [
        (plain_vm, ("web-2", "web-3", "web-4", "web-1"), ["admitted"] * 4),
        (of_source, ("web-2", "web-3", "web-4", "web-1"), ["refused"] * 3 + ["admitted"]),
        (with_label, ("web-2", "web-3", "web-4", "web-10"), ["admitted"] * 3 + ["unreadable"]),
    ],
)
def test_a_vm_that_is_alike_but_for_what_its_name_stands_for_is_expanded(tmp_path, filled, make, names, expected):
    file = tmp_path / "fleet"
    file.write_text(as_lines([make(name) for name in names]))
    assert [each.became for each in became(str(file), "xml", plainly=False)] == expected
    assert bool(filled) == (make is plain_vm)
