"""ConfigMaps and Secrets that a kustomization generates, and the hashes at the ends of their names.

Source: api/internal/generators, api/kv/kv.go, api/hasher/hasher.go.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from typing import Any, Final

from virtcatalog.api.govalues import json_text
from virtcatalog.errors import Problem
from virtcatalog.manifests.identity import Data
from virtcatalog.repositories.kustomize.budget import Budget
from virtcatalog.repositories.kustomize.declared import Declared, problem_at
from virtcatalog.repositories.kustomize.origins import Setting
from virtcatalog.repositories.kustomize.output import ORIGIN
from virtcatalog.repositories.kustomize.resource import Resource, pairs_of, text_of

Load = Callable[[str, Declared], bytes]
"""Reads a file that a field names."""

_SOURCES: Final = ("files", "literals", "envs", "env")
_OPTIONS: Final = ("labels", "annotations", "disableNameSuffixHash", "immutable")
_BASE64_LINE: Final = 70
_HASH_LETTERS: Final = str.maketrans("013ae", "ghkmt")


def generate(declared: Declared, options: Declared, kind: str, load: Load, budget: Budget) -> Resource:
    """Return the object of an entry of `configMapGenerator` or `secretGenerator`. Raises ManifestError."""
    secret = ("type",) if kind == "Secret" else ()
    declared.only("name", "namespace", "behavior", "options", *_SOURCES, *secret)
    if not declared.text("name"):
        raise declared.fault("needs a name")
    resource = Resource(
        {"apiVersion": "v1", "kind": kind, "metadata": {"name": declared.text("name")}},
        declared.spot,
        behaviour=declared.text("behavior"),
    )
    if namespace := declared.text("namespace"):
        resource.metadata["namespace"] = namespace
    if kind == "Secret":
        resource.data |= {"type": declared.text("type") or "Opaque", "data": {}}
    for key, content, place in _pairs(declared, load):
        budget.keys(1 + len(content) // 100)
        _put(resource, kind, key, content, place)
    _apply_options(resource, declared, options)
    return resource


def _pairs(declared: Declared, load: Load) -> Iterator[tuple[str, bytes, Declared]]:
    """The keys and contents of all sources, and where each is declared."""
    envs = [*declared.strings("envs"), *([(declared.text("env"), declared.get("env"))] if declared.text("env") else [])]
    for path, place in envs:
        for number, line in enumerate(load(path, place).split(b"\n")):
            pair = _of_line(line.removesuffix(b"\r"), number, path, place)
            if pair is not None:
                yield *pair, place
    for literal, place in declared.strings("literals"):
        key, equals, value = literal.partition("=")
        if not key or not equals:
            raise place.fault("must be KEY=VALUE")
        yield key, _unquoted(value).encode(errors="surrogatepass"), place
    for source, place in declared.strings("files"):
        key, equals, path = source.partition("=")
        if equals and (not key or not path or "=" in path):
            raise place.fault("must be a path, or KEY=PATH")
        yield (key if equals else key.rpartition("/")[2]), load(path if equals else key, place), place


def _of_line(line: bytes, number: int, path: str, place: Declared) -> tuple[str, bytes] | None:
    try:
        text = line.decode()
    except UnicodeDecodeError:
        raise place.fault(f"line {number + 1} of {path} is not UTF-8 text") from None
    if number == 0:
        text = text.removeprefix("\ufeff")
    text = text.lstrip()
    if not text or text.startswith("#"):
        return None
    key, _, value = text.partition("=")
    return (key, value.encode()) if key else None


def _unquoted(value: str) -> str:
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value


def _put(resource: Resource, kind: str, key: str, content: bytes, place: Declared) -> None:
    field, value = "data", ""
    if kind == "Secret":
        value = _base64(content)
    else:
        try:
            value = content.decode()
        except UnicodeDecodeError:
            field, value = "binaryData", _base64(content)
    if any(key in resource.data.get(other, {}) for other in ("data", "binaryData")):
        raise place.fault(f"gives the key {key} a second time")
    resource.data.setdefault(field, {})[key] = value
    resource.changes.append(Setting((field, key), place.spot))


def _base64(content: bytes) -> str:
    text = b64encode(content).decode()
    if len(text) < _BASE64_LINE:
        return text
    return "".join(f"{text[start : start + _BASE64_LINE]}\n" for start in range(0, len(text), _BASE64_LINE))


def _apply_options(resource: Resource, declared: Declared, shared: Declared) -> None:
    """Apply an entry's `options` and the kustomization's `generatorOptions`; its own labels win."""
    entries = [entry.only(*_OPTIONS) for entry in (shared, declared.get("options")) if entry.data is not None]
    for key in ("labels", "annotations"):
        for entry in entries:
            for name, value in entry.pairs(key).items():
                resource.metadata.setdefault(key, {})[name] = value
                resource.changes.append(Setting(("metadata", key, name), entry.spot.within(key, name), quoted=True))
    if any(entry.flag("immutable") for entry in entries):
        resource.data["immutable"] = True
    resource.hashed = not any(entry.flag("disableNameSuffixHash") for entry in entries)


def absorb(resource: Resource, old: Resource) -> None:
    """Give a generated object what it takes over of the one that it replaces or is merged into.

    Source: appendReplaceOrMerge in api/resmap/reswrangler.go.
    """
    for pairs, inherited, holder, key in (
        (pairs_of(resource.data, "labels"), pairs_of(old.data, "labels"), resource.metadata, "labels"),
        (pairs_of(resource.data, "annotations"), pairs_of(old.data, "annotations"), resource.metadata, "annotations"),
        *(
            (resource.data.get(field) or {}, old.data.get(field) or {}, resource.data, field)
            for field in ("data", "binaryData")
            if resource.behaviour == "merge"
        ),
    ):
        merged = {**({name: text_of(value) for name, value in inherited.items()} if inherited else {}), **pairs}
        if merged:
            holder[key] = merged
        else:
            holder.pop(key, None)
    resource.metadata["name"] = old.name
    if old.namespace:
        resource.metadata["namespace"] = old.namespace
    else:
        resource.metadata.pop("namespace", None)
    if resource.behaviour == "merge":
        resource.changes = [*old.changes, *resource.changes]
        resource.home = old.home
        if origin := pairs_of(old.data, "annotations").get(ORIGIN):
            resource.metadata["annotations"][ORIGIN] = origin
    resource.former, resource.prefixes, resource.suffixes = old.former, old.prefixes, old.suffixes
    resource.variables = old.variables
    resource.hashed = resource.hashed and old.hashed


def _hash_of(data: Data) -> str:
    kind = data.get("kind")
    hashed: dict[str, Any] = {"kind": kind, "name": "", "data": data.get("data", "")}
    if kind == "Secret":
        hashed["type"] = data.get("type", "")
        extra = "stringData"
    else:
        extra = "binaryData"
    if isinstance(data.get(extra), dict):
        hashed[extra] = data[extra]
    return sha256(json_text(hashed).encode(errors="surrogatepass")).hexdigest()[:10].translate(_HASH_LETTERS)


def add_hashes(resources: Sequence[Resource]) -> list[Problem]:
    """End the names of generated objects with their hashes; return what cannot be done."""
    unknown = []
    for resource in resources:
        if resource.hashed and resource.kind not in ("ConfigMap", "Secret"):
            message = f"{resource.title}: the hash of a generated object of that kind is not known here"
            unknown.append(problem_at(resource.home, message))
        elif resource.hashed:
            resource.remember()
            resource.metadata["name"] = f"{resource.name}-{_hash_of(resource.data)}"
            resource.changes.append(Setting(("metadata", "name"), resource.home))
    return unknown
