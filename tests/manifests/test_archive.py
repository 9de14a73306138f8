"""Archives that are read as folders, and what is refused of them."""

from __future__ import annotations

import gzip
import io
import stat
import tarfile
import zipfile

import pytest
from click.testing import CliRunner
from repository_cases import manifest

from virtcatalog.cli import main
from virtcatalog.manifests import archive
from virtcatalog.manifests.archive import open_archive, plain_files
from virtcatalog.manifests.folder import LinkOutError, SourceError, TooLargeError


def member(name, kind=tarfile.REGTYPE, target="", content=b"x"):
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    info.size = len(content) if kind == tarfile.REGTYPE else 0
    return info, content


def packed(*members, **options):
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w", **options) as tar:
        for info, content in members:
            tar.addfile(info, io.BytesIO(content))
    return file.getvalue()


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_files_folders_and_links(pack):
    folder = open_archive(
        pack(
            packed(
                member("./apps", tarfile.DIRTYPE),
                member("./apps/web.yaml", content=b"web"),
                member("apps/same.yaml", tarfile.SYMTYPE, "web.yaml"),
                member("out.yaml", tarfile.SYMTYPE, "/etc/passwd"),
                member("all", tarfile.SYMTYPE, "apps"),
            )
        )
    )
    assert folder.listing().files == ("apps/same.yaml", "apps/web.yaml")
    assert folder.read("apps/same.yaml") == b"web"
    assert dict(folder.listing().faults) == {
        "all": "is a symbolic link to a folder",
        "out.yaml": "is a symbolic link that leads out of the folder",
    }
    inner = folder.folder("apps")
    assert inner is not None
    assert inner.read("../apps/web.yaml") == b"web"
    with pytest.raises(LinkOutError):
        inner.folder("../..")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (packed(member("../x.yaml")), r"holds \.\./x\.yaml, which leads out of it"),
        (packed(member("x", tarfile.FIFOTYPE)), "holds x, which is no regular file"),
        (packed(member("x", tarfile.LNKTYPE, "/etc/passwd")), "holds x, which is no regular file"),
        (packed(member("/".join("d" * 40))), "is more than 32 folders deep"),
        (b"apiVersion: v1\n", "is no archive that can be read: truncated header"),
        (
            gzip.compress(packed(member("x", content=b"y" * 99999)))[:-50],
            "is no archive that can be read: unexpected end of data",
        ),
        (b"\x1f\x8bxx", "is no archive that can be read: Error -3 while .*"),
    ],
)
def test_what_is_refused(content, message):
    with pytest.raises(SourceError, match=f"^{message}$"):
        open_archive(content)


def test_what_is_too_much_is_refused_before_it_fills_the_memory(monkeypatch):
    monkeypatch.setattr(archive, "SOURCE_BYTES", 2**20)
    monkeypatch.setattr(archive, "SOURCE_FILES", 3)
    with pytest.raises(SourceError, match=r"^is larger than 1 MiB$"):
        open_archive(gzip.compress(b"\0" * 2**21))
    info, _ = member("x")
    info.size = 2**40
    with pytest.raises(SourceError, match=r"^holds more than 1 MiB$"):
        open_archive(info.tobuf())
    with pytest.raises(SourceError, match=r"^holds more than 50000 files$"):
        open_archive(packed(*(member(str(number)) for number in range(4))))


def zipped(*members, links=(), packing=zipfile.ZIP_DEFLATED, kind=stat.S_IFREG):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in members:
            info = zipfile.ZipInfo(name)
            info.external_attr = (stat.S_IFLNK if name in links else kind) << 16
            archive.writestr(info, content, packing)
    return file.getvalue()


def test_zip_files_are_read_as_tar_files_are():
    members = ("apps/", b""), ("apps/web.yaml", b"web"), ("apps/same.yaml", b"web.yaml"), ("out.yaml", b"/etc/passwd")
    folder = open_archive(zipped(*members, links=("apps/same.yaml", "out.yaml")))
    assert folder.listing().files == ("apps/same.yaml", "apps/web.yaml")
    assert folder.read("apps/same.yaml") == b"web"
    assert dict(folder.listing().faults) == {"out.yaml": "is a symbolic link that leads out of the folder"}


