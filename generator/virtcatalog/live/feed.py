"""The objects that have a cluster hand out its own dump: who may read what, and what writes it where CI finds it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from virtcatalog.live.resources import RESOURCES, SURROUNDINGS, Resource
from virtcatalog.manifests.identity import Data

VERBS: Final = ("get", "list")
_WRITE_BRANCH: Final = """\
set -eu
export HOME=/work GIT_TERMINAL_PROMPT=0
status=0
virtcatalog dump --context in-cluster -q > /work/dump.json || status=$?
[ "$status" = 0 ] || [ "$status" = 2 ] # 2: some kinds may not be listed; the dump says which
git config --global credential.helper 'store --file=/credentials/git-credentials'
git config --global user.name virtcatalog
git config --global user.email virtcatalog@localhost
if git clone --quiet --depth 1 --branch "$BRANCH" --single-branch "$REPOSITORY" /work/feed; then
  cd /work/feed
else
  git init --quiet --initial-branch "$BRANCH" /work/feed
  cd /work/feed
  git remote add origin "$REPOSITORY"
fi
mv /work/dump.json "$FILE"
git add -- "$FILE"
git diff --cached --quiet || git commit --quiet --message "What $FILE has"
git push --quiet origin "HEAD:refs/heads/$BRANCH"
"""
_PUT: Final = """\
set -eu
status=0
virtcatalog dump --context in-cluster -q > /work/dump.json || status=$?
[ "$status" = 0 ] || [ "$status" = 2 ] # 2: some kinds may not be listed; the dump says which
exec /opt/virtcatalog/bin/python -I -c '
import os, urllib.request
with open("/work/dump.json", "rb") as dump, open("/credentials/url") as url:
    request = urllib.request.Request(url.read().strip(), data=dump, method="PUT")
    request.add_header("Content-Length", str(os.stat("/work/dump.json").st_size))
    request.add_header("Content-Type", "application/json")
    urllib.request.urlopen(request, timeout=300).close()
'
"""


class Feed(NamedTuple):
    """What a cluster's feed is called, where it runs, as what image, and when.

    With a `repository` the dump is a file of a branch of it, else it is put to the URL that the Secret has. The Secret
    is called as the feed.
    """

    name: str
    namespace: str
    image: str
    schedule: str
    repository: str = ""
    branch: str = ""


def cluster_role(name: str, resources: Sequence[Resource] = (*RESOURCES, *SURROUNDINGS)) -> Data:
    """Return the role that may read what virtcatalog reads, and nothing else."""
    groups: dict[str, list[str]] = {}
    for resource in resources:
        groups.setdefault(resource.group, []).append(resource.plural)
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": name},
        "rules": [
            {"apiGroups": [group], "resources": sorted(plurals), "verbs": list(VERBS)}
            for group, plurals in sorted(groups.items())
        ],
    }


def binding(name: str, subject: Data) -> Data:
    """Return what gives somebody the role of that name."""
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRoleBinding",
        "metadata": {"name": name},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name},
        "subjects": [subject],
    }


def feed(wanted: Feed) -> list[Data]:
    """Return the objects of a feed: its account with the role, and the CronJob."""
    account = {"kind": "ServiceAccount", "name": wanted.name, "namespace": wanted.namespace}
    return [
        {
            "apiVersion": "v1",
            "kind": "ServiceAccount",
            "metadata": {"name": wanted.name, "namespace": wanted.namespace},
        },
        cluster_role(wanted.name),
        binding(wanted.name, account),
        _cron_job(wanted),
    ]


def _cron_job(wanted: Feed) -> Data:
    values = {"REPOSITORY": wanted.repository, "BRANCH": wanted.branch, "FILE": f"{wanted.name}.json"}
    container = {
        "name": "dump",
        "image": wanted.image,
        "command": ["sh", "-c", _WRITE_BRANCH if wanted.repository else _PUT],
        **({"env": [{"name": key, "value": value} for key, value in values.items()]} if wanted.repository else {}),
        "resources": {"requests": {"cpu": "100m", "memory": "300Mi"}, "limits": {"memory": "600Mi"}},
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "readOnlyRootFilesystem": True,
        },
        "volumeMounts": [
            {"name": "work", "mountPath": "/work"},
            {"name": "work", "mountPath": "/tmp"},  # noqa: S108 - of the container
            {"name": "credentials", "mountPath": "/credentials", "readOnly": True},
        ],
    }
    pod = {
        "serviceAccountName": wanted.name,
        "restartPolicy": "Never",
        "securityContext": {"runAsNonRoot": True, "runAsUser": 1000, "fsGroup": 1000},
        "containers": [container],
        "volumes": [
            {"name": "work", "emptyDir": {"sizeLimit": "2Gi"}},
            {"name": "credentials", "secret": {"secretName": wanted.name}},
        ],
    }
    return {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": wanted.name, "namespace": wanted.namespace},
        "spec": {
            "schedule": wanted.schedule,
            "concurrencyPolicy": "Forbid",
            "jobTemplate": {"spec": {"backoffLimit": 1, "template": {"spec": pod}}},
        },
    }
