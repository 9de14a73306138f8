"""Identities that KubeVirt draws are the same everywhere, for ever: repositories hold what was made with them."""

import uuid

import pytest

from virtcatalog.kubevirt import identity


@pytest.mark.parametrize(
    ("name", "arguments", "value"),
    [
        ("generated_name", ("shop", "web-"), "web-ftkl8"),
        ("generated_name", ("shop", "w" * 70), "wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwks6h8"),
        ("firmware_uuid", ("shop", "web"), "ed4625c6-f4ea-573a-99ac-659bdfe20361"),
        ("legacy_firmware_uuid", ("web",), "d32ff544-f682-571b-8677-3762f07ab8a4"),
        ("firmware_serial", ("shop", "web"), "783d401e-f3d4-535b-8a70-d0e7682b331f"),
        ("vmi_uid", ("shop", "web"), "12a7aed1-a6f1-52fb-9250-d3ff10f5afb9"),
        ("pvc_uid", ("shop", "disk"), "36f4f357-dd0e-52f3-8482-e48e6f84541f"),
        ("type_uid", ("VirtualMachineInstancetype", "shop", "small"), "a404d67f-d673-5b77-95af-720d918f6ee8"),
        ("owner_uid", ("VirtualMachine", "shop", "web"), "3873f410-697d-5514-8b06-142aacad1e41"),
        ("owner_uid", ("VirtualMachinePool", "shop", "web"), "e290c20b-5b1b-5a28-be19-030ceeeba5bd"),
    ],
)
def test_every_identity_stays(name, arguments, value):
    assert getattr(identity, name)(*arguments) == value
    assert len(value) <= 63


def test_they_are_uuids_of_version_5():
    uid = uuid.UUID(identity.vmi_uid("", "web"))
    assert (uid.version, uid.variant) == (5, uuid.RFC_4122)
    assert str(uid) == identity.vmi_uid("default", "web") == str(uuid.uuid5(identity._NAMESPACE, "vmi/default/web"))


def test_a_manifest_loses_those_that_were_made_up():
    def owner(kind, uid):
        return {"kind": kind, "name": "web", "uid": uid}

    own, of_vm = identity.vmi_uid("shop", "web"), identity.owner_uid("VirtualMachine", "shop", "web")
    metadata = {"name": "web", "namespace": "shop", "labels": {"a": "b"}}
    made_up = {"metadata": {**metadata, "uid": own, "ownerReferences": [owner("VirtualMachine", of_vm)]}, "spec": {}}
    assert identity.without_placeholder_uids(made_up) == {
        "metadata": {**metadata, "ownerReferences": [{"kind": "VirtualMachine", "name": "web"}]},
        "spec": {},
    }
    real = {"metadata": {**metadata, "uid": "u", "ownerReferences": [owner("VirtualMachinePool", of_vm)]}}
    assert identity.without_placeholder_uids(real) == real
    assert identity.without_placeholder_uids({"metadata": metadata}) == {"metadata": metadata}
