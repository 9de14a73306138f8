"""What a Helm release deploys: its chart rendered, if that is in the repository and helm is at hand, else its values.

`Renderer(find_helm)` is made once for a run, so that both sides share its budget and what is rendered the same.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, NamedTuple

from virtcatalog.errors import Problem, listed
from virtcatalog.limits import CHARTS_SECONDS
from virtcatalog.manifests.document import Text
from virtcatalog.manifests.folder import Folder
from virtcatalog.manifests.identity import Data
from virtcatalog.manifests.merge import lay_over
from virtcatalog.manifests.read import Manifest
from virtcatalog.repositories.charts import CHART, VALUES, ChartError, Copy, write
from virtcatalog.repositories.documents import Documents, Opaque, document_of, joined, parts
from virtcatalog.repositories.helmprocess import HelmError, template
from virtcatalog.repositories.texts import Texts
from virtcatalog.repositories.values import Value, objects_in

_SOURCE: Final = re.compile(r"\A---\n# Source: [^/\n]*/([^\n]*)\n")
_RANDOM: Final = re.compile(rb"\b(?:rand\w+|uuidv4|gen\w+|now|ago|htpasswd|bcrypt|encryptAES|shuffle)\b")
OURS: Final = b"kubevirt.io"
"""What stands in every chart that makes objects of KubeVirt's."""
RANDOM: Final = "random"
"""What stands for a text that a chart makes anew each time that it is rendered."""


class Parameter(NamedTuple):
    """A value that is set by its path, as `--set` does, or as `--set-string` if it is `text`."""

    path: str
    value: str
    text: bool = False


class Release(NamedTuple):
    """A chart as it is deployed.

    `chart` is its folder, None for one that is not in the repository, which is called `chart_name`. `values` are laid
    over each other, the later over the earlier ones; the chart's own are not among them. `defaults` are values, too,
    which take the place of the chart's own if they say anything. `problem` places a sentence.
    """

    name: str
    namespace: str
    chart: Folder | None
    chart_name: str
    values: Sequence[Value]
    problem: Callable[[str], Problem]
    parameters: Sequence[Parameter] = ()
    defaults: Sequence[Value] = ()


class Charts:
    """Renders charts with the helm that `find` finds when it is wanted, "" for none, as long as there is time left."""

    def __init__(self, find: Callable[[], str] = str) -> None:
        self._find = find
        self._seconds: float = CHARTS_SECONDS
        self._rendered: dict[bytes, tuple[str, ...] | HelmError] = {}

    @cached_property
    def _program(self) -> str:
        return self._find()

    def documents(self, release: Release, label: str) -> Documents:
        """Return the objects of a release; `label` is what places call the folder of its chart."""
        why = self._obstacle(release)
        if not why and release.chart is not None:
            try:
                return self._rendering(release, release.chart, label)
            except (ChartError, HelmError) as error:
                why = str(error)
        problem = release.problem(f"the chart {release.chart_name} is not rendered: {why}")
        values = (*release.defaults, *release.values)
        in_values = objects_in(values) if values else Documents()
        opaque = (*opaque_of(release, problem), *in_values.opaque)
        return in_values._replace(unrendered=(problem, *in_values.unrendered), opaque=opaque)

    def _obstacle(self, release: Release) -> str:
        if release.chart is None:
            return "it is not in the repository"
        if not self._program:
            return "there is no helm in the PATH"
        return "the time for charts is used up" if self._seconds <= 0 else ""

    def _rendering(self, release: Release, chart: Folder, label: str) -> Documents:
        copy = Copy(chart)
        if defaults := _merged(release.defaults):
            copy.files[VALUES] = json.dumps(defaults).encode()
        layers, settings = _layers(release.values), _settings(release)
        key = _key(release.name, release.namespace, copy.files, layers, settings)
        if key not in self._rendered:
            try:
                self._rendered[key] = self._render(release, copy, layers, settings)
            except HelmError as error:
                self._rendered[key] = error
        rendered = self._rendered[key]
        if isinstance(rendered, HelmError):
            raise rendered
        first, *again = ([*_documents(text, chart, label)] for text in rendered)
        if again:
            first = [_settled_documents(*pair) for pair in zip(first, *again, strict=False)]
        documents = joined(first)
        if copy.missing:
            are = "is" if len(copy.missing) == 1 else "are"
            missing = f"the chart {release.chart_name} needs {listed(copy.missing)}, which {are} not in the repository"
            documents = documents._replace(unrendered=(release.problem(missing), *documents.unrendered))
        return documents

    def _render(
        self, release: Release, copy: Copy, layers: Sequence[bytes], settings: Sequence[str]
    ) -> tuple[str, ...]:
        """Return what helm prints, twice where what it prints may differ each time."""
        from tempfile import TemporaryDirectory

        with TemporaryDirectory(prefix="virtcatalog-chart-") as temporary:
            folder = Path(temporary)
            write(copy.files, folder / "chart")
            files = [folder / f"values-{number}.json" for number in range(len(layers))]
            for file, layer in zip(files, layers, strict=True):
                file.write_bytes(layer)
            may_differ = any(_RANDOM.search(content) for content in (*copy.files.values(), *layers))
            return tuple(self._timed(folder, release, files, settings) for _ in range(2 if may_differ else 1))

    def _timed(self, folder: Path, release: Release, files: Sequence[Path], settings: Sequence[str]) -> str:
        start = time.monotonic()
        try:
            printed = template(self._program, folder, release.name, release.namespace, files, settings)
        finally:
            self._seconds -= time.monotonic() - start
        return printed.decode(errors="replace")


