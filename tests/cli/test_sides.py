"""Which side of `diff` a name means: who proposes a change names files as they like, and must not choose the base."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import checkouts
from checkouts import git
from virtcatalog.cli import main, sides
from virtcatalog.cli.sides import SideName, side_names

SMALL = "class: m\nmemoryPerVcpu: 4Gi\nsizes: {small: {vcpus: 1}}\n"
LARGE = SMALL.replace("vcpus: 1", "vcpus: 8")


def write(folder: str, size: str) -> None:
    place = Path(folder, "instancetypes")
    place.mkdir(parents=True)
    Path(folder, "catalog.yaml").write_text("name: test\nkubevirt: v1.9.0\n")
    (place / "m.yaml").write_text(size)


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The commit that a change is compared with: its type is small there, and large in the working tree."""
    monkeypatch.chdir(tmp_path)
    git(".", "init", "-q", "-b", "main")
    write("catalog", SMALL)
    git(".", "add", "-A")
    git(".", "commit", "-q", "-m", "first")
    Path("catalog/instancetypes/m.yaml").write_text(LARGE)
    return git(".", "rev-parse", "HEAD")


def diff(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["diff", *arguments])


CHANGED = "objects changed: VirtualMachineClusterInstancetype/m.small"


def test_the_base_of_a_change_is_a_revision_whatever_the_change_calls_its_folders(base: str) -> None:
    write(f"{base}/catalog", LARGE)
    done = diff("--base", base)
    assert done.exit_code == 1
    assert CHANGED in done.stdout


@pytest.mark.parametrize("name", ["main", "HEAD", "main..HEAD", "main...HEAD"])
@pytest.mark.parametrize("folder", [True, False])
def test_a_name_that_is_a_revision_and_a_path_too_is_refused(base: str, name: str, folder: bool) -> None:
    write(f"{name}/catalog", LARGE) if folder else Path(name).touch()
    done = diff(name)
    assert (done.exit_code, done.stdout) == (2, "")
    what, options, noun = (
        ("two git revisions", "--base main --head HEAD", "revisions")
        if ".." in name
        else ("a git revision", f"--base {name} or --head {name}", "revision")
    )
    assert done.stderr == (
        f"error: {name} is {what}, and a file or folder, too: say {options} for the {noun}, "
        f"and ./{name} for what lies there\n"
    )
    if ".." not in name:
        assert diff(name, "catalog").exit_code == diff("catalog", name).exit_code == 2


def test_a_catalog_beside_a_tree_is_its_base(base: str) -> None:
    """A folder of objects knows no environments."""
    Path("catalog/overlays.yaml").write_text("lab: {labels: {example.org/site: lab}}\n")
    write("small", SMALL)
    assert CliRunner().invoke(main, ["build", "small", "--output-dir", "tree"]).exit_code == 0
    report = json.loads(diff("tree", "catalog", "-o", "json").stdout)
    assert report["problems"] == []
    assert [(obj["change"], obj["kind"], obj["name"], obj["environments"]) for obj in report["objects"]] == [
        ("changed", f"VirtualMachine{kind}", "m.small", []) for kind in ("ClusterInstancetype", "Instancetype")
    ]
    assert (diff("tree", "small").exit_code, diff("small", "catalog").exit_code) == (0, 1)


WITH_A_TYPE = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web, namespace: shop}
spec:
  runStrategy: Always
  instancetype: {kind: VirtualMachineInstancetype, name: own}
  template: {spec: {domain: {devices: {}}}}
