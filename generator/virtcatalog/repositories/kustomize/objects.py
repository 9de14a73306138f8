"""Objects on their way through kustomizations, with the field specs and variables of all folders that they are from."""

from __future__ import annotations

from virtcatalog.errors import ManifestError, Problem
from virtcatalog.repositories.kustomize.config import Config
from virtcatalog.repositories.kustomize.declared import Declared
from virtcatalog.repositories.kustomize.fieldspecs import ConflictError
from virtcatalog.repositories.kustomize.resource import Id, Resource
from virtcatalog.repositories.kustomize.variables import Variable


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
