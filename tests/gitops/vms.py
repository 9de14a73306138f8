"""Short VMs, as they stand in Git."""

from __future__ import annotations

from typing import Any

import otheryaml

_VM = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web, namespace: shop}
spec:
  runStrategy: Always
"""


def vm(domain: str = "", template: str = "", spec: str = "") -> dict[str, Any]:
    """Return a VM with these fields (in flow style) of its domain, its template's spec and its own."""
    return otheryaml.load(text(domain, template, spec))


def text(domain: str = "", template: str = "", spec: str = "") -> str:
    """Return a VM with these fields as a document."""
    parts = [part for part in ("devices: {}", domain) if part]
    inner = ", ".join(part for part in (f"domain: {{{', '.join(parts)}}}", template) if part)
    lines = [f"template: {{spec: {{{inner}}}}}"]
    return _VM + "".join(f"  {line}\n" for line in ([spec, *lines] if spec else lines))
