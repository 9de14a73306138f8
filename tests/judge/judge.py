"""The golden domains before a judge of their own: a real libvirt, which defines them all and starts what it can.

    judge.py --root ROOT [--check] [NAME …]      inside of `chroot.sh run ROOT`

Every golden domain is defined as it is. They are then started, paused, under software emulation, after the rules of
swap.py have put what belongs to a node in terms of this machine, and `virtcatalog verify` finds no difference in what
libvirt then prints of them. The table in docs/fidelity.md says what came of it;
with --check it must say so already.

On a machine without KVM the domains of its own architecture are defined as of type qemu, since libvirt looks at each
start whether KVM is still what it was; the table is not compared then, but what is refused must be explained.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from libvirt import Libvirt
from lxml import etree
from swap import files, folders, images, swapped, without_kvm

from virtcatalog.live.verify import read_domain, unlike

TOP = Path(__file__).resolve().parent.parent.parent
GOLDEN = TOP / "tests" / "golden"
PAGE = TOP / "docs" / "fidelity.md"
KVM = Path("/dev/kvm")
BEGIN, END = "<!-- judge -->\n", "<!-- /judge -->\n"

HARDWARE = {
    r"launchSecurity.*'tdx'|'tdx' launch security": "Intel TDX needs QEMU 10.1 and libvirt 11.6",
    r"'sev(-snp)?' launch security is not supported": "AMD SEV: libvirt keeps asking a machine without KVM",
    r"64-bit PCI hole size": "an NVIDIA Grace host's QEMU gives arm64's machine a 64-bit PCI hole",
    r"kernel too old": "a kernel for the test is missing: the file is empty",
    r"virt type 'hyperv'": "hyperv-direct needs a QEMU that is built for the Microsoft hypervisor",
}
"""What libvirt answers → what of the hardware, or of newer software, is missing."""


NEWER = ("iommufd",)
"""What a libvirt of before 11.4 passes over."""


class Verdict(NamedTuple):
    """What became of a golden domain; "" where libvirt took it, "-" where it was not asked."""

    name: str
    refused: str
    failed: str
    swapped: tuple[str, ...]


def judge(libvirt: Libvirt, root: Path, golden: Path) -> Verdict:
    """Define a golden domain as it is; start it under emulation."""
    name = golden.relative_to(GOLDEN).with_suffix("").as_posix()
    xml = golden.read_bytes()
    refused = _define(libvirt, root, xml if KVM.exists() else without_kvm(xml))
    emulated, used = swapped(xml)
    domain = etree.fromstring(emulated)
    _prepare(root, emulated)
    failed = _define(libvirt, root, emulated)
    if not failed:
        title = domain.findtext("name", "")
        failed = libvirt.ask("start", title, "--paused") or _otherwise(emulated, libvirt.dumped(title))
        libvirt.ask("destroy", title)
    return Verdict(name, refused, failed, tuple(used))


def _otherwise(domain: bytes, dumped: bytes) -> str:
    """Say what `virtcatalog verify` finds in the dumpxml of a domain that was started as it is: nothing, ""."""
    changes = unlike(read_domain(domain, "domain"), read_domain(dumped, "dumpxml"))
    places = [change.place for change in changes if change.place not in NEWER]
    return f"verify finds other {', '.join(places)}" if places else ""


def _define(libvirt: Libvirt, root: Path, xml: bytes) -> str:
    title = etree.fromstring(xml).findtext("name", "")
    libvirt.ask("undefine", title, "--nvram", "--tpm")
    (root / "tmp/domain.xml").write_bytes(xml)
    return libvirt.ask("define", "/tmp/domain.xml")


def _prepare(root: Path, xml: bytes) -> None:
    """Make the images and folders that the domain names, below the root."""
    for path in folders(xml):
        (root / path.relative_to("/")).mkdir(parents=True, exist_ok=True)
    for path in files(xml):
        _new(root, path).write_bytes(bytes(64))
    for image in images(xml):
        if not _new(root, image.path).exists():
            options = ["-o", f"data_file={image.data}"] if image.data else []
            command = ["chroot", str(root), "qemu-img", "create", "-q", "-f", image.format, *options, image.path, "64M"]
            subprocess.run(command, check=True)


def _new(root: Path, path: str) -> Path:
    place = root / path.lstrip("/")
    place.parent.mkdir(parents=True, exist_ok=True)
    return place


def _firmware(root: Path) -> None:
    """Debian's firmware at the places where virt-launcher has its own."""
    for folder in (root / "usr/share/edk2/ovmf", root / "usr/share/OVMF"):
        folder.mkdir(parents=True, exist_ok=True)
        whole = root / "usr/share/ovmf/OVMF.fd"
        code, variables = (root / "usr/share/OVMF" / f"OVMF_{part}_4M" for part in ("CODE", "VARS"))
        for name, source in {
            "OVMF_CODE.secboot.fd": f"{code}.secboot.fd",
            "OVMF_CODE.fd": f"{code}.fd",
            "OVMF_VARS.fd": f"{variables}.fd",
            "OVMF_VARS.secboot.fd": f"{variables}.ms.fd",
            "OVMF_CODE.cc.fd": f"{code}.fd",
            "OVMF.amdsev.fd": whole,
            "OVMF.inteltdx.fd": whole,
            "OVMF.inteltdx.secboot.fd": whole,
        }.items():
            shutil.copyfile(source, folder / name)


