"""Which objects, places and VMs depend on a name of a catalog or a folder, and what the VMs become without it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import otheryaml
from checkouts import write
from virtcatalog.ask.impact import Impact, Use, components_of, impacts
from virtcatalog.errors import VirtcatalogError
from virtcatalog.manifests.folder import held
from virtcatalog.review.dumps import Dump

CATALOG = {
    "catalog.yaml": """\
        name: test
        kubevirt: v1.9.0
        preferences: {components: [base]}
        instancetypes: {components: [idle, pinned]}
        """,
    "components.yaml": """\
        base: {spec: {devices: {preferredRng: {}}}}
        hyperv: {spec: {features: {preferredHyperv: {relaxed: {}}}}}
        pinned: {spec: {annotations: {components: pinned}}}
        idle: {}
        """,
    "instancetypes/m.yaml": """\
        class: m
        version: 7
        memoryPerVcpu: 4Gi
        sizes:
          small: {vcpus: 1}
          large: {vcpus: 4, components: [pinned]}
        variants:
          -x: {components: [pinned]}
        """,
    "preferences/windows.yaml": """\
        defaults: {components: [hyperv, base]}
        preferences:
          windows.one: {components: [hyperv]}
          windows.two: {variants: {x: {components: [hyperv]}}}
        """,
    "overlays.yaml": """\
        prod: {namespaces: [shop], clusters: [north]}
        lab: {select: {names: ['m7.small', 'windows.one']}}
        """,
    "README.md": "hyperv: {components: [hyperv]}",
    "vms.yaml": "server.yaml.j2: {environments: {lab: {}}}",
    "vms/server.yaml.j2": """\
        apiVersion: kubevirt.io/v1
        kind: VirtualMachine
        metadata: {name: server}
        spec:
          runStrategy: Always
          instancetype: {name: m7.small}
          preference: {name: windows.one}
          template: {spec: {domain: {devices: {}}}}
        """,
}
TYPE, OWN_TYPE = "VirtualMachineClusterInstancetype", "VirtualMachineInstancetype"
PREFERENCE, OWN_PREFERENCE = "VirtualMachineClusterPreference", "VirtualMachinePreference"
BOTH_WINDOWS = tuple(
    f"{kind}/{name}"
    for kind in (PREFERENCE, OWN_PREFERENCE)
    for name in ("windows.one", "windows.two", "windows.two.x")
)


def vm(name: str, matchers: str, namespace: str = "shop") -> dict[str, Any]:
    return otheryaml.load(f"""
        apiVersion: kubevirt.io/v1
        kind: VirtualMachine
        metadata: {{name: {name}, namespace: {namespace}}}
        spec:
          runStrategy: Always
          {matchers}
          template: {{spec: {{domain: {{devices: {{}}}}}}}}
        """)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write("catalog", CATALOG)


def impact_of(name: str, *vms: dict[str, Any], where: str = "", environments: tuple[str, ...] = ()) -> Impact:
    (impact,) = impacts([name], Path("catalog"), [Dump(vms, where)] if vms else [], environments=environments)
    return impact


def without(impact: Impact) -> list[tuple[str, str, str]]:
    return [(verdict.environment, verdict.vm, verdict.next) for verdict in impact.without.verdicts]


SERVER = Use("server.lab", (f"{TYPE}/m7.small",), template=True, environment="lab")
OF_WINDOWS = Use("server.lab", (f"{PREFERENCE}/windows.one",), template=True, environment="lab")
SIZES = ("m7.large", "m7.large-x", "m7.small", "m7.small-x")
OF_CLASS = tuple(f"{kind}/{name}" for kind in (TYPE, OWN_TYPE) for name in SIZES)


@pytest.mark.parametrize(
    ("name", "what", "objects", "places", "uses", "verdicts"),
    [
        (
            "m7.small",
            "instance type",
            (f"{TYPE}/m7.small", f"{OWN_TYPE}/m7.small"),
            [],
            (SERVER,),
            [("lab", "server.lab", "refused")],
        ),
        ("m7", "class", OF_CLASS, [], (SERVER,), [("lab", "server.lab", "refused")]),
        ("m", "class", OF_CLASS, [], (SERVER,), [("lab", "server.lab", "refused")]),
        (
            "windows.two",
            "preference",
            (f"{PREFERENCE}/windows.two", f"{OWN_PREFERENCE}/windows.two"),
            [],
            (),
            [],
        ),
        (
            "hyperv",
            "component",
            BOTH_WINDOWS,
            [
                "catalog/preferences/windows.yaml:1:25: mixed into defaults",
                "catalog/preferences/windows.yaml:3:30: mixed into preferences.windows.one",
                "catalog/preferences/windows.yaml:4:45: mixed into preferences.windows.two.variants.x",
            ],
            (OF_WINDOWS,),
            [("lab", "server.lab", "changed")],
        ),
        (
            "base",
            "component",
            BOTH_WINDOWS,
            [
                "catalog/catalog.yaml:3:28: mixed into preferences",
                "catalog/preferences/windows.yaml:1:33: mixed into defaults",
            ],
            (OF_WINDOWS,),
            [("lab", "server.lab", "changed")],
        ),
        (
            "pinned",
            "component",
            OF_CLASS,
            [
                "catalog/catalog.yaml:4:36: mixed into instancetypes",
                "catalog/instancetypes/m.yaml:6:34: mixed into sizes.large",
                "catalog/instancetypes/m.yaml:8:21: mixed into variants.-x",
            ],
            (SERVER,),
            [("lab", "server.lab", "changed")],
        ),
        ("idle", "component", (), ["catalog/catalog.yaml:4:30: mixed into instancetypes"], (), []),
    ],
)
def test_what_depends_on_a_name(
    name: str,
    what: str,
    objects: tuple[str, ...],
    places: list[str],
    uses: tuple[Use, ...],
    verdicts: list[tuple[str, str, str]],
) -> None:
    impact = impact_of(name)
    assert (impact.name, impact.kind, impact.objects, impact.uses) == (name, what, objects, uses)
    assert list(map(str, impact.places)) == places
    assert without(impact) == verdicts
    assert (impact.problems, impact.previews, impact.is_used) == ((), (), bool(places or uses))


def test_a_component_of_a_file_without_an_owner_is_mixed_into_the_file() -> None:
    write("catalog", {"instancetypes/s.yaml": "components: [idle]\nclass: s\nsizes: {a: {vcpus: 1, memory: 1Gi}}\n"})
    assert list(map(str, impact_of("idle").places)) == [
        "catalog/catalog.yaml:4:30: mixed into instancetypes",
        "catalog/instancetypes/s.yaml:1:14: mixed into instancetypes/s.yaml",
    ]


def test_a_component_that_something_cannot_be_without() -> None:
    write(
        "catalog",
        {
            "components.yaml": "sized: {spec: {cpu: {guest: 2}}}\n",
            "catalog.yaml": "name: test\nkubevirt: v1.9.0\n",
            "preferences/windows.yaml": "preferences: {windows.one: {}}\n",
            "instancetypes/m.yaml": (
                "class: m\nversion: 7\nmemoryPerVcpu: 1Gi\nsizes: {small: {vcpus: 1}, big: {components: [sized]}}\n"
            ),
        },
    )
    impact = impact_of("sized")
    assert list(map(str, impact.problems)) == ["catalog/instancetypes/m.yaml:4:28: sizes.big: the size has no `vcpus`"]
    assert (impact.objects, impact.uses, without(impact), impact.is_used) == ((), (), [], True)


MACHINES = (
    vm("a", "instancetype: {name: m7.small}"),
    vm("b", "instancetype: {name: m7.large}"),
    vm("c", "instancetype: {name: m7.small}", namespace="other"),
)


def small(name: str, environment: str) -> Use:
    return Use(name, (f"{TYPE}/m7.small",), environment=environment)


@pytest.mark.parametrize(
    ("where", "environments", "uses"),
    [
        ("", (), (SERVER, small("shop/a", "prod"), small("shop/a", "lab"), small("other/c", "lab"))),
        ("", ("prod",), (small("shop/a", "prod"), small("other/c", "prod"))),
        ("north", (), (SERVER, small("shop/a", "prod"), small("other/c", "prod"))),
    ],
)
def test_vms_of_dumps_are_looked_at_where_they_can_be(
    where: str, environments: tuple[str, ...], uses: tuple[Use, ...]
) -> None:
    impact = impact_of("m7.small", *MACHINES, where=where, environments=environments)
    assert impact.uses == uses
    assert sorted(without(impact)) == sorted(
        (use.environment, use.name, "refused" if use.template else "kept") for use in uses
    )


MANIFESTS = {
    "small.yaml": f"""\
        apiVersion: instancetype.kubevirt.io/v1beta1
        kind: {TYPE}
        metadata: {{name: small}}
        spec: {{cpu: {{guest: 1}}, memory: {{guest: 1Gi}}}}
        """,
    "linux.yaml": f"""\
        apiVersion: instancetype.kubevirt.io/v1beta1
        kind: {PREFERENCE}
        metadata: {{name: linux}}
        spec: {{devices: {{preferredRng: {{}}}}}}
        """,
    "volume.yaml": """\
        apiVersion: v1
        kind: PersistentVolumeClaim
        metadata:
          name: root
          namespace: shop
          labels: {instancetype.kubevirt.io/default-preference: linux}
        spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
        """,
}
ROOT = "volumes: [{name: root, persistentVolumeClaim: {claimName: root}}]"


def inferring(name: str, matcher: str) -> dict[str, Any]:
    manifest = vm(name, f"instancetype: {{name: small}}\n          preference: {{{matcher}}}")
    manifest["spec"]["template"]["spec"]["volumes"] = otheryaml.load(ROOT)["volumes"]
    return manifest


def test_in_a_folder_of_manifests_names_are_those_of_objects() -> None:
    write("folder", MANIFESTS)
    vms = [
        inferring("a", "inferFromVolume: root"),
        inferring("b", "name: linux"),
        vm("c", "instancetype: {name: small}"),
    ]
    answers = impacts(["*", "small"], Path("folder"), [Dump([*vms, otheryaml.load(MANIFESTS["volume.yaml"])])])
    assert [(answer.name, answer.kind, answer.objects, answer.places) for answer in answers] == [
        ("linux", "preference", (f"{PREFERENCE}/linux",), ()),
        ("small", "instance type", (f"{TYPE}/small",), ()),
    ]
    assert [answer.uses for answer in answers] == [
        (Use("shop/a", (f"{PREFERENCE}/linux",), inferred=True), Use("shop/b", (f"{PREFERENCE}/linux",))),
        (
            Use("shop/a", (f"{TYPE}/small",), inferred=True),
            Use("shop/b", (f"{TYPE}/small",)),
            Use("shop/c", (f"{TYPE}/small",)),
        ),
    ]


@pytest.mark.parametrize(
    ("files", "names", "environments", "places", "message"),
    [
        (
            CATALOG,
            ["m7.smal", "hyperv", "x*"],
            [],
            [],
            "folder: there is no 'm7.smal'; did you mean 'm7.small'?; there is no 'x*'",
        ),
        (CATALOG, ["idle"], ["pord"], [], "there is no environment 'pord' in folder; did you mean 'prod'?"),
        (CATALOG, ["idle"], [], ["nort"], "there is no environment or cluster 'nort' in folder; did you mean 'north'?"),
        ({"README.md": ""}, ["a"], [], [], "folder: there is no catalog.yaml, and no manifest of KubeVirt's"),
        (
            {name: MANIFESTS[name].replace("spec: {", "speck: {") for name in ("linux.yaml", "small.yaml")},
            ["small"],
            [],
            [],
            "\n".join(
                f"folder/{place}: speck: unknown field 'speck'; did you mean 'spec'?"
                for place in (f"linux.yaml:4:1: {PREFERENCE}/linux", f"small.yaml:4:1: {TYPE}/small")
            ),
        ),
    ],
)
def test_what_cannot_be_asked(
    files: dict[str, str], names: list[str], environments: list[str], places: list[str], message: str
) -> None:
    write("folder", files)
    with pytest.raises(VirtcatalogError) as error:
        impacts(names, Path("folder"), [Dump([], place) for place in places], environments=environments)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("files", "components"),
    [
        ({}, {}),
        ({"components.yaml": b""}, {}),
        ({"components.yaml": b"# none\n"}, {}),
        ({"components.yaml": b"[a]\n"}, {}),
        ({"components.yaml": b"a: {spec: {}}\n"}, {"a": {"spec": {}}}),
    ],
)
def test_the_components_of_a_folder(files, components):
    assert components_of(held(files)) == components
