import pytest

from virtcatalog.kubevirt.admission.guest import validate_hostname, validate_subdomain


@pytest.mark.parametrize(
    ("hostname", "causes"),
    [
        ("vm-1", []),
        ("7", []),
        ("", []),
        ("vm.example", ["Invalid spec.hostname"]),
        ("VM", ["Invalid spec.hostname"]),
        ("-vm", ["Invalid spec.hostname"]),
        ("v" * 63, []),
        ("v" * 64, ["Invalid spec.hostname"]),
    ],
)
def test_a_hostname_is_a_dns_label(causes_of, hostname, causes):
    assert causes_of(validate_hostname, f"hostname: '{hostname}'") == causes


@pytest.mark.parametrize(
    ("subdomain", "causes"),
    [
        ("vms", []),
        ("vms.example.com", []),
        ("vms..example", ["Invalid spec.subdomain"]),
        ("vms_example", ["Invalid spec.subdomain"]),
        (".".join(["v" * 50] * 5), ["Invalid spec.subdomain"]),
    ],
)
def test_a_subdomain_is_a_dns_subdomain(causes_of, subdomain, causes):
    assert causes_of(validate_subdomain, f"subdomain: '{subdomain}'") == causes
