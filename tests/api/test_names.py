import pytest

from virtcatalog.api.addresses import is_mac_address, is_pci_address
from virtcatalog.api.names import (
    RESERVED_INSTANCETYPES,
    RESERVED_PREFERENCES,
    SEGMENT_GROUPS,
    annotations_fault,
    dns_label_problems,
    dns_subdomain_problems,
    key_fault,
    label_fault,
    label_key_problems,
    label_value_problems,
    metadata_faults,
    name_fault,
    namespace_fault,
    namespace_or_default,
    segment_fault,
)

NAME_RULE = "must consist of letters, digits, '-', '_' and '.', and start and end with a letter or digit"
SUBDOMAIN_RULE = "must consist of a-z, 0-9, '-' and '.', every part starting and ending with a letter or digit"
LONG = "a" * 64


def test_the_names_that_are_taken_are_those_of_common_instancetypes(snapshot):
    """What the operator deploys, in one release or another, and the documentation names."""
    assert sorted(RESERVED_INSTANCETYPES) == snapshot
    assert sorted(RESERVED_PREFERENCES) == snapshot


@pytest.mark.parametrize(
    ("key", "problems"),
    [
        ("app", 0),
        ("App_1.x", 0),
        ("example.com/app", 0),
        ("", 2),
        ("/app", 1),
        ("example.com/", 2),
        ("Example.com/app", 1),
        ("a/b/c", 1),
        ("-app", 1),
        ("a" * 63, 0),
        ("a" * 64, 1),
        ("Example.com/-app", 2),
    ],
)
def test_a_label_key_is_a_name_with_an_optional_prefix(key, problems):
    assert len(label_key_problems(key)) == problems


@pytest.mark.parametrize(("value", "problems"), [("", 0), ("a.b_C-1", 0), ("a b", 1), ("a/b", 1), ("a" * 64, 1)])
def test_a_label_value_is_a_name_or_empty(value, problems):
    assert len(label_value_problems(value)) == problems


@pytest.mark.parametrize(
    ("metadata", "refused"),
    [
        (
            {
                "name": "fedora-1.a",
                "namespace": "blue",
                "labels": {"a.b/C_d": "E.f"},
                "annotations": {"A.b/C": "any text"},
            },
            [],
        ),
        ({"generateName": "web-"}, []),
        ({"name": "", "namespace": "", "labels": None, "annotations": {}}, []),
        ({"name": "Fedora_1"}, [("metadata", "name")]),
        ({"name": "a" * 254}, [("metadata", "name")]),
        ({"generateName": "a" * 252 + "b-"}, []),
        *[
            ({"generateName": name}, [("metadata", "generateName")])
            for name in ("-web", "-", "web.", "web.-", "a" * 254)
        ],
        ({"name": "a", "namespace": "a.b"}, [("metadata", "namespace")]),
        ({"labels": {"a b": "x", "k": "x y", "l": "x" * 64}}, [("metadata", "labels", k) for k in ("a b", "k", "l")]),
        ({"labels": {"Upper.case/x": ""}}, [("metadata", "labels", "Upper.case/x")]),
        ({"annotations": {"a/b/c": "x"}}, [("metadata", "annotations", "a/b/c")]),
        ({"annotations": {"a": "x" * 2**18}}, [("metadata", "annotations")]),
    ],
)
def test_names_labels_and_annotations_that_the_api_server_refuses(metadata, refused):
    assert [path for path, _ in metadata_faults(metadata)] == refused


@pytest.mark.parametrize(
    ("version", "name", "is_refused"),
    [
        ("rbac.authorization.k8s.io/v1", "kubevirt.io:operator", False),
        ("rbac.authorization.k8s.io/v1", "system:aggregate-to-Admin_x", False),
        ("rbac.authorization.k8s.io/v1", "a/b", True),
        ("rbac.authorization.k8s.io/v1", "a%2f", True),
        ("rbac.authorization.k8s.io/v1", "..", True),
        ("image.openshift.io/v1", "fedora:42", False),
        ("v1", "kubevirt.io:operator", True),
    ],
)
def test_some_kinds_take_any_name_that_can_stand_in_a_url(version, name, is_refused):
    assert [path for path, _ in metadata_faults({"name": name}, version)] == [("metadata", "name")] * is_refused


