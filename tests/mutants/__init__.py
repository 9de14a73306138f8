"""Mutants: small changes of the program, each of which some test should notice. `make mutants` draws some of them."""

import pkgutil
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "build/mutants"
COVER = FOLDER / "cover"
"""Which tests run which lines: see cover.py."""


def import_all() -> None:
    """Import every module of the program, so that none is imported by a test."""
    import virtcatalog

    for module in pkgutil.walk_packages(virtcatalog.__path__, "virtcatalog."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
