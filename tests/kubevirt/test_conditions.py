"""Which KubeVirt release counts: the one asked for, the environment's, the KubeVirt CR's, the newest."""

from typing import Any

import pytest

from virtcatalog.errors import ManifestError
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.conditions import Conditions, choose_release
from virtcatalog.releases import DEFAULT, RELEASES, find_release


def kubevirt(observed: str | None, name: str = "kubevirt") -> dict[str, Any]:
    status = {"status": {"observedKubeVirtVersion": observed}} if observed else {}
    return {"apiVersion": "kubevirt.io/v1", "kind": "KubeVirt", "metadata": {"name": name}, **status}


@pytest.mark.parametrize(
    ("named", "declared", "observed", "chosen"),
    [
        (None, "", None, DEFAULT.name),
        (None, "", "v1.8.4", "v1.8.4"),
        (None, "", "v1.8.1", "v1.8.4"),
        (None, "v1.7.4", None, "v1.7.4"),
        (None, "v1.7.4", "v1.8.4", "v1.7.4"),
        ("v1.9.0", "v1.7.4", "v1.8.4", "v1.9.0"),
        ("v1.7.4", "v1.8.4", None, "v1.7.4"),
        ("v1.7.4", "", "v0.1.0", "v1.7.4"),
    ],
)
def test_what_is_nearest_to_the_question_counts(
    named: str | None, declared: str, observed: str | None, chosen: str
) -> None:
    release = find_release(named) if named else None
    assert choose_release(Conditions(release=release), declared, [kubevirt(observed)]).release is RELEASES[chosen]


@pytest.mark.parametrize(
    ("named", "declared", "observed", "overruled"),
    [
        (None, "", "v1.8.4", ""),
        ("v1.8.4", "v1.8.4", "v1.8.4", ""),
        ("v1.8.4", "v1.8.2", "v1.8.1", ""),
        ("v1.9.0", "v1.8.4", None, "KubeVirt v1.9.0 counts, though overlays.yaml says v1.8.4"),
        (
            None,
            "v1.8.4",
            "v1.9.0",
            "KubeVirt v1.8.4 counts, though KubeVirt/kubevirt says v1.9.0 (status.observedKubeVirtVersion)",
        ),
        (
            "v1.9.0",
            "v1.8.4",
            "v1.5.2",
            """KubeVirt v1.9.0 counts, though overlays.yaml says v1.8.4 and \
KubeVirt/kubevirt says v1.5.2 (status.observedKubeVirtVersion)""",
        ),
    ],
)
def test_what_contradicts_it_is_told(named: str | None, declared: str, observed: str | None, overruled: str) -> None:
    release = find_release(named) if named else None
    assert choose_release(Conditions(release=release), declared, [kubevirt(observed)]).overruled == overruled


def test_the_last_kubevirt_cr_counts() -> None:
    assert choose_release(Conditions(), "", [kubevirt("v1.7.4"), kubevirt("v1.8.4", "other")]).release.name == "v1.8.4"
    assert choose_release(Conditions(), "", [kubevirt("v1.7.4"), kubevirt(None)]).release is DEFAULT


@pytest.mark.parametrize(
    ("observed", "tag", "chosen"),
    [
        (None, "v1.8.4", "v1.8.4"),
        (None, "v1.7.0", "v1.7.4"),
        ("v1.7.4", "v1.8.4", "v1.7.4"),  # an upgrade that has just begun
        (None, "v1.6.0", DEFAULT.name),
        (None, "main", DEFAULT.name),
        (None, 1, DEFAULT.name),
    ],
)
def test_a_cr_of_git_says_which_images_it_wants(observed: str | None, tag: Any, chosen: str) -> None:
    cr = {**kubevirt(observed), "spec": {"imageTag": tag}}
    assert choose_release(Conditions(), "", [cr]).release.name == chosen


def test_images_of_another_release_are_told_by_their_field() -> None:
    cr = {**kubevirt(None), "spec": {"imageTag": "v1.8.4"}}
    message = choose_release(Conditions(), "v1.9.0", [cr]).overruled
    assert message == "KubeVirt v1.9.0 counts, though KubeVirt/kubevirt says v1.8.4 (spec.imageTag)"


def test_a_cluster_that_runs_an_unknown_release_is_not_guessed_at() -> None:
    with pytest.raises(ManifestError) as raised:
        Cluster([kubevirt("v1.5.2")])
    (problem,) = raised.value.problems
    unknown = f"KubeVirt 'v1.5.2' is not modelled; known are {', '.join(RELEASES)}"
    assert (problem.object, problem.field, problem.message) == (
        "KubeVirt/kubevirt",
        "status.observedKubeVirtVersion",
        f"{unknown}; name the release to ask about to overrule this field",
    )


def test_a_branch_is_no_build() -> None:
    with pytest.raises(ManifestError) as raised:
        Cluster([kubevirt("main")])
    (problem,) = raised.value.problems
    assert problem.message == (
        "KubeVirt 'main' is the name of a branch, and of no build; name the release to ask about to overrule this field"
    )


def test_the_usual_release_counts_where_nobody_names_one() -> None:
    usual = Conditions(usual=RELEASES["v1.7.4"])
    assert choose_release(usual, "", []).release.name == "v1.7.4"
    assert choose_release(usual, "", [kubevirt("v1.8.4")]).release.name == "v1.8.4"
