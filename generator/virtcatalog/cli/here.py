"""What `virtcatalog` alone says: what it sees in the current folder, and the commands that come next."""

from __future__ import annotations

from collections.abc import Sequence

from virtcatalog.cli.console import echo
from virtcatalog.errors import CatalogError, counted
from virtcatalog.manifests.sources import exists, is_catalog, open_folder

Commands = Sequence[tuple[str, str]]

_IN_A_CATALOG: Commands = (
    ("virtcatalog check", "what is wrong with it"),
    ("virtcatalog build", "its output tree, which Argo CD or Flux syncs"),
    ("virtcatalog diff", "what your change does to the objects and to the VMs"),
)
_IN_A_REPOSITORY: Commands = (
    ("virtcatalog diff", "what your change does to the VMs"),
    ("virtcatalog expand -f .", "what KubeVirt makes of them"),
    ("virtcatalog adopt -f .", "which instance types and preferences they could name"),
)
_ELSEWHERE: Commands = (
    ("virtcatalog init my-catalog", "a new catalog's repository"),
    ("virtcatalog create vm --memory 2Gi", "a VM of flags, as virtctl"),
    ("virtcatalog expand -f VM.yaml", "what KubeVirt makes of a VM"),
)


def show() -> None:
    """Print what is here, three commands for it, and where the others are."""
    description, commands = _look()
    echo(description)
    echo()
    width = max(len(command) for command, _ in commands)
    for command, purpose in commands:
        echo(f"  {command:<{width}}  {purpose}")
    echo()
    echo("virtcatalog --help lists all commands.")


def _look() -> tuple[str, Commands]:
    for path in ("catalog", "."):
        if is_catalog(path):
            return _catalog(path), _IN_A_CATALOG
    if exists(".git"):  # whose files can be told from others: a home folder may have millions
        return _repository(), _IN_A_REPOSITORY
    return "There is no catalog here.", _ELSEWHERE


def _catalog(path: str) -> str:
    from virtcatalog.catalog.load import load_catalog

    place = "This folder" if path == "." else f"{path}/"
    try:
        catalog = load_catalog(path)
    except CatalogError as error:
        return f"{place} is a catalog with {counted(len(error.problems), 'problem')}."
    numbers = (
        (len(catalog.instancetypes), "instance type"),
        (len(catalog.preferences), "preference"),
        (len(catalog.templates), "template"),
        (len(catalog.overlays), "environment"),
        (len(catalog.vms), "VM template"),
    )
    return f"{place} is a catalog: {', '.join(counted(number, noun) for number, noun in numbers if number)}."


def _repository() -> str:
    from virtcatalog.api.kinds import holds_vm
    from virtcatalog.repositories.find import find

    environments = find(open_folder("."), ".").environments
    vms = sum(holds_vm(resource.data) for environment in environments for resource in environment.resources)
    if not vms:
        return "This repository has no catalog, and deploys no VM that is found."
    having = sum(any(holds_vm(resource.data) for resource in environment.resources) for environment in environments)
    places = f" to {counted(having, 'environment')}" if having > 1 else ""
    return f"This repository has no catalog, and deploys {counted(vms, 'VM')}{places}."
