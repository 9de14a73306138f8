"""Files that declare one thing, such as prices, nodes or a mapping: read as its type, with all that is wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import msgspec

from virtcatalog.api.decode import convert
from virtcatalog.api.findings import Path, inspect
from virtcatalog.errors import ManifestError, Problem
from virtcatalog.limits import HOST_FILE_BYTES
from virtcatalog.manifests.document import Text
from virtcatalog.manifests.folder import SourceError
from virtcatalog.manifests.sources import read_file

T = TypeVar("T", bound=msgspec.Struct)
Faults = Iterable[tuple[Path, str]]


def load_document(file: str, kind: type[T], faults: Callable[[Any], Faults] = lambda _: ()) -> T:
    """Read a file as `kind`; ManifestError carries everything that is wrong with it.

    `faults` says what is, beyond the type, with data that fits it.
    """
    try:
        content = read_file(file, HOST_FILE_BYTES)
    except SourceError as error:
        raise ManifestError(Problem(file=file, message=error.message)) from None
    return read_document(content, file, kind, faults)


def read_document(text: str | bytes, file: str, kind: type[T], faults: Callable[[Any], Faults]) -> T:
    """Read a text, as `load_document` does a file."""
    source = Text(text, file)
    documents = list(source.documents())
    if source.problems:
        raise ManifestError(*source.problems)
    if len(documents) != 1:
        raise ManifestError(
            Problem(file=file, line=1, column=1, message=f"holds {len(documents)} documents, and one is wanted")
        )
    index, data = documents[0]
    tidied, findings = inspect(data, kind)
    findings = findings or list(faults(tidied))
    if findings:
        raise ManifestError(*(source.problem(index, path, message) for path, message in findings))
    return convert(tidied, kind)
