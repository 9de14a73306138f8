"""`virtcatalog import openstack`: flavors and images made instance types and preferences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from virtcatalog.cli import options
from virtcatalog.cli.conditions import conditioned
from virtcatalog.cli.console import data, echo, failing, summary
from virtcatalog.cli.table import print_tables
from virtcatalog.errors import Problem, counted, place
from virtcatalog.fleet.sources import contents

if TYPE_CHECKING:
    from virtcatalog.bring.openstack.objects import Imported
    from virtcatalog.bring.openstack.read import Resource
    from virtcatalog.kubevirt.conditions import Conditions

_FORMS = ("yaml", "report", "json")
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
@click.option(
    "-f",
    "--file",
    "sources",
    multiple=True,
    metavar="FILE|DIR|-",
    help="What `openstack flavor list --long`, `flavor show` or `image show` print with `-o json`.",
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
@options.form(_FORMS, default="yaml")
@click.pass_context
@failing
@conditioned
def command(
    context: click.Context,
    /,
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
        raise click.UsageError("-f or --cloud is needed: there is nothing to import", context)
    resources, problems = _read(sources, cloud)
    made = import_resources(resources, _devices(devices))
    problems += made.problems
    pruned = _prune(made, conditions)
    problems += _refusals(made, conditions)
    for problem in sorted(problems):
        echo(str(problem), err=True)
    for line in pruned:
        echo(line, err=True)
    _tell(made)
    if made.objects:
        _print(form, made)
    if problems:
        return 2
    return 1 if pruned or any(each.fate == "lost" for each in made.properties) else 0


def _read(sources: tuple[str, ...], cloud: str | None) -> tuple[list[Resource], list[Problem]]:
    from virtcatalog.bring.openstack.read import of_cloud, read

    resources: list[Resource] = []
    problems: list[Problem] = []
    for source in sources:
        for name, content in contents(source, problems):
            found, faults = read(content, name)
            resources += found
            problems += faults
    for each in of_cloud(cloud) if cloud is not None else ():
        if isinstance(each, Problem):
            problems.append(each)
        else:
            resources.append(each)
    return resources, problems


def _devices(given: tuple[str, ...]) -> dict[str, str]:
    from virtcatalog.bring.libvirt.rules import RuleError, device_rule

    try:
        rules = list(map(device_rule, given))
    except RuleError as error:
        raise click.UsageError(str(error)) from None
    return {rule.pattern: rule.resource for rule in rules}


def _prune(made: Imported, conditions: Conditions) -> list[str]:
    """Leave out the fields that the KubeVirt release does not know, and say which."""
    from virtcatalog.api.kinds import kind_type
    from virtcatalog.kubevirt.cluster import Cluster, prune_manifest

    release, told = Cluster.under((), conditions).release, []
    for position, each in enumerate(made.objects):
        kind = kind_type(each["apiVersion"], each["kind"])
        assert kind is not None  # they are instance types and preferences
        made.objects[position], pruned = prune_manifest(each, kind, release)
        told += [f"{each['kind']}/{each['metadata']['name']}: {one.field}: lost: {one.message}" for one in pruned]
    return told


def _refusals(made: Imported, conditions: Conditions) -> list[Problem]:
    """What KubeVirt's webhooks have against the objects."""
    from virtcatalog.kubevirt.cluster import Cluster
    from virtcatalog.kubevirt.pipeline import admit

    cluster = Cluster.under(made.objects, conditions)
    return [
        Problem(object=f"{each['kind']}/{each['metadata']['name']}", field=cause.field, message=cause.message)
        for each in made.objects
        for cause in admit(each, cluster)
    ]


def _tell(made: Imported) -> None:
    for each in made.properties:
        if each.fate == "lost":
            where = place(each)
            echo(f"{where}: {each.owner}: {each.key}={each.value}: lost: {each.why}".removeprefix(": "), err=True)
    for need in made.needs:
        echo(f"fill in: {need}", err=True)
    kinds = Counter(each["kind"] for each in made.objects)
    fates = Counter(each.fate for each in made.properties)
    types, preferences = kinds["VirtualMachineClusterInstancetype"], kinds["VirtualMachineClusterPreference"]
    summary(
        f"{counted(types, 'instance type')} and {counted(preferences, 'preference')}; "
        f"{counted(len(made.properties), 'property', 'properties')}: "
        f"{fates['carried']} carried, {fates['host']} the cloud's, {fates['lost']} lost"
    )


def _print(form: str, made: Imported) -> None:
    if form == "yaml":
        from virtcatalog.manifests.emit import dump, join

        data(join(dump(each) for each in made.objects))
    elif form == "json":
        from virtcatalog.escaping import as_json

        properties: list[dict[str, Any]] = [each._asdict() for each in made.properties]
        data(as_json({"objects": made.objects, "properties": properties, "needs": made.needs}))
    else:
        print_tables(_COLUMNS, [("", _rows(made))], titled=False)


def _rows(made: Imported) -> Iterator[list[str]]:
    for each in made.properties:
        yield [each.owner, each.key, each.value, each.fate, each.why]
