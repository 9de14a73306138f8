"""Charts of a repository, rendered by the real helm, and what a hostile one cannot reach."""

import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from sampling import thorough
from serving import Handler, served
from virtcatalog import limits
from virtcatalog.api.corekinds import KUBERNETES
from virtcatalog.api.kinds import KINDS
from virtcatalog.errors import Problem
from virtcatalog.manifests.folder import held_at
from virtcatalog.manifests.read import Part, unchecked
from virtcatalog.manifests.sources import open_folder
from virtcatalog.repositories import helm, helmprocess
from virtcatalog.repositories.helm import RANDOM, Charts, Parameter, Release
from virtcatalog.repositories.helmprocess import find_helm
from virtcatalog.repositories.values import values_at

HELM = find_helm()
CHART = "apiVersion: v2\nname: vms\nversion: 1.0.0\n"
VM = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: {{ .Release.Name }}-{{ .Values.name }}}
spec: {x: {{ toJson .Values.spec }}}
"""


needs_helm = pytest.mark.usefixtures("_helm")


def values(text):
    return values_at(unchecked(Part(text, "values.yaml"))[0][0], ())


def render(files, *layers, program=HELM, chart="c", parameters=(), name="rel", charts=None):
    """What is in a release of the chart in `c/`, of a repository with these files."""
    files = {path: content if isinstance(content, bytes) else content.encode() for path, content in files.items()}
    folder = held_at({tuple(path.split("/")): content for path, content in files.items()}, (chart,))
    release = Release(
        name,
        "ns",
        folder,
        chart,
        [*map(values, layers)],
        lambda message: Problem("hr.yaml", 1, message=message),
        parameters,
    )
    return (charts or Charts(lambda: program)).documents(release, chart)


def unrendered(documents):
    return [str(problem) for problem in documents.unrendered]


@needs_helm
def test_a_chart_is_rendered_with_its_values():
    files = {"c/Chart.yaml": CHART, "c/values.yaml": "name: a\nspec: {one: 1, two: 2}\n", "c/templates/vm.yaml": VM}
    (vm,) = render(files).manifests
    assert (vm.name, vm.file, vm.data["spec"]["x"]) == (
        "VirtualMachine/rel-a",
        "c/templates/vm.yaml",
        {"one": 1, "two": 2},
    )
    (vm,) = render(files, "name: b\nspec: {one: null}", "spec: {two: 3}").manifests
    assert (vm.name, vm.data["spec"]["x"]) == ("VirtualMachine/rel-b", {"two": 3})
    (vm,) = render(files, parameters=[Parameter("spec.one", "5"), Parameter("name", "7", text=True)]).manifests
    assert (vm.name, vm.data["spec"]["x"]["one"]) == ("VirtualMachine/rel-7", 5)


@needs_helm
def test_a_template_sees_a_cluster_with_kubevirt_and_nothing_in_it():
    template = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: a, namespace: {{ .Release.Namespace }}}
data:
  kubevirt: {{ .Capabilities.APIVersions.Has "kubevirt.io/v1/VirtualMachine" | quote }}
  lookup: {{ lookup "v1" "Namespace" "" "" | toJson | quote }}
"""
    (config_map,) = render({"c/Chart.yaml": CHART, "c/templates/a.yaml": template}).manifests
    assert config_map.data["metadata"]["namespace"] == "ns"
    assert config_map.data["data"] == {"kubevirt": "true", "lookup": "{}"}


def packed(files):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for path, content in files.items():
            member = tarfile.TarInfo(path)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content.encode()))
        link = tarfile.TarInfo("sub/templates/link.yaml")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    return out.getvalue()