---
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineInstancetype
metadata: {name: own, namespace: shop}
spec: {cpu: {guest: 1}, memory: {guest: 1Gi}}
"""


def test_vm_templates_of_several_environments_are_one_beside_a_tree(base: str) -> None:
    write("small", SMALL)
    assert CliRunner().invoke(main, ["build", "small", "--output-dir", "tree"]).exit_code == 0
    names = {"lab": "labels: {example.org/site: lab}", "prod": "labels: {example.org/site: prod}"}
    files = {"catalog/overlays.yaml": "".join(f"{name}: {{{labels}}}\n" for name, labels in names.items())}
    checkouts.write(".", {**files, "catalog/vms/web.yaml.j2": WITH_A_TYPE, "catalog/vms/db.yaml.j2": VM})
    report = json.loads(diff("tree", "catalog", "-o", "json").stdout)
    assert [(vm["vm"], vm["environment"], vm["next"], vm["changes"]) for vm in report["vms"]] == [
        (name, "", "changed", ["the VM template is new"]) for name in ("db", "web")
    ]


def test_each_of_both_can_be_said(base: str) -> None:
    write("main/catalog", LARGE)
    assert diff("./main", "catalog").exit_code == diff("main/", "catalog").exit_code == 0
    assert CHANGED in diff("--base", "main").stdout
    assert CHANGED in diff("./main", "--head", "main").stdout
    assert diff("--base", "main", "--head", base).exit_code == 0


def test_the_options_name_no_path_and_no_pair_of_revisions(base: str) -> None:
    for name in ("catalog", "./catalog", "main..HEAD", "-x", "", "^main"):
        for option in ("--base", "--head"):
            done = diff(option, name)
            assert (done.exit_code, done.stderr) == (2, f"error: {name!r} is no git revision\n")


def test_a_side_has_one_name(base: str) -> None:
    assert "--base main and the argument v1 name the same side" in diff("v1", "--base", "main").stderr
    assert "--head main and the argument v2 name the same side" in diff("v1", "v2", "--head", "main").stderr
    assert diff("main..HEAD", "--head", "main").exit_code == 2


def test_a_head_alone_is_compared_with_where_it_left_the_main_branch(base: str) -> None:
    git(".", "checkout", "-q", "-b", "topic")
    git(".", "commit", "-q", "-a", "-m", "larger")
    topic = git(".", "rev-parse", "HEAD")
    git(".", "checkout", "-q", "main")
    done = diff("--head", topic)
    assert f"main@{base[:12]}:catalog → {topic[:12]}:catalog" in done.stdout
    assert CHANGED in done.stdout


@pytest.mark.parametrize("branch", ["remotes/origin/main", "remotes/origin/master", "heads/main", "heads/master"])
def test_the_main_branch_has_one_of_these_names(base: str, branch: str) -> None:
    git(".", "checkout", "-q", "-b", "topic")
    git(".", "commit", "-q", "-a", "-m", "larger")
    git(".", "branch", "-q", "-D", "main")
    assert "there is no main branch to compare with" in diff("--head", "topic").stderr
    git(".", "update-ref", f"refs/{branch}", base)
    name = branch.removeprefix("remotes/").removeprefix("heads/")
    assert f"{name}@{base[:12]}:catalog → topic:catalog" in diff("--head", "topic").stdout


def test_what_is_neither_says_so(base: str) -> None:
    assert diff("catlog").stderr == "error: 'catlog' is neither a git revision nor a file or folder\n"


def test_paths_outside_of_any_repository_are_compared_without_git(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    write("old", SMALL)
    write("new", LARGE)
    assert CHANGED in diff("old", "new").stdout


def test_a_revision_that_a_shallow_clone_lacks(base: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git(".", "commit", "-q", "-a", "-m", "second")
    git(".", "clone", "-q", "--depth=1", tmp_path.as_uri(), "clone")
    monkeypatch.chdir("clone")
    assert diff("HEAD^", "HEAD").stderr == (
        "error: 'HEAD^' is neither a git revision nor a file or folder; the clone is shallow: fetch the whole history "
        "(fetch-depth: 0)\n"
    )


@pytest.mark.parametrize(
    ("base_name", "head_name", "revisions", "names"),
    [
        (None, None, (None, None), (SideName(), SideName())),
        ("-", None, (None, None), (SideName(path="-"), SideName())),
        ("catalog", None, (None, None), (SideName(path="catalog"), SideName())),
        ("main", "catalog", (None, None), (SideName(revision="main", guessed=True), SideName(path="catalog"))),
        (None, None, ("a", "b"), (SideName(revision="a"), SideName(revision="b"))),
        (None, "catalog", ("a", None), (SideName(revision="a"), SideName(path="catalog"))),
        ("main..topic", None, (None, None), (SideName(revision="main"), SideName(revision="topic"))),
        ("main..", None, (None, None), (SideName(revision="main"), SideName(revision="HEAD"))),
        ("..topic", None, (None, None), (SideName(revision="HEAD"), SideName(revision="topic"))),
        (
            "main..topic",
            "catalog",
            (None, None),
            (SideName(revision="main..topic", guessed=True), SideName(path="catalog")),
        ),
        ("main..topic", None, (None, "x"), (SideName(revision="main..topic", guessed=True), SideName(revision="x"))),
        ("a..b", None, (None, None), (SideName(path="a..b"), SideName())),
    ],
)
def test_what_names_a_side(
    base: str, base_name: str | None, head_name: str | None, revisions: tuple[str | None, str | None], names: object
) -> None:
    Path("a..b").mkdir()
    assert side_names(base_name, head_name, revisions) == names


def test_three_dots_are_where_two_revisions_part(base: str) -> None:
    git(".", "checkout", "-q", "-b", "topic")
    git(".", "commit", "-q", "-a", "-m", "larger")
    git(".", "checkout", "-q", "main")
    git(".", "commit", "-q", "--allow-empty", "-m", "other")
    for name, head in (("main...topic", "topic"), ("...topic", "topic"), ("topic...", "HEAD")):
        assert side_names(name, None, (None, None)) == (SideName(revision=base[:12]), SideName(revision=head))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nowhere",), "error: 'nowhere' is neither a git revision nor a file or folder\n"),
        (("-c", "nowhere"), "error: nowhere: there is no such file or folder\n"),
        (("empty", "catalog"), "error: empty: there is no catalog.yaml, and no manifest of KubeVirt's\n"),
        (("-", "-"), "name - once: a line ======= is between BASE and HEAD\n"),
        (
            ("--kubevirt", "v1.8.4", "v1.9.0", "-c", "empty"),
            "error: empty: there is no catalog.yaml, and no manifest of KubeVirt's\n",
        ),
    ],
)
def test_what_is_no_side_is_told(base: str, arguments: tuple[str, ...], message: str) -> None:
    Path("empty").mkdir()
    done = diff(*arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.endswith(message)


@pytest.mark.parametrize("catalog", [True, False])
def test_outside_of_any_repository_no_base_is_found(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, catalog: bool
) -> None:
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    if catalog:
        write("catalog", SMALL)
    done = diff()
    # Git's words differ where the temporary folder is a file system of its own.
    message = r"error: git rev-parse: not a git repository \(or any .+\)(: \.git)?\n"
    assert (done.exit_code, done.stdout) == (2, "")
    assert re.fullmatch(message, done.stderr)


@pytest.mark.parametrize(
    ("files", "path"),
    [
        ({}, "."),
        ({"catalog/x": ""}, "catalog"),
        ({"catalog/catalog.yaml": ""}, "catalog"),
    ],
)
def test_without_git_the_default_is_the_catalog_or_what_is_here(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, files: dict[str, str], path: str
) -> None:
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    checkouts.write(".", files)
    assert sides._default((SideName(), SideName())) == path


@pytest.mark.parametrize(
    ("names", "path"),
    [
        ((SideName(), SideName()), "../.."),
        ((SideName(revision="HEAD"), SideName()), "../.."),
        ((SideName(), SideName(revision="old")), "catalog"),
        ((SideName(revision="none"), SideName(revision="old")), "catalog"),
    ],
)
def test_the_default_is_a_catalog_of_either_side_or_the_whole_repository(
    base: str, monkeypatch: pytest.MonkeyPatch, names: tuple[SideName, SideName], path: str
) -> None:
    write("deep/er/catalog", SMALL)
    git(".", "add", "-A")
    git(".", "commit", "-q", "-m", "with one")
    git(".", "tag", "old")
    git(".", "rm", "-q", "-r", "deep/er/catalog")
    git(".", "commit", "-q", "-m", "without")
    Path("deep/er").mkdir(parents=True)
    monkeypatch.chdir("deep/er")
    assert sides._default(names) == path


def test_a_file_beside_the_catalog_that_becomes_a_link_is_named(base: str) -> None:
    Path("vms").mkdir()
    Path("vms/vm.yaml").write_text(VM)
    git(".", "add", "-A")
    git(".", "commit", "-q", "-m", "with VMs")
    Path("vms/vm.yaml").unlink()
    Path("vms/vm.yaml").symlink_to("/dev/null")
    done = diff("--base", "HEAD")
    differs = "differs, and the catalog alone is compared: VMs beside it are with `--catalog .`"
    assert done.stdout.splitlines()[1:3] == ["HEAD:catalog → catalog", f"not rendered: vms/vm.yaml: {differs}"]


@pytest.mark.parametrize("revisions", [("--base", "HEAD"), ("HEAD^", "HEAD")])
def test_a_catalog_is_compared_beside_more_than_is_looked_at(base: str, revisions: tuple[str, ...]) -> None:
    git(".", "commit", "-q", "-a", "-m", "larger")
    deep = Path("/".join(["deep"] * 34))
    deep.mkdir(parents=True)
    (deep / "notes.txt").touch()
    git(".", "add", "-A")
    git(".", "commit", "-q", "--amend", "-m", "larger, and deep")
    Path("catalog/instancetypes/m.yaml").write_text(SMALL)
    done = diff(*revisions)
    commit = git(".", "rev-parse", "HEAD")[:12]
    why = f"what lies beside the catalog is not looked at: {commit}: is more than 32 folders deep"
    assert (done.stderr, done.exit_code) == ("", 1)
    assert done.stdout.splitlines()[-2] == f"not rendered: .: {why}"
    assert CHANGED in done.stdout


def test_a_branch_without_a_commit_has_a_catalog_alone(base: str) -> None:
    git(".", "checkout", "-q", "--orphan", "new")
    done = diff("--base", base)
    assert (done.stderr, done.exit_code) == ("", 1)
    assert CHANGED in done.stdout
    assert "not rendered" not in done.stdout


STREAM = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n"


@pytest.mark.parametrize(
    ("stdin", "message"),
    [
        (STREAM, "standard input has no line ======= between BASE and HEAD"),
        (f"{STREAM}======\n{STREAM}", "standard input has no line ======= between BASE and HEAD"),
        ("=======\n", "standard input: there is no manifest of KubeVirt's"),
    ],
)
def test_standard_input_holds_both_sides(stdin: str, message: str) -> None:
    done = CliRunner().invoke(main, ["diff", "-"], input=stdin)
    assert (done.exit_code, done.stderr) == (2, f"error: {message}\n")


def test_a_line_between_two_manifests_is_the_only_thing_that_stands_there() -> None:
    done = CliRunner().invoke(main, ["diff", "-"], input=f"{VM}=======\n{VM.replace('1Gi', '2Gi')}")
    assert done.exit_code == 1
    assert done.stdout.splitlines()[1] == "BASE → HEAD"
    assert CliRunner().invoke(main, ["diff", "-"], input=f"{VM}=======\n{VM}").exit_code == 0


VM = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web}
spec: {runStrategy: Always, template: {spec: {domain: {devices: {}, memory: {guest: 1Gi}}}}}
"""
