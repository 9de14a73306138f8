"""`virtcatalog import openstack`: flavors and images made instance types and preferences."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import click

from virtcatalog.cli import importing, options
from virtcatalog.cli.conditions import conditioned
from virtcatalog.cli.console import echo, failing, print_documents, print_problems, summary
from virtcatalog.cli.table import print_tables
from virtcatalog.errors import Problem, counted, place
from virtcatalog.fleet.sources import contents

if TYPE_CHECKING:
    from virtcatalog.bring.openstack.objects import Imported
    from virtcatalog.bring.openstack.read import Resource
    from virtcatalog.kubevirt.conditions import Conditions

_COLUMNS = ("Of", "Property", "Value", "Fate", "Where or why")


@click.command(
    "openstack",
    epilog="""\b
Examples:
  openstack flavor list --long -o json > flavors.json
  openstack image show fedora-41 -o json > fedora.json
  virtcatalog import openstack -f flavors.json -f fedora.json > catalog.yaml
  virtcatalog import openstack -f flavors.json -o report      the fate of every property
  virtcatalog import openstack --cloud mycloud --device a100=nvidia.com/A100
""",
)
@importing.files(
    "What `openstack flavor list --long`, `flavor show` or `image show` print with `-o json`.", required=False
)
@click.option(
    "--cloud",
    metavar="NAME",
    help="Ask the cloud of that name in clouds.yaml; needs openstacksdk: pip install 'virtcatalog[import]'.",
)
@click.option(
    "--device",
    "devices",
    multiple=True,
    metavar="ALIAS=RESOURCE",
    help="The resource of a device plugin that a PCI alias, or VGPU, stands for.",
)
@options.form(("yaml", "report", "json"))
@failing
@conditioned
def command(
    sources: tuple[str, ...],
    cloud: str | None,
    devices: tuple[str, ...],
    form: str,
    conditions: Conditions,
) -> int:
    """Make instance types of flavors and preferences of images, and tell of each property what became of it.

    What only a preference can say of a flavor, such as the layout of its vCPUs, is in a preference for each image and
    that flavor, IMAGE.FLAVOR. The exit status is 1 when a property is lost.
    """
    from virtcatalog.bring.openstack.objects import import_resources

    if not sources and cloud is None:
        raise click.UsageError("-f or --cloud is needed: there is nothing to import")
    resources, problems = _read(sources, cloud)
    imported = import_resources(resources, _devices(devices))
    problems += imported.problems
    pruned = _prune(imported, conditions)
    problems += _refusals(imported, conditions)
    print_problems((*sorted(problems), *pruned))
    _tell(imported)
    if imported.objects:
        _print(form, imported)
    if problems:
        return 2
    return 1 if pruned or any(part.fate == "lost" for part in imported.properties) else 0


def _read(sources: tuple[str, ...], cloud: str | None) -> tuple[list[Resource], list[Problem]]:
    from virtcatalog.bring.openstack.read import of_cloud, read

    resources: list[Resource] = []
    problems: list[Problem] = []
    for source in sources:
        for name, content in contents(source, problems):
            imported, faults = read(content, name)
            resources += imported
            problems += faults
    for resource in of_cloud(cloud) if cloud is not None else ():
        if isinstance(resource, Problem):
            problems.append(resource)
        else:
            resources.append(resource)
    return resources, problems


def _devices(flags: tuple[str, ...]) -> dict[str, str]:
    from virtcatalog.bring.libvirt.rules import RuleError, device_rule

    try:
        rules = list(map(device_rule, flags))
    except RuleError as error:
        raise click.UsageError(str(error)) from None
    return {rule.pattern: rule.name for rule in rules}


def _prune(imported: Imported, conditions: Conditions) -> list[str]:
    """Leave out the fields that the KubeVirt release does not know, and say which."""
    from virtcatalog.api.kinds import kind_type
    from virtcatalog.kubevirt.cluster import Cluster
    from virtcatalog.kubevirt.decoding import prune_manifest

    release, warnings = Cluster.under((), conditions).release, []
    for position, manifest in enumerate(imported.objects):
        kind = kind_type(manifest["apiVersion"], manifest["kind"])
        assert kind is not None  # they are instance types and preferences
        imported.objects[position], pruned = prune_manifest(manifest, kind, release)
        warnings += [
            f"{manifest['kind']}/{manifest['metadata']['name']}: {field.field}: lost: {field.message}"
            for field in pruned
        ]
    return warnings


def _refusals(imported: Imported, conditions: Conditions) -> list[Problem]:
    """What KubeVirt's webhooks have against the objects."""
    from virtcatalog.kubevirt.cluster import Cluster
    from virtcatalog.kubevirt.pipeline import admit

    cluster = Cluster.under(imported.objects, conditions)
    return [
        Problem(object=f"{manifest['kind']}/{manifest['metadata']['name']}", field=cause.field, message=cause.message)
        for manifest in imported.objects
        for cause in admit(manifest, cluster)
    ]


def _tell(imported: Imported) -> None:
    for part in imported.properties:
        if part.fate == "lost":
            where = place(part)
            echo(f"{where}: {part.owner}: {part.key}={part.value}: lost: {part.why}".removeprefix(": "), err=True)
    for need in imported.needs:
        echo(f"fill in: {need}", err=True)
    kinds = Counter(part["kind"] for part in imported.objects)
    fates = Counter(part.fate for part in imported.properties)
    types, preferences = kinds["VirtualMachineClusterInstancetype"], kinds["VirtualMachineClusterPreference"]
    summary(
        f"{counted(types, 'instance type')} and {counted(preferences, 'preference')}; "
        f"{counted(len(imported.properties), 'property', 'properties')}: "
        f"{fates['carried']} carried, {fates['host']} the cloud's, {fates['lost']} lost"
    )


def _print(form: str, imported: Imported) -> None:
    if form == "yaml":
        print_documents(imported.objects, form)
    elif form == "json":
        properties: list[dict[str, Any]] = [part._asdict() for part in imported.properties]
        print_documents([{"objects": imported.objects, "properties": properties, "needs": imported.needs}], form)
    else:
        rows = [(part.owner, part.key, part.value, part.fate, part.why) for part in imported.properties]
        print_tables(_COLUMNS, [("", rows)], titled=False)
