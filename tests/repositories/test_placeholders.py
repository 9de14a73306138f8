"""What may stand in the place of a value that is not in the repository, and where nothing may."""

import re
from uuid import UUID

import pytest

from virtcatalog.repositories.placeholders import fill

VM = {
    "apiVersion": "kubevirt.io/v1",
    "kind": "VirtualMachine",
    "metadata": {"name": "db", "labels": {"app": "db"}},
    "spec": {"runStrategy": "Always", "template": {"spec": {"domain": {"devices": {}}}}},
}


def at(path, value, data=None):
    """A VM with a value at a path; `*` is the one item of a list."""
    step, *rest = path.split("/", 1)
    if step == "*":
        return [at(rest[0], value, None) if rest else value]
    data = dict(VM if data is None else data)
    data[step] = at(rest[0], value, data.get(step, {} if "*" not in rest[0].split("/")[:1] else [])) if rest else value
    return data


def read(data, path):
    for step in path.split("/"):
        data = data[0 if step == "*" else step]
    return data


T = "spec/template/spec"


@pytest.mark.parametrize(
    ("path", "text", "placeholder"),
    [
        ("metadata/name", "${CLUSTER}-db", "cluster-db"),
        ("metadata/name", "{{ .Release.Name }}-db", "release-name-db"),
        ("metadata/name", "$(VM_NAME)", "vm-name"),
        ("metadata/namespace", "${tenant:=x}", "tenant-x"),
        ("metadata/labels/app", "${APP}", "app"),
        ("metadata/annotations/a", "${APP} b", "${APP} b"),
        (f"{T}/hostname", "${}", "x"),
        (f"{T}/volumes/*/persistentVolumeClaim/claimName", "${A}-${B}", "a-b"),
        (f"{T}/volumes/*/dataVolume/name", "${A}", "a"),
        (f"{T}/volumes/*/cloudInitNoCloud/userData", "pw: ENC[x]\n${A}", "pw: ENC[x]\n${A}"),
        (f"{T}/volumes/*/cloudInitNoCloud/userDataBase64", "${A}", "JHtBfQ=="),
        (f"{T}/volumes/*/cloudInitNoCloud/secretRef/name", "${A}", "a"),
        (f"{T}/volumes/*/containerDisk/image", "reg/${A}:1", "reg/${A}:1"),
        (f"{T}/networks/*/multus/networkName", "${NS}/${NAD}", "ns/nad"),
        (f"{T}/nodeSelector/zone", "${ZONE}", "zone"),
        (f"{T}/domain/firmware/serial", "ENC[AES256_GCM,data:q]", "aes256-gcm-data-q"),
        ("spec/dataVolumeTemplates/*/spec/storage/resources/requests/storage", "${SIZE}", "1Gi"),
        ("spec/dataVolumeTemplates/*/spec/storage/storageClassName", "${CLASS}", "class"),
        ("spec/dataVolumeTemplates/*/spec/source/http/url", "https://${HOST}/x", "https://${HOST}/x"),
        ("spec/dataVolumeTemplates/*/spec/sourceRef/name", "<path:kv/a#b>", "path-kv-a-b"),
    ],
)
def test_what_only_names_something_or_is_for_the_guest_has_a_placeholder(path, text, placeholder):
    filled = fill(at(path, text))
    assert (read(filled.data, path), filled.open) == (placeholder, ())


@pytest.mark.parametrize(
    "path",
    [
        f"{T}/domain/memory/guest",
        f"{T}/domain/resources/requests/memory",
        f"{T}/domain/cpu/cores",
        f"{T}/domain/cpu/model",
        f"{T}/domain/machine/type",
        f"{T}/domain/devices/disks/*/disk/bus",
        f"{T}/domain/devices/hostDevices/*/deviceName",
        f"{T}/domain/devices/interfaces/*/model",
        f"{T}/architecture",
        f"{T}/evictionStrategy",
        "spec/runStrategy",
        "spec/instancetype/name",
        "spec/preference/name",
    ],
)
def test_what_decides_what_the_vm_is_stays_open(path):
    data, is_open = fill(at(path, "${VALUE}"))
    assert [(open_field.field, open_field.text) for open_field in is_open] == [
        (path.replace("/*", "[0]").replace("/", "."), "${VALUE}")
    ]
    assert "${" not in str(data)


def test_an_open_key_is_an_open_field():
    (open_field,) = fill(at("metadata/labels/${KEY}", "x")).open
    assert open_field.field == "metadata.labels[${KEY}]"
    assert open_field.sentence == "is '${KEY}', and its value is not in the repository"


def test_addresses_and_uuids_have_their_form_and_are_the_same_for_the_same_variable():
    paths = f"{T}/domain/devices/interfaces/*/macAddress", f"{T}/domain/firmware/uuid"
    for path in paths:
        one, again, other = (read(fill(at(path, text)).data, path) for text in ("${A}", "${A}", "${B}"))
        assert one == again != other
    assert re.fullmatch(r"02(:[0-9a-f]{2}){5}", read(fill(at(paths[0], "${A}")).data, paths[0]))
    assert str(UUID(read(fill(at(paths[1], "${A}")).data, paths[1])))


@pytest.mark.parametrize("text", ["plain", "a$b", "cost: $5", "{ }", "$(", "${"])
def test_what_is_no_variable_stays(text):
    data = at(f"{T}/domain/cpu/model", text)
    assert fill(data) == (data, ())