class Renderer:
    """What the sides of a run share: charts, and the time that they may take, and texts that are parsed.

    Charts are rendered by the helm that `find_helm` finds, "" for none.
    """

    def __init__(self, find_helm: Callable[[], str] = str) -> None:
        self.charts, self.texts = Charts(find_helm), Texts()


def _merged(layers: Iterable[Value]) -> Data:
    """The data of values that are laid over each other, with what is null in them."""
    merged: Data = {}
    for layer in layers:
        merged = lay_over(merged, layer.data)
    return merged


def _layers(values: Iterable[Value]) -> list[bytes]:
    return [json.dumps(value.data).encode() for value in values]


def _settings(release: Release) -> list[str]:
    return [
        f"--set{'-string' if parameter.text else ''}={parameter.path}={parameter.value}"
        for parameter in release.parameters
    ]


def opaque_of(release: Release, problem: Problem) -> tuple[Opaque, ...]:
    """Return what is not known of VMs for want of a chart that is in the repository, or of its values."""
    if release.chart is None:
        return ()
    try:
        files = Copy(release.chart).files
    except ChartError as error:
        files = {"": f"{error} {OURS.decode()}".encode()}
    layers = _layers((*release.defaults, *release.values))
    if not any(OURS in content for content in (*files.values(), *layers)):
        return ()
    return (Opaque(problem, _key(release.name, release.namespace, files, layers, _settings(release))),)


def _key(
    name: str, namespace: str, files: Mapping[str, bytes], layers: Iterable[bytes], settings: Iterable[str]
) -> bytes:
    """All that a rendering depends on, as a digest."""
    digest = blake2b(digest_size=32)
    texts = (name.encode(), namespace.encode(), *(text.encode(errors="surrogatepass") for text in settings))
    for part in (
        *texts,
        b"/",
        *layers,
        b"/",
        *(part for path in sorted(files) for part in (path.encode(), files[path])),
    ):
        digest.update(len(part).to_bytes(8))
        digest.update(part)
    return digest.digest()


def _documents(printed: str, chart: Folder, label: str) -> Iterator[Documents]:
    """Yield what helm printed, a document each, with the template that it is of."""
    for part in parts(printed, ""):
        source = _SOURCE.match(str(part.text))
        path = source[1] if source and chart.has(source[1]) else CHART
        file = f"{label}/{path}"
        documents = document_of(part)
        yield Documents(
            tuple(Manifest(manifest.data, Text("", file), 0) for manifest in documents.manifests),
            problems=tuple(
                Problem(file=file, object=problem.object, message=f"renders what cannot be read: {problem.message}")
                for problem in documents.problems
            ),
        )


def _settled_documents(one: Documents, other: Documents) -> Documents:
    """Return what two renderings of a document have in common."""
    pairs = zip(one.manifests, other.manifests, strict=False)
    return one._replace(manifests=tuple(first.within(_settled(first.data, second.data), ()) for first, second in pairs))


def _settled(one: Any, other: Any) -> Any:
    """Return what two renderings have in common, with `RANDOM` where they differ."""
    if one == other:
        return one
    if isinstance(one, dict) and isinstance(other, dict):
        return {key: _settled(value, other.get(key)) for key, value in one.items()}
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return [*map(_settled, one, other)]
    if isinstance(one, str) and isinstance(other, str):
        lines = one.split("\n"), other.split("\n")
        if len(lines[0]) == len(lines[1]):
            return "\n".join(first if first == second else RANDOM for first, second in zip(*lines, strict=True))
    return RANDOM
