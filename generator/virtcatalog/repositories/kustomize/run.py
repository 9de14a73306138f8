"""What the folders of one build share: a run, which says what may be read and what is wrong, and the objects."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from virtcatalog.errors import ManifestError, Problem, VirtcatalogError
from virtcatalog.repositories.kustomize.budget import BudgetError
from virtcatalog.repositories.kustomize.config import Config
from virtcatalog.repositories.kustomize.declared import Declared, UnrenderedError
from virtcatalog.repositories.kustomize.fieldspecs import ConflictError
from virtcatalog.repositories.kustomize.files import Reading
from virtcatalog.repositories.kustomize.resource import Id, Resource
from virtcatalog.repositories.kustomize.variables import Variable


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

    def items(self, declared: Declared, key: str) -> list[Declared]:
        """Return the items of a list; what is none is noted."""
        with self.naming(declared):
            return list(declared.items(key))
        return []


class Objects:
    """Objects that come together, with the field specs and variables of all folders that they are from."""

    def __init__(self) -> None:
        self.resources: list[Resource] = []
        self.config = Config()
        self.variables: list[Variable] = []
        self._ids: set[Id] = set()

    def add(self, resource: Resource, declared: Declared) -> None:
        """Add an object; raises ManifestError when there is one of its name."""
        current = resource.current
        if current in self._ids:
            raise declared.fault(f"has {resource.title}, which is there already")
        self._ids.add(current)
        self.resources.append(resource)

    def join(self, joined: Objects, declared: Declared) -> None:
        """Add all of others. Raises ManifestError, after all that can be added."""
        self.configure(joined.config, declared)
        faults: list[Problem] = []
        for resource in joined.resources:
            try:
                self.add(resource, declared)
            except ManifestError as error:
                faults += error.problems
        for variable in joined.variables:
            self.declare(variable)
        if faults:
            raise ManifestError(*faults)

    def configure(self, config: Config, declared: Declared) -> None:
        """Add field specs. Raises ManifestError."""
        try:
            self.config = self.config.merged(config) if self.config != Config() else config
        except ConflictError as error:
            raise declared.fault(str(error)) from None

    def declare(self, variable: Variable) -> None:
        """Add a variable. Raises ManifestError when there is one of its name."""
        if any(other.name == variable.name for other in self.variables):
            raise variable.declared.fault(f"there is a variable {variable.name} already", "name")
        self.variables.append(variable)

    def renamed(self) -> None:
        """Look at all ids anew: objects have been changed, or are gone."""
        self._ids = {resource.current for resource in self.resources}
