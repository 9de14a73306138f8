"""One side of a comparison: what a catalog, an output tree or a folder of manifests holds, as far as it is sound."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from virtcatalog.catalog.load import load_catalog
from virtcatalog.catalog.model import Catalog, Source
from virtcatalog.errors import CatalogError, ManifestError, Problem
from virtcatalog.manifests.identity import Data, Identity, identity
from virtcatalog.manifests.read import Manifest, read_manifests
from virtcatalog.render.environment import deployed

_SUFFIXES = (".yaml", ".yml", ".json")
_NOT_MANIFESTS = ("kustomization.yaml", "kustomization.yml", "Kustomization")
_ROUNDS = 4


class Vm(msgspec.Struct, frozen=True, kw_only=True):
    """A VM to look at. `key` is what it is recognised by on the other side, `place` where it is declared."""

    key: str
    manifest: Data
    environment: str = ""
    place: Source


class Side(msgspec.Struct, frozen=True, kw_only=True):
    """What there is on one side.

    `objects` are the published objects by environment, "" being the base; `companions` what else of a cluster the VM
    templates' files hold, by environment; `releases` the KubeVirt releases that environments are said to run.
    `configuration` is the KubeVirt CR that counts in place of those among the objects. `places` says where the objects
    are declared. `left_out` are the files of a broken catalog that could not be read on; "*" when nothing of it could.
    """

    label: str
    objects: Mapping[str, list[Data]] = {}
    companions: Mapping[str, list[Data]] = {}
    releases: Mapping[str, str] = {}
    configuration: Data | None = None
    vms: tuple[Vm, ...] = ()
    places: Mapping[Identity, Source] = {}
    problems: tuple[Problem, ...] = ()
    left_out: frozenset[str] = frozenset()


class Sound(msgspec.Struct, frozen=True):
    """Two sides without what a broken file hides on one of them, and the names of that."""

    base: Side
    head: Side
    objects: tuple[str, ...] = ()
    vms: tuple[str, ...] = ()


def sound(base: Side, head: Side) -> Sound:
    """Leave out what either side declares in files that could not be read on the other one."""
    hidden: set[tuple[str, ...]] = set()
    for broken, other in ((base, head), (head, base)):
        hidden |= {
            identity(each)[::2]
            for objects in other.objects.values()
            for each in objects
            if _is_hidden(other, other.places.get((each["kind"], "", identity(each)[2])), broken)
        }
    vms = {
        each.key
        for broken, other in ((base, head), (head, base))
        for each in other.vms
        if _is_hidden(other, each.place, broken)
    }
    if not (base.left_out or head.left_out):
        return Sound(base, head)
    environments = base.objects.keys() & head.objects.keys()

    def rest(side: Side) -> Side:
        return msgspec.structs.replace(
            side,
            objects={
                name: [each for each in objects if identity(each)[::2] not in hidden]
                for name, objects in side.objects.items()
                if name in environments
            },
            vms=tuple(each for each in side.vms if each.key not in vms and each.environment in environments),
        )

    lost = {each.key for side in (base, head) for each in side.vms if each.environment not in environments}
    names = sorted({"/".join(pair) for pair in hidden})
    return Sound(rest(base), rest(head), tuple(names), tuple(sorted(vms | lost)))


def _is_hidden(side: Side, place: Source | None, broken: Side) -> bool:
    if "*" in broken.left_out:
        return True
    return place is not None and place.file.removeprefix(f"{side.label}/") in broken.left_out


def read_side(path: Path, label: str) -> Side:
    """Read a catalog, an output tree, a folder of manifests or a file of them; what is wrong is in `problems`.

    `label` is what files are called in messages instead of `path`.
    """
    if (path / "catalog.yaml").is_file():
        return _read_catalog(path, label)
    if (path / ".virtcatalog").is_file() and (path / "base").is_dir():
        return _read_manifests(path / "base", f"{label}/base", label)
    return _read_manifests(path, label, label)


def _read_catalog(path: Path, label: str) -> Side:
    try:
        return _of_catalog(load_catalog(path), path, label)
    except CatalogError as error:
        first = error.problems
    problems = tuple(_renamed(problem, path, label) for problem in first)
    broken = {_relative(problem.file, path) for problem in first}
    with TemporaryDirectory(prefix="virtcatalog-") as temporary:
        copy = Path(temporary, "catalog")
        shutil.copytree(path, copy, symlinks=True)
        for _ in range(_ROUNDS):
            if broken & {"catalog.yaml", "components.yaml", "", "."}:
                break
            for file in broken:
                (copy / file).unlink(missing_ok=True)
            try:
                side = _of_catalog(load_catalog(copy), copy, label)
            except CatalogError as error:
                more = {_relative(problem.file, copy) for problem in error.problems}
                if more <= broken:
                    break
                broken |= more
            else:
                return msgspec.structs.replace(side, problems=problems, left_out=frozenset(broken))
    return Side(label=label, problems=problems, left_out=frozenset({"*"}))


def _of_catalog(catalog: Catalog, path: Path, label: str) -> Side:
    environments = ["", *(overlay.name for overlay in catalog.overlays)]
    companions: dict[str, list[Data]] = {}
    for template in catalog.vms:
        companions.setdefault(template.environment, []).extend(template.companions)
    places = {
        (kind, "", entry.name): _moved(entry.source, path, label)
        for entries, kinds in (
            (catalog.instancetypes, ("VirtualMachineClusterInstancetype", "VirtualMachineInstancetype")),
            (catalog.preferences, ("VirtualMachineClusterPreference", "VirtualMachinePreference")),
        )
        for entry in entries
        for kind in kinds
    }
    return Side(
        label=label,
        objects={name: deployed(catalog, name) for name in environments},
        companions=companions,
        releases={overlay.name: overlay.kubevirt for overlay in catalog.overlays if overlay.kubevirt},
        vms=tuple(
            Vm(
                key=each.key,
                manifest=each.manifest,
                environment=each.environment,
                place=_moved(each.source, path, label),
            )
            for each in catalog.vms
        ),
        places=places,
    )


def _read_manifests(path: Path, shown: str, label: str) -> Side:
    manifests, problems = read_folder(path, shown)
    objects, vms, places = [], [], {}
    for each in manifests:
        place = Source(each.file, find=each.place)
        if each.data["kind"] == "VirtualMachine":
            vms.append(Vm(key="/".join(identity(each.data)[1:]).lstrip("/"), manifest=each.data, place=place))
        else:
            objects.append(each.data)
            places[identity(each.data)] = place
    broken = frozenset(problem.file.removeprefix(f"{label}/") for problem in problems)
    return Side(
        label=label, objects={"": objects}, vms=tuple(vms), places=places, problems=tuple(problems), left_out=broken
    )


def read_folder(path: Path, shown: str) -> tuple[list[Manifest], list[Problem]]:
    """Read every manifest of a folder or file, and say what is wrong with the others."""
    manifests: list[Manifest] = []
    problems: list[Problem] = []
    for file in _files(path):
        name = shown if file == path else f"{shown}/{file.relative_to(path).as_posix()}"
        try:
            manifests += read_manifests(file.read_bytes(), name)
        except ManifestError as error:
            problems += error.problems
        except OSError as error:
            problems.append(Problem(file=name, message=(error.strerror or str(error)).lower()))
    return manifests, sorted(problems)


def _files(path: Path) -> Iterable[Path]:
    if not path.is_dir():
        return [path]
    return sorted(
        file
        for file in path.rglob("*")
        if file.name.endswith(_SUFFIXES)
        and file.name not in _NOT_MANIFESTS
        and not any(part.startswith(".") for part in file.relative_to(path).parts)
        and not file.is_dir()
    )


def _renamed(problem: Problem, path: Path, label: str) -> Problem:
    relative = _relative(problem.file, path)
    return msgspec.structs.replace(problem, file=f"{label}/{relative}" if relative not in ("", ".") else label)


def _moved(source: Source, path: Path, label: str) -> Source:
    return Source(f"{label}/{_relative(source.file, path)}", find=lambda: (source.line, source.column))


def _relative(file: str, path: Path) -> str:
    return file.removeprefix(path.as_posix()).lstrip("/")
