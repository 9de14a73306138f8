"""How fast virtcatalog is: building catalogs, and expanding one VM with every instance type and preference.

usage: run.py [--profile] [CATALOG]

CATALOG is a catalog, an output tree, a folder of manifests, or a file of them as JSON, one a line (also gzipped); by
default what kubevirt/common-instancetypes renders, where that lies beside the repository, else examples/ or output/.
But for --jobs, everything runs in one process; the CPU time tells more than the rate on a machine that does something
else besides. --profile names the ten functions in which the whole chain takes longest.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import pstats
import time
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from tempfile import NamedTemporaryFile

import build as builds
from pairs import Manifest, pairs, read

from virtcatalog.ask.warnings import Warnings
from virtcatalog.catalog.load import load_catalog
from virtcatalog.cli.expand_output import FORMS
from virtcatalog.fleet.expanding import Expander, expand_fleet
from virtcatalog.fleet.files import Fleet
from virtcatalog.fleet.pool import Processes
from virtcatalog.fleet.sources import Placed
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.pipeline import create_vmi, expand
from virtcatalog.render.output import render

ROOT = Path(__file__).parent.parent
CATALOGS = (
    ROOT.parent / "shared/conformance/common-instancetypes.json.gz",
    ROOT / "examples/common-instancetypes",
    ROOT / "output",
    ROOT / "catalog",
)

Expand = Callable[[Manifest, Cluster], bool]


def admission_and_vmi(manifest: Manifest, cluster: Cluster) -> bool:
    return create_vmi(manifest, cluster).admitted


def whole_chain(manifest: Manifest, cluster: Cluster) -> bool:
    return expand(manifest, cluster).domain_xml is not None


def build(folder: Path) -> None:
    started = time.perf_counter()
    files = render(load_catalog(folder))
    seconds = time.perf_counter() - started
    print(f"build {folder.relative_to(ROOT)}: {seconds:.2f} s ({len(files)} files)")


def measure(run: Expand, vms: list[Manifest], cluster: Cluster) -> None:
    wall, cpu = time.perf_counter(), time.process_time()
    admitted = sum(run(manifest, cluster) for manifest in vms)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    name = run.__name__.replace("_", " ")
    each = cpu / len(vms) * 1e6
    print(f"{name}: {len(vms) / wall:.0f} VMs/s ({each:.0f} us CPU a VM; {admitted} of {len(vms)} admitted)")


def stream(number: int, vms: list[Manifest], cluster: Cluster) -> None:
    """A file of VMs with so many processes: the rate, and the memory that its second half takes more."""
    with NamedTemporaryFile("w", suffix=".json") as file:
        file.writelines(f"{json.dumps(vm)}\n" for vm in chain(vms, vms))
        file.flush()
        fleet = Fleet([Placed(file.name)])
        expander = Expander(cluster, FORMS["xml"].form, Warnings((), cluster.release).of, many=True)
        wall, half, admitted = time.perf_counter(), 0, 0
        for done, expansion in enumerate(expand_fleet(fleet, expander, Processes(number)), start=1):
            admitted += expansion.became == "admitted"
            if done == len(vms):
                half = peak()
        rate = 2 * len(vms) / (time.perf_counter() - wall)
    more = peak() - half
    print(f"--jobs {number}: {rate:.0f} VMs/s ({admitted} admitted); peak {peak() >> 10} MiB, second half + {more} KiB")


def peak() -> int:
    """The largest memory of this process so far, in KiB."""
    return getrusage(RUSAGE_SELF).ru_maxrss


def catalogs() -> Iterator[Path]:
    yield from sorted(path.parent for path in [ROOT / "catalog/catalog.yaml", *ROOT.glob("examples/*/catalog.yaml")])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("catalog", type=Path, nargs="?", default=next(path for path in CATALOGS if path.exists()))
    parser.add_argument("--profile", action="store_true", help="name the ten functions that take longest")
    arguments = parser.parse_args()
    for folder in catalogs():
        build(folder)
    builds.main()
    manifests = read(arguments.catalog)
    vms, cluster = pairs(manifests), Cluster(manifests)
    print(f"{len(vms)} pairs of {arguments.catalog.name}")
    for run in (admission_and_vmi, whole_chain):
        measure(run, vms, cluster)
    for number in (1, 2):
        stream(number, vms, cluster)
    if arguments.profile:
        profiler = cProfile.Profile()
        profiler.runcall(measure, whole_chain, vms, cluster)
        pstats.Stats(profiler).strip_dirs().sort_stats("tottime").print_stats(10)


if __name__ == "__main__":
    main()
