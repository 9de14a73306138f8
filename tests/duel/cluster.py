"""A cluster as the oracle: what its API server and KubeVirt's webhooks in it say to a dry run, and expand-vm-spec.

VMs are never made. What they refer to is: claims and presets in a namespace that is deleted afterwards, instance types
and preferences of the cluster beside those that it has. The KubeVirt CR stays as it is: cases have its configuration.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from secrets import token_hex
from typing import Any
from urllib.parse import urlsplit

from cluster.api import Api, ApiError, Manifest
from conformance import views
from conformance.agree import EXPANDED, WEBHOOK
from conformance.cases import CATALOG_KINDS
from duel.pipe import OracleError
from virtcatalog.live.client.credentials import Credentials
from virtcatalog.live.client.kubeconfig import access
from virtcatalog.releases import find_release

STAGES = ("objects", WEBHOOK, EXPANDED)
_SUBRESOURCES = "/apis/subresources.kubevirt.io/v1"
_DENIED = re.compile(r'admission webhook "[^"]*kubevirt\.io" denied the request')


def api_of(context: str, kubeconfig: str | None = None) -> Api:
    """Return the API server of a context."""
    settings = access(context, kubeconfig)
    if settings.proxy or urlsplit(settings.server).scheme != "https":
        raise OracleError(f"context {context!r}: the duel asks by https alone, and by no proxy")
    credentials = Credentials(settings)
    return Api(settings.server, credentials.context(), credentials.headers)


@contextlib.contextmanager
def cluster_oracle(api: Api) -> Iterator[ClusterOracle]:
    """Yield a cluster as the oracle, and take away what it made."""
    oracle = ClusterOracle(api)
    try:
        yield oracle
    finally:
        oracle.forget()


class ClusterOracle:
    """A cluster that is asked. `conditions` is what cases have to say of it, `release` the one that it runs.

    `stages` are those that it answers: without virt-api there are no subresources.
    """

    def __init__(self, api: Api) -> None:
        self._api = api
        crs = list(api.items("kubevirt.io/v1", "KubeVirt"))
        if len(crs) != 1:
            raise OracleError(f"the cluster has {len(crs)} KubeVirt CRs, and not one")
        config = crs[0].get("spec", {}).get("configuration") or {}
        self.release = find_release(crs[0].get("status", {}).get("observedKubeVirtVersion", "")).name
        self.conditions: dict[str, Any] = {
            "arch": api.ask("GET", "/version")["platform"].partition("/")[2],
            "config": config,
            "featureGates": config.get("developerConfiguration", {}).get("featureGates") or [],
            "useCatalog": False,
        }
        self.stages = STAGES if self._serves_subresources() else STAGES[:-1]
        self._objects: list[Manifest] | None = None
        self._refused: dict[str, list[str]] = {}
        self._made: list[Manifest] = []
        self._namespace = ""

    def ask(self, question: dict[str, Any]) -> dict[str, Any]:
        """Return what is refused of a case; of the VM only where all that it refers to is taken."""
        if any(question.get(key) != value for key, value in self.conditions.items()):
            raise OracleError("the cluster has another configuration")
        if self._objects != question["objects"]:
            self._make(question["objects"])
        if self._refused:
            return {"objects": self._refused}
        return {"objects": {}, **self._of_vm(self._placed(question["vm"]))}

    def forget(self) -> None:
        """Delete what was made."""
        self._objects, self._refused = None, {}
        while self._made:
            with contextlib.suppress(ApiError):
                self._api.delete(self._made[-1])
            self._made.pop()

    def _make(self, objects: list[Manifest]) -> None:
        """Make the objects of a case, in a namespace of their own, in place of those of the last one."""
        self.forget()
        self._namespace = f"virtcatalog-duel-{token_hex(4)}"
        self._create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": self._namespace}})
        for manifest in objects:
            fields = self._create(self._placed(manifest))
            if fields is not None:
                self._refused[f"{manifest['kind']}/{manifest['metadata']['name']}"] = fields
        self._objects = objects

    def _placed(self, manifest: Manifest) -> Manifest:
        metadata = manifest["metadata"]
        if "namespace" not in metadata:
            return manifest
        return {**manifest, "metadata": {**metadata, "namespace": self._namespace}}

    def _create(self, manifest: Manifest) -> list[str] | None:
        """Create an object; return the fields for which KubeVirt's webhooks refuse it, None where they do not."""
        try:
            self._api.create(manifest)
        except ApiError as error:
            fields = _fields(error)
            if fields is None or manifest["kind"] not in CATALOG_KINDS:
                name = f"{manifest['kind']} {manifest['metadata']['name']}"
                raise OracleError(f"the cluster does not take {name}: {error}") from error
            return fields
        self._made.append(manifest)
        return None

    def _serves_subresources(self) -> bool:
        try:
            self._api.ask("GET", _SUBRESOURCES)
        except ApiError as error:
            if error.code == 404:
                return False
            raise
        return True

    def _of_vm(self, vm: Manifest) -> dict[str, Any]:
        """What is said to a VM; of one that the API server refuses by itself there are no fields."""
        try:
            stored = self._api.create(vm, dry_run=True)
        except ApiError as error:
            fields = _fields(error)
            if fields is not None:
                return {WEBHOOK: {"allowed": False, "fields": fields}}
            if error.code in (400, 422) and "admission webhook" not in str(error):
                return {WEBHOOK: {"allowed": False}}
            raise OracleError(str(error)) from error
        answer: dict[str, Any] = {WEBHOOK: {"allowed": True, "fields": []}}
        return {**answer, EXPANDED: self._expanded(vm, stored)} if EXPANDED in self.stages else answer

    def _expanded(self, vm: Manifest, stored: Manifest) -> dict[str, Any]:
        """The template of the VM, as it would be stored, with its types applied; or that they cannot be."""
        path = f"{_SUBRESOURCES}/namespaces/{self._namespace}/expand-vm-spec"
        try:
            template = self._api.ask("PUT", path, stored)["spec"]["template"]
        except ApiError as error:
            if error.code == 400:
                return {"refused": True}
            raise OracleError(str(error)) from error
        return views.without_drawn({"vmi": views.vmi(template)}, vm)["vmi"]


def _fields(error: ApiError) -> list[str] | None:
    """The fields that a webhook of KubeVirt names, None where it is not one that refuses."""
    if not _DENIED.search(str(error)):
        return None
    return sorted({cause.get("field", "") for cause in error.causes})
