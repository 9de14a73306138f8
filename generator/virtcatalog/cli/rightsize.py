"""`virtcatalog rightsize`: VMs that are too large or too small for what they use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import click
from msgspec.structs import replace

from virtcatalog.cli import options
from virtcatalog.cli.conditions import conditioned, judged_by
from virtcatalog.cli.console import data, echo, failing, print_problems, progress, summary
from virtcatalog.errors import Problem, VirtcatalogError, counted, some
from virtcatalog.manifests.identity import full_name

if TYPE_CHECKING:
    from virtcatalog.kubevirt.conditions import Conditions
    from virtcatalog.rightsize.sizes import Advice, Outcome


@click.command(
    "rightsize",
    epilog="""\b
Examples:
  virtcatalog rightsize -f vms/ --metrics usage.json
  virtcatalog rightsize -f vms/ --metrics usage.csv --headroom 30 --prices prices.yaml
  virtcatalog rightsize -f vms/ --metrics usage.json -i      write it into the files of the VMs
  virtcatalog rightsize -f vms/ --metrics usage.json -o markdown > comment.md
""",
)
@options.manifests("VMs, and whatever objects of the cluster they refer to.", required=True)
@options.catalog()
@options.file("--metrics", "What VMs use: JSON of Prometheus' HTTP API or CSV, see docs/rightsize.md.", required=True)
@click.option(
    "--headroom",
    metavar="PERCENT",
    type=click.FloatRange(0, 1000),
    default=20,
    help="What a size has beyond what is used. [default: 20]",
)
@click.option(
    "--percentile",
    metavar="NUMBER",
    type=click.FloatRange(0, 100, min_open=True),
    default=95,
    help="What counts of a range of samples. [default: 95]",
)
@options.monthly_prices
@options.environments
@options.form(("text", "markdown", "json", "csv"), default="text")
@click.option("-i", "--in-place", is_flag=True, help="Name the sizes that would do in the files of the VMs.")
@failing
@partial(conditioned, by_environment=True)
def command(
    sources: tuple[str, ...],
    catalog: str | None,
    metrics: str,
    headroom: float,
    percentile: float,
    prices: str | None,
    environments: tuple[str, ...],
    form: str,
    in_place: bool,
    conditions: Conditions,
) -> int:
    """Find VMs that are larger or smaller than what they use: the right size for each, and how it gets there.

    The type has to be one that says the same but for vCPUs and memory. What the change does to a VM that runs is the
    verdict of diff: live, migrate, pending, restart. VMs with CPUs of their own, NUMA cells or huge pages stay.

    Exit status: 0 every VM fits, 1 another size would do for some, 2 metrics or VMs that cannot be read or told.
    """
    from virtcatalog.adopt.candidates import Candidates
    from virtcatalog.cli.items import as_csv
    from virtcatalog.cli.previews import print_json
    from virtcatalog.cli.rightsize_output import as_data, as_markdown, as_rows, print_text, write
    from virtcatalog.cli.vm_files import gathered
    from virtcatalog.manifests.folder import SourceError
    from virtcatalog.manifests.sources import read_file
    from virtcatalog.review.requests import load_prices
    from virtcatalog.rightsize.metrics import read_metrics
    from virtcatalog.rightsize.sizes import Sizer

    try:
        content = read_file(metrics)
    except SourceError as error:
        raise VirtcatalogError(f"{metrics}: {error.message}") from None
    measured = read_metrics(content, metrics, percentile)
    files, problems, objects, release, repositories = gathered(sources, catalog, environments)
    candidates = Candidates(objects, judged_by(conditions, release, objects))
    if not candidates.instancetypes:
        raise VirtcatalogError("there is no instance type: name a catalog with -c, or a dump that has them with -f")
    sizer = Sizer(candidates, headroom / 100, load_prices(prices) if prices else None)
    vms = [(file, number, vm) for file in files for number, vm in file.vms.items()]
    names = Counter(full_name(vm.manifest.data) for _, _, vm in vms)
    advices = [
        replace(sizer.advise(data, measured.usage.get(name) if names[name] == 1 else None), vm=vm.name)
        for _, _, vm in progress(vms, len(vms), "VMs", silent=True)
        for data in [vm.manifest.data]
        for name in [full_name(data)]
    ]
    problems += (
        Problem(file=", ".join(sources), object=name, message=f"is there {number} times: name an environment with -e")
        for name, number in names.items()
        if number > 1
    )
    if not vms and not problems:
        raise VirtcatalogError(f"no VirtualMachine in {', '.join(sources)}")
    if form == "json":
        print_json(as_data(advices))
    elif form == "csv":
        echo(as_csv(as_rows(advices)), nl=False)
    elif form == "markdown":
        data(as_markdown(advices))
    else:
        print_text(advices)
    if in_place:
        problems += write(vms, advices, repositories)
    print_problems([*problems, *measured.problems])
    strange = sorted(measured.usage.keys() - names.keys())
    if strange:
        others = counted(len(strange), "VM that is", "VMs that are")
        echo(f"the metrics name {others} not given: {some(strange, 3)}", err=True)
    _close(advices)
    if problems or measured.problems or any(advice.outcome == "unknown" for advice in advices):
        return 2
    return 1 if any(advice.new for advice in advices) else 0


def _close(advices: Sequence[Advice]) -> None:
    numbers = Counter(advice.outcome for advice in advices)
    words: dict[Outcome, tuple[str, str]] = {
        "smaller": ("could be smaller", "could be smaller"),
        "larger": ("should be larger", "should be larger"),
        "stays": ("stays as it is", "stay as they are"),
        "fits": ("fits", "fit"),
        "unknown": ("cannot be told", "cannot be told"),
    }
    parts = [
        f"{numbers[outcome]:,} {text[numbers[outcome] != 1]}" for outcome, text in words.items() if numbers[outcome]
    ]
    summary(": ".join(filter(None, (counted(len(advices), "VM"), ", ".join(parts)))))
