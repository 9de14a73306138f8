"""How many domains of the pairs of a catalog come back when they are imported.

usage: imports.py CATALOG [--every N]

CATALOG is a file of manifests, as `pairs.read` takes it. Every pair of a cluster instance type and a cluster preference
that KubeVirt admits is expanded, and its domain made a VM by `import libvirt`. Prints how many of these VMs have the
same domain, and for the others which parts are not carried.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from pathlib import Path

from pairs import pairs, read

from virtcatalog import HOSTS, Cluster, expand
from virtcatalog.bring.libvirt.domain import import_domain
from virtcatalog.bring.libvirt.rules import Rules
from virtcatalog.kubevirt.conditions import Conditions


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("catalog", type=Path)
    parser.add_argument("--every", type=int, default=1)
    arguments = parser.parse_args()
    manifests = read(arguments.catalog)
    cluster = Cluster(manifests)
    conditions = Conditions(release=None, architecture="amd64", host=HOSTS["reference"])
    verdicts: Counter[str] = Counter()
    seconds = 0.0
    for vm in pairs(manifests)[:: arguments.every]:
        result = expand(vm, cluster)
        if not result.admitted or result.domain_xml is None:
            continue
        started = time.perf_counter()
        found = import_domain(result.domain_xml.encode(), "domain.xml", Rules(), conditions)
        seconds += time.perf_counter() - started
        verdicts["the same domain" if found.domain_xml == result.domain_xml else "another domain"] += 1
        if not found.same:
            others = [part.path for part in found.parts if part.fate != "carried"]
            print(f"{vm['metadata']['name']}: {', '.join([*map(str, found.reasons), *others, *found.added])}")
    for verdict, count in verdicts.most_common():
        print(f"{count:>6}  {verdict}")
    print(f"{seconds:.1f} s, {1000 * seconds / max(verdicts.total(), 1):.0f} ms a domain")


if __name__ == "__main__":
    main()
