"""Where a question is asked: the four things that every answer depends on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from virtcatalog.api.decode import manifest_name
from virtcatalog.errors import ManifestError, Problem, UnsupportedError
from virtcatalog.kubevirt.hosts import HOSTS, HostProfile
from virtcatalog.manifests.fields import map_at
from virtcatalog.releases import DEFAULT, PREVIEWS, Release, find_release


class Conditions(msgspec.Struct, frozen=True, kw_only=True):
    """What VMs meet beside the objects of their cluster.

    `release`: the KubeVirt release; None is the one that the KubeVirt CR among the objects says it runs, or else the
    `usual` one, or else the newest that is modelled. `architecture`: of VMs that name none. `host`: the profile of the
    nodes. `environment`: an overlay of the catalog, None for the base.
    """

    release: Release | None = None
    usual: Release | None = None
    architecture: str = "amd64"
    host: HostProfile = HOSTS["reference"]
    environment: str | None = None


class Choice(NamedTuple):
    """The release that counts; `overruled` says which other ones were named, "" when all that was named agrees."""

    release: Release
    overruled: str = ""


def choose_release(conditions: Conditions, declared: str, manifests: Sequence[Mapping[str, Any]]) -> Choice:
    """Return the release of the conditions, else the declared one, else the observed, else the usual one.

    `declared` is what `overlays.yaml` says that the environment runs, "" when it does not say; observed is what the
    KubeVirt CR among the manifests says that it runs. ManifestError when what counts is what that CR says, and it is
    none that is modelled.
    """
    environment = find_release(declared) if declared else None
    wanted = conditions.release or environment
    if wanted is None:
        return Choice(_observed_release(manifests) or conditions.usual or DEFAULT)
    others = [] if environment in (None, wanted) else [f"overlays.yaml says {environment}"]
    observed = _observed(manifests)
    if observed and _modelled(observed.release) is not wanted:
        others.append(f"{observed.name} says {observed.release} ({observed.field})")
    return Choice(wanted, f"KubeVirt {wanted} counts, though {' and '.join(others)}" if others else "")


def _observed_release(manifests: Sequence[Mapping[str, Any]]) -> Release | None:
    """The release that the last KubeVirt CR says it runs; ManifestError when that is none that is modelled."""
    observed = _observed(manifests)
    if observed is None:
        return None
    try:
        return _built(observed.release)
    except UnsupportedError as error:
        message = f"{error.message}; name the release to ask about to overrule this field"
        raise ManifestError(Problem(object=observed.name, field=observed.field, message=message)) from error


class _Observed(NamedTuple):
    """The name of a KubeVirt CR, the release that it says it runs, and the field that says so."""

    name: str
    release: str
    field: str


def _observed(manifests: Sequence[Mapping[str, Any]]) -> _Observed | None:
    """What the last KubeVirt CR says it runs; one of Git has no status, and may say which images it wants.

    Their tag is the version that the operator installs and then observes. One of another build says nothing.
    Source: pkg/virt-operator/util/config.go (GetTargetConfigFromKV).
    """
    for manifest in reversed(manifests):
        if isinstance(manifest, dict) and manifest.get("kind") == "KubeVirt":
            name = manifest_name(manifest)
            if release := map_at(manifest, "status").get("observedKubeVirtVersion"):
                return _Observed(name, str(release), "status.observedKubeVirtVersion")
            tag = map_at(manifest, "spec").get("imageTag")
            return _Observed(name, tag, "spec.imageTag") if isinstance(tag, str) and _modelled(tag) else None
    return None


def _modelled(release: str) -> Release | None:
    try:
        return _built(release)
    except UnsupportedError:
        return None


def _built(name: str) -> Release:
    """The release of a build; UnsupportedError for a branch, which no build is called."""
    if name in PREVIEWS:
        raise UnsupportedError("release", f"KubeVirt {name!r} is the name of a branch, and of no build")
    return find_release(name)
