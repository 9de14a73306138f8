"""`virtctl create vm`: the manifest of a VirtualMachine from flags."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from virtcatalog.api.kinds import NAMESPACED_KINDS
from virtcatalog.create import params
from virtcatalog.create.access import access_credentials, add_cloud_init
from virtcatalog.create.options import FlagError, VmOptions, check_exclusive, random_name
from virtcatalog.create.storage import Storage, add_claims, add_containerdisks, add_imports, add_sysprep
from virtcatalog.errors import nearest_or_all
from virtcatalog.kubevirt.matchers import MATCHERS
from virtcatalog.manifests.identity import Data, identity

_RUN_STRATEGIES = ("Always", "Manual", "Halted", "Once", "RerunOnFailure")
_DEFAULT_MEMORY = "512Mi"
_INFERABLE = frozenset({"pvc", "registry", "snapshot"})
"""Sources of DataVolumes whose instance type and preference KubeVirt can infer."""


class CreatedVm(NamedTuple):
    """The manifest that the flags make, and warnings for the user."""

    manifest: dict[str, object]
    warnings: tuple[str, ...] = ()


def create_vm(options: VmOptions, read_file: Callable[[str], str]) -> CreatedVm:
    """Return the VirtualMachine that flags make, its keys sorted; FlagError for the first flag that cannot be used.

    `read_file` returns the text of the file that holds a password. Source: run in pkg/virtctl/create/vm/vm.go, whose
    order is the boot order of volumes that set none.
    """
    check_exclusive(options)
    name = options.name or random_name("vm-")
    guest = params.memory(_DEFAULT_MEMORY if options.memory is None else options.memory)
    strategy = _run_strategy(options)
    matchers = {
        kind: _matcher(kind, text)
        for kind, text in (("instancetype", options.instancetype), ("preference", options.preference))
        if text is not None
    }
    storage = Storage()
    add_containerdisks(storage, options, name)
    add_claims(storage, options)
    warnings = add_imports(storage, options)
    add_sysprep(storage, options)
    credentials, options = access_credentials(options)
    warnings += add_cloud_init(storage, options, read_file)
    matchers |= _inferred_matchers(options, storage)
    has_type = options.instancetype is not None or (
        "instancetype" in matchers and "inferFromVolumeFailurePolicy" not in matchers["instancetype"]
    )
    domain = {"devices": {"disks": storage.disks} if storage.disks else {}, "resources": {}}
    pod = {
        "accessCredentials": credentials,
        "domain": domain if has_type else {**domain, "memory": {"guest": guest}},
        "terminationGracePeriodSeconds": options.termination_grace_period,
        "volumes": storage.volumes,
    }
    spec = {
        **matchers,
        "dataVolumeTemplates": storage.templates,
        "runStrategy": strategy,
        "template": {"metadata": {}, "spec": {key: value for key, value in pod.items() if value != []}},
    }
    return CreatedVm(
        sorted_keys(
            {
                "apiVersion": "kubevirt.io/v1",
                "kind": "VirtualMachine",
                "metadata": {"name": name} | ({"namespace": options.namespace} if options.namespace else {}),
                "spec": {key: value for key, value in spec.items() if value != []},
                "status": {},
            }
        ),
        warnings,
    )


def _run_strategy(options: VmOptions) -> str:
    """Source: withRunStrategy."""
    if options.run_strategy is None:
        return _RUN_STRATEGIES[0]
    folded = options.run_strategy.casefold()
    for run_strategy in _RUN_STRATEGIES:
        if run_strategy.casefold() == folded:
            return run_strategy
    hint = nearest_or_all(options.run_strategy, _RUN_STRATEGIES)
    raise FlagError("run-strategy", f"there is no {options.run_strategy!r}{hint}")


def _inferred_matchers(options: VmOptions, storage: Storage) -> dict[str, dict[str, Any]]:
    """Source: inferFromVolume."""
    matchers: dict[str, dict[str, Any]] = {}
    flags = {"instancetype": (options.instancetype, options.memory), "preference": (options.preference,)}
    for kind, exclusive in flags.items():
        wanted: bool | None = getattr(options, f"infer_{kind}")
        volume: str | None = getattr(options, f"infer_{kind}_from")
        if wanted is not False and all(value is None for value in exclusive):
            flag = f"infer-{kind}" if volume is None else f"infer-{kind}-from"
            matcher = _inferred_matcher(storage, flag, volume, explicit=wanted is not None or volume is not None)
            matchers |= {kind: matcher} if matcher else {}
    return matchers


def sorted_keys(manifest: dict[str, Any]) -> dict[str, Any]:
    """Return a manifest with the keys of its maps in order, as virtctl prints them."""
    return {key: _sorted(manifest[key]) for key in sorted(manifest)}


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return sorted_keys(value)
    return [_sorted(item) for item in value] if isinstance(value, list) else value


def _matcher(flag: str, text: str) -> dict[str, Any]:
    """Return the matcher of `[KIND/]NAME`; without a kind, the API server's default. Source: withInstancetype."""
    kind, name = params.prefixed(flag, text)
    kinds = ("", f"virtualmachine{flag}", f"virtualmachinecluster{flag}")
    if kind.lower() not in kinds:
        raise FlagError(flag, f"there is no kind {kind!r}, only {' and '.join(kinds[1:])}")
    return {"kind": kind.lower(), "name": name} if kind else {"name": name}


