"""Go's templates, as ApplicationSets are written with: what Go and sprig make of them."""

import re

import pytest

from virtcatalog.repositories.gofunctions import FUNCTIONS
from virtcatalog.repositories.gotemplates import TemplateError, render

PARAMETERS = {
    "name": "Web",
    "path": {"path": "vms/web", "segments": ["vms", "web"]},
    "apps": [{"app": "a", "cores": 2.0}, {"app": "b", "cores": 4.0}],
    "labels": {"b": "2", "a": "1"},
    "none": [],
    "on": True,
    "cores": 4.0,
    "bytes": 1e6,
    "share": 0.5,
}


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("{{ .name | lower }}-{{ index .path.segments 1 }}", "web-web"),
        ("{{ range .apps }}{{ .app }}={{ .cores }} {{ $.name }};{{ end }}", "a=2 Web;b=4 Web;"),
        ("{{ range $i, $a := .apps }}{{ $i }}{{ $a.app }}{{ end }}", "0a1b"),
        ("{{ range $k, $v := .labels }}{{ $k }}:{{ $v }},{{ end }}", "a:1,b:2,"),
        ("{{ range .none }}x{{ else }}nothing{{ end }}", "nothing"),
        ("{{ with .path }}{{ .path }}{{ end }}", "vms/web"),
        ("{{ eq (atoi `3`) (int `3`) 3 }}", "true"),
        ("a\n{{- range .apps }}\n- {{ .app }}\n{{- end }}\nb", "a\n- a\n- b\nb"),
        ("{{ if and .on (eq .name `Web`) }}yes{{ else if .on }}on{{ else }}no{{ end }}", "yes"),
        ("{{ $x := .name }}{{ if .on }}{{ $y := `in` }}{{ $x }}{{ $y }}{{ end }}", "Webin"),
        ("{{ $x := 1 }}{{ if .on }}{{ $x = 2 }}{{ end }}{{ $x }}", "2"),
        ("{{ $x := 1 }}{{ if .on }}{{ $x := 2 }}{{ end }}{{ $x }}", "1"),
        ("{{ toJson .labels }}", '{"a":"1","b":"2"}'),
        ("x:{{ list .name .on | toYaml | nindent 2 }}", "x:\n  - Web\n  - true"),
        ("{{ .path.segments | join `-` | trunc 5 }}", "vms-w"),
        ("{{ (index .apps 0).app }}", "a"),
        ("{{ printf `%s-%d` .name 3 | quote }}", '"Web-3"'),
        ('{{ default "x" .none }}{{ ternary "a" "b" .on }}{{ len .apps }}', "xa2"),
        ("{{ .labels }} {{ .path.segments }}", "map[a:1 b:2] [vms web]"),
        ("{{/* a comment */}}{{ .on }}", "true"),
        ("{{ list .missing .name }} {{ toString .missing }}", "[<nil> Web] <nil>"),
        (
            "{{ if .none }}a{{ else if eq .name `x` }}b{{ else if .path }}{{ .path.path }}{{ else }}c{{ end }}",
            "vms/web",
        ),
        ("{{ with .none }}a{{ else with .path }}{{ .path }}{{ else }}c{{ end }}", "vms/web"),
        ("{{ if .none }}a{{ else }}b{{ end }}{{ with .none }}c{{ end }}", "b"),
        ("{{ with $p := .path }}{{ $p.path }}{{ .path }}{{ end }}", "vms/webvms/web"),
        ("{{ if $n := .name }}{{ $n }}{{ end }}", "Web"),
        ("{{ ternary `a` `b` false }}{{ true }}{{ -3 }}", "btrue-3"),
        ('{{ "a\\tb\\n\\"c\\\\" }}', 'a\tb\n"c\\'),
        ("{{ `a\\t` }}", "a\\t"),
        ("a {{- .name -}} b", "aWebb"),
        ("{{ .path.path.none }}", "{{ .path.path.none }}"),
        ("{{ range $a := .apps }}{{ $a.app }}{{ end }}", "ab"),
        ("{{ range 3 }}{{ . }}{{ end }}{{ range $n := len .apps }}-{{ $n }}{{ end }}", "012-0-1"),
        ("{{ range .missing }}x{{ else }}none{{ end }}{{ range 0 }}x{{ else }}none{{ end }}", "nonenone"),
        ("({{ quote .missing }}{{ squote .missing }}) {{ squote .name }}", "() 'Web'"),
    ],
)
def test_a_template_makes_what_go_makes_of_it(template, text):
    assert render(template, PARAMETERS) == text


