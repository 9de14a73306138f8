"""What the declarations of instance types, preferences, components and templates may hold.

Declarations are checked against these types, and their JSON schemas come from them. The types
describe; they are never instantiated. Every key may be left out unless its field has no default, and in fragments
`null` removes what an earlier layer set.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, field

from virtcatalog.api.instancetype import VirtualMachineInstancetypeSpec, VirtualMachinePreferenceSpec
from virtcatalog.api.object import Object, since
from virtcatalog.api.quantity import Quantity


def doc(description: str) -> Meta:
    """Return a description for a schema."""
    return Meta(description=description)


Labels = dict[str, str]
Memory = Annotated[Quantity, doc("An amount of memory such as 512Mi or 4Gi.")]
Vcpus = Annotated[int, Meta(ge=1, le=2**32 - 1, description="A number of vCPUs.")]
Components = Annotated[list[str], doc("Names from components.yaml, mixed in left to right before the own fields.")]
Name = Annotated[str, Meta(min_length=1, description="The object's name.")]


OsType = Annotated[str, doc("The kind of guest (linux, windows, legacy …): a label.")]
Architecture = Literal["amd64", "arm64", "s390x"]
Arch = Annotated[
    Architecture | None,
    doc("The guest's architecture: a label, and from KubeVirt v1.7 on the preferred and required one."),
]


class Deprecated(Object):
    """That the object goes away: a label, and annotations that say what to use and until when."""

    replaced_by: Annotated[str, doc("The name of the object of the same kind to use instead.")] = ""
    sunset: Annotated[str, doc("The date of its removal, YYYY-MM-DD.")] = ""


class Fragment(Object):
    """What every layer may set."""

    display_name: Annotated[str, doc("What user interfaces call it.")] = ""
    description: Annotated[str, doc("One or more sentences on what it is for.")] = ""
    labels: Annotated[Labels, doc("Labels beside the derived ones, which cannot be set by hand.")] = {}
    annotations: Annotated[Labels, doc("Annotations of the object.")] = {}
    components: Components = []
    deprecated: Annotated[Deprecated | None, doc("null: not deprecated after all.")] = None


class InstancetypeFragment(Fragment):
    """A layer of an instance type."""

    memory_per_vcpu: Annotated[Memory | None, doc("The ratio: memory is vcpus x memoryPerVcpu.")] = None
    spec: Annotated[VirtualMachineInstancetypeSpec | None, doc("Part of an instance type's spec.")] = None


class Size(InstancetypeFragment):
    """A size of a class: the entry's own layer."""

    vcpus: Vcpus | None = None
    memory: Annotated[Memory | None, doc("The memory, where it does not follow the class's ratio.")] = None


class SizeVariant(InstancetypeFragment):
    """A variant of a class: a last layer over each size, or over the sizes it names."""

    sizes: Annotated[list[str], doc("The sizes that have this variant; all of them if left out.")] = []


class InstancetypeFile(InstancetypeFragment, kw_only=True):
    """instancetypes/*.yaml: one class and its sizes."""

    series: Annotated[str, Meta(min_length=1, description="The class; its label, and the start of the names.")] = field(
        name="class"
    )
    version: Annotated[int | str, doc("The version of the class, part of the names.")] = ""
    name: Annotated[str, doc("How names are made; default '{{ class }}{{ version }}.{{ size }}{{ variant }}'.")] = ""
    sizes: Annotated[dict[Name, Size | None], doc("The sizes, by name.")]
    variants: Annotated[dict[Name, SizeVariant | None], doc("Further objects for the sizes, by suffix.")] = {}


class Requirements(Object):
    """What a VM must have at least for a preference to admit it (`spec.requirements`)."""

    vcpus: Vcpus | None = None
    memory: Annotated[Memory | None, doc("The least memory.")] = None
    arch: Annotated[Architecture | None, since("v1.7"), doc("The architecture that the VM must have.")] = None


class PreferenceFragment(Fragment):
    """A layer of a preference."""

    os_type: OsType = ""
    arch: Arch = None
    requirements: Annotated[Requirements | None, doc("What a VM must have at least.")] = None
    spec: Annotated[VirtualMachinePreferenceSpec | None, doc("Part of a preference's spec.")] = None


