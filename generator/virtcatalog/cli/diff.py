"""`virtcatalog diff`: what a change does to the objects and to the VMs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click
import msgspec

from virtcatalog.cli import execution, options
from virtcatalog.cli.conditions import conditioned_twice
from virtcatalog.cli.console import columns_of_terminal, data, echo, failing, write_diff
from virtcatalog.cli.defaults import in_effect, settings
from virtcatalog.cli.inputs import placed, read
from virtcatalog.cli.previews import note_previews, print_json
from virtcatalog.cli.sides import SideName, read_sides, side_names, upgraded
from virtcatalog.errors import LEVELS, Level, ManifestError, Problem, VirtcatalogError
from virtcatalog.escaping import shell

if TYPE_CHECKING:
    from virtcatalog.fleet.cache import Cache
    from virtcatalog.fleet.pool import Executor
    from virtcatalog.kubevirt.conditions import Conditions
    from virtcatalog.review.dumps import Dump
    from virtcatalog.review.report import Report
    from virtcatalog.review.side import Side

_WIDEST = 160


@click.command(
    "diff",
    epilog="""\b
Examples:
  virtcatalog diff                                  the branch and what is not committed yet, against main
  virtcatalog diff v1.2.0 v1.3.0                    two tags
  virtcatalog diff --base main                      in CI: a revision, whatever files are called
  virtcatalog diff -o markdown > comment.md         for a pull request
  kubectl get vm -A -o json | virtcatalog diff -f -  with the VMs of a cluster
  virtcatalog diff old/ new/ --config old.yaml new.yaml
  virtcatalog diff --kubevirt v1.8.4 v1.9.0 -f dump.yaml  what an upgrade of KubeVirt does to the VMs of a cluster
