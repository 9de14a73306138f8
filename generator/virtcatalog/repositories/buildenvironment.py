"""Argo CD's build environment: `$ARGOCD_APP_NAME` and the like, which parameters, labels and paths of files may name.

Source: github.com/argoproj/argo-cd, reposerver/repository/repository.go (newEnv) and
pkg/apis/application/v1alpha1/types.go (Envsubst); Go's os.Expand.
"""

from __future__ import annotations

import re
from typing import Final

from virtcatalog.api.findings import Path
from virtcatalog.repositories.deployers import Deployer

_VARIABLE: Final = re.compile(r"\$(?:\{([*#$@!?0-9-]|[^}]+)\}|(\{\}?)|([*#$@!?0-9-]|[A-Za-z_][A-Za-z0-9_]*))", re.ASCII)
_UNKNOWN: Final = ("ARGOCD_APP_REVISION", "ARGOCD_APP_REVISION_SHORT", "ARGOCD_APP_REVISION_SHORT_8")
"""What only the cluster knows: it stays as it is written."""


def expanded(text: str, deployer: Deployer, source: Path) -> str:
    """Return a text of an Application's source with the variables filled in; what is none of them is empty."""
    if "$" not in text:
        return text
    values = {
        "$": "$",
        "ARGOCD_APP_NAME": deployer.name,
        "ARGOCD_APP_NAMESPACE": deployer.text("destination", "namespace"),
        "ARGOCD_APP_PROJECT_NAME": deployer.text("project") or "default",
        "ARGOCD_APP_SOURCE_REPO_URL": deployer.text(*source, "repoURL"),
        "ARGOCD_APP_SOURCE_PATH": deployer.text(*source, "path"),
        "ARGOCD_APP_SOURCE_TARGET_REVISION": deployer.text(*source, "targetRevision"),
    }

    def value(match: re.Match[str]) -> str:
        name = match[1] or match[3] or ""
        return match[0] if name in _UNKNOWN else values.get(name, "")

    return _VARIABLE.sub(value, text)