@needs_helm
def test_dependencies_are_taken_from_folders_and_archives_and_the_others_are_named():
    sub = {"Chart.yaml": CHART.replace("vms", "sub"), "templates/vm.yaml": VM, "values.yaml": "name: sub\nspec: {}\n"}
    near = {f"lib/near/{path}": content.replace("sub", "near") for path, content in sub.items()}
    below = {f"c/charts/below/{path}": content.replace("sub", "below") for path, content in sub.items()}
    declared = "".join(
        f"- {{name: {name}, version: 1.0.0, repository: '{url}'}}\n"
        for name, url in (("sub", ""), ("near", "file://../lib/near"), ("far", "https://example.org"))
    )
    files = {
        "c/Chart.yaml": f"{CHART}dependencies:\n{declared}",
        "c/templates/vm.yaml": VM,
        "c/values.yaml": "name: a",
        "c/charts/sub-1.0.0.tgz": packed({f"sub/{path}": content for path, content in sub.items()}),
        **near,
        **below,
    }
    documents = render(files)
    assert sorted((manifest.name, manifest.file) for manifest in documents.manifests) == [
        ("VirtualMachine/rel-a", "c/templates/vm.yaml"),
        ("VirtualMachine/rel-below", "c/charts/below/templates/vm.yaml"),
        ("VirtualMachine/rel-near", "c/Chart.yaml"),
        ("VirtualMachine/rel-sub", "c/Chart.yaml"),
    ]
    assert unrendered(documents) == [
        "hr.yaml:1:0: the chart c needs far of https://example.org, which is not in the repository"
    ]


@needs_helm
def test_what_is_random_is_the_same_each_time():
    text = "{{ randAlphaNum 8 }}"
    head = "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {name: a}\n"
    vm = f"{head}spec:\n  a: |\n    b\n    pw: {text}\n    c\n"
    files = {"c/Chart.yaml": CHART, "c/templates/vm.yaml": vm}
    first, second = (render(files).manifests[0].data["spec"] for _ in range(2))
    assert first == second == {"a": "b\nrandom\nc\n"}


@needs_helm
def test_what_was_rendered_is_not_rendered_again(monkeypatch):
    runs = []
    monkeypatch.setattr(
        helm, "template", lambda *arguments: runs.append(arguments) or b"---\n" + VM.split("meta")[0].encode()
    )
    charts = Charts(lambda: "/helm")
    for text in ("a: 1", "a: 1", "a: 2"):
        render({"c/Chart.yaml": CHART}, text, charts=charts)
    assert len(runs) == 2


@needs_helm
@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"c/templates/a.yaml": '{{ fail "no" }}'}, "helm: execution error at (vms/templates/a.yaml:1:3): no"),
        (
            {"c/templates/a.yaml": '{{ env "HOME" }}'},
            'helm: parse error at (vms/templates/a.yaml:1): function "env" not defined',
        ),
        (
            {"c/templates/a.yaml": '{{ define "x" }}{{ include "x" . }}{{ end }}{{ include "x" . }}'},
            'helm: template: vms/templates/a.yaml:1:47: executing "vms/templates/a.yaml" at <include "x" .>: '
            + 'error calling include: template: vms/templates/a.yaml:1:19: executing "x" at <include "x" .>: ' * 2
            + "error calling include:",
        ),
        ({"c/Chart.yaml": "a: ["}, "Chart.yaml:2:1: is not YAML: the text ends where a value is wanted"),
        ({"c/Chart.yaml": "- a"}, "Chart.yaml must be one map"),
        ({"c/Chart.yaml": CHART + "dependencies: [a]"}, "Chart.yaml: a dependency is no map"),
        (
            {"c/charts/a.tgz": b"no archive"},
            "charts/a.tgz cannot be unpacked: Error -3 while decompressing data: incorrect header check",
        ),
        (
            {"c/Chart.yaml": CHART + "dependencies: [{name: x, repository: 'file://.'}]"},
            "charts are nested more than 8 levels deep",
        ),
    ],
)
def test_a_chart_that_cannot_be_rendered_is_named(files, message):
    documents = render({"c/Chart.yaml": CHART, **files})
    (problem,) = unrendered(documents)
    assert problem == f"hr.yaml:1:0: the chart c is not rendered: {message}"
    assert documents.manifests == ()


