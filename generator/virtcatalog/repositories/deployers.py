"""Objects that deploy a part of the repository: what they are, and which of their fields have which shape."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any, Final

from virtcatalog.errors import Problem
from virtcatalog.manifests.fields import get
from virtcatalog.manifests.identity import identity
from virtcatalog.repositories.documents import DEPLOYERS
from virtcatalog.repositories.model import Resource
from virtcatalog.repositories.tree import joined

GROUPS: Final = frozenset(DEPLOYERS.values())
"""The API groups of these."""


def deploys(data: Any) -> bool:
    """Whether an object deploys a part of a repository."""
    group = DEPLOYERS.get(str(data.get("kind")))
    return group is not None and str(data.get("apiVersion")).partition("/")[0] == group


class Deployer:
    """An object that deploys something; it is equal to one that is declared in the same place and says the same."""

    def __init__(self, resource: Resource) -> None:
        self.resource = resource

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Deployer) and (self.key, self.resource.data) == (other.key, other.resource.data)

    def __hash__(self) -> int:
        return hash(self.key)

    @cached_property
    def key(self) -> str:
        """What tells it from others: the place where it is declared."""
        return str(self.resource.place)

    @property
    def kind(self) -> str:
        """Its kind."""
        return str(self.resource.data["kind"])

    @property
    def name(self) -> str:
        """Its name."""
        return identity(self.resource.data)[2]

    @property
    def namespace(self) -> str:
        """Its namespace, "" where it names none."""
        return identity(self.resource.data)[1]

    @property
    def folders(self) -> list[str]:
        """The folders that it may deploy, as far as it names any."""
        several = (self.text("sources", index, "path") for index, _ in enumerate(self.items("sources")))
        hydrated = self.text("sourceHydrator", "drySource", "path")
        paths = filter(None, (self.text("path"), self.text("source", "path"), hydrated, *several))
        return [at for path in paths if (at := joined("", path.lstrip("/"))) is not None]

    @property
    def references(self) -> list[Any]:
        """What names the ConfigMaps and Secrets that what it deploys depends on."""
        return [*self.items("postBuild", "substituteFrom"), *self.items("valuesFrom")]

    def get(self, *path: str | int, of: type = object) -> Any:
        """Return a field of its spec if it is of that type, else None."""
        value = get(self.resource.data, ("spec", *path))
        return value if isinstance(value, of) else None

    def text(self, *path: str | int) -> str:
        """Return a text of its spec, "" for none."""
        value = self.get(*path, of=str)
        return value if value is not None else ""

    def items(self, *path: str | int) -> Iterator[Any]:
        """Yield the items of a list of its spec."""
        yield from self.get(*path, of=list) or ()

    def problem(self, field: str, message: str) -> Problem:
        """Say something of one of its fields, with the place."""
        source = self.resource.field(field)
        name = "/".join(filter(None, identity(self.resource.data)))
        return Problem(source.file, source.line, source.column, name, field, message)


def alike(url: str) -> str:
    """Return what is the same in the URLs of one repository: `ssh://git@host/a/b.git` and `https://host/a/b`."""
    return url.rpartition("://")[2].rpartition("@")[2].removesuffix("/").removesuffix(".git").replace(":", "/").lower()