CALLS = [
    ("lower `A-B`", "a-b"),
    ("upper `a-b`", "A-B"),
    ("title `one two_three 4th o'neil`", "One Two_three 4th O'Neil"),
    ("title `webDB a1b db-of`", "WebDB A1b Db-Of"),
    ("trim `  a b  `", "a b"),
    ("normalize `-A_b.c/D.`", "a-b.c-d"),
    (f"normalize `{'a' * 254}` | len", "253"),
    ("slugify `--A_b.c  D!`", "a-b-c-d"),
    (f"slugify `{'a' * 49} bc`", "a" * 49),
    (f"slugify `{'a' * 51}`", "a" * 50),
    ("base `a/b/`", "b"),
    ("base `a!`", "a!"),
    ("base `/`", "/"),
    ("base ``", "."),
    ("dir `a/b/c.yaml`", "a/b"),
    ("dir `a/b/`", "a/b"),
    ("dir `a//b/../c`", "a"),
    ("dir ``", "."),
    ("dir `/a`", "/"),
    ("dir `a`", "."),
    ("dir `//a`", "/"),
    ("b64enc `a?`", "YT8="),
    ("b64dec `YT8=`", "a?"),
    ("int `7`", "7"),
    ("atoi `7`", "7"),
    ("toYaml (dict `a` (list 1))", "a:\n- 1"),
    ("index (fromYaml `{a: [1, 2]}`).a 1", "2"),
    ("fromYamlArray `[a, b]`", "[a b]"),
    ('(fromJson `{"a": 1}`).a', "1"),
    ("fromJson `null` | list", "[<nil>]"),
    ("quote .name", '"Web"'),
    ("quote 3", '"3"'),
    ('quote `ü"`', '"ü\\""'),
    ("squote 3", "'3'"),
    ("toString .labels", "map[a:1 b:2]"),
    ("toString (list true false 3)", "[true false 3]"),
    ("default `x` .name", "Web"),
    ("default `x` .missing", "x"),
    ("default `x` 0", "x"),
    ("coalesce .missing `` `b` `c`", "b"),
    ("ternary `a` `b` (empty .name)", "b"),
    ("empty .none", "true"),
    ("empty .name", "false"),
    ("index .labels `a`", "1"),
    ("index .apps 1 `app`", "b"),
    ("get .labels `b`", "2"),
    ("get .labels `c`", ""),
    ("hasKey .labels `a`", "true"),
    ("hasKey .labels `c`", "false"),
    ("has `web` .path.segments", "true"),
    ("has `we` .path.segments", "false"),
    ("keys .labels", "[a b]"),
    ("dict `a` 1 `b` (list 2)", "map[a:1 b:[2]]"),
    ("dict 1 `a`", "map[1:a]"),
    ("len .name", "3"),
    ("first .path.segments", "vms"),
    ("last .path.segments", "web"),
    ("rest (list 1 2 3)", "[2 3]"),
    ("append (list 1) 2", "[1 2]"),
    ("eq .name `web` `Web`", "true"),
    ("eq .name `web`", "false"),
    ("ne .name `web`", "true"),
    ("ne .name `Web`", "false"),
    ("lt 2 3", "true"),
    ("lt 3 3", "false"),
    ("gt 3 2", "true"),
    ("gt 3 3", "false"),
    ("le 3 3", "true"),
    ("le 4 3", "false"),
    ("ge 3 3", "true"),
    ("ge `a` `b`", "false"),
    ("int `x`", "0"),
    ("int `0x1f`", "31"),
    ("int `017`", "15"),
    ("int `1.00`", "1"),
    ("int ` 5`", "0"),
    ("int `9223372036854775808`", "0"),
    ("list -1 0 (index .apps 0).app", "[-1 0 a]"),
    ("int .share", "0"),
    ("int .on", "1"),
    ("int .none", "0"),
    ("atoi `1.5`", "0"),
    ("dict `a`", "map[a:]"),
    (".bytes", "1e+06"),
    ("list .cores .bytes .share", "[4 1e+06 0.5]"),
    ("int .bytes", "1000000"),
    ("toJson (list .cores .bytes .share)", "[4,1000000,0.5]"),
    ("toYaml (dict `a` .bytes)", "a: 1000000"),
    ("eq .cores .cores", "true"),
    ("eq (int .cores) 4", "true"),
    ("eq (add 1 3) 4", "true"),
    ("eq .missing .missing", "true"),
    ("has 4 (list .cores)", "false"),
    ("has (list 1 `a`) (list (list 1 `a`))", "true"),
    ("has (dict `a` 1) (list (dict `a` 1))", "true"),
    ("has (list 1) (list (list 1 2))", "false"),
    ("has (list 1 2) (list (list 1 3))", "false"),
    ("has (dict `a` 1) (list (dict `a` 2))", "false"),
    ("has (dict `a` 1) (list (dict `a` 1 `b` 2))", "false"),
    ("has 1 .missing", "false"),
    ("len `ü`", "2"),
    ("index `abc` 1", "98"),
    ("join `-` `a`", "a"),
    ("join `-` (list 1 .missing 2)", "1-2"),
    ("quote `a` .missing 1", '"a" "1"'),
    ("keys .labels (dict `c` 1)", "[a b c]"),
    ("trunc -5 `abc`", "abc"),
    ("not .on", "false"),
    ("not .none", "true"),
    ("trunc 2 `abc`", "ab"),
    ("trunc -2 `abc`", "bc"),
    ("trunc 0 `abc`", ""),
    ("indent 2 `a\nb`", "  a\n  b"),
    ("nindent 1 `a\nb`", "\n a\n b"),
    ("indent 200 `a` | len", "201"),
    ("printf `%s=%v/%d` `a` true 3", "a=true/3"),
    ("printf `a%vb` 1", "a1b"),
    ("printf `none`", "none"),
    ("$.name", "Web"),
    ("and .on .name", "Web"),
    ("and .none .name", "[]"),
    ("or .none .name", "Web"),
    ("or .none ``", ""),
    ("add 1 2 `3`", "6"),
    ("sub 5 `3`", "2"),
    ("hasPrefix `We` .name", "true"),
    ("hasPrefix `eb` .name", "false"),
    ("hasSuffix `eb` .name", "true"),
    ("hasSuffix `We` .name", "false"),
    ("contains `e` .name", "true"),
    ("contains `x` .name", "false"),
    ("trimPrefix `a` `aaba`", "aba"),
    ("trimSuffix `a` `abaa`", "aba"),
    ("trimAll `ab` `abcab`", "c"),
    ("replace `a` `x` `aba`", "xbx"),
    ("join `-` (list 1 true)", "1-true"),
    ("splitList `-` `a-b`", "[a b]"),
    ("toJson (dict `b` `<&>` `a` true)", '{"a":true,"b":"\\u003c\\u0026\\u003e"}'),
]


