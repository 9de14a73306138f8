"""Which VMs are alike: their manifests are equal but for a few named leaves, which only tell one VM from another.

The leaves are a VM's name, its namespace, uid, resource version and generation, the times in its metadata and
conditions, the MAC addresses of its interfaces, the UUID and serial of its firmware, and what it says to cloud-init.
The name may be part of other names and of labels. Where it is part of anything else, the VM is like no other.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any, Final, NamedTuple

import msgspec

from virtcatalog.api.decode import to_manifest
from virtcatalog.api.kinds import vm_spec
from virtcatalog.fleet.leaves import (
    GENERATION,
    LONGEST_TEXT,
    MARK,
    NAMESPACE,
    NO_NAMESPACE,
    SHAPES,
    TEXT,
    VERSION,
    Leaves,
    leaves_of,
)
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.instancetype.references import refers_to_own_namespace
from virtcatalog.manifests.fields import map_at
from virtcatalog.manifests.identity import Data, namespace_of

#: What is around a leaf that may stand elsewhere, too, and mean something else there.
_AROUND: Final = {
    TEXT: (b'Data":"%s"',),
    GENERATION: (b'eneration":%s,', b'eneration":%s}'),
    VERSION: (b'"resourceVersion":"%s"',),
}
_NOTHING: Final = (b"%s",)
_NAME_MARK: Final = "\x7f0\x7f"
#: That of a generation. Where the name stands without quotes, it is in a word of JSON.
_BARE_MARK: Final = re.compile(rb":\x7f(?!0\x7f)\d+\x7f(?=[,}])")
_MOST_KINDS: Final = 1 << 14
#: Where a name is one that the VM gives itself: lists of what has a name, what refers to an object, further names.
_LISTS_BY_NAME: Final = frozenset({"volumes", "disks", "interfaces", "networks", "filesystems"})
_REFERENCES: Final = frozenset(
    {"secretRef", "networkDataSecretRef", "configMap", "secret", "serviceAccount", "dataVolume"}
)
_NAMES: Final = frozenset({"claimName", "hostname", "secretName", "serviceAccountName"})
_LABELS: Final = frozenset({"labels", "matchLabels", "annotations"})
_encode: Final = msgspec.json.Encoder(order="deterministic").encode


class Likeness(NamedTuple):
    """What VMs that are alike have in common: `text` is their manifest, with a mark and its number for each leaf."""

    text: bytes
    sorts: str

    @property
    def kind(self) -> bytes:
        """A digest that VMs have in common which are alike, and no others."""
        return blake2b(b"%s %s" % (self.sorts.encode(), self.text), digest_size=16).digest()

    def with_leaves(self, leaves: Sequence[bytes]) -> bytes:
        """Return the manifest of a VM that has these leaves."""
        parts = self.text.split(MARK)
        parts[1::2] = [leaves[int(number)] for number in parts[1::2]]
        return b"".join(parts)


class Matcher:
    """Finds the leaves of VMs that are alike: as fast as their manifests are compared."""

    def __init__(self, common: Likeness) -> None:
        first, *others = common.text.split(MARK)
        parts, marked = [re.escape(first)], set[int]()
        for mark, literal in zip(others[::2], others[1::2], strict=True):
            number = int(mark)
            again, shape = b"(?P=l%d)" % number, SHAPES[common.sorts[number]].pattern
            parts += [again if number in marked else b"(?P<l%d>%s)" % (number, shape), re.escape(literal)]
            marked.add(number)
        self._groups = [f"l{number}" for number, sort in enumerate(common.sorts) if sort != NO_NAMESPACE]
        self._has_namespace = common.sorts[1] == NAMESPACE
        #: A leaf that is written in another way than its value has no mark.
        self._pattern = re.compile(b"".join(parts)) if len(marked) == len(self._groups) else None

    def leaves(self, text: bytes) -> tuple[bytes, ...] | None:
        """Return the leaves of a VM's manifest in compact JSON; None for one that is not alike."""
        match = self._pattern.fullmatch(text) if self._pattern is not None else None
        if match is None:
            return None
        leaves = match.group(*self._groups) if self._has_namespace else _with_default_namespace(match, self._groups)
        # Two leaves that are equal may mean something, and so may a text that is long.
        if len(set(leaves)) < len(leaves) or max(map(len, leaves)) > LONGEST_TEXT - 2 or not all(leaves):
            return None
        return leaves


def _with_default_namespace(match: re.Match[bytes], groups: Sequence[str]) -> tuple[bytes, ...]:
    name, *others = (match[group] for group in groups)
    return name, b"default", *others


def compact(text: bytes) -> bytes | None:
    """Return JSON without white space between its parts; None for what is not JSON."""
    try:
        return msgspec.json.format(text, indent=-1)
    except (ValueError, RecursionError):
        return None


def maps(text: bytes) -> int:
    """Return how many maps within maps there are in compact JSON: VMs that are alike have as many."""
    return text.count(b'":{"')


def likeness(text: bytes, leaves: Leaves) -> Likeness:
    """Return what a VM's manifest in compact JSON has in common with those of VMs that are alike."""
    for number, (sort, leaf) in enumerate(zip(leaves.sorts[2:], leaves.values[2:], strict=True), start=2):
        for around in _AROUND.get(sort, _NOTHING):
            text = text.replace(around % leaf, around % (b"\x7f%d\x7f" % number))
    name, namespace, *_ = leaves.values
    text = text.replace(name, b"\x7f0\x7f")
    if leaves.sorts[1] == NAMESPACE:
        text = text.replace(b'"namespace":"%s"' % namespace, b'"namespace":"\x7f1\x7f"')
    return Likeness(text, leaves.sorts)


