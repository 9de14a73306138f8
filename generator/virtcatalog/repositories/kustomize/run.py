"""One run of the builder: what it may read and do, and what it has found wrong."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from virtcatalog.errors import ManifestError, Problem, VirtcatalogError
from virtcatalog.repositories.kustomize.budget import BudgetError
from virtcatalog.repositories.kustomize.declared import Declared, UnrenderedError
from virtcatalog.repositories.kustomize.files import Reading


class Run:
    """Shared by all folders: the budget, the files that were read, and what is wrong.

    `is_flux` says that Flux builds it. `metadata` is what the root's `buildMetadata` asks for; `nameless` are
    transformers that it has no name of.
    """

    def __init__(self, reading: Reading, *, is_flux: bool = False) -> None:
        self.reading, self.is_flux = reading, is_flux
        self.budget = self.reading.budget
        self.metadata: frozenset[str] = frozenset()
        self.nameless: list[str] = []
        self.unrendered: list[Problem] = []
        self.problems: list[Problem] = []

    @contextmanager
    def naming(self, declared: Declared) -> Iterator[None]:
        """Note what cannot be built of a field, and go on; what the budget does not allow ends the run."""
        try:
            yield
        except BudgetError:
            raise
        except UnrenderedError as error:
            self.unrendered += error.problems
        except ManifestError as error:
            self.problems += error.problems
        except VirtcatalogError as error:
            self.problems += declared.fault(str(error)).problems
