"""The clusters that Argo CD knows, as far as their Secrets are in the repository.

Source: github.com/argoproj/argo-cd, docs/operator-manual/declarative-setup.md (clusters), util/db/cluster.go.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from virtcatalog.manifests.fields import map_at
from virtcatalog.manifests.identity import Data
from virtcatalog.repositories.gofunctions import normalized
from virtcatalog.repositories.settings import texts, texts_of

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
        metadata = map_at(manifest, "metadata")
        labels = texts(metadata.get("labels"))
        if manifest.get("kind") != "Secret" or labels.get(_TYPE) != "cluster":
            continue
        data = texts_of(manifest)
        if data.get("name") and data.get("server"):
            annotations = texts(metadata.get("annotations"))
            yield Cluster(data["name"], data["server"], labels, annotations, data.get("project", ""))
