"""Expressions: their values, what they cannot do, and how long they may take."""

import re
import tracemalloc

import pytest

from sampling import thorough
from virtcatalog.api.quantity import Quantity
from virtcatalog.catalog import work
from virtcatalog.catalog.amounts import Amount, ExpressionError
from virtcatalog.catalog.expressions import evaluate
from virtcatalog.catalog.sandbox import render
from virtcatalog.catalog.work import Work, WorkError

NAMES = {
    "class": "m",
    "size": "large",
    "vcpus": 4,
    "memory": Amount(Quantity.parse("4Gi")),
    "nothing": None,
    "list": [3, 1, 2],
    "map": {"a": {"b": "c"}},
    "text": "x{{ y }}",
}


def message_of(error):
    """What is said of an expression; Python's and Jinja's words are their own."""
    return re.sub(r"(has no value: ).*", r"\1…", error.message)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{{ vcpus }}", 4),
        ("{{vcpus}}", 4),
        ("{{ vcpus * 2 + 1 }}", 9),
        ("{{ vcpus }}0", "40"),
        (" {{ vcpus }}", " 4"),
        ("{{ class }}.{{ size }}", "m.large"),
        ("{{ vcpus > 2 }}", True),
        ("{{ 'big' if vcpus > 2 else 'small' }}", "big"),
        ("{{ nothing }}", None),
        ("{{ none }}", None),
        ("{{ true }}", True),
        ("a{{ nothing }}b", "ab"),
        ("a{{ 'b' if vcpus > 9 }}", "a"),
        ("{{ 'b' if vcpus > 9 }}", None),
        ("{{ memory }}", "4Gi"),
        ("{{ memory * vcpus }}", "16Gi"),
        ("{{ memory / 2 }}", "2Gi"),
        ("{{ memory // 3 }}", "1431655765"),
        ("{{ memory * 1.5 }}", "6Gi"),
        ("{{ memory + '512Mi' }}", "4608Mi"),
        ("{{ memory - '1Gi' }}", "3Gi"),
        ("{{ memory > '2Gi' }}", True),
        ("{{ memory == '4096Mi' }}", True),
        ("{{ map.a.b }}{{ map['a']['b'] }}", "cc"),
        ("{{ list }}", [3, 1, 2]),
        ("{{ list | sort | join('-') }}", "1-2-3"),
        ("{{ class | upper ~ vcpus }}", "M4"),
        ("{{ text }}", "x{{ y }}"),
        ("{% if vcpus > 2 %}big{% endif %}", "big"),
        ("{% for each in list %}{{ each }},{% endfor %}", "3,1,2,"),
        ("{% set half = vcpus // 2 %}{{ half }}", "2"),
        ("{{ {'a': memory} }}", {"a": "4Gi"}),
        ("{{ '{' }}", "{"),
    ],
)
def test_values(text, value):
    result = evaluate(text, NAMES, Work())
    assert (result, type(result)) == (value, type(value))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("-2 | abs", 2),
        ("'aB' | capitalize", "Ab"),
        ("list | count", 3),
        ("nothing | d('x')", None),
        ("nothing | d('x', true)", "x"),
        ("map.z | default('x')", "x"),
        ("map.z | default", ""),
        ("{'b': 1, 'A': 2} | dictsort", [["A", 2], ["b", 1]]),
        ("list | first", 3),
        ("'1.5' | float", 1.5),
        ("'a\nb\n\nc' | indent", "a\n    b\n\n    c"),
        ("'a\nb' | indent('> ')", "a\n> b"),
        ("'a\n\nb' | indent(2, true, true)", "  a\n  \n  b"),
        ("'4' | int + 1", 5),
        ("map | items", [["a", {"b": "c"}]]),
        ("list | join", "312"),
        ("[memory, none, true] | join(1)", "4Gi11True"),
        ("list | last", 2),
        ("'abc' | length", 3),
        ("'ab' | list", ["a", "b"]),
        ("'aB' | lower", "ab"),
        ("list | map('string') | list", ["3", "1", "2"]),
        ("[map] | map(attribute='a.b') | list", ["c"]),
        ("[memory, memory * 2] | max", "8Gi"),
        ("list | min", 1),
        ("list | reject('odd') | list", [2]),
        ("[{'a': 1, 'b': true}, {'a': 2, 'b': false}] | rejectattr('b') | map(attribute='a') | list", [2]),
        ("'aaa' | replace('a', 'bb')", "bbbbbb"),
        ("'aaa' | replace('a', 1, 2)", "11a"),
        ("'aaa' | replace('a', 1, -1)", "111"),
        ("list | reverse | list", [2, 1, 3]),
        ("2.567 | round(2)", 2.57),
        ("2.5 | round(method='ceil')", 3.0),
        ("list | select('>', 1) | list", [3, 2]),
        ("[{'a': 1, 'b': true}, {'a': 2, 'b': false}] | selectattr('b') | map(attribute='a') | list", [1]),
        ("['b', 'C', 'a'] | sort(true)", ["C", "b", "a"]),
        ("memory | string ~ 1.5 | string", "4Gi1.5"),
        ("list | sum", 6),
        ("[{'a': 1}, {'a': 2}] | sum('a', 10)", 13),
        ("[memory, memory] | sum(start=memory)", "12Gi"),
        ("'ab cd' | title", "Ab Cd"),
        ("{'b': memory, 'a': [1, none, true, 'x']} | tojson", '{"a":[1,null,true,"x"],"b":"4Gi"}'),
        ("' a ' | trim", "a"),
        ("'xax' | trim('x')", "a"),
        ("['a', 'A', 'b'] | unique | list", ["a", "b"]),
        ("'aB' | upper", "AB"),
        ("7 % 4 + 2 ** 3 - 7 // 2", 8),
        ("7 / 2", 3.5),
        ("-vcpus + +1", -3),
        ("list[1:] + list[:1]", [1, 2, 3]),
        ("list[-1] ~ 'abc'[1]", "2b"),
        ("map['a'] == {'b': 'c'} and not list == []", True),
        ("'b' in map.a or 9 in list", True),
        ("9 not in list and 3 in list", True),
        ("vcpus is defined and map.z is not defined", True),
        ("[1 <= 1, 1 < 1, 1 >= 2, 2 > 1, 1 != 2]", [True, False, False, True, True]),
        ("memory * 3 / memory", 3.0),
        ("memory * 5 // (memory * 2)", 2),
        ("2 * memory", "8Gi"),
        ("'1Gi' + memory", "5Gi"),
        ("[memory < '4Gi', memory <= '4Gi', memory >= '5Gi', memory != '4Gi']", [False, True, False, False]),
        ("range(3) | list + range(1, 6, 2) | list", [0, 1, 2, 1, 3, 5]),
    ],
)
def test_filters_and_operators(text, value):
    result = evaluate(f"{{{{ {text} }}}}", NAMES, Work())
    assert (result, type(result)) == (value, type(value))


