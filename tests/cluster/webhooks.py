"""KubeVirt's admission webhooks, answered by virtcatalog's own rules over HTTPS.

What the rules look up, such as an instance type, they find in the API server at that moment; KubeVirt's own webhooks
read caches of it.
"""

from __future__ import annotations

import base64
import json
import ssl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from cluster.api import Api, ApiError, Manifest
from cluster.programs import PATIENCE, ClusterError
from cluster.reviews import MUTATED, VALIDATED, Review, mutate, validate
from serving import Handler, served

_MUTATING, _VALIDATING = "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"


@contextmanager
def serving_webhooks(api: Api, folder: Path, release: str) -> Iterator[None]:
    """Answer the webhooks of KubeVirt's kinds; the certificate is in a folder."""
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(folder / "tls.crt", folder / "tls.key")

    class Webhooks(Handler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            review = json.loads(self.content())
            request = review["request"]
            decide = mutate if urlsplit(self.path).path == "/mutate" else validate
            answer = {"uid": request["uid"], **_response(decide(request, api, release))}
            body = {"apiVersion": review["apiVersion"], "kind": review["kind"], "response": answer}
            self.respond(200, body, {"Content-Type": "application/json"})

    with served(Webhooks, tls) as address:
        authority = base64.b64encode((folder / "ca.crt").read_bytes()).decode()
        for configuration in _configurations(f"https://{address}", authority):
            api.create(configuration)
        _await(api)
        yield


def _await(api: Api) -> None:
    """Wait until the API server asks the webhooks: it learns of them some time after it has stored that they are."""
    late = time.monotonic() + PATIENCE
    while not _asked(api):
        if time.monotonic() > late:
            raise ClusterError("the API server does not ask the webhooks")
        time.sleep(0.05)


def _asked(api: Api) -> bool:
    """Whether a VM is mutated, and one that has no runStrategy is refused."""
    template = {"spec": {"domain": {"devices": {}, "memory": {"guest": "1Gi"}}}}
    vm = {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": "probe", "namespace": "default"},
        "spec": {"runStrategy": "Halted", "template": template},
    }
    mutated = "firmware" in api.create(vm, dry_run=True)["spec"]["template"]["spec"]["domain"]
    try:
        api.create({**vm, "spec": {"template": template}}, dry_run=True)
    except ApiError:
        return mutated
    return False


def _response(review: Review) -> Manifest:
    """What a webhook answers (pkg/util/webhooks, ToAdmissionResponse)."""
    if review.causes:
        causes = [{"reason": cause.type, "message": cause.message, "field": cause.field} for cause in review.causes]
        status = {
            "code": 422,
            "reason": "Invalid",
            "message": ", ".join(str(cause) for cause in review.causes),
            "details": {"causes": causes},
        }
        return {"allowed": False, "status": status}
    answer: Manifest = {"allowed": True, "warnings": list(review.warnings)}
    if review.patch:
        answer |= {"patchType": "JSONPatch", "patch": base64.b64encode(json.dumps(review.patch).encode()).decode()}
    return answer


def _configurations(url: str, authority: str) -> Iterator[Manifest]:
    for kind, path, resources in ((_MUTATING, "/mutate", MUTATED), (_VALIDATING, "/validate", VALIDATED)):
        yield {
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": kind,
            "metadata": {"name": f"virt-api{path.replace('/', '-')}"},
            "webhooks": [
                {
                    "name": f"{resource.plural}{path.replace('/', '-')}.{resource.group}",
                    "clientConfig": {"url": url + path, "caBundle": authority},
                    "rules": [
                        {
                            "operations": list(resource.operations),
                            "apiGroups": [resource.group],
                            "apiVersions": list(resource.versions),
                            "resources": [resource.plural],
                        }
                    ],
                    "failurePolicy": "Fail",
                    "sideEffects": "None",
                    "admissionReviewVersions": ["v1"],
                    "timeoutSeconds": 30,
                }
                for resource in resources
            ],
        }
