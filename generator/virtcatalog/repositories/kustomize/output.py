"""What kustomize does to all objects in the end: their order, and what `buildMetadata` says of them.

Source: api/krusty/kustomizer.go, api/internal/builtins/SortOrderTransformer.go, api/resource/origin.go.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from virtcatalog.errors import some
from virtcatalog.repositories.kustomize.declared import Declared
from virtcatalog.repositories.kustomize.resource import Resource, metadata_of, pairs_of, text_of
from virtcatalog.repositories.kustomize.run import Run

_FIRST: Final = (
    *("Namespace", "ResourceQuota", "StorageClass", "CustomResourceDefinition", "ServiceAccount", "PodSecurityPolicy"),
    *("Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding", "ConfigMap", "Secret", "Endpoints", "Service"),
    *("LimitRange", "PriorityClass", "PersistentVolume", "PersistentVolumeClaim", "Deployment", "StatefulSet"),
    *("CronJob", "PodDisruptionBudget"),
)
_LAST: Final = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
ORIGIN: Final = "config.kubernetes.io/origin"
_TRANSFORMATIONS: Final = "alpha.config.kubernetes.io/transformations"
_ANNOTATIONS: Final = {"originAnnotations": ORIGIN, "transformerAnnotations": _TRANSFORMATIONS}
_ADDED: Final = (*_ANNOTATIONS, "managedByLabel")
_PLAIN: Final = re.compile(r"[\w.][\w./-]*\.(?:ya?ml|json)|(?:[\w.][\w./-]*/)?Kustomization")
"""A path that YAML writes without quotes."""


def check_output(declared: Declared) -> None:
    """Refuse what kustomize refuses in any kustomization, of the root or not. Raises ManifestError."""
    for name, item in declared.strings("buildMetadata"):
        if name not in _ADDED:
            raise item.fault("is nothing that kustomize adds")
    _legacy(_sort_options(declared))


def finish(declared: Declared, resources: Sequence[Resource], run: Run) -> list[Resource]:
    """Return the objects of the root in the order that it asks for, with the metadata that it asks for."""
    for resource in resources:
        annotations = pairs_of(resource.data, "annotations")
        for key in annotations.keys() & {key for name, key in _ANNOTATIONS.items() if name not in run.metadata}:
            del annotations[key]
        if metadata_of(resource.data).get("annotations", True) == {}:
            del resource.metadata["annotations"]
    with run.naming(declared):
        for name, item in declared.strings("buildMetadata"):
            with run.naming(item):
                _name_unrendered(name, item, resources, run)
    with run.naming(declared):
        return _ordered(_sort_options(declared), resources)
    return list(resources)


def build_metadata(declared: Declared) -> frozenset[str]:
    """Return what a kustomization has in `buildMetadata`."""
    names = declared.data.get("buildMetadata")
    return frozenset(name for name in names if isinstance(name, str)) if isinstance(names, list) else frozenset()


def annotate(resource: Resource, run: Run, path: str, generator: str = "") -> None:
    """Say of an object which file it is from, by its path from the root, or whose `generator` makes it.

    Nothing where the root asks for no metadata. Patches may change that, as all annotations.
    """
    if not _PLAIN.fullmatch(path):
        return
    text = _configured(path, generator) if generator else f"path: {path}\n"
    annotations = pairs_of(resource.data, "annotations")
    if run.metadata and not (generator and ORIGIN in annotations):
        resource.metadata["annotations"] = {**annotations, ORIGIN: text}


def transformed(resources: Sequence[Resource], run: Run, path: str, transformer: str) -> None:
    """Say of objects that a transformer was applied which the kustomization at a path from the root has.

    Source: AddTransformerAnnotation in api/resmap/reswrangler.go: one without an origin is taken for the transformer's.
    """
    if not run.metadata:
        return
    if not _PLAIN.fullmatch(path):
        run.nameless.append(transformer)
        return
    text = _configured(path, transformer)
    item = f"- {text.rstrip()}".replace("\n", "\n  ") + "\n"
    for resource in resources:
        annotations = pairs_of(resource.data, "annotations")
        key, before = (_TRANSFORMATIONS, annotations.get(_TRANSFORMATIONS)) if ORIGIN in annotations else (ORIGIN, None)
        record = text_of(before) + item if key == _TRANSFORMATIONS else text
        run.budget.keys(len(record))
        resource.metadata["annotations"] = {**annotations, key: record}


def _configured(path: str, plugin: str) -> str:
    return f"configuredIn: {path}\nconfiguredBy:\n  apiVersion: builtin\n  kind: {plugin}\n"


def _name_unrendered(name: str, item: Declared, resources: Sequence[Resource], run: Run) -> None:
    """Say what of `buildMetadata` is not rendered. Raises ManifestError."""
    if name == "transformerAnnotations" and run.nameless:
        raise item.unrendered(f"the annotation {_TRANSFORMATIONS} lacks {some(run.nameless, 3)}")
    if name == "managedByLabel":
        raise item.unrendered(
            "the label app.kubernetes.io/managed-by is not rendered: it has the version of your kustomize"
        )
    missing = [resource.title for resource in resources if ORIGIN not in pairs_of(resource.data, "annotations")]
    if name == "originAnnotations" and missing:
        raise item.unrendered(f"the annotation {ORIGIN} of {some(missing, 3)} is not rendered")


def _sort_options(declared: Declared) -> Declared | None:
    options = declared.get("sortOptions")
    return options.only("order", "legacySortOptions") if options.data is not None else None


def _legacy(options: Declared | None) -> tuple[list[str], list[str]] | None:
    """The kinds that come first and last; None where nothing says so. Raises ManifestError."""
    if options is None or options.data.get("legacySortOptions") is None:
        return None
    legacy = options.get("legacySortOptions").only("orderFirst", "orderLast")
    first, last = ([kind for kind, _ in legacy.strings(key)] for key in ("orderFirst", "orderLast"))
    return first, last


def _ordered(options: Declared | None, resources: Sequence[Resource]) -> list[Resource]:
    if options is None:
        return list(resources)
    order, kinds = options.text("order"), _legacy(options)
    if order not in ("fifo", "legacy"):
        raise options.fault("must be fifo or legacy", "order")
    if order == "fifo":
        if kinds is not None:
            raise options.fault("is for the order legacy, and the order is fifo", "legacySortOptions")
        return list(resources)
    ranks = dict(_ranks(*(kinds or (_FIRST, _LAST))))

    def key(resource: Resource) -> tuple[int, str, str]:
        (group, version), kind = resource.group_version, resource.kind
        rank = ranks.get(kind, 0)
        is_namespace = bool(rank) and kind == "Namespace" and not group  # before Namespaces of other groups
        names = f"{resource.namespace or '~X'}|{resource.name or '~N'}"
        return rank, "" if is_namespace else f"{group or '~G'}_{version or '~V'}_{kind or '~K'}", names

    return sorted(resources, key=key)


def _ranks(first: Sequence[str], last: Sequence[str]) -> Iterator[tuple[str, int]]:
    """The kinds with their ranks; those that have none are of rank 0."""
    yield from ((kind, number - len(first)) for number, kind in enumerate(first))
    yield from ((kind, number + 1) for number, kind in enumerate(last))
