"""The VMs that are asked about: the smallest one of a type, one of a VMI, one pinned to stored revisions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from virtcatalog.api.decode import decode_manifest, to_manifest
from virtcatalog.api.holders import VirtualMachineInstanceReplicaSet, VirtualMachinePool
from virtcatalog.api.kinds import vm_spec, with_vm_spec
from virtcatalog.api.kubevirt import VirtualMachine, VirtualMachineInstance
from virtcatalog.api.quantity import Quantity
from virtcatalog.ask.items import Item
from virtcatalog.catalog.places import Source
from virtcatalog.check.minimal import host_of, lone_vm
from virtcatalog.check.subject import Subject
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.conditions import Conditions
from virtcatalog.kubevirt.controller.vm import first_vm, vmi_of_replica_set
from virtcatalog.kubevirt.instancetype.pin import Holder, pin
from virtcatalog.kubevirt.pipeline import Result, expand
from virtcatalog.manifests.emit import dump
from virtcatalog.manifests.identity import Data
from virtcatalog.manifests.textdiff import unified
from virtcatalog.releases import DEFAULT, Release
from virtcatalog.units import memory

VmOrVmi = VirtualMachine | VirtualMachineInstance


def read_vm(manifest: Data, release: Release = DEFAULT) -> VmOrVmi:
    """Read a VM or VMI as the API server does; of a pool or replica set, its first VM or VMI.

    ManifestError when the API server refuses it.
    """
    kind = manifest.get("kind")
    if kind == "VirtualMachinePool":
        return first_vm(decode_manifest(manifest, VirtualMachinePool), release)
    if kind == "VirtualMachineInstanceReplicaSet":
        return vmi_of_replica_set(decode_manifest(manifest, VirtualMachineInstanceReplicaSet))
    if kind == "VirtualMachineInstance":
        return decode_manifest(manifest, VirtualMachineInstance)
    vm = decode_manifest(manifest, VirtualMachine)
    vm.api_version, vm.kind = "kubevirt.io/v1", "VirtualMachine"
    return vm


def as_vmi(vm: VmOrVmi) -> Data:
    """Return the metadata and spec of a VM's VMI, from its template; those of a VMI are its own."""
    template = to_manifest(vm) if isinstance(vm, VirtualMachineInstance) else to_manifest(vm.spec.template)
    metadata = {key: value for key, value in template.get("metadata", {}).items() if key in INHERITED}
    own = {"name": vm.metadata.name, "namespace": vm.metadata.namespace}
    names = {key: value for key, value in own.items() if value}
    return {"metadata": {**names, **metadata}, "spec": template["spec"]}


def written_template(manifest: Data) -> Data:
    """Return the part of a manifest that becomes a VMI, as its author wrote it."""
    if manifest.get("kind") == "VirtualMachineInstance":
        return manifest
    template: Data = vm_spec(manifest)["template"]
    return template


def template_diff(vm_manifest: Data, vmi: Data, name: str) -> str:
    """Return the unified diff from the VM's template to its VMI: labels, annotations and spec, as YAML.

    `name` is the VM's, for the headers. "" when KubeVirt adds nothing.
    """
    old, new = (dump(_compared(side)) for side in (as_vmi(read_vm(vm_manifest)), vmi))
    return unified(old, new, f"{vm_manifest.get('kind') or 'VirtualMachine'}/{name}", f"VirtualMachineInstance/{name}")


def _compared(vmi: Data) -> Data:
    metadata = {key: vmi["metadata"][key] for key in ("labels", "annotations") if vmi["metadata"].get(key)}
    return {"metadata": metadata, "spec": vmi["spec"]} if metadata else {"spec": vmi["spec"]}


# pkg/virt-controller/watch/vm/vm.go: the metadata that a VMI takes from a template.
INHERITED = ("labels", "annotations", "finalizers")


def pinned(manifest: Data, vm: VirtualMachine | None, cluster: Cluster) -> list[Data]:
    """Return the VM's manifest with its `revisionName`s, then the ControllerRevisions that do not exist yet.

    `vm` is the VM after its webhook, with inferred matchers; the rest of the manifest stays as its author wrote it. The
    VMs of a pool share its revisions, where KubeVirt stores equal ones for every VM. With None, a manifest without
    matchers, the manifest stays as it is.
    """
    if vm is None:
        return [manifest]
    pins = pin(vm, cluster, _pool(manifest) if manifest["kind"] == "VirtualMachinePool" else None)
    spec = dict(vm_spec(manifest))
    for key, matcher, revision in (
        ("instancetype", vm.spec.instancetype, pins.instancetype),
        ("preference", vm.spec.preference, pins.preference),
    ):
        if matcher is not None and revision:
            spec[key] = {**to_manifest(matcher), "revisionName": revision}
    return [with_vm_spec(manifest, spec), *pins.revisions]


def _pool(manifest: Data) -> Holder:
    metadata = manifest["metadata"]
    return Holder(manifest["apiVersion"], manifest["kind"], metadata.get("name", ""), metadata.get("uid", ""))


class Example(NamedTuple):
    """The smallest VM that has an instance type or a preference, with its expansion in a cluster."""

    vm: Data
    cluster: Cluster
    result: Result


def example(item: Item, objects: Iterable[Data], conditions: Conditions) -> Example:
    """Expand the smallest VM that has an instance type or a preference, in a cluster with these objects."""
    assert item.manifest is not None
    subject = Subject(manifest=item.manifest, origin="import", place=lambda _field: Source(""))
    vm = lone_vm(subject)
    vm["metadata"]["name"] = "example"
    host = [host_of(subject).manifest] if item.sort == "preferences" else []
    cluster = Cluster.under([*objects, item.manifest, *host], conditions)
    return Example(vm, cluster, expand(vm, cluster))


def guest(result: Result) -> Iterator[tuple[str, str]]:
    """Yield titles and values, for people: what the guest of an admitted VM has, and what its Pod requests."""
    assert result.vmi is not None
    domain = result.vmi["spec"]["domain"]
    cpu, guest = domain.get("cpu") or {}, domain.get("memory") or {}
    sockets, cores, threads = (cpu.get(key) or 1 for key in ("sockets", "cores", "threads"))
    yield "Guest CPUs", f"{sockets * cores * threads}: sockets {sockets}, cores {cores}, threads {threads}"
    if (cpu.get("maxSockets") or 0) > sockets:
        yield "Up to", f"{cpu['maxSockets'] * cores * threads} by hotplug"
    for title, key in (("Guest memory", "guest"), ("Up to", "maxGuest")):
        if guest.get(key):
            amount = memory(Quantity.parse(guest[key]).value)
            yield title, amount if key == "guest" else f"{amount} by hotplug"
    for container in ((result.pod or {}).get("spec") or {}).get("containers") or ():
        if container.get("name") == "compute":
            requests = (container.get("resources") or {}).get("requests") or {}
            yield (
                "Pod requests",
                ", ".join(
                    f"{key} {value if key == 'cpu' else memory(Quantity.parse(value).value)}"
                    for key, value in requests.items()
                    if key in ("cpu", "memory") or key.startswith("hugepages-")
                ),
            )
