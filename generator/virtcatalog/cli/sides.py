"""The two sides of `diff`: git revisions, catalogs, files and folders, and which of these a name means.

Who proposes a change chooses the names of files, and who owns the repository those of branches and tags. So a name that
is both is refused, and --base and --head name revisions only.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from virtcatalog.cli.inputs import renderer
from virtcatalog.errors import Problem, VirtcatalogError
from virtcatalog.manifests.folder import Folder, SourceError, manifest_files
from virtcatalog.manifests.layout import CATALOG
from virtcatalog.manifests.sources import USUAL_CATALOG, exists, is_catalog, not_there, open_in_checkout

if TYPE_CHECKING:
    from virtcatalog.manifests.git import Repository
    from virtcatalog.repositories.helm import Renderer
    from virtcatalog.review.side import Side

#: What both sides of an upgrade are called when there is no catalog.
ALONE = "the VMs given"
STDIN = "-"
#: The line of standard input between what was rendered before and after a change.
SEPARATOR = b"======="


class SideName(NamedTuple):
    """What a command line calls a side: a git revision, or a file, folder or catalog; neither is the default.

    `guessed` is a revision that was named where a path could have been.
    """

    revision: str | None = None
    path: str | None = None
    guessed: bool = False


def side_names(
    base: str | None, head: str | None, revisions: tuple[str | None, str | None]
) -> tuple[SideName, SideName]:
    """Return what the arguments BASE and HEAD and the options --base and --head name; UsageError for both of one side.

    GitError for a name that is a revision, and a file or folder, too.
    """
    for option, argument, revision in zip(("--base", "--head"), (base, head), revisions, strict=True):
        if revision is not None and argument is not None:
            raise click.UsageError(f"{option} {revision} and the argument {argument} name the same side")
    if base == head == STDIN:
        raise click.UsageError(f"name {STDIN} once: a line {SEPARATOR.decode()} is between BASE and HEAD")
    pair = _pair(base) if base is not None and head is None else None
    if pair is not None and revisions[1] is None:
        return SideName(revision=pair[0]), SideName(revision=pair[1])
    base_name, head_name = (
        SideName(revision=revision) if revision is not None else _argument(argument)
        for argument, revision in zip((base, head), revisions, strict=True)
    )
    return base_name, head_name


def _argument(name: str | None) -> SideName:
    if name is None:
        return SideName()
    if name == STDIN:
        return SideName(path=name)
    if not exists(name):
        return SideName(revision=name, guessed=True)
    if _can_be_revision(name) and (repository := _repository()) and repository.has(name):
        raise VirtcatalogError(
            f"{name} is a git revision, and a file or folder, too: say --base {name} or --head {name} for the "
            f"revision, and ./{name} for what lies there"
        )
    return SideName(path=name)


def _pair(name: str) -> tuple[str, str] | None:
    """The two revisions of `main..topic` and `main...topic`, in which one that is left out is HEAD."""
    from virtcatalog.manifests.git import short

    base, dots, head = name.partition("..." if "..." in name else "..")
    if not dots:
        return None
    base, head = base or "HEAD", head or "HEAD"
    if exists(name):
        is_pair = (
            _can_be_revision(name) and (repository := _repository()) and repository.has(base) and repository.has(head)
        )
        if is_pair:
            raise VirtcatalogError(
                f"{name} is two git revisions, and a file or folder, too: say --base {base} --head {head} for the "
                f"revisions, and ./{name} for what lies there"
            )
        return None
    if dots == "..":
        return base, head
    repository = _in_repository()
    return short(repository.merge_base(repository.commit(base), repository.commit(head))), head


def _can_be_revision(name: str) -> bool:
    """Whether git may know a name, as it knows no path that begins or ends like one."""
    return not name.startswith((".", "/", "-")) and not name.endswith("/")


def _in_repository() -> Repository:
    from virtcatalog.manifests.git import Repository

    return Repository(Path())


def _repository() -> Repository | None:
    """The repository around the working directory, None when there is none."""
    from virtcatalog.manifests.gitprocess import NoRepositoryError

    try:
        return _in_repository()
    except NoRepositoryError:
        return None


def read_sides(names: tuple[SideName, SideName], path: str | None) -> tuple[Side, Side]:
    """Read both sides: of revisions what they have at the path of the catalog, None for the default.

    BASE is by default where HEAD left the main branch, HEAD the working tree.
    """
    base, head = names
    shared = renderer()
    if base.path == STDIN and head == SideName():
        return _streams(shared)
    catalog = path or _default(names)
    base_side = _side(base, catalog, shared) if base != SideName() else _fork(head, catalog, shared)
    sides = base_side, _side(head, catalog, shared)
    for side, name in zip(sides, names, strict=True):
        # A folder or file that was named and holds nothing, or two sides that do, are no comparison.
        if side.nothing and (name.path is not None or all(side.nothing for side in sides)):
            raise VirtcatalogError(side.nothing)
    if path is None and catalog == USUAL_CATALOG and all(name.path is None for name in names):
        return sides[0], _with_neighbours(sides[1], names)
    return sides


def _with_neighbours(side: Side, names: tuple[SideName, SideName]) -> Side:
    """HEAD's side of a catalog that nobody named; it names what differs outside the catalog and is not compared."""
    from msgspec.structs import replace

    from virtcatalog.manifests.gitprocess import GitError
    from virtcatalog.review.beside import beside

    repository = _repository()
    base, head = names
    if repository is None or not repository.has(head.revision or "HEAD"):
        return side
    commit = repository.commit(base.revision) if base.revision is not None else _forked(repository, head)[0]
    root, changed = (repository.folder(at, ".") for at in (commit, repository.commit(head.revision or "HEAD")))
    try:
        if changed and head.revision is None:
            changed = _as_it_is(changed)
        problem = beside(root, changed, USUAL_CATALOG) if root and changed else None
    except GitError as error:
        problem = Problem(".", message=f"what lies beside the catalog is not looked at: {error}")
    return replace(side, unrendered=(*side.unrendered, problem)) if problem else side