@pytest.mark.parametrize(("call", "text"), CALLS)
def test_a_function_makes_what_go_or_sprig_make(call, text):
    assert render(f"{{{{ {call} }}}}", PARAMETERS) == text


def test_each_function_is_called():
    called = " ".join(call for call, _ in CALLS)
    assert [name for name in FUNCTIONS if not re.search(rf"\b{name}\b", called)] == []


@pytest.mark.parametrize(
    "call",
    [
        *(
            "printf `%s`",
            "printf `%s` 1 2",
            "printf `%q` 1",
            "printf `%`",
            "fromYaml `---\n---\n`",
            "fromYaml `a: 1\n---\na: 2\n`",
            "fromYaml `[`",
        ),
        *("fromYamlArray `{}`", "fromJson `{`", "b64dec `*`", "index .path.segments 2", "first .none"),
        *("index .path.segments -1", "index .name -1", "quote 2.5", "list 0x10", "list 010", "list 3a", "list 1_0"),
        *("last .none", "append .name 1", "has `a` .name", "len 3", "lt 1 `a`", "get .name `a`"),
        *("lower .missing", "(.name", ".name)", ".name .name", ".name `a`", "true | 3", "word 1", "lower lower", "`"),
        *(
            "$x",
            "list $x.y",
            "lower 1 2",
            "lower 1",
            "lower .cores",
            "trim .labels",
            "b64enc .on",
            "atoi 3",
            "keys .name",
        ),
        *(
            "eq .cores 4",
            "eq .name 1",
            "eq .labels .labels",
            "eq 1",
            "ne .on 1",
            "lt .cores 4",
            "lt .on .on",
            "gt 1 `a`",
        ),
        *(
            "trunc .cores .name",
            "trunc (add 1 2) .name",
            "indent `1` .name",
            "indent -1 .name",
            "indent 99999999 .name",
        ),
        *(
            "ternary 1 2 3",
            "get .labels 1",
            "hasKey .path.segments `a`",
            "index .labels 1",
            "index .path.segments .cores",
        ),
        *("index .path.segments true", "first .name", "append .labels 1", "hasPrefix 1 .name", "replace 1 `a` .name"),
        *("printf `%s` 1", "printf `%d` .cores", "printf `%d` `a`", "join 1 .none", "fromYaml `a`", "fromJson 1"),
    ],
)
def test_a_call_that_go_or_sprig_refuse_or_we_do_not_know_is_an_error(call):
    with pytest.raises(TemplateError) as error:
        render(f"{{{{ {call} }}}}", PARAMETERS)
    assert str(error.value) == f"the template {{{{{call}}}}} is not supported"


