"""What a new repository holds, by what syncs it, and what its requirements say."""

from __future__ import annotations

import json
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from virtcatalog.releases import DEFAULT
from virtcatalog.scaffold import content
from virtcatalog.scaffold.content import contents, pinned, write
from virtcatalog.writing import WriteError

PACKAGE = "virtcatalog==1.2"
PATHS = [
    ".gitattributes",
    ".github/workflows/catalog.yaml",
    ".gitignore",
    "Makefile",
    "README.md",
    "catalog/catalog.yaml",
    "catalog/components.yaml",
    "catalog/instancetypes/mem.yaml",
    "catalog/instancetypes/std.yaml",
    "catalog/overlays.yaml",
    "catalog/preferences/linux.yaml",
    "catalog/preferences/windows.yaml",
    "catalog/vms/web-server.yaml",
    "catalog/vms/windows-server.yaml",
    "pytest.ini",
    "requirements.txt",
    "tests/golden/catalog/web-server.xml",
    "tests/golden/catalog/windows-server.xml",
]


@pytest.mark.parametrize("tool", ["none", "argocd", "flux"])
def test_what_syncs_a_repository_has_its_objects_and_is_told_of(
    tool: content.Tool, snapshot: SnapshotAssertion
) -> None:
    files = contents("house", tool, package=PACKAGE)
    own = [path for path in files if not path.startswith("output/")]
    assert own == sorted([*PATHS, *([] if tool == "none" else [f"gitops/{tool}.yaml"])])
    shown = ["README.md", "catalog/catalog.yaml", *([] if tool == "none" else [f"gitops/{tool}.yaml"])]
    assert "\n".join(files[path] for path in shown) == snapshot


def test_a_repository_is_synced_from_an_example_until_its_url_is_said() -> None:
    files = contents("house", "argocd", package=PACKAGE)
    assert "argocd --repo-url https://git.example.com/platform/house.git\n" in files["README.md"]
    url = "https://git.example.com/a b.git"
    assert f"argocd --repo-url '{url}'\n" in contents("house", "argocd", url, PACKAGE)["README.md"]


@pytest.mark.parametrize("tool", ["argocd", "flux"])
def test_an_artifact_of_a_registry_is_the_tree_itself(tool: content.Tool, snapshot: SnapshotAssertion) -> None:
    assert contents("house", tool, "oci://registry.example/house", PACKAGE)[f"gitops/{tool}.yaml"] == snapshot


@pytest.mark.parametrize(("name", "memory"), [("web-server", 8), ("windows-server", 16)])
def test_its_vm_templates_have_their_golden_domains(name: str, memory: int) -> None:
    domain = contents("house", package=PACKAGE)[f"tests/golden/catalog/{name}.xml"]
    assert domain.startswith(f'<domain type="kvm">\n  <!-- host profile reference v1, KubeVirt {DEFAULT.name} -->\n')
    assert f"  <name>default_{name}</name>\n" in domain
    assert f'  <memory unit="b">{memory * 2**30}</memory>\n' in domain


class Distribution:
    """An installed package: what it needs, by name; one that is not in the table is not installed."""

    needs: dict[str, list[str] | None] = {}
    noted: object = None

    def __init__(self, name: str) -> None:
        if name not in self.needs:
            raise PackageNotFoundError(name)
        self.requires, self.version = self.needs[name], f"{len(name)}.0"

    def read_text(self, name: str) -> str | None:
        return json.dumps(self.noted) if name == "direct_url.json" and self.noted else None


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> type[Distribution]:
    monkeypatch.setattr(content, "distribution", Distribution)
    needs = {"virtcatalog": [], "pytest": None, "syrupy": None}
    monkeypatch.setattr(Distribution, "needs", needs)
    return Distribution


