"""OVA archives: only the descriptor is read of them, and nothing is unpacked."""

from __future__ import annotations

import io
import tarfile

import pytest

from virtcatalog.bring.vmware.ova import is_tar, read_ova
from virtcatalog.errors import ManifestError
from virtcatalog.limits import ARCHIVE_MEMBERS, XML_BYTES


def archive(*files, form=tarfile.USTAR_FORMAT):
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w", format=form) as tar:
        for name, text in files:
            member = tarfile.TarInfo(name)
            member.size = len(text)
            tar.addfile(member, io.BytesIO(text))
    return content.getvalue()


def read(content):
    places = []

    def part(start, end):
        places.append((start, end))
        return content[start:end]

    return read_ova(part, "f.ova"), places


def refusal(content):
    with pytest.raises(ManifestError) as caught:
        read(content)
    return str(caught.value.problems[0])


@pytest.mark.parametrize("form", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
@pytest.mark.parametrize("name", ["web.ovf", f"{'long-' * 30}.OVF"])
def test_the_descriptor_is_found(form, name):
    if form == tarfile.USTAR_FORMAT and len(name) > 100:
        name = f"{'long' * 30}/{'a' * 20}.ovf"
    content = archive(("disk.vmdk", b"x" * 5000), (name, b"<Envelope/>"), ("web.mf", b""), form=form)
    assert read(content)[0] == b"<Envelope/>"


def test_disks_are_stepped_over():
    _, places = read(archive(("disk.vmdk", b"x" * 100_000), ("web.ovf", b"<a/>")))
    assert sum(end - start for start, end in places) < 2000


def test_what_is_a_tar_archive_is_known_by_its_header():
    assert is_tar(archive(("a", b"")))
    assert not is_tar(b"x" * 512)
    assert not is_tar(b"")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "f.ova: has no .ovf file in it"),
        (b"PK\3\4" + b"x" * 600, "f.ova: is no tar archive"),
        (archive(("a.vmdk", b"x")), "f.ova: has no .ovf file in it"),
        (archive(("a.ovf", b"x" * 600))[:700], "f.ova: ends within its descriptor"),
        (archive(("a.ovf", b"x" * (XML_BYTES + 1))), "f.ova: a.ovf is larger than 1024 KiB"),
        (archive(("a", b"x"))[:1024] + b"y" * 512, "is no tar archive from one of its files on"),
    ],
)
def test_what_is_no_package_is_refused(content, message):
    assert refusal(content) == message or message in refusal(content)


def test_an_archive_that_says_of_a_file_that_it_has_no_end_ends():
    header = bytearray(archive(("a.vmdk", b""))[:512])
    header[124:136] = b"\x80" + (2**80).to_bytes(11, "big")
    header[148:156] = b"%06o\0 " % (sum(header[:148]) + 8 * 32 + sum(header[156:]))
    assert refusal(bytes(header)) == "f.ova: has no .ovf file in it"


def test_a_file_whose_size_cannot_be_read_is_refused():
    header = bytearray(archive(("a.vmdk", b""))[:512])
    header[124:136] = b"many\0       "
    header[148:156] = b"%06o\0 " % (sum(header[:148]) + 8 * 32 + sum(header[156:]))
    assert refusal(bytes(header)) == "f.ova: has a file whose size cannot be read"


def test_an_archive_of_very_many_files_ends():
    header = archive(("a", b""))[:512]
    assert f"has more than {ARCHIVE_MEMBERS:,} files" in refusal(header * (ARCHIVE_MEMBERS + 1))
