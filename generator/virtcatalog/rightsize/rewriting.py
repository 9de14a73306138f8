"""Instance types named anew in the files of VMs: every other byte stays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from virtcatalog.manifests.document import Text
from virtcatalog.manifests.edits import UnwritableError
from virtcatalog.manifests.identity import Data, full_name
from virtcatalog.manifests.rewrite import rewritten


def renamed(text: str, names: Mapping[str, str]) -> str:
    """Return a text in which VMs (`namespace/name`) name other types; UnwritableError if they do not stand there."""
    missing = set(names)
    documents: dict[int, list[Any]] = {}
    for index, document in Text(text).documents():
        changed = _changed(document, names, missing)
        if changed != document:
            documents[index] = [changed]
    if missing:
        raise UnwritableError(f"{min(missing)} does not stand there as it is")
    return rewritten(text, documents, {})


def _changed(document: Any, names: Mapping[str, str], missing: set[str]) -> Any:
    """A document with its VMs changed, lists taken apart; a VM that stands there twice is changed at both places."""
    if not isinstance(document, dict):
        return document
    if isinstance(document.get("items"), list):
        return {**document, "items": [_changed(item, names, missing) for item in document["items"]]}
    if document.get("kind") != "VirtualMachine" or (new := names.get(full_name(document))) is None:
        return document
    missing.discard(full_name(document))
    return sized(document, new)


def sized(vm: Data, name: str) -> Data:
    """Return a VM with an instance type of another name, and no stored revision of its old one."""
    matcher = {key: value for key, value in vm["spec"]["instancetype"].items() if key != "revisionName"}
    return {**vm, "spec": {**vm["spec"], "instancetype": {**matcher, "name": name}}}
