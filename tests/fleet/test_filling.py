"""What is filled in for VMs that are alike is what becomes of each of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random
from typing import Any, NamedTuple

import pytest

from sampling import ALL
from virtcatalog.ask.warnings import Warnings
from virtcatalog.cli.expand_output import FORMS
from virtcatalog.fleet import files, filling, leaves
from virtcatalog.fleet.alike import Likeness, Matcher, compact, has_plain_name, likeness
from virtcatalog.fleet.expanding import Expander
from virtcatalog.fleet.leaves import Leaves, leaves_of
from virtcatalog.fleet.outcome import Expansion, unplaced
from virtcatalog.fleet.sources import Placed
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.manifests.emit import dump
from virtcatalog.manifests.read import Part

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
SORTS = 60
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
            {"containerDisk": {"image": f"registry.example.org/{sort.choice(('a', 'b', 'c', name))}:1"}},
        )
    )
    user_data = chance.choice((f"#cloud-config\nhostname: {name}\n", '#!/bin/sh\necho "<&>"\n\u2028', "x" * 2100, "a"))
    firmware = sort.choice(({}, {"uuid": uuid}, {"serial": uuid}, {"uuid": uuid, "serial": "s-1"}))
    domain: dict[str, Any] = {
        "devices": {
            "disks": [{"name": volume, "disk": sort.choice(({}, {"bus": "sata"}, {"bus": "scsi"}, {"bus": "floppy"}))}],
            "interfaces": [{"name": "default", "masquerade": {}, **sort.choice(({}, {"macAddress": mac}))}],
        },
        **({"firmware": firmware} if firmware else {}),
        **sort.choice(({}, {"cpu": {"cores": 2}}, {"cpus": 2})),
    }
    spec: dict[str, Any] = {
        **sort.choice(({"runStrategy": "Always"}, {"running": True}, {"runStrategy": "Manual"}, {"runStrategy": "No"})),
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
        spec["instancetype"] = (
            {"inferFromVolume": volume} if infer else {"name": sort.choice(("small", "small", "small", name))}
        )
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
def filled(monkeypatch: pytest.MonkeyPatch) -> list[Expansion]:
    """All that is filled in."""
    filled: list[Expansion] = []
    fill = filling._Filler.fill

    def noted(*args: Any) -> Expansion:
        filled.append(fill(*args))
        return filled[-1]

    monkeypatch.setattr(filling._Filler, "fill", noted)
    monkeypatch.setattr(filling, "_WORTH_IT", 2)
    monkeypatch.setattr(filling, "_TRIED", 10_000)
    monkeypatch.setattr(filling, "_OFTEN", 1)
    return filled


def became(path: str, form: str, *, plainly: bool) -> Iterator[Expansion]:
    cluster = Cluster(OBJECTS)
    warnings = Warnings([unplaced(obj) for obj in OBJECTS], cluster.release)
    expander = Expander(cluster, FORMS[form].form, warnings.of, many=True)
    if plainly:
        expander._fillers = None
    yield from expander.shares(files.Fleet([Placed(path)]).shares())


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
    number = number if ALL else min(number, 700)
    file = tmp_path / "fleet"
    file.write_text(write([random_vm(chance, index) for index in range(number)]))
    plain = list(became(str(file), form, plainly=True))
    assert {"admitted", "refused", "unreadable"} <= {result.became for result in plain}
    for one, other in zip(plain, became(str(file), form, plainly=False), strict=True):
        assert other == one
    assert len(filled) > number // 25
    assert {result.became for result in filled} == {"admitted", "refused"}
    assert any(result.remarks for result in filled)


def taken_apart(vm: dict[str, Any]) -> tuple[Leaves, Likeness]:
    text = written(vm)
    leaves = leaves_of(text)
    assert leaves is not None
    return leaves, likeness(text, leaves)


def vm_with(metadata: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    return {
        "metadata": {"name": "web-1", "namespace": "shop", **(metadata or {})},
        "spec": {"template": {"spec": spec}},
    }


def test_the_leaves_of_a_vm_are_what_is_its_own():
    user_data = {"name": "init", "cloudInitNoCloud": {"userData": 'a "b"'}}
    vm = vm_with(
        {"uid": UID, "resourceVersion": "12", "generation": 3, "labels": {"app": "web-1"}, "at": "shop"},
        domain={
            "devices": {"interfaces": [{"macAddress": "02:00:00:00:00:01"}], "disks": [{"name": "web-1-root"}]},
            "firmware": {"uuid": UID, "serial": "s-1"},
        },
        volumes=[user_data],
    )
    leaves, common = taken_apart(vm)
    assert leaves == Leaves(
        "nsxumvg", (b"web-1", b"shop", rb"a \"b\"", UID.encode(), b"02:00:00:00:00:01", b"12", b"3")
    )
    assert common.text.replace(b"\x7f", b"%").decode() == (
        '{"metadata":{"name":"%0%","namespace":"%1%","uid":"%3%","resourceVersion":"%5%","generation":%6%,'
        '"labels":{"app":"%0%"},"at":"shop"},"spec":{"template":{"spec":{"domain":{"devices":{"interfaces":'
        '[{"macAddress":"%4%"}],"disks":[{"name":"%0%-root"}]},"firmware":{"uuid":"%3%","serial":"s-1"}},'
        '"volumes":[{"name":"init","cloudInitNoCloud":{"userData":"%2%"}}]}}}}'
    )
    assert json.loads(common.with_leaves(leaves.values)) == vm


def test_a_pattern_matches_vms_that_are_alike_and_no_others():
    chance = Random("known")
    vms = [written(random_vm(chance, index)) for index in range(400)]
    apart = {text: (leaves, likeness(text, leaves)) for text in vms if (leaves := leaves_of(text))}
    matchers = {common.kind: Matcher(common) for _, common in apart.values()}
    matched = missed = 0
    for text, (leaves, common) in apart.items():
        for kind, matcher in matchers.items():
            values = matcher.leaves(text)
            if kind == common.kind:
                matched += values == leaves.values
                missed += values is None
            elif values is not None:  # its name is also in what it has in common with others
                assert taken_apart(json.loads(text))[0].values == values
    assert matched > 50
    assert missed < matched // 20


@pytest.mark.parametrize(
    ("first", "other"),
    [
        ({"uid": UID}, {"uid": UID.replace("5", "A")}),
        ({"generation": 3, "x": 0}, {"generation": 0, "x": 0}),
        ({"resourceVersion": "3"}, {"resourceVersion": "3a"}),
        ({"uid": UID, "creationTimestamp": "2026-01-01T00:00:00Z"}, {"uid": UID, "creationTimestamp": None}),
        ({"labels": {"app": "web"}}, {"labels": {"app": "db"}}),
        ({"namespace": "shop"}, {"namespace": "Shop"}),
        ({"name": "web-1"}, {"name": "ab"}),
    ],
)
def test_a_vm_that_differs_in_more_than_its_leaves_is_not_matched(first, other):
    _, common = taken_apart(vm_with(first))
    assert Matcher(common).leaves(written(vm_with(first))) is not None
    assert Matcher(common).leaves(written(vm_with(other))) is None


def test_two_leaves_that_are_equal_are_not_those_of_a_vm_in_which_they_differ():
    def vm(uuid: str) -> dict[str, Any]:
        return vm_with({"uid": UID}, domain={"firmware": {"uuid": uuid}})

    other = UID.replace("1", "6")
    for one, another in ((UID, other), (other, UID)):
        assert Matcher(taken_apart(vm(one))[1]).leaves(written(vm(another))) is None


@pytest.mark.parametrize("text", ["a", "\t\u2028", "ü", '\\ " /', "x" * 1900])
def test_user_data_is_a_leaf_whatever_it_says(text):
    one, two = (
        vm_with(volumes=[{"cloudInitConfigDrive": {"userData": user_data, "networkData": "n"}}])
        for user_data in ("a", text)
    )
    leaves, common = taken_apart(two)
    assert Matcher(taken_apart(one)[1]).leaves(written(two)) == leaves.values
    assert common == taken_apart(one)[1]


@pytest.mark.parametrize("text", [b"\\q", b"\\ud83d\\ude00", b"\\ud800", b"\t", b"", b"x" * 2001])
def test_user_data_that_may_be_no_text_is_not_matched(text):
    one = written(vm_with(volumes=[{"cloudInitNoCloud": {"userData": "%"}}]))
    leaves = leaves_of(one)
    assert leaves is not None
    assert Matcher(likeness(one, leaves)).leaves(one.replace(b"%", text)) is None


@pytest.mark.parametrize("name", ["Web", "a.b", "ab", "a" * 31, "1a2", "", "web\x7f1"])
def test_a_vm_with_a_name_out_of_the_ordinary_is_like_no_other(name):
    assert leaves_of(written({"metadata": {"name": name}})) is None


@pytest.mark.parametrize(
    ("vm", "plain"),
    [
        (vm_with(), True),
        (vm_with({"labels": {"app": "web-1"}, "annotations": {"of": "web-1 there"}}), True),
        (vm_with(volumes=[{"name": "web-1", "persistentVolumeClaim": {"claimName": "web-1-root"}}]), True),
        (vm_with(hostname="web-1"), True),
        (vm_with({"labels": {"web-1": "app"}}), True),
        (vm_with({"annotations": {"kubevirt.io/of": "web-1"}}), False),
        (vm_with(volumes=[{"name": "a", "containerDisk": {"image": "web-1:1"}}]), False),
        (vm_with(domain={"devices": {"disks": [{"name": "a", "disk": {"bus": "web-1"}}]}}), False),
        ({**vm_with(), "spec": {"preference": {"name": "web-1"}}}, False),
        ({**vm_with({"name": "null"}), "spec": None}, False),
        ({**vm_with(), "status": {"anything": "web-1"}}, True),
    ],
)
def test_a_name_is_plain_where_it_is_part_of_names_and_labels_alone(vm, plain):
    assert has_plain_name(taken_apart(vm)[1]) is plain


def test_stand_ins_differ_in_every_leaf():
    both = [leaf for which in (0, 1) for leaf in filling.stand_in("ns" + "umtgvx" * 40, which)]
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
    assert [result.became for result in became(str(file), "xml", plainly=False)] == expected
    assert bool(filled) == (make is plain_vm)


class Noted:
    """What is asked of one who expands VMs, of which each becomes its name."""

    def __init__(self, became: str = "admitted") -> None:
        self.expanded: list[str] = []
        self.patterns: list[Likeness] = []
        self._became = became

    def expand(self, share: files.Share, _cluster: Cluster) -> Iterator[Expansion]:
        vm = json.loads(share.part.text)
        self.expanded.append(vm["metadata"]["name"])
        yield Expansion(self._became, f"<{vm['metadata']['name']} {vm['spec']['x']}>")

    def matcher(self, common: Likeness) -> Matcher:
        self.patterns.append(common)
        return Matcher(common)


@pytest.fixture
def noted(monkeypatch: pytest.MonkeyPatch) -> Noted:
    noted = Noted()
    monkeypatch.setattr(filling, "Matcher", noted.matcher)
    return noted


def of(name: str, x: str = "a") -> files.Share:
    vm = {"metadata": {"name": name, "namespace": "team"}, "spec": {"x": x}}
    return files.Share(Part(json.dumps(vm), is_vm=True))


STAND_INS = [filling.stand_in("ns", which)[0].decode() for which in (0, 1)]


def test_after_four_vms_that_are_alike_two_stand_ins_are_expanded_for_the_others(noted):
    fillers = filling.Fillers(noted.expand, Cluster(), None)
    for number in range(3):
        assert fillers.of(of(f"vm-{number}")) is None
    assert noted.expanded == []
    assert fillers.of(of("vm-3")) == [Expansion("admitted", "<vm-3 a>")]
    assert noted.expanded == ["vm-3", *STAND_INS]
    for number in range(4, 200):
        assert fillers.of(of(f"vm-{number}")) == [Expansion("admitted", f"<vm-{number} a>")]
    assert noted.expanded == ["vm-3", *STAND_INS]


def test_vms_of_several_kinds_are_counted_apart(noted):
    fillers = filling.Fillers(noted.expand, Cluster(), None)
    expansions = [fillers.of(of(f"vm-{number}", x)) for number in range(5) for x in ("a", "b")]
    assert [None if expansion is None else expansion[0].output for expansion in expansions] == [
        *[None] * 6,
        *("<vm-3 a>", "<vm-3 b>", "<vm-4 a>", "<vm-4 b>"),
    ]


@pytest.mark.parametrize(
    ("x", "became", "expanded"),
    [
        ("vm-{}", "admitted", ["vm-3"]),  # the name is in what may mean something
        ("a", "unsupported", ["vm-3", *STAND_INS]),
    ],
)
def test_vms_that_cannot_be_filled_in_are_expanded_by_others(noted, x, became, expanded):
    noted._became = became
    fillers = filling.Fillers(noted.expand, Cluster(), None)
    unfilled = [fillers.of(of(f"vm-{number}", x.format(number))) is None for number in range(80)]
    assert unfilled == [True, True, True, False, *[True] * 76]
    assert noted.expanded == expanded
    assert noted.patterns == []


def test_vms_that_become_what_no_stand_in_shows_are_expanded_by_others(noted):
    def expand(share: files.Share, cluster: Cluster) -> Iterator[Expansion]:
        (expansion,) = Noted.expand(noted, share, cluster)
        yield Expansion("admitted", expansion.output + "!" * ("vm-" in expansion.output))

    fillers = filling.Fillers(expand, Cluster(), None)
    expansions = [fillers.of(of(f"vm-{number}")) for number in range(80)]
    assert expansions == [*[None] * 3, [Expansion("admitted", "<vm-3 a>!")], *[None] * 76]
    assert noted.expanded == ["vm-3", *STAND_INS]


def test_a_pattern_is_made_after_thirty_two_vms_that_were_filled_in(noted):
    fillers = filling.Fillers(noted.expand, Cluster(), None)
    for number in range(36):
        assert noted.patterns == []
        fillers.of(of(f"vm-{number}"))
    assert [common.text for common in noted.patterns] == [
        b'{"metadata":{"name":"\x7f0\x7f","namespace":"\x7f1\x7f"},"spec":{"x":"a"}}'
    ]
    for number in range(36, 100):
        assert fillers.of(of(f"vm-{number}")) == [Expansion("admitted", f"<vm-{number} a>")]
    assert len(noted.patterns) == 1


def test_vms_of_a_namespace_with_objects_are_not_filled_in(noted):
    fillers = filling.Fillers(noted.expand, Cluster(OBJECTS), None)
    for number in range(50):
        fillers.of(of(f"vm-{number}"))
    share = of("vm-51")._replace(part=Part(of("vm-51").part.text.replace("team", "claims"), is_vm=True))
    assert fillers.of(share) is None
    assert fillers.of(of("vm-52")) == [Expansion("admitted", "<vm-52 a>")]


def test_no_more_than_some_patterns_are_kept(noted, monkeypatch):
    monkeypatch.setattr(filling, "_PATTERNS", 2)
    fillers = filling.Fillers(noted.expand, Cluster(), None)
    held = []
    for x in "abcde":
        for number in range(36):
            fillers.of(of(f"vm-{number}", x))
        held.append(sum(map(len, fillers._matchers.values())))
    assert held == [1, 2, 1, 2, 1]


def test_of_too_many_kinds_those_are_kept_that_can_be_filled_in(noted, monkeypatch):
    monkeypatch.setattr(filling, "_KINDS", 4)
    fillers = filling.Fillers(noted.expand, Cluster(), None)

    def meet(kinds: str, number: int) -> list[bool]:
        return [fillers.of(of(f"vm-{index}", x)) is not None for x in kinds for index in range(number)]

    def remembered() -> list[bool]:
        return [isinstance(kind, filling._Filler) for kind in fillers._kinds.values()]

    steps = [("ab", 4), ("cd", 1), ("e", 1), ("f", 4), ("g", 1), ("h", 1)]
    held = []
    for kinds, number in steps:
        meet(kinds, number)
        held.append(remembered())
    assert held == [
        [True, True],
        [True, True, False, False],
        [True, True, False],
        [True, True, True],
        [True, True, True, False],
        [False],
    ]


class Looked(NamedTuple):
    """A part of a file of which it is noted that somebody looks at it."""

    number: int
    at: list[int]
    text: str = "{}"
    named: None = None

    @property
    def is_vm(self) -> bool:
        self.at.append(self.number)
        return True


def test_after_many_vms_in_a_row_that_are_like_none_only_some_are_compared(noted):
    fillers = filling.Fillers(noted.expand, Cluster(), None)
    at: list[int] = []
    for number in range(200):
        assert fillers.of(files.Share(Looked(number, at))) is None
    assert at == [*range(129), 160, 192]
    for number in range(200, 225):
        fillers.of(files.Share(Looked(number, at)))
    for number in range(4):
        fillers._missed = 0
        fillers.of(of(f"vm-{number}"))
    del at[:]
    for number in range(130):
        fillers.of(files.Share(Looked(number, at)))
    assert at == [*range(129)]


def test_the_last_of_what_is_remembered():
    fillers = filling.Fillers(Noted().expand, Cluster(), None)
    for number in range(1 << 14):
        fillers._count(b"%d" % number, 0)
    assert len(fillers._kinds) == 1 << 14
    fillers._count(b"one more", 0)
    assert fillers._kinds == {b"one more": 1}
    fillers._count(b"many", 4)
    assert fillers._kinds == {b"one more": 1}


def test_stand_ins_are_no_vms_by_chance():
    first, second = (filling.stand_in("ns" + "umtgvx", which) for which in (0, 1))
    shapes = [
        leaves.SHAPES[sort].fullmatch(leaf) is not None
        for stand_in in (first, second)
        for sort, leaf in zip("nsumtgvx", stand_in, strict=True)
    ]
    assert shapes == [True] * 16
    assert (first[:2], [len(leaf) for leaf in second[:2]]) == ((b"zxnj", b"zxsj"), [30, 30])
    assert [leaf.decode()[:6] for leaf in (first[4], second[4])] == ["2031-0", "2032-0"]


def test_a_namespace_that_is_left_out_is_the_default():
    text = written({"metadata": {"name": "web-1"}, "spec": {}})
    leaves = leaves_of(text)
    assert leaves == Leaves("n-", (b"web-1", b"default"))
    assert Matcher(likeness(text, leaves)).leaves(text.replace(b"web-1", b"db-17")) == (b"db-17", b"default")


@pytest.mark.parametrize(
    ("text", "named", "in_json"),
    [
        ("name: web\n", None, b'{"name":"web"}'),
        ("- name: web\n", None, b'{"name":"web"}'),
        ("name: web\n", {"kind": "VirtualMachine"}, b'{"kind":"VirtualMachine","name":"web"}'),
        ('{"name": "web"}', {"kind": "VirtualMachine"}, b'{"kind":"VirtualMachine","name":"web"}'),
        ("name: &anchor web\n", None, None),
        ("- name: web\n- name: db\n", None, None),
        ("{name: web}", {"kind": "VirtualMachine"}, None),
        ("web\n", None, None),
    ],
)
def test_a_vm_that_is_not_plainly_written_has_to_be_expanded(text, named, in_json):
    assert filling._compact(Part(text, is_vm=True, named=named)) == in_json
