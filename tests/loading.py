"""Manifests of a text, for tests that need them as the program reads them."""

from __future__ import annotations

from virtcatalog.manifests.read import Manifest, read_apart, usable


def read_manifests(text: str | bytes, file: str = "") -> list[Manifest]:
    """Read every manifest of a text; ManifestError carries all that is wrong with it."""
    return usable(*read_apart(text, file))
