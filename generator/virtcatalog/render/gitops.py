"""The objects of Argo CD or Flux that make them sync an output tree from a repository.

Deleting one of these objects never deletes instance types or preferences: VMs use them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath
from typing import Literal

import msgspec

from virtcatalog.api.kinds import NAMESPACED_KINDS, TEMPLATE
from virtcatalog.catalog.environment import Overlay
from virtcatalog.catalog.labels import FLUX_PRUNE, SYNC_OPTIONS
from virtcatalog.catalog.model import Catalog
from virtcatalog.errors import VirtcatalogError
from virtcatalog.manifests.identity import Data
from virtcatalog.oci import SCHEME

IN_CLUSTER = "in-cluster"
_COMMIT = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")
#: A path that means itself in the patterns of .gitignore and in Argo CD's list of paths.
_PLAIN = re.compile(r"[\w.+/-]*", re.ASCII)
#: A range of versions. Of what could be a tag it is one with an `x` for a number.
_RANGE = re.compile(r"[<>=^~*|, ]|\Av?\d+(\.\d+)?(\.[xX])+\Z")
_UNNAMEABLE = re.compile(r"[^a-z0-9.-]+")
_SCP = re.compile(r"(?P<host>[^/]+?):(?!//)(?P<path>.+)")


class GitopsError(VirtcatalogError):
    """There is nothing that could be synced as asked for."""


class Verification(msgspec.Struct, frozen=True):
    """Whose signature of cosign's an artifact has to have.

    Either that of a key, which is in a Secret beside the source, or that of an identity: patterns of its issuer and
    subject (Go's regular expressions).
    """

    secret: str = ""
    issuer: str = ""
    subject: str = ""

    def manifest(self) -> Data:
        """Return it as Flux has it."""
        if self.secret:
            return {"provider": "cosign", "secretRef": {"name": self.secret}}
        return {"provider": "cosign", "matchOIDCIdentity": [{"issuer": self.issuer, "subject": self.subject}]}


class Origin(msgspec.Struct, frozen=True, kw_only=True):
    """Where the tree is published: a Git repository, or an OCI artifact (`oci://`) with the tree at its top.

    `revision` is a branch, a full commit id or a full ref (`refs/tags/v1`) of a repository; a tag, a digest or a range
    of versions of an artifact; "" is the branch main, or the tag latest. `tree` is the tree's path in it, "" the top.
    """

    name: str
    url: str
    revision: str = ""
    tree: str = ""
    verify: Verification | None = None

    @property
    def oci(self) -> bool:
        """Whether it is an artifact."""
        return self.url.startswith(SCHEME)

    @property
    def target(self) -> str:
        """The revision, or its default."""
        return self.revision or ("latest" if self.oci else "main")

    def path(self, overlay: Overlay) -> str:
        """Return the path of an environment."""
        return str(PurePosixPath(self.tree, "overlays", overlay.name))


class Destination(msgspec.Struct, frozen=True):
    """An environment and the cluster, by Argo CD's name for it, that gets it; `others` says that it is one of several.

    `name` is what the Application of it is called, behind the origin's name.
    """

    overlay: Overlay
    cluster: str = IN_CLUSTER
    others: bool = False

    @property
    def name(self) -> str:
        """The environment's name, and the cluster's where there are others, with the characters that names may have."""
        cluster = _UNNAMEABLE.sub("-", self.cluster.lower()).strip("-.")
        return f"{self.overlay.name}-{cluster}" if self.others else self.overlay.name


def applications(origin: Origin, destinations: Sequence[Destination], namespace: str = "argocd") -> list[Data]:
    """Return the Argo CD Applications of the environments; `namespace` is Argo CD's own."""
    manifests = []
    for destination in destinations:
        spec = _application(
            origin, origin.path(destination.overlay), destination.cluster, _namespace(destination.overlay), "true"
        )
        metadata = {"name": f"{origin.name}-{destination.name}", "namespace": namespace, **_metadata(origin)}
        manifests.append(
            {"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": metadata, "spec": spec}
        )
    return manifests


def application_set(origin: Origin, destinations: Sequence[Destination], namespace: str = "argocd") -> Data:
    """Return an Argo CD ApplicationSet that makes those same Applications; GitopsError for a template in their text."""
    for text in (origin.url, origin.target, origin.tree, *(destination.cluster for destination in destinations)):
        if "{{" in text:
            raise GitopsError(f"{text}: an ApplicationSet takes {{{{ for the start of a template")
    elements = [
        {
            "application": destination.name,
            "overlay": destination.overlay.name,
            "cluster": destination.cluster,
            "namespace": _namespace(destination.overlay),
            "createNamespace": str(bool(_namespace(destination.overlay))).lower(),
        }
        for destination in destinations
    ]
    path = str(PurePosixPath(origin.tree, "overlays", "{{ .overlay }}"))
    spec = _application(origin, path, "{{ .cluster }}", "{{ .namespace }}", "{{ .createNamespace }}")
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "ApplicationSet",
        "metadata": {"name": origin.name, "namespace": namespace},
        "spec": {
            "goTemplate": True,
            "goTemplateOptions": ["missingkey=error"],
            "generators": [{"list": {"elements": elements}}],
            "syncPolicy": {"preserveResourcesOnDeletion": True},
            "template": {
                "metadata": {"name": f"{origin.name}-{{{{ .application }}}}", **_metadata(origin)},
                "spec": spec,
            },
        },
    }


