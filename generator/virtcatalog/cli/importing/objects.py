"""`virtcatalog import objects`: a set of instance types and preferences becomes a catalog."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from virtcatalog.cli import options
from virtcatalog.cli.console import echo, failing, summary
from virtcatalog.errors import ManifestError, Problem, VirtcatalogError, counted
from virtcatalog.fleet.sources import contents


@click.command(
    "objects",
    epilog="""\b
Examples:
  virtcatalog import objects -f bundle.yaml
  virtcatalog import objects -f common-instancetypes/ --output-dir house/catalog --name house
  kubectl get vmci,vmcp -o yaml | virtcatalog import objects -f -
""",
)
@options.manifests(
    "Instance types and preferences: manifests, or folders that kustomize builds.", required=True, placed=False
)
@options.output_dir("The new catalog's folder.", default="catalog")
@click.option("--name", help="The catalog's name. [default: the folder's]")
@click.option("--relabel", is_flag=True, help="Give every object all labels that catalogs derive.")
@failing
def command(sources: tuple[str, ...], output: Path, name: str | None, relabel: bool) -> int:
    """Make a catalog of a set of instance types and preferences.

    Classes, sizes, ratios, components, defaults and variants are found by themselves. Before anything is written it is
    proved that the catalog gives the same objects: equal in labels, annotations and spec. Where they are not in both
    scopes alike, environments in overlays.yaml deploy just those that there were.

    Folders with a kustomization are built as kustomize does it, without running anything; what is not supported of
    it is an error. All files are written, or none; a file that is there already is never replaced.
    """
    from virtcatalog.api.names import name_fault
    from virtcatalog.bring.objects.catalog import draft, prove
    from virtcatalog.bring.objects.read import collected, kustomized, nothing
    from virtcatalog.scaffold.content import write

    name = name or _default_name(output)
    if fault := name_fault(name):
        raise click.UsageError(f"{fault}; choose another --name.")
    problems: list[Problem] = []
    files: list[tuple[str, bytes]] = []
    built: list[tuple[str, list[dict[str, Any]]]] = []
    for source in sources:
        objects = kustomized(source)
        if objects is None:
            files += contents(source, problems)
        else:
            built.append((source, objects))
    if problems:
        raise ManifestError(*problems)
    inputs = collected(files, built)
    if not inputs.manifests:
        raise nothing(sources)
    imported = draft(inputs.manifests, name, relabel=relabel)
    restated = prove(imported, inputs.manifests, relabel=relabel)
    existing = [path for path in imported.files if (output / path).exists()]
    if existing:
        raise VirtcatalogError(f"{output} has a file {existing[0]} already; choose another --output-dir")
    if restated:
        count = len({problem.object for problem in restated})
        summary(f"{count} of {len(inputs.manifests)} objects get labels that are derived, or lose others")
    for path in write(output, imported.files):
        echo(str(output / path))
    if inputs.other_names:
        kinds = sorted({other.partition("/")[0] for other in inputs.other_names})
        summary(f"left out: {counted(len(inputs.other_names), 'object')} of other kinds ({', '.join(kinds)})")
    lines = sum(text.count("\n") for text in imported.files.values())
    number = counted(len(inputs.manifests), "object")
    summary(f"{output}: {number} in {lines} lines; {_where(imported.environments)}")
    return 0


def _default_name(output: Path) -> str:
    """A folder's name; of one that is called catalog, that of the folder around it."""
    folder = Path(os.path.realpath(output))  # resolve() raises where links go round in circles
    name = folder.parent.name if folder.name == "catalog" else folder.name
    return (
        "".join(character if character.isalnum() or character in "-." else "-" for character in name.lower()).strip(
            "-."
        )
        or "catalog"
    )


def _where(environments: tuple[str, ...]) -> str:
    if not environments:
        return "virtcatalog build gives the same"
    noun = "environment" if len(environments) == 1 else "environments"
    return f"virtcatalog build gives the same in the {noun} {', '.join(environments)}"