class PreferenceEntry(PreferenceFragment):
    """A preference: the entry's own layer."""

    variants: Annotated[
        dict[Name, PreferenceFragment | None],
        doc("Further preferences named NAME.VARIANT: a last layer over it."),
    ] = {}


class PreferenceVariant(PreferenceFragment):
    """A variant of a file's preferences: a layer over each of them, or over those it names."""

    preferences: Annotated[list[str], doc("Globs of the preferences that have this variant; all if left out.")] = []


class PreferenceFile(Object, kw_only=True):
    """preferences/*.yaml: preferences, by name."""

    defaults: Annotated[PreferenceFragment | None, doc("The layer below every preference of this file.")] = None
    preferences: Annotated[dict[Name, PreferenceEntry | None], doc("The preferences, by name.")]
    variants: Annotated[
        dict[Name, PreferenceVariant | None], doc("Variants that several preferences of this file have.")
    ] = {}


class Component(Fragment):
    """A named fragment: what instance types or preferences mix in. It may itself mix in others."""

    os_type: OsType = ""
    arch: Arch = None
    requirements: Annotated[Requirements | None, doc("What a VM must have at least.")] = None
    memory_per_vcpu: Annotated[Memory | None, doc("The ratio of an instance type.")] = None
    spec: Annotated[
        VirtualMachineInstancetypeSpec | VirtualMachinePreferenceSpec | None,
        doc("Part of an instance type's spec or of a preference's."),
    ] = None


class TemplateParameter(Object):
    """A parameter of a VirtualMachineTemplate; what is left out is as a layer below says it."""

    display_name: str = ""
    description: str = ""
    value: Annotated[str, doc("Its value, where none is given.")] = ""
    generate: Annotated[Literal["expression"] | None, doc("How a value is made; `from` alone says as much.")] = None
    from_: Annotated[str, doc("What a value is made of: vm-[a-z0-9]{5}.")] = field(name="from", default="")
    required: Annotated[bool, doc("Whether whoever makes a VM has to give a value.")] = False


class TemplateFragment(Object):
    """A layer of VirtualMachineTemplates. `{{ os }}`, `{{ workload }}` and `{{ size }}` are known in its texts."""

    display_name: Annotated[str, doc("What user interfaces call it.")] = ""
    description: Annotated[str, doc("One or more sentences on what it is for.")] = ""
    labels: Annotated[Labels, doc("Labels beside the derived ones.")] = {}
    annotations: Annotated[Labels, doc("Annotations of the template.")] = {}
    instancetype: Annotated[str, doc("The catalog's instance type that its VMs have.")] = ""
    preference: Annotated[str, doc("The catalog's preference that its VMs have.")] = ""
    image: Annotated[str, doc("Where the disk's content comes from: `{{ image }}` in other fields.")] = ""
    message: Annotated[str, doc("What is said to whoever makes a VM; `${NAME}` refers to parameters.")] = ""
    parameters: Annotated[dict[Name, TemplateParameter | None], doc("Its parameters, by name.")] = {}
    vm: Annotated[
        dict[str, Any],
        doc("Part of the VirtualMachine: metadata and spec; `${NAME}` stands for a parameter."),
    ] = {}
    tests: Annotated[
        dict[Name, Labels | None],
        doc("Sets of parameters' values, by name: check, diff and golden tests look at their VMs, too."),
    ] = {}


class TemplateSystem(TemplateFragment):
    """An operating system: the last layer."""

    workloads: Annotated[
        dict[Name, list[str] | None], doc("Its workloads, and the sizes that each has; all of them if left out.")
    ] = {}


class TemplateFile(Object, kw_only=True):
    """templates/*.yaml: VirtualMachineTemplates, one for each operating system, workload and size."""

    name: Annotated[str, doc("How names are made; default '{{ os }}-{{ workload }}-{{ size }}'.")] = ""
    defaults: Annotated[TemplateFragment | None, doc("The layer below every template of this file.")] = None
    sizes: Annotated[dict[Name, TemplateFragment | None], doc("The sizes, by name: the layer over the defaults.")]
    workloads: Annotated[dict[Name, TemplateFragment | None], doc("The workloads, by name: a layer over the size.")]
    systems: Annotated[dict[Name, TemplateSystem | None], doc("The operating systems, by name.")]


ComponentsFile = dict[Name, Component | None]
