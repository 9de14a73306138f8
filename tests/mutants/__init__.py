"""Mutants: small changes of the program, each of which some test should notice. `make mutants` draws some of them."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "build/mutants"
COVER = FOLDER / "cover"
"""Which test files run which lines: see cover.py."""
