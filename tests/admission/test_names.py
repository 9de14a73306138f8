import pytest

from virtcatalog.kubevirt.names import label_key_problems, label_value_problems


@pytest.mark.parametrize(
    ("key", "problems"),
    [
        ("app", 0),
        ("App_1.x", 0),
        ("example.com/app", 0),
        ("", 1),
        ("/app", 1),
        ("example.com/", 1),
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
