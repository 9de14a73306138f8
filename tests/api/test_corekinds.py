"""Kubernetes' own kinds: checked by its schemas, and not at all is no answer."""

from importlib.metadata import version

import pytest

from virtcatalog.api import corekinds
from virtcatalog.api.corekinds import check_core
from virtcatalog.errors import VirtcatalogError


@pytest.mark.parametrize(
    ("manifest", "fields"),
    [
        ({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "stringData": {"a": "b"}}, []),
        ({"apiVersion": "v1", "kind": "Secret", "stringDate": {}}, [("stringDate",)]),
        ({"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass"}, [("provisioner",)]),
        ({"apiVersion": "example.org/v1", "kind": "Secret", "colour": "blue"}, []),
    ],
)
def test_what_the_schema_has_against_a_manifest(manifest, fields):
    assert [path for path, _ in check_core(manifest)] == fields


def test_without_the_schemas_nothing_passes(monkeypatch):
    monkeypatch.setattr(corekinds, "KUBERNETES", "1.3.0")
    corekinds._schemas.cache_clear()
    corekinds._validator.cache_clear()
    try:
        with pytest.raises(VirtcatalogError) as caught:
            check_core({"apiVersion": "v1", "kind": "Secret"})
        assert str(caught.value) == (
            f"the installed kubernetes-validate {version('kubernetes-validate')} has no schemas of Kubernetes 1.3.0, "
            "by which Kubernetes' own kinds are checked: install kubernetes-validate 1.34.1 or later"
        )
    finally:
        corekinds._schemas.cache_clear()
