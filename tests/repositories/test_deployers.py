"""Objects that deploy a part of a repository, and the settings and clusters that they are given."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import pytest

from virtcatalog.catalog.places import Source
from virtcatalog.errors import Problem
from virtcatalog.repositories.clusters import Cluster, clusters_in
from virtcatalog.repositories.deployers import Deployer, alike, deploys
from virtcatalog.repositories.model import Resource
from virtcatalog.repositories.settings import find_setting, is_setting, named_settings, texts_of

Data = dict[str, Any]


@pytest.mark.parametrize(
    ("version", "kind", "does"),
    [
        ("kustomize.toolkit.fluxcd.io/v1", "Kustomization", True),
        ("kustomize.toolkit.fluxcd.io", "Kustomization", True),
        ("helm.toolkit.fluxcd.io/v2", "HelmRelease", True),
        ("argoproj.io/v1alpha1", "Application", True),
        ("argoproj.io/v1alpha1", "ApplicationSet", True),
        ("kustomize.config.k8s.io/v1beta1", "Kustomization", False),
        ("argoproj.io/v1alpha1", "AppProject", False),
        ("app.k8s.io/v1beta1", "Application", False),
        ("helm.toolkit.fluxcd.io/v2", "Kustomization", False),
    ],
)
def test_what_deploys_something(version: str, kind: str, does: bool) -> None:
    assert deploys({"apiVersion": version, "kind": kind}) is does


@pytest.mark.parametrize(
    ("one", "other", "are_alike"),
    [
        ("https://git.example.org/a/b", "ssh://git@git.example.org/a/b.git", True),
        ("https://git.example.org/a/b", "git@git.example.org:a/b.git", True),
        ("https://git.example.org/a/b/", "https://user:word@GIT.example.org/a/b", True),
        ("https://git.example.org/a/b", "https://git.example.org/a/c", False),
        ("https://git.example.org/a/b", "https://git.example.com/a/b", False),
        ("https://git.example.org/a/b", "https://git.example.org/b", False),
    ],
)
def test_urls_of_one_repository(one: str, other: str, are_alike: bool) -> None:
    assert (alike(one) == alike(other)) is are_alike


def deployer(spec: Any, kind: str = "Application", namespace: str = "ops", file: str = "app.yaml") -> Deployer:
    metadata = {"name": "web", **({"namespace": namespace} if namespace else {})}
    data = {"kind": kind, "metadata": metadata, "spec": spec}
    return Deployer(Resource(data, lambda field: Source(file, 1 + len(field), 2)))


@pytest.mark.parametrize(
    ("spec", "folders"),
    [
        ({}, []),
        (None, []),
        ({"path": "./vms"}, ["vms"]),
        ({"path": "/vms/"}, ["vms"]),
        ({"path": "../vms"}, []),
        ({"source": {"path": "vms"}}, ["vms"]),
        ({"sources": [{"path": "a"}, {"chart": "x"}, "x", {"path": "b"}]}, ["a", "b"]),
        ({"sourceHydrator": {"drySource": {"path": "dry"}}}, ["dry"]),
        ({"path": 5}, []),
    ],
)
def test_the_folders_that_it_may_deploy(spec: Any, folders: list[str]) -> None:
    assert deployer(spec).folders == folders


def test_what_an_object_is_known_by() -> None:
    own = deployer({"a": 1})
    assert (own.kind, own.name, own.namespace, own.key) == ("Application", "web", "ops", "app.yaml:1:2")
    assert deployer({}, namespace="").namespace == ""
    assert own == deployer({"a": 1})
    assert hash(own) == hash(deployer({"a": 1}))
    assert own != deployer({"a": 2})
    assert own != deployer({"a": 1}, file="other.yaml")
    assert own != "app.yaml:1:2"


def test_fields_are_looked_up_by_their_type() -> None:
    own = deployer({"a": {"b": [1, {"c": "x"}]}, "t": "x", "n": None})
    assert own.get("a", "b", 1, "c") == "x"
    assert own.get("a", of=dict) == {"b": [1, {"c": "x"}]}
    assert [own.get(*path) for path in (("x",), ("t", "x"), ("a", "b", 2), ("n",))] == [None] * 4
    assert own.get("a", of=list) is None
    assert (own.text("t"), own.text("a"), own.text("x")) == ("x", "", "")
    assert (list(own.items("a", "b")), list(own.items("t"))) == ([1, {"c": "x"}], [])
    references = {"postBuild": {"substituteFrom": [1]}, "valuesFrom": [2]}
    assert deployer(references).references == [1, 2]
    assert own.problem("spec.t", "is wrong") == Problem("app.yaml", 7, 2, "Application/ops/web", "spec.t", "is wrong")
    assert deployer({}, namespace="").problem("", "is wrong").object == "Application/web"


def setting(kind: str, namespace: str, name: str = "c", **data: Any) -> Resource:
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return Resource({"apiVersion": "v1", "kind": kind, "metadata": metadata, **data}, lambda _: Source("c.yaml"))


@pytest.mark.parametrize(
    ("reference", "namespace", "position"),
    [
        ({"kind": "ConfigMap", "name": "c"}, "ops", 0),
        ({"kind": "ConfigMap", "name": "c"}, "shop", 1),
        ({"kind": "ConfigMap", "name": "c"}, "", 2),
        ({"kind": "Secret", "name": "c"}, "ops", None),
        ({"kind": "ConfigMap", "name": "d"}, "ops", None),
        ({"kind": "ConfigMap"}, "ops", None),
        ({"name": "c"}, "ops", None),
        ({"kind": 1, "name": "c"}, "ops", None),
        ("x", "ops", None),
    ],
)
def test_a_setting_is_found_by_kind_and_name_in_the_namespace_or_in_none(
    reference: Any, namespace: str, position: int | None
) -> None:
    settings = [setting("ConfigMap", "ops"), setting("ConfigMap", ""), setting("ConfigMap", "default")]
    expected = settings[position] if position is not None else None
    assert find_setting(settings, reference, namespace) is expected


def test_settings_that_may_be_named() -> None:
    settings = [setting("ConfigMap", "ops"), setting("ConfigMap", ""), setting("ConfigMap", "shop")]
    named = named_settings(settings, [{"kind": "ConfigMap", "name": "c"}, "x"], "ops")
    assert named == settings[:2]


def test_what_is_a_setting() -> None:
    kinds = (("v1", "ConfigMap"), ("v1", "Secret"), ("v1", "Service"), ("x/v1", "Secret"))
    assert [is_setting({"apiVersion": version, "kind": kind}) for version, kind in kinds] == [True, True, False, False]


@pytest.mark.parametrize(
    ("kind", "data", "texts"),
    [
        ("ConfigMap", {"data": {"a": "x", "b": 1}, "stringData": {"c": "y"}}, {"a": "x", "b": "1"}),
        ("ConfigMap", {"data": None}, {}),
        ("ConfigMap", {"data": ["x"]}, {}),
        ("Secret", {"data": {"a": "eA==", "b": "eQ=="}, "stringData": {"b": "z"}}, {"a": "x", "b": "z"}),
        ("Secret", {"data": {"a": "no base64", "b": b64encode(b"\xff").decode(), "c": "eA=="}}, {"c": "x"}),
        ("Secret", {"data": {"a": "YWJ\njYWI=\r\n", "b": "YWJj="}}, {"a": "abcab"}),
        ("Secret", {}, {}),
    ],
)
def test_the_texts_of_a_setting(kind: str, data: Data, texts: dict[str, str]) -> None:
    assert texts_of({"kind": kind, **data}) == texts


def cluster(**changes: Any) -> Data:
    metadata = {"labels": {"argocd.argoproj.io/secret-type": "cluster", "zone": "a"}, "annotations": {"note": "x"}}
    data = {"name": "eu", "server": "https://eu.example.org", "project": "shop"}
    return {"kind": "Secret", "metadata": metadata, "stringData": data, **changes}


def test_secrets_declare_clusters() -> None:
    labels = {"argocd.argoproj.io/secret-type": "cluster", "zone": "a"}
    expected = Cluster("eu", "https://eu.example.org", labels, {"note": "x"}, "shop")
    assert list(clusters_in([cluster()])) == [expected]
    others = [
        cluster(kind="ConfigMap"),
        cluster(metadata={"labels": {"argocd.argoproj.io/secret-type": "repository"}}),
        cluster(metadata={}),
        cluster(stringData={"name": "eu"}),
        cluster(stringData={"server": "https://eu.example.org"}),
    ]
    assert list(clusters_in([*others, cluster()])) == [expected]
    bare = cluster(metadata={"labels": labels}, stringData={"name": "eu", "server": "https://eu.example.org"})
    assert list(clusters_in([bare])) == [Cluster("eu", "https://eu.example.org", labels)]
    assert expected.parameters == {
        "name": "eu",
        "nameNormalized": "eu",
        "server": "https://eu.example.org",
        "project": "shop",
        "metadata": {"labels": labels, "annotations": {"note": "x"}},
    }
