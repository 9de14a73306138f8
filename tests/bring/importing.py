"""Domains made VMs, in as few words as a test needs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from virtcatalog.bring.libvirt.domain import Imported, import_domain
from virtcatalog.bring.libvirt.rules import Rules
from virtcatalog.kubevirt.conditions import Conditions
from virtcatalog.kubevirt.hosts import HOSTS

CONDITIONS = Conditions(release=None, architecture="amd64", host=HOSTS["reference"])
FOREIGN = sorted((Path(__file__).parent / "foreign").glob("*.xml"))


#: What is said of all that is brought, where a test wants to know.
sentences: list[str] | None = None


def domain(inner: str = "", devices: str = "", **replaced: str) -> bytes:
    """A small domain: `replaced` are whole elements of it by tag, "" for none."""
    parts = {
        "name": "<name>db</name>",
        "memory": "<memory unit='GiB'>4</memory>",
        "vcpu": "<vcpu>2</vcpu>",
        "os": "<os><type arch='x86_64' machine='q35'>hvm</type></os>",
        **replaced,
    }
    body = "\n".join(filter(None, parts.values()))
    return f"<domain type='kvm'>\n{body}\n{inner}\n<devices>\n{devices}\n</devices>\n</domain>\n".encode()


def bring(content: bytes, rules: Rules | None = None, **options: Any) -> Imported:
    """What becomes of a domain."""
    imported = import_domain(content, "db.xml", rules or Rules(), CONDITIONS, **options)
    if sentences is not None:
        sentences.extend(f"{part.path}: {part.fate}: {part.why}" for part in imported.parts if part.why)
        sentences.extend(f"{need.field}: {need.message}" for need in imported.needs)
        sentences.extend(map(str, (*imported.reasons, *imported.warnings)))
    return imported


def machine(imported: Imported) -> dict[str, Any]:
    """`spec.domain` of the VM."""
    domain_spec: dict[str, Any] = imported.vm["spec"]["template"]["spec"]["domain"]
    return domain_spec


def fates(imported: Imported, path: str) -> set[str]:
    """The fates of an element and its attributes."""
    return {part.fate for part in imported.parts if part.path == path or part.path.startswith(f"{path}/")}


def why(imported: Imported, path: str) -> str:
    """Fate and reason of a part."""
    (part,) = (part for part in imported.parts if part.path == path)
    return f"{part.fate}: {part.why}"
