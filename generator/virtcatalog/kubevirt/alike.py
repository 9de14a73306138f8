"""Which VMs of a fleet are alike: they differ in nothing that a comparison of two clusters could depend on.

A VM's name is in many of its strings, and so are numbers that are its own. Where such a string only names something,
two VMs whose strings differ in just that are the same VM twice.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from virtcatalog.api.decode import to_manifest
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.instancetype.references import refers_to_own_namespace
from virtcatalog.manifests.identity import Data, namespace_of

_encode = msgspec.json.Encoder(order="deterministic").encode
_SELF = "\0"
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_MAC = re.compile(r"[0-9a-f][02468ace](:[0-9a-f]{2}){5}")
_LETTERS, _DIGITS = re.compile("[a-z]+"), re.compile("[0-9]+")
_ORDINARY = re.compile("[a-z]([-a-z0-9]{0,28}[a-z0-9])?")
_INLINE_BYTES = 2048
#: Maps of a VM whose `name` is one that the VM gives itself.
_NAMED_LISTS = frozenset({"volumes", "disks", "interfaces", "networks", "filesystems"})
_REFERENCES = frozenset({"secretRef", "networkDataSecretRef", "configMap", "secret", "serviceAccount", "dataVolume"})
_NAMES = frozenset({"claimName", "hostname", "secretName", "serviceAccountName"})
_TEXTS = frozenset({"userData", "networkData"})
#: Maps in which nothing is a VM's own: so they are not looked into.
_COMMON = frozenset(
    {"instancetype", "preference", "cpu", "memory", "clock", "features", "resources", "disk", "cdrom", "lun", "storage"}
    | {"source", "sourceRef", "pod", "multus", "masquerade", "bridge"}
)
_LABELS = frozenset({"labels", "matchLabels", "annotations"})
#: Keys of strings that may be a VM's own; in labels and annotations any may.
_OWN = frozenset({"name", "macAddress", "uuid", "serial"}) | _NAMES | _TEXTS


def labels_matter(cluster: Cluster) -> bool:
    """Whether a cluster chooses VMs by their labels."""
    by_label = cluster.configuration.values.changed_block_tracking_label_selectors
    return bool(cluster.all_presets) or by_label is not None


class Alike:
    """Gives VMs of one fleet their keys: equal keys, equal fates."""

    def __init__(self, *clusters: Cluster, labels_matter: bool = False) -> None:
        """`clusters` are all that the VMs will meet; `labels_matter` when those choose VMs by their labels."""
        self._clusters = clusters
        self._labels_matter = labels_matter

    def key(self, vm: Data, namespaces: frozenset[str]) -> bytes:
        """Return the VM's key; `namespaces` are those that hold any object of the cluster."""
        metadata = _map(vm.get("metadata"))
        name, namespace = str(metadata.get("name") or ""), namespace_of(vm)
        spec = _map(vm.get("spec"))
        known = namespace in namespaces
        own = _Own(name, self._claims(namespace) if known else _nothing)
        parts: list[Any] = [
            vm.get("apiVersion"),
            vm.get("kind"),
            _shape(name),
            namespace if known or refers_to_own_namespace(vm) else _shape(namespace),
            metadata.get("labels") if self._labels_matter else None,
            {key: value for key, value in _map(metadata.get("annotations")).items() if "kubevirt.io/" in key},
            own.out_of(spec),
        ]
        return _encoded(parts)

    def _claims(self, namespace: str) -> Callable[[str], Any]:
        def find(name: str) -> Any:
            found = []
            for cluster in self._clusters:
                for each in (cluster.pvc(namespace, name), cluster.data_volume(namespace, name)):
                    if each is None:
                        continue
                    data = to_manifest(each)
                    metadata = data.get("metadata", {})
                    data["metadata"] = {part: metadata.get(part) for part in ("labels", "annotations")}
                    found.append(data)
            return found

        return find


class _Own:
    """Takes out of a VM's spec what only that VM has."""

    def __init__(self, name: str, claim: Callable[[str], Any]) -> None:
        # A name of a letter or two is in too much that means something.
        self._name, self._claim = name if len(name) > 2 else "", claim
        self._seen: dict[str, str] = {}

    def out_of(self, given: Mapping[str, Any], key: str = "", outer: str = "") -> Data:
        """Return a map without it; `key` is the map's, or its list's, and `outer` that of the list that it is in."""
        named = key in _REFERENCES or outer in _NAMED_LISTS or (outer, key) == ("dataVolumeTemplates", "metadata")
        labels = key in _LABELS
        made: Data = {}
        for each, inner in given.items():
            kind = type(inner)
            if each == "creationTimestamp":
                continue
            if kind is str:
                made[each] = self._text(each, inner, key, named=named) if labels or each in _OWN else inner
            elif kind is dict:
                made[each] = inner if each in _COMMON else self.out_of(inner, each, outer if each == "metadata" else "")
            else:
                made[each] = self._in_list(inner, each) if kind is list else inner
        if key in ("persistentVolumeClaim", "dataVolume"):
            made["\0claim"] = self._claim(str(given.get("claimName") or given.get("name")))
        return made

    def _in_list(self, items: list[Any], key: str) -> list[Any]:
        return [
            self.out_of(item, "", key)
            if type(item) is dict
            else self._in_list(item, "")
            if type(item) is list
            else item
            for item in items
        ]

    def _text(self, key: str, text: str, owner: str, *, named: bool) -> str:
        if key in _NAMES or (key == "name" and named):
            return self._without_name(text)
        if key in _TEXTS:
            size = len(text.encode("utf-8", "surrogatepass"))
            return f"{bool(text)} {size if size > _INLINE_BYTES else 0}"
        if owner in _LABELS and (owner != "annotations" or "kubevirt.io/" not in key):
            return self._without_name(text)
        if key == "macAddress" and _MAC.fullmatch(text):
            return self._numbered(text)
        if owner == "firmware" and key in ("uuid", "serial") and _UUID.fullmatch(text):
            return self._numbered(text)
        return text

    def _without_name(self, text: str) -> str:
        return text.replace(self._name, _SELF) if self._name else text

    def _numbered(self, text: str) -> str:
        return self._seen.setdefault(text, f"{_SELF}{len(self._seen)}")


def _encoded(parts: list[Any]) -> bytes:
    try:
        return _encode(parts)
    except (OverflowError, ValueError):  # a number or a character that msgspec does not write
        return json.dumps(parts, sort_keys=True).encode("utf-8", "surrogatepass")


def _shape(name: str) -> str:
    """What of a name may matter: nothing, if it can stand in any other name and is not near any limit of length."""
    return "" if _ORDINARY.fullmatch(name) else f"{len(name)} {_DIGITS.sub('0', _LETTERS.sub('a', name))}"


def _nothing(_: str) -> None:
    return None


def _map(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
