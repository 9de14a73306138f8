"""What golden tests compare: expansions of VM templates, also crossed with other instance types and preferences.

They are cached for the next run. Anybody may have committed the golden files: only plain text files below pytest's root
are used.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

import msgspec
from msgspec.structs import replace

from virtcatalog.api.kinds import CLUSTER_INSTANCETYPE, CLUSTER_PREFERENCE
from virtcatalog.catalog.model import VmTemplate
from virtcatalog.errors import CatalogError, Problem, Reason
from virtcatalog.fleet.cache import Cache, key_of
from virtcatalog.fleet.inputs import Inputs, encoded, identities_of
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.conditions import Conditions
from virtcatalog.kubevirt.pipeline import Result, expand
from virtcatalog.kubevirt.pod.amounts import extract
from virtcatalog.limits import GOLDEN_FILE_BYTES
from virtcatalog.manifests.emit import dump
from virtcatalog.manifests.folder import SourceError
from virtcatalog.manifests.identity import Data, namespace_of
from virtcatalog.manifests.merge import fresh
from virtcatalog.manifests.sources import open_folder

#: The forms of golden Pods beside the XML.
PODS = ("none", "extract", "whole")


class Expansion(msgspec.Struct, frozen=True, array_like=True):
    """The domain of an admitted VM and, with golden Pods, the Pod or the field and reason why there is none."""

    xml: str | None
    pod: str | None = None
    pod_error: tuple[str, str] | None = None


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Expansion).decode


class Expander:
    """Expands the VM templates of one environment."""

    def __init__(self, manifests: list[Data], conditions: Conditions, cache: Cache | None) -> None:
        """Raises ManifestError for what is wrong in the manifests."""
        self._cluster, self._cache = Cluster.under(manifests, conditions), cache
        self._inputs = None if cache is None else Inputs(manifests, self._cluster.conditions)

    def expansion(self, vm: Data, pods: str) -> Expansion | tuple[Reason, ...]:
        """Return the expansion of a VM, or why it is refused; `pods` is the form of golden Pods."""
        if self._cache is None or self._inputs is None:
            return _expand(vm, self._cluster, pods)
        inputs = self._inputs.of(namespace_of(vm), identities_of(vm))
        key = key_of(b"a golden test", pods.encode(), encoded(vm), inputs)
        cached = self._cache.recall(key, _decode)
        if cached is not None:
            return cached
        expansion = _expand(vm, self._cluster, pods)
        if isinstance(expansion, Expansion):
            self._cache.put(key, _encode(expansion))
            self._cache.save()
        return expansion


def _expand(vm: Data, cluster: Cluster, pods: str) -> Expansion | tuple[Reason, ...]:
    result = expand(vm, cluster)
    if not result.admitted:
        return result.reasons
    if pods == "none":
        return Expansion(result.domain_xml)
    error = result.pod_error
    return Expansion(result.domain_xml, _pod(result, pods), None if error is None else (error.field, error.message))


def _pod(result: Result, pods: str) -> str | None:
    if result.pod is None:
        return None
    return dump(result.pod if pods == "whole" else extract(result.pod))


def fault(root: Path, file: Path) -> str:
    """Return why a golden file is neither read nor written, "" when it is sound or does not exist."""
    if not file.is_relative_to(root) or ".." in file.parts:
        return "lies outside of pytest's root"
    if is_behind_link(root, file):
        return "is a symbolic link, or below one: golden files are not read or written through links"
    if not file.exists():
        return ""
    try:
        open_folder(str(file.parent)).read(file.name, GOLDEN_FILE_BYTES).decode()
    except SourceError as error:
        return error.message
    except UnicodeDecodeError:
        return "is no UTF-8"
    return ""


def is_behind_link(root: Path, path: Path) -> bool:
    """Whether a path below the root is a symbolic link, or leads through one."""
    below = path.relative_to(root).parts
    return any(root.joinpath(*below[:end]).is_symlink() for end in range(1, len(below) + 1))


_REFERENCES = (("instancetype", CLUSTER_INSTANCETYPE), ("preference", CLUSTER_PREFERENCE))


def crossed(template: VmTemplate, objects: Sequence[Data]) -> Iterator[VmTemplate]:
    """Yield the template itself, then one with every pair of what it is crossed with.

    `objects` are those that the template's environment deploys. A pair's key ends in its names, and a kind
    that is not crossed stays as the template has it. CatalogError for a glob that matches nothing.
    """
    yield template
    cross = template.cross
    if cross is None:
        return
    namespace = template.manifest["metadata"].get("namespace", "")
    choices = []
    for (part, usual), globs in zip(_REFERENCES, (cross.instancetypes, cross.preferences), strict=True):
        own = template.manifest["spec"].get(part)
        if not globs:
            choices.append([(part, own)])
            continue
        kind = (own or {}).get("kind") or usual
        names = [
            manifest["metadata"]["name"]
            for manifest in objects
            if manifest["kind"].lower() == kind.lower()
            and manifest["metadata"].get("namespace", namespace) == namespace
        ]
        for glob in globs:
            if not any(fnmatchcase(name, glob) for name in names):
                message = f"crosses {template.file} with {part}s {glob!r}, and no {kind} has such a name"
                raise CatalogError(Problem(file=template.source.file, field=part, message=message))
        chosen = [name for name in names if any(fnmatchcase(name, glob) for glob in globs)]
        choices.append([(part, {"kind": kind, "name": name}) for name in chosen])
    for instancetype in choices[0]:
        for preference in choices[1]:
            pair = dict((instancetype, preference))
            names = [pair[part]["name"] for part, _ in _REFERENCES if getattr(cross, f"{part}s")]
            yield replace(template, key=".".join([template.key, *names]), manifest=_with(template.manifest, pair))


def _with(manifest: Data, pair: dict[str, dict[str, str]]) -> Data:
    copy: Data = fresh(manifest)
    copy["spec"] |= {part: reference for part, reference in pair.items() if reference}
    return copy
