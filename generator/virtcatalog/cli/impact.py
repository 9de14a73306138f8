"""`virtcatalog impact`: who depends on a part of the catalog."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from virtcatalog.cli import options
from virtcatalog.cli.conditions import conditioned
from virtcatalog.cli.console import echo, failing, print_problems
from virtcatalog.cli.defaults import settings
from virtcatalog.cli.diff import read_dumps
from virtcatalog.cli.inputs import default_path, repository_at
from virtcatalog.cli.previews import note_previews, print_json
from virtcatalog.errors import VirtcatalogError, counted, some
from virtcatalog.escaping import single_line
from virtcatalog.manifests.sources import exists, not_there

if TYPE_CHECKING:
    from virtcatalog.ask.impact import Impact, Use
    from virtcatalog.kubevirt.conditions import Conditions

_MOST_NAMES = 10


@click.command(
    "impact",
    epilog="""\b
Examples:
  virtcatalog impact m.large
  virtcatalog impact hyperv windows.windows7 -o json
  kubectl get vm -A -o yaml | virtcatalog impact g -f -
""",
)
@click.argument("names", nargs=-1, required=True, shell_complete=options.completes("subjects"))
@options.catalog("A catalog, a repository or a folder of manifests. [default: catalog, else the repository]")
@options.manifests(options.FLEET)
@options.environments
@options.form(("text", "json"))
@failing
@conditioned
def command(
    names: tuple[str, ...],
    catalog: str | None,
    sources: tuple[str, ...],
    environments: tuple[str, ...],
    form: str,
    conditions: Conditions,
) -> int:
    """Show which VM templates and VMs use each NAME, and what would become of them without it.

    A NAME is an instance type, a preference, a class or a component. VMs use it directly, by what their volumes'
    labels say, or through what it is mixed into.

    Exit status: 0 nothing depends on any of them, 1 something does, 2 a file of a repository cannot be read.
    """
    from virtcatalog.ask.impact import impacts
    from virtcatalog.releases import find_release

    path = Path(catalog or default_path())
    if not exists(str(path)):
        raise VirtcatalogError(not_there(str(path)))
    side = repository_at(str(path))
    dumps = read_dumps([*sources, *settings().cluster])
    answers = impacts(names, path, dumps, conditions, environments, side)
    note_previews(find_release(name) for answer in answers for name in answer.previews)
    if form == "json":
        print_json([_as_data(impact) for impact in answers])
    else:
        echo("\n".join("".join(f"{line}\n" for line in _lines(answer)) for answer in answers), nl=False)
    problems = side.problems if side is not None else ()
    print_problems(problems)
    return 2 if problems else 1 if any(answer.is_used for answer in answers) else 0


def _lines(impact: Impact) -> Iterator[str]:
    from virtcatalog.review.groups import grouped
    from virtcatalog.review.rows import change_lines, shortened, sign, who, word
    from virtcatalog.review.summary import summary

    yield f"{impact.kind} {impact.name}: {counted(len(impact.objects), 'object')}"
    for place in impact.places:
        yield f"  {place}"
    for environment in dict.fromkeys(use.environment for use in impact.uses):
        where = f"{environment}: " if environment else ""
        for template, noun in ((True, "VM template"), (False, "VM")):
            uses = [use for use in impact.uses if (use.environment, use.template) == (environment, template)]
            if uses:
                yield f"  {where}used by {counted(len(uses), noun)}: {single_line(_names(uses))}"
    if not impact.is_used:
        yield "  nothing depends on it"
    if impact.problems:
        yield "  without it the catalog cannot be rendered:"
        yield from (f"    {problem}" for problem in impact.problems)
    groups = grouped(impact.without.verdicts)
    if groups:
        vms = [verdict for verdict in impact.without.verdicts if not verdict.template]
        yield f"  without it: {summary(vms, impact.without.vms).sentence}" if vms else "  without it:"
    for group in groups:
        yield f"    {sign(group.verdict)} {word(group.verdict)}  {single_line(who(group, 5))}"
        yield f"      {single_line('; '.join(shortened(change_lines(group.verdict), 4)))}"


def _names(uses: list[Use]) -> str:
    return some([f"{use.name} (inferred)" if use.inferred else use.name for use in uses], _MOST_NAMES)


def _as_data(impact: Impact) -> dict[str, Any]:
    return {
        "name": impact.name,
        "what": impact.kind,
        "objects": list(impact.objects),
        "places": [msgspec.to_builtins(place) for place in impact.places],
        "uses": [msgspec.to_builtins(use) for use in impact.uses],
        "without": [
            {**msgspec.to_builtins(verdict), "level": verdict.level, "diff": impact.without.diff(verdict)}
            for verdict in impact.without.verdicts
        ],
        "problems": [msgspec.to_builtins(problem) for problem in impact.problems],
    }
