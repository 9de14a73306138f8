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
        (archive(("a", b"x"))[:1024] + b"y" * 512, "f.ova: is no tar archive from one of its files on"),
    ],
)
def test_what_is_no_package_is_refused(content, message):
    assert refusal(content) == message


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


def header(name: bytes = b"a.ovf", size: bytes = b"00000000003\0", kind: bytes = b"0") -> bytes:
    """A header of a tar archive; its checksum is right."""
    content = bytearray(512)
    content[: len(name)], content[124:136], content[156:157] = name, size, kind
    content[148:156] = b"%06o\0 " % (sum(content) + 8 * 32)
    return bytes(content)


def test_a_checksum_is_of_every_byte_but_its_own():
    whole = header()
    assert is_tar(whole)
    for at in range(len(whole)):
        changed = whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]
        assert not is_tar(changed), at


def test_a_name_is_as_long_as_its_field_and_what_follows_is_no_part_of_it():
    for length in (99, 100):
        content = bytearray(header(b"a" * (length - 4) + b".ovf"))
        content[100:108] = b"0000644\0"
        content[148:156] = b"%06o\0 " % (sum(content[:148]) + 8 * 32 + sum(content[156:]))
        assert read(bytes(content) + padded(b"abc"))[0] == b"abc"


def padded(content: bytes) -> bytes:
    return content + bytes(-len(content) % 512)


@pytest.mark.parametrize("kind", [b"0", b"\0", b"7"])
def test_a_file_is_of_any_of_these_kinds(kind):
    assert read(header(kind=kind) + padded(b"abc"))[0] == b"abc"


@pytest.mark.parametrize("kind", [b"1", b"2", b"5", b"g", b"x"])
def test_what_is_no_file_is_stepped_over(kind):
    assert refusal(header(kind=kind) + padded(b"abc")) == "f.ova: has no .ovf file in it"
    assert read(header(kind=kind) + padded(b"abc") + header() + padded(b"def"))[0] == b"def"


@pytest.mark.parametrize(
    "size", [b"00000000003\0", b"         3 \0", b"3\0\0\0\0\0\0\0\0\0\0\0", b"\x80" + bytes(10) + b"\3"]
)
def test_a_size_is_octal_or_binary(size):
    assert read(header(size=size) + padded(b"abc"))[0] == b"abc"


@pytest.mark.parametrize(
    ("kind", "long"),
    [
        (b"L", b"folder/web.ovf\0"),
        (b"x", b"23 path=folder/web.ovf\n"),
        (b"x", b"10 a=bcde\n23 path=folder/web.ovf\n"),
    ],
)
def test_a_long_name_stands_in_front(kind, long):
    front = header(b"long", b"%011o\0" % len(long), kind) + padded(long)
    assert read(front + header(b"web") + padded(b"abc"))[0] == b"abc"


def test_a_long_name_does_not_count_for_what_is_behind_the_next():
    long = b"web.ovf\0"
    front = header(b"long", b"%011o\0" % len(long), b"L") + padded(long)
    assert (
        read(front + header(b"web", kind=b"5", size=b"00000000000\0") + header(b"a.ovf") + padded(b"abc"))[0] == b"abc"
    )
    assert refusal(front + header(b"web", kind=b"5", size=b"00000000000\0") + header(b"b") + padded(b"abc")) == (
        "f.ova: has no .ovf file in it"
    )


def test_a_descriptor_may_be_as_large_as_is_read():
    text = b"x" * XML_BYTES
    assert read(archive(("a.ovf", text)))[0] == text
    whole = archive(("a.ovf", b"x" * 600))
    assert read(whole[: 512 + 600])[0] == b"x" * 600
    assert refusal(whole[: 512 + 599]) == "f.ova: ends within its descriptor"


def test_an_archive_may_have_as_many_files_as_are_read():
    many = header(b"a", b"00000000000\0") * (ARCHIVE_MEMBERS - 1)
    assert read(many + header() + padded(b"abc"))[0] == b"abc"
    assert refusal(header(b"a", b"00000000000\0") + many + header() + padded(b"abc")) == (
        f"f.ova: has more than {ARCHIVE_MEMBERS:,} files in it"
    )
