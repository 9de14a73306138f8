"""What is written: not through links of others, as a whole or not at all, and what is said of it is true."""

from __future__ import annotations

import errno
import fcntl
import io
import os
import re
import stat
import subprocess
from itertools import count
from pathlib import Path

import pytest
from click.testing import CliRunner

from virtcatalog import writing
from virtcatalog.catalog.load import load_catalog
from virtcatalog.cli import main
from virtcatalog.publish.promise import publish
from virtcatalog.render import tree
from virtcatalog.writing import WriteError, real_place, replace_file, write_files

FIRST = {"base/a.yaml": "a: 1\n", "README.md": "# first\n"}
SECOND = {"base/b.yaml": "b: 1\n", "README.md": "# second\n"}
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


def contents(folder: Path) -> dict[str, str]:
    """The files below a folder, and the links."""
    return {
        path.relative_to(folder).as_posix(): f"-> {path.readlink()}" if path.is_symlink() else path.read_text()
        for path in sorted(folder.rglob("*"))
        if path.is_symlink() or path.is_file()
    }


THROUGH_LINK = (
    "is a symbolic link, and nothing is written through one in a checkout or a catalog; name the place that it leads to"
)
BUSY = "another virtcatalog has been writing here for 0 seconds; wait until it has ended, or end it, and try again$"


class TestPlaces:
    @pytest.fixture(autouse=True)
    def around(self, tmp_path, monkeypatch):
        """A user's folder with a link, a checkout with links, and the working directory in the checkout."""
        for folder in ("elsewhere/deep", "checkout/.git", "checkout/here/real"):
            (tmp_path / folder).mkdir(parents=True)
        (tmp_path / "mine").symlink_to("elsewhere")
        (tmp_path / "into").symlink_to("checkout/out")
        (tmp_path / "checkout/out").symlink_to(tmp_path / "elsewhere")
        (tmp_path / "checkout/here/link").symlink_to("real")
        (tmp_path / "checkout/here/file.yaml").symlink_to(tmp_path / "elsewhere/file.yaml")
        monkeypatch.chdir(tmp_path / "checkout/here")

    @pytest.mark.parametrize(
        ("path", "place"),
        [
            ("real/new", "checkout/here/real/new"),
            ("./a//b", "checkout/here/a/b"),
            ("real/../../x", "checkout/x"),
            ("../../mine/x", "elsewhere/x"),
            ("{}/mine/deep/../x", "elsewhere/x"),
            ("{}/checkout/new", "checkout/new"),
            ("/", ""),
        ],
    )
    def test_links_of_the_user_are_followed(self, tmp_path, path, place):
        assert real_place(path.format(tmp_path)) == (tmp_path / place if place else Path("/"))

    @pytest.mark.parametrize(
        ("path", "link"),
        [
            ("link", "link"),
            ("link/new", "link"),
            ("link/../new", "link"),
            ("{}/checkout/here/link/new", "link"),
            ("../out/new", "../out"),
            ("{}/checkout/out/new", "../out"),
            ("{}/into/new", "../out"),
            ("file.yaml", "file.yaml"),
        ],
    )
    def test_links_that_a_commit_can_bring_are_not(self, tmp_path, path, link):
        with pytest.raises(WriteError, match=f"^{re.escape(path.format(tmp_path))}: {re.escape(link)} {THROUGH_LINK}$"):
            real_place(path.format(tmp_path))

    def test_nor_are_links_in_what_the_user_names(self, tmp_path):
        (tmp_path / "elsewhere/away").symlink_to("deep")
        assert real_place(tmp_path / "mine/away/x") == tmp_path / "elsewhere/deep/x"
        with pytest.raises(WriteError, match=f"away {THROUGH_LINK}$"):
            real_place(tmp_path / "mine", "away/x")

    def test_a_circle_of_links_ends(self, tmp_path):
        (tmp_path / "circle").symlink_to("circle")
        with pytest.raises(WriteError, match=r"^.*/circle/x: Too many levels of symbolic links$"):
            real_place(tmp_path / "circle/x")

    def test_at_the_root_of_all_only_checkouts_count(self, tmp_path, monkeypatch):
        monkeypatch.chdir("/")
        assert real_place(tmp_path / "mine/x") == tmp_path / "elsewhere/x"
        with pytest.raises(WriteError, match="is a symbolic link"):
            real_place(tmp_path / "checkout/out/x")


