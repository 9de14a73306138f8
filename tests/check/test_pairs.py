"""The requirement table."""

from collections import Counter

import pytest

from conformance.cases import catalog
from sampling import thorough
from virtcatalog.catalog.places import Source
from virtcatalog.check import pairs as module
from virtcatalog.check.minimal import host_of, minimal_vm
from virtcatalog.check.pairs import Judge, Shared, distinct, pairs
from virtcatalog.check.subject import Subject
from virtcatalog.errors import VirtcatalogError
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.pipeline import create_vmi


def subject(manifest):
    return Subject(manifest=manifest, origin="import", place=lambda _: Source("x"))


def obj(kind, name, spec, namespace=""):
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return subject({"apiVersion": "instancetype.kubevirt.io/v1beta1", "kind": kind, "metadata": metadata, "spec": spec})


def a_type(name, vcpus, memory, scope="Cluster", namespace="", **rest):
    cpu = {"guest": vcpus, **rest}
    return obj(f"VirtualMachine{scope}Instancetype", name, {"cpu": cpu, "memory": {"guest": memory}}, namespace)


def a_preference(name, spec, scope="Cluster", namespace=""):
    return obj(f"VirtualMachine{scope}Preference", name, spec, namespace)


def test_every_pair_and_why_it_does_not_fit():
    judged_pairs = pairs(
        [
            a_type("t.small", 1, "1Gi"),
            a_type("t.large", 4, "8Gi"),
            a_preference("big", {"requirements": {"cpu": {"guest": 4}, "memory": {"guest": "8Gi"}}}),
            a_preference("spread", {"cpu": {"preferredCPUTopology": "spread"}}),
        ]
    )
    assert [(pair.instancetype, pair.preference, pair.fits, pair.field) for pair in judged_pairs] == [
        ("t.large", "big", True, ""),
        ("t.large", "spread", True, ""),
        ("t.small", "big", False, "spec.instancetype"),
        ("t.small", "spread", False, "instancetype.spec.cpu.guest"),
    ]


def test_a_pair_of_which_nobody_can_tell_does_not_fit():
    long = a_preference("long", {"machine": {"preferredMachineType": "q" * 500}})
    (pair,) = pairs([a_type("t", 1, "1Gi"), long])
    assert (pair.fits, pair.field) == (False, "spec.template.spec.domain.machine.type")
    assert pair.reason.startswith("not supported by virtcatalog: a machine, or a pattern of emulatedMachines, of more")


def test_what_depends_on_both_is_found_by_expanding():
    three = {"cpu": {"preferredCPUTopology": "sockets"}}
    one = {"cpu": {"preferredCPUTopology": "cores"}}
    judged_pairs = pairs(
        [a_type("t.s", 4, "1Gi", maxSockets=2), a_preference("one", one), a_preference("three", three)]
    )
    assert [(pair.preference, pair.fits) for pair in judged_pairs] == [("one", True), ("three", False)]


@pytest.mark.parametrize(
    ("types", "preference", "fitting"),
    [
        (
            [a_type("t1", 2, "1Gi", maxSockets=2), a_type("t2", 3, "1Gi", maxSockets=2), a_type("t3", 3, "1Gi")],
            {"cpu": {"preferredCPUTopology": "sockets"}},
            ["t1", "t3"],
        ),
        (
            [a_type(f"t{vcpus}", vcpus, "1Gi", dedicatedCPUPlacement=True) for vcpus in (1, 2, 3, 4)],
            {"cpu": {"preferredCPUTopology": "threads"}},
            ["t1", "t2"],
        ),
        (
            [a_type(f"t{vcpus}", vcpus, "1Gi", dedicatedCPUPlacement=True) for vcpus in (1, 2)],
            {"cpu": {"preferredCPUTopology": "threads"}, "preferredArchitecture": "arm64"},
            ["t1"],
        ),
        (
            [a_type(f"t{vcpus}", vcpus, "1Gi", model=model) for vcpus, model in ((1, "none/such"), (2, "Skylake"))],
            {"requirements": {"cpu": {"guest": 2}}},
            ["t2"],
        ),
    ],
    ids=["more sockets than the most", "threads of dedicated CPUs", "threads of arm64", "another model"],
)
def test_types_that_differ_in_their_numbers_are_told_apart_where_that_counts(types, preference, fitting):
    judged_pairs = pairs([*types, a_preference("p", preference)])
    assert [pair.instancetype for pair in judged_pairs if pair.fits] == fitting


@pytest.mark.parametrize(
    ("number", "types", "preference"),
    [
        (2, [a_type(f"t{vcpus}", vcpus, f"{vcpus}Gi", maxSockets=8) for vcpus in (1, 2, 3, 4, 8)], {}),
        (2, [a_type("t1", 1, "1Gi"), a_type("t2", 1, "1Gi", model="Skylake")], {}),
        (2, [a_type(f"t{vcpus}", vcpus, "1Gi", maxSockets=1) for vcpus in (2, 3)], {}),
    ],
)
def test_a_vm_is_expanded_for_each_kind_of_pair_that_fits_and_each_pair_that_does_not(
    number, types, preference, monkeypatch
):
    expanded = []

    def note(vm, cluster):
        expanded.append(vm["spec"]["instancetype"]["name"])
        return create_vmi(vm, cluster)

    monkeypatch.setattr(module, "create_vmi", note)
    list(pairs([*types, a_preference("p", preference)]))
    assert len(expanded) == number, expanded


