"""The site's files, path to text: a pure function of the catalog, the same bytes wherever it is built."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from importlib.resources import files
from itertools import chain
from typing import Any, Final

import jinja2
import msgspec
from markupsafe import Markup

from virtcatalog import units
from virtcatalog._version import __version__
from virtcatalog.api.kinds import CLUSTER_INSTANCETYPE, CLUSTER_PREFERENCE
from virtcatalog.catalog.lock import SECTIONS
from virtcatalog.catalog.model import Catalog, Entry, Published
from virtcatalog.escaping import single_line, terminal
from virtcatalog.fleet.pool import Executor
from virtcatalog.kubevirt.conditions import Conditions
from virtcatalog.manifests.emit import dump
from virtcatalog.progress import tracked
from virtcatalog.site import chart as charts
from virtcatalog.site import plainvms
from virtcatalog.site.changes import History, chapters
from virtcatalog.site.domains import Domains, domains
from virtcatalog.site.facts import PreferenceRow, PriceList, Type, preference_rows, types
from virtcatalog.site.pairs import Kin, Matrix, matrix
from virtcatalog.site.snippets import kustomize, terraform, vm
from virtcatalog.site.usage import Fleet
from virtcatalog.site.vmtemplates import offering, offers

ASSETS = ("site.css", "site.js", "types.js", "matrix.js", "compare.js", "domain.js", "vm.js", "form.js")
#: `file:` lets the site work from a folder; no page loads anything from elsewhere.
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self' file:",
        "style-src 'self' file:",
        "img-src 'self' file: data:",
        "base-uri 'none'",
        "form-action 'none'",
    )
)
#: Outlines of operating systems, drawn for this site, and of a screen for all others.
_ICONS: Final = {
    "linux": "M12 3c-2.500 0-3.500 2-3.500 4.500S6 12 6 16s2.500 5 6 5 6-1 6-5-2.500-6-2.500-8.500S14.500 3 12 3z"
    "M10.500 8v.5M13.500 8v.5M10.500 11h3",
    "windows": "M4 6l7-1v6H4zM13 4.700L20 4v7h-7zM4 13h7v6l-7-1zM13 13h7v7l-7-.700z",
}
_SCREEN: Final = "M4 5h16v11H4zM9 20h6M12 16v4"


class Lines(str):
    """A text of several lines."""

    __slots__ = ()


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

    `with_domains` says whether the form has domains; None: if they are not too many.
    """
    matched = matrix(catalog, conditions)
    form_domains = domains(catalog, matched, conditions, executor, wanted=with_domains)
    return dict(sorted(_Site(catalog, conditions, past or History(), fleet, matched, form_domains).files()))


