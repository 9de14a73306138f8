"""The objects that have a cluster hand out its own dump: who may read what, and what writes it where CI finds it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from virtcatalog.live.resources import PODS, RESOURCES, SURROUNDINGS, Resource
from virtcatalog.manifests.identity import Data

VERBS: Final = ("list",)
_READ: Final = """\
set -eu
status=0
virtcatalog dump --context in-cluster -q > /work/dump.json || status=$?
[ "$status" = 0 ] || { [ "$status" = 2 ] && [ -s /work/dump.json ]; } # 2: what may not be listed; the dump says which
"""
_WRITE_BRANCH: Final = f"""\
{_READ}export HOME=/work GIT_TERMINAL_PROMPT=0
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
_PUT: Final = f"""\
{_READ}exec /opt/virtcatalog/bin/python -I -c '
import os, urllib.request
with open("/work/dump.json", "rb") as dump, open("/credentials/url") as url:
    request = urllib.request.Request(url.read().strip(), data=dump, method="PUT")
    request.add_header("Content-Length", str(os.stat("/work/dump.json").st_size))
    request.add_header("Content-Type", "application/json")
    urllib.request.urlopen(request, timeout=300).close()
'
"""
_WRITE_CONFIG_MAP: Final = f"""\
{_READ}exec /opt/virtcatalog/bin/python -I -c '
import base64, gzip, json, os, ssl, sys, urllib.request
with open("/work/dump.json", "rb") as dump:
    packed = gzip.compress(dump.read(), mtime=0)
if len(packed) > 1000000:
    sys.exit(f"the dump has {{len(packed):,}} bytes when it is packed, too many for a ConfigMap: use a branch or a URL")
account = "/var/run/secrets/kubernetes.io/serviceaccount"
host, port = os.environ["KUBERNETES_SERVICE_HOST"], os.environ["KUBERNETES_SERVICE_PORT"]
host = f"[{{host}}]" if ":" in host else host
path = "/api/v1/namespaces/" + os.environ["NAMESPACE"] + "/configmaps/" + os.environ["CONFIG_MAP"]
data = json.dumps({{"binaryData": {{os.environ["FILE"] + ".gz": base64.b64encode(packed).decode()}}}}).encode()
request = urllib.request.Request(f"https://{{host}}:{{port}}{{path}}", data=data, method="PATCH")
request.add_header("Content-Type", "application/merge-patch+json")
with open(f"{{account}}/token") as token:
    request.add_header("Authorization", "Bearer " + token.read().strip())
trust = ssl.create_default_context(cafile=f"{{account}}/ca.crt")
urllib.request.urlopen(request, timeout=60, context=trust).close()
'
"""


class Feed(NamedTuple):
    """What a cluster's feed is called, where it runs, as what image, and when.

    With a `repository` the dump is a file of a branch of it, with `config_map` it is in a ConfigMap beside it, else it
    is put to the URL that the Secret has. Secret and ConfigMap are called as the feed.
    """

    name: str
    namespace: str
    image: str
    schedule: str
    repository: str = ""
    branch: str = ""
    config_map: bool = False


READ: Final = (*RESOURCES, *SURROUNDINGS)
"""What a dump has."""
LOOKED_AT: Final = (*READ, PODS)
"""What a person looks at, who may also `verify`."""


def cluster_role(name: str, resources: Sequence[Resource]) -> Data:
    """Return the role that may read these kinds, and nothing else."""
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
    """Return the objects of a feed: its account with its roles, what gets the dump, and the CronJob."""
    account = {"kind": "ServiceAccount", "name": wanted.name, "namespace": wanted.namespace}
    return [
        {
            "apiVersion": "v1",
            "kind": "ServiceAccount",
            "metadata": {"name": wanted.name, "namespace": wanted.namespace},
        },
        cluster_role(wanted.name, READ),
        binding(wanted.name, account),
        *(_config_map(wanted, account) if wanted.config_map else ()),
        _cron_job(wanted),
    ]


def _config_map(wanted: Feed, account: Data) -> list[Data]:
    """The ConfigMap, which is there from the beginning: the right to create one cannot be had for one name alone."""
    group = "rbac.authorization.k8s.io"
    metadata = {"name": wanted.name, "namespace": wanted.namespace}
    rule = {"apiGroups": [""], "resources": ["configmaps"], "resourceNames": [wanted.name], "verbs": ["patch"]}
    return [
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata},
        {"apiVersion": f"{group}/v1", "kind": "Role", "metadata": metadata, "rules": [rule]},
        {
            "apiVersion": f"{group}/v1",
            "kind": "RoleBinding",
            "metadata": metadata,
            "roleRef": {"apiGroup": group, "kind": "Role", "name": wanted.name},
            "subjects": [account],
        },
    ]


def _cron_job(wanted: Feed) -> Data:
    file = {"FILE": f"{wanted.name}.json"}
    if wanted.config_map:
        script, values = _WRITE_CONFIG_MAP, {"NAMESPACE": wanted.namespace, "CONFIG_MAP": wanted.name, **file}
    elif wanted.repository:
        script, values = _WRITE_BRANCH, {"REPOSITORY": wanted.repository, "BRANCH": wanted.branch, **file}
    else:
        script, values = _PUT, {}
    mounts: list[Data] = [
        {"name": "work", "mountPath": "/work"},
        {"name": "work", "mountPath": "/tmp"},  # noqa: S108 - of the container
    ]
    volumes: list[Data] = [{"name": "work", "emptyDir": {"sizeLimit": "2Gi"}}]
    if not wanted.config_map:
        mounts.append({"name": "credentials", "mountPath": "/credentials", "readOnly": True})
        volumes.append({"name": "credentials", "secret": {"secretName": wanted.name}})
    container = {
        "name": "dump",
        "image": wanted.image,
        "command": ["sh", "-c", script],
        **({"env": [{"name": key, "value": value} for key, value in values.items()]} if values else {}),
        "resources": {"requests": {"cpu": "100m", "memory": "300Mi"}, "limits": {"memory": "600Mi"}},
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "readOnlyRootFilesystem": True,
        },
        "volumeMounts": mounts,
    }
    pod = {
        "serviceAccountName": wanted.name,
        "restartPolicy": "Never",
        "securityContext": {"runAsNonRoot": True, "runAsUser": 1000, "fsGroup": 1000},
        "containers": [container],
        "volumes": volumes,
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
