"""A fleet as `kubectl get` prints it: read in pieces, since one document may hold ten thousand VMs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from virtcatalog.api.kinds import holds_vm
from virtcatalog.manifests.blocks import read_block
from virtcatalog.manifests.document import Text
from virtcatalog.manifests.identity import Data, listed
from virtcatalog.manifests.read import read_manifests

_DOCUMENTS = re.compile(r"^---[ \t]*\n", re.MULTILINE)
_ITEMS = re.compile(r"^items:\n(?=- )", re.MULTILINE)
_BEHIND_ITEMS = re.compile(r"^(?![- \n])", re.MULTILINE)
_DEEPEST_LIST = 3
_METADATA = ("name", "generateName", "namespace", "labels", "annotations")
_STATUS = ("instancetypeRef", "preferenceRef")


def read_dump(content: bytes, file: str) -> list[Data]:
    """Return every manifest of a file, lists taken apart.

    VMs are not checked: what does not fit their API refuses them. Of what the cluster has written into them only the
    stored revisions are kept. ManifestError for what is no manifest.
    """
    try:
        text = content.decode().removeprefix("\ufeff")
    except UnicodeDecodeError:
        text = ""
    found: list[Data] = []
    for piece in _pieces(text):
        for manifest in _take_apart(piece):
            if not _is_manifest(manifest):
                found = []
                break
            found.append(_slim(manifest))
        else:
            continue
        break
    # Slower, but it reads whatever is a manifest, and knows the places of what is not.
    return found or [_slim(each.data) for each in read_manifests(content, file)]


def _pieces(text: str) -> Iterator[Any]:
    """Yield the data of the documents; of long lists, item by item."""
    if text.lstrip().startswith("{"):
        source = Text(text)
        documents = [data for _, data in source.documents()]
        yield from documents if not source.problems else [None]
        return
    for document in _DOCUMENTS.split(text):
        if not document.strip():
            continue
        items = _ITEMS.search(document)
        yield from (_data(document),) if items is None else _listed(document, items)


def _listed(document: str, items: re.Match[str]) -> Iterator[Any]:
    ends = _BEHIND_ITEMS.search(document, items.end())
    end = ends.start() if ends else len(document)
    around = _data(document[: items.start()] + document[end:])
    kind = around.get("kind") if isinstance(around, dict) else None
    if not isinstance(kind, str) or not kind.endswith("List") or "items" in around:
        yield _data(document)
        return
    named = {} if kind == "List" else {"apiVersion": around.get("apiVersion"), "kind": kind.removesuffix("List")}
    position = items.end()
    while position < end:
        following = document.find("\n- ", position, end)
        following = end if following < 0 else following + 1
        item = _data(document[position:following])
        if not isinstance(item, list) or len(item) != 1:
            yield None
            return
        yield {**named, **item[0]} if isinstance(item[0], dict) else item[0]
        position = following


def _data(text: str) -> Any:
    """The data of one document, None when it cannot be read."""
    data = read_block(text)
    if data is not ...:
        return data
    source = Text(text)
    documents = [data for _, data in source.documents()]
    return documents[0] if len(documents) == 1 and not source.problems else None


def _take_apart(data: Any, depth: int = 0) -> Iterable[Any]:
    items = listed(data) if depth <= _DEEPEST_LIST else None
    return [data] if items is None else (each for item in items for each in _take_apart(item, depth + 1))


def _slim(vm: Data) -> Data:
    """The VM without what bears on no domain: ten thousand of them are held at once."""
    if not holds_vm(vm):
        return vm
    status = vm.get("status")
    kept = {key: value for key, value in vm.items() if key != "status"}
    kept["metadata"] = {key: value for key, value in vm["metadata"].items() if key in _METADATA}
    if isinstance(status, dict):
        kept["status"] = {key: status[key] for key in _STATUS if key in status}
    return kept


def _is_manifest(data: Any) -> bool:
    if not isinstance(data, dict) or not isinstance(data.get("kind"), str):
        return False
    metadata = data.get("metadata")
    return isinstance(metadata, dict) and isinstance(metadata.get("name"), str)
