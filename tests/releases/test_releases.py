"""What belongs to each release: read a change of the snapshot against KubeVirt's source at that tag."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from syrupy.assertion import SnapshotAssertion

from virtcatalog.errors import UnsupportedError
from virtcatalog.releases import (
    DEFAULT,
    PREVIEWS,
    RELEASES,
    Release,
    Stage,
    check_oldest,
    find_launcher,
    find_release,
    name_minor,
)
from virtcatalog.releases.launchers import numbers, version

EVERY = {**RELEASES, **PREVIEWS}


def launcher(release: Release) -> dict[str, Any]:
    return {**msgspec.structs.asdict(release.launcher), "takes_in": sorted(release.launcher.takes_in)}


@pytest.mark.parametrize("release", EVERY.values(), ids=EVERY)
def test_what_belongs_to_a_release(release: Release, snapshot: SnapshotAssertion) -> None:
    assert {
        **msgspec.structs.asdict(release),
        "launcher": launcher(release),
        "branch": release.branch and msgspec.structs.asdict(release.branch),
        "feature_gates": {
            stage.value: sorted(gate for gate, its in release.feature_gates.items() if its is stage) for stage in Stage
        },
        "configuration": dict(release.configuration),
        "firmware": dict(release.firmware),
        "traits": msgspec.structs.asdict(release.traits),
        "minor": release.minor,
        "preview": release.preview,
        "as text": str(release),
    } == snapshot


def test_releases_and_previews_have_an_order_and_the_newest_release_counts() -> None:
    assert list(RELEASES) == ["v1.7.4", "v1.8.4", "v1.9.0"]
    assert list(PREVIEWS) == ["release-1.8", "main"]
    assert DEFAULT.name == "v1.9.0"


@pytest.mark.parametrize(
    ("name", "release"),
    [
        ("v1.8", "v1.8.4"),
        ("v1.8.0", "v1.8.4"),
        ("v1.8.4", "v1.8.4"),
        ("v1.8.3-rc.1", "v1.8.4"),
        ("v1.8.4+build", "v1.8.4"),
        ("main", "main"),
        ("release-1.8", "release-1.8"),
    ],
)
def test_a_release_has_several_names(name: str, release: str) -> None:
    assert find_release(name).name == release


REFUSED = "release: not supported by virtcatalog: "
KNOWN = "known are v1.7.4, v1.8.4, v1.9.0"
UNKNOWN = {
    "v1.8.5": "; did you mean v1.8.4?",
    "1.8": "; did you mean v1.8.4?",
    "1.8.5": "; did you mean v1.8.4?",
    "v1.6": "",
    "v1.10": "; main is a preview of it",
    "v2.8": "",
    "v11.8": "",
    "v1.80": "",
    "v1.8.x": "; previews are release-1.8, main",
    "v1.8.0.1": "; previews are release-1.8, main",
    "v12345.8": "; previews are release-1.8, main",
    "newest": "; previews are release-1.8, main",
    "": "; previews are release-1.8, main",
}


@pytest.mark.parametrize(("name", "hint"), UNKNOWN.items())
def test_any_other_name_is_refused_with_those_that_there_are(name: str, hint: str) -> None:
    with pytest.raises(UnsupportedError) as caught:
        find_release(name)
    assert str(caught.value) == f"{REFUSED}KubeVirt {name!r} is not modelled; {KNOWN}{hint}"


@pytest.mark.parametrize(
    ("tag", "libvirt"),
    [
        ("v1.6.3", "10.10.0-13.el9"),
        ("v1.8.2", RELEASES["v1.8.4"].launcher.libvirt),
        ("v1.8.99", RELEASES["v1.8.4"].launcher.libvirt),
        ("v1.5.0", None),
        ("v1.8", None),
        ("1.8.2", None),
        ("v1.8.2-rc.0", None),
        ("devel", None),
    ],
)
def test_an_image_that_was_released_has_the_packages_of_its_minor(tag: str, libvirt: str | None) -> None:
    image = find_launcher(tag)
    assert (image and image.libvirt) == libvirt


@pytest.mark.parametrize(
    ("package", "parts", "name"),
    [
        ("10.1.0-20.el9", (10, 1, 0, 20), "10.1.0"),
        ("9.1.0-19.el9_6.2", (9, 1, 0, 19), "9.1.0"),
        ("11.9.0", (11, 9, 0), "11.9.0"),
    ],
)
def test_a_package_has_numbers_and_a_version(package: str, parts: tuple[int, ...], name: str) -> None:
    assert (numbers(package), version(package)) == (parts, name)


@pytest.mark.parametrize("name", ["v0.59.2", "v1.0", "v1.6.9", "v1.7.0", "v1.9"])
def test_the_oldest_release_is_a_modelled_one_or_older_than_these(name: str) -> None:
    check_oldest(name)


@pytest.mark.parametrize("name", ["1.6", "v1.10", "v1.7.9", "old"])
def test_no_other_is_the_oldest_release(name: str) -> None:
    with pytest.raises(UnsupportedError, match=f"^{REFUSED}KubeVirt '{name}' is not modelled; "):
        check_oldest(name)


@pytest.mark.parametrize(
    ("minor", "name"), [((1, 7), "v1.7"), ((1, 8), "v1.8"), ((1, 10), "main"), ((1, 11), "v1.11"), ((0, 59), "v0.59")]
)
def test_a_minor_that_is_not_released_is_named_by_its_branch(minor: tuple[int, int], name: str) -> None:
    assert name_minor(minor) == name
