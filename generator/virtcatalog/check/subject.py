"""What is checked: instance types, preferences and VMs, with the places of their fields."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from virtcatalog.api.decode import manifest_name
from virtcatalog.api.kinds import CATALOG_API_VERSION, INSTANCETYPE_KINDS, PREFERENCE_KINDS
from virtcatalog.catalog.environment import Overlay
from virtcatalog.catalog.model import Allowance, Catalog
from virtcatalog.catalog.places import Source
from virtcatalog.check.finding import Finding, Rule
from virtcatalog.environments import release_of
from virtcatalog.fleet.cache import Cache
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.conditions import Choice, Conditions, choose_release
from virtcatalog.manifests.fields import map_at
from virtcatalog.manifests.identity import Data
from virtcatalog.repositories.model import Repository

Origin = Literal["catalog", "environment", "import"]


class Subject(msgspec.Struct, frozen=True, kw_only=True):
    """One object under check.

    `origin` says whether the catalog declares it, an environment of the catalog changes it, or it is from a manifest
    beside the catalog; `written` is such a manifest with what the API server drops. `environment` is the environment
    of a patched object or of a VM, `where` the environment or cluster that a manifest is from, "" for all.
    `place` finds a field.
    """

    manifest: Data
    written: Data | None = None
    origin: Origin
    environment: str = ""
    where: str = ""
    place: Callable[[str], Source]

    @property
    def kind(self) -> str:
        """The kind."""
        return str(self.manifest["kind"])

    @property
    def name(self) -> str:
        """The name alone."""
        return str(map_at(self.manifest, "metadata").get("name", ""))

    @property
    def namespace(self) -> str:
        """The namespace, "" when it has none."""
        return str(map_at(self.manifest, "metadata").get("namespace") or "")

    @property
    def spec(self) -> dict[str, Any]:
        """The spec."""
        return map_at(self.manifest, "spec")

    @property
    def labels(self) -> dict[str, str]:
        """The labels."""
        return map_at(self.manifest, "metadata", "labels")

    @property
    def annotations(self) -> dict[str, str]:
        """The annotations."""
        return map_at(self.manifest, "metadata", "annotations")

    @property
    def is_instancetype(self) -> bool:
        """Whether it is an instance type of either scope."""
        return self.kind in INSTANCETYPE_KINDS and self.manifest.get("apiVersion") == CATALOG_API_VERSION

    @property
    def is_preference(self) -> bool:
        """Whether it is a preference of either scope."""
        return self.kind in PREFERENCE_KINDS and self.manifest.get("apiVersion") == CATALOG_API_VERSION

    def is_in(self, environment: str, where: str = "") -> bool:
        """Whether it is in an environment, or in the cluster of it that `where` is."""
        return self.environment in ("", environment) and self.where in ("", environment, where)

    def finding(self, rule: Rule, message: str, field: str = "") -> Finding:
        """Return a finding about the object, at one of its fields, in its environment."""
        environments = (self.environment,) if self.environment else ()
        about = manifest_name(self.manifest)
        return rule.at(self.place(field), message, field=field, about=about, environments=environments)


class Inventory(msgspec.Struct, frozen=True, kw_only=True):
    """All that one run checks.

    `release` is the oldest that the catalog must work with; `conditions` is what else was asked for.
    `objects` are instance types and preferences; an object of the catalog stands there once, as the cluster-wide kind.
    `vms` are the VM templates and what holds VMs beside the catalog, `number` of them, each once per environment that
    has it. They may be read as they are iterated, which then raises ManifestError at its end for all unreadable ones.
    `companions` are further objects of the cluster: the KubeVirt CR, claims. `texts` are the files of the catalog as
    they are read, with a function that finds a line and column of the text in its file. `cache` stores outcomes of VMs
    for the next run, None for nowhere. `around` is what VMs meet for which no catalog is named, by the `where` of
    these; `repositories` say how they are applied. `faults` are what was found before VMs are checked, but for what is
    allowed.
    """

    catalog: Catalog | None = None
    release: str
    conditions: Conditions = Conditions()
    today: date
    objects: tuple[Subject, ...] = ()
    vms: Iterable[Sequence[Subject]] = ()
    number: int = 0
    companions: tuple[Subject, ...] = ()
    texts: tuple[tuple[str | bytes, Callable[[int, int], Source]], ...] = ()
    allow: tuple[Allowance, ...] = ()
    cache: Cache | None = None
    around: Mapping[str, Sequence[Data]] = {}
    repositories: tuple[Repository, ...] = ()
    faults: Sequence[Finding] = ()

    @property
    def overlays(self) -> tuple[Overlay, ...]:
        """The environments that are looked at."""
        return self.catalog.overlays if self.catalog else ()

    @property
    def declared(self) -> list[Subject]:
        """The objects as they are declared, without those that environments patch."""
        return [subject for subject in self.objects if subject.origin != "environment"]

    def configurations(self, environment: str = "") -> list[Data]:
        """Return the KubeVirt CRs of an environment."""
        return [other.manifest for other in self.companions if other.kind == "KubeVirt" and other.is_in(environment)]

    def cluster(self, manifests: Sequence[Data], environment: str) -> Cluster:
        """Return the cluster of an environment in which there are these objects."""
        return Cluster.under(manifests, replace(self.conditions, release=self.choice(manifests, environment).release))

    def choice(self, manifests: Sequence[Data], environment: str) -> Choice:
        """Return the release by which an environment with these objects is judged."""
        return choose_release(self.conditions, release_of(self.overlays, environment), manifests)

    def deployed(self, overlay: Overlay) -> list[Subject]:
        """Return what `of` does, as subjects of that environment and with its place."""
        return [
            Subject(manifest=manifest, origin="environment", environment=overlay.name, place=lambda _: overlay.source)
            for manifest in self.of(overlay.name)
        ]

    def of(self, environment: str, where: str = "") -> list[Data]:
        """Return the instance types and preferences that an environment deploys, and what is there beside them."""
        is_own = environment in {overlay.name for overlay in self.overlays}  # else it is a unit of a repository
        own = self.catalog.objects(environment if is_own else "") if self.catalog else []
        beside = [
            subject for subject in self.objects if subject.origin == "import" and subject.is_in(environment, where)
        ]
        return [*own, *(subject.manifest for subject in beside)]

    def met_by(self, subject: Subject, companions: Iterable[Subject]) -> list[Data]:
        """Return what an object meets where it is: in its repository, in its environment, and of these `companions`."""
        around = self.around.get(subject.where)
        where = (subject.environment, subject.where) if around is None else ("", "")  # what is in no unit
        return [*(around or ()), *self.of(*where), *(other.manifest for other in companions if other.is_in(*where))]


class VmCheck:
    """Rules about VMs. The VMs are read once and none is stored, so all rules see one VM before the next."""

    def __init__(self, inventory: Inventory) -> None:
        self.inventory = inventory

    def check(self, vm: Subject) -> Iterator[Finding]:
        """Check a VM in one environment, or another object that holds VMs, such as a pool."""
        raise NotImplementedError

    def finish(self) -> Iterator[Finding]:
        """Yield the findings that need all VMs."""
        return iter(())
