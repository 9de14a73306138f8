"""What types take, as data; and that decoding, findings and schemas agree on it, whatever the data."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

import msgspec
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from syrupy.assertion import SnapshotAssertion

from sampling import examples
from virtcatalog.api.decode import convert, decode_manifest
from virtcatalog.api.findings import MANIFEST, Rules, inspect
from virtcatalog.api.kinds import KINDS, kind_type
from virtcatalog.api.object import Object, Status, Time, UInt32, UInt64, fills, since
from virtcatalog.api.quantity import Quantity
from virtcatalog.api.schema import kind_schema
from virtcatalog.api.shape import Anything, Either, Leaf, List, Map, Shape, Struct, parse_release, struct_of
from virtcatalog.catalog.check import faults
from virtcatalog.errors import ManifestError


class Part(Object):
    """Part of a thing."""

    name: str
    amount: Quantity | None = None


class Other(Object):
    """Another part."""

    size: int = 0


class Thing(Object):
    """Everything that a type can say."""

    name: Annotated[str, msgspec.Meta(min_length=1, description="Its name.")]
    count: Annotated[UInt32 | None, since("v1.3")] = None
    large: UInt64 = 0
    share: float = 0
    word: Literal["one", "two"] = "one"
    port: int | str = 0
    parts: list[Part] = []
    labels: dict[str, str] = {}
    part: Annotated[Part | Other | None, msgspec.Meta(description="One of two.")] = None
    free: dict[str, Any] = {}


def test_a_struct_is_described() -> None:
    fields = struct_of(Thing).fields
    assert fields["name"].shape == Leaf((str,), shortest=1)
    assert [name for name, field in fields.items() if field.required] == ["name"]
    assert fields["name"].notes == {"description": "Its name."}
    assert fields["count"].shape == Leaf((int,), least=0, most=2**32 - 1)
    assert fields["count"].since == (1, 3)
    assert fields["large"].shape == Leaf((int,), least=0, most=2**64 - 1)
    assert fields["word"].shape == Leaf((str,), choices=("one", "two"))
    assert fields["port"].shape == Leaf((int, str))
    assert fields["parts"].shape == List(struct_of(Part))
    assert fields["labels"].shape == Map(Leaf((str,)))
    assert fields["part"].shape == Either((struct_of(Part), struct_of(Other)))
    assert fields["free"].shape == Map(Anything())


class Filling(Object):
    """What says of its fields what they fill in."""

    one: Annotated[Annotated[str | None, since("v1.2")], fills("domain.devices.rng"), msgspec.Meta(title="x")] = None
    pair: tuple[int, str] = (0, "")
    limited: Annotated[int, msgspec.Meta(ge=1)] | Annotated[float, msgspec.Meta(le=9)] | None = None
    named: Annotated[str, msgspec.Meta(pattern="^a", examples=["a", "b"], extra_json_schema={"x": 1})] = ""
    when: Time = ""
    either: Part | str = ""


def test_what_annotations_say_is_kept() -> None:
    fields = struct_of(Filling).fields
    assert [field.fills for field in fields.values()] == ["domain.devices.rng", "", "", "", "", ""]
    assert [field.since for field in fields.values()] == [(1, 2), (), (), (), (), ()]
    assert [field.notes for field in fields.values()] == [
        {"x-kubevirt-since": "v1.2"},
        *({}, {}, {"x": 1}, {}, {}),
    ]
    assert [field.required for field in struct_of(Part).fields.values()] == [True, False]
    assert fields["pair"].shape == List(Leaf((int,)))
    assert fields["limited"].shape == Leaf((int, float), least=1, most=9)
    assert fields["named"].shape == Leaf((str,), pattern="^a", examples=("a", "b"))
    assert fields["when"].shape == Leaf((str,), is_time=True)
    assert struct_of(Filling) is struct_of(Filling)
    assert [struct_of(kind).strict for kind in (Filling, Loose)] == [True, False]


@pytest.mark.parametrize(
    ("text", "release"),
    [("v1.3", (1, 3)), ("v1.3.4", (1, 3)), ("1.10", (1, 10)), ("main", (1, 10)), ("release-1.8", (1, 8))],
)
def test_fields_come_with_minor_releases(text: str, release: tuple[int, int]) -> None:
    assert parse_release(text) == release


def problems(data: Any, rules: Rules = MANIFEST) -> list[tuple[tuple[str | int, ...], str]]:
    return inspect({"name": "x", **data}, Thing, rules)[1]


@pytest.mark.parametrize(
    ("data", "path", "message"),
    [
        ({"name": ""}, ("name",), "must not be empty"),
        ({"large": 2**64}, ("large",), f"{2**64} is out of range: it must be from 0 to {2**64 - 1}"),
        ({"count": 2**255}, ("count",), f"{2**255} is out of range"),
        ({"count": 2**256}, ("count",), "of 257 bits is out of range"),
        ({"share": "much"}, ("share",), "must be a number, not the string 'much'"),
        ({"word": "thre"}, ("word",), "'thre' is none of one, two"),
        ({"word": "tow"}, ("word",), "'tow' is none of one, two; did you mean 'two'?"),
        ({"word": 1}, ("word",), "must be one of one, two, not the number 1"),
        ({"port": True}, ("port",), "must be an integer or a string, not the boolean true"),
        (
            {"parts": [{"name": "a", "amuont": 1}]},
            ("parts", 0, "amuont"),
            "unknown field 'amuont'; did you mean 'amount'?",
        ),
        ({"parts": [{}]}, ("parts", 0, "name"), "is required"),
        ({"labels": {1: "a"}}, ("labels", "1"), "a key must be a string, not the number 1: quote it"),
        ({"labels": {"a": 1}}, ("labels", "a"), "must be a string, not the number 1: quote it"),
        ({"part": {"size": "x"}}, ("part", "size"), "must be an integer, not the string 'x'"),
        ({"part": {"name": "a", "amount": {}}}, ("part", "amount"), "must be a quantity"),
    ],
)
def test_one_finding(
    data: dict[str, Any], path: tuple[str | int, ...], message: str, snapshot: SnapshotAssertion
) -> None:
    ((at, text),) = problems(data)
    assert at == path
    assert text.startswith(message)
    assert text == snapshot


def test_rules_of_declarations() -> None:
    assert problems({"count": 2.0}) == []
    no_integer = "must be an integer, not the number 2.0"
    assert problems({"count": 2.0}, Rules(whole_floats=False)) == [(("count",), no_integer)]
    assert problems({"count": 1}, Rules(release=(1, 3))) == []
    late = "'count' needs KubeVirt v1.3, and the catalog must work with v1.2"
    assert problems({"count": 1}, Rules(release=(1, 2))) == [(("count",), late)]
    assert faults({"parts": [{}], "count": None}, Thing, fragment=True) == []
    assert faults({"name": None, "parts": [None]}, Thing, fragment=True)[0][0] == ("parts", 0)
    written = {"name": "{{ a }}", "count": "{{ b }}", "labels": "{{ c }}"}
    assert faults(written, Thing, expressions=True) == [(("labels",), "must be a map, not the string '{{ c }}'")]


def data_of(shape: Shape, *, depth: int = 3) -> st.SearchStrategy[Any]:
    """Data that nearly fits: most of it has the right type, some of it is anything."""
    return st.one_of(_fitting(shape, depth), _fitting(shape, depth), _fitting(shape, depth), ANYTHING)


FLOATS = st.floats(-1e30, 1e30)
ANYTHING = st.one_of(
    st.none(), st.booleans(), st.integers(), st.just(2**64), FLOATS, st.text(max_size=3), st.just([]), st.just({}),
    st.dictionaries(st.one_of(st.text(max_size=2), st.integers()), st.none(), max_size=1),
)  # fmt: skip


def _fitting(shape: Shape, depth: int) -> st.SearchStrategy[Any]:
    if isinstance(shape, Struct):
        required = {
            name: data_of(field.shape, depth=max(0, depth - 1))
            for name, field in shape.fields.items()
            if field.required
        }
        names = list(shape.fields) if depth else []
        chosen = st.lists(st.sampled_from(names), max_size=4, unique=True) if names else st.just([])
        return chosen.flatmap(
            lambda some: st.fixed_dictionaries(
                {**required, **{name: data_of(shape.fields[name].shape, depth=max(0, depth - 1)) for name in some}},
                optional={"unknown": st.just(1)} if depth == 1 else None,
            )
        )
    if isinstance(shape, List):
        return st.lists(data_of(shape.item, depth=depth), max_size=2)
    if isinstance(shape, Map):
        return st.dictionaries(st.text(max_size=2), data_of(shape.value, depth=depth), max_size=2)
    if isinstance(shape, Either):
        return st.one_of([_fitting(member, depth) for member in shape.members])
    if isinstance(shape, Leaf):
        if shape.choices:
            return st.sampled_from(shape.choices)
        if shape.types == (Quantity,):
            return st.sampled_from(["1Gi", "500m", 2, 1.5, "x", ""])
        plain = {str: st.text(max_size=3), int: st.integers(-2, 2**33), float: st.floats(0, 4), bool: st.booleans()}
        return st.one_of([plain[instancetype] for instancetype in shape.types])
    return ANYTHING


class Loose(Status):
    """What a controller wrote."""

    phase: str = ""
    parts: list[Part] = []
    labels: dict[str, UInt32] = {}
    ports: list[int | str] = []
    word: Literal["one", "two"] | None = None
    share: float | None = None


@pytest.mark.parametrize("kind", [Part, Other, Loose])
@settings(max_examples=examples(150))
@given(data=st.data())
def test_findings_are_what_decoding_refuses(kind: type[msgspec.Struct], data: st.DataObject) -> None:
    """What decodes has no findings, and what has none decodes once it is tidied."""
    value = data.draw(data_of(struct_of(kind)))
    tidied, findings = inspect(value, kind)
    assert not (findings and decodes(value, kind))
    assert findings or decodes(tidied, kind)


def decodes(value: Any, kind: type[msgspec.Struct]) -> bool:
    try:
        convert(value, kind)
    except (msgspec.ValidationError, ValueError):
        return False
    return True


MANIFESTS = [(version, kind_type(version, kind)) for version, kinds in KINDS.items() for kind in kinds]


@pytest.mark.parametrize(("version", "kind"), MANIFESTS, ids=[kind.__name__ for _, kind in MANIFESTS])
@settings(max_examples=examples(20))
@given(data=st.data())
def test_schema_and_decoder_agree(version: str, kind: type[Object], data: st.DataObject) -> None:
    spec = struct_of(kind).fields.get("spec")
    manifest = {"apiVersion": version, "kind": kind.__name__, "metadata": {"name": "x"}}
    if spec is not None:
        manifest["spec"] = data.draw(data_of(spec.shape))
    assume(json.loads(json.dumps(manifest)) == manifest)  # schemas are for JSON: no keys that are numbers
    try:
        decode_manifest(manifest)
        refused = ""
    except ManifestError as error:
        refused = str(error)
    errors = [error.message for error in validator(version, kind).iter_errors(manifest)]
    assert bool(errors) == bool(refused), (refused, errors)


VALIDATORS: dict[type, Draft202012Validator] = {}


def validator(version: str, kind: type[Object]) -> Draft202012Validator:
    if kind not in VALIDATORS:
        VALIDATORS[kind] = Draft202012Validator(kind_schema(version, kind))
    return VALIDATORS[kind]
