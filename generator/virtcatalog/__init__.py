"""KubeVirt instance type and preference catalogs as declarations, and the libvirt domain of every VM, offline.

What is listed in `__all__` is the public API. Each name is loaded when it is first used, so that importing
virtcatalog costs next to nothing.
"""

from __future__ import annotations

from virtcatalog._version import __version__

TYPE_CHECKING = False  # type checkers take it for true; importing typing would cost more than all the rest

if TYPE_CHECKING:
    from virtcatalog.catalog.load import load_catalog
    from virtcatalog.errors import (
        CatalogError,
        Cause,
        ManifestError,
        Problem,
        Reason,
        TemplateError,
        UnsupportedError,
        Warning,
    )
    from virtcatalog.kubevirt.cluster import Cluster
    from virtcatalog.kubevirt.hosts import HOSTS
    from virtcatalog.kubevirt.pipeline import admit, expand
    from virtcatalog.kubevirt.result import Result
    from virtcatalog.kubevirt.rollout.outcome import Rollout
    from virtcatalog.kubevirt.rollout.rollout import rollout
    from virtcatalog.kubevirt.template.process import Processed, process

__all__ = [
    "HOSTS",
    "CatalogError",
    "Cause",
    "Cluster",
    "ManifestError",
    "Problem",
    "Processed",
    "Reason",
    "Result",
    "Rollout",
    "TemplateError",
    "UnsupportedError",
    "Warning",
    "__version__",
    "admit",
    "expand",
    "load_catalog",
    "process",
    "rollout",
]

_HOMES = {
    "HOSTS": "virtcatalog.kubevirt.hosts",
    "CatalogError": "virtcatalog.errors",
    "Cause": "virtcatalog.errors",
    "Cluster": "virtcatalog.kubevirt.cluster",
    "ManifestError": "virtcatalog.errors",
    "Problem": "virtcatalog.errors",
    "Reason": "virtcatalog.errors",
    "Processed": "virtcatalog.kubevirt.template.process",
    "Result": "virtcatalog.kubevirt.result",
    "Rollout": "virtcatalog.kubevirt.rollout.outcome",
    "TemplateError": "virtcatalog.errors",
    "UnsupportedError": "virtcatalog.errors",
    "Warning": "virtcatalog.errors",
    "admit": "virtcatalog.kubevirt.pipeline",
    "expand": "virtcatalog.kubevirt.pipeline",
    "load_catalog": "virtcatalog.catalog.load",
    "process": "virtcatalog.kubevirt.template.process",
    "rollout": "virtcatalog.kubevirt.rollout.rollout",
}


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        from importlib import import_module

        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value: object = getattr(import_module(_HOMES[name]), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted(__all__)
