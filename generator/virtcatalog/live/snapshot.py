"""A cluster's objects as they were read at one time: VMs, VMIs and revisions by name, packed; the others at hand."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec

from virtcatalog.live.redaction import redacted
from virtcatalog.live.resources import MACHINES, resource_of, slim
from virtcatalog.manifests.identity import Data, listed, namespace_of

KIND: Final = "ClusterDump"
VERSION: Final = "virtcatalog.dev/v1"
_START: Final = "revision-start-vm-"

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder().decode


class Gap(msgspec.Struct, frozen=True, order=True):
    """A kind of objects that could not be read, or not all of it, and why."""

    kind: str
    reason: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.reason}"


class Snapshot:
    """What is known of a cluster; `label` is what it is called, `gaps` what could not be read of it.

    VMs, VMIs and revisions are found by `namespace/name`, and each look gives another copy. `complete` says that every
    kind was asked for; `taken` is when it was read, "" where nobody says.
    """

    def __init__(self, label: str = "", gaps: Iterable[Gap] = (), taken: str = "", *, complete: bool = False) -> None:
        self.label, self.gaps, self.taken, self.complete = label, list(gaps), taken, complete
        self._others: dict[str, dict[str, Data]] = {}
        self._held: dict[str, dict[str, bytes]] = {kind: {} for kind in MACHINES}

    def add(self, manifest: Data) -> None:
        """Add an object, without what is not to be kept of it; those of other kinds are passed over."""
        if manifest.get("apiVersion") == VERSION and manifest.get("kind") == KIND:
            self._describe(manifest)
            return
        resource = resource_of(manifest)
        metadata = manifest.get("metadata")
        if resource is None or not isinstance(metadata, dict) or not isinstance(metadata.get("name"), str):
            return
        if not _is_sound(manifest):
            self.gaps.append(Gap(resource.kind, f"{metadata['name']} is not as the API has such objects"))
            return
        if resource.kind == "ControllerRevision" and not _is_of_vm(manifest):
            return
        if resource.kind == "Pod":
            self._add_pod(manifest)
            return
        cleaned = redacted(slim(manifest, resource.kind))
        if resource.kind in MACHINES:
            try:
                self._held[resource.kind][_key(cleaned)] = _packed(cleaned)
            except OverflowError:  # a number of more than 64 bits
                self.gaps.append(Gap(resource.kind, f"{metadata['name']} has a number that no API has"))
        else:
            self._others.setdefault(resource.kind, {})[_key(cleaned)] = cleaned

    def _add_pod(self, pod: Data) -> None:
        """Keep a Pod of virt-launcher's by its VM; of other Pods nothing."""
        labels = pod["metadata"].get("labels") or {}
        vm = labels.get("vm.kubevirt.io/name")
        if labels.get("kubevirt.io") == "virt-launcher" and vm and (pod.get("status") or {}).get("phase") == "Running":
            self._others.setdefault("Pod", {})[f"{namespace_of(pod)}/{vm}"] = slim(pod, "Pod")

    def forget(self, kind: str) -> None:
        """Drop what there is of a kind."""
        (self._held if kind in self._held else self._others)[kind] = {}

    @property
    def others(self) -> list[Data]:
        """The objects that VMs refer to, by kind and name."""
        return [held[name] for kind, held in sorted(self._others.items()) if kind != "Pod" for name in sorted(held)]

    def _describe(self, manifest: Data) -> None:
        """Take over what a dump says of itself."""
        cluster, taken = manifest.get("cluster"), manifest.get("taken")
        self.complete = True
        self.label = cluster if isinstance(cluster, str) else self.label
        self.taken = taken if isinstance(taken, str) else self.taken
        gaps = manifest.get("gaps")
        for gap in gaps if isinstance(gaps, list) else ():
            if isinstance(gap, dict):
                self.gaps.append(Gap(str(gap.get("kind")), str(gap.get("reason"))))

    def unread(self, kind: str) -> str:
        """Say why it is not known which objects of a kind there are, "" where it is."""
        gap = next((gap for gap in self.gaps if gap.kind == kind), None)
        if gap is not None:
            return gap.reason
        there = (self._held if kind in self._held else self._others).get(kind)
        return "" if self.complete or there else f"the dump has no {kind}"

    def __len__(self) -> int:
        return sum(len(held) for held in self._held.values()) + sum(len(held) for held in self._others.values())

    @property
    def names(self) -> Iterable[str]:
        """The VMs, as `namespace/name`."""
        return self._held["VirtualMachine"].keys()

    def vm(self, name: str) -> Data | None:
        """Return a VM."""
        return self._get("VirtualMachine", name)

    def vmi(self, name: str) -> Data | None:
        """Return the VMI of a VM, which has its name."""
        return self._get("VirtualMachineInstance", name)

    def revision(self, namespace: str, name: str) -> Data | None:
        """Return a ControllerRevision of a VM: its own, or one of its instance type or preference."""
        return self._get("ControllerRevision", f"{namespace}/{name}")

    def _get(self, kind: str, name: str) -> Data | None:
        packed = self._held[kind].get(name)
        return None if packed is None else _unpacked(packed)

    def pod(self, name: str) -> Data | None:
        """Return the Pod that the machine of a VM runs in."""
        return self._others.get("Pod", {}).get(name)

    def manifests(self) -> Iterator[Data]:
        """Yield all that a dump of it holds, first what it says of itself, then by kind and name."""
        yield {
            "apiVersion": VERSION,
            "kind": KIND,
            "metadata": {"name": "cluster"},
            "cluster": self.label,
            "taken": self.taken,
            "gaps": [msgspec.to_builtins(gap) for gap in sorted(self.gaps)],
        }
        yield from self.others
        for held in self._held.values():
            for name in sorted(held):
                yield _unpacked(held[name])


