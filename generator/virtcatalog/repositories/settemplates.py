"""The templates of an ApplicationSet: its own, those of its generators, and where Applications of them have VMs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from virtcatalog.manifests.fields import map_at
from virtcatalog.manifests.merge import merge
from virtcatalog.repositories.deployers import Deployer
from virtcatalog.repositories.tree import Tree


def may_hold_vms(deployer: Deployer, tree: Tree) -> bool:
    """Return whether the folders that its templates name, as far as they name any, hold objects of KubeVirt's."""
    own = deployer.get("template", of=dict) or {}
    templates = (own, *(merge(own, own_template(generator)) for generator in deployer.items("generators")))
    starts = {start for template in templates for start in _starts(map_at(template, "spec"))}
    if "path" in deployer.text("templatePatch"):  # it may name any folder
        starts.add("")
    return tree.holds_ours(file for file in tree.files if any(file.startswith(start) for start in starts))


def _starts(spec: Mapping[str, Any]) -> Iterator[str]:
    """The paths of an Application's sources, up to the first parameter."""
    sources = spec.get("sources")
    for source in (spec.get("source"), *(sources if isinstance(sources, list) else ())):
        if isinstance(source, dict):
            yield str(source.get("path") or "").partition("{{")[0].strip("./")


def own_template(generator: Any) -> dict[str, Any]:
    """Return the template of a generator, which is laid over the ApplicationSet's."""
    values = generator.values() if isinstance(generator, dict) else ()
    templates = (value.get("template") for value in values if isinstance(value, dict))
    return _without_empty(next((template for template in templates if isinstance(template, dict)), {}))


def _without_empty(data: Mapping[str, Any]) -> dict[str, Any]:
    """Data without what says nothing: that is not laid over anything."""
    inner = {key: _without_empty(value) if isinstance(value, dict) else value for key, value in data.items()}
    return {key: value for key, value in inner.items() if value}
