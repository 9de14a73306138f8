"""virtcatalog.toml: a repository's defaults, read from whoever changed the repository."""

from __future__ import annotations

import os
import tracemalloc
from pathlib import Path
from textwrap import dedent

import msgspec
import pytest
from click.testing import CliRunner

from virtcatalog.cli import main
from virtcatalog.errors import ManifestError
from virtcatalog.repository import Settings, defaults

VM = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web}
spec:
  runStrategy: Always
  template:
    spec:
      domain: {memory: {guest: 1Gi}, devices: {}}
"""
TYPED = VM.replace("memory: {guest: 1Gi}, ", "").replace("  runS", "  instancetype: {name: m.large}\n  runS")
GATE = """\
apiVersion: kubevirt.io/v1
kind: KubeVirt
metadata: {name: kubevirt, namespace: kubevirt}
spec: {configuration: {machineType: pc-q35-house}}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    top = tmp_path / "repository"
    top.mkdir()
    monkeypatch.chdir(top)
    return top


def write(text: str, file: str = "virtcatalog.toml") -> None:
    Path(file).parent.mkdir(parents=True, exist_ok=True)
    Path(file).write_text(dedent(text))


def refused() -> list[str]:
    with pytest.raises(ManifestError) as error:
        defaults()
    return [str(problem) for problem in error.value.problems]


class TestFiles:
    def test_without_any_the_defaults_are_virtcatalogs(self):
        assert defaults().settings == Settings()

    def test_those_are(self, snapshot):
        assert msgspec.to_builtins(Settings()) == snapshot

    def test_every_key_has_its_place(self):
        write("cluster = ['a']\n\n[check]\n  fail-on = 'note'\n")
        places = {path: (place.line, place.column, place.field) for path, place in defaults().places.items()}
        assert places == {
            ("cluster",): (1, 1, "cluster"),
            ("check",): (3, 1, "check"),
            ("check", "fail-on"): (4, 3, "check.fail-on"),
        }

    def test_every_key_is_the_default_of_its_option(self):
        write(
            """\
            catalog = "house"
            output-dir = "tree"
            cluster = ["cluster", "production=prod.json"]
            environments = ["production"]
            kubevirt = "v1.8"
            arch = "arm64"
            host = "hosts/grace.yaml"

            [check]
            fail-on = "note"

            [diff]
            fail-on = "restart"
            comment-on = "live"
            """
        )
        settings = defaults().settings
        assert (settings.catalog, settings.output_dir, settings.host) == ("house", "tree", "hosts/grace.yaml")
        assert (settings.cluster, settings.environments) == (("cluster", "production=prod.json"), ("production",))
        assert (settings.diff.fail_on, settings.diff.comment_on) == ("restart", "live")
        assert (settings.kubevirt, settings.arch, settings.check.fail_on) == ("v1.8", "arm64", "note")

    @pytest.mark.parametrize(
        "text",
        [
            "[tool.virtcatalog]\ncatalog = 'house'",
            "[ tool . 'virtcatalog' ]\ncatalog = 'house'",
            "[tool]\nvirtcatalog = {catalog = 'house'}",
            ' ["tool" ] # of tools\nvirtcatalog.catalog = "house"',
            "[tool.a]\nb = 1\n[tool.virtcatalog]\ncatalog = 'house'",
        ],
    )
    def test_pyproject_has_them_in_a_table(self, text):
        write(f"[project]\nname = 'x'\n{text}\n", "pyproject.toml")
        assert defaults().settings.catalog == "house"

    @pytest.mark.parametrize(
        "text",
        [
            "[project]\nname = 'virtcatalog'\n",
            "[project]\nname = 'virtcatalog'\n[tool\n",
            "[tool.other]\na = 1\n",
            "tool = 'virtcatalog'\n",
            "[[tool]]\nname = 'virtcatalog'\n",
            "not [ toml",
        ],
    )
    def test_a_pyproject_without_the_table_says_nothing(self, text):
        write(text, "pyproject.toml")
        assert defaults().settings == Settings()

    def test_a_virtcatalog_toml_may_be_beside_a_pyproject_without_the_table(self):
        write("[project]\nname = 'virtcatalog'\n", "pyproject.toml")
        write("catalog = 'house'")
        assert defaults().settings.catalog == "house"

    def test_two_that_say_something_are_one_too_many(self):
        write("catalog = 'a'")
        write("[tool.virtcatalog]\ncatalog = 'b'\n", "pyproject.toml")
        assert refused() == [
            "pyproject.toml:1:1: tool.virtcatalog: virtcatalog.toml says the defaults, too: keep one of the two"
        ]


