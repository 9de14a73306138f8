"""Argo CD's build environment, as Go fills in variables."""

from __future__ import annotations

import pytest

from virtcatalog.catalog.places import Source
from virtcatalog.repositories.buildenvironment import expanded
from virtcatalog.repositories.deployers import Deployer
from virtcatalog.repositories.model import Resource

SPEC = {
    "destination": {"namespace": "prod"},
    "source": {"repoURL": "https://example.org/fleet", "path": "vms", "targetRevision": "main"},
}
DATA = {"kind": "Application", "metadata": {"name": "web"}, "spec": SPEC}


def filled(text: str, **spec: str) -> str:
    data = {**DATA, "spec": {**SPEC, **spec}}
    return expanded(text, Deployer(Resource(data, lambda _: Source("app.yaml"))), ("source",))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("$ARGOCD_APP_NAME-${ARGOCD_APP_NAMESPACE}/x", "web-prod/x"),
        ("$ARGOCD_APP_PROJECT_NAME", "default"),
        ("$ARGOCD_APP_SOURCE_REPO_URL $ARGOCD_APP_SOURCE_PATH", "https://example.org/fleet vms"),
        ("$ARGOCD_APP_SOURCE_TARGET_REVISION", "main"),
        ("$ARGOCD_APP_REVISION ${ARGOCD_APP_REVISION_SHORT}", "$ARGOCD_APP_REVISION ${ARGOCD_APP_REVISION_SHORT}"),
        ("$$ARGOCD_APP_NAME $$$$", "$ARGOCD_APP_NAME $$"),
        ("a$6$salt$hash-b", "a-b"),
        ("$1a ${a b}c ${}d ${e", "a c d e"),
        ("$ a$", "$ a$"),
        ("$é", "$é"),
    ],
)
def test_variables_are_filled_in_and_others_are_empty(text: str, expected: str) -> None:
    assert filled(text) == expected


def test_a_project_that_is_named() -> None:
    assert filled("$ARGOCD_APP_PROJECT_NAME", project="shop") == "shop"
