"""Hook sidecars: those that a VMI's annotation asks for, and those of network binding plugins.

Source: pkg/hooks/hooks.go, pkg/network/netbinding/netbinding.go and in pkg/virt-controller/services template.go
(newSidecarContainerRenderer).
"""

from __future__ import annotations

from typing import Any

import msgspec

from virtcatalog.api.kubevirt import VirtualMachineInstance
from virtcatalog.kubevirt.pod.containers import Container, home, security
from virtcatalog.kubevirt.pod.facts import Facts, PodError
from virtcatalog.kubevirt.pod.mounts import (
    HOOKS,
    HOOKS_DIRECTORY,
    NETWORK_INFO,
    NETWORK_INFO_DIRECTORY,
    Volumes,
)
from virtcatalog.kubevirt.pod.support import support_resources

_ANNOTATION = "hooks.kubevirt.io/hookSidecars"


class HookConfigMap(msgspec.Struct, frozen=True, rename="lower"):
    """A ConfigMap whose `key` is the hook's program, put at `hook_path`."""

    name: str = ""
    key: str = ""
    hookpath: str = ""


class HookClaim(msgspec.Struct, frozen=True, rename="lower"):
    """A claim that the sidecar mounts at `volumepath`, and virt-launcher at `sharedcomputepath`."""

    name: str = ""
    volumepath: str = ""
    sharedcomputepath: str = ""


class Sidecar(msgspec.Struct, frozen=True, rename="lower"):
    """A hook sidecar, as the annotation has it, its keys in lower case: Go does not mind their case."""

    image: str = ""
    imagepullpolicy: str = ""
    command: list[str] = []
    args: list[str] = []
    configmap: HookConfigMap | None = None
    pvc: HookClaim | None = None
    plugin: str = ""
    tells_devices: bool = False


def sidecars(vmi: VirtualMachineInstance, facts: Facts) -> list[Sidecar]:
    """The annotation's sidecars, then those of plugins by name; PodError for an annotation that is no list of them.

    PodError, too, for an interface whose plugin is not registered.
    """
    text = vmi.metadata.annotations.get(_ANNOTATION)
    requested = [] if text is None else _annotated(text)
    names = set()
    for position, interface in enumerate(vmi.spec.domain.devices.interfaces):
        if interface.binding is not None:
            name = interface.binding.name
            if name not in facts.config.network_bindings:
                field = f"spec.domain.devices.interfaces[{position}].binding.name"
                message = f"no network binding plugin {name!r} is registered in the cluster's network.binding"
                raise PodError(field, message)
            names.add(name)
    for name in sorted(names):
        plugin = facts.config.network_bindings[name]
        if plugin.sidecar_image:
            tells = plugin.downward_api == "device-info"
            policy = facts.pull_policy
            requested.append(
                Sidecar(image=plugin.sidecar_image, imagepullpolicy=policy, plugin=name, tells_devices=tells)
            )
    return requested


def _annotated(text: str) -> list[Sidecar]:
    try:
        data = _lower(msgspec.json.decode(text))
        return [] if data is None else msgspec.convert(data, list[Sidecar])
    except (msgspec.DecodeError, RecursionError) as error:
        message = f"is no JSON list of hook sidecars: {error}"
        raise PodError(f"metadata.annotations[{_ANNOTATION}]", message) from error


def _lower(data: Any, *, top: bool = True) -> Any:
    """Data as Go reads it into its types: keys of any case, and null as if nothing were said; others are dropped."""
    if isinstance(data, list):
        return [{} if item is None and top else _lower(item, top=False) for item in data]
    if isinstance(data, dict):
        lower = {key.lower(): _lower(item, top=False) for key, item in data.items() if item is not None}
        return {key: item for key, item in lower.items() if key not in ("plugin", "tells_devices")}
    return data


def sidecar_container(number: int, sidecar: Sidecar, facts: Facts, *, pinned: bool, non_root: bool) -> Container:
    """The container of the sidecar with this number, from 0."""
    name = f"hook-sidecar-{number}"
    environment = home() if non_root else []
    environment.append({"name": "CONTAINER_NAME", "value": name})
    if sidecar.plugin and facts.traits.sidecar_is_told_plugin:
        environment.append({"name": "NETWORK_BINDING_PLUGIN_NAME", "value": sidecar.plugin})
    mounts = [{"name": HOOKS, "mountPath": HOOKS_DIRECTORY, "subPath": name}]
    if sidecar.tells_devices:
        mounts.append({"name": NETWORK_INFO, "mountPath": NETWORK_INFO_DIRECTORY})
    if sidecar.configmap is not None:
        hook = sidecar.configmap
        mount = {"name": hook.name, "mountPath": hook.hookpath}
        mounts.append({**mount, "subPath": hook.key} if hook.key else mount)
    if sidecar.pvc is not None:
        mounts.append({"name": sidecar.pvc.name, "mountPath": sidecar.pvc.volumepath})
    container: Container = {
        "name": name,
        "image": sidecar.image or facts.shim_image,
        "env": environment,
        "volumeMounts": mounts,
        "resources": support_resources("sidecar", facts, pinned=pinned),
        "securityContext": security(non_root=non_root, capabilities={"drop": ["ALL"]} if non_root else None),
        "terminationMessagePolicy": "FallbackToLogsOnError",
    }
    for key, value in (
        ("imagePullPolicy", sidecar.imagepullpolicy),
        ("command", sidecar.command),
        ("args", sidecar.args),
    ):
        if value:
            container[key] = value
    return container


def add_sidecar_volumes(volumes: Volumes, sidecars: list[Sidecar]) -> None:
    """What sidecars bring along: their ConfigMaps and claims, and where virt-launcher shares these."""
    for sidecar in sidecars:
        if sidecar.configmap is not None:
            source = {"name": sidecar.configmap.name} if sidecar.configmap.name else {}
            volumes.add(sidecar.configmap.name, {"configMap": {**source, "defaultMode": 0o755}})
        if sidecar.pvc is not None:
            source = {"claimName": sidecar.pvc.name}
            volumes.add(sidecar.pvc.name, {"persistentVolumeClaim": source}, sidecar.pvc.sharedcomputepath)
