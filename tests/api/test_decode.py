"""From data to types and back, and everything that is wrong with a manifest at once."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import msgspec
import pytest

from virtcatalog import api
from virtcatalog.api import names
from virtcatalog.api.core import PersistentVolumeClaim, ResourceFieldSelector
from virtcatalog.api.decode import clone, convert, copier, decode_manifest, decode_pruned, manifest_name, to_manifest
from virtcatalog.api.devices import Disk, DiskTarget, FeatureState
from virtcatalog.api.domainspec import CPU, FeatureHyperv, Features, Machine, Memory
from virtcatalog.api.findings import field_path, inspect
from virtcatalog.api.kinds import KINDS, READ, kind_type
from virtcatalog.api.kubevirt import VirtualMachine, VirtualMachineInstanceTemplateSpec
from virtcatalog.api.object import Constant, Object, Status
from virtcatalog.api.operator import CertConfig
from virtcatalog.api.quantity import Quantity
from virtcatalog.api.shape import Either, Leaf, List, Map, Shape, Struct, struct_of
from virtcatalog.api.volumes import HostDisk
from virtcatalog.errors import ManifestError


def machine(domain: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    template = {"spec": {"domain": {"devices": {}, **(domain or {})}, **spec}}
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": "web", "namespace": "shop"},
        "spec": {"template": template},
    }


def problems(manifest: Any, kind: type[Object] | None = None) -> list[tuple[str, str]]:
    with pytest.raises(ManifestError) as caught:
        decode_manifest(manifest, kind)
    return [(problem.field, problem.message) for problem in caught.value.problems]


DOMAIN = "spec.template.spec.domain"


@pytest.mark.parametrize(
    ("domain", "field", "message"),
    [
        ({"cpus": {}}, "cpus", "unknown field 'cpus'; did you mean 'cpu'?"),
        ({"xyzzy": 1}, "xyzzy", "unknown field 'xyzzy'"),
        ({"cpu": {"cores": "2"}}, "cpu.cores", "must be an integer, not the string '2': leave the quotes out"),
        ({"cpu": {"cores": True}}, "cpu.cores", "must be an integer, not the boolean true"),
        ({"cpu": {"cores": 1.5}}, "cpu.cores", "must be an integer, not the number 1.5"),
        ({"cpu": {"cores": -1}}, "cpu.cores", "-1 is out of range: it must be from 0 to 4294967295"),
        ({"cpu": {"cores": 2**80}}, "cpu.cores", f"{2**80} is out of range: it must be from 0 to 4294967295"),
        ({"cpu": []}, "cpu", "must be a map, not a list"),
        (
            {"cpu": {"model": False}},
            "cpu.model",
            (
                "must be a string, not the boolean false: quote it (YAML reads bare yes, no, on, off, true and false as"
                " booleans)"
            ),
        ),
        ({"cpu": {"model": 486}}, "cpu.model", "must be a string, not the number 486: quote it"),
        (
            {"cpu": {"dedicatedCpuPlacement": "yes"}},
            "cpu.dedicatedCpuPlacement",
            "must be true or false, not the string 'yes': leave the quotes out",
        ),
        (
            {"memory": {"guest": "1gi"}},
            "memory.guest",
            "'1gi' is not a quantity such as 2, 0.5, 500m, 1Gi or 1e9; did you mean 1Gi?",
        ),
        (
            {"memory": {"guest": {}}},
            "memory.guest",
            "must be a quantity such as 2, 500m or 1Gi, not a map",
        ),
        ({"devices": {"disks": {}}}, "devices.disks", "must be a list, not a map"),
        ({"devices": {"disks": [{"disk": {}}]}}, "devices.disks[0].name", "is required"),
        ({"devices": {"disks": [None]}}, "devices.disks[0]", "an item of a list cannot be null"),
        ({"devices": None}, "devices", "is required"),
    ],
)
def test_what_does_not_fit_is_one_problem_at_its_field(domain: dict[str, Any], field: str, message: str) -> None:
    assert problems(machine(domain)) == [(f"{DOMAIN}.{field}", message)]


def test_an_enum_lists_what_is_allowed() -> None:
    assert problems(machine(dnsPolicy="none")) == [
        (
            "spec.template.spec.dnsPolicy",
            "'none' is none of ClusterFirst, ClusterFirstWithHostNet, Default, None; did you mean 'None'?",
        )
    ]


def test_an_empty_text_is_none_of_an_enum_that_may_be_left_out() -> None:
    disk = {"name": "a", "containerDisk": {"image": "i", "imagePullPolicy": ""}}
    manifest = machine(
        dnsPolicy="",
        tolerations=[{"key": "a", "operator": "", "effect": ""}],
        readinessProbe={"httpGet": {"port": 80, "scheme": ""}},
        volumes=[disk],
    )
    assert to_manifest(decode_manifest(manifest))["spec"]["template"]["spec"] == {
        "domain": {"devices": {}, "resources": {}},
        "tolerations": [{"key": "a"}],
        "readinessProbe": {"httpGet": {"port": 80}},
        "volumes": [{"name": "a", "containerDisk": {"image": "i"}}],
    }


@pytest.mark.parametrize(
    ("text", "right"),
    [
        *[(text, True) for text in ("5m", "1h30m", "1.5h", "-.5s", "+0", "3\u00b5s2ns")],
        *[(text, False) for text in ("5 minutes", "1d", "5", "", "m", "1H", "1h 5m", "-")],
    ],
)
def test_a_duration_is_numbers_with_units(text: str, right: bool) -> None:
    problems = inspect({"duration": text}, CertConfig)[1]
    assert problems == ([] if right else [(("duration",), f"must be a string such as 1h30m, not {text!r}")])


def test_all_problems_come_at_once_with_the_object() -> None:
    manifest = machine({"cpu": {"cores": "x"}, "memory": {"guest": "x"}}, volumes=[{"name": "a", "pvc": {}}])
    with pytest.raises(ManifestError) as caught:
        decode_manifest(manifest)
    assert [problem.field for problem in caught.value.problems] == [
        f"{DOMAIN}.cpu.cores",
        f"{DOMAIN}.memory.guest",
        "spec.template.spec.volumes[0].pvc",
    ]
    assert {problem.object for problem in caught.value.problems} == {"VirtualMachine/shop/web"}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (("spec", "disks", 0, "name"), "spec.disks[0].name"),
        (("metadata", "labels", "example.org/x"), "metadata.labels[example.org/x]"),
        ((), ""),
    ],
)
def test_paths_are_written_as_the_api_writes_them(path: tuple[str | int, ...], text: str) -> None:
    assert field_path(path) == text


def test_null_is_silence() -> None:
    manifest = machine({"cpu": {"cores": None}, "memory": None}, nodeSelector={"a": None}, volumes=None)
    manifest["metadata"]["creationTimestamp"] = None
    manifest["status"] = None
    vm = decode_manifest(manifest, VirtualMachine)
    spec = vm.spec.template.spec
    assert (spec.domain.cpu, spec.domain.memory, spec.node_selector, spec.volumes) == (CPU(), None, {}, [])


def test_whole_floats_are_integers() -> None:
    vm = decode_manifest(machine({"cpu": {"cores": 2.0}}), VirtualMachine)
    assert vm.spec.template.spec.domain.cpu == CPU(cores=2)


def test_what_a_cluster_adds_is_taken() -> None:
    manifest = machine()
    manifest["metadata"] |= {
        "uid": "u",
        "resourceVersion": "1",
        "creationTimestamp": "2026-01-01T00:00:00Z",
        "managedFields": [{"manager": "kubectl", "operation": "Update", "fieldsV1": {"f:spec": {".": {}}}}],
    }
    manifest["status"] = {"printableStatus": "Running", "conditions": [{}], "instancetypeRef": {"name": "m.small"}}
    vm = decode_manifest(manifest, VirtualMachine)
    assert vm.status
    assert vm.status.instancetype_ref
    assert vm.status.instancetype_ref.name == "m.small"


def test_the_callers_data_is_not_changed_or_kept() -> None:
    manifest = machine({"cpu": None}, nodeSelector={"a": "b"})
    vm = decode_manifest(manifest, VirtualMachine)
    vm.spec.template.spec.node_selector["c"] = "d"
    assert manifest == machine({"cpu": None}, nodeSelector={"a": "b"})


@pytest.mark.parametrize(
    ("manifest", "expected"),
    [
        ([], [("", "a manifest is a map, not a list")]),
        ({}, [("apiVersion", "is required"), ("kind", "is required")]),
        (
            {"apiVersion": 1, "kind": ""},
            [("apiVersion", "must be a string, not the number 1"), ("kind", "is required")],
        ),
        ({"apiVersion": "v1", "kind": "Pod"}, [("kind", "Pod of v1 is not a kind with a type here")]),
        (
            {"apiVersion": "instancetype.kubevirt.io/v1alpha2", "kind": "VirtualMachinePreference"},
            [
                (
                    "apiVersion",
                    (
                        "instancetype.kubevirt.io/v1alpha2 of VirtualMachinePreference is not served;"
                        " convert it to instancetype.kubevirt.io/v1beta1 with `virtcatalog convert`"
                    ),
                )
            ],
        ),
    ],
)
def test_a_manifest_says_what_it_is(manifest: Any, expected: list[tuple[str, str]]) -> None:
    assert problems(manifest) == expected


def test_another_kind_than_the_wanted_one() -> None:
    assert problems({"apiVersion": "v1", "kind": "Pod"}, VirtualMachine) == [
        ("kind", "a VirtualMachine of kubevirt.io/v1 is wanted, not a Pod of v1")
    ]


def test_kinds_by_name() -> None:
    assert kind_type("kubevirt.io/v1", "VirtualMachine") is VirtualMachine
    assert kind_type("kubevirt.io/v1alpha3", "VirtualMachine") is VirtualMachine
    assert kind_type("v1", "VirtualMachine") is None
    assert all(kind_type(version, kind).__name__ == kind for version, kinds in KINDS.items() for kind in kinds)


def test_a_template_may_lack_its_spec() -> None:
    template = convert({}, VirtualMachineInstanceTemplateSpec)
    assert to_manifest(template) == {"metadata": {}, "spec": {"domain": {"devices": {}, "resources": {}}}}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (HostDisk(path="/d", type="Disk"), {"path": "/d", "type": "Disk", "capacity": "0"}),
        (ResourceFieldSelector(resource="limits.cpu"), {"resource": "limits.cpu", "divisor": "0"}),
        (Machine(), {"type": ""}),
        (Memory(guest=Quantity.parse("1.5Gi")), {"guest": "1536Mi"}),
        (CPU(cores=0, model=""), {}),
        (Disk(name="a", disk=DiskTarget(), shareable=False), {"name": "a", "disk": {}, "shareable": False}),
    ],
)
def test_what_is_written_out_is_what_go_writes(value: Object, expected: dict[str, Any]) -> None:
    assert to_manifest(value) == expected


def test_manifests_are_written_in_the_usual_order() -> None:
    assert list(to_manifest(decode_manifest(machine()))) == ["apiVersion", "kind", "metadata", "spec"]


def test_a_clone_shares_nothing_that_changes() -> None:
    vm = decode_manifest(
        machine({"memory": {"guest": "0.5Ki"}, "devices": {"disks": [{"name": "a"}]}}, nodeSelector={"a": "b"}),
        VirtualMachine,
    )
    copy = clone(vm)
    assert copy == vm
    spec, other = vm.spec.template.spec, copy.spec.template.spec
    assert other.domain.memory is not None
    assert spec.domain.memory is not None
    assert other.domain.memory.guest is spec.domain.memory.guest
    other.domain.devices.disks[0].name = "b"
    other.domain.devices.disks.append(Disk(name="c"))
    other.node_selector["x"] = "y"
    assert [disk.name for disk in spec.domain.devices.disks] == ["a"]
    assert spec.node_selector == {"a": "b"}


def test_a_constant_is_its_own_clone() -> None:
    features = Features(hyperv=FeatureHyperv(relaxed=FeatureState()))
    assert clone(features) is features
    name = "hyperv"  # mypy would refuse it by name
    with pytest.raises(AttributeError, match="immutable"):
        setattr(features, name, None)


def test_a_clone_keeps_what_its_type_would_refuse() -> None:
    broken = CPU(cores=-5, sockets=2**70)
    assert clone(broken) == broken
    assert clone(broken) is not broken


def test_convert_is_strict() -> None:
    with pytest.raises(msgspec.ValidationError, match="unknown field"):
        convert({"core": 1}, CPU)


def leaves(shape: Shape, seen: set[int]) -> list[Leaf]:
    if id(shape) in seen:
        return []
    seen.add(id(shape))
    if isinstance(shape, Leaf):
        return [shape]
    inner: list[Shape] = []
    if isinstance(shape, Struct):
        inner += (field.shape for field in shape.fields.values())
    elif isinstance(shape, Either):
        inner += shape.members
    elif isinstance(shape, Map | List):
        inner.append(shape.value if isinstance(shape, Map) else shape.item)
    return [leaf for part in inner for leaf in leaves(part, seen)]


@pytest.mark.parametrize(
    ("version", "kind"), [(version, kind) for version, kinds in KINDS.items() for kind in kinds if kind not in READ]
)
def test_numbers_beyond_64_bits_are_refused_where_nobody_looks_for_them(version: str, kind: str) -> None:
    """`is_text` leaves limits to `convert`, which knows none beyond those of 64 bits with a sign."""
    typed = kind_type(version, kind)
    assert typed is not None
    sizes = leaves(struct_of(typed), set())
    assert sizes
    assert not [leaf for leaf in sizes if leaf.most is not None and leaf.most >= 2**63]


@pytest.mark.parametrize("cores", [2**33, 2**64, 2**80])
def test_what_is_text_is_read_as_other_manifests(cores: int) -> None:
    manifest = machine({"cpu": {"cores": cores}})
    with pytest.raises(ManifestError) as caught:
        decode_manifest(manifest, is_text=True)
    assert [(problem.field, problem.message) for problem in caught.value.problems] == problems(manifest)


def types_of_the_api() -> list[type[Object | Constant]]:
    for module in iter_modules(api.__path__):
        import_module(f"{api.__name__}.{module.name}")
    kinds: list[type[Object | Constant]] = []
    below: list[type[Object | Constant]] = [Object, Constant, Status]
    while below:
        inner = below.pop().__subclasses__()
        below += inner
        kinds += (kind for kind in inner if kind.__module__.startswith(f"{api.__name__}."))
    return kinds


def test_what_a_manifest_leaves_out_has_gos_zero_value() -> None:
    """But for pointers, which are None, and fields that a manifest must have."""
    types = types_of_the_api()
    assert len(types) > 200
    values = {
        f"{kind.__name__}.{field.name}": field.default
        for kind in types
        for field in msgspec.structs.fields(kind)
        if isinstance(field.default, str | int | float)
    }
    assert len(values) > 250
    assert {name: value for name, value in values.items() if value not in ("", 0, False)} == {}


@pytest.mark.parametrize(
    ("value", "field", "shown"),
    [
        ({"a": "b\ud800"}, "spec.template.metadata.annotations.a", "b\\ud800"),
        ({"a\udc00": "b"}, "spec.template.metadata.annotations[a\\udc00]", "a\\udc00"),
    ],
)
def test_half_a_surrogate_pair_is_no_character(value: dict[str, str], field: str, shown: str) -> None:
    manifest = machine()
    manifest["spec"]["template"]["metadata"] = {"annotations": value}
    message = f"the string '{shown}' holds half a surrogate pair, which is no character"
    assert problems(manifest) == [(field, message)]


def managed(fields: Any) -> dict[str, Any]:
    """A VM with data that may be anything: its managers' fields."""
    manifest = machine()
    manifest["metadata"]["managedFields"] = [{"manager": "kubectl", "fieldsV1": {"f:spec": fields}}]
    return manifest