def test_a_zip_file_that_says_no_kinds_as_windows_writes_it_holds_files():
    assert open_archive(zipped(("web.yaml", b"web"), kind=0)).read("web.yaml") == b"web"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (zipped(("../x.yaml", b"")), r"holds \.\./x\.yaml, which leads out of it"),
        (zipped(("/".join("d" * 40), b"")), "is more than 32 folders deep"),
        (zipped(("x", b"y" * 9999))[:-30], "is no archive that can be read: File is not a zip file"),
        (zipped(("x", b"\0" * 2**21)), "holds more than 1 MiB"),
        (zipped(("x", b""), kind=stat.S_IFIFO), "holds x, which is no regular file"),
        (zipped(("x", b"y" * 99), packing=zipfile.ZIP_LZMA), "holds x, which is packed otherwise than by deflate"),
        (zipped(*((str(number), b"") for number in range(9))), "holds more than 8 files"),
    ],
)
def test_what_is_refused_of_zip_files(content, message, monkeypatch):
    monkeypatch.setattr(archive, "SOURCE_BYTES", 2**20)
    monkeypatch.setattr(archive, "SOURCE_FILES", 8)
    monkeypatch.setattr("virtcatalog.manifests.folder.SOURCE_FILES", 8)
    with pytest.raises(SourceError, match=f"^{message}$"):
        open_archive(content)


def test_two_archives_are_compared_and_one_is_expanded(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, cores in (("base.tar", 2), ("head.tar.gz", 4)):
        tar = packed(
            member("base/web.yaml", content=manifest(f"vm web cores={cores}").encode()),
            member("base/kustomization.yaml", content=b"resources: [web.yaml]\n"),
            member("prod/kustomization.yaml", content=b"resources: [../base]\nnamespace: prod\n"),
        )
        (tmp_path / name).write_bytes(gzip.compress(tar) if name.endswith("gz") else tar)
    done = CliRunner().invoke(main, ["diff", "base.tar", "head.tar.gz"])
    assert done.exit_code == 1
    assert "~ restart  prod: prod/web" in done.stdout
    assert "(head.tar.gz/base/web.yaml:11)" in " ".join(done.stdout.split())
    done = CliRunner().invoke(main, ["expand", "-f", "head.tar.gz"])
    assert "<name>prod_web</name>" in done.stdout


CUT = "what gzip has packed ends too early, or is followed by something"


class TestPlainFiles:
    """Files of an artifact: nothing that one reader takes otherwise than another."""

    def test_files_and_folders(self):
        content = packed(member("./a", tarfile.DIRTYPE), member("./a/b.yaml", content=b"b"), member("c", content=b"c"))
        assert plain_files(gzip.compress(content), 2**20) == {"a/b.yaml": b"b", "c": b"c"}

    @pytest.mark.parametrize(
        ("members", "message"),
        [
            ([member("a", tarfile.SYMTYPE, "b")], "holds a, which is a link"),
            ([member("b"), member("a", tarfile.LNKTYPE, "b")], "holds a, which is no regular file"),
            ([member("a", tarfile.FIFOTYPE)], "holds a, which is no regular file"),
            ([member("../a")], r"holds \.\./a, which leads out of it"),
            ([member("a/../../b")], r"holds a/\.\./\.\./b, which leads out of it"),
            ([member("a"), member("./a")], "holds a twice"),
            ([member("a"), member("a/b/c")], "holds a/b/c, and a is a file"),
        ],
    )
    def test_what_else_there_is_is_refused(self, members, message):
        with pytest.raises(SourceError, match=f"^{message}$"):
            plain_files(gzip.compress(packed(*members)), 2**20)

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (gzip.compress(packed(member("a")))[:-9], CUT),
            (gzip.compress(packed(member("a"))) + gzip.compress(packed(member("b"))), CUT),
            (gzip.compress(packed(member("a")) + packed(member("b"))), "there is something behind its end"),
            (packed(member("a")), "Error -3 while decompressing data: incorrect header check"),
            (gzip.compress(b"no tar file" * 100), "invalid header"),
        ],
        ids=["cut", "two streams", "two archives", "no stream", "no archive"],  # gzip's header has the time
    )
    def test_it_ends_where_every_reader_has_it_end(self, content, message):
        with pytest.raises(SourceError, match=f"^is no archive that can be read: {message}$"):
            plain_files(content, 2**20)

    def test_a_bomb_is_not_unpacked(self):
        with pytest.raises(TooLargeError):
            plain_files(gzip.compress(bytes(2**21)), 2**20)
