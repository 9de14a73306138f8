"""Reads a catalog: every file, every problem in one go."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from virtcatalog.api.names import RESERVED_INSTANCETYPES, RESERVED_PREFERENCES
from virtcatalog.api.quantity import Quantity
from virtcatalog.catalog.chain import Chain, Level, names_under
from virtcatalog.catalog.compose import Components, Layer
from virtcatalog.catalog.configuration import OverlaysFile, PricesFile, VmsFile
from virtcatalog.catalog.declarations import ComponentsFile, InstancetypeFile, PreferenceFile, TemplateFile
from virtcatalog.catalog.environment import Overlay
from virtcatalog.catalog.labels import for_flux, opted_out_of_substitution
from virtcatalog.catalog.layers import (
    COMPONENT_FRAGMENT,
    INSTANCETYPE_FRAGMENT,
    PREFERENCE_FRAGMENT,
    Composer,
    Merged,
    Settings,
    fragment,
)
from virtcatalog.catalog.lock import read_lock, released_version
from virtcatalog.catalog.matrix import instancetypes
from virtcatalog.catalog.model import Allowance, Budget, Catalog, Entry, Instancetype, Preference, Template
from virtcatalog.catalog.overlays import overlays
from virtcatalog.catalog.preferences import preferences
from virtcatalog.catalog.settings import Files, read_chain, settle
from virtcatalog.catalog.sources import Sources
from virtcatalog.catalog.vms import vm_templates
from virtcatalog.catalog.work import PLACED
from virtcatalog.errors import CatalogError, Problem, nearest
from virtcatalog.manifests.folder import Folder, SourceError, held
from virtcatalog.manifests.layout import CATALOG, COMPONENTS, OVERLAYS, PRICES, VMS
from virtcatalog.manifests.sources import open_folder

if TYPE_CHECKING:
    from virtcatalog.catalog.prices import CatalogNames, Prices


def load_catalog(path: str | Path, files: Mapping[str, bytes] | Folder | None = None) -> Catalog:
    """Read the catalog in a folder.

    Given `files`, nothing is read from disk: they are the catalog's, by their path in it (`preferences/linux.yaml`),
    and those of the catalogs that it extends (`../base/catalog.yaml`); `path` is then what the catalog is called in
    messages. Raises CatalogError, which carries every problem of every file with its place.
    """
    path = str(path)
    folder = open_catalog(path) if files is None else held(files) if isinstance(files, Mapping) else files
    return _Loader(Sources(folder, path)).load(path)


def open_catalog(path: str) -> Folder:
    """Return the folder of a catalog on disk; raises CatalogError."""
    try:
        return open_folder(path)
    except SourceError as error:
        raise CatalogError(Problem(file=path, message=error.message)) from None


def catalog_names(
    types: Iterable[Instancetype], preferences: Sequence[Preference], environments: Iterable[Overlay]
) -> CatalogNames:
    """Return what prices of a catalog may name."""
    from virtcatalog.catalog.prices import CatalogNames

    return CatalogNames(
        classes=list(dict.fromkeys(instancetype.series for instancetype in types)),
        environments=[environment.name for environment in environments],
        systems=list(dict.fromkeys(preference.os_type for preference in preferences)),
        preferences=[preference.name for preference in preferences],
    )


class _Loader:
    """Reads one catalog."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self.files = Files(sources)
        self.chain = Chain(sources, ())

    def load(self, path: str) -> Catalog:
        sources = self.sources
        if CATALOG not in sources.files:
            sources.report(CATALOG, (), "is missing: it names the catalog and the oldest KubeVirt release")
        self.chain = read_chain(self.files)
        declared = settle(sources, self.chain)
        settings = Settings(declared.get("vendor") or "", self.files.release, declared.get("parameters") or {})
        composer = Composer(sources, settings, self._components())
        composer.check_components()
        types = [*self._instancetypes(composer)]
        prefs = [*self._preferences(composer)]
        self.chain.check()
        deployed = (declared.get("operator") or {}).get("commonInstancetypes", "enabled") == "enabled"
        self._check_names(composer, "instancetypes/", types, RESERVED_INSTANCETYPES if deployed else ())
        self._check_names(composer, "preferences/", prefs, RESERVED_PREFERENCES if deployed else ())
        flux = for_flux(declared.get("gitops"))
        if flux:
            types = [(opted_out_of_substitution(entry), merged) for entry, merged in types]
            prefs = [(opted_out_of_substitution(entry), merged) for entry, merged in prefs]
        entries: list[Entry] = [entry for entry, _ in (*types, *prefs)]
        environments = list(overlays(composer, self.files.read(OVERLAYS, OverlaysFile), entries, flux=flux))
        machines = tuple(
            vm_templates(sources, self.files.read(VMS, VmsFile), environments, settings.parameters, self.files.release)
        )
        declared_templates: tuple[Template, ...] = ()
        if any(place.startswith("templates/") for place in sources.files):
            from virtcatalog.catalog.templates import template_vms

            declared_templates = self._templates(composer, types, prefs, environments)
            machines += tuple(
                vm for declared_template in declared_templates for vm in template_vms(declared_template, environments)
            )
        budgets = tuple(self._budgets(environments))
        lock = read_lock(sources)
        prices = self._prices(entries, environments) if PRICES in sources.files else None
        if sources.problems:
            raise CatalogError(*sources.problems)
        catalog = Catalog(
            path=path,
            name=declared["name"],
            vendor=settings.vendor,
            kubevirt=declared["kubevirt"],
            description=declared.get("description") or "",
            labels=declared.get("labels") or {},
            annotations=declared.get("annotations") or {},
            parameters=settings.parameters,
            operator_deployment=deployed,
            instancetypes=tuple(entry for entry, _ in types),
            preferences=tuple(entry for entry, _ in prefs),
            overlays=tuple(environments),
            templates=declared_templates,
            vms=machines,
            budgets=budgets,
            allow=tuple(
                Allowance(
                    allowance["rule"],
                    tuple(allowance.get("objects") or ()),
                    allowance["reason"],
                    sources.source(part.place, ("allow", index)),
                )
                for part in self.chain.parts
                for index, allowance in enumerate(part.declared.get("allow") or ())
            ),
            files=sources.files,
            lock=lock,
            prices=prices,
        )
        return replace(catalog, version=released_version(catalog))

    def _budgets(self, environments: Iterable[Overlay]) -> Iterator[Budget]:
        names = [environment.name for environment in environments]
        for part in self.chain.parts:
            for index, budget in enumerate(part.declared.get("budgets") or ()):
                environment, path = budget.get("environment") or "", ("budgets", index)
                if environment and environment not in names and self.sources.is_sound(OVERLAYS):
                    message = f"{environment!r} is no environment of overlays.yaml{nearest(environment, names)}"
                    self.sources.report(part.place, (*path, "environment"), message)
                requests = {name: Quantity.parse(amount) for name, amount in (budget.get("requests") or {}).items()}
                yield Budget(
                    environment, budget.get("namespace") or "", requests, self.sources.source(part.place, path)
                )

    def _prices(self, entries: Iterable[Entry], environments: Iterable[Overlay]) -> Prices | None:
        """The catalog's own; what they name has to be there."""
        from virtcatalog.catalog.prices import price_faults, prices_of

        before = len(self.sources.problems)
        data = self.files.read(PRICES, PricesFile)
        if PRICES in self.sources.unread or len(self.sources.problems) > before:
            return None
        types = [entry for entry in entries if isinstance(entry, Instancetype)]
        prefs = [entry for entry in entries if isinstance(entry, Preference)]
        # A name that is missing may stand in a file that cannot be read.
        findings = list(price_faults(data, None if before else catalog_names(types, prefs, environments)))
        for path, message in findings:
            self.sources.report(PRICES, path, message)
        return None if findings else prices_of(data)

    def _components(self) -> Components:
        layers: dict[str, list[Layer]] = {}
        complete = True
        for part in self.chain.parts:
            place = f"{part.prefix}{COMPONENTS}"
            if place in self.sources.files_of(part.prefix):
                for name, data in self.files.read(place, ComponentsFile).items():
                    if data is None:
                        self.sources.report(place, (name,), "is empty: a component sets `spec` or another field")
                    layer = fragment(place, (name,), data or {}, COMPONENT_FRAGMENT, self.files.release)
                    layers.setdefault(name, []).append(layer)
                complete = complete and place not in self.sources.unread
        return Components(layers, self.sources.work, complete=complete)

    def _instancetypes(self, composer: Composer) -> Iterable[tuple[Instancetype, Merged]]:
        base = self._base(composer, "instancetypes", INSTANCETYPE_FRAGMENT)
        for stack in self._stacks("instancetypes", InstancetypeFile):
            for level in stack[1:]:
                first, own = stack[0].data.get("class"), level.data.get("class")
                if own is not None and own != first:
                    message = f"this file changes the class {first!r} of {self.sources.display(stack[0].place)}"
                    message += "; a class of your own needs a file of another name"
                    self.sources.report(level.place, ("class",), message)
            if stack[0].data.get("sizes") == {} and not names_under(stack, "sizes"):
                self.sources.report(stack[0].place, ("sizes",), "is empty: a class has a size at least")
            if stack[0].data.get("class") and any("sizes" in level.data for level in stack):
                yield from instancetypes(composer, self.chain, stack, base)

    def _preferences(self, composer: Composer) -> Iterable[tuple[Preference, Merged]]:
        base = self._base(composer, "preferences", PREFERENCE_FRAGMENT)
        for stack in self._stacks("preferences", PreferenceFile):
            yield from preferences(composer, self.chain, stack, base)

    def _templates(
        self,
        composer: Composer,
        types: Iterable[tuple[Instancetype, Merged]],
        prefs: Iterable[tuple[Preference, Merged]],
        environments: Sequence[Overlay],
    ) -> tuple[Template, ...]:
        """The templates of the catalog, without those of an extended one. Flux never substitutes in them."""
        from virtcatalog.catalog.templates import Entries, is_offered, templates

        entries = Entries({entry.name: entry for entry, _ in types}, {entry.name: entry for entry, _ in prefs})
        by_name: dict[str, Template] = {}
        for place in self.sources.files:
            if not place.startswith("templates/"):
                continue
            for template in templates(composer, place, self.files.read(place, TemplateFile), entries):
                if template.name in by_name:
                    message = f"{template.name!r} is declared twice, first at {by_name[template.name].source}"
                    self.sources.report(place, ("systems", template.system), message)
                having = [env.name for env in environments if is_offered(template, env, entries, self.files.release)]
                self.sources.spend(place, ("systems", template.system), PLACED * len(having) * len(template.vms))
                offered = replace(template, environments=tuple(having))
                by_name.setdefault(template.name, opted_out_of_substitution(offered))
        return tuple(by_name.values())

    def _stacks(self, folder: str, kind: Any) -> Iterable[list[Level]]:
        """Read the files of a folder: what the catalogs of the chain say under one path is one declaration."""
        for levels in self.chain.files(folder).values():
            yield [
                Level(number, place, self.files.read(place, kind, over=index > 0))
                for index, (number, place) in enumerate(levels)
            ]

    def _base(self, composer: Composer, section: str, keys: Iterable[str]) -> list[Layer]:
        """The catalogs' layers: what they say of all objects, then of one kind."""
        parts = self.chain.parts
        shared = [composer.layer(part.place, (), part.declared, ("labels", "annotations")) for part in parts]
        own = (composer.mixed(part.place, (section,), part.declared.get(section), keys) for part in parts)
        return [*shared, *chain.from_iterable(own)]

    def _check_names(
        self, composer: Composer, folder: str, entries: Iterable[tuple[Entry, Merged]], other_names: Iterable[str]
    ) -> None:
        """Report names that are there twice or belong to the operator, and replacements that do not exist."""
        by_name: dict[str, Entry] = {}
        twice: dict[tuple[str, str], list[tuple[Layer, str]]] = {}
        all_declared = self.sources.is_sound(folder)
        for entry, merged in entries:
            own = merged.layers[-1]
            if entry.name in by_name:
                first = by_name[entry.name].source
                message = f"{entry.name!r} is declared twice, first at {first}"
                owner = first.file if isinstance(entry, Instancetype) else entry.name
                twice.setdefault((own.place, owner), []).append((own, message))
            elif entry.name in other_names:
                message = (
                    f"KubeVirt's operator deploys {entry.name!r} itself; choose another name, or say "
                    "`operator: {commonInstancetypes: disabled}` in catalog.yaml if yours does not"
                )
                self.sources.report(own.place, own.path, message)
            by_name.setdefault(entry.name, entry)
        for (own, message), *further in twice.values():  # a file whose class another file declares has them all twice
            more = f", and {len(further)} more of this file" if further else ""
            self.sources.report(own.place, own.path, f"{message}{more}")
        for entry, merged in entries:
            replacement = entry.deprecated.replaced_by if entry.deprecated else ""
            if replacement == entry.name or (replacement and replacement not in by_name and all_declared):
                fault = "the object itself" if replacement == entry.name else "no object of the catalog"
                message = f"{replacement!r} is {fault}{nearest(replacement, by_name.keys() - {entry.name})}"
                composer.report(merged, ("deprecated", "replacedBy"), message)