@pytest.mark.parametrize(
    ("problems_of", "text", "problems"),
    [
        (dns_label_problems, "a" * 63, []),
        (dns_label_problems, "a-1", []),
        (dns_label_problems, LONG, [f"'{LONG}' has 64 characters, more than 63"]),
        (dns_label_problems, "a.b", ["'a.b' must not contain dots"]),
        (
            dns_label_problems,
            "a.B",
            ["'a.B' must consist of a-z, 0-9 and '-', and start and end with a letter or digit"],
        ),
        (dns_subdomain_problems, "a" * 253, []),
        (dns_subdomain_problems, "a" * 254, [f"'{'a' * 254}' has 254 characters, more than 253"]),
        (dns_subdomain_problems, "a..b", [f"'a..b' {SUBDOMAIN_RULE}"]),
        (label_key_problems, "a/b/c", ["'a/b/c' has more than one '/'; a key is a name or prefix/name"]),
        (label_key_problems, "/a", ["'/a' has nothing before its '/'"]),
        (label_key_problems, "a/", ["'a/' has no name", f"the name '' {NAME_RULE}"]),
        (label_key_problems, "A/b", [f"the prefix 'A' {SUBDOMAIN_RULE}"]),
        (label_key_problems, f"a/{LONG}", [f"the name '{LONG}' has 64 characters, more than 63"]),
        (label_value_problems, LONG, [f"'{LONG}' has 64 characters, more than 63"]),
        (label_value_problems, "a b", [f"'a b' {NAME_RULE}"]),
    ],
)
def test_what_is_wrong_with_a_name_is_told(problems_of, text, problems):
    assert list(problems_of(text)) == problems


@pytest.mark.parametrize(
    ("metadata", "version", "fault"),
    [
        ({"name": "a" * 254}, "v1", f"the name '{'a' * 80}'… is longer than 253 characters"),
        (
            {"name": "A" * 80},
            "v1",
            (
                f"Kubernetes refuses the name '{'A' * 80}': it may have lower-case letters, digits, '-' and '.', and "
                "each part starts and ends with a letter or digit"
            ),
        ),
        (
            {"name": "a%"},
            "rbac.authorization.k8s.io/v1",
            "Kubernetes refuses the name 'a%': it may have no '/' and no '%', and is not '.' or '..'",
        ),
        (
            {"namespace": "a.b"},
            "v1",
            (
                "Kubernetes refuses the namespace 'a.b': it may have at most 63 lower-case letters, digits and '-', "
                "and starts and ends with a letter or digit"
            ),
        ),
        (
            {"labels": {"a b": "x"}},
            "v1",
            (
                "Kubernetes refuses the key 'a b': it is [DNS name/]name, the name of at most 63 letters, digits, '-', "
                "'_' and '.'"
            ),
        ),
        (
            {"labels": {"a": "x y"}},
            "v1",
            (
                "Kubernetes refuses the label value 'x y': it may have at most 63 letters, digits, '-', '_' and '.', "
                "and starts and ends with a letter or digit"
            ),
        ),
        (
            {"annotations": {"a": "x" * 2**18}},
            "v1",
            "the annotations have 262,145 bytes together, and Kubernetes takes 262,144",
        ),
    ],
)
def test_why_the_api_server_refuses_metadata(metadata, version, fault):
    assert [message for _, message in metadata_faults(metadata, version)] == [fault]


def test_kinds_of_these_groups_have_such_names():
    assert (
        frozenset(
            {
                "rbac.authorization.k8s.io",
                "certificates.k8s.io",
                "authorization.openshift.io",
                "user.openshift.io",
                "oauth.openshift.io",
                "image.openshift.io",
            }
        )
        == SEGMENT_GROUPS
    )