AT_LIMITS = {"text": "x" * 2**16, "longer": "x" * (2**16 + 1), "items": [0] * 9999, "number": 2**128 - 1}
TOO_LARGE = "a value in the expression is too large"


@pytest.mark.parametrize(
    ("allowed", "value", "refused", "message"),
    [
        ("{{ text | length }}", 2**16, "{{ longer | length }}", TOO_LARGE),
        ("{{ [text] | first | length }}", 2**16, "{{ [text, 'x'] | first }}", TOO_LARGE),
        ("{{ (items + [1]) | length }}", 10_000, "{{ (items + [1, 2]) | length }}", TOO_LARGE),
        ("{{ [items] | length }}", 1, "{{ {'a': items, 'b': 1} | length }}", TOO_LARGE),
        ("{{ number + 0 }}", 2**128 - 1, "{{ number + 1 }}", "a number in the expression is too large"),
        ("{{ 2 ** 127 }}", 2**127, "{{ 2 ** 128 }}", "a number in the expression is too large"),
        ("{{ (-1) ** -128 }}", 1.0, "{{ 1 ** 129 }}", "the power is too large"),
        ("{{ 1 ** 128 }}", 1, "{{ 1 ** -129 }}", "the power is too large"),
        ("{{ 'x' | indent(256) }}", "x", "{{ 'x' | indent(257) }}", "an argument of indent is larger than 256"),
        ("{{ 1 | round(256) }}", 1, "{{ 1 | round(-257) }}", "an argument of round is larger than 256"),
        (
            "{{ 'x' | trim('y' | indent(255, true)) }}",
            "x",
            "{{ 'x' | trim(chars='y' | indent(256, true)) }}",
            "an argument of trim is larger than 256",
        ),
        ("{{ text | replace('x', 'y') | length }}", 2**16, "{{ (text ~ '') | replace('x', 'yy') }}", TOO_LARGE),
        ("{{ [text] | join('') | length }}", 2**16, "{{ [text, ''] | join('-') }}", TOO_LARGE),
        ("{{ range(10000) | length }}", 10_000, "{{ range(10001) | length }}", "range() gives more than 10000 numbers"),
        (
            "{% for x in range(10000) %}{% endfor %}x",
            "x",
            "{% for x in range(10000) %}{% endfor %}{% for x in [1] %}{% endfor %}x",
            "the template loops more than 10000 times",
        ),
        ("{{ text }}" * 16, "x" * 2**20, "{{ text }}" * 16 + "x", "the template gives more than 1 MiB of text"),
    ],
)
def test_what_is_as_large_as_may_be_and_what_is_larger(allowed, value, refused, message):
    assert evaluate(allowed, AT_LIMITS, Work()) == value
    with pytest.raises(ExpressionError) as caught:
        evaluate(refused, AT_LIMITS, Work())
    assert caught.value.message == message


