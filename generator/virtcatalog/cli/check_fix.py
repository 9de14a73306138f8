"""`virtcatalog check --fix`: manifests rewritten in their place, as a cluster stores them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from virtcatalog.cli.console import echo
from virtcatalog.cli.inputs import file_paths
from virtcatalog.errors import counted
from virtcatalog.fleet.sources import contents
from virtcatalog.manifests.layout import CATALOG_FOLDERS, KUSTOMIZATIONS
from virtcatalog.manifests.sources import is_catalog, is_folder, open_folder

if TYPE_CHECKING:
    from virtcatalog.kubevirt.conditions import Conditions


def write_as_stored(catalog: str | None, sources: Sequence[str], conditions: Conditions) -> None:
    """Rewrite the files of manifests, and those of a catalog's VMs, and say which."""
    from virtcatalog.cli.rewriting import Rewritten, replace
    from virtcatalog.gitops.fixing import fix
    from virtcatalog.releases import DEFAULT

    paths = file_paths(sources, "--fix changes files")
    path = catalog or "catalog"
    if is_catalog(path):
        path = f"{path}/{CATALOG_FOLDERS[-1]}"
        paths += [path] if is_folder(path) else []
    elif catalog:
        paths.append(path)
    # What cannot be read is a finding of the check that follows.
    files = {name: content for path in paths for name, content in contents(path, [])}
    kustomizations = {name: content for path in paths for name, content in _kustomizations(path)}
    fixed = fix(files, kustomizations, conditions.release or DEFAULT)
    replace(Rewritten(file.name, file.old, file.new) for file in fixed if not file.unwritable)
    for file in fixed:
        if file.unwritable:
            echo(f"{file.name}: cannot be rewritten in its own text: {file.unwritable}", err=True)
        else:
            echo(f"{file.name}: {counted(file.fields, 'field')} written as stored", err=True)


def _kustomizations(path: str) -> Iterator[tuple[str, bytes]]:
    """The kustomizations in a folder, or beside a file: what they take for patches is left alone."""
    root = Path(path) if is_folder(path) else Path(path).parent
    if not is_folder(str(root)):
        return
    folder = open_folder(str(root))
    for file in folder.listing().files:
        if Path(file).name in KUSTOMIZATIONS:
            yield str(root / file), folder.read(file)