@pytest.mark.parametrize(
    "arguments",
    [
        ["build", "--output-dir", "link/tree"],
        ["build", "--output-dir", "link/tree", "--check"],
        ["site", "--no-git", "--output-dir", "link/site"],
        ["release", "v1.0.0", "--output-dir", "link/tree"],
        ["release", "v1.0.0", "-c", "link/catalog", "--output-dir", "tree"],
        ["schema", "--output-dir", "link/schemas"],
        ["man", "--output-dir", "link/man"],
        ["man", "--output-dir", "pages"],
        ["init", "link/new"],
        ["adopt", "-c", "common-instancetypes", "-f", "link/vms/vm.yaml", "-i"],
        ["adopt", "-c", "common-instancetypes", "-f", "link/vms", "-i"],
        ["adopt", "-c", "common-instancetypes", "-f", "vm.yaml", "-i"],
        ["convert", "-f", "link/flavor.yaml", "-i"],
        ["create", "preference", "-c", "link/catalog", "--name", "p"],
    ],
    ids=" ".join,
)
def test_no_command_writes_through_a_link_of_a_checkout(tmp_path, monkeypatch, arguments):
    outside, checkout = tmp_path / "outside", tmp_path / "checkout"
    for catalog in (outside / "catalog", checkout / "catalog"):
        catalog.mkdir(parents=True)
        (catalog / "catalog.yaml").write_text("name: x\nkubevirt: v1.9.0\n")
    (outside / "vms").mkdir()
    (outside / "vms/vm.yaml").write_text(VM)
    (outside / "page").write_text("mine\n")
    (outside / "flavor.yaml").write_text(
        "apiVersion: flavor.kubevirt.io/v1alpha1\nkind: VirtualMachineFlavor\nmetadata: {name: a}\n"
        "spec:\n  cpu: {guest: 1}\n  memory: {guest: 1Gi}\n"
    )
    (checkout / "link").symlink_to(outside)
    (checkout / "vm.yaml").symlink_to(outside / "vms/vm.yaml")
    (checkout / "pages").mkdir()
    (checkout / "pages/virtcatalog.1").symlink_to(outside / "page")
    monkeypatch.chdir(checkout)
    before = contents(tmp_path)
    result = CliRunner().invoke(main, arguments)
    assert (result.exit_code, contents(tmp_path)) == (2, before)
    assert "is a symbolic link" in result.stderr


class Faults:
    """The calls that change the disk, of which the Nth fails, or from the Nth on all of them."""

    CALLS = (
        *((os, name) for name in ("mkdir", "rename", "replace", "open", "write", "link", "unlink", "rmdir", "chmod")),
        *((os, name) for name in ("scandir", "fsync", "chown", "stat", "lstat")),
        (fcntl, "flock"),
        (io, "open"),
    )

    def __init__(self, monkeypatch: pytest.MonkeyPatch, at: int, *, lasting: bool, exchange: bool) -> None:
        self._at, self._lasting, self._calls = at, lasting, count(1)
        self.failed = ""
        for module, name in self.CALLS:
            monkeypatch.setattr(module, name, self._failing(name, getattr(module, name)))
        swap = tree._rename_exchange
        monkeypatch.setattr(tree, "_rename_exchange", lambda one, other: exchange and self._counted(swap, one, other))

    def _counted(self, swap, one, other):
        return not self._fails("renameat2") and swap(one, other)

    def _failing(self, name, function):
        def call(*arguments, **options):
            if self._fails(name):
                raise OSError(errno.EIO, "Input/output error")
            return function(*arguments, **options)

        return call

    def _fails(self, name):
        number = next(self._calls)
        fails = number == self._at or (self._lasting and number > self._at)
        if fails:
            self.failed = self.failed or name
        return fails


