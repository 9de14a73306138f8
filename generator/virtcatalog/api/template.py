"""VirtualMachineTemplate (template.kubevirt.io/v1beta1), and OpenShift's Template as far as one is made of it."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from msgspec import Meta, field

from virtcatalog.api.core import Resource
from virtcatalog.api.object import Int64, Object, Status, Time

EXPRESSION: Final = r"\[([a-zA-Z0-9\-\\]+)\](\{([0-9A-Za-z_]+)\})"
"""Characters and how many of them: what a generator replaces, wherever it stands in `from`."""


class Parameter(Object):
    """A value that is put into the VM where `${NAME}` or `${{NAME}}` stands."""

    name: str
    display_name: str = ""
    description: str = ""
    value: str = ""
    generate: Literal["expression"] = ""  # type: ignore[assignment]  # Go's zero value, which nobody may write
    from_: Annotated[str, Meta(pattern=EXPRESSION, examples=["vm-[a-z0-9]{5}"])] = field(name="from", default="")
    required: bool = False


class VirtualMachineTemplateSpec(Object):
    """The VM, its parameters, and what is said once a VM is made of it."""

    virtual_machine: dict[str, Any]
    parameters: list[Parameter] | None = None
    message: str = ""


class Condition(Status):
    """A condition of an object, as its controller sees it."""

    type: str
    status: str
    reason: str
    message: str
    last_transition_time: Time
    observed_generation: Int64 = 0


class VirtualMachineTemplateStatus(Status):
    """What its controller says of a template."""

    conditions: list[Condition] = []


class VirtualMachineTemplate(Resource, kw_only=True):
    """A VirtualMachine with parameters, to make VMs of."""

    spec: VirtualMachineTemplateSpec
    status: VirtualMachineTemplateStatus | None = None


class OpenShiftTemplate(Resource, kw_only=True):
    """OpenShift's Template (template.openshift.io/v1): any objects, with parameters."""

    message: str = ""
    objects: list[dict[str, Any]]
    parameters: list[Parameter] = []
    labels: dict[str, str] = {}
