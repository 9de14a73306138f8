"""Which labels follow from a declaration, which of these restate the spec, and which are promised for ever."""

from __future__ import annotations

import pytest

from virtcatalog.catalog.labels import (
    DERIVED_LABELS,
    INSTANCETYPE_LABELS,
    PREFERENCE_LABELS,
    PREFIX,
    instancetype_labels,
    preference_labels,
    promised,
    requirement_labels,
    spec_labels,
)

TYPE = {
    "cpu": {
        "guest": 2,
        "numa": {"guestMappingPassthrough": {}},
        "dedicatedCPUPlacement": True,
        "isolateEmulatorThread": True,
        "realtime": {},
    },
    "memory": {"guest": "4Gi", "hugepages": {"pageSize": "2Mi"}},
    "gpus": [{"name": "a", "deviceName": "x/y"}],
}
PREFERENCE = {
    "preferredArchitecture": "arm64",
    "requirements": {"architecture": "amd64", "cpu": {"guest": 2}, "memory": {"guest": "4Gi"}},
}
PROMISED = {"class", "version", "size", "os-type", "arch", "vendor"}


def test_a_type_that_has_everything_has_every_label() -> None:
    labels = instancetype_labels("m", "2", "small", TYPE)
    assert labels == {
        f"{PREFIX}{key}": value
        for key, value in {
            "class": "m",
            "size": "small",
            "version": "2",
            "cpu": "2",
            "memory": "4Gi",
            "hugepages": "2Mi",
            "numa": "true",
            "dedicatedCPUPlacement": "true",
            "isolateEmulatorThread": "true",
            "realtime": "true",
            "gpus": "true",
        }.items()
    }
    assert {key.removeprefix(PREFIX) for key in labels} == INSTANCETYPE_LABELS.keys()


def test_a_type_that_has_the_least_has_no_empty_label() -> None:
    spec = {"cpu": {"guest": 1}, "memory": {"guest": "1Gi"}}
    assert instancetype_labels("m", "", "", spec) == {
        f"{PREFIX}class": "m",
        f"{PREFIX}cpu": "1",
        f"{PREFIX}memory": "1Gi",
    }
    assert spec_labels(spec).keys() == INSTANCETYPE_LABELS.keys() - {"class", "version", "size"}


@pytest.mark.parametrize(
    ("arch", "without", "derived"),
    [
        ("s390x", (), "s390x"),
        ("", (), "arm64"),
        ("", ("preferredArchitecture",), "amd64"),
        ("", ("preferredArchitecture", "requirements"), ""),
    ],
)
def test_the_architecture_of_a_preference(arch: str, without: tuple[str, ...], derived: str) -> None:
    spec = {key: value for key, value in PREFERENCE.items() if key not in without}
    assert preference_labels("linux", arch, spec).get(f"{PREFIX}arch", "") == derived


def test_a_preference_that_has_everything_has_every_label() -> None:
    labels = preference_labels("linux", "", PREFERENCE)
    assert {key.removeprefix(PREFIX) for key in labels} == PREFERENCE_LABELS.keys()
    assert requirement_labels({}) == dict.fromkeys(PREFERENCE_LABELS.keys() - {"os-type", "arch"}, "")
    assert requirement_labels(PREFERENCE) == {
        "preferred-architecture": "arm64",
        "required-architecture": "amd64",
        "required-cpu": "2",
        "required-memory": "4Gi",
    }


@pytest.mark.parametrize("key", DERIVED_LABELS)
def test_what_restates_the_spec_is_not_promised(key: str) -> None:
    """The spec is, by itself."""
    assert (key in promised({key: "a"})) is (key.removeprefix(PREFIX) in PROMISED)


def test_labels_of_the_catalogs_own_are_promised_in_order() -> None:
    assert [*promised({"b": "1", "a/b": "2", f"{PREFIX}cpu": "3"}).items()] == [("a/b", "2"), ("b", "1")]
