"""`<cputune>`: threads pinned to the CPUs that the pod owns."""

from __future__ import annotations

from virtcatalog.kubevirt.launcher.pinning import Pinning
from virtcatalog.kubevirt.launcher.xml import Element, Shared, SubElement
from virtcatalog.kubevirt.memo import memo


@memo
def cputune(pinning: Pinning | None) -> Element | None:
    """`<cputune>`, absent without dedicated CPUs."""
    if pinning is None:
        return None
    element = Shared("cputune")
    for vcpu, thread in enumerate(pinning.vcpus):
        SubElement(element, "vcpupin", vcpu=str(vcpu), cpuset=str(thread))
    if pinning.emulator is not None:
        SubElement(element, "emulatorpin", cpuset=pinning.emulator)
    for number, cpus in pinning.iothreads:
        SubElement(element, "iothreadpin", iothread=str(number), cpuset=cpus)
    return element
