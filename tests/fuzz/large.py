"""What is fuzzed for what it takes: small inputs that ask for much, by counts, patterns, copies and names."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any
from xml.sax.saxutils import unescape

from choices import Choices
from click.testing import CliRunner
from targets import CATALOG, KUSTOMIZE, OBJECTS, OWN, VM

from virtcatalog import Cluster, escaping, load_catalog
from virtcatalog.capacity.launches import launches, split
from virtcatalog.capacity.nodes import load_nodes
from virtcatalog.capacity.report import report
from virtcatalog.cli import main
from virtcatalog.errors import VirtcatalogError
from virtcatalog.manifests.folder import held
from virtcatalog.manifests.textdiff import unified
from virtcatalog.releases import find_release
from virtcatalog.render.output import render
from virtcatalog.repositories.kustomize.build import build
from virtcatalog.repository import defaults

#: As many times as something stands in an input.
_COUNTS = (0, 1, 2, 3, 10, 30, 100, 300, 1000, 3000)
_LARGEST = 100_000


def how_many(choices: Choices, size: int) -> int:
    """How many things of so many bytes an input has."""
    return min(choices.one(_COUNTS), _LARGEST // size)


def _pattern(choices: Choices) -> str:
    parts = ("a?", "a*", "(a|b)*", "(a?)+", ".*", "[^a]+", "a", "b", "^", "$", "|", "(", ")", "\\.", "[", "x-1", "{2}")
    return "".join(choices.one(parts) * (1 + choices.number(40)) for _ in range(choices.number(6)))[:400]


def _operations(choices: Choices) -> list[dict[str, Any]]:
    places = (
        "/spec/a",
        "/spec/a/-",
        "/spec/a/b",
        "/spec",
        "",
        "/metadata/labels/x",
        "/kind",
        "/spec/b/0",
        "/spec/a/0/a",
    )
    operations: list[dict[str, Any]] = [{"op": "add", "path": "/spec/a", "value": choices.one(([], {}, [[]], "x"))}]
    for _ in range(choices.number(8)):
        one = {"op": choices.one(("copy", "move", "add", "replace", "remove", "test")), "path": choices.one(places)}
        one |= {"from": choices.one(places), "value": choices.one((1, {}, [{}], None, "x"))}
        operations += [one] * max(1, how_many(choices, 60) // 3)
    return operations


def kustomizations(data: bytes) -> None:
    choices = Choices(data)
    patches = [
        {
            "target": {choices.one(("name", "kind", "namespace", "labelSelector")): _pattern(choices)},
            "patch": json.dumps(choices.one((_operations(choices), {"spec": {"a": {"b": 1}}}, {"$patch": "delete"}))),
        }
    ]
    objects = [
        {"kind": "A", "metadata": {"name": choices.one(("a", "b")) * choices.one(_COUNTS)}, "spec": {"n": number}}
        for number in range(how_many(choices, 300))
    ]
    kustomization = {
        "resources": ["objects.yaml", *["types.yaml"] * how_many(choices, 30), *["base"] * choices.number(20)],
        "components": ["big"] * how_many(choices, 100),
        "patches": patches * max(1, how_many(choices, len(str(patches)))),
        "commonLabels": {f"k{number}": "v" for number in range(how_many(choices, 20))},
        "namePrefix": "x" * choices.one(_COUNTS),
    }
    tree = {
        path: choices.edited(document) if choices.number(4) == 0 else document for path, document in KUSTOMIZE.items()
    }
    tree |= {"kustomization.yaml": kustomization, "objects.yaml": {"kind": "List", "items": objects}}
    if choices.number(3) == 0:
        tree["kustomization.yaml"] = choices.edited(kustomization)
    files = {path: json.dumps(document).encode("utf-8", "surrogatepass") for path, document in tree.items()}
    built = build(held(files), "x")
    for problem in (*built.problems, *built.unrendered):
        str(problem).encode("utf-8", "surrogateescape")
    for resource in built.resources:
        assert resource.place.line >= 0


_APART = {
    "topologyKey": "kubernetes.io/hostname",
    "labelSelector": {"matchLabels": {"a": "b"}},
}
_CONDITIONS: tuple[dict[str, Any], ...] = (
    {},
    {"nodeSelector": {"zone": "y"}},
    {"nodeSelector": {"kubernetes.io/hostname": "k-7"}},
    {"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [_APART]}}},
    {"affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [_APART]}}},
    {
        "topologySpreadConstraints": [
            {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {}}
        ]
    },
)
_AMOUNTS = ("0", "1", "4", "64", "1e3", "1e15", "9223372036854775807", "16Gi", "1Ti", "-1", "500m")


def _machine(choices: Choices, number: int) -> dict[str, Any]:
    spec = {
        **choices.one(_CONDITIONS),
        "domain": {
            "cpu": {"cores": choices.one((1, 2, 50, 5000)), "dedicatedCpuPlacement": choices.number(1) == 0},
            "memory": {"guest": choices.one(("1Gi", "1Ti"))},
            "devices": {},
        },
    }
    template = {"metadata": {"labels": {"a": "b"}}, "spec": spec}
    metadata = {"name": f"v{number}", "namespace": choices.one(("a", "b"))}
    vm = {"runStrategy": choices.one(("Always", "Halted")), "template": template}
    if choices.number(1):
        return {"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": metadata, "spec": vm}
    replicas = choices.one((0, 1, 7, 300, 20_000, 2**31 - 1, None))
    pool = {"replicas": replicas, "selector": {"matchLabels": {"a": "b"}}, "virtualMachineTemplate": {"spec": vm}}
    kind = "VirtualMachinePool"
    return {"apiVersion": "pool.kubevirt.io/v1beta1", "kind": kind, "metadata": metadata, "spec": pool}


def capacities(data: bytes) -> None:
    choices = Choices(data)
    kinds = [
        {
            "name": f"k{number}",
            "count": choices.one((0, 1, 3, 100, 6000, 20_000)),
            "allocatable": {
                "cpu": choices.one(_AMOUNTS),
                "memory": choices.one(_AMOUNTS),
                "pods": choices.one(_AMOUNTS),
            },
            "labels": {"zone": choices.one(("x", "y")), "kubevirt.io/cpumanager": "true"},
            "numaNodes": choices.one((1, 1, 2, 64)),
        }
        for number in range(1 + choices.number(2))
    ]
    machines = [_machine(choices, number) for number in range(choices.number(5))]
    machines += [
        {**machine, "metadata": {**machine["metadata"], "name": f"c{number}"}}
        for number in range(choices.one((0, 0, 10, 100)))
        for machine in machines[:1]
    ]
    quotas = [
        {
            "apiVersion": "v1",
            "kind": "ResourceQuota",
            "metadata": {"name": f"q{number}", "namespace": "a"},
            "spec": {"hard": {"requests.cpu": choices.one(_AMOUNTS), "pods": choices.one(_AMOUNTS)}},
        }
        for number in range(choices.one((0, 1, 100)))
    ]
    objects = [*OBJECTS[:2], *quotas]
    try:
        document = {"nodes": kinds} if choices.number(3) else choices.edited({"nodes": kinds})
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "nodes.yaml")
            file.write_text(json.dumps(document))
            nodes = load_nodes(str(file))
        machines = machines if choices.number(3) else [choices.edited(machine) for machine in machines]
        cluster = Cluster([*objects, *nodes, *machines])
        types, pods = split(objects)
        report(launches(machines, cluster), len(machines), cluster, types, pods)
    except VirtcatalogError as error:
        str(error).encode("utf-8", "surrogateescape")


def _repeated(choices: Choices, forms: tuple[str, ...]) -> str:
    """A text in which a form stands many times, its number in place of `#`."""
    form = choices.one(forms)
    return "".join(form.replace("#", str(number)) for number in range(how_many(choices, len(form) + 3)))


def _large_template(choices: Choices) -> str:
    inner = ("+a", " and a", " or a", "[1:]", "|upper", "~a", ",a", "<a", " if a else a", "(", "[", "not ", "a ", ".a")
    before, after = choices.one((("{{ a", " }}"), ("{{ [a", "] }}"), ("{% if a", "%}x{% endif %}"), ("{{ ", "a }}")))
    outer = (
        *("{% elif # %}x", "{% set x# = 1 %}", "{{ a + # }}", "{% if x# %}{% set x# = # %}{% endif %}", "{% if a %}"),
        *(
            "{% for i in range(99) %}",
            "{% for i in range(99) %}{{ i }}{% endfor %}",
            "{{ range(#) | join }}",
            "x\n",
            "{#",
        ),
    )
    body = _repeated(choices, outer)
    if "elif" in body:
        body = f"{{% if a %}}{body}{{% endif %}}"
    return body if choices.number(1) else f"{before}{_repeated(choices, inner)}{after}{body}"


_FORMS: dict[str, tuple[str, ...]] = {
    "overlays.yaml": (
        *("e#: {}\n", "e#: {labels: {a: b#}}\n", "e#: {scope: both, namespace: n#}\n"),
        *(
            "e#: {patches: [{spec: {cpu: {guest: #}}}]}\n",
            "e#: {select: {names: ['*.s*']}}\n",
            "e#: {templates: vms}\n",
        ),
    ),
    "instancetypes/m.yaml": ("  s#: {vcpus: 1, memory: 1Gi}\n", "  s#: {vcpus: #, memory: #Mi}\n", "  s#: {}\n"),
    "preferences/linux.yaml": (
        *("  p#: {}\n", "  p#: {requirements: {vcpus: #}}\n", "  p#: {spec: {cpu: {preferredCPUTopology: spread}}}\n"),
        *("  p#: {requirements: {vcpus: 9999, memory: 1Ti}}\n", "  p#: {components: [c1, c2]}\n"),
    ),
    "components.yaml": ("c#: {labels: {a: b}}\n", "c#: {components: [c1]}\n", "c#: {spec: {devices: {}}}\n"),
}
_HEADS = {
    "instancetypes/m.yaml": "class: m\nmemoryPerVcpu: 1Gi\nsizes:\n",
    "preferences/linux.yaml": "preferences:\n",
}


def _declared(choices: Choices) -> dict[str, bytes]:
    files = {"catalog.yaml": "name: x\nvendor: example.org\nkubevirt: v1.7.4\n"}
    for path, forms in _FORMS.items():
        text = _repeated(choices, forms)
        if text:
            files[path] = _HEADS.get(path, "") + text
    if choices.number(1):
        variants = ", ".join(f"v{number}: {{}}" for number in range(choices.one((1, 50, 1000))))
        files["instancetypes/m.yaml"] = (
            files.get("instancetypes/m.yaml", "class: m\nsizes: {}\n") + f"variants: {{{variants}}}\n"
        )
    if choices.number(1):
        files["instancetypes/n.yaml"] = "class: n\nsizes: {s: {vcpus: 1, memory: 1Gi}}\n" + json.dumps(
            {"displayName": _large_template(choices)}
        ).strip("{}")
    for number in range(choices.one((0, 0, 1, 20))):
        files[f"vms/v{number}.yaml"] = json.dumps(choices.one((VM, OWN)))
    if choices.number(3) == 0:
        files["vms/t.yaml.j2"] = _large_template(choices)
        files["vms.yaml"] = "t.yaml.j2: {parameters: {a: 1}}\n"
    return {path: text[:_LARGEST].encode("utf-8", "surrogatepass") for path, text in files.items()}


def declarations(data: bytes) -> None:
    choices = Choices(data)
    files = _declared(choices)
    if sum(map(len, files.values())) > _LARGEST:
        return
    try:
        render(load_catalog("catalog", files))
    except VirtcatalogError as error:
        str(error).encode("utf-8", "surrogateescape")
        return
    with tempfile.TemporaryDirectory(prefix="fuzz-large-") as folder:
        for path, content in files.items():
            file = Path(folder, "catalog", path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        catalog = f"{folder}/catalog"
        calls = (
            ["check", catalog],
            ["check", catalog, "--pairs"],
            ["list", "types", catalog],
            ["diff", catalog, catalog],
            ["build", catalog, "--output-dir", f"{folder}/output"],
            ["expand", "-f", f"{catalog}/vms", "-c", catalog],
            ["site", catalog, "--output-dir", f"{folder}/site"],
        )
        called(choices.one(calls))


def called(arguments: list[str]) -> None:
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code in (0, 1, 2), f"{arguments}: {result.stderr[-3000:]}"
    assert "Traceback" not in result.stderr


@cache
def _checkout() -> Path:
    """A repository with a commit, in which names of files are names of revisions, too; beside it, a folder that a
    link in it leads to.
    """
    folder = Path(tempfile.mkdtemp(prefix="fuzz-names-")).resolve() / "checkout"
    files = {f"catalog/{path}": json.dumps(document) for path, document in CATALOG.items() if path != "vms.yaml"}
    files |= {name: json.dumps(OWN) for name in ("main", "HEAD", "v1", "a/b", "-x", "vm.yaml")}
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    (folder.parent / "outside").mkdir()
    (folder.parent / "outside/vm.yaml").write_text(json.dumps(OWN))
    (folder / "link").symlink_to("../outside")
    (folder / "loop").symlink_to("loop")
    identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
    for command in (["init", "-q", "-b", "main"], ["add", "."], [*identity, "commit", "-qm", "x"], ["tag", "v1"]):
        subprocess.run(["git", *command], cwd=folder, check=True)
    return folder


def _leads_out(place: Path, folder: Path) -> bool:
    try:
        return place.is_dir() and not place.resolve().is_relative_to(folder)
    except OSError:  # such as a name that is too long
        return False


def names(data: bytes) -> None:
    choices = Choices(data)
    parts = (
        "main",
        "HEAD",
        "v1",
        "catalog",
        "a/b",
        "link",
        "loop",
        "..",
        ".",
        "-x",
        "@{1}",
        "^{tree}",
        "~1",
        ":",
        "/",
        "=",
    )
    parts += ("\x1b", "\udcff", "é", "$(x)", "::error::", "x" * 300, "--", "vm.yaml", "@{u}", "^!", "HEAD..main", "")

    def name() -> str:
        text = "".join(choices.one(parts) for _ in range(1 + choices.number(2))) + choices.text() * choices.number(1)
        return text.replace("\0", "")  # no command line has any

    calls = (
        ["diff", name()],
        ["diff", name(), name()],
        ["diff", "--base", name()],
        ["diff", "--base", name(), "--head", name()],
        ["expand", "-f", "vm.yaml", "--at", name()],
        ["expand", "-f", name(), "-c", name()],
        ["check", name()],
        ["check", "-f", name(), "-e", name()],
        ["release", name(), "--dry-run"],
        ["explain", "-f", "vm.yaml", "--field", name()],
        ["build", "--check", "--output-dir", name()],
        ["impact", name()],
        ["list", name(), "-e", name()],
    )
    call, checkout = choices.one(calls), _checkout()
    if any(_leads_out(checkout / word, checkout.parent) for word in call[1:]):
        return  # what else the machine holds is no input
    before = Path.cwd()
    os.chdir(checkout)
    try:
        called(call)
    finally:
        os.chdir(before)


_SETTINGS = """\
catalog = "catalog"
output-dir = "output"
cluster = ["cluster.yaml"]
environments = ["lab"]
kubevirt = "v1.9.0"
arch = "amd64"
host = "reference"
[check]
fail-on = "error"
[diff]
fail-on = "restart"
"""


def settings(data: bytes) -> None:
    """virtcatalog.toml, and releases by their names."""
    choices = Choices(data)
    text = choices.mangled(_SETTINGS.encode())
    if choices.number(1):
        form = choices.one(
            ("a.", "[a]\n", "[[a]]\n", "a#=1\n", "[", "{a={", '"""', "a=[", "cluster=['x']\n", "\\u0000")
        )
        text += form.encode() * how_many(choices, len(form))
    with tempfile.TemporaryDirectory(prefix="fuzz-settings-") as folder:
        Path(folder, choices.one(("virtcatalog.toml", "pyproject.toml"))).write_bytes(text)
        try:
            defaults(folder)
        except VirtcatalogError as error:
            str(error).encode("utf-8", "surrogateescape")
    try:
        find_release(choices.one(("v1.9.0", "v", "1.8", "")) + choices.text())
    except VirtcatalogError as error:
        str(error).encode("utf-8", "surrogateescape")


