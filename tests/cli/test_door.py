"""Whatever happens in a command ends in a status that says so, and prints nothing that a terminal or a log obeys."""

import errno
import json
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from virtcatalog.cli import COMMANDS, main

ROOT = Path(__file__).parents[2]
CATALOG = ["catalog.yaml", "name: x\nkubevirt: v1.9.0\n"]
#: A call of each command that gets to its work, and the function that does it.
INTO = "--output-dir"

CALLS = {
    "init": (["init", "new", "--name", "x"], "virtcatalog.scaffold.content.write"),
    "build": (["build"], "virtcatalog.catalog.load.load_catalog"),
    "check": (["check"], "virtcatalog.catalog.load.load_catalog"),
    "diff": (["diff", "catalog", "catalog"], "virtcatalog.review.compare.review"),
    "expand": (["expand", "-f", "vm.yaml"], "virtcatalog.manifests.spool.Spool.open"),
    "explain": (["explain", "-f", "vm.yaml", "--field", "spec.x"], "virtcatalog.manifests.spool.Spool.open"),
    "verify": (["verify", "--live", "vm.yaml"], "virtcatalog.live.reading.read_snapshot"),
    "dump": (["dump", "--live", "vm.yaml"], "virtcatalog.live.reading.read_snapshot"),
    "drift": (["drift", "--live", "vm.yaml"], "virtcatalog.live.reading.read_snapshot"),
    "capacity": (["capacity", "-f", "vm.yaml"], "virtcatalog.fleet.files.SoundFleet"),
    "rightsize": (
        ["rightsize", "-f", "vm.yaml", "--metrics", "vm.yaml"],
        "virtcatalog.rightsize.metrics.read_metrics",
    ),
    "list": (["list"], "virtcatalog.catalog.load.load_catalog"),
    "show": (["show", "x"], "virtcatalog.catalog.load.load_catalog"),
    "compare": (["compare", "x", "y"], "virtcatalog.catalog.load.load_catalog"),
    "impact": (["impact", "x"], "virtcatalog.ask.impact.impacts"),
    "create": (["create", "vm"], "virtcatalog.create.vm.create_vm"),
    "adopt": (["adopt", "-f", "vm.yaml"], "virtcatalog.cli.vm_files.contents"),
    "template": (["template", "process", "-f", "vm.yaml"], "virtcatalog.manifests.sources.read_file"),
    "import": (["import", "libvirt", "-f", "vm.yaml"], "virtcatalog.bring.libvirt.domain.import_domain"),
    "convert": (["convert", "-f", "vm.yaml"], "virtcatalog.cli.convert.contents"),
    "release": (["release", "v1"], "virtcatalog.catalog.load.load_catalog"),
    "push": (["push", "oci://example.org/x:v1", "--dry-run"], "virtcatalog.publish.artifact.read"),
    "pull": (["pull", "catalog"], "virtcatalog.catalog.artifacts.extended"),
    "site": (["site"], "virtcatalog.site.pages.render"),
    "gitops": (["gitops", "flux", "--repo-url", "https://example.org/x.git"], "virtcatalog.catalog.load.load_catalog"),
    "hosts": (["hosts", "reference"], "virtcatalog.kubevirt.hostfile.load_host"),
    "schema": (["schema", INTO, "schemas"], "virtcatalog.catalog.schema.all_schemas"),
    "man": (["man"], "virtcatalog.cli.man.roff"),
    "completion": (["completion", "bash"], "virtcatalog.cli.complete.script"),
}


