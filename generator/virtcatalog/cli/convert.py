"""`virtcatalog convert`: objects of APIs that KubeVirt had become objects of those that it has."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from virtcatalog.cli import options
from virtcatalog.cli.console import echo, failing, print_problems, summary
from virtcatalog.cli.defaults import is_given
from virtcatalog.cli.previews import print_json
from virtcatalog.errors import ManifestError, Problem, VirtcatalogError, counted
from virtcatalog.fleet.sources import contents

if TYPE_CHECKING:
    from virtcatalog.bring.convert.files import File


@click.command(
    "convert",
    epilog="""\b
Examples:
  virtcatalog convert -f flavors.yaml                  the objects as KubeVirt takes them now; what changes, on stderr
  virtcatalog convert -f manifests/ -i                 every file of a folder, in its place, comments kept
  virtcatalog convert -f presets.yaml --memory 2Gi     what instance types get of presets that say no memory
  kubectl get vmpreset -A -o yaml | virtcatalog convert -f - -o json
""",
)
@options.manifests("What to convert; objects of served APIs stay as they are.", required=True, placed=False)
@options.form(["yaml", "diff", "json"])
@click.option("-i", "--in-place", is_flag=True, help="Change the files; print only with -o.")
@click.option("--memory", metavar="AMOUNT", default="", help="The memory of instance types of what says none.")
@failing
def command(sources: tuple[str, ...], form: str, in_place: bool, memory: str) -> int:
    """Convert objects of old KubeVirt APIs to current ones: v1, and v1beta1 of the others.

    Flavors, instance types and preferences of the alpha APIs, ControllerRevisions that hold them, presets (an instance
    type and a preference each), OfflineVirtualMachines and all that kubevirt.io had before v1. Each field that is
    called otherwise, moves or is lost is told. What is of a served API stays as it is, and so do comments.

    The exit status is 1 when something is lost.
    """
    from virtcatalog.bring.convert.files import convert_files
    from virtcatalog.cli.rewriting import Rewritten, print_files, write_in_place

    _check(memory)
    problems: list[Problem] = []
    files = {name: content for source in sources for name, content in contents(source, problems)}
    if problems:
        raise ManifestError(*problems)
    outcomes = convert_files(files, memory)
    _tell(outcomes)
    texts = [Rewritten(file.name, file.old, file.new) for file in outcomes]
    in_own_text = [text for text, file in zip(texts, outcomes, strict=True) if not file.loose]
    for text in in_own_text:
        print_problems(text.lost_comments())
    loose = [file for file in outcomes if file.loose and file.new != file.old]
    for file in loose:
        echo(f"{file.name}: cannot be rewritten in its own text: {file.loose}; printed, it has no comments", err=True)
    if in_place:
        write_in_place(in_own_text)
    if not in_place or is_given("form"):
        if form == "json":
            print_json([_report(file) for file in outcomes])
        else:
            print_files(texts, form)
    _sum_up(outcomes)
    if in_place and loose:
        return 2
    return 1 if any(converted.lost for file in outcomes for _, converted in file.objects) else 0


def _check(memory: str) -> None:
    from virtcatalog.api.quantity import Quantity

    try:
        if memory and not Quantity() < Quantity.parse(memory):
            raise VirtcatalogError(f"--memory {memory}: must be more than 0")
    except ValueError as error:
        raise VirtcatalogError(f"--memory: {error}") from None


def _tell(files: Iterable[File]) -> None:
    print_problems(
        sorted(
            manifest.problem(change.path, change.sentence)
            for file in files
            for manifest, converted in file.objects
            for change in converted.changes
        )
    )


def _sum_up(files: list[File]) -> None:
    objects = [
        converted
        for file in files
        for _, converted in file.objects
        if any(change.outcome != "kept" for change in converted.changes)
    ]
    if not objects:
        summary("nothing to convert: everything is of an API that KubeVirt serves")
        return
    changes = [change for converted in objects for change in converted.changes]
    count, number = len(objects), sum(len(converted.objects) for converted in objects)
    lost = sum(change.outcome == "lost" for change in changes)
    changed = sum(change.outcome not in ("lost", "kept") for change in changes)
    summary(f"{counted(count, 'object')} converted to {number}: {counted(changed, 'field')} changed, {lost:,} lost")


def _report(file: File) -> dict[str, Any]:
    return {
        "file": file.name,
        "objects": [
            {
                "object": manifest.name,
                "line": manifest.place("")[0],
                "objects": list(converted.objects),
                "changes": [
                    {"what": change.outcome, "field": change.field, "to": change.to, "message": change.message}
                    for change in converted.changes
                ],
            }
            for manifest, converted in file.objects
        ],
    }
