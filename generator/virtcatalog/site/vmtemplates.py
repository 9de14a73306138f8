"""The VM templates of a catalog, for pages: their parameters, their VMs, and what KubeVirt makes of these."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

import msgspec

from virtcatalog.api.kinds import vm_spec
from virtcatalog.ask.template import guest
from virtcatalog.catalog.model import Catalog, Template, VmTemplate
from virtcatalog.catalog.templates import vm_keys
from virtcatalog.environments import environments_of, release_of
from virtcatalog.errors import UnsupportedError
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.conditions import Conditions, choose_release
from virtcatalog.kubevirt.pipeline import expand
from virtcatalog.manifests.emit import dump
from virtcatalog.manifests.fields import map_at
from virtcatalog.manifests.layout import VM_TEMPLATE
from virtcatalog.publish.rendered import Which
from virtcatalog.site.plainvms import Facts

_PLAIN = re.compile(r"[^-.\w]+", re.ASCII)


class Parameter(msgspec.Struct, frozen=True, kw_only=True):
    """A parameter: what it is for, and its default, or the expression that its default is generated from."""

    name: str
    title: str = ""
    description: str = ""
    value: str = ""
    made_of: str = ""
    required: bool = False


class TemplateVm(msgspec.Struct, frozen=True, kw_only=True):
    """A VM of a template: its environments, values and facts; `refused` says why KubeVirt refuses it."""

    title: str
    environments: tuple[str, ...] = ()
    values: tuple[tuple[str, str], ...] = ()
    text: str
    facts: Facts = ()
    refused: tuple[str, ...] = ()


class Offer(msgspec.Struct, frozen=True, kw_only=True):
    """A VirtualMachineTemplate, or a file of `vms/`; `page` is its own page."""

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
    vms: tuple[TemplateVm, ...] = ()
    text: str = ""


def offers(catalog: Catalog, conditions: Conditions | None = None) -> tuple[list[Offer], list[Offer]]:
    """Return the VirtualMachineTemplates of a catalog, and its VM templates in files of `vms/`."""
    expander = _Expander(catalog, conditions or Conditions())
    of_template: dict[str, list[tuple[VmTemplate, str]]] = {}
    of_file: dict[str, list[tuple[VmTemplate, str]]] = {}
    owners = {key: template.name for template in catalog.templates for key in vm_keys(template)}
    for vm in catalog.vms:
        owner = owners.get(vm.key)
        owned = of_file.setdefault(vm.file, []) if owner is None else of_template.setdefault(owner, [])
        owned += ((vm, environment) for environment in environments_of(vm, catalog.overlays))
    templates = [
        _of_template(template, expander.of(of_template.get(template.name, ()))) for template in catalog.templates
    ]
    pages = _pages(of_file)
    return templates, [_of_file(name, pages[name], vms, expander.of(vms)) for name, vms in of_file.items()]


def offering(offered: Iterable[Iterable[Offer]]) -> dict[Which, list[Offer]]:
    """Return the offers that use an instance type or preference, by section of the lock and name."""
    by_object: dict[Which, list[Offer]] = {}
    for offer in chain.from_iterable(offered):
        for section, names in (("instancetypes", offer.types), ("preferences", offer.preferences)):
            for name in names:
                by_object.setdefault((section, name), []).append(offer)
    return by_object


class _Expander:
    """Expands the VMs of templates in their environments."""

    def __init__(self, catalog: Catalog, conditions: Conditions) -> None:
        self._catalog, self._conditions = catalog, conditions
        self._clusters: dict[tuple[str, str], Cluster] = {}

    def of(self, vms: Iterable[tuple[VmTemplate, str]]) -> tuple[TemplateVm, ...]:
        """Return the VMs; one that is the same in several environments is there once."""
        environments_by_vm: dict[tuple[str, Any, Facts, tuple[str, ...]], tuple[str, list[str]]] = {}
        for vm, environment in vms:
            facts, refused = self._outcome(vm, environment)
            values = tuple((name, _text(value)) for name, value in vm.parameters.items())
            key = dump(vm.manifest), values, facts, refused
            environments_by_vm.setdefault(key, (vm.name, []))[1].append(environment)
        return tuple(
            TemplateVm(
                title=title,
                environments=tuple(filter(None, environments)),
                values=values,
                text=text,
                facts=facts,
                refused=refused,
            )
            for (text, values, facts, refused), (title, environments) in environments_by_vm.items()
        )

    def _outcome(self, vm: VmTemplate, environment: str) -> tuple[Facts, tuple[str, ...]]:
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
            conditions = msgspec.structs.replace(self._conditions, release=release, environment=environment or None)
            self._clusters[key] = Cluster.under(objects, conditions)
        return self._clusters[key]


def _of_template(template: Template, vms: tuple[TemplateVm, ...]) -> Offer:
    return Offer(
        name=template.name,
        page=f"templates/{template.name}.html",
        title=template.display_name,
        description=template.description,
        system=template.system,
        workload=template.workload,
        size=template.size,
        types=(template.instancetype,) if template.instancetype else (),
        preferences=(template.preference,) if template.preference else (),
        environments=template.environments,
        parameters=tuple(map(_parameter, template.spec["parameters"])),
        message=template.spec.get("message", ""),
        file=template.file,
        vms=vms,
        text=dump(template.manifest()),
    )


def _parameter(parameter: Mapping[str, Any]) -> Parameter:
    return Parameter(
        name=parameter["name"],
        title=parameter.get("displayName") or "",
        description=parameter.get("description") or "",
        value=parameter.get("value") or "",
        made_of=(parameter.get("from") or "") if parameter.get("generate") else "",
        required=bool(parameter.get("required")),
    )


def _of_file(name: str, page: str, vms: list[tuple[VmTemplate, str]], template_vms: tuple[TemplateVm, ...]) -> Offer:
    values: dict[str, list[str]] = {}
    for vm in template_vms:
        for parameter, value in vm.values:
            if value not in values.setdefault(parameter, []):
                values[parameter].append(value)
    return Offer(
        name=_stem(name),
        page=page,
        types=_matched(vms, "instancetype"),
        preferences=_matched(vms, "preference"),
        environments=tuple(dict.fromkeys(environment for _, environment in vms if environment)),
        parameters=tuple(
            Parameter(name=name, value=" or ".join(alternatives)) for name, alternatives in values.items()
        ),
        file=name,
        vms=template_vms,
    )


def _matched(vms: Iterable[tuple[VmTemplate, str]], matcher: str) -> tuple[str, ...]:
    """The names that VMs have in a matcher of theirs, each once."""
    names = (map_at(vm_spec(vm.manifest), matcher).get("name") for vm, _ in vms)
    return tuple(dict.fromkeys(name for name in names if isinstance(name, str)))


def _stem(file: str) -> str:
    """What a file of `vms/` is called."""
    return file.removeprefix("vms/").removesuffix(VM_TEMPLATE).removesuffix(".yaml")


def _pages(files: Iterable[str]) -> dict[str, str]:
    """The pages of files, whose names may hold anything: all different."""
    pages: dict[str, str] = {}
    used_pages: set[str] = set()
    for name in files:
        stem = _PLAIN.sub("-", _stem(name)).strip(".-") or "vm"
        page, number = f"vms/{stem}.html", 2
        while page in used_pages:
            page, number = f"vms/{stem}-{number}.html", number + 1
        used_pages.add(page)
        pages[name] = page
    return pages


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
