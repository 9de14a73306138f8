"""What the shells complete, as their scripts ask for it, and in a real bash; hostile names are offered to none."""

from __future__ import annotations

import os
import pty
import re
import shutil
import subprocess
import sys
from pathlib import Path
from threading import Timer

import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner

from checkouts import git, write
from virtcatalog.cli import COMMANDS, complete, main  # noqa: F401 - complete: how bash asks
from virtcatalog.kubevirt.hosts import HOSTS
from virtcatalog.manifests.sources import shipped
from virtcatalog.releases import PREVIEWS, RELEASES
from virtcatalog.scaffold.content import contents

BIN = Path(sys.executable).parent
FILE = ("", "file")


@pytest.fixture(scope="module")
def repository(tmp_path_factory) -> Path:
    root = tmp_path_factory.mktemp("repository")
    write(root, contents("house"))
    git(root, "init", "--quiet", "--initial-branch=main")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message=a")
    for name in ("topic/disks", "-x", "a`id`", "b'c", "evil;touch${IFS}pwned", "$(touch${IFS}pwned)"):
        git(root, "update-ref", f"refs/heads/{name}", "HEAD")
    git(root, "tag", "v1.0.0")
    (root / "dump of all.yaml").write_text("")
    return root


@pytest.fixture(autouse=True)
def here(repository, monkeypatch):
    monkeypatch.chdir(repository)


def completed(line):
    """What there is for the last word of a line: values, or values and types where a type is not plain."""
    *words, incomplete = line.split(" ")
    items = ShellComplete(main, {}, "virtcatalog", "_VIRTCATALOG_COMPLETE").get_completions(words, incomplete)
    return [item.value if item.type == "plain" else (item.value, item.type) for item in items]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("exp", ["expand", "explain"]),
        ("list types std.m", ["std.medium"]),
        ("list preferences linux.f", ["linux.fedora"]),
        ("list environments ", ["production", "lab"]),
        ("show windows.", ["windows.server2025"]),
        ("compare std.small std.l", ["std.large"]),
        ("impact tp", ["tpm"]),
        ("impact st", ["std.small", "std.medium", "std.large", "std.xlarge", "std"]),
        ("list --class ", ["mem", "std"]),
        ("list -e ", ["production", "lab"]),
        ("check -e prod", ["production"]),
        ("check catalog -e l", ["lab"]),
        ("show -c catalog -e l", ["lab"]),
        ("create vm --instancetype std.s", ["std.small"]),
        ("create vm --preference windows.", ["windows.server2025"]),
        ("diff ", ["HEAD", "main", "topic/disks", "v1.0.0", *shipped(), FILE]),
        ("diff v1.0.0 top", ["topic/disks", ("top", "file")]),
        ("diff main..t", ["main..topic/disks"]),
        ("diff main...", ["main...HEAD", "main...main", "main...topic/disks", "main...v1.0.0"]),
        ("diff ../../ca", [("../../ca", "file")]),
        ("diff common-instancetypes@v1.7", ["common-instancetypes@v1.7.0", ("common-instancetypes@v1.7", "file")]),
        ("expand --at v", ["v1.0.0"]),
        ("site --revision v", ["v1.0.0"]),
        ("expand --kubevirt ", [*RELEASES, *PREVIEWS]),
        ("diff --kubevirt v1.7.4 v1.9", ["v1.9.0"]),
        ("expand --host ", [*HOSTS, FILE]),
        ("hosts ", [*HOSTS, FILE]),
        ("expand -o vm", ["vmi", "vm"]),
        ("diff -o ", ["text", "markdown", "json", "html", "sarif", "github"]),
        ("build common", [*shipped(), ("common", "file")]),
        ("expand -c common-instancetypes@v1.6", ["common-instancetypes@v1.6.0", ("common-instancetypes@v1.6", "file")]),
        ("expand -f dum", [("dum", "file")]),
        ("diff -f production=dum", [("dum", "file")]),
        ("site --prices p", [("p", "file")]),
        ("build --output-dir o", [("o", "dir")]),
        ("release ", ["v1.0.0"]),
        ("man exp", ["expand", "explain"]),
        ("schema pool", ["pool.kubevirt.io/virtualmachinepool_v1beta1"]),
        ("completion ", ["bash", "zsh", "fish"]),
    ],
)
def test_words(line, words):
    assert completed(line) == words


