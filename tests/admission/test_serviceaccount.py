import pytest

from virtcatalog.kubevirt.admission.guest import validate_service_account

REFUSED = ["Invalid spec.serviceAccountName"]


@pytest.mark.parametrize(("name", "causes"), [("builder", []), ("ci.builder", []), ("", []), ("CI", REFUSED)])
def test_the_name_is_a_dns_subdomain(causes_of, name, causes):
    assert causes_of(validate_service_account, f"serviceAccountName: '{name}'") == causes


@pytest.mark.parametrize(("account", "causes"), [("builder", []), ("other", REFUSED)])
def test_volumes_show_the_same_account(causes_of, account, causes):
    volume = f"{{name: token, serviceAccount: {{serviceAccountName: {account}}}}}"
    assert causes_of(validate_service_account, f"{{serviceAccountName: builder, volumes: [{volume}]}}") == causes
    assert causes_of(validate_service_account, f"volumes: [{volume}]") == []
