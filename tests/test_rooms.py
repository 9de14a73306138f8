"""The order of the rooms: a module imports its own room and those above it, and no imports go round in a circle.

Every import counts: at the top of a module, within a function, and for type checkers alone.
"""

import ast
import re
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

PACKAGE = "virtcatalog"
ROOT = Path(__file__).parent.parent / "generator" / PACKAGE

#: The rooms, each of which imports only those before it. In `kubevirt`, a stage is a room of its own.
ORDER = (
    "_version",
    "escaping",
    "sarif",
    "errors",
    "units",
    "progress",
    "limits",
    "checkouts",
    "cachefolder",
    "network",
    "writing",
    "releases",
    "api",
    "manifests",
    "oci",
    "repository",
    "kubevirt.causes",
    "kubevirt.template",
    "catalog",
    "render",
    "publish",
    "kubevirt.memo",
    "kubevirt.selectors",
    "kubevirt.matchers",
    "kubevirt.identity",
    "kubevirt.hosts",
    "kubevirt.hostfile",
    "kubevirt.conditions",
    "kubevirt.launcher",
    "kubevirt.configuration",
    "kubevirt.decoding",
    "kubevirt.cluster",
    "kubevirt.preference",
    "kubevirt.instancetype",
    "kubevirt.defaults",
    "kubevirt.admission",
    "kubevirt.controller",
    "kubevirt.claims",
    "kubevirt.deviceplugins",
    "kubevirt.handler",
    "kubevirt.pod",
    "kubevirt.reasons",
    "kubevirt.result",
    "kubevirt.refusals",
    "kubevirt.reading",
    "kubevirt.pipeline",
    "kubevirt.rollout",
    "environments",
    "repositories",
    "fleet",
    "capacity",
    "gitops",
    "check",
    "review",
    "live",
    "ask",
    "adopt",
    "rightsize",
    "bring",
    "create",
    "site",
    "scaffold",
    "golden",
    "ci",
    "cli",
)
#: What a VM becomes does not depend on where its instance type was declared.
CATALOG = frozenset({"catalog", "render", "publish"})

Imports = dict[str, set[str]]


def room(module: str) -> str:
    """The room that a module is in: `kubevirt.admission`, `review`."""
    return ".".join(module.split(".")[: 2 if module.startswith("kubevirt.") else 1])


def imports(root: Path = ROOT) -> Imports:
    """Every module of the package but its front, with the modules that it imports; names are within the package."""
    trees = {_name(file, root): ast.parse(file.read_text(encoding="utf-8")) for file in root.rglob("*.py")}
    modules = trees.keys() - {""}
    return {name: set(_imported(trees[name], modules)) - {name} for name in trees if name not in ("", "__main__")}


def _name(file: Path, root: Path) -> str:
    return ".".join(file.relative_to(root).with_suffix("").parts).removesuffix("__init__").rstrip(".")


def _imported(tree: ast.Module, modules: set[str]) -> Iterator[str]:
    for node in ast.walk(tree):
        assert not getattr(node, "level", 0), "imports name the package"
        if isinstance(node, ast.Import):
            yield from (_within(name.name) for name in node.names if name.name.split(".")[0] == PACKAGE)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == PACKAGE:
            home = _within(node.module or "")
            for name in node.names:
                inner = f"{home}.{name.name}".lstrip(".")
                yield inner if inner in modules else home


def _within(name: str) -> str:
    return name.removeprefix(PACKAGE).lstrip(".")


@pytest.fixture(name="modules", scope="module")
def all_imports() -> Imports:
    return imports()


def test_every_room_has_its_place_in_the_order(modules):
    # A room that is not there yet may have its place.
    assert {room(module) for module in modules} - {"kubevirt"} <= set(ORDER)


def test_the_architecture_has_the_rooms_in_this_order():
    page = (ROOT.parent.parent / "ARCHITECTURE.md").read_text(encoding="utf-8")
    headings = re.findall(r"^\*\*(`.*?)\.\*\*", page, re.MULTILINE)
    stages = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `") and "/" in line.split("|")[1]]
    for rows, prefix in ((headings, ""), (stages, "kubevirt.")):
        listed = [prefix + name.removesuffix(".py").strip("/") for row in rows for name in re.findall("`([^`]+)`", row)]
        placed = [name for name in listed if name != "kubevirt"]
        assert set(placed) <= set(ORDER)
        assert placed == sorted(placed, key=ORDER.index)
    assert {name.partition(".")[0] for name in ORDER} - {"_version", "sarif", "progress", "environments"} <= {
        name.removesuffix(".py").strip("/") for row in headings for name in re.findall("`([^`]+)`", row)
    }


def test_a_module_imports_only_rooms_above_its_own(modules):
    place = {name: number for number, name in enumerate(ORDER)}
    upwards = [
        f"{module} imports {other}"
        for module, others in sorted(modules.items())
        for other in sorted(others)
        if other and place[room(other)] > place[room(module)]
    ]
    assert upwards == []


def test_no_module_imports_the_front_of_the_package(modules):
    assert [module for module, others in modules.items() if "" in others] == []


def test_what_a_vm_becomes_is_told_without_any_catalog(modules):
    assert [
        f"{module} imports {other}"
        for module, others in sorted(modules.items())
        for other in sorted(others)
        if module.startswith("kubevirt") and room(other) in CATALOG
    ] == []


def test_no_imports_go_round_in_a_circle(modules):
    try:
        tuple(TopologicalSorter(modules).static_order())
    except CycleError as error:
        pytest.fail(" → ".join(reversed(error.args[1])))


def test_imports_of_every_form_and_place_are_found(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "__init__.py").write_text("from virtcatalog.a.two import three\n")
    (tmp_path / "a" / "__init__.py").write_text("")
    (tmp_path / "a" / "two.py").write_text("three = 3\n")
    (tmp_path / "one.py").write_text(
        "import virtcatalog.a.two\n"
        "from virtcatalog import b\n"
        "from virtcatalog.a.two import three\n"
        "def lazy():\n    from virtcatalog.c import x\n"
        "if TYPE_CHECKING:\n    from virtcatalog import d\n"
        "import virtcatalogue, json\n"
    )
    for name in "bcd":
        (tmp_path / f"{name}.py").write_text("")
    assert imports(tmp_path) == {
        "one": {"a.two", "b", "c", "d"},
        "a": set(),
        "a.two": set(),
        "b": set(),
        "c": set(),
        "d": set(),
    }