def differences(data: bytes) -> None:
    choices = Choices(data)

    def text() -> str:
        lines: list[str] = []
        for _ in range(1 + choices.number(5)):
            form, distinct, signs = choices.one(("#\n", "a\n", "@#\n", "#\nx#@\n")), choices.one((2, 60, 9999)), "-+ab"
            sign = choices.one(signs)
            count = how_many(choices, 8)
            lines += [form.replace("#", str(number % distinct)).replace("@", sign) for number in range(count)]
        return "".join(lines)[: _LARGEST // 2]

    old, new = text(), text()
    diff = unified(old, new)
    assert (diff == "") == (old == new)


def escapings(data: bytes) -> None:
    choices = Choices(data)
    pieces = (
        "::",
        "##[",
        "@a",
        "#1",
        "`",
        "|",
        "<b>",
        "&",
        "/merge",
        "\n",
        "\r",
        "\x1b[2J",
        "\u202e",
        "www.x",
        "]",
        "(",
        " ",
    )
    text = "".join(choices.one(pieces) for _ in range(choices.number(12))) + choices.text()
    for show in (escaping.log, escaping.markdown, escaping.markdown_prose, escaping.html, escaping.html_prose):
        shown = show(text)
        assert "\x1b" not in shown
        assert "\u202e" not in shown
        assert not escaping.commands(shown)
    assert "<b>" not in escaping.html(text) + escaping.html_prose(text) + escaping.html_block(text)
    assert unescape(escaping.html_block("<b>")) == "<b>"
    assert "\n" not in escaping.markdown(text) + escaping.markdown_code(text) + escaping.single_line(text)
    assert json.loads(escaping.as_json([text])) == [text]
    assert escaping.github("error", text, {"file": text}).count("\n") == 1


TARGETS: dict[str, Callable[[bytes], None]] = {
    target.__name__: target
    for target in (kustomizations, capacities, declarations, names, settings, differences, escapings)
}
