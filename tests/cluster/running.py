"""A real API server that serves KubeVirt's kinds, on the loopback address, for as long as it is needed.

From a test, with tests/ on the path:

    from cluster.running import running_cluster

    with running_cluster() as cluster:
        cluster.kubeconfig, cluster.url, cluster.ca, cluster.token   # for kubectl and other clients
        cluster.api.apply(manifest)                                  # or by cluster/api.py

`release` is KubeVirt's, one that virtcatalog models; without `webhooks` what VMs say is stored as the API server alone
stores it.
The fixture `cluster` is such a cluster for all tests of a process. `make cluster` runs one in the foreground.

kube-apiserver and etcd are one process, built of the Go modules that go.mod names; the CustomResourceDefinitions are
made of the modules that kubevirt-*/go.mod names. Several clusters may run at once: each has ports and a temporary
folder of its own, and ends with the process that started it, however that ends.
"""

from __future__ import annotations

import json
import shutil
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from subprocess import PIPE, Popen, TimeoutExpired
from tempfile import TemporaryFile

from cluster.api import Api
from cluster.installing import install
from cluster.programs import ClusterError, definitions, program
from cluster.webhooks import serving_webhooks
from virtcatalog.releases import DEFAULT, find_release


@dataclass(frozen=True)
class RunningCluster:
    """Where an API server is, and what it takes to be its administrator."""

    url: str
    kubeconfig: Path
    ca: Path
    token: str
    release: str

    @cached_property
    def api(self) -> Api:
        """The API server, for its administrator."""
        tls = ssl.create_default_context(cafile=str(self.ca))
        return Api(self.url, tls, {"Authorization": f"Bearer {self.token}"})


@contextmanager
def running_cluster(*, webhooks: bool = True, release: str = DEFAULT.name) -> Iterator[RunningCluster]:
    """Yield a cluster with KubeVirt's kinds, which runs until the context ends."""
    release = find_release(release).name
    kinds = definitions(release)
    with _serving(program()) as (folder, url):
        cluster = RunningCluster(
            url, folder / "kubeconfig", folder / "ca.crt", (folder / "token").read_text(encoding="utf-8"), release
        )
        install(cluster.api, kinds, release)
        if not webhooks:
            yield cluster
            return
        with serving_webhooks(cluster.api, folder, release):
            yield cluster


@contextmanager
def _serving(path: Path) -> Iterator[tuple[Path, str]]:
    """Run the program; yield its folder and its address when it is ready."""
    # A Ctrl-C of the terminal is for this process, which ends the other one by the end of its input.
    with (
        TemporaryFile() as log,
        Popen([path, "serve"], stdin=PIPE, stdout=PIPE, stderr=log, start_new_session=True) as process,
    ):
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            process.wait()
            log.seek(0)
            raise ClusterError(f"the API server does not start:\n{log.read().decode(errors='replace')[-4000:]}")
        place = json.loads(line)
        try:
            yield Path(place["folder"]), place["url"]
        finally:
            _end(process)
            shutil.rmtree(place["folder"], ignore_errors=True)


def _end(process: Popen[bytes]) -> None:
    """End the program, which cleans up; if it does not end in time, kill it."""
    assert process.stdin is not None
    process.stdin.close()
    try:
        process.wait(timeout=30)
    except TimeoutExpired:
        process.kill()