""",
)
@click.argument("base", required=False, shell_complete=options.completes("sides"))
@click.argument("head", required=False, shell_complete=options.completes("sides"))
@options.revision("--base", "base_revision", "BASE is this git revision, whatever files are called.")
@options.revision("--head", "head_revision", "HEAD is this git revision, whatever files are called.")
@options.catalog(
    "The catalog, or any folder, in the working tree and in revisions. [default: catalog, else the repository]"
)
@options.manifests(options.FLEET)
@click.option(
    "--config",
    nargs=2,
    metavar="BASE HEAD",
    shell_complete=options.completes("files"),
    help="Two files with the KubeVirt CR before and after. [default: the CR among the files]",
)
@options.environments
@options.monthly_prices
@options.form(("text", "markdown", "json", "html", "sarif", "github"))
@click.option("--full", is_flag=True, help="All of it in text, with the diffs of domains and objects.")
@click.option("--stat", "part", flag_value="stat", help="How many there are of each, in one sentence.")
@click.option("--vms", "part", flag_value="vms", help="The VMs alone, in text.")
@click.option("--objects", "part", flag_value="objects", help="The objects alone, in text.")
@click.option(
    "--fail-on",
    type=click.Choice(LEVELS),
    metavar="LEVEL",
    default=lambda: settings().diff.fail_on,
    help=f"The least that has exit status 1, of {', '.join(LEVELS)}. [default: any]",
)
@click.option(
    "--comment-on",
    type=click.Choice(LEVELS),
    metavar="LEVEL",
    default=lambda: settings().diff.comment_on,
    help="Print nothing when nothing is as grave as that.",
)
@click.option("--artifact", default="", metavar="URL", help="Where the whole report is, for Markdown cut short.")
@failing
@execution.cached
@execution.workers
@conditioned_twice
def command(
    base: str | None,
    head: str | None,
    base_revision: str | None,
    head_revision: str | None,
    catalog: str | None,
    sources: tuple[str, ...],
    config: tuple[str, str] | None,
    environments: tuple[str, ...],
    prices: str | None,
    form: str,
    full: bool,
    part: str | None,
    fail_on: Level,
    comment_on: Level | None,
    artifact: str,
    conditions: tuple[Conditions, Conditions],
    cache: Cache | None,
    executor: Executor | None,
) -> int:
    """Show what changes from BASE to HEAD, in the objects and in the domain of every VM.

    Each is a git revision, or a catalog, output tree or other folder or file of manifests; main..topic are two
    revisions, main...topic are topic and where it left main. BASE is by default where the branch left the main branch,
    HEAD the working tree. Nothing is checked out or written.

    A name that is a revision, and a file or folder, too, is refused: --base and --head name revisions, ./NAME a path.

    First and last comes all in one sentence, between them what becomes of which VMs, the gravest first, and why:
    docs/verdicts.md tells what each word means, and what to do. --full has the diffs, too.

    With two releases of KubeVirt and neither BASE nor HEAD, the working tree is compared with itself: what the upgrade
    changes. Without a catalog, the VMs of -f alone are.

    Exit status: 0 no differences, 1 differences, 2 a side or an input that cannot be read (the rest is compared).
    """
    from virtcatalog.environments import check_environments, check_places
    from virtcatalog.releases import find_release
    from virtcatalog.review.compare import review
    from virtcatalog.review.requestreport import load_prices
    from virtcatalog.review.side import environment_names

    if (part or full) and form != "text":
        raise click.UsageError(f"--{part or 'full'} is about the text; -o {form} has it all")
    names = side_names(base, head, (base_revision, head_revision))
    if names[0] == SideName() and names[1] == SideName() and conditions[0].release is not None:
        sides = (upgraded(catalog, alone=bool(sources)),) * 2
    else:
        sides = read_sides(names, catalog)
    if config:
        sides = _configured(sides[0], config[0]), _configured(sides[1], config[1])
    overlays = [overlay for side in sides for overlay in side.overlays]
    if not any(side.repository for side in sides):
        check_environments(environments, overlays, "on either side")
    dumps = read_dumps([*sources, *settings().cluster])
    check_places((dump.where for dump in dumps), overlays, "on either side")
    paid = load_prices(prices) if prices else None
    defaults = in_effect(name for side in sides for name in environment_names(side))
    report = review(*sides, conditions, dumps, environments, paid, cache, executor)
    note_previews(find_release(name) for name in report.previews)
    report = msgspec.structs.replace(report, defaults=defaults)
    if comment_on is None or report.rises(comment_on):
        _print(report, form, part, artifact, full=full)
    elif any(default.field.endswith("comment-on") for default in defaults):  # the repository leaves a line at least
        _print_calm(report, form)
    return report.status if report.status != 1 else int(report.rises(fail_on))


def _configured(side: Side, file: str) -> Side:
    """The side with the KubeVirt CR of a file."""
    from virtcatalog.repositories.model import resource

    crs = [manifest for manifest in read([file]) if manifest.data["kind"] == "KubeVirt"]
    if len(crs) != 1:
        raise ManifestError(Problem(file=file, message=f"holds {len(crs)} KubeVirt CRs, one is needed"))
    return msgspec.structs.replace(side, configuration=resource(crs[0]))


def read_dumps(sources: Sequence[str]) -> list[Dump]:
    """Read the manifests of dumps; ManifestError carries the problems of all of them."""
    if not sources:
        return []
    from virtcatalog.fleet.files import dumped
    from virtcatalog.review.dumps import dump_of

    for path in (placed(source).path for source in sources):
        _check_dump(path)
    dumps: list[Dump] = []
    dumped([*map(placed, sources)], lambda stream, where: dumps.append(dump_of(stream, where)))
    return dumps


def _check_dump(path: str) -> None:
    """Refuse a folder with kustomizations in it: VMs are not deployed as its files have them."""
    from virtcatalog.fleet.sources import kustomized

    folders = kustomized(path)
    if folders:
        example = shell(f"{path.rstrip('/')}/{folders[-1]}".removeprefix("./"))
        message = "has kustomizations, and no VM is deployed as it stands there; name what is built"
        raise VirtcatalogError(f"{path}: {message}, such as -f {example}")


def _print(report: Report, form: str, part: str | None, artifact: str, *, full: bool) -> None:
    if form == "text":
        _print_text(report, part, full=full)
    elif form == "json":
        from virtcatalog.review.report import as_data

        print_json(as_data(report))
    elif form == "markdown":
        from virtcatalog.review.markdown import markdown

        data(markdown(report, artifact))
    elif form == "html":
        from virtcatalog.review.html import html

        data(html(report))
    elif form == "sarif":
        from virtcatalog.review.sarif import sarif

        data(sarif(report))
    else:
        from virtcatalog.review.github import github

        data(github(report))


def _print_calm(report: Report, form: str) -> None:
    """Print a report that nobody is to be troubled with: one sentence where people read it, all of it for programs."""
    if form == "markdown":
        from virtcatalog.review.markdown import calm

        data(calm(report))
    else:
        _print(report, form, "stat", "", full=False)


def _print_text(report: Report, part: str | None, *, full: bool) -> None:
    from virtcatalog.review.text import WIDTH, stat, text

    width = min(columns_of_terminal() or WIDTH, _WIDEST)
    if part == "stat":
        echo(stat(report, width), nl=False)
    else:
        write_diff(text(report, width, full=full, vms=part != "objects", objects=part != "vms"))
