"""The files of a repository as manifests: what is no Kubernetes object is passed over and counted, never silently.

`manifests.read` reads what a user names, and refuses what it cannot read. A repository holds much that nobody asked
about: workflows, charts' templates, values, encrypted files. Here each document is taken by itself. What is none of
KubeVirt's is counted by what it is; one of KubeVirt's that cannot be read is a problem with its place, and a template
of one is named as not rendered. Whether an object is what its kind's API says is looked at when it is known what is
deployed: `placeholders`.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from typing import Any, Final, NamedTuple

from virtcatalog.api.kinds import HOLDERS, KINDS, RETIRED
from virtcatalog.errors import Problem, counted
from virtcatalog.limits import REPOSITORY_FILE_BYTES
from virtcatalog.manifests.folder import Folder, SourceError, TooLargeError
from virtcatalog.manifests.identity import Identity, identity
from virtcatalog.manifests.places import Mark, mark_behind
from virtcatalog.manifests.read import Manifest, Part, unchecked
from virtcatalog.repositories.texts import Texts

# What is passed over, as it is counted.
OTHER: Final = "other YAML or JSON document"
UNREADABLE: Final = "unreadable document"
TEMPLATE: Final = "template"
ENCRYPTED: Final = "encrypted object"
NAMELESS: Final = "nameless object"
NOT_TEXT: Final = "non-UTF-8 file"
OVERSIZED: Final = "oversized file"

GROUPS: Final = frozenset(version.rpartition("/")[0] for version in (*KINDS, *(version for version, _ in RETIRED))) - {
    "",
    "apps",
}
"""The API groups of KubeVirt's kinds: an object of one is never passed over."""

DEPLOYERS: Final = {
    "Kustomization": "kustomize.toolkit.fluxcd.io",
    "HelmRelease": "helm.toolkit.fluxcd.io",
    "Application": "argoproj.io",
    "ApplicationSet": "argoproj.io",
}
"""The kinds that deploy something, with the API group of each: others have kinds of these names, too."""

#: Directives before it are no part of the document in front of them; more of them than YAML has are none.
_SEPARATOR: Final = re.compile(r"^(?:%[^\n]*\n){0,8}(?P<start>---)(?=\s|\Z)", re.MULTILINE)
_GROUP: Final = "|".join(map(re.escape, sorted(GROUPS)))
_OURS: Final = re.compile(
    rf"""(?:^|[{{,])[ \t]*(?:-[ \t]+)*["']?apiVersion["']?[ \t]*:[ \t]*["']?(?:{_GROUP})\b""", re.MULTILINE
)
#: An object that deploys something has a line of each.
_DEPLOYS: Final = tuple(
    re.compile(rf"""^["']?{key}["']?[ \t]*:[ \t]*["']?(?:{"|".join(map(re.escape, values))})\b""", re.MULTILINE)
    for key, values in (("apiVersion", sorted({*DEPLOYERS.values()})), ("kind", sorted(DEPLOYERS)))
)
_TEMPLATED: Final = re.compile(r"\{\{|\{%")
_UNRENDERED: Final = "is a template of a KubeVirt object, and is not rendered"


class Opaque(NamedTuple):
    """What holds objects of KubeVirt's and is not rendered, with a digest of all that these are made of."""

    problem: Problem
    digest: bytes


def digest_of(data: Any) -> bytes:
    """Return a digest of data, to tell whether what is not rendered is the same on both sides."""
    return blake2b(json.dumps(data, default=str).encode(), digest_size=32).digest()


class Documents(NamedTuple):
    """What files hold.

    `passed_over` counts what is no object of Kubernetes or cannot be used, by what it is. `unrendered` are templates of
    KubeVirt's objects, `problems` what is wrong with objects of KubeVirt's. Of what is unrendered, what is `opaque` may
    change VMs when it changes. `encrypted` are ConfigMaps and Secrets that are, each with a digest.
    """

    manifests: tuple[Manifest, ...] = ()
    passed_over: Mapping[str, int] = {}
    unrendered: tuple[Problem, ...] = ()
    problems: tuple[Problem, ...] = ()
    opaque: tuple[Opaque, ...] = ()
    encrypted: tuple[tuple[Identity, bytes], ...] = ()


def joined(documents: Iterable[Documents]) -> Documents:
    """Return what several files hold together, in their order."""
    files = list(documents)
    if len(files) == 1:
        return files[0]
    passed_over: Counter[str] = Counter()
    for file in files:
        passed_over.update(file.passed_over)
    return Documents(
        tuple(manifest for file in files for manifest in file.manifests),
        passed_over,
        tuple(problem for file in files for problem in file.unrendered),
        tuple(problem for file in files for problem in file.problems),
        tuple(opaque for file in files for opaque in file.opaque),
        tuple(setting for file in files for setting in file.encrypted),
    )


def passed_over_words(counts: Mapping[str, int]) -> str:
    """Say in one line what is passed over, the most first: `12 templates, 1 encrypted object`; "" for nothing."""
    return ", ".join(_counted(number, noun) for noun, number in sorted(counts.items(), key=lambda count: -count[1]))


