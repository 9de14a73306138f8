"""What a catalog's files may hold: the types that declarations are checked against and their schemas come from.

These types describe; they are never instantiated. Every key may be left out unless its field has no default, and in
fragments `null` removes what an earlier layer set.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, field

from virtcatalog.api.instancetype import VirtualMachineInstancetypeSpec, VirtualMachinePreferenceSpec
from virtcatalog.api.object import Object, since
from virtcatalog.api.quantity import Quantity


def _says(description: str) -> Meta:
    return Meta(description=description)


Labels = dict[str, str]
Memory = Annotated[Quantity, _says("An amount of memory such as 512Mi or 4Gi.")]
Vcpus = Annotated[int, Meta(ge=1, le=2**32 - 1, description="A number of vCPUs.")]
Components = Annotated[list[str], _says("Names from components.yaml, mixed in left to right before the own fields.")]
Name = Annotated[str, Meta(min_length=1, description="The object's name.")]


OsType = Annotated[str, _says("The kind of guest (linux, windows, legacy …): a label.")]
Arch = Annotated[
    str, _says("The guest's architecture: a label, and from KubeVirt v1.7 on the preferred and required one.")
]


class Deprecated(Object):
    """That the object goes away: a label, and annotations that say what to use and until when."""

    replaced_by: Annotated[str, _says("The name of the object of the same kind to use instead.")] = ""
    sunset: Annotated[str, _says("The date of its removal, YYYY-MM-DD.")] = ""


class Fragment(Object):
    """What every layer may set."""

    display_name: Annotated[str, _says("What user interfaces call it.")] = ""
    description: Annotated[str, _says("One or more sentences on what it is for.")] = ""
    labels: Annotated[Labels, _says("Labels beside the derived ones, which cannot be set by hand.")] = {}
    annotations: Annotated[Labels, _says("Annotations of the object.")] = {}
    components: Components = []
    deprecated: Annotated[Deprecated | None, _says("null: not deprecated after all.")] = None


class InstancetypeFragment(Fragment):
    """A layer of an instance type."""

    memory_per_vcpu: Annotated[Memory | None, _says("The ratio: memory is vcpus x memoryPerVcpu.")] = None
    spec: Annotated[VirtualMachineInstancetypeSpec | None, _says("Part of an instance type's spec.")] = None


class Size(InstancetypeFragment):
    """A size of a class: the entry's own layer."""

    vcpus: Vcpus | None = None
    memory: Annotated[Memory | None, _says("The memory, where it does not follow the class's ratio.")] = None


class SizeVariant(InstancetypeFragment):
    """A variant of a class: a last layer over each size, or over the sizes it names."""

    sizes: Annotated[list[str], _says("The sizes that have this variant; all of them if left out.")] = []


class InstancetypeFile(InstancetypeFragment, kw_only=True):
    """instancetypes/*.yaml: one class and its sizes."""

    series: Annotated[str, Meta(min_length=1, description="The class; its label, and the start of the names.")] = field(
        name="class"
    )
    version: Annotated[int | str, _says("The version of the class, part of the names.")] = ""
    name: Annotated[str, _says("How names are made; default '{{ class }}{{ version }}.{{ size }}{{ variant }}'.")] = ""
    sizes: Annotated[dict[Name, Size | None], _says("The sizes, by name.")]
    variants: Annotated[dict[Name, SizeVariant | None], _says("Further objects for the sizes, by suffix.")] = {}


class Requirements(Object):
    """What a VM must have at least for a preference to admit it (`spec.requirements`)."""

    vcpus: Vcpus | None = None
    memory: Annotated[Memory | None, _says("The least memory.")] = None
    arch: Annotated[str | None, since("v1.7"), _says("The architecture that the VM must have.")] = None


class PreferenceFragment(Fragment):
    """A layer of a preference."""

    os_type: OsType = ""
    arch: Arch = ""
    requirements: Annotated[Requirements | None, _says("What a VM must have at least.")] = None
    spec: Annotated[VirtualMachinePreferenceSpec | None, _says("Part of a preference's spec.")] = None


class PreferenceEntry(PreferenceFragment):
    """A preference: the entry's own layer."""

    variants: Annotated[
        dict[Name, PreferenceFragment | None], _says("Further preferences named NAME.VARIANT: a last layer over it.")
    ] = {}


