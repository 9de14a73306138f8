"""`virtcatalog template`: VirtualMachineTemplates."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import click

from virtcatalog.cli import pflag
from virtcatalog.cli.conditions import conditioned
from virtcatalog.cli.console import echo, failing, print_documents, print_problems
from virtcatalog.cli.options import catalog, completes, form, with_options
from virtcatalog.cli.options import file as file_option
from virtcatalog.errors import ManifestError, Problem, TemplateError, VirtcatalogError, nearest, placed
from virtcatalog.manifests.fields import map_at

if TYPE_CHECKING:
    from msgspec import Struct

    from virtcatalog.adopt.candidates import Candidates, Reference
    from virtcatalog.kubevirt.conditions import Conditions
    from virtcatalog.manifests.loose import LooseText


V = TypeVar("V")


def _switch(name: str, text: str) -> Callable[[Any], Any]:
    return click.option(name, default=False, help=text, **pflag.SWITCH)


def _source(kind: str, client: str) -> Callable[[Any], Any]:
    """Give a command its template, by a file or a name, and -o: options that virtctl's have, too."""
    name_help = f"A template in a cluster: get it with {client}, and name its file."
    return with_options(
        click.argument("positional", metavar="[NAME]", required=False),
        click.option(
            *("-f", "--file"), metavar="FILE|-", default="", shell_complete=completes("files"), help=f"The {kind}."
        ),
        click.option("--name", default="", metavar="NAME", help=name_help),
        form(("yaml", "json"), optional=True),
    )


_NAMESPACE = click.option(
    "-n", "--namespace", metavar="NAME", expose_value=False, help="As virtctl's: of no effect on a file."
)


@click.group("template")
def command() -> None:
    """Process VirtualMachineTemplates into VMs; convert OpenShift Templates."""


@command.command(
    "process",
    cls=pflag.Command,
    short_help="Make the VM of a template and values for its parameters.",
    epilog="""\b
Examples:
  virtcatalog template process -f t.yaml -p NAME=db-1         the VM, as virtctl would print it
  virtcatalog template process -f t.yaml --params-file p.yaml
  virtcatalog template process -f t.yaml --print-params       the parameters that there are
  virtcatalog template process -f t.yaml --seed 1             the same generated values each time
  virtcatalog template process -f t.yaml -p NAME=db-1 | virtcatalog expand -f -
""",
)
@_source("VirtualMachineTemplate", "kubectl")
@click.option("-p", "--param", metavar="NAME=VALUE", multiple=True, callback=pflag.pairs, help="A parameter's value.")
@file_option("--params-file", "The parameters' values, a map in YAML or JSON.", default="")
@click.option("--seed", type=int, help="Generate the same values each time; without it nobody can guess them.")
@_NAMESPACE
@_switch("--print-params", "Print the template's parameters, and make no VM.")
@_switch("--local", "As virtctl's: process in this program a template that --name names.")
@_switch("--create", "As virtctl's: have the cluster make the VM.")
@failing
def process(
    positional: str | None,
    file: str,
    name: str,
    form: str | None,
    param: dict[str, str],
    params_file: str,
    seed: int | None,
    print_params: bool,
    local: bool,  # noqa: ARG001 - read from the context, as whether it was given
    create: bool,  # noqa: ARG001
) -> int:
    """Make the VirtualMachine of a template, exactly as `virtctl template process` of KubeVirt v1.9 does.

    Parameters without a value get one of their generator. What is odd about the template, and its message, go to
    stderr. A template that makes no VM is refused: exit status 1.
    """
    from virtcatalog.api.template import VirtualMachineTemplate
    from virtcatalog.kubevirt.template.process import chance, check_references, merged, process_read

    pflag.exclude(
        ("file", "name"),
        ("file", "local"),
        ("param", "params_file"),
        ("create", "file"),
        ("create", "local"),
        ("create", "print_params"),
    )
    _check_source(positional, file, name)
    values = _parameters_of(params_file) if params_file and not print_params else param
    text, template = _read(file, VirtualMachineTemplate)
    if print_params:
        print_documents([template["spec"].get("parameters")], form or "yaml")
        return 0
    try:
        template = merged(template, values)
        print_problems(placed(check_references(template), text.at_field))
        processed = process_read(template, chance(seed))
    except TemplateError as error:
        print_problems(text.at_field(cause.field, cause.message, at=error.at) for cause in error.causes)
        return 1
    if processed.message:
        echo(processed.message, err=True, nl=not processed.message.endswith("\n"))
    print_documents([processed.vm], form or "yaml")
    return 0


@command.command(
    "convert",
    cls=pflag.Command,
    short_help="Make a VirtualMachineTemplate of an OpenShift Template.",
    epilog="""\b
Examples:
  virtcatalog template convert -f template.yaml > vmt.yaml
  oc get template mytemplate -o yaml | virtcatalog template convert -f -
  virtcatalog template convert -f t.yaml --instancetype m.small --preference linux.rhel9 -c catalog
""",
)
@_source("OpenShift Template", "oc")
@_NAMESPACE
@click.option(
    "--instancetype",
    metavar="[KIND/]NAME",
    shell_complete=completes("instancetypes"),
    help="What its VM takes instead.",
)
@click.option(
    "--preference", metavar="[KIND/]NAME", shell_complete=completes("preferences"), help="What its VM takes instead."
)
@catalog()
@failing
@partial(conditioned, prints="yaml")
def convert(
    positional: str | None,
    file: str,
    name: str,
    form: str | None,
    instancetype: str | None,
    preference: str | None,
    catalog: str | None,
    conditions: Conditions,
) -> int:
    """Make a VirtualMachineTemplate of an OpenShift Template, as `virtctl template convert` of KubeVirt v1.9 does.

    The Template holds one object, which is taken as it is; its own labels for objects are lost. With an instance type
    or a preference of a catalog, what they say goes from the VM; what that changes in the domain is told, and the exit
    status is 1 if anything does.
    """
    from virtcatalog.api.template import OpenShiftTemplate
    from virtcatalog.kubevirt.template.process import convert_template

    pflag.exclude(("file", "name"))
    _check_source(positional, file, name)
    text, template = _read(file, OpenShiftTemplate)
    try:
        converted = convert_template(template)
        if instancetype is None and preference is None:
            print_documents([converted], form or "yaml")
            return 0
        return _adopt(converted, (instancetype, preference), catalog, conditions, form)
    except TemplateError as error:
        print_problems(text.at_field(cause.field, cause.message) for cause in error.causes)
        return 1