@pytest.mark.parametrize("depth", [990, 100_000])
def test_json_that_is_nested_too_deep_is_an_error(depth):
    call = f"fromJson `{'[' * depth}{']' * depth}`"
    with pytest.raises(TemplateError) as error:
        render(f"{{{{ {call} }}}}", PARAMETERS)
    assert str(error.value) == f"the template {{{{{call[:80]}}}}} is not supported"


def test_a_parameter_that_there_is_not_stays():
    """Only Argo CD knows those of clusters and pull requests."""
    assert render("{{ .server }}/{{ .name }}", PARAMETERS) == "{{ .server }}/Web"


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ('{{ regexFind "x" .name }}', 'the template {{regexFind "x" .name}} is not supported'),
        ("{{ range .apps }}", "the range of a template has no end"),
        ("{{ end }}", "the template {{ end }} has no if, range or with"),
        ("{{ range .name }}{{ end }}", "the template {{range .name}} goes through what is no list and no map"),
        ("{{ range .on }}{{ end }}", "the template {{range .on}} goes through what is no list and no map"),
        ("{{ range .cores }}{{ end }}", "the template {{range .cores}} goes through what is no list and no map"),
        (
            "{{ range $i, $n := 3 }}{{ end }}",
            "the template {{range $i, $n := 3}} goes through what is no list and no map",
        ),
        ("{{ range 10001 }}{{ end }}", "a template goes through more than 10000 numbers"),
        ("{{ $x }}", "the template {{$x}} is not supported"),
        ("{{ lower .missing }}", "the template {{lower .missing}} is not supported"),
        ("{{ .name | 3 }}", "the template {{.name | 3}} is not supported"),
        ("{{ ! }}", "the template {{!}} is not supported"),
        ("{{ }}", "the template {{ }} says nothing"),
        ("{{ .name .on }}", "the template {{.name .on}} is not supported"),
        ("{{ .name ) }}", "the template {{.name )}} is not supported"),
        ("{{ (.name }}", "the template {{(.name}} is not supported"),
        ("{{ lower lower }}", "the template {{lower lower}} is not supported"),
        ("{{ index .apps 7 }}", "the template {{index .apps 7}} is not supported"),
        ("{{ printf `%s` }}", "the template {{printf `%s`}} is not supported"),
        ("{{ $.none.x }}{{ $y.a }}", "the template {{$y.a}} is not supported"),
        ("{{ if .on }}{{ else range .apps }}{{ end }}", "the template {{ else range .apps }} is not supported"),
        ("{{ range .apps }}{{ else range .apps }}{{ end }}", "the template {{ else range .apps }} is not supported"),
        ("{{ if .on }}{{ else with .path }}{{ end }}", "the template {{ else with .path }} is not supported"),
        ("{{ with .on }}{{ else if .path }}{{ end }}", "the template {{ else if .path }} is not supported"),
        ("{{ if .on }}{{ else }}", "the if of a template has no end"),
        (f"{{{{ list{' 1' * 300} }}}}", f"the template {{{{list{' 1' * 38}}}}} is not supported"),
        ("{{ if .on }}" * 21, "a template has more than 20 blocks within each other"),
    ],
)
def test_what_is_not_supported_is_an_error(template, message):
    with pytest.raises(TemplateError) as error:
        render(template, PARAMETERS)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("template", "outcomes"),
    [
        ("{{ .path.path }}", ["vms/web"] * 4),
        ("{{ .gone }}", ["{{ .gone }}", "<no value>", "<no value>", "a template needs .gone, and there is no gone"]),
        (
            "{{ .gone.x }}",
            [
                "{{ .gone.x }}",
                "<no value>",
                "a template needs .gone.x, and there is no x",
                "a template needs .gone.x, and there is no gone",
            ],
        ),
        ("{{ .name.x }}", ["{{ .name.x }}", *["a template needs .name.x, and there is no x"] * 3]),
    ],
)
def test_what_becomes_of_a_template_that_lacks_a_parameter(template, outcomes):
    def outcome(missing):
        try:
            return render(template, PARAMETERS, missing)
        except TemplateError as error:
            return str(error)

    assert [outcome(missing) for missing in ("stays", "no value", "zero", "error")] == outcomes