class PreferenceVariant(PreferenceFragment):
    """A variant of a file's preferences: a layer over each of them, or over those it names."""

    preferences: Annotated[list[str], _says("Globs of the preferences that have this variant; all if left out.")] = []


class PreferenceFile(Object, kw_only=True):
    """preferences/*.yaml: preferences, by name."""

    defaults: Annotated[PreferenceFragment | None, _says("The layer below every preference of this file.")] = None
    preferences: Annotated[dict[Name, PreferenceEntry | None], _says("The preferences, by name.")]
    variants: Annotated[
        dict[Name, PreferenceVariant | None], _says("Variants that several preferences of this file have.")
    ] = {}


class Component(Fragment):
    """A named fragment: what instance types or preferences mix in. It may itself mix in others."""

    os_type: OsType = ""
    arch: Arch = ""
    requirements: Annotated[Requirements | None, _says("What a VM must have at least.")] = None
    memory_per_vcpu: Annotated[Memory | None, _says("The ratio of an instance type.")] = None
    spec: Annotated[
        VirtualMachineInstancetypeSpec | VirtualMachinePreferenceSpec | None,
        _says("Part of an instance type's spec or of a preference's."),
    ] = None


class TemplateParameter(Object):
    """A parameter of a VirtualMachineTemplate; what is left out is as a layer below says it."""

    display_name: str = ""
    description: str = ""
    value: Annotated[str, _says("Its value, where none is given.")] = ""
    generate: Annotated[Literal["expression"] | None, _says("How a value is made; `from` alone says as much.")] = None
    from_: Annotated[str, _says("What a value is made of: vm-[a-z0-9]{5}.")] = field(name="from", default="")
    required: Annotated[bool, _says("Whether whoever makes a VM has to give a value.")] = False


class TemplateFragment(Object):
    """A layer of VirtualMachineTemplates. `{{ os }}`, `{{ workload }}` and `{{ size }}` are known in its texts."""

    display_name: Annotated[str, _says("What user interfaces call it.")] = ""
    description: Annotated[str, _says("One or more sentences on what it is for.")] = ""
    labels: Annotated[Labels, _says("Labels beside the derived ones.")] = {}
    annotations: Annotated[Labels, _says("Annotations of the template.")] = {}
    instancetype: Annotated[str, _says("The catalog's instance type that its VMs have.")] = ""
    preference: Annotated[str, _says("The catalog's preference that its VMs have.")] = ""
    image: Annotated[str, _says("Where the disk's content comes from: `{{ image }}` in other fields.")] = ""
    message: Annotated[str, _says("What is said to whoever makes a VM; `${NAME}` refers to parameters.")] = ""
    parameters: Annotated[dict[Name, TemplateParameter | None], _says("Its parameters, by name.")] = {}
    vm: Annotated[
        dict[str, Any],
        _says("Part of the VirtualMachine: metadata and spec; `${NAME}` stands for a parameter."),
    ] = {}
    tests: Annotated[
        dict[Name, Labels | None],
        _says("Sets of parameters' values, by name: check, diff and golden tests look at their VMs, too."),
    ] = {}


class TemplateSystem(TemplateFragment):
    """An operating system: the last layer."""

    workloads: Annotated[
        dict[Name, list[str] | None], _says("Its workloads, and the sizes that each has; all of them if left out.")
    ] = {}


class TemplateFile(Object, kw_only=True):
    """templates/*.yaml: VirtualMachineTemplates, one for each operating system, workload and size."""

    name: Annotated[str, _says("How names are made; default '{{ os }}-{{ workload }}-{{ size }}'.")] = ""
    defaults: Annotated[TemplateFragment | None, _says("The layer below every template of this file.")] = None
    sizes: Annotated[dict[Name, TemplateFragment | None], _says("The sizes, by name: the layer over the defaults.")]
    workloads: Annotated[dict[Name, TemplateFragment | None], _says("The workloads, by name: a layer over the size.")]
    systems: Annotated[dict[Name, TemplateSystem | None], _says("The operating systems, by name.")]


class ArgocdEntry(Object):
    """What Argo CD reads in the objects; what is left out is not annotated."""

    sync_wave: Annotated[int | None, _says("The wave in which they are synced; VMs without one are in wave 0.")] = None
    prune: Annotated[bool | None, _says("false: objects that are no longer rendered stay in the cluster.")] = None


