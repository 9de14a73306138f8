"""How Argo CD or Flux applies what one of their objects deploys.

Source: github.com/argoproj/argo-cd, pkg/apis/application/v1alpha1/types.go (SyncPolicy), controller/appcontroller.go
(autoSync), controller/state.go; github.com/fluxcd/kustomize-controller, api/v1; github.com/fluxcd/helm-controller,
api/v2.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from virtcatalog.catalog.labels import SYNC_WAVE
from virtcatalog.manifests.fields import map_at
from virtcatalog.manifests.identity import Data, Identity, identity
from virtcatalog.repositories.deployers import Deployer
from virtcatalog.repositories.model import Kind, Resource, Syncing

_WAVE: Final = re.compile(r"[+-]?\d{1,9}", re.ASCII)
_COMPARE: Final = "argocd.argoproj.io/compare-options"
_SERVER_DIFF: Final = "argocd-cmd-params-cm", "controller.diff.server.side"
_VM_HEALTH: Final = "argocd-cm", "resource.customizations.health.kubevirt.io_VirtualMachine"
"""Settings of Argo CD's: the ConfigMap, and the key."""
_RETRIES: Final = 5
"""How often Argo CD tries an automated sync again that names no number (autoSync)."""


def syncing(deployer: Deployer, kind: Kind, settings: Iterable[Resource]) -> Syncing:
    """Return how a unit is applied; `settings` may have settings of Argo CD's."""
    if kind == "Application":
        return _argocd(deployer, settings)
    waits = deployer.get("wait") is True if kind == "Kustomization" else _helm_waits(deployer)
    return Syncing(
        tool="Flux",
        kind=kind,
        suspended=deployer.get("suspend") is True,
        prunes=kind != "Kustomization" or deployer.get("prune") is True,
        waits=waits,
        watched=frozenset(_watched(deployer)),
        own=identity(deployer.resource.data),
        after=frozenset(_after(deployer)),
    )


def wave_of(manifest: Data) -> int:
    """Return the sync wave of an object; Argo CD takes what is no number for 0."""
    wave = map_at(manifest, "metadata", "annotations").get(SYNC_WAVE)
    return int(wave) if isinstance(wave, str) and _WAVE.fullmatch(wave) else 0


def option_set(value: object) -> frozenset[str]:
    """Return the options of an annotation: names and values behind commas."""
    return frozenset(option.strip() for option in value.split(",")) if isinstance(value, str) else frozenset()


def _argocd(deployer: Deployer, settings: Iterable[Resource]) -> Syncing:
    automated = deployer.get("syncPolicy", "automated", of=dict)
    automatic = automated is not None and automated.get("enabled") is not False
    own: dict[str, Any] = automated or {}
    limit = deployer.get("syncPolicy", "retry", "limit", of=int)
    has_retry = deployer.get("syncPolicy", "retry", of=dict) is not None
    compare = option_set(map_at(deployer.resource.data, "metadata", "annotations").get(_COMPARE))
    return Syncing(
        tool="Argo CD",
        kind="Application",
        automatic=automatic,
        prunes=automatic and own.get("prune") is True,
        allows_empty=own.get("allowEmpty") is True,
        heals=automatic and own.get("selfHeal") is True,
        retries=limit or 0 if has_retry else _RETRIES if automatic else 0,
        options=frozenset(item for item in deployer.items("syncPolicy", "syncOptions") if isinstance(item, str)),
        ignored=tuple(item for item in deployer.items("ignoreDifferences") if isinstance(item, dict)),
        server_diff="ServerSideDiff=false" not in compare
        and ("ServerSideDiff=true" in compare or _setting(settings, _SERVER_DIFF) == "true"),
        own_health=_setting(settings, _VM_HEALTH) is not None,
        own=identity(deployer.resource.data),
        wave=wave_of(deployer.resource.data),
    )


def _setting(settings: Iterable[Resource], which: tuple[str, str]) -> Any:
    """The value of a key in one of Argo CD's ConfigMaps, None where there is none."""
    contents = (
        setting.data.get("data") for setting in settings if identity(setting.data)[::2] == ("ConfigMap", which[0])
    )
    return next((data[which[1]] for data in contents if isinstance(data, dict) and which[1] in data), None)


def _helm_waits(deployer: Deployer) -> bool:
    """Whether a release waits for objects of all kinds, as Helm 4 does unless told otherwise."""
    legacy = deployer.text("waitStrategy", "name") == "legacy"
    return not legacy and any(deployer.get(action, "disableWait") is not True for action in ("install", "upgrade"))


def _after(deployer: Deployer) -> Iterator[Identity]:
    """The objects of its own kind that it depends on."""
    for dependency in deployer.items("dependsOn"):
        if isinstance(dependency, dict):
            yield deployer.kind, str(dependency.get("namespace") or deployer.namespace), str(dependency.get("name"))


def _watched(deployer: Deployer) -> Iterator[Identity]:
    for check in deployer.items("healthChecks"):
        if isinstance(check, dict):
            kind, namespace, name = (str(check.get(key) or "") for key in ("kind", "namespace", "name"))
            yield kind, namespace, name