def _as_it_is(committed: Folder) -> Folder:
    """The committed files as the checkout has them, without its further files: one may be a dump of live VMs."""
    checkout = open_in_checkout(".")
    files, faults = manifest_files(committed)
    changes = {path: _read(checkout, path) for path in (*files, *(path for path, _ in faults))}
    unread = {path for path, _ in faults if changes[path] is None}
    return committed.changed({path: content for path, content in changes.items() if path not in unread})


def _read(folder: Folder, path: str) -> bytes | None:
    """The content of a file, None where there is none that is read: a link that leads out is one that differs."""
    try:
        return folder.read(path) if folder.has(path) else None
    except SourceError:
        return None


def _default(names: tuple[SideName, SideName]) -> str:
    """The catalog, if either side has it where it is looked for, else the whole repository."""
    if is_catalog(USUAL_CATALOG):
        return USUAL_CATALOG
    repository = _repository()
    if repository is None:
        return USUAL_CATALOG if exists(USUAL_CATALOG) else "."
    for revision in (name.revision for name in names if name.revision is not None):
        if repository.has(revision):
            folder = repository.folder(repository.commit(revision), USUAL_CATALOG)
            if folder is not None and folder.has(CATALOG):
                return USUAL_CATALOG
    return "/".join(".." for _ in repository.prefix.split("/")[1:]) or "."


def side_of_git(path: str | None) -> Side:
    """Read a repository, catalog, folder or file as Git has it; None for the default, as `diff` has it."""
    return _side(SideName(), path or _default((SideName(), SideName())), renderer())


def some_side_of_git(path: str | None) -> Side:
    """Read what Git has; VirtcatalogError where it has no manifest."""
    side = side_of_git(path)
    if side.nothing:
        raise VirtcatalogError(side.nothing)
    return side


def states(revision: str, path: str) -> tuple[Side, Side]:
    """Read a path as it was in a revision and as it is; UsageError where there is no such revision."""
    repository = _in_repository()
    if not repository.has(revision):
        raise click.UsageError(f"--since {revision}: there is no such git revision")
    charts = renderer()
    before, after = _side(SideName(revision=revision), path, charts), _side(SideName(), path, charts)
    return before, after


def upgraded(catalog: str | None, *, alone: bool) -> Side:
    """Read the side that is compared with itself under two releases; `alone` if VMs do without a catalog."""
    from virtcatalog.review.side import Side

    if catalog is None and alone and not exists(USUAL_CATALOG):
        return Side(label=ALONE, objects={"": []})
    return some_side_of_git(catalog)


def _streams(shared: Renderer) -> tuple[Side, Side]:
    """The two sides that standard input holds, with a line between them."""
    from virtcatalog.manifests.folder import alone
    from virtcatalog.manifests.sources import read_file
    from virtcatalog.review.read import read_side

    content = b"\n" + read_file(STDIN)
    before, separator, after = content.partition(b"\n" + SEPARATOR + b"\n")
    if not separator:
        raise VirtcatalogError(f"standard input has no line {SEPARATOR.decode()} between BASE and HEAD")
    sides = read_side(alone(before), "BASE", shared), read_side(alone(after), "HEAD", shared)
    if all(side.nothing for side in sides):
        raise VirtcatalogError("standard input: there is no manifest of KubeVirt's")
    return sides


def _side(name: SideName, catalog: str, shared: Renderer) -> Side:
    from virtcatalog.manifests.git import SHALLOW, short
    from virtcatalog.review.read import read_side

    if name.revision is not None:
        repository = _in_repository()
        if name.guessed and not repository.has(name.revision):
            hint = f"; {SHALLOW}" if repository.shallow else ""
            raise VirtcatalogError(f"{name.revision!r} is neither a git revision nor a file or folder{hint}")
        commit = repository.commit(name.revision)
        revision = short(commit) if name.revision == commit else name.revision
        return _at(repository, commit, catalog, revision, shared)
    if name.path is None:
        if not exists(catalog):
            raise VirtcatalogError(not_there(catalog))
        return read_side(open_in_checkout(catalog), catalog, shared)
    inside = str(Path(name.path, catalog))
    path = inside if is_catalog(inside) and not is_catalog(name.path) else name.path
    return read_side(open_in_checkout(path), path, shared)


def _fork(head: SideName, catalog: str, shared: Renderer) -> Side:
    """The side where a revision, or the checkout, left the main branch."""
    from virtcatalog.manifests.git import short

    repository = _in_repository()
    commit, main = _forked(repository, head)
    return _at(repository, commit, catalog, f"{main}@{short(commit)}", shared)


def _forked(repository: Repository, head: SideName) -> tuple[str, str]:
    """The commit where a revision, or the checkout, left the main branch, and that branch."""
    return repository.fork_point(repository.commit(head.revision or "HEAD"))


def _at(repository: Repository, commit: str, catalog: str, revision: str, shared: Renderer) -> Side:
    from virtcatalog.review.read import read_side
    from virtcatalog.review.side import Side

    folder = repository.folder(commit, catalog)
    label = f"{revision}:{catalog}"
    return read_side(folder, label, shared) if folder else Side(label=f"{label} (not there)")
