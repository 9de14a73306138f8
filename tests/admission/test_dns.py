import pytest

from virtcatalog.kubevirt.admission.guest import validate_dns


@pytest.mark.parametrize(
    ("spec", "causes"),
    [
        ("dnsPolicy: ClusterFirst", []),
        ("{dnsPolicy: None, dnsConfig: {nameservers: [192.0.2.1]}}", []),
        ("dnsPolicy: None", ["Required spec.dnsConfig"]),
        ("{dnsPolicy: None, dnsConfig: {searches: [-]}}", ["Required nameservers"]),
        ("dnsConfig: {searches: [example.com]}", []),
    ],
)
def test_the_policy_none_needs_a_name_server(causes_of, spec, causes):
    assert causes_of(validate_dns, spec) == causes


@pytest.mark.parametrize(
    ("servers", "causes"),
    [
        (["192.0.2.1", "2001:db8::1", "::ffff:192.0.2.1"], []),
        (["ns.example.com"], ["Invalid nameservers"]),
        (["192.0.2.01"], ["Invalid nameservers"]),
        (["fe80::1%eth0"], ["Invalid nameservers"]),
        (["192.0.2.1"] * 4, ["Invalid nameservers"]),
    ],
)
def test_name_servers_are_at_most_three_addresses(causes_of, servers, causes):
    assert causes_of(validate_dns, f"dnsConfig: {{nameservers: {servers}}}") == causes


@pytest.mark.parametrize(
    ("searches", "causes"),
    [
        (["example.com"] * 6, []),
        (["example.com"] * 7, ["Invalid searchDomains"]),
        ([".".join(["a" * 60] * 4)], []),
        ([".".join(["a" * 60] * 4), "a" * 13], ["Invalid searchDomains"]),
        (["Example.com"], ["Invalid searchDomains"]),
        (["example.com."], ["Invalid searchDomains"]),
    ],
)
def test_search_domains_are_few_short_and_proper(causes_of, searches, causes):
    assert causes_of(validate_dns, f"dnsConfig: {{searches: {searches}}}") == causes


def test_options_have_names(causes_of):
    assert causes_of(validate_dns, "dnsConfig: {options: [{name: ndots, value: '2'}]}") == []
    assert causes_of(validate_dns, "dnsConfig: {options: [{value: '2'}]}") == ["Invalid options"]