class FluxEntry(Object):
    """What Flux reads in the objects, if it syncs them; its variable substitution leaves them alone."""

    prune: Annotated[bool | None, _says("false: objects that are no longer rendered stay in the cluster.")] = None


class Gitops(Object):
    """Annotations of every object for the tools that sync it."""

    argocd: Annotated[ArgocdEntry | None, _says("For Argo CD.")] = None
    flux: Annotated[FluxEntry | None, _says("For Flux.")] = None


class Operator(Object):
    """What the cluster's KubeVirt operator does besides."""

    common_instancetypes: Annotated[
        Literal["enabled", "disabled"],
        _says("enabled: the operator deploys common-instancetypes, whose names are then taken."),
    ] = "enabled"


class AllowEntry(Object, kw_only=True):
    """A finding of `virtcatalog check` that is meant to be so."""

    rule: Annotated[str, Meta(min_length=1, description="The rule's id, as docs/findings.md lists them.")]
    objects: Annotated[
        list[str], _says("Globs on names or Kind/name, of which one must match; every object if left out.")
    ] = []
    reason: Annotated[str, Meta(min_length=1, description="Why it is meant to be so.")]


class BudgetEntry(Object, kw_only=True):
    """The most that VMs may request, of an environment, of a namespace, of both or of all."""

    environment: Annotated[str, _says("Whose VMs count; those of every environment together if left out.")] = ""
    namespace: Annotated[str, _says("Whose VMs count; those of every namespace together if left out.")] = ""
    requests: Annotated[dict[str, Quantity], _says("The most of each resource: cpu, memory, hugepages-2Mi, devices.")]


class TakenEntry(Object):
    """Which objects of the extended catalog are taken over; those that the catalog declares itself always are."""

    instancetypes: Annotated[list[str], _says("Globs on the names of instance types; all if left out.")] = []
    preferences: Annotated[list[str], _says("Globs on the names of preferences; all if left out.")] = []
    excluded: Annotated[list[str], _says("Globs on the names of what is not taken over all the same.")] = field(
        name="except", default_factory=list
    )


_RELEASE = r"^v1\.[0-9]{1,4}(\.[0-9]{1,4})?$"


class CatalogFile(Object, kw_only=True):
    """catalog.yaml: what holds for the whole catalog."""

    name: Annotated[str, Meta(min_length=1, description="The catalog's name, in the names of its bundles.")]
    description: Annotated[str, _says("What the catalog is.")] = ""
    vendor: Annotated[str, _says("Who publishes it: the vendor label of every object.")] = ""
    extends: Annotated[
        str, _says("The folder of a catalog that this one takes over and changes, or a shipped one.")
    ] = ""
    select: Annotated[TakenEntry | None, _says("Which objects of the extended catalog are taken over.")] = None
    kubevirt: Annotated[
        str,
        Meta(
            pattern=_RELEASE,
            examples=["v1.3.0"],
            description="The oldest KubeVirt release that it must work with; by default that of the extended catalog.",
        ),
    ] = ""
    labels: Annotated[Labels, _says("Labels of every object.")] = {}
    annotations: Annotated[Labels, _says("Annotations of every object.")] = {}
    parameters: Annotated[dict[str, Any], _says("Values that expressions may use by name.")] = {}
    operator: Operator = field(default_factory=Operator)
    gitops: Gitops = field(default_factory=Gitops)
    budgets: Annotated[list[BudgetEntry], _says("The most that VMs may request, beyond which is a finding.")] = []
    allow: Annotated[list[AllowEntry], _says("Findings of `virtcatalog check` that are meant to be so.")] = []
    instancetypes: Annotated[InstancetypeFragment | None, _says("The layer below every instance type.")] = None
    preferences: Annotated[PreferenceFragment | None, _says("The layer below every preference.")] = None


Kind = Literal[
    "VirtualMachineClusterInstancetype",
    "VirtualMachineInstancetype",
    "VirtualMachineClusterPreference",
    "VirtualMachinePreference",
]


class SelectionEntry(Object):
    """Which objects: every criterion given must hold."""

    names: Annotated[list[str], _says("Globs, of which one must match the name.")] = []
    kinds: list[Kind] = []
    labels: Annotated[Labels, _says("Labels that the object must have.")] = {}


