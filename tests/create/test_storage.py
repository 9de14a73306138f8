"""The volumes that `create vm` has imported: what each parameter of a type becomes."""

from __future__ import annotations

from typing import Any

import pytest

from virtcatalog.create.options import FlagError, VmOptions
from virtcatalog.create.vm import create_vm

SECRET, CERTIFICATE = {"secretRef": "s"}, {"certConfigMap": "c"}
CASES: dict[str, dict[str, Any]] = {
    "type:blank,size:1Gi": {"blank": {}},
    "type:gcs,size:1Gi,url:u,secretref:s": {"gcs": {"url": "u", **SECRET}},
    "type:http,size:1Gi,url:u,secretref:s,certconfigmap:c,extraheaders:a;b,secretextraheaders:c;d": {
        "http": {"url": "u", **SECRET, **CERTIFICATE, "extraHeaders": ["a", "b"], "secretExtraHeaders": ["c", "d"]}
    },
    "type:imageio,size:1Gi,url:u,diskid:d,secretref:s,certconfigmap:c": {
        "imageio": {"url": "u", "diskId": "d", **SECRET, **CERTIFICATE}
    },
    "type:registry,size:1Gi,url:u,pullmethod:node,secretref:s,certconfigmap:c": {
        "registry": {"url": "u", "pullMethod": "node", **SECRET, **CERTIFICATE}
    },
    "type:registry,size:1Gi,imagestream:i,pullmethod:pod": {"registry": {"imageStream": "i", "pullMethod": "pod"}},
    "type:s3,size:1Gi,url:u,secretref:s,certconfigmap:c": {"s3": {"url": "u", **SECRET, **CERTIFICATE}},
    "type:vddk,size:1Gi,url:u,uuid:i,thumbprint:t,secretref:s,backingfile:b,initimageurl:n": {
        "vddk": {"url": "u", "uuid": "i", "thumbprint": "t", **SECRET, "backingFile": "b", "initImageURL": "n"}
    },
    "type:pvc,size:1Gi,src:ns/a": {"pvc": {"name": "a", "namespace": "ns"}},
    "type:snapshot,size:1Gi,src:ns/a": {"snapshot": {"name": "a", "namespace": "ns"}},
}


def template(text: str) -> dict[str, Any]:
    manifest: Any = create_vm(VmOptions(name="a", volume_import=(f"{text},name:v",)), str).manifest
    (data_volume,) = manifest["spec"]["dataVolumeTemplates"]
    assert data_volume["metadata"] == {"name": "v"}
    assert manifest["spec"]["template"]["spec"]["volumes"] == [{"dataVolume": {"name": "v"}, "name": "v"}]
    spec: dict[str, Any] = data_volume["spec"]
    return spec


@pytest.mark.parametrize("text", CASES)
def test_every_parameter_of_a_type_is_a_field_of_its_source(text: str) -> None:
    storage = {"resources": {"requests": {"storage": "1Gi"}}}
    assert template(text) == {"source": CASES[text], "storage": storage}


def test_what_is_copied_has_the_size_of_its_source() -> None:
    assert template("type:ds,src:images/a") == {
        "sourceRef": {"kind": "DataSource", "name": "a", "namespace": "images"},
        "storage": {"resources": {}},
    }
    assert template("type:ds,src:a")["sourceRef"] == {"kind": "DataSource", "name": "a"}


@pytest.mark.parametrize(
    ("text", "missing"),
    [("type:vddk,size:1Gi,url:u,uuid:i", "thumbprint"), ("type:imageio,size:1Gi,url:u,diskid:", "diskid")],
)
def test_a_parameter_that_a_type_needs_has_to_be_there(text: str, missing: str) -> None:
    with pytest.raises(FlagError, match=f"^--volume-import: {missing} is missing: type:.* needs url, "):
        template(text)
