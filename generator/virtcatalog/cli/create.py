"""`virtcatalog create`: new VMs, and declarations of instance types and preferences."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from virtcatalog.cli import create_vm, options, pflag
from virtcatalog.cli.console import data, failing, note, summary, write_diff
from virtcatalog.errors import VirtcatalogError

if TYPE_CHECKING:
    from virtcatalog.create.declare import Declaration
    from virtcatalog.create.types import TypeOptions


_CATALOG = "The catalog whose file gets the declaration. [default: none, and the manifest is printed]"


@click.group("create")
def command() -> None:
    """Make a VirtualMachine of flags, or declare an instance type or a preference in a catalog."""


def _flagged(noun: str, *flags: Any) -> Callable[[Any], Any]:
    """Give `create instancetype` or `create preference` its own flags, and those that both have."""
    return options.with_options(
        click.option("--name", metavar="NAME", help=f"The {noun}'s name. [default: drawn, where there is no catalog]"),
        *flags,
        click.option("--namespaced", **pflag.SWITCH, help="A manifest of the namespaced kind."),
        click.option("-n", "--namespace", metavar="NAME", help="A manifest of the namespaced kind, in this namespace."),
        options.catalog(_CATALOG),
        click.option("--dry-run", is_flag=True, help="Print what would change in the catalog, and write nothing."),
    )


@click.command(
    "instancetype",
    cls=pflag.Command,
    epilog="""\b
Examples:
  virtcatalog create instancetype -c catalog --name m.2xlarge --cpu 16 --memory 64Gi
  virtcatalog create instancetype --cpu 2 --memory 256Mi --gpu name:gpu0,devicename:nvidia.com/A10
""",
)
@_flagged(
    "instance type",
    click.option("--cpu", type=pflag.Integer(32, signed=False), required=True, metavar="NUMBER", help="vCPUs."),
    click.option("--memory", required=True, metavar="QUANTITY", help="Guest memory."),
    click.option("--gpu", multiple=True, metavar="PARAMETERS", help="A GPU: name:NAME,devicename:NAME."),
    click.option("--hostdevice", multiple=True, metavar="PARAMETERS", help="A host device: name:NAME,devicename:NAME."),
    click.option("--iothreadspolicy", metavar="POLICY", help="auto or shared."),
)
@failing
def instancetype(catalog: str | None, dry_run: bool, **flags: Any) -> int:
    """Declare an instance type in a catalog, or make the manifest that virtctl makes.

    It becomes a size of the class whose names are like its own, else the first size of a class in a new file.
    """
    from virtcatalog.create.types import InstancetypeOptions, instancetype_spec

    type_options = InstancetypeOptions(**_named(flags))
    return _create("instancetype", type_options, instancetype_spec(type_options), catalog, dry_run=dry_run)


@click.command(
    "preference",
    cls=pflag.Command,
    epilog="""\b
Examples:
  virtcatalog create preference -c catalog --name linux.gentoo --cpu-topology cores
  virtcatalog create preference --machine-type pc-q35-rhel9.6.0 --namespaced
""",
)
@_flagged(
    "preference",
    click.option("--cpu-topology", metavar="TOPOLOGY", help="sockets, cores, threads, spread or any."),
    click.option("--machine-type", metavar="TYPE", help="The preferred machine type."),
    click.option("--volume-storage-class", metavar="NAME", help="The preferred storage class."),
)
@failing
def preference(catalog: str | None, dry_run: bool, **flags: Any) -> int:
    """Declare a preference in a catalog, or make the manifest that virtctl makes.

    It goes to the file that has preferences whose names begin alike, else to a new one.
    """
    from virtcatalog.create.types import PreferenceOptions, preference_spec

    type_options = PreferenceOptions(**_named(flags))
    return _create("preference", type_options, preference_spec(type_options), catalog, dry_run=dry_run)


def _named(flags: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in flags.items() if value is not None}


def _create(noun: str, flags: TypeOptions, spec: dict[str, Any], catalog: str | None, *, dry_run: bool) -> int:
    from virtcatalog.create.options import FlagError
    from virtcatalog.create.types import create_type
    from virtcatalog.manifests.emit import dump
    from virtcatalog.manifests.textdiff import unified
    from virtcatalog.writing import replace_file

    if catalog is None:
        if dry_run:
            raise click.UsageError("--dry-run shows what changes in a catalog: name one with -c")
        data(dump(create_type(noun, flags, spec)))
        return 0
    if not flags.name:
        raise FlagError("name", "is missing: what is declared in a catalog needs one")
    if flags.namespaced or flags.namespace:
        flag = "namespace" if flags.namespace else "namespaced"
        raise FlagError(flag, "a catalog declares both scopes at once; its overlays choose, and say the namespace")
    declaration = _declare(noun, flags.name, spec, catalog)
    place = Path(catalog, declaration.file)
    before = f"a/{place}" if declaration.old else "/dev/null"
    write_diff(unified(declaration.old, declaration.new, before, f"b/{place}"))
    if not dry_run:
        replace_file(Path(catalog), declaration.new, note, inside=declaration.file)
    summary(f"{declaration.entry.name}: {'would be ' if dry_run else ''}declared in {place}")
    return 0


def _declare(noun: str, name: str, spec: dict[str, Any], catalog: str) -> Declaration:
    from virtcatalog.catalog.load import load_catalog
    from virtcatalog.create.declare import declare_instancetype, declare_preference
    from virtcatalog.kubevirt.cluster import Cluster
    from virtcatalog.kubevirt.pipeline import admit
    from virtcatalog.manifests.sources import is_catalog, open_folder

    if not is_catalog(catalog):
        raise VirtcatalogError(f"{catalog} is no catalog: it has no catalog.yaml")
    declare = declare_instancetype if noun == "instancetype" else declare_preference
    folder = open_folder(catalog)
    declaration = declare(load_catalog(catalog, folder), folder, name, spec)
    manifest = declaration.entry.manifest(f"VirtualMachineCluster{noun.capitalize()}")
    if causes := admit(manifest, Cluster([])):
        raise VirtcatalogError(f"KubeVirt would refuse {name!r}: {'; '.join(map(str, causes))}")
    return declaration


for subcommand in (create_vm.command, instancetype, preference):
    command.add_command(subcommand)