@needs_helm
@thorough
def test_a_chart_that_asks_for_too_much_is_named():
    documents = render({"c/Chart.yaml": CHART, "c/templates/a.yaml": "{{ range until 2000000000 }}x{{ end }}"})
    (problem,) = unrendered(documents)
    assert problem.startswith("hr.yaml:1:0: the chart c is not rendered: helm takes more than ")
    assert documents.manifests == ()


@pytest.mark.parametrize(
    ("program", "chart", "why"),
    [("", {"c/Chart.yaml": CHART}, "there is no helm in the PATH"), ("/helm", None, "it is not in the repository")],
)
def test_without_rendering_the_objects_in_values_count(program, chart, why):
    layer = values("extraObjects: [{apiVersion: kubevirt.io/v1, kind: VirtualMachine, metadata: {name: db}}]")
    folder = held_at({("c", "Chart.yaml"): b""}, ("c",)) if chart else None
    release = Release("rel", "ns", folder, "c", [layer], lambda message: Problem("hr.yaml", 1, message=message))
    documents = Charts(lambda: program).documents(release, "c")
    assert [manifest.name for manifest in documents.manifests] == ["VirtualMachine/db"]
    assert unrendered(documents) == [f"hr.yaml:1:0: the chart c is not rendered: {why}"]


@needs_helm
def test_no_link_of_a_chart_is_followed(tmp_path):
    (tmp_path / "secret").write_text("secret: word")
    templates = tmp_path / "repo/c/templates"
    templates.mkdir(parents=True)
    (templates.parent / "Chart.yaml").write_text(CHART)
    (templates / "a.yaml").write_text('apiVersion: v1\nkind: X\nmetadata: {name: a}\na: {{ .Files.Get "f" | quote }}\n')
    (templates.parent / "f").symlink_to(tmp_path / "secret")
    folder = open_folder(str(tmp_path / "repo")).folder("c")
    release = Release("rel", "ns", folder, "c", [], lambda message: Problem("hr.yaml", message=message))
    documents = Charts(find_helm).documents(release, "c")
    assert "secret" not in str([manifest.data for manifest in documents.manifests])
    assert unrendered(documents) == [
        "hr.yaml: the chart c is not rendered: f: is a symbolic link that leads out of the folder"
    ]


@needs_helm
def test_a_schema_of_values_reads_no_file_and_no_page(tmp_path):
    requests = []

    class Refusing(Handler):
        def do_GET(self):
            requests.append(self.path)
            self.send_error(404)

    with served(Refusing) as address:
        chart = {"Chart.yaml": CHART, "templates/a.yaml": "apiVersion: v1\nkind: X\nmetadata: {name: a}\n"}
        chart["values.schema.json"] = f'{{"$ref": "http://{address}/x"}}'
        sub = {f"sub/{path}": content.replace("vms", "sub") for path, content in chart.items()}
        files = {f"c/{path}": content for path, content in chart.items()}
        documents = render({**files, "c/charts/sub-1.tgz": packed(sub)})
        assert (len(documents.manifests), requests) == (2, [])
        # Given as it is, helm asks for it: that it does not is due to the copy.
        for path, content in chart.items():
            (tmp_path / path).parent.mkdir(exist_ok=True)
            (tmp_path / path).write_text(content)
        subprocess.run([HELM, "template", "a", str(tmp_path)], capture_output=True, check=False)
    assert requests == ["/x"]


@needs_helm
def test_a_chart_sees_nothing_of_the_users(monkeypatch, tmp_path):
    """Neither plugins nor registries nor a kubeconfig, whatever the environment says."""
    program = tmp_path / "helm"
    program.write_text(f"#!{sys.executable} -I\nimport os\nprint('a:', sorted(os.environ.items()))\n")
    program.chmod(0o755)
    for name in ("HELM_PLUGINS", "HELM_DEBUG", "KUBECONFIG", "SECRET"):
        monkeypatch.setenv(name, str(tmp_path))
    printed = helmprocess.template(str(program), tmp_path, "rel", "ns", [], [])
    assert b"SECRET" not in printed
    assert b"HELM_DEBUG" not in printed
    assert f"'HELM_PLUGINS', '{tmp_path}/home/plugins'".encode() in printed
    assert b"'KUBECONFIG', '/dev/null'" in printed