def rivals(catalog: Catalog, destinations: Sequence[Destination]) -> list[list[str]]:
    """Return the environments that would overwrite each other's objects, since one cluster gets them all."""
    objects = catalog.objects()
    owners: dict[tuple[str, str, str, str], list[str]] = {}
    for destination in destinations:
        for manifest in filter(destination.overlay.includes, objects):
            kind = manifest["kind"]
            namespace = destination.overlay.namespace if kind in NAMESPACED_KINDS else ""
            owners.setdefault((destination.cluster, namespace, kind, manifest["metadata"]["name"]), []).append(
                destination.overlay.name
            )
        for template in catalog.templates:
            if destination.overlay.name in template.environments:
                key = (destination.cluster, destination.overlay.template_namespace, TEMPLATE, template.name)
                owners.setdefault(key, []).append(destination.overlay.name)
    shared = {tuple(names) for names in owners.values() if len(names) > 1}
    return sorted(map(list, shared))


def pruned(catalog: Catalog, overlays: Iterable[Overlay], tool: Literal["argocd", "flux"]) -> list[str]:
    """Return the environments of which the tool deletes an object once it is no longer rendered."""
    annotation, protected = (SYNC_OPTIONS, "Prune=false") if tool == "argocd" else (FLUX_PRUNE, "disabled")
    return [
        overlay.name
        for overlay in overlays
        if any(
            protected not in manifest["metadata"].get("annotations", {}).get(annotation, "")
            for manifest in catalog.objects(overlay.name)
        )
    ]


def flux(origin: Origin, overlays: Sequence[Overlay], namespace: str = "flux-system") -> list[Data]:
    """Return Flux's source, the namespaces of the environments, and a Flux Kustomization for every environment."""
    source = flux_source(origin, namespace)
    manifests: list[Data] = [source]
    for name in dict.fromkeys(name for overlay in overlays for name in (overlay.namespace, overlay.templates) if name):
        # Pruning a Namespace would delete the VMs in it.
        metadata = {"name": name, "annotations": {FLUX_PRUNE: "disabled"}}
        manifests.append({"apiVersion": "v1", "kind": "Namespace", "metadata": metadata})
    return manifests + [_kustomization(origin, source, overlay, namespace) for overlay in overlays]


def flux_source(origin: Origin, namespace: str) -> Data:
    """Return Flux's source of a repository or artifact."""
    return _oci_repository(origin, namespace) if origin.oci else _git_repository(origin, namespace)


def _namespace(overlay: Overlay) -> str:
    """The namespace that Argo CD makes for an environment: that of its objects, or else of its templates."""
    return overlay.namespace or overlay.templates


def _application(origin: Origin, path: str, cluster: str, namespace: str, create_namespace: str) -> Data:
    destination = {"name": cluster}
    sync: Data = {"automated": {"prune": True, "selfHeal": True}}
    if namespace:
        destination["namespace"] = namespace
        sync["syncOptions"] = [f"CreateNamespace={create_namespace}"]
    return {
        "project": "default",
        "source": {"repoURL": origin.url, "targetRevision": origin.target, "path": path},
        "destination": destination,
        "syncPolicy": sync,
    }


def _metadata(origin: Origin) -> Data:
    """The annotation that spares Argo CD the rendering after pushes outside the tree; artifacts hold the tree only."""
    if origin.oci or not _PLAIN.fullmatch(origin.tree):
        return {}
    return {"annotations": {"argocd.argoproj.io/manifest-generate-paths": f"/{origin.tree}"}}


def _git_repository(origin: Origin, namespace: str) -> Data:
    scp = _SCP.fullmatch(origin.url)
    if scp:
        raise GitopsError(
            f"{origin.url}: Flux takes URLs only; this one is ssh://{scp['host']}/{scp['path'].lstrip('/')}"
        )
    if not origin.url.startswith(("https://", "http://", "ssh://")):
        raise GitopsError(f"{origin.url}: Flux takes https://, http://, ssh:// and oci:// URLs")
    spec: Data = {"interval": "5m", "url": origin.url, "ref": _git_ref(origin.target)}
    if origin.tree and "/" not in origin.tree and _PLAIN.fullmatch(origin.tree):
        spec["ignore"] = f"/*\n!/{origin.tree}\n"
    return _source("GitRepository", origin, namespace, spec)


def _git_ref(revision: str) -> dict[str, str]:
    if revision.startswith("refs/"):
        return {"name": revision}
    return {"commit" if _COMMIT.fullmatch(revision) else "branch": revision}


def _oci_repository(origin: Origin, namespace: str) -> Data:
    target = origin.target
    if target.startswith("sha256:"):
        reference = {"digest": target}
    else:
        reference = {"semver" if _RANGE.search(target) else "tag": target}
    verify = {"verify": origin.verify.manifest()} if origin.verify else {}
    return _source(
        "OCIRepository", origin, namespace, {"interval": "5m", "url": origin.url, "ref": reference, **verify}
    )


def _kustomization(origin: Origin, source: Data, overlay: Overlay, namespace: str) -> Data:
    return {
        "apiVersion": "kustomize.toolkit.fluxcd.io/v1",
        "kind": "Kustomization",
        "metadata": {"name": f"{origin.name}-{overlay.name}", "namespace": namespace},
        "spec": {
            "interval": "1h",
            "retryInterval": "2m",
            "timeout": "5m",
            "sourceRef": {"kind": source["kind"], "name": origin.name},
            "path": f"./{origin.path(overlay)}",
            "prune": True,
            "deletionPolicy": "Orphan",
            "wait": True,
        },
    }


def _source(kind: str, origin: Origin, namespace: str, spec: Data) -> Data:
    return {
        "apiVersion": "source.toolkit.fluxcd.io/v1",
        "kind": kind,
        "metadata": {"name": origin.name, "namespace": namespace},
        "spec": spec,
    }