def test_the_namespaced_twin_of_an_object_is_no_object_of_its_own():
    twins = [a_type("t.s", 1, "1Gi"), a_type("t.s", 1, "1Gi", scope=""), a_type("t.s", 2, "1Gi", "", "lab")]
    types, _ = distinct(twins)
    assert [(instancetype.kind, instancetype.namespace) for instancetype in types] == [
        ("VirtualMachineClusterInstancetype", ""),
        ("VirtualMachineInstancetype", "lab"),
    ]


def test_objects_of_two_namespaces_are_no_pair():
    one = a_type("t.s", 1, "1Gi", "", "one")
    assert list(pairs([one, a_preference("p", {}, "", "two")])) == []
    assert len(list(pairs([one, a_preference("p", {}, "", "one")]))) == 1


class TestCommonInstancetypes:
    @pytest.fixture
    def objects(self):
        return [subject(manifest) for manifest in catalog()]

    def test_440_of_3705_pairs_do_not_fit(self, objects):
        assert Counter(pair.fits for pair in pairs(objects)) == {True: 3265, False: 440}

    @thorough
    def test_each_pair_is_judged_as_if_its_vm_were_expanded(self, objects):
        types, preferences = distinct(objects)
        cluster = Cluster(subject.manifest for subject in objects)
        expanded = {
            (left.name, right.name): create_vmi(minimal_vm(left, right), cluster).admitted
            for left in types
            for right in preferences
        }
        assert {(pair.instancetype, pair.preference): pair.fits for pair in pairs(objects)} == expanded


def test_pairs_of_a_run_have_a_limit(monkeypatch):
    objects = [a_type(f"t{number}", 1, "1Gi") for number in range(20)]
    objects += [a_preference(f"p{number}", {}) for number in range(20)]
    monkeypatch.setattr(module, "PAIRS", 400 + 50)  # one VM is expanded for all that are alike
    assert sum(pair.fits for pair in pairs(objects)) == 400
    shared = Shared()
    list(pairs(objects, shared=shared))
    with pytest.raises(VirtcatalogError, match=r"^a run judges 450 pairs .* fewer environments, or split the catalog$"):
        list(pairs(objects, shared=shared))


def test_objects_that_are_alike_are_admitted_alone_once_a_run(monkeypatch):
    monkeypatch.setattr(module, "PAIRS", 2 * 50)
    shared = Shared()
    for _ in range(9):
        objects = [a_type("t", 1, "1Gi"), a_preference("p", {})]
        assert all(map(Judge(objects, shared=shared).admits, objects))
    other = a_type("t", 2, "1Gi")
    with pytest.raises(
        VirtcatalogError,
        match=r"^a run judges 100 pairs .* at most \(one that a site shows counts as 2\), and here are more: ",
    ):
        Judge([other], shared=shared).admits(other)


def test_looking_for_vcpus_that_cannot_be_spread_counts_as_a_pair(monkeypatch):
    monkeypatch.setattr(module, "PAIRS", 3)
    small, spread = a_type("t", 1, "1Gi"), a_preference("p", {"cpu": {"preferredCPUTopology": "spread"}})
    judge = Judge([small, spread])
    assert [judge.fails_to_spread(small, spread) for _ in range(3)] == [True, True, True]
    with pytest.raises(VirtcatalogError, match=r"^a run judges 3 pairs of an instance type and a preference at most "):
        judge.fails_to_spread(small, spread)


class TestHostOfAPreference:
    def test_has_what_the_preference_requires(self):
        host = host_of(a_preference("p", {"requirements": {"cpu": {"guest": 6}, "memory": {"guest": "3Gi"}}}))
        assert host.manifest == {
            "apiVersion": "instancetype.kubevirt.io/v1beta1",
            "kind": "VirtualMachineClusterInstancetype",
            "metadata": {"name": "check.6.3gi"},
            "spec": {"cpu": {"guest": 6}, "memory": {"guest": "3Gi"}},
        }

    @pytest.mark.parametrize(
        ("cpu", "vcpus"),
        [
            ({}, 1),
            ({"preferredCPUTopology": "spread"}, 2),
            ({"preferredCPUTopology": "spread", "spreadOptions": {"ratio": 3}}, 3),
            ({"preferredCPUTopology": "spread", "spreadOptions": {"across": "CoresThreads"}}, 2),
            ({"preferredCPUTopology": "spread", "spreadOptions": {"across": "SocketsCoresThreads"}}, 4),
        ],
    )
    def test_has_vcpus_that_it_can_spread(self, cpu, vcpus):
        assert host_of(a_preference("p", {"cpu": cpu})).spec["cpu"] == {"guest": vcpus}