def test_requirements_are_what_packages_need_in_turn_but_for_extras_and_what_is_not_installed(
    installed: type[Distribution],
) -> None:
    installed.needs |= {
        "virtcatalog": ["One_a.b>=2", "two ; python_version < '4'", "three==1; extra == 'dask'", "four;extra=='x'"],
        "One_a.b": ["five-_-5>=1", "gone>=1; sys_platform == 'win32'", "two"],
        "two": ["One_a.b", "extra>=1", "---"],
        "three": [],
        "four": [],
        "five-_-5": None,
        "extra": [],
    }
    assert pinned("virtcatalog==0.1").split("\n") == [
        "virtcatalog[pytest]==0.1",
        "extra==5.0",
        "five-5==8.0",
        "one-a-b==7.0",
        "pytest==6.0",
        "syrupy==6.0",
        "two==3.0",
    ]


@pytest.mark.parametrize(
    ("noted", "line"),
    [
        (None, f"virtcatalog[pytest]=={content.__version__}"),
        ({"url": "git+file:///srv/v"}, "git+file:///srv/v"),
        ({"url": "file:///v.whl", "archive_info": {}}, "virtcatalog[pytest] @ file:///v.whl"),
        (
            {"url": "ssh://git@h/v", "vcs_info": {"vcs": "hg", "commit_id": "ab"}},
            "virtcatalog[pytest] @ hg+ssh://git@h/v@ab",
        ),
    ],
)
def test_without_a_package_it_is_the_one_that_is_installed(
    installed: type[Distribution], noted: object, line: str
) -> None:
    installed.noted = noted
    try:
        assert pinned() == "\n".join([line, "pytest==6.0", "syrupy==6.0"])
    finally:
        installed.noted = None


@pytest.mark.parametrize(
    ("package", "line"),
    [
        ("a.b_c-D9~=1.2", "a.b_c-D9[pytest]~=1.2"),
        ("a[b]", "a[b]"),
        ("a @ b", "a[pytest] @ b"),
        ("a", "a[pytest]"),
        ("@a", "@a"),
    ],
)
def test_a_name_of_an_index_gets_the_extra_unless_it_has_one(
    installed: type[Distribution], package: str, line: str
) -> None:
    assert pinned(package).split("\n")[0] == line


@pytest.mark.parametrize(
    ("files", "taken"),
    [
        (dict.fromkeys("abcdefg", "theirs\n"), "a, b, c, d, e and 2 more"),
        ({"a": "ours\n", "b": "theirs\n"}, "b"),
        ({"deep/folder/kept": "", "a/b": ""}, "a"),
        ({"deep": ""}, "deep/folder/file"),
        ({"deep/folder": ""}, "deep/folder/file"),
        ({"deep/folder/file/x": ""}, "deep/folder/file"),
    ],
)
def test_places_that_are_taken(tmp_path: Path, files: dict[str, str], taken: str) -> None:
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    wanted = {**dict.fromkeys("abcdefg", "ours\n"), "deep/folder/file": "ours\n"}
    with pytest.raises(WriteError) as caught:
        write(tmp_path, wanted)
    assert str(caught.value) == f"{tmp_path} has files of its own in these places: {taken}"
    assert sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()) == sorted(files)


def test_a_file_is_no_place_for_a_repository(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    with pytest.raises(WriteError) as caught:
        write(tmp_path / "a", {})
    assert str(caught.value) == f"{tmp_path}/a is no folder; name another one for the repository"


def test_a_link_to_the_same_text_is_no_file_of_ours(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("ours\n")
    (tmp_path / "new").mkdir()
    (tmp_path / "new/a").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(WriteError, match=r"places: a$"):
        write(tmp_path / "new", {"a": "ours\n"})


def test_what_is_there_with_the_same_text_is_kept_and_the_rest_is_written(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("ours\n")
    assert write(tmp_path, {"a": "ours\n", "b/c": "new\n"}) == ["b/c"]
    assert write(tmp_path, {"a": "ours\n", "b/c": "new\n"}) == []
    assert (tmp_path / "b/c").read_text() == "new\n"
