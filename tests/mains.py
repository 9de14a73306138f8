"""Modules that are programs, too, run in this process as `python -m` runs them."""

from __future__ import annotations

import sys
from importlib.util import find_spec, module_from_spec

import pytest


def run_as_program(name: str, *arguments: str) -> object:
    """Run a module with these arguments, and return the exit status."""
    spec = find_spec(name)
    module = module_from_spec(spec)
    module.__name__ = "__main__"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sys, "argv", [spec.origin, *arguments])
        with pytest.raises(SystemExit) as ended:
            spec.loader.exec_module(module)
    return ended.value.code