def nested(levels: int, innermost: Any) -> Any:
    for _ in range(levels):
        innermost = {"f:a": innermost}
    return innermost


@pytest.mark.parametrize("fields", [2**80, nested(300, {}), {"f:a": object()}, {1: 2}])
def test_what_may_be_anything_is_not_looked_into(fields: Any) -> None:
    vm = decode_manifest(managed(fields), VirtualMachine)
    assert vm.metadata.managed_fields[0].fields_v1 == {"f:spec": fields}


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (nested(100_000, {}), "maximum recursion depth exceeded"),
        (nested(300, "\ud800"), "surrogates not allowed"),
    ],
)
def test_what_lies_too_deep_for_its_path_is_refused_without_one(fields: Any, message: str) -> None:
    ((field, problem),) = problems(managed(fields))
    assert (field, message in problem) == ("", True)


def claim(**spec: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "a"}, "spec": spec}


def test_what_a_type_has_not_is_dropped_and_told() -> None:
    read, dropped = decode_pruned(claim(volumeName="b"), PersistentVolumeClaim)
    assert (read.spec.volume_name, dropped) == ("b", [])
    read, dropped = decode_pruned(claim(**{"x\ud800": 1}, volumeName="b", z={}), PersistentVolumeClaim)
    assert (read.spec.volume_name, dropped) == (
        "b",
        [(("spec", "x\\ud800"), "unknown field 'x\\ud800'"), (("spec", "z"), "unknown field 'z'")],
    )