@pytest.mark.parametrize(
    ("path", "placeholder"),
    [
        ("metadata/generateName", "a-b"),
        ("spec/template/metadata/labels/app", "a-b"),
        ("spec/template/metadata/annotations/app", "${A}-${B}"),
        (f"{T}/volumes/*/name", "a-b"),
        (f"{T}/networks/*/name", "a-b"),
        (f"{T}/domain/devices/disks/*/name", "a-b"),
        (f"{T}/domain/devices/disks/*/serial", "a-b"),
        (f"{T}/domain/devices/interfaces/*/name", "a-b"),
        (f"{T}/domain/devices/filesystems/*/name", "a-b"),
        (f"{T}/volumes/*/secret/secretName", "a-b"),
        (f"{T}/volumes/*/serviceAccount/serviceAccountName", "a-b"),
        (f"{T}/priorityClassName", "a-b"),
        (f"{T}/schedulerName", "a-b"),
        (f"{T}/subdomain", "a-b"),
        (f"{T}/volumes/*/configMap/name", "a-b"),
        (f"{T}/volumes/*/sysprep/secret/name", "a-b"),
        (f"{T}/volumes/*/cloudInitConfigDrive/secretRef/name", "a-b"),
        (f"{T}/volumes/*/cloudInitConfigDrive/networkDataSecretRef/name", "a-b"),
        (f"{T}/volumes/*/cloudInitConfigDrive/networkData", "${A}-${B}"),
        (f"{T}/volumes/*/cloudInitConfigDrive/networkDataBase64", "JHtBfS0ke0J9"),
        (f"{T}/volumes/*/containerDisk/imagePullSecret", "${A}-${B}"),
        (f"{T}/domain/firmware/kernelBoot/container/image", "${A}-${B}"),
        (f"{T}/tolerations/*/key", "a-b"),
        (f"{T}/affinity/nodeAffinity/x", "a-b"),
        (f"{T}/topologySpreadConstraints/*/topologyKey", "a-b"),
        (f"{T}/accessCredentials/*/sshPublicKey/source/secret/secretName", "a-b"),
        (f"{T}/accessCredentials/*/userPassword/user", "a-b"),
        ("spec/dataVolumeTemplates/*/metadata/name", "a-b"),
        ("spec/dataVolumeTemplates/*/spec/source/pvc/name", "a-b"),
        ("spec/dataVolumeTemplates/*/spec/source/pvc/namespace", "a-b"),
        ("spec/dataVolumeTemplates/*/spec/source/registry/secretRef", "a-b"),
        ("spec/dataVolumeTemplates/*/spec/source/registry/certConfigMap", "a-b"),
        ("spec/dataVolumeTemplates/*/spec/source/registry/url", "${A}-${B}"),
        ("spec/dataVolumeTemplates/*/spec/pvc/resources/limits/storage", "1Gi"),
    ],
)
def test_fields_that_may_have_any_value(path, placeholder):
    filled = fill(at(path, "${A}-${B}"))
    assert (read(filled.data, path), filled.open) == (placeholder, ())


@pytest.mark.parametrize(
    ("path", "is_open"),
    [
        ("metadata/names", True),
        ("metadata/labels/a/b", True),
        ("spec/volumes/*/disk/name", True),
        (f"{T}/hostname/x", True),
        (f"{T}/domain/firmware/uuids", True),
        (f"{T}/domain/firmware/uuid", False),
        (f"{T}/domain/devices/interfaces/*/macAddresses", True),
    ],
)
def test_fields_of_such_a_name_elsewhere_stay_open(path, is_open):
    assert bool(fill(at(path, "${A}")).open) == is_open


def test_of_a_list_only_the_item_goes_that_is_open():
    data = at(f"{T}/domain/devices/gpus", [{"deviceName": "x"}, "${A}", {"deviceName": "${B}", "name": "b"}, 5, None])
    filled = fill(data)
    assert read(filled.data, f"{T}/domain/devices/gpus") == [{"deviceName": "x"}, {"name": "b"}, 5, None]
    assert [(open_field.field, open_field.text) for open_field in filled.open] == [
        ("spec.template.spec.domain.devices.gpus[1]", "${A}"),
        ("spec.template.spec.domain.devices.gpus[2].deviceName", "${B}"),
    ]


@pytest.mark.parametrize("value", [2**70, "\ud800"], ids=["a number that is too large", "half a character"])
def test_what_no_json_holds_hides_no_open_value(value):
    filled = fill(at(f"{T}/domain/cpu", {"cores": value, "model": "${A}"}))
    assert [open_field.text for open_field in filled.open] == ["${A}"]
    assert read(filled.data, f"{T}/domain/cpu") == {"cores": value}


@pytest.mark.parametrize(
    ("text", "shown"),
    [("${" + "a" * 57 + "}", "'${" + "a" * 57 + "}'"), ("${" + "a" * 58 + "}", "'${" + "a" * 58 + "…'")],
)
def test_a_long_value_is_shown_cut(text, shown):
    (open_field,) = fill(at(f"{T}/domain/cpu/model", text)).open
    assert open_field.sentence == f"is {shown}, and its value is not in the repository"


def test_a_long_variable_gives_the_begin_of_a_name():
    filled = fill(at("metadata/name", "${" + "A" * 41 + "}-db"))
    assert filled.data["metadata"]["name"] == "a" * 40 + "-db"
    assert fill(at("metadata/name", "{% if x %}{{ y }}<path:z>ENC[w]$(v)")).data["metadata"]["name"] == "if-xypath-zwv"


def test_what_may_be_anything_of_a_form_is_made_of_the_text():
    filled = fill(at(f"{T}/domain/devices/interfaces/*/macAddress", "${A}"))
    assert read(filled.data, f"{T}/domain/devices/interfaces/*/macAddress") == "02:26:ff:b0:f6:e0"
    filled = fill(at(f"{T}/domain/firmware/uuid", "${A}"))
    assert read(filled.data, f"{T}/domain/firmware/uuid") == "b8bbaedf-bec8-5ea9-9665-4512e965f20f"
