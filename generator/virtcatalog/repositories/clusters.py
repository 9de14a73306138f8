"""The clusters that Argo CD knows, as far as their Secrets are in the repository.

Source: github.com/argoproj/argo-cd, docs/operator-manual/declarative-setup.md (clusters), util/db/cluster.go.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from virtcatalog.manifests.identity import Data
from virtcatalog.repositories.templates import normalized

IN_CLUSTER: Final = "https://kubernetes.default.svc"
"""The server of the cluster that Argo CD runs in."""
_TYPE: Final = "argocd.argoproj.io/secret-type"


class Cluster(NamedTuple):
    """A cluster as generators have it."""

    name: str
    server: str
    labels: Mapping[str, str] = {}
    annotations: Mapping[str, str] = {}
    project: str = ""

    @property
    def parameters(self) -> dict[str, Any]:
        """What a `clusters` generator says of it."""
        return {
            "name": self.name,
            "nameNormalized": normalized(self.name),
            "server": self.server,
            "project": self.project,
            "metadata": {"labels": dict(self.labels), "annotations": dict(self.annotations)},
        }


def clusters_in(manifests: Iterable[Data]) -> Iterator[Cluster]:
    """Yield the clusters that Secrets declare."""
    for manifest in manifests:
        metadata = manifest.get("metadata")
        labels = _texts(metadata.get("labels")) if isinstance(metadata, dict) else {}
        if manifest.get("kind") != "Secret" or labels.get(_TYPE) != "cluster":
            continue
        data = {**_decoded(_texts(manifest.get("data"))), **_texts(manifest.get("stringData"))}
        if data.get("name") and data.get("server"):
            annotations = _texts(metadata.get("annotations")) if isinstance(metadata, dict) else {}
            yield Cluster(data["name"], data["server"], labels, annotations, data.get("project", ""))


def _texts(value: Any) -> dict[str, str]:
    return {str(key): str(text) for key, text in value.items()} if isinstance(value, dict) else {}


def _decoded(data: Mapping[str, str]) -> dict[str, str]:
    """The texts of a Secret's data; what is none is left out."""
    texts = {}
    for key, value in data.items():
        try:
            texts[key] = base64.b64decode(value, validate=True).decode()
        except (binascii.Error, UnicodeDecodeError):
            continue
    return texts
