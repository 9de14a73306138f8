"""Repositories of strangers: any bytes in their files, objects that deploy others, and values of charts."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from choices import Choices

from virtcatalog.errors import VirtcatalogError
from virtcatalog.manifests.emit import dump
from virtcatalog.manifests.folder import held
from virtcatalog.manifests.read import Manifest, Part, unchecked
from virtcatalog.repositories.charts import ChartError, Copy
from virtcatalog.repositories.documents import documents_of
from virtcatalog.repositories.find import find
from virtcatalog.repositories.placeholders import fill
from virtcatalog.repositories.values import merged, objects_in, values_at

_VM: dict[str, Any] = {
    "apiVersion": "kubevirt.io/v1",
    "kind": "VirtualMachine",
    "metadata": {"name": "${NAME}", "labels": {"a": "{{ .x }}"}},
    "spec": {
        "runStrategy": "Always",
        "instancetype": {"name": "u1.small"},
        "template": {
            "spec": {
                "domain": {"devices": {"interfaces": [{"name": "a", "macAddress": "${MAC}", "masquerade": {}}]}},
                "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "ENC[x]"}}],
                "networks": [{"name": "a", "pod": {}}],
            }
        },
    },
}
_VALUES: dict[str, Any] = {
    "extraObjects": [_VM, "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {name: b}\n---\n{{ x }}\n"],
    "raw": {"a": {"apiVersion": "v1", "kind": "List", "items": [_VM]}, "data": {"x.yaml": "apiVersion: kind:"}},
}
_CHART: dict[str, Any] = {
    "apiVersion": "v2",
    "name": "c",
    "version": "1.0.0",
    "dependencies": [{"name": "d", "repository": "file://../d"}, {"name": "e", "repository": "https://x"}],
}
_RELEASE: dict[str, Any] = {
    "apiVersion": "helm.toolkit.fluxcd.io/v2",
    "kind": "HelmRelease",
    "metadata": {"name": "r", "namespace": "n"},
    "spec": {
        "chart": {"spec": {"chart": "c", "sourceRef": {"kind": "GitRepository"}, "valuesFiles": ["v.yaml"]}},
        "valuesFrom": [{"kind": "ConfigMap", "name": "m"}],
        "values": _VALUES,
    },
}
_APPLICATION: dict[str, Any] = {
    "apiVersion": "argoproj.io/v1alpha1",
    "kind": "Application",
    "metadata": {"name": "a"},
    "spec": {
        "destination": {"namespace": "n", "server": "https://kubernetes.default.svc"},
        "source": {
            "repoURL": "x",
            "path": "c",
            "helm": {"valuesObject": _VALUES, "parameters": [{"name": "a", "value": "b"}]},
        },
    },
}
_FLUX: dict[str, Any] = {
    "apiVersion": "kustomize.toolkit.fluxcd.io/v1",
    "kind": "Kustomization",
    "metadata": {"name": "k", "namespace": "n"},
    "spec": {"path": "./vms", "postBuild": {"substitute": {"NAME": "x"}}, "targetNamespace": "t"},
}
_CONFIG_MAP = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "m", "namespace": "n"},
    "data": {"values.yaml": "extra: 1"},
}
_TREE: dict[str, Any] = {
    "r.yaml": _RELEASE,
    "a.yaml": _APPLICATION,
    "k.yaml": _FLUX,
    "m.yaml": _CONFIG_MAP,
    "v.yaml": _VALUES,
    "vms/vm.yaml": _VM,
    "c/Chart.yaml": _CHART,
    "d/Chart.yaml": {"name": "d"},
}
_PIECES = (
    *(b"---\n", b"--- ", b"...\n", b"%YAML 1.1\n", b"apiVersion: kubevirt.io/v1\n", b"kind: VirtualMachine\n", b"\n"),
    *(b"metadata: {name: a}\n", b"{{ .x }}", b"{% x %}", b"a: !vault |\n  x\n", b"&a ", b"*a ", b"\t", b"[", b"\xff"),
    *(b"- ", b"sops: {mac: x}\n", b'{"apiVersion": "v1"}', b"\xef\xbb\xbf", b"\x00", b"\r\n", b"kind: List\nitems:\n"),
)


def _bytes(choices: Choices, document: Any) -> bytes:
    """A document as YAML or JSON, with things replaced in it; or pieces of one."""
    if not choices.number(5):
        return b"".join(choices.one(_PIECES) for _ in range(choices.number(40)))
    edited = choices.edited(document) if choices.number(1) else document
    if choices.number(1) and isinstance(edited, dict):
        with suppress(VirtcatalogError, RecursionError, UnicodeEncodeError):
            return dump(edited).encode()
    text = json.dumps(edited, ensure_ascii=choices.number(1) == 0).encode("utf-8", "surrogatepass")
    return choices.mangled(text) if choices.number(5) == 5 else text


def repositories(data: bytes) -> None:
    choices = Choices(data)
    try:
        deployed = find(held({path: _bytes(choices, document) for path, document in _TREE.items()}, "r"), "r")
    except VirtcatalogError as error:
        str(error).encode("utf-8", "surrogateescape")
    else:
        for environment in deployed.environments:
            assert all(str(resource.place) for resource in environment.resources)
        for problem in deployed.all_problems:
            str(problem).encode("utf-8", "surrogateescape")


def documents(data: bytes) -> None:
    choices = Choices(data)
    content = _bytes(choices, _VM) + choices.rest()
    result = documents_of(content, "f")
    for manifest in result.manifests:
        line, _ = manifest.place("metadata.name")
        assert line <= content.count(b"\n") + content.count(b"\r") + content.count(b"\xc2\x85") + 1
        fill(manifest.data)
    assert result.manifests or result.passed_over or result.problems or not _means_something(content)


def _means_something(content: bytes) -> bool:
    return bool(unchecked(Part(content, "f"))[0])


def chart_values(data: bytes) -> None:
    choices = Choices(data)
    layers = []
    for _ in range(choices.number(2) + 1):
        manifests = unchecked(Part(_bytes(choices, {"values": _VALUES}), "f"))[0]
        values = [
            values_at(manifest, path)
            for manifest in manifests
            for path in ((), ("values",), ("values", "extraObjects", 1))
        ]
        layers += [layer for layer in values if layer is not None]
    if layers:
        merged(layers)
        for manifest in objects_in(layers).manifests:
            assert isinstance(manifest, Manifest)
            manifest.place("spec")
    try:
        Copy(held({"c/Chart.yaml": _bytes(choices, _CHART), "c/charts/x.tgz": choices.rest()}, "c"))
    except ChartError as error:
        str(error).encode("utf-8", "surrogateescape")


TARGETS: dict[str, Callable[[bytes], None]] = {
    target.__name__: target for target in (repositories, documents, chart_values)
}
