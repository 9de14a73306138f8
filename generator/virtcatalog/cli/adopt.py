"""`virtcatalog adopt`: VMs that say everything themselves take an instance type and a preference instead."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from virtcatalog.cli.console import failing, progress, summary, write_diff
from virtcatalog.cli.inputs import catalog_objects, contents
from virtcatalog.errors import ManifestError, Problem, VirtcatalogError

if TYPE_CHECKING:
    from virtcatalog.api.read import Manifest
    from virtcatalog.migrate.adopt import Adoption
    from virtcatalog.migrate.candidates import Candidates

_FORMS = ("yaml", "diff", "json")


@click.command(
    "adopt",
    epilog="""\b
Examples:
  virtcatalog adopt -f vm.yaml                        the shorter manifest; why, on stderr
  virtcatalog adopt -f vm.yaml -o diff                what would change in the file
  virtcatalog adopt -f vms/ --in-place                every VM of a folder, in its own file
  virtcatalog adopt -f vm.yaml --nearest --output new.yaml
  kubectl get vm -A -o yaml | virtcatalog adopt -f - -o json --catalog output
""",
)
@click.option(
    "--file",
    "-f",
    "sources",
    multiple=True,
    required=True,
    metavar="FILE|DIR|-",
    help="VMs, and whatever objects of the cluster they refer to.",
)
@click.option(
    "--catalog",
    metavar="CATALOG|DIR",
    help="A catalog, an output tree, or a folder of instance types and preferences. [default: ./catalog, if any]",
)
@click.option("-o", "form", type=click.Choice(_FORMS), default="yaml", help="What to print. [default: yaml]")
@click.option("--output", "target", metavar="FILE|-", default="-", help="Where to write it. [default: stdout]")
@click.option("--in-place", "-i", is_flag=True, help="Change the files of the VMs; print only with -o.")
@click.option("--nearest", is_flag=True, help="Adopt the nearest, too: the VM's domain changes.")
@click.option(
    "--arch",
    type=click.Choice(["amd64", "arm64", "s390x"]),
    default="amd64",
    help="The architecture of VMs that name none. [default: amd64]",
)
@click.option("--host", metavar="PROFILE|FILE", default="reference", help="The nodes: see `virtcatalog hosts`.")
@click.pass_context
@failing
def command(
    context: click.Context,
    /,
    sources: tuple[str, ...],
    catalog: str | None,
    form: str,
    target: str,
    in_place: bool,
    nearest: bool,
    arch: str,
    host: str,
) -> int:
    """Find the instance type and preference under which a VM gets shorter and keeps its libvirt domain.

    What they say goes from the manifest; everything else in the file stays as it is, comments too. That the domain
    is the same is proven by expanding the VM before and after. Without an exact match the nearest one is described and
    nothing is written, unless --nearest asks for it; the exit status is 1.
    """
    from virtcatalog.hosts import load_host
    from virtcatalog.migrate.adopt import adopt
    from virtcatalog.migrate.candidates import Candidates

    _refuse_nonsense(context, sources, target, in_place)
    files, problems = _read(sources)
    vms = [vm for file in files for vm in file.vms]
    if not vms and not problems:
        raise VirtcatalogError(f"no VirtualMachine in {', '.join(sources)}")
    companions = [manifest.data for file in files for manifest in file.companions]
    candidates = Candidates([*catalog_objects(catalog), *companions], architecture=arch, host=load_host(host))
    _refuse_nothing(candidates, catalog)
    for problem in sorted(problems):
        click.echo(str(problem), err=True)
    adoptions = [adopt(vm.data, candidates) for vm in progress(vms, len(vms), "VMs")]
    outcomes = iter(adoptions)
    adopted = [_Adopted(file, list(zip(file.vms, outcomes))) for file in files]  # noqa: B905
    writable = ("adopted", "nearest") if nearest else ("adopted",)
    failed = _tell(adopted, writable)
    texts, unwritable = _texts(adopted, writable)
    for problem in unwritable:
        click.echo(str(problem), err=True)
    if in_place:
        for file, text in texts:
            _replace(Path(file.name), text, file.text)
    if not in_place or context.get_parameter_source("form") is not click.core.ParameterSource.DEFAULT:
        whole = any(text != file.text for file, text in texts) or not (failed or problems or unwritable)
        _print(form, target, texts if whole else [], adopted)
    if problems or any(adoption.outcome == "unsupported" for adoption in adoptions):
        return 2
    return 1 if failed or unwritable else 0


class _File(NamedTuple):
    name: str
    text: str
    vms: list[Manifest]
    companions: list[Manifest]


class _Adopted(NamedTuple):
    file: _File
    vms: list[tuple[Manifest, Adoption]]


def _refuse_nonsense(context: click.Context, sources: Iterable[str], target: str, in_place: bool) -> None:
    if not in_place:
        return
    if "-" in sources:
        raise click.UsageError("--in-place changes files, and -f - is none", context)
    if target != "-":
        raise click.UsageError("--in-place and --output exclude each other", context)


def _refuse_nothing(candidates: Candidates, catalog: str | None) -> None:
    if candidates.instancetypes or candidates.preferences:
        return
    where = catalog or "./catalog, and no --catalog is given"
    raise VirtcatalogError(f"there is no instance type and no preference in {where}: nothing to adopt")


def _read(sources: Iterable[str]) -> tuple[list[_File], list[Problem]]:
    """Read the files; VMs that cannot be read are among the problems, other objects must be fine."""
    from virtcatalog.api.read import read_apart

    files, problems, fatal = [], [], []
    for source in sources:
        try:
            for name, content in contents(source):
                manifests, faults = read_apart(content, name)
                problems += faults
                vms, companions = [], []
                for each in manifests:
                    is_vm = isinstance(each.data, dict) and each.data.get("kind") == "VirtualMachine"
                    if each.problems:
                        (problems if is_vm else fatal).extend(each.problems)
                    elif is_vm:
                        vms.append(each)
                    else:
                        companions.append(each)
                files.append(_File(name, content.decode("utf-8", "replace"), vms, companions))
        except OSError as error:
            fatal.append(Problem(file=os.fspath(error.filename or source), message=error.strerror or str(error)))
    if fatal:
        raise ManifestError(*fatal, *problems)
    return files, problems


def _tell(adopted: list[_Adopted], writable: tuple[str, ...]) -> bool:
    """Explain every VM on stderr; whether any of them found nothing that is the same."""
    from virtcatalog.migrate.report import explain, table

    rows = [(_name(manifest), adoption) for each in adopted for manifest, adoption in each.vms]
    for each in adopted:
        for manifest, adoption in each.vms:
            for problem in _problems(manifest, adoption):
                click.echo(str(problem), err=True)
            lines = list(explain(adoption))
            if lines:
                line, column = manifest.place("")
                click.echo(f"{manifest.file}:{line}:{column}: {manifest.name}: {lines[0]}", err=True)
                for text in lines[1:]:
                    click.echo(text, err=True)
    if len(rows) > 1:
        for text in table(rows):
            summary(text)
    return any(adoption.outcome not in ("adopted", "unchanged") for _, adoption in rows)


def _problems(manifest: Manifest, adoption: Adoption) -> list[Problem]:
    who = f"refused by {adoption.refused_by}" if adoption.refused_by else "not supported by virtcatalog"
    return sorted(
        manifest.problem(_in_vm(cause.field), f"not adopted, {who}: {cause.message}") for cause in adoption.causes
    )


def _in_vm(field: str) -> str:
    """The VM's field behind a field of its VMI."""
    from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec

    first, _, rest = field.partition(".")
    name = rest.partition(".")[0].partition("[")[0]
    in_template = first == "spec" and name in VirtualMachineInstanceSpec.__struct_encode_fields__
    return f"spec.template.{field}" if in_template else field


