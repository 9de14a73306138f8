"""Cloud-init volumes carry one piece of user data and one of network data, inline up to 2 KiB."""

import base64

import pytest

from virtcatalog.kubevirt.admission.volumes import validate_volumes


def encoded(size):
    return base64.b64encode(b"x" * size).decode()


@pytest.mark.parametrize("source", ["cloudInitNoCloud", "cloudInitConfigDrive"])
@pytest.mark.parametrize("kind", ["user", "network"])
@pytest.mark.parametrize(
    ("data", "fields"),
    [
        ("KINDData: '#cloud-config'", []),
        ("KINDDataBase64: I2Nsb3VkLWNvbmZpZw==", []),
        ("SECRET: {name: s}", []),
        ("SECRET: {}", [""]),
        ("", [""]),
        ("KINDDataBase64: '%%%'", [".KINDDataBase64"]),
        ("KINDDataBase64: YQ", [".KINDDataBase64"]),
        ("KINDDataBase64: YWJj=", [".KINDDataBase64"]),
        ("KINDDataBase64: YQ==, KINDData: a", [""]),
        ("SECRET: {name: s}, KINDData: a", [""]),
        (f"KINDData: {'x' * 2048}", []),
        (f"KINDData: {'x' * 2049}", [""]),
        (f"KINDData: {'ü' * 1025}", [""]),
        (f"KINDData: {'😀' * 512}", []),
        (f"KINDData: {'😀' * 513}", [""]),
        ('KINDData: "\\ud800"', []),
        (f"KINDDataBase64: {encoded(2048)}", []),
        (f"KINDDataBase64: {encoded(2049)}", [""]),
        (f"KINDDataBase64: {encoded(2049)}!", [".KINDDataBase64", ""]),
        (f"SECRET: {{name: s}}, KINDData: {'x' * 2049}", ["", ""]),
    ],
)
def test_data(causes_of, source, kind, data, fields):
    secret = {"user": "secretRef", "network": "networkDataSecretRef"}[kind]
    text = data.replace("KIND", kind).replace("SECRET", secret)
    seen = causes_of(validate_volumes, f"volumes: [{{name: a, {source}: {{{text}}}}}]")
    assert seen == [f"Invalid spec.volumes[0].{source}" + field.replace("KIND", kind) for field in fields]


def test_base64_may_be_broken_into_lines(causes_of):
    data = '{userDataBase64: "YWJj\\nYWJj\\r\\n"}'
    assert causes_of(validate_volumes, f"volumes: [{{name: a, cloudInitNoCloud: {data}}}]") == []


def test_user_and_network_data_stand_beside_each_other(causes_of):
    assert causes_of(validate_volumes, "volumes: [{name: a, cloudInitNoCloud: {userData: a, networkData: b}}]") == []