def trial(tmp_path: Path, prepare, run, at: int, *, lasting: bool, exchange: bool = True):
    """Run something in a new folder while the Nth call fails: the folder, what failed, the error, and what was said."""
    folder = tmp_path / f"{at}{lasting}{exchange}"
    folder.mkdir()
    prepare(folder)
    messages: list[str] = []
    error = None
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        faults = Faults(patch, at, lasting=lasting, exchange=exchange)
        try:
            run(folder, messages.append)
        except (WriteError, OSError) as raised:
            error = raised
    return folder, faults.failed, error, messages


def trials(tmp_path, prepare, run, **options):
    """Try with a fault at each call, until none is left that can fail."""
    for at in count(1):
        folder, failed, error, messages = trial(tmp_path, prepare, run, at, **options)
        if not failed:
            assert error is None
            assert at > 10
            return
        assert not isinstance(error, OSError), (at, failed)
        yield folder, failed, error, messages


def old_tree(folder: Path) -> None:
    tree.replace(folder / "output", FIRST)
    (folder / "output/theirs").mkdir()
    (folder / "output/theirs/file").write_text("theirs\n")


@pytest.mark.parametrize(("lasting", "exchange"), [(True, False), (True, True), (False, True), (False, False)])
def test_whatever_fails_what_is_said_of_a_tree_is_true(tmp_path, lasting, exchange):
    old_tree(tmp_path / "old")
    old = contents(tmp_path / "old/output")
    tree.replace(tmp_path / "old/output", SECOND)
    new = contents(tmp_path / "old/output")
    states = set()
    for folder, failed, error, messages in trials(
        tmp_path,
        old_tree,
        lambda folder, say: tree.replace(folder / "output", SECOND, say=say),
        lasting=lasting,
        exchange=exchange,
    ):
        now = contents(folder / "output") if (folder / "output").exists() else None
        message = str(error)
        if error is None:
            assert now == new, failed
            states.add("new")
        elif "the next run puts it back" in message:
            assert now is None, (failed, message)
            assert contents(folder / ".output.virtcatalog-old") == old
            states.add("aside")
        else:
            assert now == old, (failed, message)
            states.add("old")
        litter = [path.name for path in folder.iterdir() if path.name not in ("output", ".output.virtcatalog-old")]
        assert not litter or any(".output.virtcatalog-new: is left over" in message for message in messages), failed
        tree.replace(folder / "output", SECOND)
        assert contents(folder) == {f"output/{path}": text for path, text in new.items()}
    assert states == {"old", "new"} | ({"aside"} if lasting and not exchange else set())


@pytest.mark.parametrize("lasting", [True, False])
def test_whatever_fails_a_release_says_how_far_it_came(tmp_path, lasting):
    def prepare(folder):
        (folder / "catalog").mkdir()
        (folder / "catalog/catalog.yaml").write_text("name: x\nkubevirt: v1.9.0\n")
        (folder / "output").mkdir()
        (folder / "loaded").symlink_to("catalog")

    prepare(tmp_path)
    catalog = load_catalog(tmp_path / "catalog")
    ends = set()

    def run(folder, say):
        from msgspec.structs import replace

        publish(replace(catalog, path=str(folder / "catalog")), "v1.0.0", folder / "output", say=say)

    for folder, failed, error, _ in trials(tmp_path, prepare, run, lasting=lasting):
        lock, readme = (folder / path for path in ("catalog/catalog.lock", "output/README.md"))
        message = str(error)
        if error is None:
            assert lock.exists(), failed
            ends.add("published")
        elif "output is the tree of v1.0.0, which is published once the same command completes" in message:
            assert (lock.exists(), readme.exists()) == (False, True), (failed, message)
            ends.add("tree")
        else:
            assert (lock.exists(), readme.exists()) == (False, False), (failed, message)
            assert "published" not in message or "nothing is published" in message
            ends.add("nothing")
        run(folder, print)
        assert lock.exists()
    assert ends == {"tree", "nothing"} | (set() if lasting else {"published"})