def test_a_helm_of_the_checkout_is_never_the_helm(monkeypatch, tmp_path):
    (tmp_path / "helm").write_text("#!/bin/sh\necho v4.0.0\n")
    (tmp_path / "helm").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f".{os.pathsep}")
    assert shutil.which("helm")
    assert find_helm() == ""


@pytest.mark.parametrize(
    ("version", "is_usable"), [("v3.10.3", False), ("v3.11.0", False), ("v3.11.1", True), ("v4.1", True), ("no", False)]
)
def test_a_helm_whose_templates_look_up_names_is_not_used(monkeypatch, tmp_path, version, is_usable):
    (tmp_path / "helm").write_text(f"#!/bin/sh\necho {version}\n")
    (tmp_path / "helm").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_helm() == (str(tmp_path / "helm") if is_usable else "")


@pytest.mark.skipif(sys.platform != "linux", reason="limits of another process")
@pytest.mark.parametrize(
    "loops",
    [
        "while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done",
        "while :; do :; done",
    ],
)
def test_helm_takes_no_more_than_it_may(monkeypatch, tmp_path, loops):
    monkeypatch.setattr(helmprocess, "HELM_SECONDS", 1)
    monkeypatch.setattr(helmprocess, "HELM_OUTPUT_BYTES", 2**16)
    (tmp_path / "helm").write_text(f"#!/bin/sh\n{loops}\n")
    (tmp_path / "helm").chmod(0o755)
    with pytest.raises(helmprocess.HelmError):
        helmprocess.template(str(tmp_path / "helm"), tmp_path, "rel", "ns", [], [])


NO_MEMORY = "helm takes more than 1024 MiB of memory"


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("fatal error: runtime: out of memory", NO_MEMORY),
        ("fatal error: runtime: cannot allocate memory", NO_MEMORY),
        ("runtime: failed to create new OS thread (have 5 already; errno=11)", NO_MEMORY),
        ("WARNING: old\nError: execution error\nError: no", "helm: execution error"),
        (f"Error: {'x' * 2000}", "helm: " + "x" * 300),
        ("Segmentation fault", "helm: helm fails"),
    ],
)
def test_why_helm_fails_is_what_it_says_first(tmp_path, output, message):
    (tmp_path / "said-by-helm").write_text(output)
    (tmp_path / "helm").write_text(f"#!/bin/sh\n/bin/cat {tmp_path}/said-by-helm >&2\nexit 2\n")
    (tmp_path / "helm").chmod(0o755)
    with pytest.raises(helmprocess.HelmError) as caught:
        helmprocess.template(str(tmp_path / "helm"), tmp_path, "rel", "ns", [], [])
    assert str(caught.value) == message


def test_a_helm_that_cannot_be_run_is_named(tmp_path):
    with pytest.raises(helmprocess.HelmError, match="helm cannot be run: No such file or directory"):
        helmprocess.template(str(tmp_path / "helm"), tmp_path, "rel", "ns", [], [])


def test_an_archive_that_unpacks_to_much_is_refused():
    bomb = packed({"sub/Chart.yaml": "#" * (limits.CHART_BYTES + 1)})
    assert len(bomb) < 2**20
    documents = render({"c/Chart.yaml": CHART, "c/charts/sub.tgz": bomb}, program="/helm")
    assert unrendered(documents) == [
        "hr.yaml:1:0: the chart c is not rendered: with its dependencies it has more than 32 MiB or 5000 files"
    ]


