import pytest

from virtcatalog.kubevirt.admission.guest import validate_access_credentials

AT = "spec.accessCredentials[0]"
SECRET = "source: {secret: {secretName: keys}}"
NO_CLOUD = "volumes: [{name: seed, cloudInitNoCloud: {userData: x}}]"
CONFIG_DRIVE = "volumes: [{name: seed, cloudInitConfigDrive: {userData: x}}]"
METHOD = f"Invalid {AT}.sshPublicKey.propagationMethod"


@pytest.mark.parametrize(
    ("method", "volumes", "causes"),
    [
        ("{noCloud: {}}", NO_CLOUD, []),
        ("{noCloud: {}}", CONFIG_DRIVE, [METHOD]),
        ("{configDrive: {}}", CONFIG_DRIVE, []),
        ("{configDrive: {}}", "volumes: []", [METHOD]),
        ("{qemuGuestAgent: {users: [fedora]}}", "volumes: []", []),
        ("{qemuGuestAgent: {users: []}}", "volumes: []", [f"{METHOD}.qemuGuestAgent.users"]),
        ("{}", NO_CLOUD, [METHOD]),
        ("{noCloud: {}, qemuGuestAgent: {users: [fedora]}}", NO_CLOUD, [METHOD]),
    ],
)
def test_a_key_reaches_the_guest_one_way_for_which_it_is_equipped(causes_of, method, volumes, causes):
    spec = f"{{accessCredentials: [{{sshPublicKey: {{{SECRET}, propagationMethod: {method}}}}}], {volumes}}}"
    assert causes_of(validate_access_credentials, spec) == causes


@pytest.mark.parametrize(
    ("source", "method", "causes"),
    [
        (SECRET, "{qemuGuestAgent: {}}", []),
        ("source: {}", "{qemuGuestAgent: {}}", [f"Invalid {AT}.userPassword.source"]),
        (SECRET, "{}", [f"Invalid {AT}.userPassword.propagationMethod"]),
    ],
)
def test_a_password_reaches_the_guest_by_its_agent(causes_of, source, method, causes):
    spec = f"accessCredentials: [{{userPassword: {{{source}, propagationMethod: {method}}}}}]"
    assert causes_of(validate_access_credentials, spec) == causes


def test_a_key_comes_from_a_secret(causes_of):
    key = "{source: {}, propagationMethod: {qemuGuestAgent: {users: [fedora]}}}"
    spec = f"accessCredentials: [{{sshPublicKey: {key}}}]"
    assert causes_of(validate_access_credentials, spec) == [f"Invalid {AT}.sshPublicKey.source"]


def test_a_credential_is_a_key_or_a_password(causes_of):
    key = f"sshPublicKey: {{{SECRET}, propagationMethod: {{qemuGuestAgent: {{users: [fedora]}}}}}}"
    password = f"userPassword: {{{SECRET}, propagationMethod: {{qemuGuestAgent: {{}}}}}}"
    assert causes_of(validate_access_credentials, "accessCredentials: [{}]") == [f"Invalid {AT}"]
    assert causes_of(validate_access_credentials, f"accessCredentials: [{{{key}, {password}}}]") == [f"Invalid {AT}"]