@pytest.mark.parametrize("text", ["{{ range(9000) | join(text) }}", "{{ text | replace('x', text) }}"])
def test_text_that_is_too_large_is_not_made_first(text):
    tracemalloc.start()
    try:
        with pytest.raises(ExpressionError, match=TOO_LARGE):
            evaluate(text, NAMES | {"text": "x" * 2**15}, Work())
        assert tracemalloc.get_traced_memory()[1] < 2**25
    finally:
        tracemalloc.stop()


def test_a_loop_says_where_it_is():
    text = (
        "{% for x in list %}{{ loop.index }}{{ loop.index0 }}{{ loop.revindex }}{{ loop.revindex0 }}{{ loop.length }}"
        "{{ loop.depth }}{{ loop.depth0 }}{{ loop.previtem | d('-') }}{{ loop.nextitem | d('-') }}"
        "{{ 'F' if loop.first }}{{ 'L' if loop.last }} {% else %}none{% endfor %}"
    )
    assert evaluate(text, NAMES, Work()) == "1032310-1F 212131032 32103101-L "
    assert evaluate(text, NAMES | {"list": []}, Work()) == "none"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{{ vcpu }}", "the expression uses 'vcpu', which is unknown here; did you mean 'vcpus'?"),
        ("{{ 1 + vcpu }}", "the expression uses 'vcpu', which is unknown here; did you mean 'vcpus'?"),
        ("{% if false %}{{ vcpu }}{% endif %}", "the expression uses 'vcpu', which is unknown here"),
        ("{{ map.z }}", "the expression has no value: 'dict object' has no attribute 'z'"),
        ("{{ vcpus", "the expression has no value: unexpected end of template"),
        ("{{ }}", "the expression has no value: expected an expression"),
        ("{{ 1 / 0 }}", "the expression has no value: division by zero"),
        ("{{ memory / 3 }}", "4Gi x 1/3 is not a whole number of bytes"),
        ("{{ memory / 0 }}", "memory can be divided by"),
        ("{{ memory + 1 }}", "1 is not an amount of memory"),
        ("{{ memory + 'x' }}", "'x' is not a quantity"),
        ("{{ memory * 'x' }}", "an amount of memory can be multiplied by a number"),
        ("{{ 'x' + 1 }}", "the expression has no value: can only concatenate str"),
        ("x{{ list }}", "a list or map is no text"),
        ("{{ memory.quantity }}", "the expression has no value: an amount of memory has nothing like 'quantity'"),
        ("a{{ [1].count }}", "the expression has no value: 'list object' has no attribute 'count'"),
        ("{{ [1].count | string }}", "the expression has no value: 'list object' has no attribute 'count'"),
        ("a{% for x in [1] %}{{ loop }}{% endfor %}", "the expression gives no plain value, but a LoopContext"),
        ("{{ [1] | string }}", "a list or map is no text: use the filter join or tojson"),
        ("{{ 1e999 }}", "in templates numbers must be finite"),
        ("{{ 1e308 * 10 }}", "a number in the expression is not finite"),
        ("{{ 1e308 / 1e-308 }}", "a number in the expression is not finite"),
        ("{{ '1e999' | float }}", "a number in the expression is not finite"),
        ("{{ '\\ud800' }}", "the expression gives \\ud800, which is half a character and no text"),
        ("a{{ '\\ud800' }}", "the expression gives \\ud800, which is half a character and no text"),
        ("{{ {1: 'a'} }}", "the expression gives a map with the key 1, and keys are texts"),
        ("{{ " + "1" * 5000 + " }}", "the expression has no value: exceeds the limit"),
        ("{{ memory * 2**127 * 2**127 }}", "an amount of memory in the expression is too large"),
        ("{{ map['z'] }}", "the expression has no value: 'dict object' has no attribute 'z'"),
        ("{{ list[9] }}", "the expression has no value: list object has no element 9"),
        ("{{ list['z'] }}", "the expression has no value: 'list object' has no attribute 'z'"),
        ("{{ text[9] }}", "the expression has no value: str object has no element 9"),
        ("{{ memory['z'] }}", "the expression has no value: an amount of memory has nothing like 'z'"),
        ("{{ vcpus[0] }}", "the expression has no value: int object has no element 0"),
    ],
)
def test_what_has_no_value(text, message, snapshot):
    with pytest.raises(ExpressionError) as caught:
        evaluate(text, NAMES, Work())
    assert caught.value.message.startswith(message)
    assert re.sub("( has no value: ).*", r"\1…", caught.value.message) == snapshot


