"""Who wrote a field, and what syncs a VM, as the API server notes it."""

from __future__ import annotations

from typing import Any

import pytest

from virtcatalog.api.findings import Item
from virtcatalog.live.managers import Managers, role_of


@pytest.mark.parametrize(
    ("role", "names"),
    [
        (
            "gitops",
            (
                "argocd-controller argocd-application-controller kustomize-controller helm-controller fleetagent "
                "kapp-controller configsync.gke.io sveltos configsync.gke.io:root-sync"
            ),
        ),
        ("apply", "kubectl-client-side-apply kapp helm Helm ansible OpenAPI-Generator"),
        ("virtctl", "virt-api"),
        (
            "kubevirt",
            (
                "virt-controller virt-operator virt-handler virt-launcher virt-template-controller cdi-controller "
                "cdi-operator kubemacpool"
            ),
        ),
        ("hand", "kubectl kubectl-edit kubectl-patch Mozilla virt-apis my-kapp None"),
    ],
)
def test_a_manager_is_known_by_its_name(role: str, names: str) -> None:
    assert {name: role_of(name, "Update") for name in names.split()} == dict.fromkeys(names.split(), role)


def test_kubectl_is_a_hand_unless_it_applies_on_the_server() -> None:
    assert [role_of("kubectl", operation) for operation in ("Apply", "Update", "")] == ["apply", "hand", "hand"]


@pytest.mark.parametrize(
    ("key", "controller"),
    [
        ("argocd.argoproj.io/tracking-id", "Argo CD"),
        ("argocd.argoproj.io/instance", "Argo CD"),
        ("kustomize.toolkit.fluxcd.io/name", "Flux"),
        ("helm.toolkit.fluxcd.io/name", "Flux"),
        ("app.kubernetes.io/instance", ""),
    ],
)
@pytest.mark.parametrize("where", ["labels", "annotations"])
def test_a_controller_knows_its_own_objects_by_a_label_or_an_annotation(where: str, key: str, controller: str) -> None:
    assert Managers({"metadata": {where: {key: "x"}}}).synced_by == controller


def entry(manager: str, time: str = "", **others: Any) -> dict[str, Any]:
    return {
        "manager": manager,
        "operation": "Update",
        "time": time,
        "fieldsV1": {"f:spec": {"f:running": {}}},
        **others,
    }


def test_a_manager_that_syncs_git_comes_before_labels() -> None:
    metadata = {"labels": {"argocd.argoproj.io/instance": "x"}, "managedFields": [entry("kubectl"), entry("sveltos")]}
    assert Managers({"metadata": metadata}).synced_by == "sveltos"


def test_who_wrote_a_field_last_is_the_first_and_what_is_of_its_status_does_not_count() -> None:
    entries = [
        entry("helm", "2026-01-01T00:00:00Z"),
        entry("kubectl-edit", "2026-03-01T00:00:00Z"),
        entry("virt-api", "2026-02-01T00:00:00Z"),
        entry("virt-controller", "2026-04-01T00:00:00Z", subresource="status"),
    ]
    managers = Managers({"metadata": {"managedFields": entries}})
    assert [str(writer) for writer in managers.writers(("spec", "running"))] == [
        "kubectl-edit, 2026-03-01T00:00:00Z",
        "virt-api, 2026-02-01T00:00:00Z",
        "helm, 2026-01-01T00:00:00Z",
    ]
    assert managers.writer(("spec", "template")) is None


@pytest.mark.parametrize(
    ("fields", "has"),
    [
        ({"f:spec": {"f:template": {}}}, True),  # the map as a whole
        ({"f:spec": {"f:template": {"f:cpu": {"f:cores": {}}}}}, True),
        ({"f:spec": {"f:template": {"f:cpu": {"f:sockets": {}}}}}, False),
        ({"f:spec": {"f:running": {}}}, False),
        ({}, False),
        (None, False),
    ],
)
def test_a_field_is_written_by_itself_or_with_what_is_around_it(fields: Any, has: bool) -> None:
    managers = Managers({"metadata": {"managedFields": [{"manager": "kubectl", "fieldsV1": fields}]}})
    assert bool(managers.writers(("spec", "template", "cpu", "cores"))) == has


@pytest.mark.parametrize("metadata", [None, {"managedFields": "x"}, {"managedFields": ["x"]}, {"labels": "x"}])
def test_what_is_no_note_of_the_servers_says_nothing(metadata: Any) -> None:
    managers = Managers({"metadata": metadata})
    assert (managers.synced_by, managers.created, managers.writers(("spec",))) == ("", "", [])


NAMED = {"f:spec": {"f:disks": {'k:{"name":"root"}': {"f:bus": {}}, "k:nothing": {"f:bus": {}}, 'v:"root"': {}}}}
NAMED["f:spec"]["f:disks"]["k:" + "[" * 100_000] = {"f:bus": {}}


@pytest.mark.parametrize(("name", "has"), [("root", True), ("data", False), ("nothing", False)])
def test_an_item_of_a_list_is_known_by_its_name(name: str, has: bool) -> None:
    managers = Managers({"metadata": {"managedFields": [{"manager": "kubectl", "fieldsV1": NAMED}]}})
    assert bool(managers.writers(("spec", "disks", Item(name), "bus"))) == has


@pytest.mark.parametrize(
    ("manager", "operation", "applied"),
    [
        ("argocd-controller", "Apply", True),
        ("kubectl", "Apply", True),
        ("helm", "Apply", True),
        ("argocd-controller", "Update", False),
        ("helm", "Update", False),
        ("virt-controller", "Apply", False),
        ("somebody", "Apply", False),
    ],
)
def test_what_the_server_applied_for_git_is_known_field_by_field(manager: str, operation: str, applied: bool) -> None:
    fields = {
        "f:metadata": {"f:labels": {"f:app": {}}},
        "f:spec": {".": {}, "f:template": {"f:cpu": {}, "f:gone": {}}, "f:disks": {'k:{"name":"root"}': {}}},
    }
    vm = {
        "metadata": {
            "labels": {"app": "db", "by": "hand"},
            "managedFields": [{"manager": manager, "operation": operation, "fieldsV1": fields}],
        },
        "spec": {"template": {"cpu": {"cores": 2}, "memory": 1}, "disks": [{"name": "root"}], "running": True},
    }
    assert Managers(vm).applied(vm) == (
        {
            "metadata": {"labels": {"app": "db"}},
            "spec": {"template": {"cpu": {"cores": 2}}, "disks": [{"name": "root"}]},
        }
        if applied
        else {}
    )
