"""A cluster's objects as they were read at one time: VMs, VMIs and revisions by name, to be read again; the others
at hand."""

from __future__ import annotations

import copy
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property, partial
from typing import Any, Final, NamedTuple

import msgspec

from virtcatalog.api.names import namespace_or_default
from virtcatalog.errors import ManifestError, Problem
from virtcatalog.fleet.cache import digest
from virtcatalog.live.redaction import redacted
from virtcatalog.live.resources import MACHINES, Resource, is_of_vm, resource_of, slim, version_read
from virtcatalog.live.sound import is_sound, plain
from virtcatalog.manifests.identity import Data, Identity, as_item, namespace_of

KIND: Final = "ClusterDump"
VERSION: Final = "virtcatalog.dev/v1"

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder().decode
_parse = msgspec.json.Decoder().decode


class _Object(NamedTuple):
    """A VM, VMI or revision: the digest of its text, and what reads it anew at each look."""

    digest: bytes
    copy: Callable[[], Data]


class Gap(msgspec.Struct, frozen=True, order=True):
    """A kind of objects that could not be read, or not all of it, and why."""

    kind: str
    reason: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.reason}"


class Snapshot:
    """What is known of a cluster; `label` is what it is called, `gaps` what could not be read of it.

    VMs, VMIs and revisions are found by `namespace/name`, and each look gives another copy. `complete` says that every
    kind was asked for, in all namespaces; `taken` is when it was read, "" where nobody says.
    """

    def __init__(self, label: str = "", gaps: Iterable[Gap] = (), taken: str = "", *, complete: bool = False) -> None:
        self.label, self.gaps, self.taken, self.complete = label, list(gaps), taken, complete
        self._others: dict[str, dict[str, Data]] = {}
        self._objects: dict[str, dict[str, _Object]] = {kind: {} for kind in MACHINES}
        self._looked_up: set[Identity] | None = None

    def add(self, manifest: Data) -> None:
        """Add an object, without what is not to be kept of it; those of other kinds are passed over."""
        if manifest.get("apiVersion") == VERSION and manifest.get("kind") == KIND:
            self._describe(manifest)
            return
        resource = resource_of(manifest.get("apiVersion"), manifest.get("kind"))
        metadata = manifest.get("metadata")
        if resource is None:
            self._pass_over(manifest)
            return
        if not isinstance(metadata, dict) or not isinstance(metadata.get("name"), str):
            self.gaps.append(Gap(resource.kind, "one of them has no name"))
            return
        if not is_sound(manifest):
            self.gaps.append(Gap(resource.kind, f"{metadata['name']} is not as the API has such objects"))
            return
        if resource.kind == "ControllerRevision" and not is_of_vm(metadata["name"], metadata.get("labels")):
            return
        if resource.kind == "Pod":
            self._add_pod(manifest)
            return
        cleaned = redacted(slim(manifest, resource.kind))
        if resource.kind in MACHINES:
            try:
                packed = zlib.compress(_encode(cleaned), 1)
            except OverflowError:  # a number of more than 64 bits
                self.gaps.append(Gap(resource.kind, f"{metadata['name']} has a number that no API has"))
            else:
                self._put(resource.kind, _key(cleaned), _Object(digest(packed), partial(_unpacked, packed)))
        else:
            others, name = self._others.setdefault(resource.kind, {}), _key(cleaned)
            if others.setdefault(name, cleaned) != cleaned:
                self.gaps.append(_twice(resource.kind, name))

    def _pass_over(self, manifest: Data) -> None:
        """Name a kind that would have been read in another version of its API."""
        read = version_read(manifest)
        gap = Gap(str(manifest.get("kind")), f"{manifest.get('apiVersion')} is not read, {read} is")
        if read and gap not in self.gaps:
            self.gaps.append(gap)

    def _put(self, kind: str, name: str, obj: _Object) -> None:
        there = self._objects[kind].setdefault(name, obj)
        if there.digest != obj.digest and there.copy() != obj.copy():
            self.gaps.append(_twice(kind, name))

    def add_text(self, text: bytes, again: Callable[[], bytes], source: str, implied: Data) -> bool:
        """Add a VM, VMI or revision that is plain JSON, without holding it; False for what is to be added otherwise.

        `again` returns the text whenever the object is looked at; `source` is the file or cluster that it is from.
        `implied` is what a list says of it.
        """
        obj = plain(text)
        if obj is None:
            return False
        own = {"apiVersion": obj.api_version, "kind": obj.kind}
        says = as_item(own, implied)
        resource = resource_of(says["apiVersion"], says["kind"])
        if resource is None or resource.kind not in MACHINES:
            return False
        metadata = obj.metadata
        if resource.kind == "ControllerRevision" and not is_of_vm(metadata.name, metadata.labels):
            return True
        name = f"{namespace_or_default(metadata.namespace)}/{metadata.name}"
        digest_of_text = digest(text)
        read = partial(_read, again, digest_of_text, source, resource)
        self._put(resource.kind, name, _Object(digest_of_text, read))
        return True

    def _add_pod(self, pod: Data) -> None:
        """Keep a Pod of virt-launcher's by its VM; of other Pods nothing."""
        labels = pod["metadata"].get("labels") or {}
        vm = labels.get("vm.kubevirt.io/name")
        if labels.get("kubevirt.io") == "virt-launcher" and vm and (pod.get("status") or {}).get("phase") == "Running":
            self._others.setdefault("Pod", {})[f"{namespace_of(pod)}/{vm}"] = slim(pod, "Pod")

    def forget(self, kind: str) -> None:
        """Drop what there is of a kind."""
        (self._objects if kind in self._objects else self._others)[kind] = {}

    @property
    def others(self) -> list[Data]:
        """The objects that VMs refer to, by kind and name."""
        kinds = (objects for kind, objects in sorted(self._others.items()) if kind != "Pod")
        return [objects[name] for objects in kinds for name in sorted(objects)]

    def _describe(self, manifest: Data) -> None:
        """Take over what a dump says of itself."""
        cluster, taken = manifest.get("cluster"), manifest.get("taken")
        self.complete = self.complete or manifest.get("complete") is not False
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
        there = (self._objects if kind in self._objects else self._others).get(kind)
        return "" if self.complete or there else f"the dump has no {kind}"

    def absent(self, kind: str, name: str) -> str:
        """Say why it is not known whether there is an object, by `namespace/name`, that was not read; "" if it is."""
        unread = self.unread(kind)
        if not unread and self._namespace not in ("", name.partition("/")[0]):
            return f"the dump has VMs of the namespace {self._namespace} alone"
        return unread

    @cached_property
    def _namespace(self) -> str:
        """The only namespace that has VMs, so that others may not have been asked for; "" for several, or all."""
        namespaces = {name.partition("/")[0] for name in self.names}
        return "" if self.complete or len(namespaces) != 1 else namespaces.pop()

    def __len__(self) -> int:
        return sum(map(len, self._objects.values())) + sum(map(len, self._others.values()))

    @property
    def pools(self) -> Mapping[str, Data]:
        """The pools, by `namespace/name`."""
        return self._others.get("VirtualMachinePool", {})

    @property
    def names(self) -> Iterable[str]:
        """The VMs, as `namespace/name`."""
        return self._objects["VirtualMachine"].keys()

    def vm(self, name: str) -> Data | None:
        """Return a VM."""
        return self._get("VirtualMachine", name)

    def vmi(self, name: str) -> Data | None:
        """Return the VMI of a VM, which has its name."""
        return self._get("VirtualMachineInstance", name)

    def revision(self, namespace: str, name: str) -> Data | None:
        """Return a ControllerRevision of a VM: its own, or one of its instance type or preference."""
        if self._looked_up is not None:
            self._looked_up.add(("ControllerRevision", namespace, name))
        return self._get("ControllerRevision", f"{namespace}/{name}")

    def _get(self, kind: str, name: str) -> Data | None:
        obj = self._objects[kind].get(name)
        return None if obj is None else obj.copy()

    def digest(self, kind: str, name: str) -> bytes:
        """Return what a VM, VMI or revision, by `namespace/name`, is recognised by; b"" for one that is not there."""
        obj = self._objects[kind].get(name)
        return b"" if obj is None else obj.digest

    @property
    def extent(self) -> bytes:
        """Which kinds were read and what was not, as bytes: `unread` and `absent` depend on that alone."""
        kinds = [kind for kind, objects in {**self._others, **self._objects}.items() if objects]
        return _encode([sorted(kinds), [str(gap) for gap in self.gaps], self.complete, self._namespace])

    def watched(self, looked_up: set[Identity]) -> Snapshot:
        """Return the same snapshot, which adds to a set the revisions that are looked up in it."""
        other = copy.copy(self)
        other._looked_up = looked_up  # noqa: SLF001 - its own
        return other

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
            **({} if self.complete else {"complete": False}),
        }
        yield from self.others
        for objects in self._objects.values():
            for name in sorted(objects):
                yield objects[name].copy()


def _twice(kind: str, name: str) -> Gap:
    return Gap(kind, f"{name} is there twice, and not alike")


def _key(manifest: Data) -> str:
    return f"{namespace_of(manifest)}/{manifest['metadata']['name']}"


def _unpacked(packed: bytes) -> Any:
    return _decode(zlib.decompress(packed))


def _read(again: Callable[[], bytes], expected: bytes, source: str, resource: Resource) -> Data:
    """Read an object again; ManifestError when it is another one by now, or has a number that no API has."""
    text = again()
    if digest(text) != expected:
        raise ManifestError(Problem(file=source, message="has been changed while it was read"))
    try:
        manifest = {"apiVersion": resource.api_version, "kind": resource.kind, **_parse(text)}
    except (ValueError, RecursionError) as error:
        message = f"has a {resource.kind} that cannot be read: {error}"
        raise ManifestError(Problem(file=source, message=message)) from None
    return redacted(slim(manifest, resource.kind))
