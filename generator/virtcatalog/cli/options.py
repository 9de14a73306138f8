"""The options that commands have in common: each is spelt and described here, and nowhere else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, datetime
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from virtcatalog.cli.defaults import is_given, settings

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

T = TypeVar("T", bound=Callable[..., Any])

#: What `-f` holds where a change is judged by what it does to VMs that are there.
FLEET = "VMs, such as a dump of the fleet, and what else is in their cluster."

_CATALOG = ("-c", "--catalog")


def with_options(*options: Callable[[Any], Any]) -> Callable[[T], T]:
    """Give a command several options, in the order of its help."""

    def give(command: T) -> T:
        for option in reversed(options):
            command = option(command)
        return command

    return give


def completes(function: str) -> Callable[[click.Context, click.Parameter, str], list[CompletionItem]]:
    """Return the function of `complete` of that name, which is loaded when the shell asks."""

    def complete(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
        from virtcatalog.cli import complete as functions

        completion_items: list[CompletionItem] = getattr(functions, function)(context, parameter, incomplete)
        return completion_items

    return complete


def file(name: str, text: str, **attributes: Any) -> Callable[[T], T]:
    """Give a command an option that names a file."""
    return click.option(name, metavar="FILE", shell_complete=completes("files"), help=text, **attributes)


def revision(name: str, parameter: str, text: str, **attributes: Any) -> Callable[[T], T]:
    """Give a command an option that names a git revision, as `parameter`."""
    complete = completes("revisions")
    return click.option(name, parameter, metavar="REVISION", shell_complete=complete, help=text, **attributes)


def manifests(text: str, *, required: bool = False, placed: bool = True) -> Callable[[T], Callable[..., Any]]:
    """Give a command `-f`, as `sources`: files, folders and `-`; `text` says what they hold.

    What is before `=` says where it is from; see `inputs.placed`. Not so where they are not `placed`. With --context a
    cluster's objects are among them.
    """
    where = f"{text} ENV=… where they are from that environment, or cluster of one." if placed else text
    metavar = "[ENV=]FILE|DIR|-" if placed else "FILE|DIR|-"
    option = click.option(
        *("-f", "--file", "sources"),
        multiple=True,
        metavar=metavar,
        shell_complete=completes("sources"),
        help=f"{where}  [required, or --context]" if required else where,
    )

    def give(command: T) -> Callable[..., Any]:
        @wraps(command)
        def run(
            *args: Any, sources: tuple[str, ...], context: str | None, kubeconfig: str | None, **parameters: Any
        ) -> Any:
            from_cluster = context is not None or kubeconfig is not None
            if parameters.get("in_place"):
                from virtcatalog.cli.inputs import file_paths

                if from_cluster:
                    raise click.UsageError("-i edits files, and nothing is ever written to a cluster")
                file_paths(sources, "--in-place changes files")
            if from_cluster:
                from virtcatalog.cli.cluster import dumped

                sources = (*sources, dumped(context, kubeconfig))
            elif required and not sources:
                raise click.MissingParameter(param_hint="'-f' / '--file'", param_type="option")
            return command(*args, sources=sources, **parameters)

        return option(clustered(run))

    return give


def clustered(command: T) -> T:
    """Give a command --context and --kubeconfig, which name a cluster."""
    command = file("--kubeconfig", "The file that has the context.")(command)
    return click.option(
        "--context",
        metavar="NAME",
        help="A cluster of the kubeconfig; `in-cluster` for that of this Pod. It is read only.",
    )(command)


def git_side(command: T) -> T:
    """Give a command that compares a cluster with Git `-f`, as `source`: Git's side."""
    return click.option(
        *("-f", "--file", "source"),
        metavar="GIT",
        shell_complete=completes("sources"),
        help="The repository, catalog, folder or file that Git has. [default: ./catalog, else the repository]",
    )(command)


#: `--domains`, as `domains`: a folder.
domains = click.option(
    "--domains",
    metavar="DIR",
    shell_complete=completes("folders"),
    help="Domains of `virsh dumpxml`, as NAMESPACE_NAME.xml.",
)


def live_side(command: T) -> T:
    """Give a command the cluster's side: dumps of it, as `live`, or its context."""
    return click.option(
        "--live",
        metavar="DUMP",
        multiple=True,
        shell_complete=completes("sources"),
        help="A dump of the cluster: of `virtcatalog dump` or `kubectl get -o json`; several make one.",
    )(clustered(command))


def catalog(
    text: str = "A catalog, an output tree, or a folder of instance types and preferences. "
    "[default: ./catalog, if any]",
) -> Callable[[T], T]:
    """Give a command that is about manifests `-c`, as `catalog`; None if neither it nor the repository names one."""
    default = lambda: settings().catalog or None  # noqa: E731
    complete = completes("catalogs")
    return click.option(*_CATALOG, "catalog", metavar="PATH", default=default, shell_complete=complete, help=text)