def _texts(adopted: list[_Adopted], writable: tuple[str, ...]) -> tuple[list[tuple[_File, str]], list[Problem]]:
    """The files' new texts, and why some cannot be written: the whole file stays as it is then."""
    from virtcatalog.migrate.rewrite import rewrite
    from virtcatalog.migrate.textedit import UnwritableError

    texts, problems = [], []
    for file, vms in adopted:
        changed = {
            number: adoption.found.manifest
            for number, (_, adoption) in enumerate(vms)
            if adoption.found is not None and adoption.outcome in writable
        }
        text = file.text
        try:
            text = rewrite(text, changed) if changed else text
        except UnwritableError as error:
            problems += [vms[number][0].problem("", f"cannot be rewritten: {error}") for number in changed]
        texts.append((file, text))
    return texts, problems


def _print(form: str, target: str, texts: list[tuple[_File, str]], adopted: list[_Adopted]) -> None:
    if form == "diff" and target == "-":
        write_diff("".join(_diff(texts)))
        return
    text = {"yaml": _joined, "diff": _diff, "json": lambda _: _json(adopted)}[form](texts)
    if target == "-":
        click.echo("".join(text), nl=False)
    elif texts or form == "json":
        _replace(Path(target), "".join(text), None)


def _joined(texts: list[tuple[_File, str]]) -> Iterator[str]:
    """The files one after the other, as one stream of documents."""
    for index, (_, text) in enumerate(texts):
        if index and not text.startswith("---"):
            yield "---\n"
        yield text if text.endswith("\n") or len(texts) == 1 else f"{text}\n"


def _diff(texts: list[tuple[_File, str]]) -> Iterator[str]:
    for file, text in texts:
        lines = unified_diff(file.text.splitlines(True), text.splitlines(True), f"a/{file.name}", f"b/{file.name}")
        for line in lines:
            yield line if line.endswith("\n") else f"{line}\n"


def _json(adopted: list[_Adopted]) -> Iterator[str]:
    from virtcatalog.migrate.report import document

    documents: Any = []
    for each in adopted:
        for manifest, adoption in each.vms:
            line, column = manifest.place("")
            place = {"file": manifest.file, "line": line, "column": column}
            documents.append(document(_name(manifest), adoption) | {"place": place})
    yield json.dumps(documents[0] if len(documents) == 1 else documents, indent=2, ensure_ascii=False) + "\n"


def _replace(path: Path, text: str, old: str | None) -> None:
    """Write a file as a whole or not at all, with the permissions that it had; one that would not change is left."""
    if text == old:
        return
    path = Path(os.path.realpath(path))
    try:
        descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
                file.write(text)
                file.flush()
                os.fsync(descriptor)
            if path.exists():
                shutil.copymode(path, name)
            else:
                Path(name).chmod(0o666 & ~_umask())
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise VirtcatalogError(f"{path}: {error.strerror or error}; it is as it was") from error


def _umask() -> int:
    umask = os.umask(0)
    os.umask(umask)
    return umask


def _name(manifest: Manifest) -> str:
    metadata = manifest.data.get("metadata") or {}
    return f"{metadata.get('namespace') or 'default'}/{metadata.get('name') or metadata.get('generateName')}"