@pytest.mark.parametrize("path", ["sub/../../x", "/etc/x", "sub/a\\b"])
def test_a_path_of_an_archive_leads_nowhere_else(monkeypatch, path):
    monkeypatch.setattr(
        helm, "template", lambda program, folder, *_: str(sorted(map(str, Path(folder).rglob("*")))).encode()
    )
    documents = render({"c/Chart.yaml": CHART, "c/charts/sub.tgz": packed({path: "x"})}, program="/helm")
    assert all("not rendered" in problem for problem in unrendered(documents))
    assert documents.manifests == ()


def test_no_more_is_rendered_when_the_time_is_used_up(monkeypatch):
    monkeypatch.setattr(helm, "CHARTS_SECONDS", 0)
    assert unrendered(render({"c/Chart.yaml": CHART}, program="/helm")) == [
        "hr.yaml:1:0: the chart c is not rendered: the time for charts is used up"
    ]


@pytest.mark.parametrize(
    ("one", "other", "settled"),
    [
        ("a", "a", "a"),
        ("a", "b", RANDOM),
        ("a\nb\nc", "a\nx\nc", f"a\n{RANDOM}\nc"),
        ("a\nb", "a", RANDOM),
        ([1, 2], [1, 3], [1, RANDOM]),
        ([1, 2], [1], RANDOM),
        ({"a": 1, "b": {"c": 2}}, {"a": 1, "b": {"c": 3}}, {"a": 1, "b": {"c": RANDOM}}),
        ({"a": 1, "b": 2}, {"a": 1}, {"a": 1, "b": RANDOM}),
        (1, "1", RANDOM),
    ],
)
def test_of_two_renderings_what_differs_is_random(one, other, settled):
    assert helm._settled(one, other) == settled


def script(folder, text):
    """A program that stands for helm."""
    (folder / "helm").write_text(f"#!/bin/sh\n{text}\n")
    (folder / "helm").chmod(0o755)
    return str(folder / "helm")


def test_what_helm_is_called_with(tmp_path):
    program = script(tmp_path, r"""printf '%s\n' "$@"; while read -r line; do echo "given $line"; done""")
    files = [tmp_path / "one.json", tmp_path / "two.json"]
    printed = helmprocess.template(program, tmp_path, "-rel", "", files, ["--set=a=b"]).decode().splitlines()
    first, *kinds = (argument for argument in printed if argument.startswith("--api-versions="))
    rest = [argument for argument in printed if not argument.startswith("--api-versions=")]
    assert rest == [
        "template",
        "--skip-tests",
        f"--kube-version={KUBERNETES}",
        "--namespace=default",
        f"--values={tmp_path}/one.json",
        f"--values={tmp_path}/two.json",
        "--set=a=b",
        "--",
        "-rel",
        f"{tmp_path}/chart",
    ]
    assert [first, *kinds] == [
        *(f"--api-versions={version}" for version in KINDS),
        *(f"--api-versions={version}/{kind}" for version in KINDS for kind in KINDS[version]),
    ]


def test_what_helm_sees_of_the_environment(tmp_path):
    program = tmp_path / "helm"
    program.write_text(f"#!{sys.executable} -I\nimport json, os\nprint(json.dumps(dict(os.environ)))\n")
    program.chmod(0o755)
    home = f"{tmp_path}/home"
    assert json.loads(helmprocess.template(str(program), tmp_path, "rel", "ns", [], [])) == {
        "HELM_CONFIG_HOME": f"{home}/config",
        "HELM_CACHE_HOME": f"{home}/cache",
        "HELM_DATA_HOME": f"{home}/data",
        "HELM_PLUGINS": f"{home}/plugins",
        "HELM_REGISTRY_CONFIG": f"{home}/registry.json",
        "HELM_REPOSITORY_CONFIG": f"{home}/repositories.yaml",
        "KUBECONFIG": "/dev/null",
        "HOME": home,
        "TMPDIR": home,
        "PATH": "",
        "LC_ALL": "C",
        "HTTP_PROXY": "http://127.0.0.1:9",
        "HTTPS_PROXY": "http://127.0.0.1:9",
        "GOTRACEBACK": "none",
    }


