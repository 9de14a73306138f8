import pytest

from virtcatalog.api.names import label_key_problems, label_value_problems, metadata_faults


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
        ({"generateName": "-web"}, [("metadata", "generateName")]),
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