@pytest.mark.parametrize(("lasting", "existing"), [(True, True), (True, False), (False, True), (False, False)])
def test_whatever_fails_several_files_are_all_written_or_none(tmp_path, lasting, existing):
    new = {"a.1": "new\n", "deep/b.1": "new b\n", "gone.1": None}
    written = {"a.1": "new\n", "deep/b.1": "new b\n"}

    def prepare(folder):
        if existing:
            (folder / "man").mkdir()
            for name in ("a.1", "gone.1", "theirs.1"):
                (folder / "man" / name).write_text(f"old {name}\n")

    def run(folder, say):
        write_files(folder / "man", new, say, replaces=True)

    prepare(tmp_path)
    old = contents(tmp_path / "man") if existing else {}
    partial = 0
    for folder, failed, error, messages in trials(tmp_path, prepare, run, lasting=lasting):
        now = {path: text for path, text in contents(folder / "man").items() if not path.startswith(".")}
        if error is None:
            assert now == {**written, **({"theirs.1": old["theirs.1"]} if existing else {})}, failed
        elif "not all that was written is taken back: try again" in str(error):
            assert lasting, failed
            partial += 1
        else:
            assert str(error).endswith(("; nothing was written", "man: Input/output error")), failed
            assert now == old, (failed, error)
        litter = list(folder.rglob(".*"))
        assert not litter or messages, failed
        write_files(folder / "man", new, replaces=True)
        assert not [*folder.rglob(".*")]
        assert contents(folder / "man").items() >= written.items()
    assert bool(partial) == lasting


@pytest.mark.parametrize("lasting", [False, True])
def test_whatever_fails_a_file_is_the_old_one_or_the_new_one(tmp_path, lasting):
    def prepare(folder):
        (folder / "vm.yaml").write_text("old\n")

    for folder, failed, error, messages in trials(
        tmp_path, prepare, lambda folder, say: replace_file(folder / "vm.yaml", "new\n", say), lasting=lasting
    ):
        assert (folder / "vm.yaml").read_text() == ("new\n" if error is None else "old\n"), failed
        assert error is None or re.search("vm.yaml: Input/output error(; it is as it was)?$", str(error))
        assert [*folder.iterdir()] == [folder / "vm.yaml"] or messages, failed


def test_files_in_place_that_were_written_before_one_that_cannot_be_are_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("a", "b", "c"):
        Path(name).mkdir()
        Path(name, "vm.yaml").write_text(VM)
    whole = writing.replace_file

    def fail(path, *arguments):
        if str(path) == "b/vm.yaml":
            raise WriteError("b/vm.yaml: No space left on device; it is as it was")
        whole(path, *arguments)

    monkeypatch.setattr(writing, "replace_file", fail)
    named = ["-f", "a/vm.yaml", "-f", "b/vm.yaml", "-f", "c/vm.yaml"]
    result = CliRunner().invoke(main, ["adopt", "-c", "common-instancetypes", *named, "-i", "--nearest"])
    assert result.exit_code == 2
    assert result.stderr.endswith("No space left on device; it is as it was; rewritten before it: a/vm.yaml\n")
    changed = [name for name in ("a", "b", "c") if Path(name, "vm.yaml").read_text() != VM]
    assert changed == ["a"]