@pytest.mark.parametrize(
    ("annotations", "fault"),
    [
        ({}, ""),
        ({"a": "x" * (2**18 - 1)}, ""),
        ({"ab": "x" * (2**18 - 3), "c": ""}, ""),
        ({"a": "\u20ac" * 87_381}, ""),
        ({"\u20ac": "\u20ac" * 87_381}, "the annotations have 262,146 bytes together, and Kubernetes takes 262,144"),
        ({"a": "x" * 2**18, "b": "y"}, "the annotations have 262,147 bytes together, and Kubernetes takes 262,144"),
        ({"a": "\ud800" * 87_382}, "the annotations have 262,147 bytes together, and Kubernetes takes 262,144"),
    ],
)
def test_annotations_are_as_many_bytes_as_kubernetes_takes(annotations, fault):
    assert annotations_fault(annotations) == fault


@pytest.mark.parametrize(
    ("fault_of", "fine"),
    [
        (name_fault, ["a", "a-1.b", "1", "a" * 253]),
        (segment_fault, ["a", "...", "A b", "a:b"]),
        (namespace_fault, ["a", "1-a", "a" * 63]),
        (key_fault, ["a", "A_b.c", "a.b/C", f"{'a' * 253}/{'b' * 63}"]),
        (label_fault, ["", "a", "A_b.c-1", "a" * 63]),
    ],
)
def test_what_kubernetes_takes_has_no_fault(fault_of, fine):
    assert [fault_of(text) for text in fine] == [""] * len(fine)


@pytest.mark.parametrize(
    ("fault_of", "texts"),
    [
        (name_fault, ["", "-a", "a-", "a..b", "A", "a_b", "a" * 254]),
        (segment_fault, [".", "..", "a/b", "a%"]),
        (namespace_fault, ["", "-a", "a-", "A", "a.b", "a" * 64]),
        (key_fault, ["", "a/b/c", "/a", "a/", "A/b", "-a", "a" * 64, f"{'a' * 254}/b"]),
        (label_fault, ["-a", "a-", "a b", "a" * 64, "a/b"]),
    ],
)
def test_what_kubernetes_refuses_has_a_fault(fault_of, texts):
    assert all(fault_of(text).startswith(("Kubernetes refuses the ", "the name ")) for text in texts)


def test_metadata_that_is_no_text_is_left_to_who_reads_its_type():
    metadata = {"name": 1, "namespace": ["A"], "labels": {"A b": 1, 1: "A b"}, "annotations": [1]}
    assert list(metadata_faults(metadata)) == []
    assert list(metadata_faults({"labels": "A b", "annotations": "x"})) == []


def test_a_key_of_an_annotation_is_judged_in_lower_case():
    faults = list(metadata_faults({"annotations": {"Example.com/A": "x", "A b": "x"}}))
    assert faults == [
        (
            ("metadata", "annotations", "A b"),
            (
                "Kubernetes refuses the key 'a b': it is [DNS name/]name, the name of at most 63 letters, digits, '-', "
                "'_' and '.'"
            ),
        )
    ]


@pytest.mark.parametrize(
    ("text", "is_mac", "is_pci"),
    [
        ("02:00:5e:00:53:01", True, False),
        ("02-00-5E-00-53-01", True, False),
        ("0200.5e00.5301", True, False),
        ("02005E005301", True, False),
        ("0200:5e005301", False, False),
        ("02:00-5e:00:53:01", False, False),
        ("02:00:5e:00:53", False, False),
        ("02:00:5e:00:53:01:02", False, False),
        ("0200.5e00", False, False),
        ("0g:00:5e:00:53:01", False, False),
        ("0000:81:01.0", False, True),
        ("FFFF:aA:1f.7", False, True),
        ("0000:81:01.8", False, False),
        ("000:81:01.0", False, False),
        ("0000:81:01", False, False),
        ("0000:81:01.00", False, False),
        ("", False, False),
    ],
)
def test_addresses_of_cards_and_devices(text, is_mac, is_pci):
    assert (is_mac_address(text, plain=True), is_pci_address(text)) == (is_mac, is_pci)


def test_what_names_no_namespace_is_in_the_default_one():
    assert [namespace_or_default(name) for name in ("a", "", None)] == ["a", "default", "default"]
