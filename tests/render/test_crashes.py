"""Runs that are killed at a system call that changes the disk: each tree is the old or the new one, and nothing stays.

CRASHES=N in the environment kills at each Nth of these calls; 1 at all of them.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sampling import thorough

CHANGES = (
    "mkdir,mkdirat,rmdir,rename,renameat,renameat2,link,linkat,symlink,symlinkat,unlink,unlinkat,"
    "chmod,fchmod,fchmodat,chown,fchown,fchownat,write,pwrite64,truncate,ftruncate,utimensat,fsync,flock"
)
STEP = int(os.environ.get("CRASHES", "12"))
CLASS = "class: m\nmemoryPerVcpu: 4Gi\nsizes: {{{sizes}}}\n"
VM = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web}
spec:
  runStrategy: Always
  template:
    spec:
      domain:
        cpu: {sockets: 1, cores: 1, threads: 1}
        memory: {guest: 4Gi}
        devices: {}
"""


def works() -> bool:
    """Whether strace is there, and may trace."""
    command = ["strace", "-f", "-o", "/dev/null", "-e", "inject=chmod:signal=KILL:when=99", "true"]
    return bool(shutil.which("strace")) and subprocess.run(command, capture_output=True, check=False).returncode == 0


pytestmark = pytest.mark.skipif(not works(), reason="needs strace")


def write_old(folder: Path, programs: Path) -> None:
    """A catalog with its tree as it was rendered, a change in it, and files of others beside."""
    (folder / "catalog/instancetypes").mkdir(parents=True)
    (folder / "catalog/catalog.yaml").write_text("name: test\nkubevirt: v1.9.0\n")
    (folder / "catalog/instancetypes/m.yaml").write_text(
        CLASS.format(sizes="s: {vcpus: 1}, old: {vcpus: 2}, x: {vcpus: 3}")
    )
    run(folder, programs, "build")
    (folder / "output/theirs").mkdir()
    (folder / "output/theirs/file").write_text("theirs\n")
    (folder / "output/base/link").symlink_to("nowhere")
    (folder / "catalog/instancetypes/m.yaml").write_text(
        CLASS.format(sizes="s: {vcpus: 1}, new: {vcpus: 4}, x: {vcpus: 3}, y: {vcpus: 5}")
    )
    (folder / "vm.yaml").write_text(VM)


def run(folder: Path, programs: Path, *arguments: str) -> int:
    return subprocess.run(
        [programs / "virtcatalog", *arguments], cwd=folder, capture_output=True, check=False
    ).returncode


def run_traced(folder: Path, *arguments: str, inject: tuple[str, ...]) -> int:
    traced = ["strace", "-f", "-o", "/dev/null", *(part for call in inject for part in ("-e", f"inject={call}"))]
    done = subprocess.run(
        [*traced, sys.executable, "-m", "virtcatalog", *arguments],
        cwd=folder,
        capture_output=True,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        check=False,
    )
    return done.returncode


def contents(folder: Path, *, within: str = "") -> dict[str, str]:
    """Everything below a folder: texts of files, targets of links, modes of folders."""
    state = {}
    for path in sorted((folder / within).rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            state[name] = f"-> {path.readlink()}"
        else:
            state[name] = path.read_text() if path.is_file() else oct(path.stat().st_mode)
    return state


def changing_calls(folder: Path, command: list[str], missing: tuple[str, ...]) -> list[tuple[str, int]]:
    """The calls of a run that change the disk, each with its number among those of its name; some of them."""
    place, log = folder / "traced", folder / "log"
    shutil.copytree(folder / "old", place, symlinks=True)
    options = [part for call in missing for part in ("-e", f"inject={call}")]
    traced = ["strace", "-f", "-o", str(log), "-e", f"trace={CHANGES}", *options]
    subprocess.run(
        [*traced, sys.executable, "-m", "virtcatalog", *command],
        cwd=place,
        capture_output=True,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        check=True,
    )
    shutil.rmtree(place)
    names = re.findall(r"^\d+ +(\w+)\(", log.read_text(), re.MULTILINE)
    numbered = [(name, names[: index + 1].count(name)) for index, name in enumerate(names)]
    return numbered if command[0] == "adopt" else numbered[::STEP]


@thorough
@pytest.mark.parametrize("exchange", ["exchange", "renames"])
@pytest.mark.parametrize(
    "command",
    [
        pytest.param(["build"], id="build"),
        pytest.param(["release", "v1.0.0", "--date", "2027-01-01"], id="release"),
        pytest.param(["adopt", "-f", "vm.yaml", "-i"], id="adopt"),
    ],
)
def test_a_killed_run_leaves_the_old_or_the_new_and_the_next_one_cleans_up(tmp_path, programs, command, exchange):
    if command[0] == "adopt" and exchange == "renames":
        pytest.skip("replaces files, no folder")
    missing = ("renameat2:error=ENOSYS",) if exchange == "renames" else ()
    write_old(tmp_path / "old", programs)
    shutil.copytree(tmp_path / "old", tmp_path / "new", symlinks=True)
    assert run(tmp_path / "new", programs, *command) == 0
    old, new = contents(tmp_path / "old"), contents(tmp_path / "new")
    assert old != new
    trees = [contents(tmp_path / which, within="output") for which in ("old", "new")]
    kills = 0
    for call, when in changing_calls(tmp_path, command, missing):
        folder = tmp_path / "killed"
        shutil.copytree(tmp_path / "old", folder, symlinks=True)
        assert run_traced(folder, *command, inject=(*missing, f"{call}:signal=KILL:when={when}")) < 0
        kills += 1
        at = f"{call} {when}"
        between = exchange == "renames" and not (folder / "output").exists()
        assert between or contents(folder, within="output") in trees, at
        for file in ("vm.yaml", "catalog/catalog.lock"):
            assert contents(folder).get(file) in (old.get(file), new.get(file)), (at, file)
        assert run(folder, programs, *command) == 0
        assert contents(folder) == new, at
        shutil.rmtree(folder)
    assert kills >= 5
    print(f"{command[0]}, {exchange}: {kills} kills")  # noqa: T201 - for those who count
