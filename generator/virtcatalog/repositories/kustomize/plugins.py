"""`generators`, `transformers` and `validators`: those that are built into kustomize.

Others are programs or containers; nothing is run here, so that they are named. Source: api/internal/builtins.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from virtcatalog.repositories.kustomize.budget import Budget
from virtcatalog.repositories.kustomize.config import read_specs
from virtcatalog.repositories.kustomize.declared import Declared
from virtcatalog.repositories.kustomize.files import Files
from virtcatalog.repositories.kustomize.generators import generate
from virtcatalog.repositories.kustomize.images import set_image, set_replicas
from virtcatalog.repositories.kustomize.patches import Patching
from virtcatalog.repositories.kustomize.resource import Resource
from virtcatalog.repositories.kustomize.steps import apply_replacements
from virtcatalog.repositories.kustomize.transformers import add_affix, add_pairs, set_namespace

_HEAD: Final = ("apiVersion", "kind", "metadata")
_SUBJECTS: Final = ("", "defaultOnly", "none", "allServiceAccounts")


class Scope(NamedTuple):
    """What a transformer works on: the objects, and the files of the folder."""

    resources: list[Resource]
    files: Files
    budget: Budget


def generator_of(plugin: Declared, files: Files, budget: Budget) -> Resource:
    """Return the object that a generator makes. Raises ManifestError."""
    kind = _builtin(plugin)
    if kind not in ("ConfigMapGenerator", "SecretGenerator"):
        raise plugin.unrendered(f"the generator {kind} is not run here", "kind")
    metadata = plugin.get("metadata").data or {}
    entry = {"name": metadata.get("name"), "namespace": metadata.get("namespace"), **_rest(plugin).data}
    declared = Declared({key: value for key, value in entry.items() if value is not None}, plugin.spot)
    nothing = plugin.get("generatorOptions")
    return generate(declared, nothing, kind.removesuffix("Generator"), files.content, budget)


def transform(plugin: Declared, scope: Scope) -> None:
    """Carry out a transformer on objects, in place. Raises ManifestError."""
    kind = _builtin(plugin)
    if kind not in _TRANSFORMERS:
        raise plugin.unrendered(f"the transformer {kind} is not run here", "kind")
    _TRANSFORMERS[kind](plugin, scope)


def _builtin(plugin: Declared) -> str:
    kind = plugin.text("kind")
    if plugin.text("apiVersion") != "builtin":
        raise plugin.unrendered(f"the plugin {kind} is a program or a container: nothing is run here", "kind")
    return kind


def _namespace(plugin: Declared, scope: Scope) -> None:
    plugin.only(*_HEAD, "fieldSpecs", "unsetOnly", "setRoleBindingSubjects")
    metadata = plugin.get("metadata")
    namespace = metadata.text("namespace")
    subjects: Any = plugin.text("setRoleBindingSubjects")
    if subjects not in _SUBJECTS:
        raise plugin.fault(f"must be one of {', '.join(_SUBJECTS[1:])}", "setRoleBindingSubjects")
    if namespace:
        specs = read_specs(plugin, "fieldSpecs")
        set_namespace(
            *(metadata.get("namespace"), namespace, scope.resources, specs, scope.budget, subjects or "defaultOnly"),
            unset_only=plugin.flag("unsetOnly"),
        )


def _affix(key: str) -> Callable[[Declared, Scope], None]:
    def apply(plugin: Declared, scope: Scope) -> None:
        plugin.only(*_HEAD, key, "fieldSpecs")
        if plugin.get("fieldSpecs").data is None:
            raise plugin.fault("needs `fieldSpecs`")
        prefix, suffix = (plugin.text(name) if name == key else "" for name in ("prefix", "suffix"))
        add_affix(plugin.get(key), prefix, suffix, scope.resources, read_specs(plugin, "fieldSpecs"), scope.budget)

    return apply


def _pairs(key: str) -> Callable[[Declared, Scope], None]:
    def apply(plugin: Declared, scope: Scope) -> None:
        plugin.only(*_HEAD, key, "fieldSpecs")
        add_pairs(plugin.get(key), plugin.pairs(key), scope.resources, read_specs(plugin, "fieldSpecs"), scope.budget)

    return apply


def _patch(plugin: Declared, scope: Scope) -> None:
    Patching(scope.files, scope.resources, scope.budget).patch(_rest(plugin))


def _json6902(plugin: Declared, scope: Scope) -> None:
    plugin.only(*_HEAD, "target", "path", "jsonOp")
    entry = {key: plugin.data[key] for key in ("target", "path") if key in plugin.data}
    if plugin.text("jsonOp"):
        entry["patch"] = plugin.text("jsonOp")
    Patching(scope.files, scope.resources, scope.budget).json6902(Declared(entry, plugin.spot))


def _strategic(plugin: Declared, scope: Scope) -> None:
    plugin.only(*_HEAD, "paths", "patches")
    patching = Patching(scope.files, scope.resources, scope.budget)
    for path in plugin.items("paths"):
        patching.strategic(path)
    if plugin.text("patches"):
        patching.strategic(plugin.get("patches"))


def _image(plugin: Declared, scope: Scope) -> None:
    plugin.only(*_HEAD, "imageTag", "fieldSpecs")
    set_image(plugin.get("imageTag"), scope.resources, read_specs(plugin, "fieldSpecs"), scope.budget)


def _replicas(plugin: Declared, scope: Scope) -> None:
    plugin.only(*_HEAD, "replica", "fieldSpecs")
    set_replicas(plugin.get("replica"), scope.resources, read_specs(plugin, "fieldSpecs"), scope.budget)


def _replacement(plugin: Declared, scope: Scope) -> None:
    plugin.only(*_HEAD, "replacements")
    for entry in plugin.items("replacements"):
        apply_replacements(entry, scope.resources, scope.files, scope.budget)


def _rest(plugin: Declared) -> Declared:
    """A plugin without what every object has."""
    return Declared({key: value for key, value in plugin.data.items() if key not in _HEAD}, plugin.spot)


_TRANSFORMERS: Final[dict[str, Callable[[Declared, Scope], None]]] = {
    "NamespaceTransformer": _namespace,
    "PrefixTransformer": _affix("prefix"),
    "SuffixTransformer": _affix("suffix"),
    "LabelTransformer": _pairs("labels"),
    "AnnotationsTransformer": _pairs("annotations"),
    "PatchTransformer": _patch,
    "PatchJson6902Transformer": _json6902,
    "PatchStrategicMergeTransformer": _strategic,
    "ImageTagTransformer": _image,
    "ReplicaCountTransformer": _replicas,
    "ReplacementTransformer": _replacement,
}