@pytest.mark.parametrize(
    "text",
    [
        "{{ 'a' * 10**10 }}",
        "{{ [1] * 10**10 }}",
        "{{ 10**10**10 }}",
        "{{ 2**100 * 2**100 }}",
        "{{ '%01000000000d' % 1 }}",
        "{{ 'a' | center(10**9) }}",
        "{{ 'a' | indent(10**9) }}",
        "{{ 'aaaaaaaa' | replace('a', 'aaaaaaaaaaaa') " + "| replace('a', 'aaaaaaaaaaaa') " * 12 + "}}",
        "{{ range(10**9) | list }}",
        "{{ range(10**9) | sum }}",
        "{% for a in range(9999) %}{% for b in range(9999) %}{% endfor %}{% endfor %}",
        "{% set a = 'x' %}" + "{% set a = a ~ a %}" * 99,
        "{% set a = [1] %}" + "{% set a = [a, a] %}" * 99 + "{{ a | tojson }}",
        "{% set a = [1] %}" + "{% set a = a + a %}" * 99,
        "{% set a = 9 %}" + "{% set a = a * a %}" * 99,
        "{% macro f() %}{{ f() }}{{ f() }}{% endmacro %}{{ f() }}",
        "{% for a in [1] recursive %}{{ loop([1, 1]) }}{% endfor %}",
        "{% set n = namespace(a='x') %}{% for i in range(99) %}{% set n.a = n.a ~ n.a %}{% endfor %}",
        "{{ " + "(" * 3000 + "1" + ")" * 3000 + " }}",
        "{{ lipsum(n=10**6) }}",
        "{{ ''.__class__.__mro__ }}",
        "{{ [] | map(attribute='__class__') | first }}",
        "{{ 'a' | attr('__class__') }}",
        "{{ self._TemplateReference__context }}",
        "{{ 'abc'.upper() }}",
        "{{ map.items() }}",
        "{% include 'secret' %}",
        "{% import 'os' as os %}",
    ],
)
def test_templates_cannot_hang_fill_the_memory_or_reach_out(text, snapshot):
    with pytest.raises(ExpressionError) as caught:
        evaluate(text, NAMES, Work())
    assert message_of(caught.value) == snapshot


