"""`virtctl create vm`: the manifest of a VirtualMachine from flags."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Any

from virtcatalog.create import params
from virtcatalog.create.cloudinit import add_cloud_init
from virtcatalog.create.credentials import access_credentials
from virtcatalog.create.imports import add_imports
from virtcatalog.create.matchers import inferred, named
from virtcatalog.create.options import CreatedVm, FlagError, VmOptions, check_exclusive
from virtcatalog.create.storage import Storage, add_claims, add_containerdisks, add_sysprep
from virtcatalog.errors import nearest
from virtcatalog.kubevirt.identity import DRAWN_LETTERS

_RUN_STRATEGIES = ("Always", "Manual", "Halted", "Once", "RerunOnFailure")
_DEFAULT_MEMORY = "512Mi"
_RANDOM_LETTERS = 5


def create_vm(options: VmOptions, read_file: Callable[[str], str]) -> CreatedVm:
    """Return the VirtualMachine that flags make, its keys sorted; FlagError for the first flag that cannot be used.

    `read_file` returns the text of the file that holds a password. Source: run in pkg/virtctl/create/vm/vm.go, whose
    order is the boot order of volumes that set none.
    """
    check_exclusive(options)
    name = options.name or generated_name("vm-")
    guest = _memory(options)
    strategy = _run_strategy(options)
    matchers = {
        kind: named(kind, text)
        for kind, text in (("instancetype", options.instancetype), ("preference", options.preference))
        if text is not None
    }
    storage = Storage()
    add_containerdisks(storage, options, name)
    add_claims(storage, options)
    warnings = add_imports(storage, options, generated_name)
    add_sysprep(storage, options)
    credentials, options = access_credentials(options)
    warnings += add_cloud_init(storage, options, read_file)
    matchers |= _inferred(options, storage)
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


def _memory(options: VmOptions) -> str:
    try:
        return params.amount(_DEFAULT_MEMORY if options.memory is None else options.memory)
    except ValueError as error:
        raise FlagError("memory", str(error)) from None


def _run_strategy(options: VmOptions) -> str:
    """Source: withRunStrategy."""
    if options.run_strategy is None:
        return _RUN_STRATEGIES[0]
    folded = options.run_strategy.casefold()
    for run_strategy in _RUN_STRATEGIES:
        if run_strategy.casefold() == folded:
            return run_strategy
    hint = nearest(options.run_strategy, _RUN_STRATEGIES) or f"; there are {', '.join(_RUN_STRATEGIES)}"
    raise FlagError("run-strategy", f"there is no {options.run_strategy!r}{hint}")


def _inferred(options: VmOptions, storage: Storage) -> dict[str, dict[str, Any]]:
    """Source: inferFromVolume."""
    matchers: dict[str, dict[str, Any]] = {}
    flags = {"instancetype": (options.instancetype, options.memory), "preference": (options.preference,)}
    for kind, exclusive in flags.items():
        wanted: bool | None = getattr(options, f"infer_{kind}")
        volume: str | None = getattr(options, f"infer_{kind}_from")
        if wanted is not False and all(value is None for value in exclusive):
            flag = f"infer-{kind}" if volume is None else f"infer-{kind}-from"
            matcher = inferred(storage, flag, volume, explicit=wanted is not None or volume is not None)
            matchers |= {kind: matcher} if matcher else {}
    return matchers


def generated_name(prefix: str) -> str:
    """Return a prefix with five random characters behind it."""
    return prefix + "".join(secrets.choice(DRAWN_LETTERS) for _ in range(_RANDOM_LETTERS))


def sorted_keys(manifest: dict[str, Any]) -> dict[str, Any]:
    """Return a manifest with the keys of its maps in order, as virtctl prints them."""
    return {key: _sorted(manifest[key]) for key in sorted(manifest)}


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return sorted_keys(value)
    return [_sorted(item) for item in value] if isinstance(value, list) else value
