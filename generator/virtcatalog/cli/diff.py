"""`virtcatalog diff`: what a change does to the objects and to the VMs."""

from __future__ import annotations

import gc
import json
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from virtcatalog.cli.console import failing, progress, write_diff
from virtcatalog.cli.inputs import contents, is_catalog, read
from virtcatalog.errors import ManifestError, Problem, VirtcatalogError

if TYPE_CHECKING:
    from virtcatalog.review.comparison import Conditions
    from virtcatalog.review.judge import Case
    from virtcatalog.review.report import Report
    from virtcatalog.review.side import Side

Data = dict[str, Any]


@click.command(
    "diff",
    epilog="""\b
Examples:
  virtcatalog diff                                  the branch and what is not committed yet, against main
  virtcatalog diff v1.2.0 v1.3.0                    two tags
  virtcatalog diff -o markdown > comment.md         for a pull request
  kubectl get vm -A -o json | virtcatalog diff -f - with the VMs of a cluster
  virtcatalog diff old/ new/ --config old.yaml new.yaml
""",
)
@click.argument("base", required=False)
@click.argument("head", required=False)
@click.option(
    "--catalog",
    default="catalog",
    metavar="PATH",
    help="The catalog, or a folder of manifests, in the working tree and in revisions. [default: catalog]",
)
@click.option(
    "--file",
    "-f",
    "sources",
    multiple=True,
    metavar="FILE|DIR|-",
    help="VMs, such as a dump of the fleet, and what else is in their cluster.",
)
@click.option(
    "--config",
    nargs=2,
    metavar="BASE HEAD",
    help="Two files with the KubeVirt CR before and after. [default: the CR among the files]",
)
@click.option("--host", nargs=2, metavar="BASE HEAD", help="Two host profiles: names or files.")
@click.option("--environment", metavar="NAME", help="Look at one environment only. [default: all]")
@click.option(
    "--arch",
    type=click.Choice(["amd64", "arm64", "s390x"]),
    default="amd64",
    help="The architecture of VMs that name none. [default: amd64]",
)
@click.option(
    "--output",
    "-o",
    "form",
    type=click.Choice(["text", "markdown", "json", "github"]),
    default="text",
    help="How to print it. [default: text]",
)
@click.option("--artifact", default="", metavar="URL", help="Where the whole report is, for Markdown cut short.")
@failing
def command(
    base: str | None,
    head: str | None,
    catalog: str,
    sources: tuple[str, ...],
    config: tuple[str, str] | None,
    host: tuple[str, str] | None,
    environment: str | None,
    arch: str,
    form: str,
    artifact: str,
) -> int:
    """Show what changes from BASE to HEAD, in the objects and in the domain of every VM.

    Each is a git revision, or a catalog, output tree or other folder or file of manifests. BASE is by default where
    the branch left the main branch, HEAD the working tree. Nothing is checked out or written.

    Exit status: 0 no differences, 1 differences, 2 a side or an input that cannot be read (the rest is compared).
    """
    from virtcatalog.review.compare import review

    sides = _side(base, catalog, forked=True), _side(head, catalog, forked=False)
    for name in (environment,) if environment else ():
        if not any(name in side.objects for side in sides):
            raise click.UsageError(f"there is no environment {name!r} on either side")
    dump = read_dumps(sources)
    report = review(*sides, _conditions(config, host, arch), dump, environment, _watch)
    printers: dict[str, Callable[[Report], None]] = {
        "text": _text,
        "markdown": partial(_markdown, artifact),
        "json": _json,
        "github": _github,
    }
    printers[form](report)
    return report.status


def _side(name: str | None, catalog: str, *, forked: bool) -> Side:
    """Read a side; None is the working tree, or where the branch left the main branch if `forked`."""
    from virtcatalog.manifests.git import Repository, short
    from virtcatalog.review.side import Side, read_side

    if name is None and not forked:
        if not Path(catalog).exists():
            raise VirtcatalogError(f"{catalog}: there is no such file or folder")
        return read_side(Path(catalog), catalog)
    if name and Path(name).exists():
        inside = Path(name, catalog)
        is_checkout = is_catalog(str(inside)) and not is_catalog(name)
        return read_side(*((inside, str(inside)) if is_checkout else (Path(name), name)))
    repository = Repository(Path())
    commit, shown = repository.fork_point() if name is None else (repository.commit(name), name)
    label = f"{shown}@{short(commit)}:{catalog}" if name is None else f"{shown}:{catalog}"
    with repository.folder(commit, catalog) as folder:
        return read_side(folder, label) if folder else Side(label=f"{label} (not there)")


def _conditions(
    config: tuple[str, str] | None, host: tuple[str, str] | None, arch: str
) -> tuple[Conditions, Conditions]:
    from virtcatalog.kubevirt.hostfile import load_host
    from virtcatalog.review.comparison import Conditions

    before, after = (
        Conditions(
            kubevirt=_kubevirt(config[number]) if config else None,
            architecture=arch,
            **({"host": load_host(host[number])} if host else {}),
        )
        for number in (0, 1)
    )
    return before, after


def _kubevirt(file: str) -> Data:
    found: list[Data] = [each.data for each in read([file]) if each.data["kind"] == "KubeVirt"]
    if len(found) != 1:
        raise ManifestError(Problem(file=file, message=f"holds {len(found)} KubeVirt CRs, one is needed"))
    return found[0]


def read_dumps(sources: Iterable[str]) -> list[Data]:
    """Read the manifests of dumps; ManifestError carries the problems of all of them."""
    from virtcatalog.manifests.dump import read_dump

    found: list[Data] = []
    problems: list[Problem] = []
    # All of it is kept to the end: looking for garbage in it again and again would take as long as all the rest.
    gc.disable()
    for source in sources:
        try:
            for name, content in contents(source):
                try:
                    found += read_dump(content, name)
                except ManifestError as error:
                    problems += error.problems
        except OSError as error:
            problems.append(Problem(file=str(error.filename or source), message=error.strerror or str(error)))
    gc.freeze()
    gc.enable()
    if problems:
        raise ManifestError(*problems)
    return found


def _watch(cases: Sequence[Case]) -> Iterable[Case]:
    return progress(cases, len(cases), "VMs that may change")


def _text(report: Report) -> None:
    from virtcatalog.review.text import text

    write_diff(text(report))


def _markdown(artifact: str, report: Report) -> None:
    from virtcatalog.review.markdown import markdown

    click.echo(markdown(report, artifact), nl=False)


def _github(report: Report) -> None:
    from virtcatalog.review.text import github

    click.echo(github(report), nl=False)


def _json(report: Report) -> None:
    from virtcatalog.review.report import as_data

    click.echo(json.dumps(as_data(report), indent=2, ensure_ascii=False))
