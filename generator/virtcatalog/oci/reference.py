"""How an artifact is named: `oci://HOST/REPOSITORY[:TAG][@DIGEST]`.

Source: the OCI distribution specification (Pulling manifests) and distribution/reference for hosts.
"""

from __future__ import annotations

import re
from importlib import import_module
from typing import Final

import msgspec

from virtcatalog.errors import VirtcatalogError
from virtcatalog.limits import REGISTRY_ANSWER_BYTES
from virtcatalog.manifests.folder import SourceError
from virtcatalog.manifests.sources import read_file
from virtcatalog.oci import SCHEME

DIGEST: Final = re.compile(r"sha256:[0-9a-f]{64}")
_LABEL: Final = r"[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
_HOST: Final = rf"(?:{_LABEL}(?:\.{_LABEL})*|\[[0-9A-Fa-f:]+\])(?::[0-9]{{1,5}})?"
_PART: Final = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
_REFERENCE: Final = re.compile(
    rf"oci://(?P<host>{_HOST})/(?P<repository>{_PART}(?:/{_PART})*)"
    rf"(?::(?P<tag>[A-Za-z0-9_][\w.-]{{0,127}}))?(?:@(?P<digest>{DIGEST.pattern}))?",
    re.ASCII,
)
_LONGEST: Final = 512
_LONGEST_REPOSITORY: Final = 255


class OciError(VirtcatalogError):
    """An artifact, a registry or a key that cannot be used."""


class Reference(msgspec.Struct, frozen=True):
    """Where an artifact is; `tag` and `digest` are "" where the reference has none."""

    host: str
    repository: str
    tag: str = ""
    digest: str = ""

    @property
    def place(self) -> str:
        """The repository, with its scheme."""
        return f"{SCHEME}{self.host}/{self.repository}"

    @property
    def short(self) -> str:
        """The reference as messages name files of it: the digest's first twelve digits are enough there."""
        return f"{self.place}@{self.digest[:19]}" if self.digest else str(self)

    def at(self, digest: str) -> Reference:
        """Return the reference of that very artifact."""
        return Reference(self.host, self.repository, self.tag, digest)

    def __str__(self) -> str:
        tag = f":{self.tag}" if self.tag else ""
        return f"{self.place}{tag}" + (f"@{self.digest}" if self.digest else "")


def parse(text: str) -> Reference:
    """Return what a reference says; OciError for what is none."""
    match = _REFERENCE.fullmatch(text) if len(text) <= _LONGEST else None
    if match is None or len(match["repository"]) > _LONGEST_REPOSITORY:
        raise OciError(f"{text[:_LONGEST]!r} is no artifact: write oci://HOST/REPOSITORY:TAG or …@sha256:DIGEST")
    return Reference(match["host"], match["repository"], match["tag"] or "", match["digest"] or "")


def content_of(file: str) -> bytes:
    """Return what a file of the user's holds, such as a key or a configuration; OciError where it cannot be read."""
    try:
        return read_file(file, REGISTRY_ANSWER_BYTES)
    except SourceError as error:
        raise OciError(f"{file}: {error.message}") from None


def need(*modules: str) -> None:
    """Import modules of the extra `oci`; OciError where they are not installed."""
    for module in modules:
        try:
            import_module(module)
        except ImportError as error:
            raise OciError(f"this needs the extra: pip install 'virtcatalog[oci]' ({error})") from error