def test_work_and_output_have_limits():
    many = {"a": [*range(200)]}
    with pytest.raises(TemplateError, match=r"^a template carries out more than 10000 actions$"):
        render("{{ range .a }}{{ range $.a }}{{ . }}{{ end }}{{ end }}", many)
    with pytest.raises(TemplateError, match="is not supported"):
        render('{{ $x := "0123456789" }}' + '{{ $x = printf "%s%s" $x $x }}' * 40, {})


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("{{ range .apps }}{{ .app }}{{ range $.labels }}{{ . }}{{ end }}{{ end }}", "a12b12"),
        ("{{ with .none }}x{{ else }}{{ .name }}{{ end }}", "Web"),
        ("{{ with $p := .path }}{{ $p.path }}{{ .path }}{{ end }}", "vms/webvms/web"),
        ("{{ if $x := .on }}{{ $x }}{{ end }}", "true"),
        ("{{ range $a := .apps }}{{ $a.app }}{{ end }}", "ab"),
        ("{{ if .none }}a{{ else if .on }}b{{ else }}c{{ end }}", "b"),
        ("{{ if .none }}a{{ else if .none }}b{{ else }}c{{ end }}", "c"),
        ("{{ with .none }}a{{ else with .name }}{{ . }}{{ end }}", "Web"),
        ("a {{- /* a comment */ -}} b", "ab"),
        ("a {{ .name -}}  b", "a Webb"),
        ("{{ .missing }}{{ .path.missing.more }}", "{{ .missing }}{{ .path.missing.more }}"),
        ('{{ "a\\nb\\t\\"c\\"\\\\" }}', 'a\nb\t"c"\\'),
        ("{{ `a\\n` }}{{ -5 }}{{ true }}{{ false }}", "a\\n-5truefalse"),
        ("{{ (index .apps 1).cores | add 1 }}", "5"),
        ("{{ .name | lower | upper | trunc 2 }}", "WE"),
        ("{{ ((.name)) }}", "Web"),
        ("{{ with .path }}{{ . | len }}{{ end }}", "2"),
        ("{{ $.name }}{{ $.path | len }}", "Web2"),
        ("{{ $x := 1 }}{{ range .apps }}{{ $x = .cores }}{{ end }}{{ $x }}", "4"),
        ("{{ $x := 1 }}{{ range .apps }}{{ $x := .cores }}{{ $x }}{{ end }}{{ $x }}", "241"),
        ("{{ range 10000 }}{{ end }}x", "x"),
        (f"{'{{ if .on }}' * 20}x{'{{ end }}' * 20}", "x"),
        ("{{ range $i, $a := .apps }}{{ if $i }},{{ end }}{{ $a.app }}{{ end }}", "a,b"),
    ],
)
def test_blocks_variables_and_words(template, text):
    assert render(template, PARAMETERS) == text
