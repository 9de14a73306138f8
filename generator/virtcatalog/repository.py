"""What a repository says once for all commands: `virtcatalog.toml`, or `[tool.virtcatalog]` in `pyproject.toml`.

It lies in the current folder, comes from whoever changed the repository, and says no more than the options do that
everybody may give: its paths stay within the folder, and options on the command line count before it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import PurePath
from types import MappingProxyType
from typing import Annotated, Any, Final, Literal, NamedTuple

import msgspec
from msgspec import Meta

from virtcatalog.errors import Level, ManifestError, Problem, Severity
from virtcatalog.limits import SETTINGS_FILE_BYTES, SETTINGS_KEY_PARTS
from virtcatalog.manifests.folder import SourceError
from virtcatalog.manifests.sources import open_folder

FILE: Final = "virtcatalog.toml"
PROJECT: Final = "pyproject.toml"
_TABLE: Final = ("tool", "virtcatalog")
_PART: Final = rb"""(?:[\w-]+|"[^"\n]*"|'[^'\n]*')"""
# As texts: each is compiled where it is used, and few repositories say anything.
_LONG_KEY: Final = rb"(?<![\w-])(?:%b[ \t]*\.[ \t]*){%d}" % (_PART, SETTINGS_KEY_PARTS)
_TOOL: Final = rb"""(?m)^[ \t]*\[[ \t]*["']?tool["']?[ \t]*\]"""
_LINE: Final = r"\(at (?:line (\d+), column (\d+)|end of document)\)"

_HEADER: Final = r"[ \t]*+\[++([^\]\n]*+)\]"
_ENTRY: Final = r"([ \t]*+)([^=#\n\[]++)="
_SHOWN: Final = 20  # of what is wrong, at most

FieldPath = tuple[str | int, ...]


def _says(description: str) -> Meta:
    return Meta(description=description)


class _Table(msgspec.Struct, rename="kebab", forbid_unknown_fields=True, kw_only=True, frozen=True):
    """A table; its keys are named as the options whose defaults they are."""


class CheckSettings(_Table, frozen=True):
    """The defaults of `virtcatalog check`."""

    fail_on: Annotated[Severity, _says("The least finding with exit status 1.")] = "warning"


class DiffSettings(_Table, frozen=True):
    """The defaults of `virtcatalog diff`."""

    fail_on: Annotated[Level, _says("The least that has exit status 1.")] = "any"
    comment_on: Annotated[Level | None, _says("The report is short when nothing is as grave as that.")] = None


class Settings(_Table, frozen=True):
    """The defaults of a repository."""

    catalog: Annotated[str, _says("The catalog's folder.")] = ""
    output_dir: Annotated[str, _says("The folder of the output tree.")] = ""
    cluster: Annotated[
        tuple[str, ...],
        _says("What is read beside -f: files and folders with objects of the cluster, such as the KubeVirt CR."),
    ] = ()
    environments: Annotated[
        tuple[str, ...], _says("The environments to look at, where a command would look at all of them.")
    ] = ()
    kubevirt: Annotated[
        str, _says("The KubeVirt release where neither overlays.yaml nor the KubeVirt CR says one.")
    ] = ""
    arch: Annotated[Literal["amd64", "arm64", "s390x"], _says("The architecture of VMs that name none.")] = "amd64"
    host: Annotated[str, _says("The nodes: a host profile's name, or its file.")] = ""
    check: Annotated[CheckSettings, _says("The defaults of `virtcatalog check`.")] = CheckSettings()
    diff: Annotated[DiffSettings, _says("The defaults of `virtcatalog diff`.")] = DiffSettings()


class Defaults(NamedTuple):
    """What a repository says, and where it says it: a problem without a message for each key that is written."""

    settings: Settings
    places: Mapping[FieldPath, Problem] = MappingProxyType({})


def defaults(folder: str = ".") -> Defaults:
    """Return what the repository says whose top is a folder; ManifestError carries everything that is wrong with it."""
    own, project = _read(folder, FILE), _read(folder, PROJECT) or b""
    tool = _table(PROJECT, project).get("tool") if _names_table(project) else None
    table = tool.get("virtcatalog") if isinstance(tool, dict) else None
    if table is None:
        return _defaults(_table(FILE, own), _Text(FILE, own, ()), folder) if own is not None else Defaults(Settings())
    text = _Text(PROJECT, project, _TABLE)
    if own is not None:
        raise ManifestError(text.problem((), f"{FILE} says the defaults, too: keep one of the two"))
    return _defaults(table, text, folder)


def _defaults(data: Any, text: _Text, folder: str) -> Defaults:
    return Defaults(_checked(data, text, folder), {path: text.problem(path, "") for path in _keys(data)})


def _keys(data: Mapping[str, Any], path: FieldPath = ()) -> Iterator[FieldPath]:
    for key, value in data.items():
        yield (*path, key)
        yield from _keys(value, (*path, key)) if isinstance(value, dict) else ()