@pytest.mark.parametrize(
    ("seconds", "text"), [(10, "kill -9 $$"), (0, "exec /bin/sleep 20")], ids=["by a signal", "waiting"]
)
def test_a_helm_that_ends_by_a_signal_or_not_in_time_takes_too_much(monkeypatch, tmp_path, seconds, text):
    monkeypatch.setattr(helmprocess, "HELM_SECONDS", seconds)
    monkeypatch.setattr(helmprocess, "_limit", lambda process: None)  # which may end it, too
    with pytest.raises(helmprocess.HelmError) as caught:
        helmprocess.template(script(tmp_path, text), tmp_path, "rel", "ns", [], [])
    assert str(caught.value) == f"helm takes more than {seconds} seconds, or prints too much"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (["a\0"], "helm cannot be run: embedded null byte"),
        (["a" * 2**22], "helm cannot be run: Argument list too long"),
    ],
    ids=["null byte", "long"],
)
def test_arguments_that_no_program_takes_are_named(tmp_path, settings, message):
    with pytest.raises(helmprocess.HelmError) as caught:
        helmprocess.template(script(tmp_path, "exit 0"), tmp_path, "rel", "ns", [], settings)
    assert str(caught.value) == message


def test_a_file_that_is_no_program_is_no_helm(monkeypatch, tmp_path):
    (tmp_path / "helm").write_bytes(b"\x7fno program")
    (tmp_path / "helm").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_helm() == ""


def test_a_helm_that_does_not_say_its_version_in_time_is_none(monkeypatch, tmp_path):
    script(tmp_path, "exec /bin/sleep 20")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(helmprocess, "HELM_SECONDS", 0)
    assert find_helm() == ""


def test_what_a_chart_prints_that_cannot_be_read_is_said(monkeypatch):
    printed = (
        "---\n# Source: vms/templates/a.yaml\napiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: [\n"
        "---\n# Source: vms/gone.yaml\napiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {name: b}\n"
        "---\napiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {name: c}\n"
    )
    monkeypatch.setattr(helm, "template", lambda *_: printed.encode())
    documents = render({"c/Chart.yaml": CHART, "c/templates/a.yaml": "a"}, program="/helm")
    assert [str(problem) for problem in documents.problems] == [
        "c/templates/a.yaml: renders what cannot be read: is not YAML: the text ends where a value is wanted"
    ]
    assert [(manifest.name, manifest.file) for manifest in documents.manifests] == [
        ("VirtualMachine/b", "c/Chart.yaml"),
        ("VirtualMachine/c", "c/Chart.yaml"),
    ]


def test_charts_have_so_much_time_together(monkeypatch):
    monkeypatch.setattr(helm, "CHARTS_SECONDS", 0)
    documents = render({"c/Chart.yaml": CHART, "c/values.yaml": "kubevirt.io"}, program="/helm")
    assert unrendered(documents) == ["hr.yaml:1:0: the chart c is not rendered: the time for charts is used up"]
    assert [part.problem for part in documents.opaque] == list(documents.unrendered)


def digest(name="a", namespace="b", files=(), layers=(), settings=()):
    contents = {"Chart.yaml": b"a: kubevirt.io", **dict(files)}
    folder = held_at({("c", path): content for path, content in contents.items()}, ("c",))
    parameters = [Parameter(path, value) for path, value in settings]
    values_layers = [*map(values, layers)]
    release = Release(
        name, namespace, folder, "c", values_layers, lambda message: Problem("f", message=message), parameters
    )
    ((_, opaque_digest),) = helm.opaque_of(release, Problem("f", message="x"))
    return opaque_digest


