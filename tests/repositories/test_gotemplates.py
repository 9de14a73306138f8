"""Go's templates, as ApplicationSets are written with: what Go and sprig make of them."""

import pytest

from virtcatalog.repositories.gotemplates import TemplateError, render

PARAMETERS = {
    "name": "Web",
    "path": {"path": "vms/web", "segments": ["vms", "web"]},
    "apps": [{"app": "a", "cores": 2}, {"app": "b", "cores": 4}],
    "labels": {"b": "2", "a": "1"},
    "none": [],
    "on": True,
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
        ("{{ if .none }}a{{ else if eq .name `x` }}b{{ else with .path }}{{ .path }}{{ else }}c{{ end }}", "vms/web"),
        ("{{ if .none }}a{{ else }}b{{ end }}{{ with .none }}c{{ end }}", "b"),
        ("{{ with $p := .path }}{{ $p.path }}{{ .path }}{{ end }}", "vms/webvms/web"),
        ("{{ if $n := .name }}{{ $n }}{{ end }}", "Web"),
        ("{{ ternary `a` `b` false }}{{ true }}{{ -3 }}", "btrue-3"),
        ('{{ "a\\tb\\n\\"c\\\\" }}', 'a\tb\n"c\\'),
        ("{{ `a\\t` }}", "a\\t"),
        ("a {{- .name -}} b", "aWebb"),
        ("{{ .path.path.none }}", "{{ .path.path.none }}"),
        ("{{ range $a := .apps }}{{ $a.app }}{{ end }}", "ab"),
        ("({{ quote .missing }}{{ squote .missing }}) {{ squote .name }}", "() 'Web'"),
    ],
)
def test_a_template_makes_what_go_makes_of_it(template, text):
    assert render(template, PARAMETERS) == text


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
        ("{{ if .on }}{{ else }}", "the if of a template has no end"),
        (f"{{{{ list{' 1' * 300} }}}}", f"the template {{{{list{' 1' * 38}}}}} is not supported"),
        ("{{ if .on }}" * 30, "a template has more than 20 blocks within each other"),
    ],
)
def test_what_is_not_supported_is_an_error(template, message):
    with pytest.raises(TemplateError) as error:
        render(template, PARAMETERS)
    assert str(error.value) == message


def test_work_and_output_have_limits():
    many = {"a": [*range(200)]}
    with pytest.raises(TemplateError, match="more than 10000 actions"):
        render("{{ range .a }}{{ range $.a }}{{ . }}{{ end }}{{ end }}", many)
    with pytest.raises(TemplateError, match="is not supported"):
        render('{{ $x := "0123456789" }}' + '{{ $x = printf "%s%s" $x $x }}' * 40, {})
