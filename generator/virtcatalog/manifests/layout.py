"""What a folder is: a catalog, an output tree, or manifests; and which of its files are read as what."""

from __future__ import annotations

from typing import Final

CATALOG: Final = "catalog.yaml"
COMPONENTS: Final = "components.yaml"
OVERLAYS: Final = "overlays.yaml"
VMS: Final = "vms.yaml"
PRICES: Final = "prices.yaml"
CATALOG_FILES: Final = (CATALOG, COMPONENTS, OVERLAYS, VMS, PRICES)
"""The files at the top of a catalog; a folder with the first of them is one."""
CATALOG_FOLDERS: Final = ("instancetypes", "preferences", "templates", "vms")
"""The folders of a catalog that hold further files."""
VM_TEMPLATE: Final = ".yaml.j2"
"""What the files of `vms/` end with that are rendered first."""

OWNED: Final = ".virtcatalog"
"""The file of an output tree that lists what virtcatalog wrote; a folder with it is one."""
BASE: Final = "base"
"""The folder of an output tree with its objects."""
DECLARATIONS: Final = "declarations"
"""The folder of an artifact with the catalog that it is rendered from, and those beside it that this one extends."""

_MANIFESTS: Final = (".yaml", ".yml", ".json")
_ARCHIVES: Final = (".tar", ".tar.gz", ".tgz", ".zip")
KUSTOMIZATIONS: Final = ("kustomization.yaml", "kustomization.yml", "Kustomization")
"""The files of which a folder has one that kustomize builds."""


def may_hold_manifests(path: str) -> bool:
    """Whether a file among manifests is read as some, by its name: kustomize's own files are not."""
    return path.endswith(_MANIFESTS) and path.rpartition("/")[2] not in KUSTOMIZATIONS


def is_archive(path: str) -> bool:
    """Whether a file that a user names is read as a folder, by its name."""
    return path.endswith(_ARCHIVES)
