"""What helm's `--set` makes of a text."""

import json

import pytest

from virtcatalog.repositories.setvalues import SetError, set_values, verbatim


def values_set(text, values="{}", *, as_text=False):
    data = json.loads(values)
    set_values(data, text, as_text=as_text)
    return data


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *((text, text) for text in ("a", "012", "00", "1.5", "1e3", "0x1", "1_0", " 4", "4\n", "+", "٣", "9" * 19)),
        *((text, int(text)) for text in ("0", "4", "-12", "+7", "-0", "-012", "1" * 19, str(2**63 - 1), str(-(2**63)))),
        (str(2**63), str(2**63)),
        (str(-(2**63) - 1), str(-(2**63) - 1)),
        *((text, True) for text in ("true", "TRUE")),
        *((text, False) for text in ("false", "fal\u017fe")),
        *((text, None) for text in ("null", "Null")),
        ("", ""),
        ("a=b", "a=b"),
        (r"a\,b", "a,b"),
        ("a\\", "a"),
        ("{}", [""]),
        ("{1,a,true}", [1, "a", True]),
        (r"{a\,b,c}", ["a,b", "c"]),
    ],
)
def test_a_value_is_read_as_what_it_looks_like(text, value):
    (made_value,) = values_set(f"k={text}").values()
    assert (made_value, type(made_value)) == (value, type(value))


@pytest.mark.parametrize("text", ["4", "true", "null", "", "a{"])
def test_or_as_a_text(text):
    assert values_set(f"k={text}", as_text=True) == {"k": text}


@pytest.mark.parametrize("text", ["4", "{1,2}", "a,b", "\\", "[0]", "a=b", "{"])
def test_in_a_verbatim_text_nothing_means_anything(text):
    assert values_set(f"k={verbatim(text)}", as_text=True) == {"k": text}


@pytest.mark.parametrize(
    ("text", "values", "result"),
    [
        ("", "{}", {}),
        ("a=1,b=2", "{}", {"a": 1, "b": 2}),
        ("a=1,", "{}", {"a": 1}),
        ("a={1},b=2", "{}", {"a": [1], "b": 2}),
        ("a.b=1", '{"a": {"c": 2}}', {"a": {"b": 1, "c": 2}}),
        (r"a\.b=1", "{}", {"a.b": 1}),
        ("a.b=", "{}", {"a": {"b": ""}}),
        ("a.", "{}", {}),
        ("=1", "{}", {}),
        (".a=1", "{}", {}),
        ("a[1]=x", "{}", {"a": [None, "x"]}),
        ("a[0]=x", '{"a": [1, 2]}', {"a": ["x", 2]}),
        ("a[0]=", "{}", {"a": [""]}),
        ("a[+1]=x", '{"a": [1, 2]}', {"a": [1, "x"]}),
        ("a[0].b=1", '{"a": [{"c": 2}]}', {"a": [{"b": 1, "c": 2}]}),
        ("a[0].b=1", '{"a": [5]}', {"a": [{"b": 1}]}),
        ("a[1].b=1", '{"a": [5]}', {"a": [5, {"b": 1}]}),
        ("a[0].b=", "{}", {"a": []}),
        ("a[0][1]=x", "{}", {"a": [[None, "x"]]}),
        ("a[0][0]=x", '{"a": [null]}', {"a": [["x"]]}),
        ("a[0]", "{}", {"a": []}),
        ("a[00]=1", "{}", {"a": [1]}),
        ("a[65536]=1", "{}", {"a": [None] * 65536 + [1]}),
        (f"{'a.' * 30}b=1", '{"c": 1}', None),
    ],
)
def test_paths(text, values, result):
    data = values_set(text, values)
    if result is None:
        for _ in range(30):
            data = data["a"]
        assert data == {"b": 1}
    else:
        assert data == result


@pytest.mark.parametrize(
    ("text", "values", "message"),
    [
        ("a", "{}", "a has no value"),
        ("a,b=1", "{}", "a has no value"),
        ("a..b=1", "{}", "a has no value"),
        ("a={1}b", "{}", "b has no value"),
        ("a={1", "{}", "has a list that does not end with }"),
        ("a.b=1", '{"a": 1}', "a is no map"),
        ("a.b=1", '{"a": null}', "a is no map"),
        ("a.b=1", '{"a": []}', "a is no map"),
        ("a[0]=1", '{"a": {}}', "a is no list"),
        ("a[0]=1", '{"a": null}', "a is no list"),
        ("a[0][0]=1", '{"a": [1]}', "[0] is no list"),
        ("a[0]b=1", "{}", "has 'b' behind an index"),
        *((f"a[{index}]=1", "{}", f"[{index}] is no index") for index in ("", "x", "-1", "65537", "1.5", "9" * 5000)),
        ("a[0", "{}", "[0] is no index"),
        (f"{'a.' * 31}b=1", "{}", "has a path of more than 30 keys"),
    ],
)
def test_what_sets_nothing_is_refused(text, values, message):
    with pytest.raises(SetError) as refused:
        values_set(text, values)
    assert str(refused.value) == message


def test_a_list_that_is_long_enough_is_changed_where_it_is():
    items = [1]
    set_values({"a": items}, "a[0]=2")
    set_values({"a": items}, "a[1]=3")
    assert items == [2]
