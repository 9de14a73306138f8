"""Adopting from the small catalog."""

from collections.abc import Callable

import pytest
from inline_vms import CATALOG, machine

from loading import read_manifests
from virtcatalog.adopt.candidates import Candidates
from virtcatalog.adopt.fleet import Adoption, adopt

Adopting = Callable[..., Adoption]


@pytest.fixture(scope="session")
def candidates() -> Candidates:
    return Candidates([manifest.data for manifest in read_manifests(CATALOG)])


@pytest.fixture
def adopting(candidates: Candidates) -> Adopting:
    def run(*parts: str, **more: str) -> Adoption:
        return adopt(machine(*parts, **more), candidates)

    return run