@pytest.fixture
def little_work(monkeypatch):
    """A tenth of the budget, which takes a second to spend."""
    monkeypatch.setattr(work, "WORK", work.WORK // 10)


LONG = "range(9999) | list"


@pytest.mark.usefixtures("little_work")
@pytest.mark.parametrize(
    "text",
    [
        "{% for i in range(9999) %}{% set x = (" + LONG + ") | sort %}{% endfor %}",
        "{% for i in range(9999) %}{% set x = range(9999) | join | upper %}{% endfor %}",
        "{% set a = " + LONG + " %}{% for i in range(9999) %}{% if a == a %}{% endif %}{% endfor %}",
        "{% set a = " + LONG + " %}{% for i in range(9999) %}{% if -1 in a %}{% endif %}{% endfor %}",
        "{% set a = " + LONG + " %}{% for i in range(9999) %}{% if i is in(a) %}{% endif %}{% endfor %}",
        "{% set a = " + LONG + " %}{% for i in range(9999) %}{% set b = a[1:] %}{% endfor %}",
        "{% set a = " + LONG + " %}{% for i in range(9999) %}{% set b = a[1:] + [1] %}{% endfor %}",
        "{% set a = " + LONG + " %}{% for i in range(9999) %}{% set b = a | map('string') | list %}{% endfor %}",
        "{% set a = " + LONG + " %}{% for i in range(9999) %}{{ a | select('odd') | first }}{% endfor %}",
        "{% set a = range(9999) | join %}{% for i in range(9999) %}{{ a[:9] ~ a | length }}{% endfor %}",
        "{% set a = range(9999) | join %}{% for i in range(9999) %}{% if a < a %}{% endif %}{% endfor %}",
        "{% for i in range(9999) %}" + "{% if i is odd %}{% endif %}" * 999 + "{% endfor %}",
        "{% for i in range(9999) %}" + "{% set a = i + i %}" * 2999 + "{% endfor %}",
    ],
)
def test_work_is_charged_by_size_in_filters_tests_and_operators(text):
    with pytest.raises(WorkError):
        evaluate("x" + text, NAMES, Work())


THESE = (
    "abs, capitalize, count, d, default, dictsort, first, float, indent, int, items, join, last, length, list, lower, "
    "map, max, min, reject, rejectattr, replace, reverse, round, select, selectattr, sort, string, sum, title, tojson, "
    "trim, unique, upper"
)


@pytest.mark.parametrize("name", ["counted", "weighed", "concatenated", "nope", 1])
@pytest.mark.parametrize("filter_", ["map", "map('map'"])
def test_filters_called_by_name_are_those_that_templates_have(name, filter_):
    work = Work()
    before = work.left
    text = f"{{{{ [[1]] | {filter_}{', ' if '(' in filter_ else '('}{name!r}, -1000000000000) | list }}}}"
    with pytest.raises(ExpressionError, match=f"^the filter {name!r} is not available; these are: {THESE}$"):
        evaluate(text, NAMES, work)
    assert work.left < before


@pytest.mark.parametrize("filter_", ["select", "reject"])
def test_tests_called_by_name_are_those_that_templates_have(filter_):
    for name in ("counted", "weighed", "%work"):
        with pytest.raises(ExpressionError, match=f"^the expression has no value: no test named {name!r}"):
            evaluate(f"{{{{ [1] | {filter_}({name!r}) | list }}}}", NAMES, Work())


@pytest.mark.parametrize("units", [-1, float("nan")])
def test_a_budget_never_grows_by_a_charge(units):
    with pytest.raises(ValueError, match="cannot be charged"):
        Work().spend(units)


@pytest.mark.usefixtures("little_work")
@pytest.mark.parametrize(
    "text",
    [
        "{% if a %}" + "{% elif a %}x" * 6000 + "{% endif %}",
        "{% if a %}" + "".join(f"{{% elif a %}}{{% set x{i} = 1 %}}" for i in range(2000)) + "{% endif %}",
        ("{{ " + "+".join("a" * 150) + " }}x") * 100,
        ("{{ " + " and ".join("a" * 90) + " }}x") * 100,
        ("{{ a" + "[1:]" * 90 + " }}x") * 100,
    ],
)
def test_compiling_is_charged_by_size(text):
    """It takes no longer where things stand within things."""
    with pytest.raises(WorkError):
        render(text, {"a": "x" * 99}, Work())


def test_what_cannot_be_compiled_is_charged_each_time():
    work = Work()
    for _ in range(2):
        before = work.left
        with pytest.raises(ExpressionError):
            evaluate("{{ a" + "x" * 9999 + " b }}", {}, work)
        assert work.left < before - 100_000


@pytest.mark.parametrize(
    "text",
    [
        "{{ [[1] * 9] }}",
        "{{ range(9) | list | sum(start=[]) }}",
        "{{ ('\n' * 9) | indent('x' * 9) }}",
        "{{ 'a' | trim('x' ~ (range(199) | join)) }}",
        "{{ range(9999) | join('\n') | indent(200) }}",
        "{{ range(9999) | join('aaaaaaaaaaaaaaaa') }}",
        "{{ 3 | round(9999) }}",
    ],
)
def test_what_would_multiply_sizes_is_refused_before_it_does(text, snapshot):
    with pytest.raises(ExpressionError) as caught:
        evaluate(text, NAMES, Work())
    assert message_of(caught.value) == snapshot


@pytest.mark.usefixtures("little_work")
def test_the_budget_is_one_for_a_whole_catalog(catalog):
    """Each of these expressions is fine, and all of them together are too much."""
    text = "{{ range(9999) | join | length }}"
    one = f"class: m\nsizes: {{s0: {{vcpus: 1, memory: 1Gi, displayName: 'a{text}'}}}}\n"
    assert catalog.load({"instancetypes/m.yaml": one}).instancetypes[0].display_name == "a38886"
    sizes = ", ".join(f"s{number}: {{vcpus: 1, memory: 1Gi}}" for number in range(1000))
    (problem,) = catalog.problems({"instancetypes/m.yaml": f"class: m\ndisplayName: 'a{text}'\nsizes: {{{sizes}}}\n"})
    assert ": this is where the catalog's expressions, templates and layers together ask for more work" in problem


@thorough
@pytest.mark.usefixtures("little_work")
def test_a_few_words_cannot_make_millions_of_objects(catalog):
    sizes = ", ".join(f"s{number}: {{vcpus: 1, memory: 1Gi}}" for number in range(1000))
    variants = ", ".join(f"v{number}: {{}}" for number in range(1000))
    text = f"class: m\nsizes: {{{sizes}}}\nvariants: {{{variants}}}\n"
    (problem,) = catalog.problems({"instancetypes/m.yaml": text})
    assert "this is where the catalog's expressions, templates and layers together ask for more work" in problem


@pytest.mark.usefixtures("little_work")
def test_rendered_templates_count_before_they_are_read(catalog):
    text = "{% for number in range(9999) %}\n- {a: 1, b: 2}\n{% endfor %}"
    environments = ", ".join(f"e{number}: {{}}" for number in range(100))
    problems = catalog.problems(
        {
            "vms/a.yaml.j2": text,
            "vms.yaml": f"a.yaml.j2: {{environments: {{{environments}}}}}\n",
            "overlays.yaml": f"{{{environments}}}\n",
        }
    )
    assert any(problem.startswith("vms/a.yaml.j2:1:1: this is where the catalog's expressions") for problem in problems)


@thorough
def test_places_in_a_long_template_do_not_add_up(catalog):
    """A walk to each of them from the start would take minutes here."""
    problems = catalog.problems({"vms/a.yaml.j2": "a: {{ 1 }}\n" * 10_000, "vms.yaml": "a.yaml.j2: {}\n"})
    assert problems == ["vms/a.yaml.j2:1:1: the key 'a' is here twice, first in line 1"]


@pytest.mark.parametrize("text", ["a{{ p }}" * 2000, "{{ p | trim }}" * 2000])
def test_much_text_from_a_short_one_is_refused(text):
    with pytest.raises(ExpressionError, match=r"^the template gives more than 1 MiB of text$"):
        evaluate(text, {"p": "x" * 1000}, Work())


@pytest.mark.parametrize(
    ("text", "value"), [("{{ a }}", [0] * 9000), ("{{ a }}", {"b": [0] * 9000}), ("{{ a }}.", "x" * 240_000)]
)
def test_large_values_are_charged_by_their_size(text, value):
    work = Work()
    before = work.left
    evaluate(text, {"a": value}, work)
    assert 25_000 < before - work.left < 60_000


def test_much_text_from_a_small_loop_is_refused():
    with pytest.raises(ExpressionError, match=r"^the template gives more than 1 MiB of text$"):
        render("{% for a in range(9999) %}" + "x" * 200 + "{% endfor %}", {}, Work())


def test_faults_of_templates_have_their_line():
    for text in ("a\nb {{ nope }}", "a\n{% if %}", "a\n{{ 1 / 0 }}", "a\n{% macro m() %}{% endmacro %}"):
        with pytest.raises(ExpressionError) as caught:
            render(text, {}, Work())
        assert caught.value.line == 1


def test_names_alone_do_not_need_jinja():
    import subprocess
    import sys

    code = (
        "import sys; from virtcatalog.catalog.expressions import evaluate; from virtcatalog.catalog.work import Work;"
        "assert evaluate('{{ a }}.{{ b }}', {'a': 1, 'b': 2}, Work()) == '1.2'; assert 'jinja2' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        (
            "nodeSelector: {x: '{{ gpus }}'}",
            "3:23: spec.nodeSelector.x: the expression uses 'gpus', which is unknown here",
        ),
        ("gpus: [{name: a, deviceName: '{{ 1 / 0 }}'}]", "3:25: spec.gpus[0].deviceName: the expression has no value"),
        (
            "schedulerName: '{{ vcpus }}'",
            "3:8: spec.schedulerName: must be a string, not the number 1: the filter `string` makes one of it",
        ),
        (
            "cpu: {maxSockets: '{{ vcpus / 2 }}'}",
            "3:14: spec.cpu.maxSockets: must be an integer, not the number 0.5",
        ),
    ],
)
def test_faults_of_expressions_have_their_place(catalog, spec, problem):
    text = f"class: m\nsizes: {{s: {{vcpus: 1, memory: 1Gi}}}}\nspec: {{{spec}}}\n"
    (text_of_problem,) = catalog.problems({"instancetypes/m.yaml": text})
    assert text_of_problem.startswith(f"instancetypes/m.yaml:{problem}")


