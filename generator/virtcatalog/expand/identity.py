"""Identities that KubeVirt draws at random, made reproducible: the same VM gets the same ones everywhere."""

from __future__ import annotations

from functools import lru_cache
from uuid import UUID, uuid5

_NAMESPACE = UUID("2d4f3a52-9c1e-5b0a-8f57-6f1f4f6a7c11")


@lru_cache(maxsize=4096)
def _identity(what: str, namespace: str, name: str) -> str:
    return str(uuid5(_NAMESPACE, f"{what}/{namespace or 'default'}/{name}"))


def firmware_uuid(namespace: str, name: str) -> str:
    """Return the SMBIOS system UUID of a machine whose VM sets none."""
    return _identity("firmware-uuid", namespace, name)


def firmware_serial(namespace: str, name: str) -> str:
    """Return the SMBIOS system serial number of a machine whose VM sets none."""
    return _identity("firmware-serial", namespace, name)


def vm_uid(namespace: str, name: str) -> str:
    """Return the uid of a VirtualMachine that the API server has not given one."""
    return _identity("vm", namespace, name)


def vmi_uid(namespace: str, name: str) -> str:
    """Return the uid of a VM's VirtualMachineInstance."""
    return _identity("vmi", namespace, name)
