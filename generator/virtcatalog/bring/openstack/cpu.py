"""Properties of CPUs, memory and NUMA; traits of the host's CPU."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from virtcatalog.api.decode import convert
from virtcatalog.api.instancetype import VirtualMachinePreferenceSpec
from virtcatalog.bring.imports import Verdict, carried, lost
from virtcatalog.bring.openstack.sheet import Sheet, ValueFault, choice, number, truth
from virtcatalog.kubevirt.preference.topology import guest_topology

_PAGES = {
    "2MB": "2Mi",
    "2048": "2Mi",
    "2048KB": "2Mi",
    "1GB": "1Gi",
    "1048576": "1Gi",
    "1048576KB": "1Gi",
    "large": "2Mi",
}
_CPU_FEATURES = {
    "AESNI": "aes",
    "AMXBF16": "amx-bf16",
    "AMXINT8": "amx-int8",
    "AMXTILE": "amx-tile",
    "BMI": "bmi1",
    "CLMUL": "pclmulqdq",
    "FMA3": "fma",
    "SHA": "sha-ni",
    "SSE3": "pni",
    "SSE41": "sse4.1",
    "SSE42": "sse4.2",
    "TSX": "rtm",
    "AVX512GFNI": "gfni",
    "AVX512VAES": "vaes",
    "AVX512VPCLMULQDQ": "vpclmulqdq",
    "AVX512VPOPCNTDQ": "avx512-vpopcntdq",
    "NO_SSB": "amd-no-ssb",
}


def cpu_policy(sheet: Sheet, _key: str, value: str) -> Verdict:
    """Dedicated CPUs; `mixed` has no counterpart."""
    choice(value, "dedicated", "shared", "mixed")
    if value == "dedicated":
        return sheet.type("cpu.dedicatedCPUPlacement", True)
    if value == "shared":
        return carried("KubeVirt's vCPUs share the node's CPUs")
    return lost("KubeVirt's vCPUs are all dedicated or none is")


def emulator_threads(sheet: Sheet, _key: str, value: str) -> Verdict:
    """A CPU of its own for the emulator."""
    if choice(value, "isolate", "share") == "isolate":
        if not sheet.has("cpu.dedicatedCPUPlacement"):
            return lost("only beside hw:cpu_policy=dedicated")
        return sheet.type("cpu.isolateEmulatorThread", True)
    return lost("KubeVirt's emulator threads have a CPU of their own, or share those of the vCPUs")


def page_size(sheet: Sheet, _key: str, value: str) -> Verdict:
    """Huge pages of 2 MiB or 1 GiB."""
    if value in _PAGES:
        verdict = sheet.type("memory.hugepages", {"pageSize": _PAGES[value]})
        return carried(f"{verdict.why}: of large ones those of 2 MiB") if value == "large" else verdict
    if value in ("small", "4", "4KB"):
        return carried("guests have small pages unless an instance type says otherwise")
    if value == "any":
        return lost("guests have small pages: which to take is not left to the image")
    if re.fullmatch("[0-9]+([KMGT]B)?", value):
        return lost("KubeVirt's nodes have huge pages of 2 MiB and 1 GiB")
    raise ValueFault("is none of small, large, any, and no size such as 2MB")


def numa_nodes(sheet: Sheet, _key: str, value: str) -> Verdict:
    """The host's nodes, where CPUs are dedicated and pages huge."""
    number(value)
    if sheet.has("cpu.dedicatedCPUPlacement") and sheet.has("memory.hugepages"):
        verdict = sheet.type("cpu.numa", {"guestMappingPassthrough": {}})
        return carried(f"{verdict.why}: as many nodes as the vCPUs are on")
    return lost("KubeVirt gives guests the host's NUMA nodes, with dedicated CPUs and huge pages, or none")


def realtime(sheet: Sheet, _key: str, value: str) -> Verdict:
    """Real time, which needs dedicated CPUs and huge pages."""
    if not truth(value):
        return carried("vCPUs are not scheduled in real time")
    if not (sheet.has("cpu.dedicatedCPUPlacement") and sheet.has("memory.hugepages")):
        return lost("KubeVirt's real time needs dedicated CPUs and huge pages")
    if not sheet.has("cpu.numa"):
        sheet.type("cpu.numa", {"guestMappingPassthrough": {}})
    return sheet.type("cpu.realtime", {})


