"""What catalog.yaml, overlays.yaml, vms.yaml and prices.yaml may hold: types as in `declarations.py`."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from msgspec import Meta, field

from virtcatalog.api.instancetype import VirtualMachineInstancetypeSpec, VirtualMachinePreferenceSpec
from virtcatalog.api.object import Object
from virtcatalog.api.quantity import Quantity
from virtcatalog.catalog.declarations import InstancetypeFragment, Labels, Name, PreferenceFragment, doc
from virtcatalog.releases import PREVIEWS


class ArgocdEntry(Object):
    """What Argo CD reads in the objects; what is left out is not annotated."""

    sync_wave: Annotated[int | None, doc("The wave in which they are synced; VMs without one are in wave 0.")] = None
    prune: Annotated[bool | None, doc("false: objects that are no longer rendered stay in the cluster.")] = None


class FluxEntry(Object):
    """What Flux reads in the objects, if it syncs them; its variable substitution leaves them alone."""

    prune: Annotated[bool | None, doc("false: objects that are no longer rendered stay in the cluster.")] = None


class Gitops(Object):
    """Annotations of every object for the tools that sync it."""

    argocd: Annotated[ArgocdEntry | None, doc("For Argo CD.")] = None
    flux: Annotated[FluxEntry | None, doc("For Flux.")] = None


class Operator(Object):
    """What the cluster's KubeVirt operator does besides."""

    common_instancetypes: Annotated[
        Literal["enabled", "disabled"],
        doc("enabled: the operator deploys common-instancetypes, whose names are then taken."),
    ] = "enabled"


class AllowEntry(Object, kw_only=True):
    """A finding of `virtcatalog check` that is meant to be so."""

    rule: Annotated[str, Meta(min_length=1, description="The rule's id, as docs/findings.md lists them.")]
    objects: Annotated[
        list[str], doc("Globs on names or Kind/name, of which one must match; every object if left out.")
    ] = []
    reason: Annotated[str, Meta(min_length=1, description="Why it is meant to be so.")]


class BudgetEntry(Object, kw_only=True):
    """The most that VMs may request, of an environment, of a namespace, of both or of all."""

    environment: Annotated[str, doc("Whose VMs count; those of every environment together if left out.")] = ""
    namespace: Annotated[str, doc("Whose VMs count; those of every namespace together if left out.")] = ""
    requests: Annotated[dict[str, Quantity], doc("The most of each resource: cpu, memory, hugepages-2Mi, devices.")]


class TakenEntry(Object):
    """Which objects of the extended catalog are taken over; those that the catalog declares itself always are."""

    instancetypes: Annotated[list[str], doc("Globs on the names of instance types; all if left out.")] = []
    preferences: Annotated[list[str], doc("Globs on the names of preferences; all if left out.")] = []
    excluded: Annotated[list[str], doc("Globs on the names of what is not taken over all the same.")] = field(
        name="except", default_factory=list
    )


_RELEASE = r"v[0-9]{1,4}\.[0-9]{1,4}(\.[0-9]{1,4})?"


class CatalogFile(Object, kw_only=True):
    """catalog.yaml: what holds for the whole catalog."""

    name: Annotated[str, Meta(min_length=1, description="The catalog's name, in the names of its bundles.")]
    description: Annotated[str, doc("What the catalog is.")] = ""
    vendor: Annotated[str, doc("Who publishes it: the vendor label of every object.")] = ""
    extends: Annotated[
        str,
        doc("The catalog that this one takes over and changes: a folder, a shipped one, or oci://…@sha256:…."),
    ] = ""
    select: Annotated[TakenEntry | None, doc("Which objects of the extended catalog are taken over.")] = None
    kubevirt: Annotated[
        str,
        Meta(
            pattern=f"^{_RELEASE}$",
            examples=["v1.3.0"],
            description="The oldest KubeVirt release that it must work with; by default that of the extended catalog.",
        ),
    ] = ""
    labels: Annotated[Labels, doc("Labels of every object.")] = {}
    annotations: Annotated[Labels, doc("Annotations of every object.")] = {}
    parameters: Annotated[dict[str, Any], doc("Values that expressions may use by name.")] = {}
    operator: Operator = field(default_factory=Operator)
    gitops: Gitops = field(default_factory=Gitops)
    budgets: Annotated[list[BudgetEntry], doc("The most that VMs may request, beyond which is a finding.")] = []
    allow: Annotated[list[AllowEntry], doc("Findings of `virtcatalog check` that are meant to be so.")] = []
    instancetypes: Annotated[InstancetypeFragment | None, doc("The layer below every instance type.")] = None
    preferences: Annotated[PreferenceFragment | None, doc("The layer below every preference.")] = None


