"""Where a VM is: in which environments of a catalog.

An environment's objects are all that its VMs find of the catalog. A catalog without environments has its base, "".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from virtcatalog.api.kinds import vm_spec
from virtcatalog.catalog.environment import Overlay
from virtcatalog.catalog.model import Catalog, VmTemplate
from virtcatalog.errors import VirtcatalogError, nearest
from virtcatalog.kubevirt.instancetype.references import named_kinds
from virtcatalog.kubevirt.matchers import MATCHERS
from virtcatalog.manifests.identity import Data, identity

BASE = ""


def environments_for(vm: Data, overlays: Sequence[Overlay], where: str = "", only: Sequence[str] = ()) -> list[str]:
    """Return the environments that a VM of a cluster can be in, in the overlays' order; the base if it fits none.

    It fits those that take its namespace and whose scope has the kinds that it names. `where` is the environment, or a
    cluster of some, that it is known to be in, whether it fits or not; of the environments `only` some are looked at.
    A VM that wants nothing of the catalog is judged once, unless releases differ.
    """
    candidates = [overlay for overlay in overlays if not only or overlay.name in only]
    if where:
        named = [candidate for candidate in candidates if candidate.name == where]
        candidates = named or [candidate for candidate in candidates if where in candidate.clusters]
        if named:
            return [where]
    taking = _taking(vm, candidates)
    if not (only or where or wants_catalog(vm) or any(overlay.kubevirt for overlay in taking)):
        return [BASE]
    kinds = named_kinds(vm)
    fitting = [overlay for overlay in taking if kinds <= set(overlay.kinds)]
    if only or where:
        return [overlay.name for overlay in fitting or taking or candidates]
    return [overlay.name for overlay in fitting] or [BASE]


def environments_of(template: VmTemplate, overlays: Sequence[Overlay], only: Sequence[str] = ()) -> list[str]:
    """Return the environments that a VM template is for: those that it names, else all that it can be in.

    A VM template that fits none is for all of them, so that its findings say that it cannot be created there.
    """
    names = list(template.environments) or environments_for(template.manifest, overlays)
    if names == [BASE] and overlays:
        names = [overlay.name for overlay in _taking(template.manifest, overlays) or overlays]
    return [name for name in names if not only or name in only]


def rendered(catalog: Catalog) -> Iterator[tuple[VmTemplate, str]]:
    """Yield every VM template with each environment that it is for; its key ends in that where there are several."""
    for template in catalog.vms:
        environments = environments_of(template, catalog.overlays)
        for environment in environments:
            key = f"{template.key}.{environment}" if len(environments) > 1 else template.key
            yield replace(template, key=key), environment


def offered(catalog: Catalog, only: Sequence[str] = ()) -> list[Data]:
    """Return the objects that VMs may name wherever they are: alike in every environment whose scope has their kind."""
    overlays = [overlay for overlay in catalog.overlays if not only or overlay.name in only]
    if not overlays:
        return catalog.objects()
    objects: dict[tuple[str, str, str], list[Data]] = {}
    for overlay in overlays:
        for manifest in catalog.objects(overlay.name):
            objects.setdefault(identity(manifest), []).append(manifest)
    return [
        same[0]
        for (kind, namespace, _), same in objects.items()
        if len(same) == sum(kind in overlay.kinds and namespace in ("", overlay.namespace) for overlay in overlays)
        and all(manifest["spec"] == same[0]["spec"] for manifest in same)
    ]


def places_of(places: Iterable[str], overlays: Iterable[Overlay]) -> list[str]:
    """Return the environments that are named, or of which a cluster is."""
    return [overlay.name for overlay in overlays if not {overlay.name, *overlay.clusters}.isdisjoint(places)]


def wants_catalog(vm: Data) -> bool:
    """Whether a VM names or infers an instance type or preference."""
    spec = vm_spec(vm)
    return isinstance(spec, dict) and any(spec.get(matcher) for matcher in MATCHERS)


def _taking(vm: Data, overlays: Sequence[Overlay]) -> list[Overlay]:
    """The environments that take the VM's namespace; all do when it does not say which that is."""
    namespace = (vm.get("metadata") or {}).get("namespace")
    return [overlay for overlay in overlays if not namespace or overlay.takes(namespace)]


def check_environments(names: Iterable[str], overlays: Iterable[Overlay], where: str) -> None:
    """VirtcatalogError for a name that is no environment; `where` says of what these are: `in catalog`."""
    check_names(names, [overlay.name for overlay in overlays], where)


def check_names(names: Iterable[str], choices: Sequence[str], where: str, noun: str = "environment") -> None:
    """VirtcatalogError for a name that is none of the choices; `where` as for `check_environments`."""
    for name in names:
        if name not in choices:
            hint = nearest(name, choices) or (f"; there is {', '.join(dict.fromkeys(choices))}" if choices else "")
            raise VirtcatalogError(f"there is no {noun} {name!r} {where}{hint}")


def check_places(names: Iterable[str], overlays: Iterable[Overlay], where: str) -> None:
    """VirtcatalogError for a name, other than "", that is neither an environment nor a cluster of one."""
    places = [name for overlay in overlays for name in (overlay.name, *overlay.clusters)]
    check_names(filter(None, names), places, where, "environment or cluster")


def release_of(overlays: Iterable[Overlay], environment: str) -> str:
    """Return the release that an environment is said to run, "" when that is not said."""
    return next((overlay.kubevirt for overlay in overlays if overlay.name == environment), "")