def test_a_filter_makes_text_of_a_number(catalog):
    text = "class: m\nsizes: {s: {vcpus: 1, memory: 1Gi}}\nlabels: {a/b: '{{ vcpus | string }}'}\n"
    (entry,) = catalog.load({"instancetypes/m.yaml": text}).instancetypes
    assert entry.labels["a/b"] == "1"


def test_parameters_of_the_catalog_are_names_and_may_be_lists_or_maps(catalog):
    files = {
        "catalog.yaml": "name: x\nkubevirt: v1.9.0\nparameters: {gpu: a/b, gpus: [{name: g, deviceName: c/d}]}\n",
        "instancetypes/m.yaml": """
            class: m
            sizes:
              s: {vcpus: 1, memory: 1Gi, spec: {gpus: [{name: g, deviceName: "{{ gpu }}"}]}}
              t: {vcpus: 1, memory: 1Gi, spec: {gpus: "{{ gpus }}"}}
            """,
    }
    gpus = {instancetype.size: instancetype.spec["gpus"] for instancetype in catalog.load(files).instancetypes}
    assert gpus == {
        "s": [{"name": "g", "deviceName": "a/b"}],
        "t": [{"name": "g", "deviceName": "c/d"}],
    }


@pytest.mark.usefixtures("little_work")
@pytest.mark.parametrize(
    ("file", "text", "place"),
    [
        ("instancetypes/m.yaml", "class: m\nsizes: {s: {vcpus: 1, memory: 1Gi}}\nname: %s\n", "3:1: name"),
        (
            "templates/l.yaml",
            "sizes: {s: {}}\nworkloads: {w: {}}\nsystems: {o: {preference: linux.one}}\nname: %s\n",
            "4:1: name",
        ),
    ],
)
def test_a_name_that_spends_the_budget_is_where_reading_ends(catalog, file, text, place):
    name = "'a{% for i in range(9999) %}{% set x = range(9999) | list %}{% endfor %}'"
    (problem,) = catalog.problems({file: text % name})
    assert problem.startswith(f"{file}:{place}: this is where the catalog's expressions, templates and layers together")


@pytest.mark.parametrize("vcpus", [1, 2])
def test_a_text_that_an_expression_gives_may_be_none(catalog, vcpus):
    text = f"class: m\ndescription: \"{{{{ 'x' if vcpus > 1 }}}}\"\nsizes: {{s: {{vcpus: {vcpus}, memory: 1Gi}}}}\n"
    (entry,) = catalog.load({"instancetypes/m.yaml": text}).instancetypes
    assert entry.description == ("x" if vcpus > 1 else "")


def test_an_expression_that_gives_null_removes_its_key(catalog):
    text = "class: m\nspec: {schedulerName: \"{{ 'x' if vcpus > 1 }}\"}\nsizes: {s: {vcpus: 1, memory: 1Gi}}\n"
    assert "schedulerName" not in catalog.entry("m.s", {"instancetypes/m.yaml": text})["spec"]
