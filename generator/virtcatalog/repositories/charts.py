"""Charts of a repository, written to a folder of our own for helm: regular files alone, and no more than a budget.

helm follows links out of a chart, and loads what a schema of values refers to, files of the machine and pages of the
network alike: neither is written. Archives in `charts/` are unpacked here, so that helm unpacks none. Dependencies that
are not in the repository are left out of the copy, and named.

Source: helm, pkg/chart/loader (load.go, directory.go, archive.go), pkg/action/package.go (CheckDependencies).
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any, Final

from virtcatalog.errors import VirtcatalogError
from virtcatalog.limits import CHART_BYTES, CHART_FILES, CHART_LEVELS
from virtcatalog.manifests.document import Text
from virtcatalog.manifests.folder import Folder, SourceError, TooLargeError, parts_of

CHART: Final = "Chart.yaml"
"""The file of which a folder has one that is a Helm chart."""
REQUIREMENTS: Final = "requirements.yaml"
"""Where charts of apiVersion v1 have their dependencies."""
VALUES: Final = "values.yaml"
IGNORED: Final = ".helmignore"
#: What of a chart is written in another way, or not at all.
_OURS: Final = frozenset((CHART, REQUIREMENTS, "Chart.lock", "requirements.lock", "values.schema.json"))


class ChartError(VirtcatalogError):
    """A chart cannot be given to helm."""


Files = dict[str, bytes]
"""A chart's files by their paths, of which none leads out of it."""


class Copy:
    """What helm gets to see of a chart: `files`, and the names of dependencies that are `missing`."""

    def __init__(self, chart: Folder) -> None:
        self.missing: list[str] = []
        self._bytes, self._left = CHART_BYTES, CHART_FILES
        self.files: Files = dict(self._chart(chart, "", 0))

    def _chart(self, chart: Folder, prefix: str, depth: int) -> Iterator[tuple[str, bytes]]:
        files: Files = {}
        listing, faults = chart.listing()
        if faults:
            raise ChartError(f"{faults[0][0]}: {faults[0][1]}")
        for path in (*listing, *([IGNORED] if chart.has(IGNORED) else ())):
            try:
                files[path] = self._counted(chart.read(path, self._bytes))
            except SourceError as error:
                raise ChartError(f"{path}: {error.message}") from None
        yield from self._unpacked(files, chart, prefix, depth)

    def _unpacked(self, files: Files, chart: Folder | None, prefix: str, depth: int) -> Iterator[tuple[str, bytes]]:
        """Yield the files of a chart with its archives unpacked, and its dependencies as far as they are there."""
        if depth > CHART_LEVELS:
            raise ChartError(f"charts are nested more than {CHART_LEVELS} levels deep")
        below: dict[str, Files] = {}
        for path, content in files.items():
            folder, _, rest = path.removeprefix("charts/").partition("/")
            if path.startswith("charts/") and rest:
                below.setdefault(folder, {})[rest] = content
            elif path.startswith("charts/") and folder.endswith((".tgz", ".tar.gz")):
                for inner, unpacked in self._packed(content, path).items():
                    top, _, rest = inner.partition("/")
                    below.setdefault(top, {})[rest] = unpacked
            elif path not in _OURS:
                yield prefix + path, content
        for name, chart_files in below.items():
            vendored = chart.folder(f"charts/{name}") if chart is not None else None
            yield from self._unpacked(chart_files, vendored, f"{prefix}charts/{name}/", depth + 1)
        for declared in (CHART, REQUIREMENTS):
            if declared in files:
                data = _read(files[declared], declared)
                yield from self._dependencies(data, chart, prefix, {*below}, depth)
                yield prefix + declared, _written(data)

    def _dependencies(
        self, data: dict[str, Any], chart: Folder | None, prefix: str, present: set[str], depth: int
    ) -> Iterator[tuple[str, bytes]]:
        """Take dependencies from their folders in the repository; leave out of `data` those that are nowhere."""
        declared, rendered = data.get("dependencies"), []
        for dependency in declared if isinstance(declared, list) else ():
            if not isinstance(dependency, dict):
                raise ChartError(f"{CHART}: a dependency is no map")
            name, url = str(dependency.get("name")), str(dependency.get("repository") or "")
            below = _folder(chart, url) if name not in present else None
            if below is not None and "/" not in name and name not in (".", ".."):
                present.add(name)
                yield from self._chart(below, f"{prefix}charts/{name}/", depth + 1)
            if name in present:
                rendered.append(dependency)
            else:
                self.missing.append(f"{name} of {url}" if url else name)
        if isinstance(declared, list):
            data["dependencies"] = rendered

    def _packed(self, content: bytes, path: str) -> Files:
        import tarfile

        from virtcatalog.manifests.archive import unpacked

        try:
            plain = unpacked(content, self._bytes)
            files: Files = {}
            with tarfile.open(fileobj=BytesIO(plain), mode="r:") as archive:
                for member in archive:
                    if member.isreg() and (file := archive.extractfile(member)) is not None:
                        files["/".join(parts_of(member.name))] = self._counted(file.read())
        except TooLargeError:
            raise ChartError(_TOO_LARGE) from None
        except (zlib.error, tarfile.TarError, SourceError, ValueError, EOFError) as error:
            raise ChartError(f"{path} cannot be unpacked: {error}") from None
        return files

    def _counted(self, content: bytes) -> bytes:
        self._bytes -= len(content)
        self._left -= 1
        if self._bytes < 0 or self._left < 0:
            raise ChartError(_TOO_LARGE)
        return content


_TOO_LARGE: Final = f"with its dependencies it has more than {CHART_BYTES // 2**20} MiB or {CHART_FILES} files"


def write(files: Mapping[str, bytes], folder: Path) -> None:
    """Write a chart's files into a folder that nobody else has anything in; raises ChartError."""
    for path, content in files.items():
        parts = path.split("/")
        if not all(parts) or {".", ".."} & {*parts} or "\0" in path or any("\\" in part for part in parts):
            raise ChartError(f"{path!r} is no path within a chart")
        target = folder.joinpath(*parts)
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("xb") as file:
                file.write(content)
        except OSError as error:
            raise ChartError(f"{path!r} cannot be written: {error.strerror or error}") from None


def _folder(chart: Folder | None, url: str) -> Folder | None:
    """The folder that a dependency's `file://../other` names, if that is in the repository."""
    if chart is None or not url.startswith("file://"):
        return None
    try:
        folder = chart.folder(url.removeprefix("file://"))
    except SourceError:
        return None
    return folder if folder is not None and folder.has(CHART) else None


def _read(content: bytes, name: str) -> dict[str, Any]:
    text = Text(content, name)
    documents = [data for _, data in text.documents()]
    if text.problems:
        raise ChartError(str(text.problems[0]))
    if len(documents) != 1 or not isinstance(documents[0], dict):
        raise ChartError(f"{name} must be one map")
    data: dict[str, Any] = documents[0]
    return data


def _written(data: dict[str, Any]) -> bytes:
    from virtcatalog.escaping import as_json

    return as_json(data).encode()
