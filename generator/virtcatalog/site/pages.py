"""The site's files, path to text: a pure function of the catalog, the same bytes wherever it is built."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from importlib.resources import files
from typing import Any

import jinja2
import msgspec
from markupsafe import Markup

from virtcatalog import units
from virtcatalog._version import __version__
from virtcatalog.catalog.lock import SECTIONS
from virtcatalog.catalog.model import CLUSTER_INSTANCETYPE, CLUSTER_PREFERENCE, Catalog, Entry, Published
from virtcatalog.escaping import single_line, terminal
from virtcatalog.fleet.pool import Executor
from virtcatalog.kubevirt.conditions import Conditions
from virtcatalog.manifests.emit import dump
from virtcatalog.progress import tracked
from virtcatalog.site import chart as charts
from virtcatalog.site import plainvms
from virtcatalog.site.changes import Known, chapters
from virtcatalog.site.domains import Domains, domains
from virtcatalog.site.facts import Type, Wish, types, wishes
from virtcatalog.site.fleet import Fleet
from virtcatalog.site.icons import icon
from virtcatalog.site.kin import Kin
from virtcatalog.site.pairs import Matrix, matrix
from virtcatalog.site.prices import PriceList
from virtcatalog.site.snippets import kustomize, terraform, vm
from virtcatalog.site.vmtemplates import offering, offers

ASSETS = ("site.css", "site.js", "types.js", "matrix.js", "compare.js", "domain.js", "vm.js", "form.js")
#: `file:` lets the site work from a folder; no page asks for anything from elsewhere.
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


class Lines(str):
    """A text of several lines."""

    __slots__ = ()


def render(
    catalog: Catalog,
    conditions: Conditions | None = None,
    past: Known | None = None,
    fleet: Fleet | None = None,
    executor: Executor | None = None,
    *,
    made_in_advance: bool | None = None,
) -> dict[str, str]:
    """Return every file of the site, sorted by path; the executor, if there is one, shares the work on many types.

    `made_in_advance` says whether the form has domains; if nobody says, it has where they are not too many.
    """
    matched = matrix(catalog, conditions)
    made = domains(catalog, matched, conditions, executor, wanted=made_in_advance)
    return dict(sorted(_Site(catalog, conditions, past or Known(), fleet, matched, made).files()))


class _Site:
    def __init__(
        self,
        catalog: Catalog,
        conditions: Conditions | None,
        past: Known,
        fleet: Fleet | None,
        matched: Matrix,
        made: Domains,
    ) -> None:
        self.catalog, self.past, self.fleet, self.matrix, self.domains = catalog, past, fleet, matched, made
        self.prices = PriceList(catalog, catalog.prices) if catalog.prices else None
        # A release is one of the commits that wrote the objects, where both were committed together.
        self.marks = {release.commit[:12]: release.name for release in past.releases if release.commit}
        counts = [fleet.counts(section) if fleet else {} for section in SECTIONS]
        self.types = types(catalog, self.prices, counts[0])
        self.wishes = wishes(catalog, self.prices, counts[1])
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
        self.templates.tests["has"] = lambda found, name: name in found
        self.templates.globals |= {"icons": icon, "lines": Lines} | {
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
        rows = [msgspec.to_builtins(each) for each in self.types]
        series = list(dict.fromkeys(each.series for each in self.types))
        environments = [overlay.name for overlay in self.catalog.overlays]
        yield "index.html", self._page("types.html", rows=rows, series=series, environments=environments)
        yield "compare.html", self._page("compare.html", specs=dict(self._specs()))
        judged = _matrix_data(self.types, self.wishes, self.matrix)
        yield "matrix.html", self._page("matrix.html", data=judged)
        plain = {"name": plainvms.NAME, "image": plainvms.IMAGE}
        yield "form.html", self._page("form.html", data={**judged, "domains": self.domains.data, "plain": plain})
        yield from self.domains.files.items()
        size = {"width": charts.WIDTH, "height": charts.HEIGHT, "margin": charts.MARGIN}
        yield "chart.html", self._page("chart.html", "", chart=charts.chart(self.types), **size)
        yield "preferences.html", self._page("preferences.html", groups=_by_system(self.wishes))
        yield "environments.html", self._page("environments.html", types=self.types, wishes=self.wishes)
        told = chapters(self.catalog, self.past)
        yield "changes.html", self._page("changes.html", chapters=told, said=self.past.said)
        yield from self._templates()
        for number, each in enumerate(tracked(self.types, len(self.types), "pages of instance types")):
            yield f"types/{each.name}.html", self._type_page(number, each)
        for number, wish in enumerate(tracked(self.wishes, len(self.wishes), "pages of preferences")):
            yield f"preferences/{wish.name}.html", self._wish_page(number, wish)

    def _page(self, template: str, /, root: str = "", **values: Any) -> str:
        return self.templates.get_template(template).render(root=root, here=template, **values)

    def _specs(self) -> Iterator[tuple[str, dict[str, str]]]:
        """What two instance types may differ in, flat: the fields of their specs, and their labels."""
        for entry, row in zip(self.catalog.instancetypes, self.types, strict=True):
            flat = {"vCPUs": str(row.vcpus), "Memory": row.amount, "Class": row.series}
            if self.prices:
                flat["Price an hour"], flat["A month"] = (
                    self.prices.said(each) if each else "" for each in (row.cost.hour, row.cost.month)
                )
            if self.catalog.overlays:
                flat["Environments"] = ", ".join(row.environments) or "none"
            yield entry.name, {**flat, "Deprecated": row.retirement, **dict(_flat("", entry.spec))}

    def _type_page(self, number: int, each: Type) -> str:
        entry = self.catalog.instancetypes[number]
        fitting = [(wish, self.matrix.reason(number, column)) for column, wish in enumerate(self.wishes)]
        manifest = entry.manifest(CLUSTER_INSTANCETYPE)
        licensed = [self.catalog.preferences[column] for column, (_, reason) in enumerate(fitting) if not reason]
        return self._page(
            "type.html",
            "../",
            type=each,
            **self._known("instancetypes", entry),
            extras=list(self.prices.extras(entry, licensed)) if self.prices else [],
            fitting=[wish for wish, reason in fitting if not reason],
            others=[(wish, reason) for wish, reason in fitting if reason],
            similar=self.kin.similar(each),
            smaller=self.kin.beside(each, -1),
            larger=self.kin.beside(each, 1),
            yaml=Lines(dump(manifest)),
            kustomize=Lines(kustomize(self.catalog, manifest)),
            terraform=Lines(terraform(manifest)),
            vm=Lines(dump(vm(each.name, next((wish.name for wish, reason in fitting if not reason), "")))),
        )

    def _wish_page(self, number: int, wish: Wish) -> str:
        entry = self.catalog.preferences[number]
        judged = [(each, self.matrix.reason(row, number)) for row, each in enumerate(self.types)]
        return self._page(
            "preference.html",
            "../",
            wish=wish,
            **self._known("preferences", entry),
            fitting=[each for each, reason in judged if not reason],
            others=[(each, reason) for each, reason in judged if reason],
            yaml=Lines(dump(entry.manifest(CLUSTER_PREFERENCE))),
        )

    def _templates(self) -> Iterator[tuple[str, str]]:
        systems = {wish.name: wish.system for wish in self.wishes}
        names: dict[str, Any] = {"types": {each.name for each in self.types}, "wishes": systems}
        declared, files = self.offers
        yield "templates.html", self._page("templates.html", "", templates=declared, files=files, **names)
        for offer in (each for group in self.offers for each in group):
            yield offer.page, self._page("template.html", "../", offer=offer, **names)

    def _known(self, section: str, entry: Entry) -> dict[str, Any]:
        """What is known of an object beside what the catalog says: its past, and who uses it."""
        lock = self.catalog.lock
        was: Published | None = getattr(lock, section).get(entry.name) if lock else None
        return {
            "released": lock.version if lock else "",
            "since": was.since if was and was.spec == entry.spec else "",
            "events": self.past.events.get((section, entry.name), ()),
            "told": self.past.told,
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


def _matrix_data(all_types: Sequence[Type], all_wishes: Sequence[Wish], found: Matrix) -> dict[str, Any]:
    return {
        "types": [each.name for each in all_types],
        "preferences": [wish.name for wish in all_wishes],
        "reasons": found.reasons,
        "rows": found.rows,
    }


def _by_system(all_wishes: Sequence[Wish]) -> dict[str, list[Wish]]:
    groups: dict[str, list[Wish]] = {}
    for wish in all_wishes:
        groups.setdefault(wish.system, []).append(wish)
    return dict(sorted(groups.items(), key=lambda group: (not group[0], group[0])))


def _flat(path: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict) and value:
        for key, each in value.items():
            yield from _flat(f"{path}.{key}" if path else key, each)
    elif isinstance(value, list) and value:
        for number, each in enumerate(value):
            yield from _flat(f"{path}[{number}]", each)
    else:
        yield path, value if isinstance(value, str) else json.dumps(value)
