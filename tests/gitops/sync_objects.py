"""What `virtcatalog gitops` prints, held against the CustomResourceDefinitions and types of Argo CD and Flux."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from sync_commands import judged

from cluster.api import Api, ApiError

HERE = Path(__file__).parent
REPOSITORY = HERE.parents[1]
DEFINITIONS = {
    "github.com/argoproj/argo-cd/v3": ["manifests/crds/application-crd.yaml", "manifests/crds/applicationset-crd.yaml"],
    "github.com/fluxcd/kustomize-controller": ["config/crd/bases/*_kustomizations.yaml"],
    "github.com/fluxcd/source-controller": ["config/crd/bases/*_[go]*repositories.yaml"],
}
"""Where the modules of crds/go.mod have the definitions of what is printed."""
Data = dict[str, Any]
URL = "https://git.example.org/platform/catalog.git"
PRINTED = (
    ("argocd", "--repo-url", URL),
    ("argocd", "--repo-url", URL, "--cluster", "lab=one", "--cluster", "lab=two"),
    ("argocd", "--repo-url", URL, "--path", "output/overlays/lab", "--path", "output/overlays/production"),
    ("argocd", "--repo-url", URL, "-f", "catalog/vms"),
    ("argocd", "--repo-url", URL, "-f", "catalog/vms", "--compare", "merge"),
    ("flux", "--repo-url", URL, "--path", "output/overlays/lab"),
    ("flux", "--repo-url", "oci://registry.example.org/catalog", "--revision", ">=1.0.0", "--path", "overlays/lab"),
    ("flux", "--repo-url", URL, "--path", "output/overlays/lab", "-f", "catalog/vms"),
)
"""What `virtcatalog gitops` is asked to print."""


def printed() -> list[Data]:
    """Return all objects that `virtcatalog gitops` prints of this repository, each under a name of its own."""
    objects = []
    for number, arguments in enumerate(PRINTED):
        command = [sys.executable, "-m", "virtcatalog", "gitops", *arguments]
        done = subprocess.run(command, cwd=REPOSITORY, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        if done.returncode not in (0, 1):
            raise SystemExit(f"virtcatalog gitops {' '.join(arguments)} has status {done.returncode}")
        for manifest in YAML(typ="safe").load_all(done.stdout):
            name = f"{manifest['metadata']['name']}-{number}"
            objects.append({**manifest, "metadata": {**manifest["metadata"], "name": name}})
    return objects


def unread(program: str, objects: Sequence[Data]) -> Iterator[str]:
    """Say which Applications Argo CD's own types do not take, strictly, and which its templates do not make."""
    own = [manifest for manifest in objects if manifest["apiVersion"].startswith("argoproj.io/")]
    for manifest, answer in zip(own, judged(program, own, "objects"), strict=True):
        name = manifest["metadata"]["name"]
        if answer["error"]:
            yield f"{manifest['kind']} {name}: {answer['error']}"
            continue
        names = [application["metadata"]["name"] for application in answer["applications"]]
        if manifest["kind"] == "ApplicationSet":
            elements = manifest["spec"]["generators"][0]["list"]["elements"]
            wanted = [f"virtcatalog-{element['application']}" for element in elements]
            if names != wanted:
                yield f"ApplicationSet {name} makes {names}, and not {wanted}"


def unserved(api: Api, objects: Sequence[Data]) -> Iterator[str]:
    """Say which objects an API server with the tools' own CustomResourceDefinitions refuses, strictly."""
    for definition in definitions():
        api.create(definition)
    for manifest in objects:
        path = plural_path(manifest)
        for attempt in range(50):
            try:
                api.ask("POST", path, manifest, fieldValidation="Strict", dryRun="All")
                break
            except ApiError as error:
                if error.code != 404 or attempt == 49:
                    yield f"{manifest['kind']} {manifest['metadata']['name']}: {error}"
                    break
                time.sleep(0.2)  # a definition is served a moment after it is there
    spoiled = next(manifest for manifest in objects if manifest["kind"] == "Kustomization")
    for change in ({"interval": "often"}, {"surprise": True}):
        try:
            body = {**spoiled, "spec": spoiled["spec"] | change}
            api.ask("POST", plural_path(spoiled), body, fieldValidation="Strict", dryRun="All")
            yield f"a Kustomization with {change} is taken: nothing validates"
        except ApiError:
            pass


def plural_path(manifest: Data) -> str:
    """Return where objects of its kind are created, in a namespace that is there."""
    manifest["metadata"].pop("namespace", None)
    kind = manifest["kind"].lower()
    plural = f"{kind[:-1]}ies" if kind.endswith("y") else f"{kind}s"
    root = "/apis" if "/" in manifest["apiVersion"] else "/api"
    place = "" if kind == "namespace" else "/namespaces/default"
    return f"{root}/{manifest['apiVersion']}{place}/{plural}"


def definitions() -> Iterator[Data]:
    """Yield the CustomResourceDefinitions of Argo CD and Flux, from the modules that crds/go.mod names."""
    command = ["go", "mod", "download", "-json", *DEFINITIONS]
    done = subprocess.run(command, cwd=HERE / "crds", stdout=subprocess.PIPE, text=True, check=True)
    decoder, text = json.JSONDecoder(), done.stdout.strip()
    while text:
        module, end = decoder.raw_decode(text)
        text = text[end:].strip()
        for pattern in DEFINITIONS[module["Path"]]:
            for file in sorted(Path(module["Dir"]).glob(pattern)):
                yield YAML(typ="safe").load(file.read_text(encoding="utf-8"))
