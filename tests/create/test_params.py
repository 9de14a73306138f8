"""Flags that hold parameters."""

import pytest

from virtcatalog.create import params
from virtcatalog.create.options import FlagError

KNOWN = {"src": str, "size": params.amount, "bootorder": params.count, "headers": params.texts}


def test_parameters_are_split_at_commas_and_at_the_first_colon():
    assert params.read("f", "src:quay.io/x:1,size:0.5Gi,bootorder:007,headers:a: 1;b", KNOWN) == {
        "src": "quay.io/x:1",
        "size": "512Mi",
        "bootorder": 7,
        "headers": ["a: 1", "b"],
    }


def test_of_a_repeated_parameter_the_last_counts():
    assert params.read("f", "src:a,src:b", KNOWN) == {"src": "b"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "--f: is empty; it takes parameters, name:value and more of them behind commas"),
        ("src", "--f: 'src' has no colon; it takes parameters, name:value and more of them behind commas"),
        ("src:a,", "--f: '' has no colon; it takes parameters, name:value and more of them behind commas"),
        ("scr:a", "--f: there is no parameter 'scr'; did you mean 'src'?"),
        (" src:a", "--f: there is no parameter ' src'; did you mean 'src'?"),
        ("zz:a", "--f: there is no parameter 'zz'; there are src, size, bootorder, headers"),
        ("size:1gi", "--f: size: '1gi' is not a quantity such as 2, 0.5, 500m, 1Gi or 1e9; did you mean 1Gi?"),
        ("size: 1Gi", "--f: size: ' 1Gi' begins or ends with a blank"),
        ("bootorder:-1", "--f: bootorder: '-1' is not a whole number"),
        ("bootorder:1_0", "--f: bootorder: '1_0' is not a whole number"),
        ("bootorder:٣", "--f: bootorder: '٣' is not a whole number"),
        ("bootorder:", "--f: bootorder: '' is not a whole number"),
        ("bootorder:4294967296", "--f: bootorder: 4294967296 is more than 4294967295"),
        (f"bootorder:{'9' * 5000}", f"--f: bootorder: {'9' * 40} is more than 4294967295"),
    ],
)
def test_what_is_wrong_is_told_with_the_flag(text, message):
    with pytest.raises(FlagError) as error:
        params.read("f", text, KNOWN)
    assert str(error.value) == message


def test_the_largest_count():
    assert params.count("004294967295") == 2**32 - 1


def test_a_name_may_have_a_prefix():
    assert [params.prefixed("f", text) for text in ("a", "b/a", "/a")] == [("", "a"), ("b", "a"), ("", "a")]


@pytest.mark.parametrize(("text", "message"), [("", "has no name"), ("a/", "has no name"), ("a/b/c", "has 2 slashes")])
def test_a_name_is_there_and_has_one_prefix(text, message):
    with pytest.raises(FlagError, match=message):
        params.prefixed("f", text)