def table(verdicts: list[Verdict], version: str) -> str:
    """The lines of docs/fidelity.md."""
    refused = [verdict for verdict in verdicts if verdict.refused]
    failed = [verdict for verdict in verdicts if verdict.failed]
    counts = (
        f"{version}; golden domains: {len(verdicts)}, defined as they are: {len(verdicts) - len(refused)}, "
        f"started under software emulation: {len(verdicts) - len(failed)}."
    )
    lines = [
        counts,
        "",
        "| Not defined | why |",
        "|---|---|",
        *(f"| `{verdict.name}` | {_reason(verdict.refused)} |" for verdict in refused),
        "",
    ]
    if failed:
        lines += ["| Not started | libvirt says |", "|---|---|"]
        lines += [f"| `{verdict.name}` | {_reason(verdict.failed)} |" for verdict in failed] + [""]
    return "\n".join(lines)


def _reason(answer: str) -> str:
    known_reason = next((reason for pattern, reason in HARDWARE.items() if re.search(pattern, answer)), "")
    return known_reason or answer.replace("|", "\\|")


def _version(page: str) -> str:
    """What the table of a page was made with."""
    return page.partition(BEGIN)[2].partition(";")[0]


def main() -> int:
    """Judge, and write or compare the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, required=True)
    parser.add_argument("--check", action="store_true", help="fail when docs/fidelity.md says something else")
    parser.add_argument("names", nargs="*", help="folder/name of golden domains; none: all")
    arguments = parser.parse_args()
    goldens = sorted(GOLDEN.glob("*/*.xml"))
    if arguments.names:
        goldens = [
            golden for golden in goldens if golden.relative_to(GOLDEN).with_suffix("").as_posix() in arguments.names
        ]
    _firmware(arguments.root)
    with Libvirt(arguments.root) as libvirt:
        verdicts = [judge(libvirt, arguments.root, golden) for golden in goldens]
        version = libvirt.version()
    rows = table(verdicts, version)
    sys.stdout.write(rows)
    unexplained = [
        verdict.name for verdict in verdicts if verdict.refused and _reason(verdict.refused) == verdict.refused
    ]
    if unexplained:
        sys.stdout.write(f"refused, and not for missing hardware: {', '.join(unexplained)}\n")
        return 1
    if arguments.names:
        return 0
    page = PAGE.read_text()
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    fresh = f"{before}{BEGIN}{rows}{END}{after}"
    if arguments.check:
        recorded = page.replace(_version(page), version)  # Debian may mend either; what they answer must stay
        if recorded != fresh and KVM.exists():
            sys.stdout.write("docs/fidelity.md says something else: run make judge\n")
            return 1
        return 0
    PAGE.write_text(fresh)
    return 0


if __name__ == "__main__":
    sys.exit(main())