def snapshot_of(manifests: Iterable[Data], label: str = "") -> Snapshot:
    """Return the snapshot that manifests make; lists among them are taken apart."""
    snapshot = Snapshot(label)
    for manifest in manifests:
        for item in listed(manifest) or [manifest]:
            if isinstance(item, dict):
                snapshot.add(item)
    return snapshot


def is_start_revision(name: str) -> bool:
    """Whether a ControllerRevision holds a VM as it was started (getVMRevisionName)."""
    return name.startswith(_START)


def _is_sound(manifest: Data) -> bool:
    """Whether the parts of an object that are looked at are what the API server makes them."""
    metadata, status = manifest["metadata"], {} if manifest.get("status") is None else manifest["status"]
    maps = (*(metadata.get(key) for key in ("labels", "annotations")), *map(manifest.get, ("spec", "data")), status)
    if not all(part is None or isinstance(part, dict) for part in maps):
        return False
    lists = (metadata.get("ownerReferences"), metadata.get("managedFields"), status.get("conditions"))
    texts = (text for key in ("labels", "annotations") for text in (metadata.get(key) or {}).values())
    return (
        all(part is None or isinstance(part, list) for part in lists)
        and all(isinstance(text, str) for text in texts)
        and isinstance(metadata.get("namespace"), str | None)
    )


def _is_of_vm(revision: Data) -> bool:
    """Whether KubeVirt made a revision; Deployments of others have theirs."""
    metadata = revision["metadata"]
    labels = metadata.get("labels")
    of_type = isinstance(labels, Mapping) and any(str(key).startswith("instancetype.kubevirt.io/") for key in labels)
    return of_type or is_start_revision(str(metadata.get("name")))


def _key(manifest: Data) -> str:
    return f"{namespace_of(manifest)}/{manifest['metadata']['name']}"


def _packed(manifest: Data) -> bytes:
    return zlib.compress(_encode(manifest), 1)


def _unpacked(packed: bytes) -> Any:
    return _decode(zlib.decompress(packed))