def has_plain_name(common: Likeness) -> bool:
    """Whether a VM's name is part of names and labels alone: another name in its place means the same."""
    try:
        vm = msgspec.json.decode(_BARE_MARK.sub(b":0", common.text))
    except (ValueError, RecursionError):
        return False
    return _is_plain({key: value for key, value in vm.items() if key != "status"}, "", "")


def _is_plain(value: dict[str, Any] | list[Any], key: str, outer: str) -> bool:
    """Whether the name is in nothing but names below a key; `outer` is the key of the list or map around that."""
    if isinstance(value, list):
        return all(_is_plain(item, "", key) if isinstance(item, dict | list) else _is_nameless(item) for item in value)
    in_labels = key in _LABELS
    is_named = (
        key in _REFERENCES or outer in _LISTS_BY_NAME or (key == "metadata" and outer in ("", "dataVolumeTemplates"))
    )
    for field, inner in value.items():
        in_label = in_labels and (key != "annotations" or "kubevirt.io/" not in field)
        if _NAME_MARK in field and not in_label:
            return False
        if isinstance(inner, dict | list):
            if not _is_plain(inner, field, outer if field == "metadata" else ""):
                return False
        elif not (_is_nameless(inner) or in_label or field in _NAMES or (field == "name" and is_named)):
            return False
    return True


def _is_nameless(value: Any) -> bool:
    return not isinstance(value, str) or _NAME_MARK not in value


def labels_matter(cluster: Cluster) -> bool:
    """Whether a cluster chooses VMs by their labels."""
    by_label = cluster.configuration.values.changed_block_tracking_label_selectors
    return bool(cluster.all_presets) or by_label is not None


class Alike:
    """Gives VMs their keys by what matters to KubeVirt: equal keys, equal fates."""

    def __init__(self, *clusters: Cluster, labels_matter: bool = False) -> None:
        """`clusters` are all that the VMs will meet; `labels_matter` when those choose VMs by their labels."""
        self._clusters, self._labels_matter = clusters, labels_matter
        self._plain: dict[bytes, bool] = {}

    def key(self, vm: Data, namespaces: frozenset[str]) -> bytes:
        """Return the VM's key; `namespaces` are those that hold any object of the cluster.

        Neither the status nor labels and annotations that KubeVirt does not look at are in it.
        """
        metadata, namespace = map_at(vm, "metadata"), namespace_of(vm)
        annotations = {key: value for key, value in map_at(metadata, "annotations").items() if "kubevirt.io/" in key}
        text = _encoded(
            {
                "apiVersion": vm.get("apiVersion"),
                "kind": vm.get("kind"),
                "metadata": {
                    "name": str(metadata.get("name") or ""),
                    "namespace": namespace,
                    "labels": metadata.get("labels") if self._labels_matter else None,
                    "annotations": annotations,
                },
                "spec": vm.get("spec"),
            }
        )
        leaves = leaves_of(text)
        if leaves is None:
            return text
        common = likeness(text, leaves)
        kind = common.kind
        if not self._has_plain_name(common, kind):
            return text
        has_objects = namespace in namespaces
        home = namespace if has_objects or refers_to_own_namespace(vm) else ""
        return _encoded([kind, home, self._claims(vm, namespace) if has_objects else []])

    def _has_plain_name(self, common: Likeness, kind: bytes) -> bool:
        plain = self._plain.get(kind)
        if plain is None:
            if len(self._plain) >= _MOST_KINDS:
                self._plain.clear()
            plain = self._plain[kind] = has_plain_name(common)
        return plain

    def _claims(self, vm: Data, namespace: str) -> list[Any]:
        """The PersistentVolumeClaims and DataVolumes that the VM's volumes name, without what is theirs alone."""
        claims: list[Any] = []
        for volume in _volumes(vm):
            for source, key in (("persistentVolumeClaim", "claimName"), ("dataVolume", "name")):
                if source not in volume:
                    continue
                name = str(map_at(volume, source).get(key))
                for cluster in self._clusters:
                    objects = cluster.pvc(namespace, name), cluster.data_volume(namespace, name)
                    claims.append([None if claim is None else _content(claim) for claim in objects])
        return claims


def _volumes(vm: Data) -> Iterator[Mapping[str, Any]]:
    """The volumes of a VM's template, or of a VirtualMachineInstance."""
    spec = vm_spec(vm)
    for holder in (map_at(spec), map_at(spec, "template", "spec")):
        volumes = holder.get("volumes")
        yield from map(map_at, volumes if isinstance(volumes, list) else ())


def _content(claim: msgspec.Struct) -> Data:
    data = to_manifest(claim)
    metadata = data.get("metadata", {})
    return {**data, "metadata": {part: metadata.get(part) for part in ("labels", "annotations")}}


def _encoded(data: Any) -> bytes:
    try:
        return _encode(data)
    except (OverflowError, ValueError):  # a number or a character that msgspec does not write
        return json.dumps(data, sort_keys=True, default=bytes.hex).encode("utf-8", "surrogatepass")