@pytest.fixture
def workspace(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("catalog").mkdir()
    Path("catalog", CATALOG[0]).write_text(CATALOG[1])
    Path("vm.yaml").write_text("apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {name: x}\n")
    return tmp_path


def failing_with(error):
    def fail(*args, **kwargs):
        raise error

    return fail


def test_every_command_is_called():
    assert CALLS.keys() == COMMANDS.keys()


@pytest.mark.parametrize("name", CALLS)
def test_a_bug_ends_in_its_own_status_in_every_command(workspace, monkeypatch, name):
    arguments, function = CALLS[name]
    monkeypatch.setattr(function, failing_with(KeyError("\x1b[2Jsurprise")))
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 70
    assert "virtcatalog has a bug: KeyError: '\\x1b[2Jsurprise' (test_door.py:" in result.stderr
    assert "Traceback" not in result.stderr
    assert "Please report this" in result.stderr


@pytest.mark.parametrize("options", [["--debug"], []])
def test_the_traceback_is_there_for_those_who_ask(workspace, monkeypatch, options):
    monkeypatch.setattr("virtcatalog.catalog.load.load_catalog", failing_with(KeyError("surprise")))
    if not options:
        monkeypatch.setenv("VIRTCATALOG_DEBUG", "1")
    result = CliRunner().invoke(main, [*options, "check"])
    assert result.exit_code == 70
    assert "Traceback (most recent call last)" in result.stderr


def test_a_bug_before_any_command_is_shown_whole_too(monkeypatch):
    monkeypatch.setattr(type(main), "make_context", failing_with(KeyError("surprise")))
    assert "Traceback" not in CliRunner().invoke(main, ["check"]).stderr
    monkeypatch.setenv("VIRTCATALOG_DEBUG", "1")
    assert "Traceback (most recent call last)" in CliRunner().invoke(main, ["check"]).stderr


@pytest.mark.parametrize(
    ("error", "status", "message"),
    [
        (KeyboardInterrupt(), 130, "interrupted\n"),
        (MemoryError(), 70, "error: there is not enough memory"),
        (PermissionError(errno.EACCES, "Permission denied", "a\x1bfile"), 2, r"error: a\x1bfile: Permission denied"),
        (OSError("disk on fire"), 2, "error: disk on fire"),
        (RecursionError(), 70, "virtcatalog has a bug"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_what_is_no_bug_is_told_apart(workspace, monkeypatch, error, status, message):
    monkeypatch.setattr("virtcatalog.catalog.load.load_catalog", failing_with(error))
    result = CliRunner().invoke(main, ["check"])
    assert (result.exit_code, result.stderr.startswith(message)) == (status, True), result.stderr


def test_ctrl_c_is_130():
    command = [sys.executable, "-m", "virtcatalog", "expand", "-f", "-"]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a runner's jobs may ignore it
    ) as process:
        process.stdin.write(b"# a comment\n" * 20_000)  # more than a pipe holds: it is being read
        process.stdin.flush()
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=60)
        assert (process.returncode, stderr) == (130, b"interrupted\n")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_no_encoding_of_a_stream_is_a_crash(tmp_path, encoding):
    (tmp_path / "catalog.yaml").write_text("name: x\nkubevirt: v1.9.0\nnäme→: x\n")
    result = CliRunner(charset=encoding).invoke(main, ["check", str(tmp_path)])
    assert (result.exit_code, result.stderr_bytes) == (1, b"1 error\n")
    place = f"{tmp_path}/catalog.yaml:3:1: [näme→]"
    problem = "unknown field 'näme→'; did you mean 'name'? [error: invalid-declaration]"
    assert result.stdout_bytes.decode() == f"{place}: {problem}\n"


@pytest.mark.parametrize("form", ["text", "json", "github", "junit", "sarif"])
def test_file_names_that_are_no_text_or_commands_are_shown(tmp_path, monkeypatch, form):
    catalog = tmp_path / "catalog"
    catalog.mkdir()
    (catalog / "catalog.yaml").write_text("name: x\nkubevirt: v1.9.0\n")
    for name in (b"a\xff.yaml", b"::error::b\x1b[2J.yaml", b"c\n::warning::d.yaml"):
        (catalog / os.fsdecode(name)).write_text("x: 1\n")
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, ["check", "catalog", "-o", form])
    assert result.exit_code == 1
    text = result.stdout_bytes.decode()
    assert "\x1b" not in text + result.stderr_bytes.decode()
    lines = [line.strip() for line in text.splitlines()]
    if form == "github":
        assert all(line.startswith("::error file=") for line in lines)
        assert len(lines) == 3
    else:
        assert not [line for line in lines if line.startswith("::")]
    if form in ("json", "sarif"):
        json.loads(text)


LONG = "x" * 5000
MANIFESTS = {
    "text.yaml": "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: abc\nspec: {}\n",
    "none.yaml": "apiVersion: v1\nkind: PersistentVolumeClaim\nspec: {}\n",
    "kubevirt.yaml": "apiVersion: kubevirt.io/v1\nkind: KubeVirt\n",
    "name.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: 7\n",
}


@pytest.mark.parametrize(
    "arguments",
    [
        *(["explain", "-f", "text.yaml", "--field", "spec"], ["adopt", "-f", "text.yaml", "--catalog", "catalog"]),
        *(["diff", "catalog", "catalog", "-f", file] for file in MANIFESTS),
        *(["expand", "-f", "vm.yaml", "-f", file] for file in MANIFESTS if file != "name.yaml"),
        *(
            ["build", LONG],
            ["build", INTO, LONG],
            ["build", INTO, "x" * 300],
            ["build", INTO, "vm.yaml"],
        ),
        *(["check", LONG], ["check", "-f", LONG], ["diff", LONG], ["diff", "x" * 300], ["diff", "a\udcffb"]),
        *(["expand", "-f", LONG], ["expand", "-f", "vm.yaml", "--host", LONG], ["explain", "-f", LONG, "--field", "x"]),
        *(["impact", LONG], ["adopt", "-f", "vm.yaml", "--catalog", LONG], ["release", LONG], ["hosts", LONG]),
        *(
            ["release", "v1", INTO, LONG],
            ["gitops", "flux", "--repo-url", LONG],
            ["schema", LONG],
            ["init", LONG],
        ),
        *(["schema", INTO, "socket"], ["schema", INTO, "socket", "--check"]),
        *(["schema", INTO, "vm.yaml/x"], ["init", "new", "--name", LONG], ["init", "socket"]),
        *(
            ["build", "catalog/"],
            ["build", ".", INTO, "."],
            ["build", INTO, "."],
            ["build", INTO, "catalog/output"],
        ),
        ["check", "a\x00b"],
    ],
    ids=lambda arguments: " ".join(arguments)[:40].encode("unicode_escape").decode(),
)
def test_nonsense_is_told_as_such(workspace, arguments):
    for file, text in MANIFESTS.items():
        Path(file).write_text(text)
    os.mknod("socket", stat.S_IFSOCK | 0o600)  # no device of the machine: what must not be replaced is our own
    before = sorted(map(str, workspace.rglob("*")))
    result = CliRunner().invoke(main, arguments)
    if arguments != ["build", "catalog/"]:
        assert result.exit_code in (1, 2)
        assert result.exit_code == 2 or arguments[0] in ("impact", "diff")
        assert sorted(map(str, workspace.rglob("*"))) == before
    assert "Traceback" not in result.stderr
