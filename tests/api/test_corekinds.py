"""Kubernetes' own kinds: checked by its schemas, and not at all is no answer."""

from importlib.metadata import version

import pytest

from virtcatalog.api import corekinds
from virtcatalog.api.corekinds import check_core, core_schema
from virtcatalog.errors import VirtcatalogError


def secret(**fields):
    return {"apiVersion": "v1", "kind": "Secret", **fields}


def service(**port):
    return {"apiVersion": "v1", "kind": "Service", "spec": {"ports": [{"port": 80, **port}]}}


def quota(amount):
    return {"apiVersion": "v1", "kind": "ResourceQuota", "spec": {"hard": {"requests.storage": amount}}}


PORT = ("spec", "ports", 0)
STORAGE = ("spec", "hard", "requests.storage")


@pytest.mark.parametrize(
    ("manifest", "findings"),
    [
        (secret(metadata={"name": "s"}, stringData={"a": "b"}), []),
        (secret(data=None), []),
        (
            secret(stringDate={}, xyzzy=1),
            [
                (("stringDate",), "unknown field 'stringDate'; did you mean 'stringData'?"),
                (("xyzzy",), "unknown field 'xyzzy'"),
            ],
        ),
        (secret(metadata={"uid": "u", "newer": 1}, newer={}), []),
        (secret(metadata={"uid": "u"}, newer={}, data=[]), [(("data",), "must be a map, not a list")]),
        (secret(metadata={"uid": ""}, newer={}), [(("newer",), "unknown field 'newer'")]),
        (
            secret(metadata=[], newer={}),
            [(("metadata",), "must be a map, not a list"), (("newer",), "unknown field 'newer'")],
        ),
        (secret(data=[]), [(("data",), "must be a map, not a list")]),
        (secret(data={"a": 1}), [(("data", "a"), "must be a string, not the number 1")]),
        (secret(immutable="yes"), [(("immutable",), "must be true or false, not the string 'yes'")]),
        (secret(metadata={"finalizers": {}}), [(("metadata", "finalizers"), "must be a list, not a map")]),
        (service(targetPort="http"), []),
        (service(port="80"), [((*PORT, "port"), "must be an integer, not the string '80'")]),
        (service(targetPort=[]), [((*PORT, "targetPort"), "[] is not valid under any of the given schemas")]),
        (service(targetPort=["x" * 300]), [((*PORT, "targetPort"), f"['{'x' * 298}")]),
        (quota("1Gi"), []),
        (quota(None), []),
        (quota(1), []),
        (quota("1GB"), [(STORAGE, "'1GB' is not a quantity such as 2, 0.5, 500m, 1Gi or 1e9; did you mean 1Gi?")]),
        (quota(True), [(STORAGE, "must be a quantity such as 2, 500m or 1Gi, not the boolean true")]),
        (
            {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass"},
            [(("provisioner",), "is required")],
        ),
        (
            {"apiVersion": "apps/v1", "kind": "Deployment", "spec": {}},
            [(("spec", "selector"), "is required"), (("spec", "template"), "is required")],
        ),
        ({"apiVersion": "example.org/v1", "kind": "Secret", "colour": "blue"}, []),
        ({"apiVersion": "v2", "kind": "Secret", "colour": "blue"}, []),
        ({"apiVersion": "v1", "kind": "secret", "colour": "blue"}, []),
        ({"apiVersion": "v1", "kind": "", "colour": "blue"}, []),
        ({"apiVersion": "", "kind": "Secret", "colour": "blue"}, []),
        ({"apiVersion": "v1", "kind": "../v1/Secret", "colour": "blue"}, []),
        ({"apiVersion": "v1", "kind": "S" * 64, "colour": "blue"}, []),
    ],
)
def test_what_the_schema_has_against_a_manifest(manifest, findings):
    assert check_core(manifest) == findings


def test_a_kind_of_kubernetes_has_a_schema_with_what_it_refers_to():
    schema, definitions = core_schema("rbac.authorization.k8s.io/v1", "Role")
    assert schema["x-kubernetes-group-version-kind"] == [
        {"group": "rbac.authorization.k8s.io", "kind": "Role", "version": "v1"}
    ]
    assert "io.k8s.api.rbac.v1.PolicyRule" in definitions
    assert core_schema("kubevirt.io/v1", "VirtualMachine") is None


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
