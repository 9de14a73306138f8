"""`<cputune>`: threads pinned to the CPUs that the pod owns."""

from __future__ import annotations

from lxml import etree

from virtcatalog.domain.pinning import Pinning


def cputune(pinning: Pinning | None) -> etree._Element | None:
    """`<cputune>`, absent without dedicated CPUs."""
    if pinning is None:
        return None
    element = etree.Element("cputune")
    for vcpu, thread in enumerate(pinning.vcpus):
        etree.SubElement(element, "vcpupin", vcpu=str(vcpu), cpuset=str(thread))
    if pinning.emulator is not None:
        etree.SubElement(element, "emulatorpin", cpuset=pinning.emulator)
    for number, cpus in pinning.iothreads:
        etree.SubElement(element, "iothreadpin", iothread=str(number), cpuset=cpus)
    return element