@pytest.mark.parametrize("spec", [{"volumeName": 1}, {"volumeName": 1, "x": 1}])
def test_and_what_is_wrong_otherwise_is_refused(spec: dict[str, Any]) -> None:
    with pytest.raises(ManifestError) as caught:
        decode_pruned(claim(**spec), PersistentVolumeClaim)
    assert [str(problem) for problem in caught.value.problems] == [
        "PersistentVolumeClaim/a: spec.volumeName: must be a string, not the number 1: quote it"
    ]


@pytest.mark.parametrize(
    ("manifest", "name"),
    [
        ({"kind": "A", "metadata": {"namespace": "b", "name": "c"}}, "A/b/c"),
        ({"kind": "A", "metadata": {"namespace": "", "name": "c"}}, "A/c"),
        ({"kind": 1, "metadata": {"namespace": 2, "name": "c"}}, "c"),
        ({"kind": "A", "metadata": ["b"]}, "A"),
        ({}, ""),
        ([], ""),
        (None, ""),
    ],
)
def test_a_manifest_is_called_by_what_it_has_of_a_name(manifest: Any, name: str) -> None:
    assert manifest_name(manifest) == name


def test_copies_are_made_again_and_again() -> None:
    vm = decode_manifest(machine({"memory": {"guest": "1Gi"}}, nodeSelector={"a": "b"}), VirtualMachine)
    make = copier(vm)
    one, other = make(), make()
    one.spec.template.spec.node_selector["c"] = "d"
    assert other == vm != one
    flat = CPU(cores=2)
    assert clone(flat) == flat
    assert clone(flat) is not flat
    broken = CPU(cores=-5, sockets=2**70)
    assert copier(broken)() == broken
    negative = Disk(name="a", boot_order=-1)
    assert copier(negative)() == negative


def test_what_no_type_is_for_is_neither_read_nor_written() -> None:
    with pytest.raises(NotImplementedError):
        to_manifest(CPU(model=complex(1, 2)))
    with pytest.raises(NotImplementedError):
        convert({"word": 1}, Odd)


class Odd(Object):
    """A struct with a field of a type that no API has."""

    word: complex


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("DEPRECATED_LABEL", "instancetype.kubevirt.io/deprecated"),
        ("DISABLE_PCI_HOLE64", "kubevirt.io/disablePCIHole64"),
        ("EVEN_PARITY", "alpha.kubevirt.io/EmulatorThreadCompleteToEvenParity"),
        ("IGNITION", "kubevirt.io/ignitiondata"),
        ("NON_ROOT", "kubevirt.io/nonroot"),
        ("PLACE_ON_ROOT_COMPLEX", "kubevirt.io/placePCIDevicesOnRootComplex"),
        ("QGS_SOCKET", "kubevirt.io/qgs-socket-path"),
        ("APPLIED_PRESET", "virtualmachinepreset.kubevirt.io/"),
    ],
)
def test_annotations_and_labels_are_kubevirts(name: str, text: str) -> None:
    """Of those that are read in several places a slip would be in all of them."""
    assert getattr(names, name) == text