def _counted(number: int, noun_phrase: str) -> str:
    noun, *rest = re.split(r"(?= of | that )", noun_phrase, maxsplit=1)
    return counted(number, noun) + "".join(rest)


def read_file(folder: Folder, path: str, name: str, texts: Texts) -> Documents:
    """Read a file of a folder, which problems call `name`."""
    try:
        content = folder.read(path, REPOSITORY_FILE_BYTES)
    except TooLargeError:
        return Documents(passed_over={OVERSIZED: 1})
    except SourceError as error:
        return Documents(problems=(Problem(file=name, message=error.message),))
    return documents_of(content, name, texts)


def documents_of(content: bytes, file: str, texts: Texts | None = None) -> Documents:
    """Read the documents of a file, which problems call `file`; `texts` may know it already."""
    texts = texts or Texts()
    if b"apiVersion" not in content and b"\\" not in content:  # which may stand for its letters
        return Documents(passed_over={OTHER: 1} if content.strip() else {})
    try:
        text = content.decode().removeprefix("\ufeff")
    except UnicodeDecodeError:
        if _OURS.search(content.decode("utf-8", "replace")):
            return Documents(problems=tuple(texts.unchecked(content, file)[1]))
        return Documents(passed_over={NOT_TEXT: 1})
    manifests, problems = texts.unchecked(content, file)
    if not problems:
        return joined(map(_classified, manifests))
    return joined(map(document_of, parts(text, file)))


def parts(text: str, file: str) -> Iterator[Part]:
    """Split YAML at the lines that start documents: what is behind one cannot be part of what is before it."""
    mark, start = Mark(0, 0), 0
    separators = ((line.start(), line.start("start")) for line in _SEPARATOR.finditer(text) if line.start())
    for end, following in (*separators, (len(text), len(text))):
        yield Part(text[start:end], file, mark.line)
        mark, start = mark.then(mark_behind(text[start:following])), following


def document_of(part: Part) -> Documents:
    """Read one document, which may be broken."""
    manifests, problems = unchecked(part)
    if not problems:
        return joined(map(_classified, manifests))
    text = str(part.text)
    ours, is_template = _OURS.search(text), _TEMPLATED.search(text) is not None
    if ours and is_template:
        line = part.line + mark_behind(text[: ours.start()]).line + 1
        problem = Problem(part.file, line, 1, message=_UNRENDERED)
        return Documents((), {TEMPLATE: 1}, (problem,), opaque=(Opaque(problem, digest_of(text)),))
    if ours or (not is_template and all(pattern.search(text) for pattern in _DEPLOYS)):
        return Documents(problems=tuple(problems))
    return Documents(passed_over={TEMPLATE if is_template else UNREADABLE: 1})


def _classified(manifest: Manifest) -> Documents:
    """Return what can be read as an object, or as what it is passed over."""
    data = manifest.data
    if not isinstance(data, dict):
        return Documents(passed_over={OTHER: 1})
    version, kind, is_encrypted = data.get("apiVersion"), data.get("kind"), _is_encrypted(data)
    if is_encrypted and (kind in ("Secret", "ConfigMap") or not _is_plain(version) or not _is_plain(kind)):
        is_named = _is_plain(kind) and _is_named(data.get("metadata"))
        return Documents(passed_over={ENCRYPTED: 1}, encrypted=((identity(data), digest_of(data)),) if is_named else ())
    ours = isinstance(version, str) and version.partition("/")[0] in GROUPS
    if ours and (fault := _kind_fault(str(version), kind)):
        return Documents(problems=(manifest.problem(*fault),))
    if not (isinstance(version, str) and version and isinstance(kind, str) and kind):
        return Documents(passed_over={OTHER: 1})
    if not ours and not _is_named(data.get("metadata")):
        return Documents(passed_over={NAMELESS: 1})
    if is_encrypted:
        manifest = manifest.within({key: value for key, value in data.items() if key != "sops"}, ())
    return Documents((manifest,))


def _kind_fault(version: str, kind: Any) -> tuple[str, str] | None:
    """Say why an object of KubeVirt's API groups does not say what it is."""
    if not isinstance(kind, str) or not kind:
        return "kind", "is required"
    if "/" not in version and (kind in HOLDERS or any(kind in kinds for kinds in KINDS.values())):
        return "apiVersion", f"must have a version: {version}/…"
    return None


def _is_named(metadata: Any) -> bool:
    """Whether an object can be told from others: it has a name, or gets one."""
    if not isinstance(metadata, dict):
        return False
    names = [metadata.get(key) for key in ("name", "generateName", "namespace")]
    return all(isinstance(value, str | None) for value in names) and bool(names[0] or names[1])


def _is_encrypted(data: Mapping[str, Any]) -> bool:
    """Whether SOPS has encrypted values of it: it says then with which keys."""
    sops = data.get("sops")
    return isinstance(sops, dict) and ("mac" in sops or "version" in sops)


def _is_plain(value: Any) -> bool:
    return isinstance(value, str) and not value.startswith("ENC[")
