"""Manifests and configuration to copy from a page."""

from __future__ import annotations

import json
from typing import Any

from virtcatalog.catalog.model import Catalog
from virtcatalog.escaping import code_point
from virtcatalog.manifests.emit import dump
from virtcatalog.site.plainvms import IMAGE, NAME

_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def kustomize(catalog: Catalog, manifest: dict[str, Any]) -> str:
    """Return a kustomization that has one object of the catalog's output tree."""
    path = f"{catalog.name}/base/{manifest['kind']}/{manifest['metadata']['name']}.yaml"
    return dump({"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization", "resources": [path]})


def terraform(manifest: dict[str, Any]) -> str:
    """Return a resource of Terraform's Kubernetes provider."""
    name = "".join(letter if letter.isalnum() else "_" for letter in manifest["metadata"]["name"])
    name = f"_{name}" if name[0].isdigit() else name
    return f'resource "kubernetes_manifest" "{name}" {{\n  manifest = {_hcl(manifest, 1)}\n}}\n'


def _hcl(value: Any, level: int) -> str:
    indent = "  " * level
    if isinstance(value, dict):
        if not value:
            return "{}"
        inner = "".join(f"{indent}  {_text(str(key))} = {_hcl(item, level + 1)}\n" for key, item in value.items())
        return f"{{\n{inner}{indent}}}"
    if isinstance(value, list):
        return f"[{', '.join(_hcl(item, level) for item in value)}]"
    return _text(value) if isinstance(value, str) else json.dumps(value)


def _text(value: str) -> str:
    """A string as HCL has it: few escapes, and no template begins in it."""
    escaped = "".join(
        _ESCAPES.get(letter) or (letter if letter.isprintable() else code_point(letter)) for letter in value
    )
    return '"' + escaped.replace("${", "$${").replace("%{", "%%{") + '"'


def vm(instancetype: str, preference: str) -> dict[str, Any]:
    """Return a VM with an instance type and, if any fits, a preference."""
    matchers = {"instancetype": {"name": instancetype}, **({"preference": {"name": preference}} if preference else {})}
    volumes = [{"name": "root", "containerDisk": {"image": IMAGE}}]
    template = {"spec": {"domain": {"devices": {}}, "volumes": volumes}}
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": NAME},
        "spec": {"runStrategy": "Always", **matchers, "template": template},
    }
