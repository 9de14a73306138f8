"""How a unit is applied, as the object of Flux or Argo CD says that deploys it."""

from __future__ import annotations

from typing import Any

import pytest

from virtcatalog.catalog.places import Source
from virtcatalog.repositories.deployers import Deployer
from virtcatalog.repositories.model import Resource, Syncing
from virtcatalog.repositories.syncing import option_set, syncing, wave_of

WAVE = "argocd.argoproj.io/sync-wave"
FLUX = Syncing(tool="Flux", kind="Kustomization", prunes=False, own=("Kustomization", "ops", "web"))
HELM = Syncing(tool="Flux", kind="HelmRelease", waits=True, own=("HelmRelease", "ops", "web"))
ARGOCD = Syncing(
    tool="Argo CD", kind="Application", automatic=False, prunes=False, allows_empty=False,
    own=("Application", "ops", "web"),
)  # fmt: skip
AUTOMATIC = {"automatic": True, "retries": 5}
AUTOMATED = {"automated": {}}


def resource(data: dict[str, Any]) -> Resource:
    return Resource(data, lambda _: Source("app.yaml"))


def syncing_of(kind: Any, spec: dict[str, Any], *settings: Resource, annotations: Any = None) -> Syncing:
    metadata = {"name": "web", "namespace": "ops", "annotations": annotations or {}}
    return syncing(Deployer(resource({"kind": kind, "metadata": metadata, "spec": spec})), kind, settings)


def differing(syncing: Syncing, default: Syncing) -> dict[str, Any]:
    """The fields of one that are not those of the other."""
    names = Syncing.__struct_fields__
    return {name: getattr(syncing, name) for name in names if getattr(syncing, name) != getattr(default, name)}


@pytest.mark.parametrize(
    ("spec", "differs"),
    [
        ({}, {}),
        ({"suspend": True, "prune": True, "wait": True}, {"suspended": True, "prunes": True, "waits": True}),
        ({"suspend": False, "prune": False, "wait": False}, {}),
        ({"suspend": "true", "prune": "true", "wait": "true"}, {}),
        (
            {"healthChecks": [{"kind": "VirtualMachine", "name": "web", "namespace": "shop"}, {"kind": "Job"}, "x"]},
            {"watched": {("VirtualMachine", "shop", "web"), ("Job", "", "")}},
        ),
        (
            {"dependsOn": [{"name": "types"}, {"name": "net", "namespace": "infra"}, "x"]},
            {"after": {("Kustomization", "ops", "types"), ("Kustomization", "infra", "net")}},
        ),
    ],
)
def test_a_kustomization_of_flux(spec: dict[str, Any], differs: dict[str, Any]) -> None:
    assert differing(syncing_of("Kustomization", spec), FLUX) == differs


@pytest.mark.parametrize(
    ("spec", "waits"),
    [
        ({}, True),
        ({"wait": True}, True),
        ({"install": {"disableWait": True}}, True),
        ({"upgrade": {"disableWait": True}}, True),
        ({"install": {"disableWait": True}, "upgrade": {"disableWait": True}}, False),
        ({"waitStrategy": {"name": "legacy"}}, False),
        ({"waitStrategy": {"name": "poller"}}, True),
    ],
)
def test_a_release_of_flux(spec: dict[str, Any], waits: bool) -> None:
    assert differing(syncing_of("HelmRelease", spec), HELM) == ({} if waits else {"waits": False})
    assert syncing_of("HelmRelease", {**spec, "suspend": True}).suspended


@pytest.mark.parametrize(
    ("policy", "differs"),
    [
        ({}, {}),
        (AUTOMATED, AUTOMATIC),
        ({"automated": {"enabled": True}}, AUTOMATIC),
        ({"automated": {"enabled": False, "prune": True, "selfHeal": True}}, {}),
        ({"automated": {"prune": True, "selfHeal": True}}, {**AUTOMATIC, "prunes": True, "heals": True}),
        ({"automated": {"prune": False, "selfHeal": False, "allowEmpty": False}}, AUTOMATIC),
        ({"automated": {"allowEmpty": True}}, {**AUTOMATIC, "allows_empty": True}),
        ({**AUTOMATED, "retry": {"limit": 2}}, {"automatic": True, "retries": 2}),
        ({**AUTOMATED, "retry": {}}, {"automatic": True}),
        ({"retry": {"limit": 2}}, {"retries": 2}),
        ({"syncOptions": ["ServerSideApply=true", 1]}, {"options": {"ServerSideApply=true"}}),
    ],
)
def test_an_application_of_argo_cd(policy: dict[str, Any], differs: dict[str, Any]) -> None:
    assert differing(syncing_of("Application", {"syncPolicy": policy}), ARGOCD) == differs


def test_what_an_application_ignores() -> None:
    rule = {"kind": "VirtualMachine", "jsonPointers": ["/spec"]}
    assert syncing_of("Application", {"ignoreDifferences": [rule, "x"]}).ignored == (rule,)


def settings(**data: str) -> list[Resource]:
    return [
        resource({"kind": "ConfigMap", "metadata": {"name": name, "namespace": "argocd"}, "data": {key: data[name]}})
        for name, key in (
            ("argocd-cmd-params-cm", "controller.diff.server.side"),
            ("argocd-cm", "resource.customizations.health.kubevirt.io_VirtualMachine"),
        )
        if name in data
    ]


@pytest.mark.parametrize(
    ("setting", "option", "is_on"),
    [
        ("", "", False),
        ("true", "", True),
        ("false", "", False),
        ("", "ServerSideDiff=true", True),
        ("", "IgnoreExtraneous, ServerSideDiff=true", True),
        ("true", "ServerSideDiff=false", False),
        ("false", "ServerSideDiff=true", True),
    ],
)
def test_who_compares_on_the_server(setting: str, option: str, is_on: bool) -> None:
    configured = settings(**{"argocd-cmd-params-cm": setting} if setting else {})
    annotations = {"argocd.argoproj.io/compare-options": option} if option else {}
    assert syncing_of("Application", {}, *configured, annotations=annotations).server_diff == is_on


def test_who_judges_vms_by_a_health_check_of_its_own() -> None:
    assert syncing_of("Application", {}, *settings(**{"argocd-cm": "hs = {}"})).own_health
    other = resource({"kind": "ConfigMap", "metadata": {"name": "argocd-cm"}, "data": {"x": "y"}})
    secret = resource({**settings(**{"argocd-cm": "hs = {}"})[0].data, "kind": "Secret"})
    assert not syncing_of("Application", {}, other, secret).own_health


@pytest.mark.parametrize(
    ("annotation", "wave"), [("3", 3), ("-10", -10), ("", 0), ("x", 0), ("1.5", 0), (3, 0), (None, 0)]
)
def test_the_wave_of_an_object(annotation: object, wave: int) -> None:
    assert wave_of({"metadata": {"annotations": {WAVE: annotation}}}) == wave
    assert syncing_of("Application", {}, annotations={WAVE: "4"}).wave == 4


def test_what_has_no_annotations_is_of_the_wave_0() -> None:
    assert [wave_of(manifest) for manifest in ({}, {"metadata": None}, {"metadata": {"annotations": "x"}})] == [0] * 3


def test_options_stand_behind_commas() -> None:
    assert option_set("Prune=false, Validate=false") == {"Prune=false", "Validate=false"}
    assert option_set(1) == frozenset()


def test_annotations_of_an_application_that_are_no_map_are_none() -> None:
    assert syncing_of("Application", {}, annotations=["x"]) == syncing_of("Application", {})
