"""Argo CD's health checks, whole: `make sync-judge` has Argo CD's own code run them over objects in every state."""

from __future__ import annotations

import pytest

from virtcatalog.gitops.health import SCRIPTS, config_map


@pytest.mark.parametrize("kind", SCRIPTS)
def test_the_script_of_a_kind(snapshot, kind):
    assert SCRIPTS[kind] == snapshot


def test_the_config_map_has_a_script_for_each_kind():
    data = config_map("argocd")
    labels = {
        "app.kubernetes.io/name": "argocd-cm",
        "app.kubernetes.io/part-of": "argocd",
    }  # Argo CD reads no other one
    assert data["metadata"] == {"name": "argocd-cm", "namespace": "argocd", "labels": labels}
    assert list(data["data"].values()) == list(SCRIPTS.values())
