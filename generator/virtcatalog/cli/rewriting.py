"""Files that a command rewrites: proven before, written in their place, printed as a diff."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from virtcatalog.cli.console import data, note, write_diff
from virtcatalog.cli.inputs import renderer
from virtcatalog.errors import Problem, some, within
from virtcatalog.manifests.sources import open_in_checkout

if TYPE_CHECKING:
    from virtcatalog.manifests.identity import Data
    from virtcatalog.review.side import Side

_COMMENT = re.compile(r"(?:^|\s)(#.*)$")


class Rewritten(NamedTuple):
    """A file's name, its text as it was and as it is to be.

    Of a file of a `repository` (its folder) `intended` has the VMs that change, as they should be deployed, by the
    identities of their manifests.
    """

    name: str
    old: str
    new: str
    repository: str = ""
    intended: Mapping[int, Data] = {}

    def lost_comments(self) -> Iterator[str]:
        """Yield the comments that went with the fields that they were about, each with its line."""
        comments = Counter(match[1] for match in map(_COMMENT.search, self.new.splitlines()) if match)
        for number, line in enumerate(self.old.splitlines(), start=1):
            comment = _COMMENT.search(line)
            if comment and comments[comment[1]]:
                comments[comment[1]] -= 1
            elif comment:
                yield f"{self.name}:{number}:{comment.start(1) + 1}: comment goes with its field: {comment[1]}"


def proven(files: Sequence[Rewritten], repositories: Mapping[str, Side]) -> tuple[list[Rewritten], list[Problem]]:
    """Render repositories with their rewritten files, and say which VMs would not be as they should.

    The files of a repository that has such a VM stay as they are.
    """
    sound = list(files)
    problems: list[Problem] = []
    for path, side in repositories.items():
        if faults := _refuted(path, side, [file for file in files if file.repository == path]):
            problems += faults
            sound = [file._replace(new=file.old) if file.repository == path else file for file in sound]
    return sound, problems


def _refuted(path: str, side: Side, files: Sequence[Rewritten]) -> list[Problem]:
    from virtcatalog.review.read import read_side
    from virtcatalog.review.side import within as path_in

    changes: dict[str, bytes | None] = {
        path_in(file.name, path): file.new.encode() for file in files if file.new != file.old
    }
    if not changes:
        return []
    intended = {key: manifest for file in files for key, manifest in file.intended.items()}
    after = read_side(open_in_checkout(path).changed(changes), path, renderer())
    manifests = {(vm.environment, vm.key): vm.manifest for vm in after.vms}
    message = "would change otherwise than it should, so that nothing is written"
    return [
        vm.problem("", within(message, [vm.environment]))
        for vm in side.vms
        if manifests.get((vm.environment, vm.key)) != intended.get(id(vm.manifest), vm.manifest)
    ]


def print_files(files: Sequence[Rewritten], form: str) -> None:
    """Print what becomes of files: as one stream of documents, one file as it is, or as `diff` what changes in them."""
    from virtcatalog.manifests.textdiff import unified

    for index, file in enumerate(files):
        if form == "diff":
            name = file.name.lstrip("/")
            write_diff(unified(file.old, file.new, f"a/{name}", f"b/{name}"))
        else:
            separator = "---\n" if index and not file.new.startswith("---") else ""
            end = "\n" if len(files) > 1 and not file.new.endswith("\n") else ""
            data(f"{separator}{file.new}{end}")


def write_in_place(files: Iterable[Rewritten]) -> None:
    """Write the files that change, each as a whole or not at all, with the permissions that they had."""
    from virtcatalog.writing import WriteError, real_place, replace_file

    places = [(Path(file.name), file.new) for file in files if file.new != file.old]
    for path, _ in places:
        real_place(path)
    for written, (path, text) in enumerate(places):
        try:
            replace_file(path, text, note)
        except WriteError as error:
            before = (
                f"; rewritten before it: {some([str(place) for place, _ in places[:written]], 5)}" if written else ""
            )
            raise WriteError(f"{error}{before}") from error
