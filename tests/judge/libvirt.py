"""A libvirtd in the unpacked folder: started, taught what a KVM host of each architecture can do, asked."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from pathlib import Path

ARCHITECTURES = ("x86_64", "aarch64", "s390x")
_CACHE = "var/cache/libvirt/qemu/capabilities"
_SEV = """  <sev>
    <cbitpos>51</cbitpos>
    <reducedPhysBits>1</reducedPhysBits>
    <pdh>AA==</pdh>
    <certChain>AA==</certChain>
  </sev>
"""
_ARCHITECTURE = re.compile(r"<arch>(\w+)</arch>")


class Libvirt:
    """libvirt's QEMU driver below `root`; use it as a context, inside of `chroot.sh run`.

    libvirt probes each emulator once and keeps what it found. A node of another architecture, or one without KVM, is
    missing here: the kept capabilities get what KVM adds, so that a domain of type kvm is judged as on its own node.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._daemon: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Libvirt:
        # What libvirt keeps holds for one processor: it probes anew when it next runs on another that looks different.
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        shutil.rmtree(self._root / _CACHE, ignore_errors=True)
        self._start()
        for architecture in ARCHITECTURES:
            self.ask("domcapabilities", "--virttype", "qemu", "--arch", architecture)
        self._stop()
        for file in (self._root / _CACHE).glob("*.xml"):
            text = file.read_text()
            match = _ARCHITECTURE.search(text)
            if match and match[1] in ARCHITECTURES:
                file.write_text(with_sev(with_kvm(text)) if match[1] == "x86_64" else with_kvm(text))
        self._start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    def ask(self, *command: str, seconds: float = 60) -> str:
        """Run a command of virsh; return libvirt's complaint, "" when it has none."""
        try:
            done = self._virsh(*command, seconds=seconds)
        except subprocess.TimeoutExpired:
            return f"virsh {command[0]} took more than {seconds:.0f} s"
        lines = [line.removeprefix("error: ") for line in done.stderr.splitlines() if line.startswith("error: ")]
        return "; ".join(lines[-1:]) if done.returncode else ""

    def dumped(self, name: str) -> bytes:
        """Return a domain that runs as libvirt prints it."""
        return self._virsh("dumpxml", name).stdout.encode()

    def version(self) -> str:
        """What libvirt and QEMU call themselves."""
        lines = self._virsh("version").stdout.splitlines()
        versions = {name: value for name, _, value in (line.partition(": ") for line in lines)}
        return f"{versions['Using library']}, {versions['Running hypervisor']}"

    def _virsh(self, *command: str, seconds: float = 60) -> subprocess.CompletedProcess[str]:
        words = ["chroot", str(self._root), "virsh", "-c", "qemu:///system", *command]
        return subprocess.run(words, capture_output=True, text=True, timeout=seconds, check=False)

    def _start(self) -> None:
        with (self._root / "var/log/libvirt/libvirtd.log").open("ab") as log:
            self._daemon = subprocess.Popen(["chroot", str(self._root), "/usr/sbin/libvirtd"], stderr=log, stdout=log)
        deadline = time.monotonic() + 30
        while self._virsh("version").returncode:
            if self._daemon.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"libvirtd does not answer; see {log.name}")
            time.sleep(0.2)

    def _stop(self) -> None:
        if self._daemon:
            self._daemon.terminate()
            self._daemon.wait(30)
            self._daemon = None


def with_kvm(capabilities: str) -> str:
    """The kept capabilities of an emulator, with KVM and its machines and processors added to those of TCG."""
    if "<flag name='kvm'/>" in capabilities:
        return capabilities
    text = capabilities.replace("<flag name=", "<flag name='kvm'/>\n  <flag name=", 1)
    for line in re.findall(r"(?m)^ *<machine type='tcg'.*\n", text):
        text = text.replace(line, line + line.replace("'tcg'", "'kvm'"), 1)
    for block in re.findall(r"(?ms)^  <cpu type='tcg'.*?^  </cpu>\n|^  <hostCPU type='tcg'.*?^  </hostCPU>\n", text):
        text = text.replace(block, block + block.replace("type='tcg'", "type='kvm'", 1), 1)
    return text


def with_sev(capabilities: str) -> str:
    """The kept capabilities of an emulator, with what a node with AMD SEV and SNP adds: QEMU itself knows both."""
    if "<flag name='sev-guest'/>" in capabilities:
        return capabilities
    flags = "<flag name='sev-guest'/>\n  <flag name='sev-snp-guest'/>\n  <flag name="
    text = capabilities.replace("<flag name=", flags, 1)
    return text.replace("</qemuCaps>", _SEV + "</qemuCaps>")
