"""Values that mean something else than they seem to: `null`, empty strings, what Flux substitutes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from virtcatalog.api.findings import Path, field_path
from virtcatalog.api.kinds import kind_type
from virtcatalog.api.shape import List, Shape, Struct, struct_of
from virtcatalog.catalog.labels import FLUX_SUBSTITUTE
from virtcatalog.check.finding import Finding, Rule
from virtcatalog.check.subject import Inventory, Subject, VmCheck
from virtcatalog.fleet.inputs import encoded
from virtcatalog.manifests.identity import Data

NULL = Rule(
    "null-value",
    "warning",
    "A field of a manifest is `null`, which often stands for a forgotten `{}`.",
    "The API server drops the field: `pod:` with nothing after it asks for no pod network at all.",
    "Write `{}` where the field counts, or leave the field out.",
)
EMPTY = Rule(
    "empty-string",
    "warning",
    "A field is an empty string.",
    "For KubeVirt that is no value, or one that it refuses: the VM gets the default, or is not admitted.",
    "Give the field a value, or leave it out; in a fragment, `null` removes what a layer below set.",
)
FLUX = Rule(
    "flux-substitution",
    "warning",
    "A string holds `${...}`, which Flux replaces in what it applies.",
    "A Kustomization with `postBuild` puts its variables there, and nothing where it has none of that name: shell "
    "scripts in cloud-init lose their variables.",
    "Write `$name` or `$${name}` (Flux makes `${name}` of it), or give the object the annotation "
    "`kustomize.toolkit.fluxcd.io/substitute: disabled`, as `gitops: {flux: {}}` in `catalog.yaml` does.",
)
RULES = (NULL, EMPTY, FLUX)

# As Flux's envsubst takes it: a name, perhaps with a default or another operator; a second dollar escapes it.
_VARIABLE = re.compile(r"(?<!\$)\$\{[A-Za-z_]\w*([:=?+#%/^,@-][^}]*)?\}", re.ASCII)
_TIME = "creationTimestamp"
# Fields in which an empty string says something: no storage class at all, a toleration of every taint.
_EMPTY_COUNTS = frozenset(("storageClassName", "key", "value", "effect", "operator"))


def check(inventory: Inventory) -> Iterator[Finding]:
    """Check the values of every object but VMs."""
    for subject in (*inventory.objects, *inventory.companions):
        yield from _values(subject)


class Vms(VmCheck):
    """Checks VMs, and other objects that hold VMs."""

    def check(self, vm: Subject) -> Iterator[Finding]:
        """Check the values of one."""
        return _values(vm)


def _values(subject: Subject) -> Iterator[Finding]:
    """Check all but `status`, which the cluster writes. A search of the encoded text spares most objects the walk."""
    written = _without_status(subject.written or subject.manifest)
    text = encoded(written)
    if _has_null(text):
        for path, value in _leaves(written, ()):
            if value is None and path[-1:] != (_TIME,):  # the API server itself writes that so
                message = "is null, which the API server drops: write {} if it is meant, or leave it out"
                yield subject.finding(NULL, message, field_path(path))
    kind = kind_type(str(subject.manifest.get("apiVersion")), subject.kind) if b'""' in text else None
    fields = struct_of(kind).fields if kind is not None else {}
    if "spec" in fields:
        for path in _empty(subject.spec, fields["spec"].shape, ("spec",)):
            yield subject.finding(EMPTY, "is empty: give it a value or leave it out", field_path(path))
    if b"${" in text:
        yield from _substituted(subject)


def _without_status(manifest: Data) -> Data:
    return {key: value for key, value in manifest.items() if key != "status"}


def _has_null(text: bytes) -> bool:
    """Whether there may be a null beside those that the API server itself writes."""
    return text.count(b"null") > text.count(b'"%s":null' % _TIME.encode())


def _substituted(subject: Subject) -> Iterator[Finding]:
    if "disabled" in (subject.annotations.get(FLUX_SUBSTITUTE), subject.labels.get(FLUX_SUBSTITUTE)):
        return
    for path, text in _leaves(_without_status(subject.manifest), ()):
        if type(text) is not str or "${" not in text:
            continue
        # No variable ends after the last brace: without this bound, every start would search to the end of the text.
        match = _VARIABLE.search(text, 0, text.rfind("}") + 1)
        if match:
            message = f"Flux would replace {match[0]}: write ${match[0]}, or disable substitution for the object"
            yield subject.finding(FLUX, message, field_path(path))


def _empty(value: Any, shape: Shape, path: Path) -> Iterator[Path]:
    """The fields that are an empty string; values of maps such as labels may be empty."""
    if isinstance(shape, Struct) and isinstance(value, dict):
        fields = shape.fields
        for key, inner in value.items():
            if inner == "" and key not in _EMPTY_COUNTS:
                yield (*path, key)
            elif key in fields and isinstance(inner, (dict, list)):
                yield from _empty(inner, fields[key].shape, (*path, key))
    elif isinstance(shape, List) and isinstance(value, list):
        for index, item in enumerate(value):
            yield from _empty(item, shape.item, (*path, index))


def _leaves(value: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    """Yield the scalars of plain data with their paths."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaves(inner, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _leaves(item, (*path, index))
    else:
        yield path, value
