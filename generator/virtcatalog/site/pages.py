"""The site's files, path to text: a pure function of the catalog, the same bytes wherever it is built."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from importlib.resources import files
from itertools import chain
from typing import Any

import msgspec

from virtcatalog._version import __version__
from virtcatalog.api.kinds import CLUSTER_INSTANCETYPE, CLUSTER_PREFERENCE
from virtcatalog.catalog.lock import SECTIONS
from virtcatalog.catalog.model import Catalog, Entry, Published
from virtcatalog.fleet.pool import Executor
from virtcatalog.kubevirt.conditions import Conditions
from virtcatalog.manifests.emit import dump
from virtcatalog.progress import tracked
from virtcatalog.releases import PREVIEWS, Release
from virtcatalog.site import chart as charts
from virtcatalog.site.changes import History, chapters
from virtcatalog.site.domains import Domains, domains
from virtcatalog.site.facts import PreferenceRow, TypeRow, page_of, preference_rows, type_rows
from virtcatalog.site.feeds import atom, calendar, endings
from virtcatalog.site.fields import fields, flat, search_script
from virtcatalog.site.form import form_data
from virtcatalog.site.pairs import Matrix, Neighbours, matrix
from virtcatalog.site.prices import PriceList
from virtcatalog.site.snippets import kustomize, terraform, vm
from virtcatalog.site.templating import Icons, Lines, Links, environment
from virtcatalog.site.usage import Fleet
from virtcatalog.site.vmtemplates import offering, offers

ASSETS = (
    *("site.css", "theme.js", "site.js", "types.js", "type.js", "matrix.js"),
    *("compare.js", "domain.js", "pair.js", "vm.js", "form.js"),
)


def render(
    catalog: Catalog,
    conditions: Conditions | None = None,
    past: History | None = None,
    fleet: Fleet | None = None,
    executor: Executor | None = None,
    *,
    with_domains: bool | None = None,
) -> dict[str, str]:
    """Return every file of the site, sorted by path; the executor, if there is one, shares the work on many types.

    `with_domains` says whether there are domains; None: if they are not too many.
    """
    conditions = conditions or Conditions()
    matched = matrix(catalog, conditions)
    type_domains = domains(catalog, matched, conditions, executor, requested=with_domains)
    return dict(sorted(_Site(catalog, conditions, past or History(), fleet, matched, type_domains).files()))


class _Site:
    def __init__(
        self,
        catalog: Catalog,
        conditions: Conditions,
        past: History,
        fleet: Fleet | None,
        matched: Matrix,
        type_domains: Domains,
    ) -> None:
        self.catalog, self.past, self.fleet, self.matrix, self.domains = catalog, past, fleet, matched, type_domains
        self.prices = PriceList(catalog, catalog.prices) if catalog.prices else None
        # A release is one of the commits that wrote the objects, where both were committed together.
        self.marks = {release.commit[:12]: release.name for release in past.releases if release.commit}
        counts = [fleet.counts(section) if fleet else {} for section in SECTIONS]
        self.types = type_rows(catalog, self.prices, counts[0])
        self.by_name = {row.name: row for row in self.types}
        self.preferences = preference_rows(catalog, self.prices, counts[1])
        self.neighbours = Neighbours(self.types)
        self.offers = offers(catalog, conditions)
        self.offering = offering(self.offers)
        self.class_icons = Icons(row.series for row in self.types)
        self.family_icons = Icons(preference.family for preference in self.preferences)
        self.templates = environment(
            catalog=catalog,
            released_on=past.releases[-1].date if past.releases else "",
            prices=self.prices,
            fleet=fleet,
            class_icon=self.class_icons,
            family_icon=self.family_icons,
            type_links=Links("types"),
            preference_links=Links("preferences"),
            made_by=f"virtcatalog {__version__}",
            previews=list(dict.fromkeys(release.preview for release in previews(catalog, conditions))),
        )

    def files(self) -> Iterator[tuple[str, str]]:
        assets = files("virtcatalog.site") / "assets"
        for name in ASSETS:
            yield f"assets/{name}", (assets / name).read_text(encoding="utf-8")
        yield "index.html", self._types_page()
        yield "compare.html", self._page("compare.html", specs=dict(self._specs()))
        judged = {
            "types": [row.name for row in self.types],
            "preferences": [preference.name for preference in self.preferences],
            "reasons": self.matrix.reasons,
            "rows": self.matrix.rows,
        }
        classes, families = [row.series for row in self.types], [row.family for row in self.preferences]
        yield (
            "matrix.html",
            self._page(
                "matrix.html",
                data={**judged, "classes": classes, "families": families},
                families=list(self.family_icons.colours),
                groups=self.matrix.groups(classes, families),
            ),
        )
        yield "form.html", self._form_page(judged)
        yield "domain.html", self._page("domain.html", data={**judged, "domains": self.domains.data})
        yield from self.domains.files.items()
        size: dict[str, Any] = {"width": charts.WIDTH, "height": charts.HEIGHT, "margin": charts.MARGIN}
        yield "chart.html", self._page("chart.html", chart=charts.chart(self.types), **size)
        yield "preferences.html", self._page("preferences.html", families=self._families())
        yield "environments.html", self._page("environments.html", types=self.types, preferences=self.preferences)
        history = chapters(self.catalog, self.past)
        deprecated, feed = endings(self.catalog), atom(self.catalog, history)
        if feed:
            yield "changes.atom", feed
        if any(ending.sunset for ending in deprecated):
            yield "deprecated.ics", calendar(self.catalog, deprecated)
        yield (
            "changes.html",
            self._page(
                "changes.html", chapters=history, omissions=self.past.omissions, endings=deprecated, feed=bool(feed)
            ),
        )
        all_fields = fields(self.catalog)
        yield "fields.html", self._page("fields.html", fields=all_fields)
        yield "search.js", search_script(self.types, self.preferences, chain.from_iterable(self.offers), all_fields)
        yield from self._templates()
        for number, row in enumerate(tracked(self.types, len(self.types), "pages of instance types")):
            yield page_of("instancetypes", row.name), self._type_page(number, row)
        for number, preference in enumerate(tracked(self.preferences, len(self.preferences), "pages of preferences")):
            yield page_of("preferences", preference.name), self._preference_page(number, preference)

    def _page(self, template: str, /, root: str = "", **values: Any) -> str:
        return self.templates.get_template(template).render(root=root, here=template, **values)

    def _types_page(self) -> str:
        return self._page(
            "types.html",
            rows=self.types,
            data=[msgspec.to_builtins(row) for row in self.types],
            names=self.by_name,
            classes=list(self.class_icons.colours),
            environments=[overlay.name for overlay in self.catalog.overlays],
            gpus=any(row.gpus for row in self.types),
            legend=dict(chain.from_iterable(zip(row.tags, row.features, strict=True) for row in self.types)),
        )

    def _form_page(self, judged: dict[str, Any]) -> str:
        return self._page(
            "form.html",
            data={**judged, **form_data(self.catalog, self.types, self.preferences, self.prices, self.domains)},
            families=list(self.family_icons.colours),
            preferences=self.preferences,
            sizes=sorted(self.types, key=_size),
        )

    def _specs(self) -> Iterator[tuple[str, dict[str, str]]]:
        """The rows of a comparison of instance types by name: their figures, and the fields of their specs."""
        for entry, row in zip(self.catalog.instancetypes, self.types, strict=True):
            figures = {"vCPUs": str(row.vcpus), "Memory": row.amount, "Class": row.series}
            if self.prices:
                figures["Price a month"], figures["Price an hour"] = (
                    self.prices.text(amount) if amount else "" for amount in (row.cost.month, row.cost.hour)
                )
            if self.catalog.overlays:
                figures["Environments"] = ", ".join(row.environments) or "none"
            yield entry.name, {**figures, "Deprecated": row.retirement, **dict(flat("", entry.spec))}

    def _type_page(self, number: int, row: TypeRow) -> str:
        entry = self.catalog.instancetypes[number]
        judged = [
            (preference, self.matrix.reason(number, column)) for column, preference in enumerate(self.preferences)
        ]
        fitting = [preference for preference, reason in judged if not reason]
        manifest = entry.manifest(CLUSTER_INSTANCETYPE)
        licensed = [self.catalog.preferences[column] for column, (_, reason) in enumerate(judged) if not reason]
        facts = self.domains.facts.get(row.name, ())
        names = ("", *(preference.name for preference in self.preferences))
        next_sizes = [("smaller", self.neighbours.next_size(row, -1)), ("larger", self.neighbours.next_size(row, 1))]
        return self._page(
            "type.html",
            "../",
            type=row,
            **self._context("instancetypes", entry),
            replacement=self.by_name.get(row.replacement),
            extras=list(self.prices.extras(entry, licensed)) if self.prices else [],
            fitting=fitting,
            others=[preference for preference, reason in judged if reason],
            unfit=_grouped((reason, preference) for preference, reason in judged if reason),
            gets=_grouped((fact, name) for fact, name in zip(facts, names, strict=bool(facts)) if fact),
            neighbours=[
                *((step, other) for step, other in next_sizes if other),
                *(("similar", other) for other in self.neighbours.similar(row)),
            ],
            yaml=Lines(dump(manifest)),
            kustomize=Lines(kustomize(self.catalog, manifest)),
            terraform=Lines(terraform(manifest)),
            vm=Lines(dump(vm(row.name, fitting[0].name if fitting else ""))),
        )

    def _preference_page(self, number: int, preference: PreferenceRow) -> str:
        entry = self.catalog.preferences[number]
        judged = [(row, self.matrix.reason(place, number)) for place, row in enumerate(self.types)]
        return self._page(
            "preference.html",
            "../",
            preference=preference,
            **self._context("preferences", entry),
            fitting=[(None, row) for row in self._fitting(number)],
            others=[row for row, reason in judged if reason],
            unfit=_grouped((reason, row) for row, reason in judged if reason),
            yaml=Lines(dump(entry.manifest(CLUSTER_PREFERENCE))),
        )

    def _fitting(self, preference: int) -> list[TypeRow]:
        """The types that a preference fits, the least one first, deprecated ones last."""
        fitting = [row for place, row in enumerate(self.types) if not self.matrix.reason(place, preference)]
        return sorted(fitting, key=_size)

    def _families(self) -> list[tuple[str, list[tuple[PreferenceRow, str, str]]]]:
        """The preferences by family of operating systems: each with its version, and the least type that fits.

        One whose version another one has, too, for the same architecture, goes by its name.
        """
        versions = Counter((row.family, row.version, row.architecture) for row in self.preferences)
        labels = [
            row.version if row.version and versions[row.family, row.version, row.architecture] == 1 else row.name
            for row in self.preferences
        ]
        least = [next((row.name for row in self._fitting(number)), "") for number in range(len(labels))]
        return _grouped((row[0].family, row) for row in zip(self.preferences, labels, least, strict=True))

    def _templates(self) -> Iterator[tuple[str, str]]:
        names: dict[str, Any] = {
            "types": self.by_name,
            "preferences": {preference.name: preference.family for preference in self.preferences},
        }
        declared, vms = self.offers
        yield "templates.html", self._page("templates.html", templates=declared, files=vms, **names)
        for offer in chain.from_iterable(self.offers):
            yield offer.page, self._page("template.html", "../", offer=offer, **names)

    def _context(self, section: str, entry: Entry) -> dict[str, Any]:
        """The facts of an object that its declaration does not hold: its past, and who uses it."""
        lock = self.catalog.lock
        was: Published | None = getattr(lock, section).get(entry.name) if lock else None
        return {
            "released": lock.version if lock else "",
            "since": was.since if was and was.spec == entry.spec else "",
            "events": self.past.events.get((section, entry.name), ()),
            "omission": self.past.event_omission,
            "marks": self.marks,
            "offered": self.offering.get((section, entry.name), ()),
            "usage": self.fleet.usage(section, entry.name) if self.fleet else None,
        }


def previews(catalog: Catalog, conditions: Conditions) -> list[Release]:
    """Return the previews that pages are made for: the release asked about, or else those of environments, too."""
    if conditions.release is not None:
        releases: list[Release | None] = [conditions.release]
    else:
        releases = [*(PREVIEWS.get(overlay.kubevirt) for overlay in catalog.overlays), conditions.usual]
    return [release for release in releases if release is not None and release.preview]


def _size(row: TypeRow) -> tuple[bool, int, int, int]:
    """The least types first, deprecated ones last."""
    return row.deprecated, row.vcpus, row.memory, len(row.features)


def _grouped(pairs: Iterable[tuple[Any, Any]]) -> list[tuple[Any, list[Any]]]:
    """Values by what they share, in the order in which that comes first."""
    groups: dict[Any, list[Any]] = {}
    for shared, value in pairs:
        groups.setdefault(shared, []).append(value)
    return list(groups.items())