def test_the_pages_of_before_stay_when_the_disk_is_full(tmp_path):
    """A real full disk: a process that may write no file of more than 4 kB."""
    (tmp_path / "virtcatalog.1").write_text("old\n")
    done = subprocess.run(
        ["bash", "-c", f"ulimit -f 4; trap '' XFSZ; virtcatalog man --output-dir {tmp_path}"],
        capture_output=True,
        text=True,
        env={**os.environ, "PATH": f"{Path(os.sys.executable).parent}:{os.environ['PATH']}"},
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.endswith("File too large; nothing was written\n")
    assert contents(tmp_path) == {"virtcatalog.1": "old\n"}


def test_a_lock_that_is_held_is_said_and_waited_for_only_so_long(tmp_path, monkeypatch):
    folder = tmp_path / "output"
    monkeypatch.setattr(writing, "QUIET", 0.0)
    messages = []
    with writing.locked(folder.parent):
        second = writing.locked(folder.parent, messages.append, patience=0.2)
        with pytest.raises(writing.BusyError, match=BUSY):
            second.__enter__()
    assert messages == [f"{folder.parent}: another virtcatalog is writing here; waiting for it"]
    tree.replace(folder, FIRST)


def test_a_folder_that_is_no_more_waited_for_is_free(tmp_path):
    for _ in range(2):
        with writing.locked(tmp_path, patience=0):
            pass


def test_what_cannot_be_removed_is_said(tmp_path, monkeypatch):
    (tmp_path / "left").mkdir()
    messages = []
    with monkeypatch.context() as patch:
        patch.setattr("shutil.rmtree", lambda path: (_ for _ in ()).throw(OSError(16, "Device or resource busy")))
        writing.discard(tmp_path / "left", messages.append)
    assert messages == [
        f"{tmp_path}/left: is left over and cannot be removed: Device or resource busy; the next run tries again"
    ]


def test_links_are_removed_and_not_followed_and_folders_without_permissions_too(tmp_path):
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept/file").touch()
    (tmp_path / "link").symlink_to("kept")
    (tmp_path / "gone/deep").mkdir(parents=True)
    (tmp_path / "gone/link").symlink_to("../kept")
    (tmp_path / "gone/deep").chmod(0o000)
    for name in ("link", "gone", "none"):
        writing.remove(tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]
    assert (tmp_path / "kept/file").exists()


def test_a_new_file_is_written_in_pieces_and_takes_no_place_of_another(tmp_path, monkeypatch):
    monkeypatch.setattr(writing, "_PIECE", 3)
    writing.write_new(tmp_path / "a", b"1234567", 0o640)
    assert ((tmp_path / "a").read_bytes(), (tmp_path / "a").stat().st_mode & 0o777) == (b"1234567", 0o640)
    with pytest.raises(FileExistsError):
        writing.write_new(tmp_path / "a", b"")


def test_of_several_files_one_that_is_there_is_a_fault_unless_it_is_replaced(tmp_path):
    (tmp_path / "b").write_text("old")
    with pytest.raises(WriteError) as caught:
        write_files(tmp_path, {"a": "1", "b": "2"})
    assert str(caught.value) == f"{tmp_path}/b: File exists; nothing was written"
    assert contents(tmp_path) == {"b": "old"}
    write_files(tmp_path, {"a": "1", "b": "2", "deep/c": "3", "none": None}, replaces=True)
    assert contents(tmp_path) == {"a": "1", "b": "2", "deep/c": "3"}
    write_files(tmp_path, {"b": None, "a": None}, replaces=True)
    assert contents(tmp_path) == {"deep/c": "3"}


def test_without_hard_links_files_are_copied(tmp_path, monkeypatch):
    def no_links(*_places):
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_links)
    write_files(tmp_path, {"a": "1"})
    assert contents(tmp_path) == {"a": "1"}
    with monkeypatch.context() as patch:
        patch.setattr("shutil.copyfileobj", no_links)
        with pytest.raises(WriteError):
            write_files(tmp_path, {"b": "1"})
    assert contents(tmp_path) == {"a": "1"}


def test_a_file_is_replaced_with_its_mode_and_nothing_else_is_left(tmp_path):
    file = tmp_path / "a.yaml"
    file.write_text("old\n")
    file.chmod(0o640)
    (tmp_path / ".a.yaml.virtcatalog-new").symlink_to("/etc/passwd")
    replace_file(file, "new\n")
    replace_file(tmp_path / "b.yaml", "new\n")
    assert {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()} == {"a.yaml": 0o640, "b.yaml": 0o644}
    assert file.read_text() == "new\n"


def test_what_is_no_regular_file_is_not_replaced(tmp_path):
    """A socket of its own stands for all of these: a device of the machine would be gone if the rule were broken."""
    place = tmp_path / "socket"
    os.mknod(place, stat.S_IFSOCK | 0o600)
    with pytest.raises(WriteError, match=r"^.*/socket: is not a regular file; it is as it was$"):
        replace_file(place, "text")
    assert [path.name for path in tmp_path.iterdir() if path.is_socket()] == ["socket"]