def test_what_the_help_calls_a_file_or_a_release_or_the_like_completes():
    root = main.make_context("virtcatalog", ["-q"], resilient_parsing=True)
    lacking = [
        (name, parameter.name)
        for name in COMMANDS
        for command in leaves(main.get_command(root, name))
        for parameter in command.params
        if re.search(r"FILE|DIR|\bPATH|RELEASE|REVISION|PROFILE", parameter.metavar or "")
        and not parameter.shell_complete(command.make_context(name, [], root, resilient_parsing=True), "")
    ]
    assert lacking == []


def leaves(command):
    commands = getattr(command, "commands", None)
    return [leaf for name in commands for leaf in leaves(commands[name])] if commands else [command]


def test_the_next_versions(tmp_path, monkeypatch):
    shutil.copytree("catalog", tmp_path / "catalog")
    monkeypatch.chdir(tmp_path)
    assert CliRunner().invoke(main, ["release", "v1.2.3"]).exit_code == 0
    assert completed("release v") == ["v1.2.4", "v1.3.0", "v2.0.0"]


def test_units_where_there_is_no_catalog(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for unit in ("prod", "lab", "$(id)"):
        folder = tmp_path / unit
        folder.mkdir()
        (folder / "kustomization.yaml").write_text("resources: [cm.yaml]\n")
        (folder / "cm.yaml").write_text("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n")
    assert completed("expand -e ") == ["lab", "prod"]


class TestWhatCannotBeRead:
    @pytest.fixture(autouse=True)
    def elsewhere(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)

    @pytest.mark.parametrize("line", ["list -e ", "impact ", "release ", "expand --at ", "create vm --preference "])
    def test_completes_nothing(self, line):
        assert completed(line) == []

    def test_nor_does_a_broken_catalog(self):
        Path("catalog").mkdir()
        Path("catalog/catalog.yaml").write_text("name: [")
        assert completed("list -e ") == []

    def test_settings_that_are_wrong_do_no_harm(self):
        Path("virtcatalog.toml").write_text("catalog = [")
        assert completed("expand --kubevirt v1.7") == ["v1.7.4"]
        assert CliRunner().invoke(main, ["check"]).exit_code == 2

    def test_names_that_a_shell_would_obey_are_not_offered(self):
        Path("catalog").mkdir()
        Path("catalog/catalog.yaml").write_text("name: a\nkubevirt: v1.9.0\n")
        Path("types.yaml").write_text(
            "".join(
                "---\napiVersion: instancetype.kubevirt.io/v1beta1\nkind: VirtualMachineClusterInstancetype\n"
                f"metadata: {{name: {name!r}}}\nspec: {{cpu: {{guest: 1}}, memory: {{guest: 1Gi}}}}\n"
                for name in ("good", "$(touch pwned)", "a;b", "a b", "-x", "*")
            )
        )
        assert completed("create vm -c types.yaml --instancetype ") == ["good"]


def answered(shell, **environment):
    """What virtcatalog prints for a shell's script, which sets these variables."""
    variables = {"_VIRTCATALOG_COMPLETE": f"{shell}_complete", **environment}
    result = CliRunner().invoke(main, [], prog_name="virtcatalog", env=variables)
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout.splitlines()


@pytest.mark.parametrize(
    ("shell", "environment", "answer"),
    [
        ("bash", {"COMP_LINE": "virtcatalog list -e pro"}, ["plain,production"]),
        ("bash", {"COMP_LINE": "virtcatalog list -e "}, ["plain,production", "plain,lab"]),
        ("bash", {"COMP_LINE": "virtcatalog expand -f 'dump of"}, ["file,dump of"]),
        ("bash", {"COMP_LINE": "virtcatalog show --environment=pro"}, ["plain,production"]),
        ("zsh", {"COMP_WORDS": "virtcatalog list -e pro", "COMP_CWORD": "3"}, ["plain", "production", "_"]),
        ("fish", {"COMP_WORDS": "virtcatalog list -e pro", "COMP_CWORD": "pro"}, ["plain,production"]),
    ],
)
def test_each_shell_is_answered_in_its_way(shell, environment, answer):
    assert answered(shell, **environment) == answer


def test_a_program_that_bash_asks_answers_in_the_way_of_bash():
    """A program that is asked for completion loads by itself what says how bash asks."""
    variables = {"_VIRTCATALOG_COMPLETE": "bash_complete", "COMP_LINE": "virtcatalog list -e pro"}
    command = [sys.executable, "-m", "virtcatalog"]
    done = subprocess.run(command, env={**os.environ, **variables}, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "plain,production\n", "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_scripts_are_ones_of_their_shells(shell, tmp_path):
    script = CliRunner().invoke(main, ["completion", shell]).stdout
    assert "_VIRTCATALOG_COMPLETE" in script
    if not shutil.which(shell):
        pytest.skip(f"there is no {shell}")
    (tmp_path / "script").write_text(script)
    done = subprocess.run([shell, "-n", str(tmp_path / "script")], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.fixture
def _installed(programs, monkeypatch):
    monkeypatch.setenv("PATH", f"{programs}:{BIN}:{os.environ['PATH']}")


def typed(*lines, tab="complete"):
    """What becomes of lines that are typed into a bash, each ended by two tabs, as the words that bash then runs."""
    main, other = pty.openpty()
    environment = {
        "PATH": os.environ["PATH"],
        "TERM": "dumb",
        "INPUTRC": os.devnull,
        "HOME": str(Path.cwd()),
    }
    shell = subprocess.Popen(
        ["bash", "--norc", "--noprofile", "-i"],
        **dict.fromkeys(("stdin", "stdout", "stderr"), other),
        env=environment,
        start_new_session=True,
    )
    os.close(other)
    hopeless = Timer(300, shell.kill)
    hopeless.start()
    try:
        os.write(main, b"PS1=; eval \"$(virtcatalog completion bash)\"; bind 'set bell-style none'; stty -echo\n")
        os.write(main, f"bind 'TAB:{tab}'\n".encode())
        for line in lines:
            # The line is run as words of printf's, which says what they are.
            os.write(main, f"{line}\t\t\x01printf '[%s]' \x05; echo\n".encode())
        os.write(main, b"exit\n")
        output = b""
        while True:
            try:
                chunk = os.read(main, 4096)
            except OSError:  # the other end is closed
                break
            if not chunk:
                break
            output += chunk
        shell.wait()
    finally:
        hopeless.cancel()
        os.close(main)
    return [re.findall(r"\[(.*?)\]", line) for line in output.decode().splitlines() if line.startswith("[virtcatalog]")]


@pytest.mark.usefixtures("_installed")
@pytest.mark.skipif(not shutil.which("bash"), reason="there is no bash")
def test_in_a_real_bash():
    assert typed(
        "virtcatalog list -e prod",
        "virtcatalog list --environment=prod",
        "virtcatalog expand -c common-instancetypes@v1.6",
        "virtcatalog diff main..topic/d",
        "virtcatalog diff evil",
        "virtcatalog expand -f dump",
        "virtcatalog expand -f production=dump",
        "virtcatalog diff dump",
        "virtcatalog build --output-dir ou",
        "virtcatalog show std.m",
    ) == [
        ["virtcatalog", "list", "-e", "production"],
        ["virtcatalog", "list", "--environment=production"],
        ["virtcatalog", "expand", "-c", "common-instancetypes@v1.6.0"],
        ["virtcatalog", "diff", "main..topic/disks"],
        ["virtcatalog", "diff", "evil"],
        ["virtcatalog", "expand", "-f", "dump of all.yaml"],
        ["virtcatalog", "expand", "-f", "production=dump of all.yaml"],
        ["virtcatalog", "diff", "dump of all.yaml"],
        ["virtcatalog", "build", "--output-dir", "output/"],
        ["virtcatalog", "show", "std.medium"],
    ]
    assert not Path("pwned").exists()


HOSTILE = (
    *("re$(touch pwned)b", "re;touch pwned", "re`touch pwned`", "re'\"c d"),
    *("re\n$(touch pwned)", "re\nreal", "re\x1b[2J"),
)


@pytest.mark.usefixtures("_installed")
@pytest.mark.skipif(not shutil.which("bash"), reason="there is no bash")
def test_bash_quotes_every_name_of_a_file(tmp_path, monkeypatch):
    """Beside names of another kind, of which each tab takes the next one."""
    monkeypatch.chdir(tmp_path)
    for name in HOSTILE:
        Path(name).write_text("")
    lines = ["virtcatalog hosts re" + "\t" * tabs for tabs in range(len(HOSTILE) + 2)]
    words = {tuple(line[2:]) for line in typed(*lines, tab="menu-complete")}
    assert words <= {(name,) for name in ("re", "reference", *HOSTILE)}
    assert {("reference",), ("re$(touch pwned)b",), ("re;touch pwned",), ("re`touch pwned`",)} <= words
    assert sorted(path.name for path in Path().iterdir() if not path.name.startswith(".")) == sorted(HOSTILE)