def about_catalog(default: str | None = "catalog", *, metavar: str = "[CATALOG]") -> Callable[[T], Callable[..., Any]]:
    """Give a command that is about a catalog alone its path as `catalog`: an argument, or `-c`."""
    option = catalog(f"The same as {metavar.strip('[]')}.")

    def give(command: T) -> Callable[..., Any]:
        @wraps(command)
        def run(*args: Any, catalog: str | None, argument: str | None, **parameters: Any) -> Any:
            if argument and is_given("catalog"):
                raise click.UsageError(f"the catalog is either {argument} or {catalog}: name one")
            return command(*args, catalog=argument or catalog or default, **parameters)

        complete = completes("catalogs")
        return click.argument("argument", required=False, metavar=metavar, shell_complete=complete)(option(run))

    return give


#: `-c`, as `catalog`, of commands that show what a catalog offers.
offering = catalog("A catalog, an output tree, or a folder of manifests. [default: catalog]")

#: `--prices`, as `prices`: a file, None for none.
monthly_prices = file("--prices", "What a month of CPUs, memory and devices costs: docs/review.md.")

#: `--prices`, as `prices`: a file, None for the catalog's own.
prices = file("--prices", "What machines cost: docs/catalog.md. [default: the catalog's prices.yaml, if any]")


def _day(context: click.Context, _option: click.Parameter, value: datetime | None) -> date | None:
    """Return the day, today's by default; None where words are completed alone."""
    return None if context.resilient_parsing else (value or datetime.now()).date()


def day(text: str) -> Callable[[T], T]:
    """Give a command `--date`, as `day`: a day of this machine's calendar."""
    kind = click.DateTime(["%Y-%m-%d"])
    return click.option("--date", "day", type=kind, metavar="YYYY-MM-DD", callback=_day, help=text)


def form(forms: Sequence[str], *, text: str = "What to print.", optional: bool = False) -> Callable[[T], T]:
    """Give a command `-o`, as `form`, the first of the forms by default; where `optional`, that is None."""
    default = None if optional else forms[0]
    return click.option(
        "-o", "--output", "form", type=click.Choice(forms), default=default, help=f"{text} [default: {forms[0]}]"
    )


def output_dir(text: str, *, default: str | None = None, tree: bool = True) -> Callable[[T], T]:
    """Give a command `--output-dir`, as `output`: the folder that it writes.

    With a default it is the output tree, for which the repository may name another; not so where it is no `tree`.
    """
    return click.option(
        "--output-dir",
        "output",
        metavar="DIR",
        type=click.Path(path_type=Path),
        shell_complete=completes("folders"),
        default=(lambda: (tree and settings().output_dir) or default) if default else None,
        help=f"{text} [default: {default}]" if default else text,
    )


def _chosen(_context: click.Context, _option: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    return () if "*" in value else value


#: `-e`, as `environments`: the names of those that are looked at, none for all.
environments = click.option(
    "-e",
    "--environment",
    "environments",
    multiple=True,
    metavar="NAME",
    default=lambda: settings().environments,
    callback=_chosen,
    shell_complete=completes("environments"),
    help="Look at this environment of overlays.yaml, or unit of a repository, only; repeatable; '*' for all. "
    "[default: each that a VM can be in]",
)


def registry(command: T) -> T:
    """Give a command --plain-http and --ca-file: how it reaches a registry."""
    command = click.option(
        "--ca-file",
        "authority",
        metavar="FILE",
        shell_complete=completes("files"),
        help="Certificates that sign the registry's. [default: the system's]",
    )(command)
    return click.option("--plain-http", is_flag=True, help="Ask the registry by HTTP without TLS.")(command)


def environment(also: str = "") -> Callable[[T], T]:
    """`-e`, as `environment`: the name of the one that is looked at, where there can be only one."""
    return click.option(
        *("-e", "--environment"),
        metavar="NAME",
        shell_complete=completes("environments"),
        help=f"An environment of overlays.yaml{also}. [default: the base]",
    )


def common_options() -> list[click.Option]:
    """Return the options that every command has: they change how it speaks, not what it does."""
    return [
        click.Option(
            ["-q", "--quiet"], is_flag=True, expose_value=False, callback=_quiet, help="No closing lines, no progress."
        ),
        click.Option(
            ["--color"],
            type=click.Choice(["auto", "always", "never"]),
            expose_value=False,
            callback=_color,
            help="Colour; auto: on a terminal, unless NO_COLOR is set. [default: auto]",
        ),
    ]


def _quiet(context: click.Context, _option: click.Parameter, value: bool) -> None:
    from virtcatalog.cli.console import QUIET

    if value:
        context.meta[QUIET] = True


def _color(context: click.Context, _option: click.Parameter, value: str | None) -> None:
    if value is not None:
        # What goes wrong before the command runs is told by the group.
        context.color = context.find_root().color = {"auto": None, "always": True, "never": False}[value]
