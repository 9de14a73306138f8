"""Objects that stand in a chart's values: `resources`, `extraObjects`, `rawResources`, whatever a chart calls them.

A chart that takes objects puts them into the cluster as they stand, so they can be found without the chart: a map, an
item of a list or a text with apiVersion, kind and metadata of a kind that VMs are or meet. Values are laid over each
other as Helm does: maps are merged, anything else is replaced, and `null` removes.

Source: helm, pkg/chartutil/coalesce.go (CoalesceTables); Flux, helm-controller's composed values.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from virtcatalog.api.findings import Path
from virtcatalog.api.kinds import holds_vm, may_matter
from virtcatalog.kubevirt.decoding import counts
from virtcatalog.limits import VALUES_WORK
from virtcatalog.manifests.document import Text
from virtcatalog.manifests.fields import get
from virtcatalog.manifests.identity import listed
from virtcatalog.manifests.read import Manifest, Part, unchecked
from virtcatalog.repositories.documents import Documents, Opaque, digest_of, document_of, documents_of, joined

_CONTENTS: Final = frozenset(("data", "stringData", "binaryData", "files"))
"""Keys of maps whose texts are files: what stands in one is no object."""


class Value(NamedTuple):
    """A value within a manifest: the path to it, and its data."""

    manifest: Manifest
    path: Path
    data: Any


class _Embedded(Manifest):
    """An object in a text whose lines are not those of the file: all its places are where the text stands."""

    __slots__ = ("_at", "_within")

    def __init__(self, data: Any, within: Manifest, at: Path) -> None:
        super().__init__(data, Text(""), 0)
        self._within, self._at = within, at

    @property
    def file(self) -> str:
        return self._within.file

    def within(self, data: Any, path: Path) -> Manifest:
        return _Embedded(data, self._within, self._at)

    def place(self, field: str | Path = "") -> tuple[int, int]:
        return self._within.place(self._at)


def values_at(manifest: Manifest, path: Path) -> Value | None:
    """Return the values at a path of a manifest, a map or a text with one or with nothing; None for anything else."""
    data = get(manifest.data, path)
    if isinstance(data, str):
        parts = manifest.parts(path, data) or [Part(data)]
        contents = map(unchecked, parts)
        documents, problems = next((content for content in contents if any(content)), ([], []))
        if not documents and not problems:
            return Value(manifest, path, {})
        if not documents or not isinstance(documents[0].data, dict):
            return None
        within = documents[0] if documents[0].file else _Embedded(documents[0].data, manifest, path)
        return Value(within, (), documents[0].data)
    return Value(manifest, path, data) if isinstance(data, dict) else None


def objects_in(values: Sequence[Value]) -> Documents:
    """Return the objects in values, of which the later are laid over the earlier ones."""
    finder = _Finder()
    return joined(finder.find(list(values)))


class _Finder:
    def __init__(self) -> None:
        self._left = VALUES_WORK

    def find(self, layers: list[Value]) -> Iterator[Documents]:
        """Yield what is in a value, which is laid over others: the last counts."""
        todo = [(layers, 0)]
        while todo:
            layers, content = todo.pop()  # how far down from here texts are files
            self._left -= 1
            if self._left < 0:
                manifest, path, _ = layers[-1]
                message = f"the values hold more than {VALUES_WORK} maps, lists and texts"
                yield Documents(problems=(manifest.problem(path, message),))
                return
            top = layers[-1]
            if isinstance(top.data, dict):
                objects = _object(layers)
                if objects is not None:
                    yield objects
                else:
                    entries = ((layer, 2 if key in _CONTENTS else content - 1) for key, layer in _entries(layers))
                    todo += reversed([*entries])
            elif isinstance(top.data, list):
                items = (Value(top.manifest, (*top.path, index), item) for index, item in enumerate(top.data))
                todo += reversed([([item], content - 1) for item in items])
            elif isinstance(top.data, str) and content <= 0 and "apiVersion" in top.data and "kind" in top.data:
                yield _ours(_in_text(top))


def _entries(layers: list[Value]) -> Iterator[tuple[str, list[Value]]]:
    """Yield the entries of maps that are laid over each other: those below something else do not count."""
    maps: list[Value] = []
    for layer in layers:
        maps = [*maps, layer] if isinstance(layer.data, dict) else []
    for key in dict.fromkeys(key for layer in maps for key in layer.data):
        below = [Value(layer.manifest, (*layer.path, key), layer.data[key]) for layer in maps if key in layer.data]
        if below[-1].data is not None:
            yield key, below


def merged(layers: Sequence[Value]) -> Any:
    """Return the data of values that are laid over each other."""
    if not isinstance(layers[-1].data, dict):
        return layers[-1].data
    return {key: merged(below) for key, below in _entries(list(layers))}


def _object(layers: list[Value]) -> Documents | None:
    """Return the objects that a map is; None for what is none, in which others may be."""
    data = merged(layers) if len(layers) > 1 else layers[0].data
    version, kind = data.get("apiVersion"), data.get("kind")
    if not (isinstance(version, str) and isinstance(kind, str)):
        return None
    top = layers[-1]
    manifest = top.manifest.within(data, top.path)
    items = listed(data)
    if items is not None:
        return _ours(Documents(tuple(manifest.within(item, ("items", at)) for at, item in enumerate(items))))
    if isinstance(data.get("metadata"), dict):
        return _ours(Documents((manifest,)))
    if holds_vm(data):
        problem = manifest.problem("", "stands in values without metadata: the chart that names it is not rendered")
        return Documents(unrendered=(problem,), opaque=(Opaque(problem, digest_of(data)),))
    return None


def _ours(documents: Documents) -> Documents:
    """Return no more than the objects that VMs are or meet."""
    ours = tuple(manifest for manifest in documents.manifests if counts(manifest.data) or may_matter(manifest.data))
    return documents._replace(manifests=ours, passed_over={})


def _in_text(value: Value) -> Documents:
    """Read the documents of a text: where its lines are those of the file, with their own places."""
    manifest, path, text = value
    parts = manifest.parts(path, text)
    if parts is not None:
        return joined(map(document_of, parts))
    documents = documents_of(text.encode(errors="surrogatepass"), manifest.file)
    return Documents(
        tuple(_Embedded(embedded.data, manifest, path) for embedded in documents.manifests),
        documents.passed_over,
        tuple(manifest.problem(path, problem.sentence) for problem in documents.unrendered),
        tuple(manifest.problem(path, problem.sentence) for problem in documents.problems),
        tuple(opaque._replace(problem=manifest.problem(path, opaque.problem.sentence)) for opaque in documents.opaque),
    )