def _adopt(
    template: dict[str, Any],
    names: tuple[str | None, str | None],
    catalog: str | None,
    conditions: Conditions,
    form: str | None,
) -> int:
    """Print a template whose VM takes an instance type and a preference; say what that changes."""
    from virtcatalog.adopt.candidates import Candidates
    from virtcatalog.adopt.report import explain
    from virtcatalog.adopt.rewrite import adopt_in_template
    from virtcatalog.adopt.shrink import Names
    from virtcatalog.cli.inputs import catalog_objects
    from virtcatalog.kubevirt.instancetype.references import named_objects

    everything = Candidates(catalog_objects(catalog), conditions)
    references = Names(*(_reference(everything, part, text) for part, text in zip(Names._fields, names, strict=True)))
    vm = template["spec"]["virtualMachine"]
    for part, reference in zip(Names._fields, references, strict=True):
        if reference and map_at(vm, "spec").get(part):
            raise VirtcatalogError(f"the Template's VM has a spec.{part} already: remove that, or do not give --{part}")
    named = [(kind, name) for kind, _, name in named_objects(vm)]
    identities = [*named, *((reference.kind, reference.name) for reference in references if reference)]
    # Of objects that say the same it would take the best, and here one is asked for by its name.
    objects = [
        manifest
        for manifest in catalog_objects(catalog)
        if (manifest["kind"], manifest["metadata"]["name"]) in identities
    ]
    adopted_template = adopt_in_template(template, references, Candidates(objects, conditions))
    print_problems(adopted_template.adoption.reasons)
    if adopted_template.template is None:
        return 1
    first, *lines = explain(adopted_template.adoption)
    if adopted_template.adoption.outcome == "nearest":
        pair = " and ".join(f"{reference.kind} {reference.name}" for reference in references if reference)
        first = f"with {pair} the domain is another one:"
    for line in (first, *lines):
        echo(line, err=True)
    for parameter in adopted_template.dropped:
        echo(f"  dropped: the parameter {parameter}, to which nothing refers any more", err=True)
    print_documents([adopted_template.template], form or "yaml")
    return 0 if adopted_template.adoption.outcome == "adopted" else 1


def _reference(candidates: Candidates, part: str, text: str | None) -> Reference | None:
    """The object of the catalog that `[KIND/]NAME` means; without a kind, a cluster-wide one."""
    if text is None:
        return None
    kind, _, name = text.rpartition("/")
    kind_name = (kind or f"virtualmachinecluster{part}").lower()
    references = [group for group in candidates.groups if group.kind.lower() == kind_name]
    for reference in references:
        if reference.name == name:
            return reference
    raise VirtcatalogError(
        f"there is no {kind_name} {name!r}{nearest(name, [reference.name for reference in references])}"
    )


def _check_source(positional: str | None, file: str, name: str) -> None:
    """Refuse what virtctl refuses (validateArgs), and what needs a cluster."""
    if positional and file:
        raise click.UsageError(f"the template is either {positional} or in {file}: give one")
    if positional and name:
        raise click.UsageError(f"the name is either {positional} or {name}: give one")
    if not (positional or file or name):
        raise click.UsageError("which template? Give its file with -f")
    if not file:
        hint = "get it with kubectl and give -f -"
        raise VirtcatalogError(
            f"the template {positional or name!r} is in a cluster, and virtcatalog asks none: {hint}"
        )


def _read(file: str, kind: type[Struct]) -> tuple[LooseText, dict[str, Any]]:
    """Read the first document of a file as Go reads a `kind`; the keys in it that stand twice are told."""
    from virtcatalog.api.golang import unmarshal

    text, template = _unmarshalled(file, lambda data, of_yaml: unmarshal(data, kind, of_yaml=of_yaml))
    print_problems(text.repeated)
    return text, template


def _parameters_of(file: str) -> dict[str, str]:
    from virtcatalog.api.golang import unmarshal_texts

    return _unmarshalled(file, lambda data, of_yaml: unmarshal_texts(data, of_yaml=of_yaml))[1]


def _unmarshalled(file: str, unmarshal: Callable[[Any, bool], V]) -> tuple[LooseText, V]:
    """A file's text, and the first of its readings that can be unmarshalled; else the first fault is raised."""
    from virtcatalog.api.govalues import GoError
    from virtcatalog.manifests.folder import SourceError
    from virtcatalog.manifests.loose import LooseText
    from virtcatalog.manifests.sources import read_file

    name = "<stdin>" if file == "-" else file
    try:
        text = LooseText(read_file(file), name)
    except SourceError as error:
        raise ManifestError(Problem(file=name, message=error.message)) from None
    fault: GoError | None = None
    for reading in text.readings():
        try:
            return text, unmarshal(reading.data, reading.of_yaml)
        except GoError as error:
            fault = fault or error
    assert fault is not None
    raise ManifestError(text.at_path(fault.path, fault.message))
