"""The VM templates of a catalog, for pages: what their parameters are, and what KubeVirt makes of the VMs they make."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from virtcatalog.api.kinds import vm_spec
from virtcatalog.ask.items import guest
from virtcatalog.catalog.model import Catalog, Template, VmTemplate
from virtcatalog.catalog.templates import vm_keys
from virtcatalog.errors import UnsupportedError
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.conditions import Conditions, choose_release
from virtcatalog.kubevirt.pipeline import expand
from virtcatalog.manifests.emit import dump
from virtcatalog.manifests.layout import VM_TEMPLATE
from virtcatalog.placement import environments_of, release_of

_PLAIN = re.compile(r"[^-.\w]+", re.ASCII)


class Parameter(msgspec.Struct, frozen=True, kw_only=True):
    """A parameter: what it is for, and the value it has where none is given, or what that is made of."""

    name: str
    title: str = ""
    description: str = ""
    value: str = ""
    made_of: str = ""
    required: bool = False


class Made(msgspec.Struct, frozen=True, kw_only=True):
    """A VM that a template makes: where, of which values, and what becomes of it; `refused` says why nothing does."""

    title: str
    environments: tuple[str, ...] = ()
    values: tuple[tuple[str, str], ...] = ()
    text: str
    facts: tuple[tuple[str, str], ...] = ()
    refused: tuple[str, ...] = ()


class Offer(msgspec.Struct, frozen=True, kw_only=True):
    """A VirtualMachineTemplate, or a file of `vms/`; `page` is that of its own."""

    name: str
    page: str
    title: str = ""
    description: str = ""
    system: str = ""
    workload: str = ""
    size: str = ""
    types: tuple[str, ...] = ()
    preferences: tuple[str, ...] = ()
    environments: tuple[str, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    message: str = ""
    file: str
    made: tuple[Made, ...] = ()
    text: str = ""


def offers(catalog: Catalog, conditions: Conditions | None = None) -> tuple[list[Offer], list[Offer]]:
    """Return the VirtualMachineTemplates of a catalog, and its VM templates in files of `vms/`."""
    made = _Making(catalog, conditions or Conditions())
    of_template: dict[str, list[tuple[VmTemplate, str]]] = {}
    of_file: dict[str, list[tuple[VmTemplate, str]]] = {}
    owners = {key: template.name for template in catalog.templates for key in vm_keys(template)}
    for vm in catalog.vms:
        owner = owners.get(vm.key)
        found = of_file.setdefault(vm.file, []) if owner is None else of_template.setdefault(owner, [])
        found += ((vm, environment) for environment in environments_of(vm, catalog.overlays))
    templates = [_of_template(template, made.of(of_template.get(template.name, ()))) for template in catalog.templates]
    pages = _pages(of_file)
    return templates, [_of_file(name, pages[name], vms, made.of(vms)) for name, vms in of_file.items()]


def offering(offered: Iterable[Iterable[Offer]]) -> dict[tuple[str, str], list[Offer]]:
    """Return what has each instance type and preference, by section of the lock and name."""
    found: dict[tuple[str, str], list[Offer]] = {}
    for offer in (one for group in offered for one in group):
        for section, names in (("instancetypes", offer.types), ("preferences", offer.preferences)):
            for name in names:
                found.setdefault((section, name), []).append(offer)
    return found


class _Making:
    """Makes VMs in the environments that they are for."""

    def __init__(self, catalog: Catalog, conditions: Conditions) -> None:
        self._catalog, self._conditions = catalog, conditions
        self._clusters: dict[tuple[str, str], Cluster] = {}

    def of(self, vms: Iterable[tuple[VmTemplate, str]]) -> tuple[Made, ...]:
        """Return what is made; what is the same in several environments is there once."""
        found: dict[tuple[str, Any, Any, Any], tuple[str, list[str]]] = {}
        for vm, environment in vms:
            facts, refused = self._outcome(vm, environment)
            values = tuple((name, _text(value)) for name, value in vm.parameters.items())
            alike = dump(vm.manifest), values, facts, refused
            found.setdefault(alike, (vm.name, []))[1].append(environment)
        return tuple(
            Made(
                title=title,
                environments=tuple(filter(None, environments)),
                values=values,
                text=text,
                facts=facts,
                refused=refused,
            )
            for (text, values, facts, refused), (title, environments) in found.items()
        )

    def _outcome(self, vm: VmTemplate, environment: str) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
        try:
            result = expand(vm.manifest, self._cluster(vm, environment))
            if result.admitted and result.vmi is not None:
                return tuple(guest(result)), ()
        except UnsupportedError as error:
            return (), (error.sentence,)
        return (), tuple(map(str, result.reasons))

    def _cluster(self, vm: VmTemplate, environment: str) -> Cluster:
        key = environment, vm.file if vm.companions else ""
        if key not in self._clusters:
            objects = [*self._catalog.objects(environment), *vm.companions]
            release = choose_release(self._conditions, release_of(self._catalog.overlays, environment), objects).release
            here = msgspec.structs.replace(self._conditions, release=release, environment=environment or None)
            self._clusters[key] = Cluster.under(objects, here)
        return self._clusters[key]


def _of_template(each: Template, made: tuple[Made, ...]) -> Offer:
    return Offer(
        name=each.name,
        page=f"templates/{each.name}.html",
        title=each.display_name,
        description=each.description,
        system=each.system,
        workload=each.workload,
        size=each.size,
        types=(each.instancetype,) if each.instancetype else (),
        preferences=(each.preference,) if each.preference else (),
        environments=each.environments,
        parameters=tuple(map(_parameter, each.spec["parameters"])),
        message=each.spec.get("message", ""),
        file=each.file,
        made=made,
        text=dump(each.manifest()),
    )


def _parameter(given: Mapping[str, Any]) -> Parameter:
    return Parameter(
        name=given["name"],
        title=given.get("displayName") or "",
        description=given.get("description") or "",
        value=given.get("value") or "",
        made_of=(given.get("from") or "") if given.get("generate") else "",
        required=bool(given.get("required")),
    )


def _of_file(name: str, page: str, vms: list[tuple[VmTemplate, str]], made: tuple[Made, ...]) -> Offer:
    named = list(_named([vm for vm, _ in vms]))
    values: dict[str, list[str]] = {}
    for each in made:
        for parameter, value in each.values:
            if value not in values.setdefault(parameter, []):
                values[parameter].append(value)
    return Offer(
        name=name.removeprefix("vms/").removesuffix(VM_TEMPLATE).removesuffix(".yaml"),
        page=page,
        types=tuple(dict.fromkeys(each for part, each in named if part == "instancetype")),
        preferences=tuple(dict.fromkeys(each for part, each in named if part == "preference")),
        environments=tuple(dict.fromkeys(each for _, each in vms if each)),
        parameters=tuple(Parameter(name=each, value=" or ".join(found)) for each, found in values.items()),
        file=name,
        made=made,
    )


def _named(vms: Iterable[VmTemplate]) -> Iterator[tuple[str, str]]:
    for vm in vms:
        spec = vm_spec(vm.manifest)
        for part in ("instancetype", "preference"):
            given = spec.get(part) if isinstance(spec, dict) else None
            if isinstance(given, dict) and isinstance(given.get("name"), str):
                yield part, given["name"]


def _pages(files: Iterable[str]) -> dict[str, str]:
    """The pages of files, whose names may hold anything: no two have the same one."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in files:
        stem = _PLAIN.sub("-", name.removeprefix("vms/").removesuffix(VM_TEMPLATE).removesuffix(".yaml")).strip(".-")
        page, number = f"vms/{stem or 'vm'}.html", 2
        while page in taken:
            page, number = f"vms/{stem or 'vm'}-{number}.html", number + 1
        taken.add(page)
        found[name] = page
    return found


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