Kind = Literal[
    "VirtualMachineClusterInstancetype",
    "VirtualMachineInstancetype",
    "VirtualMachineClusterPreference",
    "VirtualMachinePreference",
]


class SelectionEntry(Object):
    """Which objects: every criterion given must hold."""

    names: Annotated[list[str], doc("Globs, of which one must match the name.")] = []
    kinds: list[Kind] = []
    labels: Annotated[Labels, doc("Labels that the object must have.")] = {}


class PatchMetadata(Object):
    """The metadata that a patch may change."""

    labels: dict[str, str | None] = {}
    annotations: dict[str, str | None] = {}


class PatchEntry(Object):
    """A merge patch for some objects; `null` removes."""

    select: SelectionEntry = field(default_factory=SelectionEntry)
    metadata: PatchMetadata = field(default_factory=PatchMetadata)
    spec: Annotated[
        VirtualMachineInstancetypeSpec | VirtualMachinePreferenceSpec | None,
        doc("Merged into the object's spec."),
    ] = None


class OverlayEntry(Object):
    """An environment."""

    description: str = ""
    kubevirt: Annotated[
        str,
        Meta(
            pattern=f"^({'|'.join((_RELEASE, *map(re.escape, PREVIEWS)))})$",
            examples=["v1.8.4"],
            description="The KubeVirt release that its clusters run, or the branch of a preview: its VMs are judged by "
            "that one's rules.",
        ),
    ] = ""
    scope: Annotated[Literal["cluster", "namespaced", "both"], doc("Which kinds it has.")] = "cluster"
    namespace: Annotated[str, doc("The namespace of namespaced kinds.")] = ""
    templates: Annotated[
        str,
        doc("The namespace of its VirtualMachineTemplates, `namespace` if left out; without either it has none."),
    ] = ""
    clusters: Annotated[
        list[str],
        doc("What its clusters are called: `-f NAME=FILE` gives the VMs of one. It is no part of objects."),
    ] = []
    namespaces: Annotated[
        list[str], doc("Globs of the namespaces whose VMs it is for; of `namespace`, or of all, if left out.")
    ] = []
    deprecated: Annotated[bool, doc("Whether it has deprecated objects.")] = True
    vendor: Annotated[str, doc("A vendor label of its own.")] = ""
    select: SelectionEntry = field(default_factory=SelectionEntry)
    labels: Annotated[Labels, doc("Labels for every object.")] = {}
    annotations: Annotated[Labels, doc("Annotations for every object.")] = {}
    gitops: Gitops = field(default_factory=Gitops)
    patches: list[PatchEntry] = []


class CrossEntry(Object):
    """Which objects a VM template is crossed with: globs of names. A kind that is left out stays the template's."""

    instancetypes: Annotated[list[str], doc("Globs of the names of instance types.")] = []
    preferences: Annotated[list[str], doc("Globs of the names of preferences.")] = []


class TemplateEntry(Object):
    """How a file of vms/ is rendered, and what else its VMs are tested with."""

    parameters: Annotated[
        dict[str, Any], doc("The template's parameters and their defaults; null: every rendering gives one.")
    ] = {}
    environments: Annotated[
        dict[Name, dict[str, Any] | None],
        doc("The only environments that its VMs are for; a template is rendered for each, with these values."),
    ] = {}
    cross: Annotated[
        CrossEntry | None, doc("Golden tests hold the VM with each of these instance types and preferences, too.")
    ] = None


Price = Annotated[str | float, doc("An exact amount such as 0.0125, at least 0; quoted where it has many digits.")]
Rates = dict[str, Price | None]


class LicenceEntry(Object):
    """A licence of guests. The first that covers a preference counts."""

    os_type: Annotated[str, doc("It covers the preferences of this operating system.")] = ""
    preferences: Annotated[list[str], doc("Globs of the names of preferences that it covers.")] = []
    cpu: Annotated[Price | None, doc("What it costs for each vCPU.")] = None
    vm: Annotated[Price | None, doc("What it costs for each VM.")] = None


class PricesFile(Object):
    """prices.yaml: what machines cost. Resources are cpu, memory (a GiB), hugepages-2Mi (a GiB), and devices."""

    currency: Annotated[str, doc("What the amounts are in: EUR.")] = ""
    per_hour: Annotated[Rates | None, doc("What an hour costs, by resource.")] = None
    per_month: Annotated[Rates | None, doc("What a month of 730 hours costs, by resource, in place of perHour.")] = None
    licences: Annotated[list[LicenceEntry], doc("Licences of guests, for the same time.")] = []
    classes: Annotated[dict[Name, Rates | None], doc("Other prices for classes of instance types.")] = {}
    environments: Annotated[dict[Name, Rates | None], doc("Other prices in environments; they count most.")] = {}


OverlaysFile = dict[Name, OverlayEntry | None]
VmsFile = dict[Name, TemplateEntry | None]