def _inferred_matcher(storage: Storage, flag: str, volume: str | None, *, explicit: bool) -> dict[str, Any] | None:
    """Return the matcher that infers from a volume, or from the one that boots first.

    `explicit` is whether a flag asks for it. Where none does, the result is None when the volume cannot be inferred
    from, and KubeVirt ignores a failure in the cluster.
    Source: withInferredInstancetype, withInferredPreference.
    """
    volume = volume or storage.first()
    fault = _inference_fault(storage, volume)
    if fault and explicit:
        raise FlagError(flag, fault)
    if fault:
        return None
    matcher = {"inferFromVolume": volume}
    return matcher if explicit else {**matcher, "inferFromVolumeFailurePolicy": "Ignore"}


def _inference_fault(storage: Storage, name: str) -> str:
    """Why nothing can be inferred from a volume, "" when it can. Source: volumeValidToInferFrom."""
    if not name:
        return "there is no volume to infer from"
    volume = storage.volume(name)
    if volume is None:
        return f"there is no volume with the name {name!r}"
    if "persistentVolumeClaim" in volume:
        return ""
    if "dataVolume" not in volume:
        return f"nothing can be inferred from the volume {name!r}: it is neither a claim nor imported"
    template = next(
        template for template in storage.templates if template["metadata"]["name"] == volume["dataVolume"]["name"]
    )
    if "sourceRef" in template["spec"] or _INFERABLE & template["spec"]["source"].keys():
        return ""
    return f"nothing can be inferred from the volume {name!r}: its type is none of pvc, registry, snapshot and ds"


def completed(vm: Data, objects: Iterable[Data]) -> Data:
    """Return the VM with the kind of each matcher that names none, where only a namespaced object has the name.

    Without a kind, KubeVirt takes the cluster-wide object of that name.
    """
    spec = dict(vm["spec"])
    kinds: dict[str, set[str]] = {}
    for kind, _, name in map(identity, objects):
        kinds.setdefault(name, set()).add(kind)
    for key, kind_of in MATCHERS.items():
        matcher = spec.get(key, {})
        if matcher.get("kind") or not matcher.get("name"):
            continue
        kinds_of_name = {kind for kind in kinds.get(matcher["name"], ()) if kind_of(kind)}
        if kinds_of_name and kinds_of_name.issubset(NAMESPACED_KINDS):
            spec[key] = {"kind": kinds_of_name.pop().lower(), **matcher}
    return {**vm, "spec": spec}