def _read(folder: str, name: str) -> bytes | None:
    """The bytes of a file in a folder, None if it is not there; a link to elsewhere is no file of the repository's."""
    path = os.path.join(folder, name)  # noqa: PTH118 - this runs before every command
    if not os.path.lexists(path):
        return None
    try:
        if not _within(folder, name):
            raise SourceError("is a symbolic link that leads out of the folder")
        return open_folder(folder).read(name, SETTINGS_FILE_BYTES)
    except SourceError as error:
        raise ManifestError(Problem(file=name, message=error.message)) from None


def _names_table(project: bytes) -> bool:
    """Whether a pyproject.toml may have the table: it is named in one line, or below `[tool]`. Most need no reading."""
    lines = [line for line in project.splitlines() if b"virtcatalog" in line]
    return any(b"tool" in line for line in lines) or bool(lines and re.search(_TOOL, project))


def _table(file: str, content: bytes) -> dict[str, Any]:
    import tomllib

    match = re.search(_LONG_KEY, content)
    if match:
        line = content.count(b"\n", 0, match.start()) + 1
        message = f"a key has more than {SETTINGS_KEY_PARTS} parts"
        raise ManifestError(Problem(file=file, line=line, column=1, message=message))
    try:
        return tomllib.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise ManifestError(Problem(file=file, message="is no UTF-8")) from None
    except RecursionError:
        raise ManifestError(Problem(file=file, message="is nested too deeply")) from None
    except ValueError as error:
        text = str(error)
        at = re.search(_LINE, text)
        line, column = (int(at[1]), int(at[2])) if at and at[1] else (content.count(b"\n") + 1, 1)
        message = f"is no TOML: {re.sub(_LINE, '', text).strip()[:200]}"
        raise ManifestError(Problem(file=file, line=line, column=column, message=message)) from None


class _Text:
    """A TOML file and the table in it that is read: where its keys are."""

    def __init__(self, file: str, content: bytes, table: FieldPath) -> None:
        self._file, self._table = file, table
        self._places: dict[FieldPath, tuple[int, int]] = {(): (1, 1)}
        within: FieldPath = ()
        for number, line in enumerate(content.decode("utf-8-sig", "replace").split("\n"), 1):
            header, entry = re.match(_HEADER, line), re.match(_ENTRY, line)
            if header:
                within = _parts(header[1])
                self._places.setdefault(within, (number, 1))
            elif entry:
                keys = _parts(entry[2])
                for count in range(1, len(keys) + 1):
                    self._places.setdefault((*within, *keys[:count]), (number, len(entry[1]) + 1))

    def problem(self, path: FieldPath, message: str) -> Problem:
        """Return what is wrong with a key, where the line begins that gives it, or else the table that it is in."""
        from virtcatalog.api.findings import field_path

        key = (*self._table, *path)
        line, column = next(self._places[key[:end]] for end in range(len(key), -1, -1) if key[:end] in self._places)
        return Problem(file=self._file, line=line, column=column, field=field_path(key), message=message)


def _parts(key: str) -> FieldPath:
    return tuple(part.strip().strip("\"'") for part in key.split("."))


def _checked(data: Any, text: _Text, folder: str) -> Settings:
    from virtcatalog.api.findings import inspect

    _, findings = inspect(data, Settings)
    if findings:
        raise ManifestError(*(text.problem(path, message) for path, message in findings[:_SHOWN]))
    read = msgspec.convert(data, Settings)
    faults = [*_paths(read, folder), *_conditions(read)]
    if faults:
        raise ManifestError(*(text.problem(path, message) for path, message in faults[:_SHOWN]))
    return read


def _paths(read: Settings, folder: str) -> Iterator[tuple[FieldPath, str]]:
    """Yield the paths that would lead out of the folder, or into what is not for files of ours."""
    paths: list[tuple[FieldPath, str]] = [(("catalog",), read.catalog), (("output-dir",), read.output_dir)]
    # What is before an equals sign may say where the file is from.
    paths += [
        (("cluster", index), part)
        for index, path in enumerate(read.cluster)
        for part in dict.fromkeys((path, path.partition("=")[2] or path))
    ]
    paths += [(("host",), read.host)]
    for field, path in paths:
        if not path:
            continue
        if path == "-" or not path.isprintable():
            yield field, f"{path!r} is no path in the repository"
        elif not _within(folder, path):
            yield field, f"{path!r} leads out of the folder that {FILE} is in"
        elif any(part.startswith(".") for part in PurePath(path).parts):
            yield field, f"{path!r} is hidden: name a folder that does not begin with a dot"


def _conditions(read: Settings) -> Iterator[tuple[FieldPath, str]]:
    from virtcatalog.errors import UnsupportedError
    from virtcatalog.releases import find_release

    if read.kubevirt:
        try:
            find_release(read.kubevirt)
        except UnsupportedError as error:
            yield ("kubevirt",), error.message


def _within(folder: str, path: str) -> bool:
    """Whether a path, with all links followed, is the folder or below it."""
    if os.path.isabs(path) or ".." in PurePath(path).parts:  # noqa: PTH117
        return False
    root = os.path.realpath(folder)
    real = os.path.realpath(os.path.join(root, path))  # noqa: PTH118
    return real == root or real.startswith(root.rstrip("/") + "/")
