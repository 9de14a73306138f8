"""`make cluster`: a cluster in the foreground, until it is interrupted."""

from __future__ import annotations

import argparse
import signal
import sys

from cluster.programs import ClusterError
from cluster.running import running_cluster
from virtcatalog.releases import DEFAULT, RELEASES


def main() -> int:
    """Run a cluster, and print how to reach it; return the exit status."""
    parser = argparse.ArgumentParser(prog="make cluster", description=__doc__)
    parser.add_argument("--release", choices=RELEASES, default=DEFAULT.name, help="KubeVirt's release")
    parser.add_argument("--no-webhooks", action="store_true", help="store what is sent, without KubeVirt's webhooks")
    arguments = parser.parse_args()
    for number in (signal.SIGTERM, signal.SIGINT):  # a shell's job in the background ignores the second
        signal.signal(number, signal.default_int_handler)
    try:
        with running_cluster(release=arguments.release, webhooks=not arguments.no_webhooks) as cluster:
            print(f"export KUBECONFIG={cluster.kubeconfig}", flush=True)
            signal.pause()
    except KeyboardInterrupt:
        return 0
    except ClusterError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