class PatchMetadata(Object):
    """The metadata that a patch may change."""

    labels: dict[str, str | None] = {}
    annotations: dict[str, str | None] = {}


class PatchEntry(Object):
    """A merge patch for some objects; `null` removes."""

    select: SelectionEntry = field(default_factory=SelectionEntry)
    metadata: PatchMetadata = field(default_factory=PatchMetadata)
    spec: Annotated[
        VirtualMachineInstancetypeSpec | VirtualMachinePreferenceSpec | None, _says("Merged into the object's spec.")
    ] = None


class OverlayEntry(Object):
    """An environment."""

    description: str = ""
    kubevirt: Annotated[
        str,
        Meta(
            pattern=_RELEASE,
            examples=["v1.8.4"],
            description="The KubeVirt release that its clusters run: its VMs are judged by that one's rules.",
        ),
    ] = ""
    scope: Annotated[Literal["cluster", "namespaced", "both"], _says("Which kinds it has.")] = "cluster"
    namespace: Annotated[str, _says("The namespace of namespaced kinds.")] = ""
    templates: Annotated[
        str, _says("The namespace of its VirtualMachineTemplates, `namespace` if left out; without either it has none.")
    ] = ""
    clusters: Annotated[
        list[str], _says("What its clusters are called: `-f NAME=FILE` gives the VMs of one. It is no part of objects.")
    ] = []
    namespaces: Annotated[
        list[str], _says("Globs of the namespaces whose VMs it is for; of `namespace`, or of all, if left out.")
    ] = []
    deprecated: Annotated[bool, _says("Whether it has deprecated objects.")] = True
    vendor: Annotated[str, _says("A vendor label of its own.")] = ""
    select: SelectionEntry = field(default_factory=SelectionEntry)
    labels: Annotated[Labels, _says("Labels for every object.")] = {}
    annotations: Annotated[Labels, _says("Annotations for every object.")] = {}
    gitops: Gitops = field(default_factory=Gitops)
    patches: list[PatchEntry] = []


class CrossEntry(Object):
    """Which objects a VM template is crossed with: globs of names. A kind that is left out stays the template's."""

    instancetypes: Annotated[list[str], _says("Globs of the names of instance types.")] = []
    preferences: Annotated[list[str], _says("Globs of the names of preferences.")] = []


class TemplateEntry(Object):
    """How a file of vms/ is rendered, and what else its VMs are tested with."""

    parameters: Annotated[
        dict[str, Any], _says("The template's parameters and their defaults; null: every rendering gives one.")
    ] = {}
    environments: Annotated[
        dict[Name, dict[str, Any] | None],
        _says("The only environments that its VMs are for; a template is rendered for each, with these values."),
    ] = {}
    cross: Annotated[
        CrossEntry | None, _says("Golden tests hold the VM with each of these instance types and preferences, too.")
    ] = None


Price = Annotated[str | float, _says("An exact amount such as 0.0125, at least 0; quoted where it has many digits.")]
Rates = dict[str, Price | None]


class LicenceEntry(Object):
    """A licence of guests. The first that covers a preference counts."""

    os_type: Annotated[str, _says("It covers the preferences of this operating system.")] = ""
    preferences: Annotated[list[str], _says("Globs of the names of preferences that it covers.")] = []
    cpu: Annotated[Price | None, _says("What it costs for each vCPU.")] = None
    vm: Annotated[Price | None, _says("What it costs for each VM.")] = None


class PricesFile(Object):
    """prices.yaml: what machines cost. Resources are cpu, memory (a GiB), hugepages-2Mi (a GiB), and devices."""

    currency: Annotated[str, _says("What the amounts are in: EUR.")] = ""
    per_hour: Annotated[Rates | None, _says("What an hour costs, by resource.")] = None
    per_month: Annotated[Rates | None, _says("What a month of 730 hours costs, by resource, in place of perHour.")] = (
        None
    )
    licences: Annotated[list[LicenceEntry], _says("Licences of guests, for the same time.")] = []
    classes: Annotated[dict[Name, Rates | None], _says("Other prices for classes of instance types.")] = {}
    environments: Annotated[dict[Name, Rates | None], _says("Other prices in environments; they count most.")] = {}


ComponentsFile = dict[Name, Component | None]
OverlaysFile = dict[Name, OverlayEntry | None]
VmsFile = dict[Name, TemplateEntry | None]
