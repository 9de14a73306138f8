"""`replacements`: a value of one object, put into fields of others. Source: api/filters/replacement/replacement.go."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from operator import getitem
from typing import Any

from virtcatalog.api.findings import Path
from virtcatalog.errors import counted
from virtcatalog.manifests.merge import fresh
from virtcatalog.repositories.kustomize.budget import Budget
from virtcatalog.repositories.kustomize.declared import Declared, problem_at
from virtcatalog.repositories.kustomize.lookup import Matcher, PathError, StructuredError, look_up, split_field
from virtcatalog.repositories.kustomize.origins import Setting
from virtcatalog.repositories.kustomize.resource import Id, Resource, Unfit, follow_shared, text_of
from virtcatalog.repositories.kustomize.scalars import resolved
from virtcatalog.repositories.kustomize.selectors import Selector, SelectorError

_SELECTION = ("group", "version", "kind", "name", "namespace")
_OPTIONS = ("delimiter", "index", "encoding", "create")


def replace(declared: Declared, resources: Sequence[Resource], budget: Budget) -> None:
    """Carry out one replacement. Raises ManifestError."""
    declared.only("source", "targets", "sourceValue")
    source, literal = declared.get("source"), declared.get("sourceValue")
    if (source.data is None) == (literal.data is None):
        raise declared.fault("needs `source` or `sourceValue`, one of them")
    if not declared.get("targets").data:
        raise declared.fault("needs `targets`")
    text = declared.text("sourceValue")
    value = (lambda: text) if source.data is None else _source(source, resources, budget)
    for target in declared.items("targets"):
        _Target(target.only("select", "reject", "fieldPaths", "options"), value, budget).apply(resources)


def _ids(resource: Resource) -> list[Id]:
    """The present and former ids; in the present one there may be no namespace. Source: utils.MakeResIds."""
    return [resource.current._replace(namespace=resource.namespace), *resource.previous]


def _source(declared: Declared, resources: Sequence[Resource], budget: Budget) -> Callable[[], Any]:
    """Return what gives the value: it is read anew for each field, one of which may be where it is from."""
    declared.only(*_SELECTION, "fieldPath", "options")
    selection = {key: text for key in _SELECTION if (text := declared.text(key))}
    budget.objects(len(resources))
    chosen = [
        resource for resource in resources if any(_is_selected(selection, identity) for identity in _ids(resource))
    ]
    if len(chosen) != 1:
        raise declared.fault(f"selects {len(chosen) or 'no'} objects: it must be one")
    field = declared.text("fieldPath") or "metadata.name"
    try:
        value, path = look_up(chosen[0].data, split_field(field))
    except PathError as error:
        raise declared.fault(f"{field}: {error} ({chosen[0].title})", "fieldPath") from None
    if value in (None, "", [], {}):
        raise declared.fault(f"there is nothing at {field} ({chosen[0].title})", "fieldPath")
    options = declared.get("options")
    if options.data is not None and options.only(*_OPTIONS).text("delimiter"):
        part = _part(options, value)
        return lambda: part
    holder: Any = reduce(getitem, path[:-1], chosen[0].data)  # type: ignore[arg-type]
    return lambda: holder[path[-1]]


def _is_selected(selection: dict[str, str], identity: Id) -> bool:
    own = identity._asdict() | {"namespace": identity.namespace or "default"}
    return all(own[key] == text for key, text in selection.items())


def _part(options: Declared, value: Any) -> str:
    """The part of a text that options name."""
    if isinstance(value, dict | list):
        raise options.fault("a delimiter needs a text", "delimiter")
    parts = _text(value, options).split(options.text("delimiter"))
    index = options.number("index")
    if not 0 <= index < len(parts):
        raise options.fault(f"the value has {counted(len(parts), 'part')}, numbered from 0", "index")
    return parts[index]


def _text(value: Any, place: Declared) -> str:
    if isinstance(value, float):
        raise place.unrendered("takes a fraction as text, and how it was written is not known here")
    return text_of(value)


class _Target:
    """The fields that get the value."""

    def __init__(self, declared: Declared, value: Callable[[], Any], budget: Budget) -> None:
        self._declared, self._value, self._budget = declared, value, budget
        self._options = declared.get("options")
        if self._options.data is not None:
            self._options.only(*_OPTIONS)
        if declared.get("select").data is None:
            raise declared.fault("needs `select`")
        self._select = self._selector(declared.get("select"))
        self._rejects = [self._selector(reject) for reject in declared.items("reject")]

    def _selector(self, declared: Declared) -> Selector:
        try:
            return Selector(declared.only(*_SELECTION, "labelSelector", "annotationSelector").data, self._budget)
        except SelectorError as error:
            raise declared.fault(str(error)) from None

    def apply(self, resources: Sequence[Resource]) -> None:
        fields = list(self._declared.strings("fieldPaths")) or [("metadata.name", self._declared)]
        for resource in resources:
            ids = _ids(resource)
            if not self._select.matches_labels(resource.data):
                continue
            if any(reject.has_labels and reject.matches_labels(resource.data) for reject in self._rejects):
                continue
            if any(reject.has_names and any(map(reject.matches_id, ids)) for reject in self._rejects):
                continue
            if any(map(self._select.matches_id, ids)):
                for field, place in fields:
                    self._put(resource, field, place)

    def _put(self, resource: Resource, field: str, place: Declared) -> None:
        create = self._options.data is not None and self._options.flag("create")
        matcher = Matcher(split_field(field), self._budget, self._new if create else None)
        try:
            places = matcher.matches(resource.data)
        except PathError as error:
            raise place.fault(f"{error} ({resource.title})") from None
        except StructuredError as error:
            raise place.unrendered(f"{error}: that is not built here ({resource.title})") from None
        if not places:
            raise place.fault(f"there is no field {field} to put it into ({resource.title})")
        resource.untyped.update(matcher.created)
        for holder, key, path in places:
            holder[key] = self._changed(holder[key], place, resource, path)
            follow_shared(resource)
            resource.changes.append(Setting(path, place.spot))

    def _new(self) -> Any:
        value = self._value()
        return {} if isinstance(value, dict) else [] if isinstance(value, list) else ""

    def _changed(self, old: Any, place: Declared, resource: Resource, path: Path) -> Any:
        value = self._value()
        delimiter = self._options.text("delimiter") if self._options.data is not None else ""
        if delimiter:
            if isinstance(old, dict | list):
                raise self._options.fault("a delimiter needs a text", "delimiter")
            parts = _text(old, place).split(delimiter)
            index, text = self._options.number("index"), _text(value, place)
            if index < 0:
                parts.insert(0, text)
            elif index >= len(parts):
                parts.append(text)
            else:
                parts[index] = text
            value = delimiter.join(parts)
        if isinstance(value, dict | list) or isinstance(old, dict | list):
            self._budget.copy(value)
            if not isinstance(old, dict | list):
                raise place.unrendered("puts a map or list where there is a value: that is not built here")
            return fresh(value)
        return _typed(_text(value, place), old, place, resource, path)


def _typed(text: str, old: Any, place: Declared, resource: Resource, path: Path) -> Any:
    """A text in place of a value, whose type stays; a new field takes the type that the text has in YAML."""
    value = resolved(text)
    if path in resource.untyped or old is None:
        return value
    unfit = resource.unfit.pop(path, None)
    is_bool = unfit.is_bool if unfit is not None else isinstance(old, bool)
    if unfit is None and isinstance(old, str):
        return text
    if isinstance(value, bool) == is_bool and isinstance(value, int | float):
        return value
    noun = "boolean" if is_bool else "number"
    message = f"puts {text!r} where a {noun} stands ({resource.title})"
    resource.unfit[path] = Unfit(is_bool, problem_at(place.spot, message))
    return text
