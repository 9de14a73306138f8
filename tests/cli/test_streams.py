"""Standard streams that are closed, full or read no longer: every command ends with a status that says so."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import house
import pytest

from virtcatalog.cli import COMMANDS, main

CALLS = """\
init new --name new
build
check --pairs
diff
list
show m.large
compare m.small m.large
expand -f catalog/vms
explain -f catalog/vms -e production --field memory.guest
drift --live live.yaml -e production
dump --live live.yaml
verify --live live.yaml
capacity -f nodes.yaml -f inline.yaml
rightsize -f inline.yaml --metrics usage.csv
impact m.large
create vm --name web
adopt -f inline.yaml -o json
convert -f preset.yaml
template process -f template.yaml -p NAME=web
import libvirt -f domain.xml
push oci://registry.example.org/house:v1 --dry-run --revision v1
pull catalog
site --no-git --no-domains
release v1.0.0 --date 2026-01-02
gitops flux --repo-url https://git.example.org/house.git
hosts
schema components
man expand
completion bash
--help
--version
expand --help
create vm --help
""".splitlines()
SILENT = ("build", "pull", "site")
DOMAIN = """\
<domain type='kvm'>
  <name>a</name><memory>1048576</memory><vcpu>1</vcpu><os><type arch='x86_64'>hvm</type></os><devices/></domain>
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("house") / "house"
    root.mkdir()
    house.build(root)
    (root / "domain.xml").write_text(DOMAIN)
    return root


@pytest.fixture
def repository(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(built, tmp_path / "house")
    monkeypatch.chdir(tmp_path / "house")


def full():
    return Path("/dev/full").open("w")


def unread():
    read, write = os.pipe()
    os.close(read)
    return os.fdopen(write, "w")


def test_every_command_is_called():
    assert {call.split()[0] for call in CALLS} >= set(COMMANDS)


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize(
    ("stdout", "status", "message"), [(full, 2, "error: No space left on device\n"), (unread, 141, "")]
)
@pytest.mark.parametrize("call", CALLS)
def test_results_that_cannot_be_written(monkeypatch, capsys, call, stdout, status, message):
    monkeypatch.setattr(sys, "stdout", stdout())
    with pytest.raises(SystemExit) as ended:
        main(shlex.split(call), prog_name="virtcatalog")
    silent = call.split()[0] in SILENT
    assert ended.value.code == (0 if silent else status)
    assert silent or capsys.readouterr().err.endswith(message)


def run(call: str, redirected: str) -> tuple[int, str]:
    """The status and the messages of a command as a shell calls it."""
    command = f"{shlex.quote(sys.executable)} -m virtcatalog {call} {redirected}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


CLOSED = "error: standard output is closed; /dev/null takes what nobody is to read\n"


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize("call", CALLS)
def test_a_closed_standard_output(monkeypatch, capsys, call):
    before = sorted(Path().rglob("*"))
    monkeypatch.setattr(sys, "stdout", None)
    with pytest.raises(SystemExit) as ended:
        main(shlex.split(call), prog_name="virtcatalog")
    assert (ended.value.code, capsys.readouterr().err) == (2, CLOSED)
    assert sorted(Path().rglob("*")) == before


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize(
    ("call", "redirected", "status", "message"),
    [
        ("list", ">&-", 2, CLOSED),
        ("--version", ">&-", 2, CLOSED),
        ("--help", ">/dev/full", 2, "error: No space left on device\n"),
        ("list", ">/dev/full", 2, "error: No space left on device\n"),
        ("schema VirtualMachine", "> >(exit)", 141, ""),
        ("expand -f -", "<&-", 2, "-: standard input is closed\nno VM; 1 other problem\n"),
        ("convert -f -", "<&-", 2, "-: standard input is closed\n1 problem\n"),
        ("nonsense", "2>/dev/full", 2, ""),
        ("check nowhere", "2>/dev/full", 2, ""),
        ("check nowhere", "2>&-", 2, ""),
        ("build --output-dir new", "2>&-", 0, ""),
    ],
)
def test_in_a_shell(call, redirected, status, message):
    assert run(call, redirected) == (status, message)


def test_no_file_takes_the_place_of_a_closed_stream(tmp_path):
    """What a C library or git prints there must not get into a file that is being written."""
    script = "import os; from virtcatalog.cli.guard import check_streams as c; c(); print(os.open('/', os.O_RDONLY))"
    command = f"{shlex.quote(sys.executable)} -c {shlex.quote(script)} <&- 2>&-"
    done = subprocess.run(["bash", "-c", command], stdout=subprocess.PIPE, text=True, check=True)
    assert int(done.stdout) > 2
