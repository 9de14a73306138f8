"""The transformers of a kustomization, in kustomize's order. Source: kusttarget_configplugin.go."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from virtcatalog.repositories.kustomize.budget import Budget
from virtcatalog.repositories.kustomize.config import Config, read_specs
from virtcatalog.repositories.kustomize.declared import Declared
from virtcatalog.repositories.kustomize.fieldspecs import ConflictError, FieldSpec, merge_specs
from virtcatalog.repositories.kustomize.files import Files
from virtcatalog.repositories.kustomize.images import set_image, set_replicas
from virtcatalog.repositories.kustomize.patches import Patching
from virtcatalog.repositories.kustomize.replacements import replace
from virtcatalog.repositories.kustomize.resource import Resource
from virtcatalog.repositories.kustomize.run import Run
from virtcatalog.repositories.kustomize.transformers import add_affix, add_pairs, set_namespace

_METADATA_LABELS = FieldSpec("metadata/labels", create=True)


def transform_all(
    declared: Declared,
    resources: list[Resource],
    config: Config,
    files: Files,
    run: Run,
    note: Callable[[str], None],
) -> None:
    """Apply the transformers of a kustomization to objects, in place; what fails is noted, and others go on.

    `note` is told what kustomize calls each of them, once it was applied.
    """
    naming, budget = run.naming, run.budget
    patching = Patching(files, resources, budget)

    def apply_items(key: str, apply: Callable[[Declared], Any], transformer: str = "") -> None:
        for item in run.items(declared, key):
            with naming(item):
                apply(item)
            if transformer:
                note(transformer)

    apply_items("patchesStrategicMerge", patching.strategic)
    if declared.data.get("patchesStrategicMerge"):
        note("PatchStrategicMergeTransformer")
    apply_items("patches", patching.patch, "PatchTransformer")
    with naming(declared):
        if namespace := declared.text("namespace"):
            set_namespace(declared.get("namespace"), namespace, resources, config.namespaces, budget)
            note("NamespaceTransformer")
    with naming(declared):
        if prefix := declared.text("namePrefix"):
            add_affix(declared.get("namePrefix"), prefix, "", resources, config.prefixes, budget)
            note("PrefixTransformer")
    with naming(declared):
        if suffix := declared.text("nameSuffix"):
            add_affix(declared.get("nameSuffix"), "", suffix, resources, config.suffixes, budget)
            note("SuffixTransformer")
    apply_items("labels", lambda item: _labels(item, resources, config, budget), "LabelTransformer")
    with naming(declared):
        add_pairs(declared.get("commonLabels"), declared.pairs("commonLabels"), resources, config.selectors, budget)
    if declared.data.get("labels") or declared.data.get("commonLabels"):  # one for these, even if there are none
        note("LabelTransformer")
    with naming(declared):
        annotations = declared.pairs("commonAnnotations")
        add_pairs(declared.get("commonAnnotations"), annotations, resources, config.annotations, budget)
    if declared.data.get("commonAnnotations"):
        note("AnnotationsTransformer")
    apply_items("patchesJson6902", patching.json6902, "PatchJson6902Transformer")
    apply_items(
        "replicas", lambda item: set_replicas(item, resources, config.replicas, budget), "ReplicaCountTransformer"
    )
    for key in ("images", "imageTags"):
        apply_items(key, lambda item: set_image(item, resources, config.images, budget), "ImageTagTransformer")
    apply_items("replacements", lambda item: apply_replacements(item, resources, files, budget))
    if declared.data.get("replacements"):
        note("ReplacementTransformer")


def _labels(declared: Declared, resources: list[Resource], config: Config, budget: Budget) -> None:
    """Apply an entry of `labels`."""
    declared.only("pairs", "includeSelectors", "includeTemplates", "fields")
    pairs = declared.pairs("pairs")
    try:
        specs = merge_specs(read_specs(declared, "fields"), config.labels)
        if declared.flag("includeSelectors"):
            specs = merge_specs(specs, config.selectors)
        else:
            templates = config.templates if declared.flag("includeTemplates") else ()
            specs = merge_specs(merge_specs(specs, templates), [_METADATA_LABELS])
    except ConflictError as error:
        raise declared.fault(str(error)) from None
    add_pairs(declared.get("pairs"), pairs, resources, specs, budget)


def apply_replacements(declared: Declared, resources: list[Resource], files: Files, budget: Budget) -> None:
    """Carry out an entry of `replacements`: a replacement, or a file of them. Raises ManifestError."""
    for replacement in _replacements(declared, files):
        replace(replacement, resources, budget)


def _replacements(declared: Declared, files: Files) -> Iterator[Declared]:
    path = declared.only("path", "source", "targets", "sourceValue").text("path")
    if not path:
        yield declared
        return
    if declared.data.get("source") is not None or declared.data.get("targets"):
        raise declared.fault("has a path, and a replacement beside it: it must be one of them")
    for document in files.documents(path, declared.get("path")):
        if isinstance(document.data, list):
            for index, item in enumerate(document.data):
                yield Declared(item, document.spot.within(index))
        elif isinstance(document.data, dict):
            yield document
        else:
            raise declared.fault(f"{path} holds no replacement", "path")
