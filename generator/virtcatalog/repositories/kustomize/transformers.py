"""Namespaces, prefixes, suffixes, labels and annotations.

Source: api/internal/builtins, api/filters/namespace, api/filters/labels, api/filters/annotations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Literal

from virtcatalog.api.findings import Path
from virtcatalog.api.values import describe
from virtcatalog.repositories.kustomize.budget import Budget
from virtcatalog.repositories.kustomize.config import Specs
from virtcatalog.repositories.kustomize.declared import Declared
from virtcatalog.repositories.kustomize.fieldspecs import FieldError, FieldSpec, change, selects
from virtcatalog.repositories.kustomize.origins import Setting
from virtcatalog.repositories.kustomize.resource import NO_NAMESPACE, Resource, Shared, follow_shared, namesake, text_of

#: Kinds whose names get no prefix and no suffix. Source: prefixFieldSpecsToSkip.
_UNNAMED: Final = (
    ("", "", "CustomResourceDefinition"),
    ("apiregistration.k8s.io", "", "APIService"),
    ("", "", "Namespace"),
)
_NAME: Final = "metadata/name"
_NAMESPACE: Final = FieldSpec("metadata/namespace", create=True)
_BINDINGS: Final = ("RoleBinding", "ClusterRoleBinding")

Subjects = Literal["defaultOnly", "none", "allServiceAccounts"]
"""Which subjects of role bindings get the namespace."""


def apply_specs(
    declared: Declared,
    resource: Resource,
    specs: Iterable[FieldSpec],
    convert: Callable[[Any], Any],
    empty: Callable[[], Any] | None,
) -> None:
    """Put what `convert` makes of them into the fields of an object. Raises ManifestError."""

    def put(holder: Any, key: Any, path: Path) -> None:
        if isinstance(holder[key], dict | list):
            raise FieldError(f"{key} must be a value, not {describe(holder[key])}")
        new = convert(holder[key])
        if new != holder[key]:
            resource.changes.append(Setting(path, declared.spot))
        holder[key] = new

    for spec in specs:
        if spec.applies(resource.current):
            change(declared, resource, spec, put, empty)


def set_namespace(
    declared: Declared,
    namespace: str,
    resources: Sequence[Resource],
    specs: Specs,
    budget: Budget,
    subjects: Subjects = "defaultOnly",
    *,
    unset_only: bool = False,
) -> None:
    """Put all objects but those of Kubernetes' cluster-wide kinds into a namespace. Raises ManifestError."""
    budget.objects(len(resources), len(namespace))

    def convert(old: Any) -> str:
        return text_of(old) if unset_only and text_of(old) else namespace

    rest = [spec for spec in specs if spec.path != _NAMESPACE.path]
    bound = [spec for spec in rest if not (spec.kind in _BINDINGS and spec.path == "subjects/namespace")]
    for resource in resources:
        resource.remember()
        if resource.current.namespace != NO_NAMESPACE:
            apply_specs(declared, resource, [_NAMESPACE], convert, str)
        if resource.kind in _BINDINGS and subjects != "none":
            _bind(declared, resource, convert, everyone=subjects == "allServiceAccounts")
        own = bound if resource.kind in _BINDINGS else rest
        is_core = resource.data.get("apiVersion") == "v1"
        apply_specs(declared, resource, [spec for spec in own if is_core or spec.path != _NAME], convert, str)
    if (second := namesake(resources)) is not None:
        raise declared.fault(f"makes two objects called {second.title} of two namespaces")


def _bind(declared: Declared, resource: Resource, convert: Callable[[Any], str], *, everyone: bool) -> None:
    subjects = resource.data.get("subjects")
    for index, subject in enumerate(subjects if isinstance(subjects, list) else ()):
        if not isinstance(subject, dict):
            raise declared.fault(f"subjects[{index}] must be a map, not {describe(subject)} ({resource.title})")
        if subject.get("kind") == "ServiceAccount" if everyone else subject.get("name") == "default":
            subject["namespace"] = convert(subject.get("namespace"))
            resource.changes.append(Setting(("subjects", index, "namespace"), declared.spot))


def add_affix(
    declared: Declared, prefix: str, suffix: str, resources: Sequence[Resource], specs: Specs, budget: Budget
) -> None:
    """Put a prefix or a suffix to names. Raises ManifestError."""
    budget.objects(len(resources), len(prefix) + len(suffix))
    for resource in resources:
        original = resource.original
        if not (prefix or suffix) or any(selects(kind, original) for kind in _UNNAMED):
            continue
        for spec in specs:
            if not spec.applies(original):
                continue
            if spec.path == _NAME:
                (resource.prefixes if prefix else resource.suffixes).append(prefix or suffix)
                resource.remember()
            apply_specs(declared, resource, [spec], lambda old: f"{prefix}{text_of(old)}{suffix}", None)


def add_pairs(
    declared: Declared, pairs: Mapping[str, str], resources: Sequence[Resource], specs: Specs, budget: Budget
) -> None:
    """Put labels or annotations into the maps that field specs lead to. Raises ManifestError."""
    for resource in resources if pairs else ():
        budget.keys(len(pairs) * (1 + len(specs)) + len(resource.data))
        identity = resource.current
        added: dict[str, list[Path]] = {}
        for spec in specs:
            if spec.applies(identity):
                change(declared, resource, spec, _pairs_setter(declared, pairs, resource, added), dict)
        follow_shared(resource)
        resource.shared += [Shared(key, pairs[key], tuple(maps)) for key, maps in added.items() if len(maps) > 1]


def _pairs_setter(
    declared: Declared, pairs: Mapping[str, str], resource: Resource, added: dict[str, list[Path]]
) -> Callable[[Any, Any, Path], None]:
    def put(holder: Any, key: Any, path: Path) -> None:
        if not isinstance(holder[key], dict):
            raise FieldError(f"{key} must be a map, not {describe(holder[key])}")
        for name in pairs.keys() - holder[key].keys():
            added.setdefault(name, []).append(path)
        holder[key] |= pairs
        resource.changes.extend(Setting((*path, name), declared.spot.within(name)) for name in pairs)

    return put