class TestFaults:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("\ncatalgo = 'x'", "virtcatalog.toml:2:1: catalgo: unknown field 'catalgo'; did you mean 'catalog'?"),
            ("[check]\n  failon = 'x'", "virtcatalog.toml:2:3: check.failon: unknown field 'failon'; did you mean "),
            ("check.fail-on = 'x'", "virtcatalog.toml:1:1: check.fail-on: 'x' is none of error, warning, note"),
            ("check = 1", "virtcatalog.toml:1:1: check: must be a map, not the number 1"),
            ("catalog = 1979-05-27", "virtcatalog.toml:1:1: catalog: must be a string, not "),
            ("cluster = 'x'", "virtcatalog.toml:1:1: cluster: must be a list, not the string 'x'"),
            ("\ncluster = [1]", "virtcatalog.toml:2:1: cluster[0]: must be a string, not the number 1"),
            ("kubevirt = 'v0.1'", "virtcatalog.toml:1:1: kubevirt: KubeVirt 'v0.1' is not modelled; known are "),
            ("a = [", "virtcatalog.toml:1:1: is no TOML: "),
            ("a = 1\na = 2", "virtcatalog.toml:2:1: is no TOML: Cannot overwrite a value"),
        ],
    )  # fmt: skip
    def test_have_their_place(self, text, expected, snapshot):
        write(text)
        (problem,) = refused()
        assert problem.startswith(expected)
        assert problem == snapshot

    def test_are_all_told(self):
        write("a = 1\nb = 2\nhost = 3\n")
        assert [problem.partition(": ")[0] for problem in refused()] == [
            f"virtcatalog.toml:{line}:1" for line in (1, 2, 3)
        ]

    def test_are_told_as_far_as_somebody_reads_on(self):
        write("".join(f"a{number} = 1\n" for number in range(25)))
        assert len(refused()) == 20
        write("cluster = [" + "'../x', " * 25 + "]\n")
        assert len(refused()) == 20

    def test_of_a_key_without_a_place_of_its_own_are_at_the_table_that_it_is_in(self):
        write("\ncheck = {fail-on = 'x'}\n")
        assert refused() == ["virtcatalog.toml:2:1: check.fail-on: 'x' is none of error, warning, note"]
        write("\n[tool.virtcatalog.check]\n fail-on.x = 1\n", "pyproject.toml")
        Path("virtcatalog.toml").unlink()
        assert refused() == [
            "pyproject.toml:3:2: tool.virtcatalog.check.fail-on: must be one of error, warning, note, not a map"
        ]

    def test_what_is_no_toml_is_told_where_that_is(self):
        write("a = 1\n\n  b = ]\n")
        assert refused() == ["virtcatalog.toml:3:7: is no TOML: Invalid value"]
        write("\n\na = [\n")
        assert refused() == ["virtcatalog.toml:4:1: is no TOML: Invalid value"]
        write("\n\n" + "a." * 100 + "b = 1")
        assert refused() == ["virtcatalog.toml:3:1: a key has more than 100 parts"]
        write("a." * 99 + "b = 1")
        assert refused() == ["virtcatalog.toml:1:1: a: unknown field 'a'"]

    def test_in_pyproject_toml_a_problem_has_its_place_too(self):
        write("[tool.virtcatalog.check]\nx = 1\n", "pyproject.toml")
        assert refused() == ["pyproject.toml:2:1: tool.virtcatalog.check.x: unknown field 'x'"]

    @pytest.mark.parametrize("content", [b"\xff", b"a = " + b"[" * 50_000])
    def test_nonsense(self, content, snapshot):
        Path("virtcatalog.toml").write_bytes(content)
        assert refused() == snapshot

    def test_a_long_key_takes_little_memory(self):
        write("a." * 10_000 + "b = 1")
        tracemalloc.start()
        try:
            problems = refused()
            _, most = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert problems == ["virtcatalog.toml:1:1: a key has more than 100 parts"]
        assert most < 10_000_000

    def test_a_command_ends_with_2(self):
        write("x = 1")
        result = CliRunner().invoke(main, ["check"])
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr == "virtcatalog.toml:1:1: x: unknown field 'x'\n1 problem\n"

    def test_help_and_version_do_not_read_it(self):
        write("x = 1")
        assert CliRunner().invoke(main, ["check", "--help"]).exit_code == 0
        assert CliRunner().invoke(main, ["--version"]).exit_code == 0