class _Site:
    def __init__(
        self,
        catalog: Catalog,
        conditions: Conditions | None,
        past: History,
        fleet: Fleet | None,
        matched: Matrix,
        form_domains: Domains,
    ) -> None:
        self.catalog, self.past, self.fleet, self.matrix, self.domains = catalog, past, fleet, matched, form_domains
        self.prices = PriceList(catalog, catalog.prices) if catalog.prices else None
        # A release is one of the commits that wrote the objects, where both were committed together.
        self.marks = {release.commit[:12]: release.name for release in past.releases if release.commit}
        counts = [fleet.counts(section) if fleet else {} for section in SECTIONS]
        self.types = types(catalog, self.prices, counts[0])
        self.preferences = preference_rows(catalog, self.prices, counts[1])
        self.kin = Kin(self.types)
        self.offers = offers(catalog, conditions)
        self.offering = offering(self.offers)
        self.templates = jinja2.Environment(
            loader=jinja2.PackageLoader("virtcatalog.site"),
            autoescape=True,
            undefined=jinja2.StrictUndefined,
            finalize=_shown,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
        )
        self.templates.filters |= {"data": as_data, "count": units.count}
        self.templates.tests["has"] = lambda names, name: name in names
        self.templates.globals |= {"icons": _icon, "lines": Lines} | {
            "policy": POLICY,
            "catalog": catalog,
            "prices": self.prices,
            "fleet": fleet,
            "made_by": f"virtcatalog {__version__}",
        }

    def files(self) -> Iterator[tuple[str, str]]:
        assets = files("virtcatalog.site") / "assets"
        for name in ASSETS:
            yield f"assets/{name}", (assets / name).read_text(encoding="utf-8")
        rows = [msgspec.to_builtins(row) for row in self.types]
        series = list(dict.fromkeys(row.series for row in self.types))
        environments = [overlay.name for overlay in self.catalog.overlays]
        yield "index.html", self._page("types.html", rows=rows, series=series, environments=environments)
        yield "compare.html", self._page("compare.html", specs=dict(self._specs()))
        judged = _matrix_data(self.types, self.preferences, self.matrix)
        yield "matrix.html", self._page("matrix.html", data=judged)
        plain = {"name": plainvms.NAME, "image": plainvms.IMAGE}
        yield "form.html", self._page("form.html", data={**judged, "domains": self.domains.data, "plain": plain})
        yield from self.domains.files.items()
        size = {"width": charts.WIDTH, "height": charts.HEIGHT, "margin": charts.MARGIN}
        yield "chart.html", self._page("chart.html", "", chart=charts.chart(self.types), **size)
        yield "preferences.html", self._page("preferences.html", groups=_by_system(self.preferences))
        yield "environments.html", self._page("environments.html", types=self.types, preferences=self.preferences)
        history = chapters(self.catalog, self.past)
        yield "changes.html", self._page("changes.html", chapters=history, omissions=self.past.omissions)
        yield from self._templates()
        for number, row in enumerate(tracked(self.types, len(self.types), "pages of instance types")):
            yield f"types/{row.name}.html", self._type_page(number, row)
        for number, preference in enumerate(tracked(self.preferences, len(self.preferences), "pages of preferences")):
            yield f"preferences/{preference.name}.html", self._preference_page(number, preference)

    def _page(self, template: str, /, root: str = "", **values: Any) -> str:
        return self.templates.get_template(template).render(root=root, here=template, **values)

    def _specs(self) -> Iterator[tuple[str, dict[str, str]]]:
        """The rows of a comparison of instance types by name: their figures, and the fields of their specs."""
        for entry, row in zip(self.catalog.instancetypes, self.types, strict=True):
            flat = {"vCPUs": str(row.vcpus), "Memory": row.amount, "Class": row.series}
            if self.prices:
                flat["Price an hour"], flat["A month"] = (
                    self.prices.text(amount) if amount else "" for amount in (row.cost.hour, row.cost.month)
                )
            if self.catalog.overlays:
                flat["Environments"] = ", ".join(row.environments) or "none"
            yield entry.name, {**flat, "Deprecated": row.retirement, **dict(_flat("", entry.spec))}

    def _type_page(self, number: int, row: Type) -> str:
        entry = self.catalog.instancetypes[number]
        fitting = [
            (preference, self.matrix.reason(number, column)) for column, preference in enumerate(self.preferences)
        ]
        manifest = entry.manifest(CLUSTER_INSTANCETYPE)
        licensed = [self.catalog.preferences[column] for column, (_, reason) in enumerate(fitting) if not reason]
        return self._page(
            "type.html",
            "../",
            type=row,
            **self._context("instancetypes", entry),
            extras=list(self.prices.extras(entry, licensed)) if self.prices else [],
            fitting=[preference for preference, reason in fitting if not reason],
            others=[(preference, reason) for preference, reason in fitting if reason],
            similar=self.kin.similar(row),
            smaller=self.kin.beside(row, -1),
            larger=self.kin.beside(row, 1),
            yaml=Lines(dump(manifest)),
            kustomize=Lines(kustomize(self.catalog, manifest)),
            terraform=Lines(terraform(manifest)),
            vm=Lines(dump(vm(row.name, next((preference.name for preference, reason in fitting if not reason), "")))),
        )

    def _preference_page(self, number: int, preference: PreferenceRow) -> str:
        entry = self.catalog.preferences[number]
        judged = [(row, self.matrix.reason(place, number)) for place, row in enumerate(self.types)]
        return self._page(
            "preference.html",
            "../",
            preference=preference,
            **self._context("preferences", entry),
            fitting=[row for row, reason in judged if not reason],
            others=[(row, reason) for row, reason in judged if reason],
            yaml=Lines(dump(entry.manifest(CLUSTER_PREFERENCE))),
        )

    def _templates(self) -> Iterator[tuple[str, str]]:
        systems = {preference.name: preference.system for preference in self.preferences}
        names: dict[str, Any] = {"types": {row.name for row in self.types}, "preferences": systems}
        declared, files = self.offers
        yield "templates.html", self._page("templates.html", "", templates=declared, files=files, **names)
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


def _shown(value: Any) -> Any:
    """Show every control character that a text from the catalog may hold."""
    if isinstance(value, Lines):
        return terminal(value)
    if isinstance(value, str) and not hasattr(value, "__html__"):
        return single_line(value)
    return value


def as_data(value: Any) -> Markup:
    """Return data as the content of a script element that is no script: nothing in it ends the element."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=True)
    return Markup(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))  # noqa: S704


def _icon(system: str) -> Markup:
    """Return the picture of an operating system, or of a screen; screen readers pass over it."""
    path = _ICONS.get(system, _SCREEN)
    return Markup('<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="{}"></path></svg>').format(path)


def _matrix_data(all_types: Sequence[Type], all_preferences: Sequence[PreferenceRow], matrix: Matrix) -> dict[str, Any]:
    return {
        "types": [row.name for row in all_types],
        "preferences": [preference.name for preference in all_preferences],
        "reasons": matrix.reasons,
        "rows": matrix.rows,
    }


def _by_system(all_preferences: Sequence[PreferenceRow]) -> dict[str, list[PreferenceRow]]:
    groups: dict[str, list[PreferenceRow]] = {}
    for preference in all_preferences:
        groups.setdefault(preference.system, []).append(preference)
    return dict(sorted(groups.items(), key=lambda group: (not group[0], group[0])))


def _flat(path: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from _flat(f"{path}.{key}" if path else key, inner)
    elif isinstance(value, list) and value:
        for number, item in enumerate(value):
            yield from _flat(f"{path}[{number}]", item)
    else:
        yield path, value if isinstance(value, str) else json.dumps(value)