def test_a_chart_that_is_not_rendered_is_known_by_all_that_it_is_made_of():
    own = digest()
    others = [
        digest(name="ab", namespace=""),
        digest(name="", namespace="ab"),
        digest(name="b", namespace="a"),
        digest(files={"b": b"c"}),
        digest(files={"bc": b""}),
        digest(files={"b": b"", "c": b""}),
        digest(layers=["a: 1"]),
        digest(layers=["a: 1", "a: 1"]),
        digest(layers=["a: 2"]),
        digest(settings=[("a", "b")]),
        digest(settings=[("a", "b"), ("a", "b")]),
        digest(settings=[("b", "a")]),
    ]
    assert len({own, *others}) == len(others) + 1
    assert digest() == own
    assert digest(files={"c": b"1", "b": b"2"}) == digest(files={"b": b"2", "c": b"1"})


def test_a_chart_that_cannot_be_copied_is_known_by_its_fault():
    first, second = (digest(files={"requirements.yaml": text}) for text in (b"a: [", b"- a"))
    assert first != second


def test_every_rendering_takes_of_the_time(monkeypatch):
    seconds = iter((0.0, 4.0, 10.0, 16.0))
    monkeypatch.setattr(helm.time, "monotonic", lambda: next(seconds))
    monkeypatch.setattr(helm, "CHARTS_SECONDS", 10)
    monkeypatch.setattr(helm, "template", lambda *_: b"")
    charts = Charts(lambda: "/helm")
    problems = [unrendered(render({"c/Chart.yaml": CHART}, f"a: {number}", charts=charts)) for number in range(3)]
    assert problems == [[], [], ["hr.yaml:1:0: the chart c is not rendered: the time for charts is used up"]]


def test_helm_may_be_asked_again_in_the_same_folder(tmp_path):
    program = script(tmp_path, "echo once")
    assert [helmprocess.template(program, tmp_path, "rel", "ns", [], []) for _ in range(2)] == [b"once\n"] * 2


def test_a_failure_is_not_tried_again(monkeypatch):
    calls = []

    def template(*arguments):
        calls.append(arguments)
        raise helmprocess.HelmError("no")

    monkeypatch.setattr(helm, "template", template)
    charts = Charts(lambda: "/helm")
    problems = [unrendered(render({"c/Chart.yaml": CHART}, charts=charts)) for _ in range(2)]
    assert problems == [["hr.yaml:1:0: the chart c is not rendered: no"]] * 2
    assert len(calls) == 1


def test_dependencies_that_are_nowhere_are_named_beside_what_is_rendered_without_them(monkeypatch):
    far, gone = "{name: far, repository: https://example.org}", "{name: gone}"
    vm = b"---\n# Source: c/templates/a.yaml\nkind: VirtualMachine\napiVersion: kubevirt.io/v1\nmetadata: {name: a}\n"
    monkeypatch.setattr(helm, "template", lambda *_: vm)
    documents = render({"c/Chart.yaml": f"{CHART}dependencies: [{far}, {gone}]"}, program="/helm")
    assert unrendered(documents) == [
        "hr.yaml:1:0: the chart c needs far of https://example.org and gone, which are not in the repository"
    ]
    assert [manifest.name for manifest in documents.manifests] == ["VirtualMachine/a"]
    assert unrendered(render({"c/Chart.yaml": CHART}, program="/helm")) == []


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("{{ randAlphaNum 8 }}", 2), ("{{ uuidv4 }}", 2), ("{{ genCA }}", 2), ("{{ now }}", 2), ("{{ ago . }}", 2),
        ("{{ htpasswd }}", 2), ("{{ bcrypt }}", 2), ("{{ encryptAES }}", 2), ("{{ shuffle }}", 2), ("{{ upper }}", 1),
    ],
)  # fmt: skip
def test_what_may_differ_each_time_is_rendered_twice(monkeypatch, text, times):
    calls = []
    monkeypatch.setattr(helm, "template", lambda *arguments: calls.append(arguments) or b"")
    render({"c/Chart.yaml": CHART, "c/templates/a.yaml": text}, program="/helm")
    assert len(calls) == times
