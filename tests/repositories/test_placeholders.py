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
    assert [(each.field, each.text) for each in is_open] == [(path.replace("/*", "[0]").replace("/", "."), "${VALUE}")]
    assert "${" not in str(data)


def test_an_open_key_is_an_open_field():
    (found,) = fill(at("metadata/labels/${KEY}", "x")).open
    assert found.field == "metadata.labels[${KEY}]"
    assert found.sentence == "is '${KEY}', and its value is not in the repository"


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