class TestAStrangersFile:
    KEYS = ("catalog = {}", "output-dir = {}", "cluster = [{}]", "host = {}")

    @pytest.mark.parametrize("key", KEYS)
    @pytest.mark.parametrize(
        "path", ["..", "../x", "/etc", "a/../../x", "way/out", "-", "a\\nb", ".git/hooks", "a/.ssh"]
    )
    def test_names_nothing_out_of_the_folder(self, key, path, folder, snapshot):
        (folder / "way").symlink_to(folder.parent)
        write(key.format(f'"{path}"'))
        assert refused() == snapshot

    def test_nor_behind_an_equals_sign(self):
        write('cluster = ["x",\n"production=../x"]')
        assert refused() == [
            "virtcatalog.toml:1:1: cluster[1]: '../x' leads out of the folder that virtcatalog.toml is in"
        ]

    def test_a_file_that_has_an_equals_sign_in_its_name_is_looked_at_whole_too(self):
        write('cluster = ["..=x"]')
        assert refused() == [
            "virtcatalog.toml:1:1: cluster[0]: '..=x' is hidden: name a folder that does not begin with a dot"
        ]

    @pytest.mark.parametrize("name", ["virtcatalog.toml", "pyproject.toml"])
    def test_is_no_link_out(self, name, folder):
        (folder.parent / "other.toml").write_text("secret = 1")
        Path(name).symlink_to("../other.toml")
        assert refused() == [f"{name}: is a symbolic link that leads out of the folder"]

    def test_may_be_a_link_within(self):
        write("catalog = 'house'", "settings/mine.toml")
        Path("virtcatalog.toml").symlink_to("settings/mine.toml")
        assert defaults().settings.catalog == "house"

    def test_is_a_regular_file(self):
        os.mkfifo("virtcatalog.toml")
        assert refused() == ["virtcatalog.toml: is no regular file"]


class TestDefaults:
    """What the settings do; an option counts before them."""

    def run(self, *arguments: str, status: int = 0) -> str:
        result = CliRunner().invoke(main, arguments)
        assert result.exit_code == status, result.output
        return result.stdout

    def house(self) -> None:
        write("name: house\nkubevirt: v1.3.0\n", "house/catalog.yaml")
        write("class: m\nsizes: {large: {vcpus: 2, memory: 4Gi}}\n", "house/instancetypes/m.yaml")

    def test_catalog_and_output_dir(self):
        self.house()
        write("catalog = 'house'\noutput-dir = 'tree'")
        self.run("build")
        assert Path("tree/base").is_dir()
        self.run("build", "--output-dir", "other")
        assert Path("other/base").is_dir()
        self.run("build", "-c", "nowhere", status=2)
        self.run("build", "nowhere", status=2)

    def test_the_catalog_of_commands_about_vms(self):
        self.house()
        write(TYPED, "vm.yaml")
        self.run("expand", "-f", "vm.yaml", status=1)
        write("catalog = 'house'")
        assert "4294967296" in self.run("expand", "-f", "vm.yaml")

    def test_cluster_is_read_beside_the_vms(self):
        write(VM, "vm.yaml")
        write(GATE + "---\n" + VM.replace("web", "running"), "cluster/all.yaml")
        write("cluster = ['cluster']")
        for command in (("expand", "-o", "vmi"), ("explain", "--field", "machine.type", "-o", "json")):
            shown = self.run(*command, "-f", "vm.yaml")
            assert "pc-q35-house" in shown
            assert "running" not in shown

    def test_release_architecture_and_host(self):
        write(VM, "vm.yaml")
        write("name: mine\nversion: 3\n", "hosts/mine.yaml")
        write("kubevirt = 'v1.7.4'\narch = 'arm64'\nhost = 'hosts/mine.yaml'")
        shown = self.run("expand", "-f", "vm.yaml")
        assert 'arch="aarch64"' in shown
        assert "mine" in shown
        assert "v1.7.4" in shown
        assert 'arch="x86_64"' in self.run("expand", "-f", "vm.yaml", "--arch", "amd64")
        assert "v1.8.4" in self.run("expand", "-f", "vm.yaml", "--kubevirt", "v1.8.4")

    def test_the_release_that_the_cluster_says_counts_before_the_usual_one(self):
        write(VM, "vm.yaml")
        write(GATE.replace("spec:", "status: {observedKubeVirtVersion: v1.8.4}\nspec:"), "cluster.yaml")
        write("kubevirt = 'v1.7.4'\ncluster = ['cluster.yaml']")
        assert "v1.8.4" in self.run("expand", "-f", "vm.yaml")

    def test_fail_on_is_the_default_of_its_option(self):
        self.house()
        write("class: m\nsizes: {large: {vcpus: 2, memory: 4Gi, deprecated: {}}}\n", "house/instancetypes/m.yaml")
        self.run("check", "house")
        write("[check]\nfail-on = 'note'")
        self.run("check", "house", status=1)
        self.run("check", "house", "--fail-on", "warning")
