"""Identities that KubeVirt draws at random, made reproducible: the same VM gets the same ones everywhere."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha1
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid5

from virtcatalog.api.names import DRAWN, LONGEST_PREFIX, namespace_or_default

_NAMESPACE = UUID("2d4f3a52-9c1e-5b0a-8f57-6f1f4f6a7c11")
# pkg/virt-controller/watch/vm/firmware.go
_LEGACY = UUID("6a1a24a1-4061-4607-8bf4-a3963d0c5895")
#: What names are drawn from. Source: apimachinery, pkg/util/rand/rand.go
DRAWN_LETTERS = "bcdfghjklmnpqrstvwxz2456789"
_VARIANTS = {digit: "89ab"[int(digit, 16) & 3] for digit in "0123456789abcdef"}
_SEED = sha1(_NAMESPACE.bytes, usedforsecurity=False)


def _identity(purpose: str, namespace: str, name: str) -> str:
    """`uuid.uuid5` of the three, several times as fast: every VM needs four."""
    digest = _SEED.copy()
    digest.update(f"{purpose}/{namespace_or_default(namespace)}/{name}".encode())
    text = digest.hexdigest()
    return f"{text[:8]}-{text[8:12]}-5{text[13:16]}-{_VARIANTS[text[16]]}{text[17:20]}-{text[20:32]}"


def generated_name(namespace: str, base: str) -> str:
    """Return the name that an object with this `generateName` gets, of which the API server draws the end."""
    drawn = int(_identity("generated-name", namespace, base).replace("-", ""), 16)
    end = ""
    for _ in range(DRAWN):
        drawn, letter = divmod(drawn, len(DRAWN_LETTERS))
        end += DRAWN_LETTERS[letter]
    return f"{base[:LONGEST_PREFIX]}{end}"


def firmware_uuid(namespace: str, name: str) -> str:
    """Return the SMBIOS system UUID of a machine whose VM sets none."""
    return _identity("firmware-uuid", namespace, name)


def legacy_firmware_uuid(name: str) -> str:
    """Return the system UUID that a VM without one gets while it is there (CalculateLegacyUUID)."""
    return str(uuid5(_LEGACY, name))


def firmware_serial(namespace: str, name: str) -> str:
    """Return the SMBIOS system serial number of a machine whose VM sets none."""
    return _identity("firmware-serial", namespace, name)


def vmi_uid(namespace: str, name: str) -> str:
    """Return the uid of a VM's VirtualMachineInstance."""
    return _identity("vmi", namespace, name)


def pvc_uid(namespace: str, name: str) -> str:
    """Return the uid of a PersistentVolumeClaim that the API server has not given one."""
    return str(uuid5(NAMESPACE_URL, f"pvc/{namespace_or_default(namespace)}/{name}"))


def type_uid(kind: str, namespace: str, name: str) -> str:
    """Return the uid of an instance type or preference that the API server has not given one."""
    return str(uuid5(NAMESPACE_URL, f"{kind}/{namespace}/{name}"))


def owner_uid(kind: str, namespace: str, name: str) -> str:
    """Return the uid of what holds a VM and has not been given one by the API server."""
    return _identity("vm", namespace, name if kind == "VirtualMachine" else f"{kind}/{name}")


def without_placeholder_uids(vmi: dict[str, Any]) -> dict[str, Any]:
    """Return a VirtualMachineInstance's manifest without the uids that stand for those that its cluster will give."""
    metadata = dict(vmi["metadata"])
    namespace, name = metadata.get("namespace", ""), metadata.get("name", "")
    if metadata.get("uid") == vmi_uid(namespace, name):
        del metadata["uid"]
    if owners := metadata.get("ownerReferences"):
        metadata["ownerReferences"] = [*_without_uids(owners, namespace)]
    return {**vmi, "metadata": metadata}


def _without_uids(owners: list[dict[str, Any]], namespace: str) -> Iterator[dict[str, Any]]:
    for owner in owners:
        made_up = owner.get("uid") == owner_uid(owner.get("kind", ""), namespace, owner.get("name", ""))
        yield {key: value for key, value in owner.items() if key != "uid" or not made_up}