def realtime_mask(sheet: Sheet, _key: str, value: str) -> Verdict:
    """The vCPUs of real time: `^0-1` is all but these."""
    if not re.fullmatch(r"\^?[0-9]+(-[0-9]+)?(,\^?[0-9]+(-[0-9]+)?)*", value):
        raise ValueFault("is no mask of vCPUs such as ^0-1")
    if sheet.has("cpu.realtime") is None:
        return lost("only beside hw:cpu_realtime")
    all_vcpus = "" if not value.startswith("^") else f"0-{max(sheet.vcpus - 1, 0)},"
    return sheet.type("cpu.realtime", {"mask": f"{all_vcpus}{value}"})


def topology(sheet: Sheet, exact: dict[str, int], most: dict[str, int]) -> Verdict:
    """Lay the vCPUs out by whichever preference does so: `exact` and `most` are of sockets, cores and threads.

    Of the layouts that fit, nova takes the one with the most sockets, then the most cores.
    """
    total = sheet.vcpus
    shape = next(_fitting(total, exact, most), None)
    if shape is None:
        raise ValueFault(f"does not divide {total} vCPUs")
    sockets, cores, threads = shape
    for cpu in _layouts(total):
        spec = convert({"cpu": cpu}, VirtualMachinePreferenceSpec)
        laid = guest_topology(total, spec)
        if tuple(number or 1 for number in laid) == (sockets, cores, threads):
            sheet.prefer("cpu", cpu)
            return carried("preference: cpu.preferredCPUTopology")
    return lost(f"no preference lays {total} vCPUs out as {sockets} sockets, {cores} cores, {threads} threads")


def _fitting(total: int, exact: dict[str, int], most: dict[str, int]) -> Iterator[tuple[int, int, int]]:
    def fits(level: str, count: int) -> bool:
        return count == exact.get(level, count) and count <= most.get(level, count)

    for sockets in (
        count for count in range(min(total, 2**12), 0, -1) if total % count == 0 and fits("sockets", count)
    ):
        for cores in range(total // sockets, 0, -1):
            threads = total // sockets // cores
            if sockets * cores * threads == total and fits("cores", cores) and fits("threads", threads):
                yield sockets, cores, threads


def _layouts(total: int) -> list[dict[str, Any]]:
    plain: list[dict[str, Any]] = [{"preferredCPUTopology": level} for level in ("sockets", "cores", "threads")]
    ratios = [ratio for ratio in range(2, min(total, 256) + 1) if total % ratio == 0]
    return plain + [
        {"preferredCPUTopology": "spread", "spreadOptions": {"across": across, "ratio": ratio}}
        for across in ("SocketsCores", "SocketsCoresThreads", "CoresThreads")
        for ratio in ratios
    ]


def trait(sheet: Sheet, key: str, value: str) -> Verdict:
    """CPU traits, which are labels of nodes in KubeVirt."""
    name = key.partition(":")[2]
    choice(value, "required", "forbidden")
    match = re.fullmatch(r"HW_CPU_X86_(?:INTEL_|AMD_)?([A-Z0-9_]+)", name)
    if value == "forbidden":
        return lost("an instance type chooses nodes by what they have, not by what they lack")
    if name == "HW_CPU_X86_AMD_SEV":
        return _label(sheet, "kubevirt.io/sev")
    if match is None:
        return lost("nodes have no such label; an instance type's nodeSelector may name one of yours")
    feature = _CPU_FEATURES.get(match[1], match[1].lower().replace("_", "-"))
    return _label(sheet, f"cpu-feature.node.kubevirt.io/{feature}")


def _label(sheet: Sheet, label: str) -> Verdict:
    sheet.instancetype = {
        **sheet.instancetype,
        "nodeSelector": {**sheet.instancetype.get("nodeSelector", {}), label: "true"},
    }
    return carried(f"instance type: nodeSelector[{label}]")
