"""The vCPUs of a domain: number, topology, model and pinning."""

from __future__ import annotations

import re

from virtcatalog.bring.libvirt.draft import Draft, integers
from virtcatalog.kubevirt.hosts import cpu_ranges
from virtcatalog.manifests.xml import XMLElement


def cpus(draft: Draft) -> None:
    """Fill in `spec.domain.cpu`."""
    _vcpus(draft)
    _cpu(draft)
    _pinning(draft)


def enabled_vcpus(draft: Draft) -> int:
    """Return how many vCPUs the guest starts with."""
    count = draft.one("vcpu")
    enabled = sum(element.get("enabled") == "yes" for element in draft.domain.all("vcpus", "vcpu"))
    return enabled or draft.number(count, "current", draft.number(count))


def _vcpus(draft: Draft) -> None:
    count = draft.one("vcpu")
    total = draft.number(count)
    if not total:
        raise draft.fault(count, "a domain has at least one vCPU")
    enabled = enabled_vcpus(draft)
    topology = draft.domain.first("cpu", "topology")
    sockets, cores, threads = total, 1, 1
    if topology is not None:
        shape = {name: draft.number(topology, name, 1) for name in ("sockets", "dies", "clusters", "cores", "threads")}
        sockets, cores, threads = shape["sockets"] * shape["dies"] * shape["clusters"], shape["cores"], shape["threads"]
        if sockets * cores * threads != total:
            product = sockets * cores * threads
            raise draft.fault(topology, f"these are {product} vCPUs, and <vcpu> says {total}")
    origins = [count, *([topology] if topology is not None else [])]
    if enabled > total or enabled % (cores * threads):
        draft.mark(
            "lost", f"KubeVirt starts with whole sockets: {total} vCPUs in place of {enabled}", (count, "current")
        )
        enabled = total
    cpu = ("domain", "cpu")
    fixed = draft.from_kubevirt and draft.domain.first("vcpus") is None
    if not (fixed and sockets == 1):  # KubeVirt gives no room for more sockets to who names none
        draft.put((*cpu, "sockets"), enabled // (cores * threads), *origins)
    if not fixed:
        draft.put((*cpu, "maxSockets"), sockets, *origins)
    draft.put((*cpu, "cores"), cores, *origins)
    draft.put((*cpu, "threads"), threads, *origins)


def _cpu(draft: Draft) -> None:
    cpu = draft.domain.first("cpu")
    if cpu is None:
        return
    model, mode = cpu.first("model"), cpu.get("mode")
    if mode in ("host-model", "host-passthrough"):
        draft.put(("domain", "cpu", "model"), mode, (cpu, "mode"))
    elif mode == "maximum":
        draft.put(("domain", "cpu", "model"), "host-passthrough", (cpu, "mode"))
        draft.mark("lost", "KubeVirt has no mode maximum: the guest gets all that the host's CPU has", (cpu, "mode"))
    elif model is not None and model.text and model.text != "max":
        draft.put(("domain", "cpu", "model"), model.text, model)
    features = []
    for element in cpu.all("feature"):
        if not element.get("name"):
            raise draft.fault(element, "a feature has a name", "name")
        if _is_added(draft, element):
            continue
        policy = {"policy": element.get("policy")} if element.get("policy") else {}
        features.append({"name": element.get("name"), **policy})
    if features:
        draft.put(("domain", "cpu", "features"), features, *cpu.all("feature"))


def _is_added(draft: Draft, feature: XMLElement) -> bool:
    """Whether KubeVirt gives this feature to every guest with a named model."""
    has_named_model = draft.get("domain", "cpu", "model") not in (None, "host-model", "host-passthrough")
    return (
        draft.from_kubevirt
        and has_named_model
        and feature.attributes == {"name": "mpx", "policy": "disable"}
        and draft.architecture == "amd64"
    )


def _pinning(draft: Draft) -> None:
    """Dedicated CPUs: every vCPU is pinned to a thread of the host of its own."""
    tune = draft.domain.first("cputune")
    if tune is None:
        return
    pins = [element.get("cpuset") for element in tune.all("vcpupin")]
    threads = integers(pins)
    total = enabled_vcpus(draft)
    if threads is None or len(pins) != total or len(set(threads)) != len(threads):
        return
    cpu = ("domain", "cpu")
    draft.put((*cpu, "dedicatedCpuPlacement"), True, *tune.all("vcpupin"))
    emulator = tune.first("emulatorpin")
    if emulator is not None and _is_apart(emulator.get("cpuset"), threads):
        draft.put((*cpu, "isolateEmulatorThread"), True, emulator)
    nodes = draft.domain.all("numatune", "memnode")
    if nodes and draft.domain.first("memoryBacking", "hugepages") is not None:
        draft.put((*cpu, "numa"), {"guestMappingPassthrough": {}}, *nodes, *draft.domain.all("cpu", "numa", "cell"))
    scheduled = tune.first("vcpusched")
    pmu = draft.domain.first("features", "pmu")
    if nodes and draft.domain.first("memoryBacking", "nosharepages") is not None and pmu is not None:
        vcpus = scheduled.get("vcpus") if scheduled is not None else ""
        mask = {"mask": vcpus} if vcpus and vcpus != f"0-{total - 1}" else {}
        draft.put((*cpu, "realtime"), mask, *([scheduled] if scheduled is not None else [pmu]))
        if scheduled is not None:
            draft.mark("carried", "spec.template.spec.domain.cpu.realtime: virt-handler sets the scheduler", scheduled)


def _is_apart(cpus: str, threads: list[int]) -> bool:
    """Whether a list of CPUs holds none of some threads."""
    if not re.fullmatch(r"[0-9]{1,6}(-[0-9]{1,6})?(,[0-9]{1,6}(-[0-9]{1,6})?)*", cpus):
        return False
    return not any(thread in cpu_range for cpu_range in cpu_ranges(cpus) for thread in threads)
