"""Names that refer to objects whose names have changed: they follow.

Source: api/internal/accumulator/namereferencetransformer.go, api/filters/nameref/nameref.go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any

from virtcatalog.api.findings import Path
from virtcatalog.api.values import describe
from virtcatalog.repositories.kustomize.budget import Budget
from virtcatalog.repositories.kustomize.config import Config, Target
from virtcatalog.repositories.kustomize.fieldspecs import FieldError, FieldSpec, selects, visit
from virtcatalog.repositories.kustomize.origins import Setting, spot_of
from virtcatalog.repositories.kustomize.resource import NO_NAMESPACE, Resource, text_of


def follow_names(resources: Iterable[Resource], config: Config, budget: Budget, fault: Callable[[str], None]) -> None:
    """Put the present names of objects wherever their former ones stand; `fault` is told what cannot be done."""
    listed = list(resources)
    renamed: dict[str, list[Resource]] = {}
    for resource in listed:
        for name in dict.fromkeys(identity.name for identity in resource.previous):
            renamed.setdefault(name, []).append(resource)
    if not any(name != resource.name for name, namesakes in renamed.items() for resource in namesakes):
        return
    former: dict[str, set[str]] = {}
    for resource in listed:
        former.setdefault(resource.current.namespace, set()).add(resource.original.namespace)
    by_kind: dict[str, list[tuple[Target, FieldSpec]]] = {}
    for target, specs in config.references.items():
        for spec in specs:
            by_kind.setdefault(spec.kind, []).append((target, spec))
    for resource in listed:
        original = resource.original
        for target, spec in (*by_kind.get(original.kind, ()), *by_kind.get("", ())):
            budget.keys(1)
            if spec.applies(original):
                try:
                    visit(resource.data, spec, _Referrer(resource, spec, target, renamed, former, budget).follow)
                except FieldError as error:
                    fault(f"{error} ({resource.title})")


class _Referrer:
    """An object that may refer to others in one field."""

    def __init__(
        self,
        resource: Resource,
        spec: FieldSpec,
        target: Target,
        renamed: dict[str, list[Resource]],
        former: dict[str, set[str]],
        budget: Budget,
    ) -> None:
        self._resource, self._spec, self._target = resource, spec, target
        self._renamed, self._budget = renamed, budget
        self._former = former

    @cached_property
    def _namespaces(self) -> set[str]:
        """The first namespaces of all objects that it may refer to."""
        own = self._resource.current.namespace
        visible = self._former if own == NO_NAMESPACE else {own, *_subject_namespaces(self._resource.data)}
        return {former for namespace in visible for former in self._former.get(namespace, ())}

    def follow(self, holder: Any, key: Any, path: Path) -> None:
        """Put the present name into a field: a name, a map with one, or a list of either."""
        value = holder[key]
        if isinstance(value, list):
            for index, item in enumerate(value):
                if isinstance(item, list):
                    raise FieldError(f"{self._spec.path} must hold names, not {describe(item)}")
                self.follow(value, index, (*path, index))
        elif isinstance(value, dict):
            self._map(value, path)
        elif value is not None:
            referral = self._referral(text_of(value), None, with_namespace=False)
            if referral is not None and referral.name != text_of(value):
                holder[key] = referral.name
                self._note(path, referral)

    def _map(self, value: dict[str, Any], path: Path) -> None:
        if "name" not in value:
            raise FieldError(f"{self._spec.path} must hold a name or a map with one")
        name = text_of(value["name"])
        referral = self._referral(name, value.get("namespace"), with_namespace=True)
        if referral is None or (referral.name == name and not referral.namespace):
            return
        value["name"] = referral.name
        self._note((*path, "name"), referral)
        if referral.namespace:
            value["namespace"] = referral.namespace
            self._note((*path, "namespace"), referral)

    def _note(self, path: Path, referral: Resource) -> None:
        """Note where the name comes from: from what gave it to the object that is referred to."""
        own = ("metadata", "namespace" if path[-1] == "namespace" else "name")
        self._resource.changes.append(Setting(path, spot_of(referral.home, referral.changes, own)))

    def _referral(self, name: str, namespace: Any, *, with_namespace: bool) -> Resource | None:
        candidates = [other for other in self._renamed.get(name, ()) if self._may_refer(other)]
        self._budget.keys(1 + len(self._renamed.get(name, ())))
        if namespace is not None:
            namespace_name = text_of(namespace)
            if namespace_name in self._namespaces:
                candidates = [other for other in candidates if other.original.namespace == namespace_name]
            else:
                candidates = [other for other in candidates if other.current.namespace == namespace_name]
        if len(candidates) > 1:
            candidates = [other for other in candidates if _same_names(other, self._resource, lenient=True)]
        if len(candidates) > 1:
            candidates = [other for other in candidates if _same_names(other, self._resource, lenient=False)]
        if len({(other.name, with_namespace and other.namespace) for other in candidates}) > 1:
            raise FieldError(f"{self._spec.path}: {name} may be any of {', '.join(c.title for c in candidates)}")
        return candidates[0] if candidates else None

    def _may_refer(self, other: Resource) -> bool:
        role = _role_of(self._resource.data) if self._spec.path.endswith("roleRef/name") else None
        targets = [self._target, *([role] if role is not None else [])]
        if not all(any(selects(kind, former) for former in other.previous) for kind in targets):
            return False
        own, theirs = self._resource.current.namespace, other.current.namespace
        if NO_NAMESPACE in (own, theirs) or own == theirs:
            return True
        return other.kind == "ServiceAccount" and other.namespace in _subject_namespaces(self._resource.data)


def _role_of(data: dict[str, Any]) -> Target | None:
    role = data.get("roleRef")
    if not isinstance(role, dict) or role.get("apiGroup") is None or role.get("kind") is None:
        return None
    return text_of(role["apiGroup"]), "", text_of(role["kind"])


def _subject_namespaces(data: dict[str, Any]) -> set[str]:
    """The namespaces of the ServiceAccounts that a RoleBinding names."""
    subjects = data.get("subjects") if data.get("kind") == "RoleBinding" else None
    return {
        text_of(subject.get("namespace"))
        for subject in (subjects if isinstance(subjects, list) else ())
        if isinstance(subject, dict) and subject.get("kind") == "ServiceAccount" and subject.get("namespace")
    }


def _same_names(one: Resource, other: Resource, *, lenient: bool) -> bool:
    """Whether two objects got the same prefixes and suffixes last. Source: Resource.PrefixesSuffixesEquals."""
    pairs = ((one.prefixes, other.prefixes), (one.suffixes, other.suffixes))
    return all((lenient and not (a and b)) or _same_end(a, b) for a, b in pairs)


def _same_end(one: list[str], other: list[str]) -> bool:
    short, long = sorted((one, other), key=len)
    return long[len(long) - len(short) :] == short if short else not long
