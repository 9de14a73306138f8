"""What the functions of ApplicationSets' templates give, each with what Go, sprig and Argo CD give for it."""

from __future__ import annotations

from typing import Any

import pytest

from virtcatalog.repositories.gofunctions import FUNCTIONS

CALLS: dict[str, list[tuple[tuple[Any, ...], Any]]] = {
    "lower": [(("AbC",), "abc"), ((True,), "true")],
    "upper": [(("AbC",), "ABC")],
    "title": [(("web db-of o'neil_x a1b webDB",), "Web Db-Of O'Neil_x A1b WebDB")],
    "trim": [((" a b\n",), "a b")],
    "normalize": [(("-My_App.x-",), "my-app.x"), (("a" * 300,), "a" * 253)],
    "slugify": [(("Hello, World!",), "hello-world"), (("a" * 60,), "a" * 50), (("a" * 49 + " b",), "a" * 49)],
    "base": [(("a/b/",), "b"), (("a",), "a"), (("",), "."), (("//",), "/")],
    "dir": [
        (("a/b",), "a"),
        (("a/b/",), "a/b"),
        (("a",), "."),
        (("",), "."),
        (("/a",), "/"),
        (("//a",), "/"),
        (("a//b/../c",), "a"),
    ],
    "b64enc": [(("ä",), "w6Q="), ((5,), "NQ==")],
    "b64dec": [(("w6Q=",), "ä")],
    "int": [(("5",), 5), ((7,), 7)],
    "atoi": [(("5",), 5)],
    "fromYaml": [(("a: [1]",), {"a": [1]})],
    "fromYamlArray": [(("[1, a]",), [1, "a"])],
    "fromJson": [(('{"a": 1}',), {"a": 1})],
    "quote": [(('a"b',), '"a\\"b"'), ((None,), ""), ((5,), '"5"')],
    "squote": [(("a",), "'a'"), ((None,), "")],
    "toString": [
        *[((None,), "<nil>"), ((True,), "true"), ((1.5,), "1.5"), (("a",), "a")],
        *[(([1, "b"],), "[1 b]"), (({"b": 1, "a": [2]},), "map[a:[2] b:1]")],
    ],
    "default": [(("d", ""), "d"), (("d", "v"), "v"), (("d",), "d"), (("d", 0), "d")],
    "coalesce": [(("", 0, "x", "y"), "x"), (("", None), None)],
    "ternary": [(("y", "n", True), "y"), (("y", "n", False), "n")],
    "empty": [(("",), True), (([0],), False)],
    "index": [(({"a": [5, 6]}, "a", 1), 6), (({}, "a"), None)],
    "get": [(({"a": 1}, "a"), 1), (({}, "a"), "")],
    "hasKey": [(({"a": 1}, "a"), True), (({}, "a"), False)],
    "has": [((1, [1, 2]), True), ((3, [1, 2]), False)],
    "keys": [(({"b": 1, "a": 2},), ["a", "b"])],
    "dict": [(("a", 1, "b", 2), {"a": 1, "b": 2})],
    "list": [((1, 2), [1, 2])],
    "len": [(("abc",), 3)],
    "first": [(([1, 2, 3],), 1)],
    "last": [(([1, 2, 3],), 3)],
    "rest": [(([1, 2, 3],), [2, 3])],
    "append": [(([1], 2), [1, 2])],
    "eq": [(("a", "b", "a"), True), (("a", "b"), False)],
    "ne": [(("a", "b"), True), (("a", "a"), False)],
    "lt": [((1, 2), True), ((2, 2), False)],
    "gt": [((2, 1), True), ((2, 2), False)],
    "not": [((0,), True), ((1,), False)],
    "and": [((1, 0, 2), 0), ((1, 2), 2)],
    "or": [((0, 1, 2), 1), ((0, ""), "")],
    "add": [((1, "2", 3), 6)],
    "sub": [((5, "3"), 2)],
    "hasPrefix": [(("a", "ab"), True), (("b", "ab"), False)],
    "hasSuffix": [(("b", "ab"), True), (("a", "ab"), False)],
    "contains": [(("b", "abc"), True), (("x", "abc"), False)],
    "trimPrefix": [(("a", "aab"), "ab")],
    "trimSuffix": [(("b", "abb"), "ab")],
    "trimAll": [(("-.", ".-a-."), "a")],
    "replace": [(("a", "x", "aba"), "xbx")],
    "trunc": [((2, "abc"), "ab"), ((-2, "abc"), "bc"), ((-9, "abc"), "abc")],
    "indent": [((2, "a\nb"), "  a\n  b"), ((200, "a"), " " * 100 + "a")],
    "nindent": [((1, "a\nb"), "\n a\n b")],
    "printf": [(("%s-%v-%d", "a", None, 5), "a-<nil>-5")],
    "join": [((",", [1, True]), "1,true")],
    "splitList": [((",", "a,b"), ["a", "b"])],
    "toJson": [(({"b": "ä<&>", "a": [1]},), '{"a":[1],"b":"ä\\u003c\\u0026\\u003e"}')],
    "toYaml": [(({"a": [1]},), "a:\n- 1")],
}


def test_each_function_has_calls() -> None:
    assert CALLS.keys() == FUNCTIONS.keys()


@pytest.mark.parametrize("name", CALLS)
def test_it_gives_what_go_gives(name: str) -> None:
    for arguments, result in CALLS[name]:
        found = FUNCTIONS[name](*arguments)
        assert (found, type(found)) == (result, type(result)), arguments


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("lower", (None,)),
        ("b64dec", ("%",)),
        ("int", ("x",)),
        ("fromYaml", ("a: 1\n---\nb: 2\n",)),
        ("fromYamlArray", ("a: 1",)),
        ("has", (1, "12")),
        ("append", ("a", "b")),
        ("join", (",", "ab")),
        ("dict", ("a",)),
        ("printf", ("%s",)),
        ("printf", ("%x", 1)),
        ("printf", ("%s", "a", "b")),
    ],
)
def test_what_does_not_fit_is_an_error(name: str, arguments: tuple[Any, ...]) -> None:
    with pytest.raises((ValueError, TypeError)):
        FUNCTIONS[name](*arguments)
