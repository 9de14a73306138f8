"""Draws VMs and holds virtcatalog's answers against an oracle's; a difference is shrunk and printed. Exit 1 for any.

The oracle is a program that speaks the protocol of docs/fidelity.md, or a cluster.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date

from cluster.api import ApiError
from conformance.rollouts import STAGE as ROLLOUT
from duel.changes import change
from duel.cluster import STAGES as CLUSTER_STAGES
from duel.cluster import api_of, cluster_oracle
from duel.draw import Drawer
from duel.judge import ALL_STAGES, Differences, Question, answered, differing
from duel.pipe import Asked, Oracle, OracleError
from duel.shrink import shrink
from virtcatalog.errors import UnsupportedError, VirtcatalogError
from virtcatalog.releases import DEFAULT, PREVIEWS, RELEASES

#: VMs that are asked about in one cluster.
_VMS = 10


def main(words: Sequence[str] | None = None) -> int:
    """Duel with the oracle of the command line, or of these words; return the exit status."""
    arguments = _arguments(words)
    if not arguments.context:
        stages = tuple(arguments.stage or [stage for stage in ALL_STAGES if stage != ROLLOUT])
        with Oracle(arguments.oracle, memory_mib=arguments.memory) as oracle:
            return _duel(oracle, arguments, arguments.release or str(DEFAULT), stages)
    try:
        with cluster_oracle(api_of(arguments.context, arguments.kubeconfig)) as of_cluster:
            for stage in set(CLUSTER_STAGES).difference(of_cluster.stages):
                print(f"the cluster serves no subresources of KubeVirt: {stage} is not compared", file=sys.stderr)
            return _duel(of_cluster, arguments, of_cluster.release, of_cluster.stages, of_cluster.conditions)
    except (ApiError, OracleError, VirtcatalogError) as error:
        print(error, file=sys.stderr)
        return 1


def _duel(
    oracle: Asked,
    arguments: argparse.Namespace,
    release: str,
    stages: tuple[str, ...],
    conditions: Question | None = None,
) -> int:
    compared: Counter[str] = Counter()
    distinct: list[tuple[str, str]] = []
    failures: Counter[str] = Counter()
    end = time.monotonic() + arguments.seconds if arguments.seconds else None
    drawn = questions(arguments.seed, release, rollouts=ROLLOUT in stages, conditions=conditions)
    for number, question in enumerate(drawn):
        if (end and time.monotonic() > end) or (arguments.cases and number >= arguments.cases):
            break
        try:
            expected = oracle.ask({**question, "stages": list(stages)})
            differences = answered(question, expected, stages)
        except OracleError as error:
            failures[str(error).splitlines()[0]] += 1
            continue
        compared.update(["cases", *differences])
        differences = {stage: lines for stage, lines in differences.items() if lines}
        if differences and len(distinct) < arguments.most:
            question = _shrunk(question, differences, oracle, stages)
            what = _what(question, differing(question, oracle, stages))
            if what not in distinct:
                distinct.append(what)
                _show(question, differing(question, oracle, stages))
        elif differences:
            distinct.append(("", ""))
    reached = [stage for stage in ("cases", *ALL_STAGES, "unsupported") if compared[stage]]
    counts = ", ".join(f"{stage} {compared[stage]}" for stage in reached)
    print(f"{release}, seed {arguments.seed}, {date.today()}: {counts}; differences: {len(distinct)}")
    for failure, count in failures.most_common(10):
        print(f"the oracle failed {count} times: {failure}", file=sys.stderr)
    return 1 if distinct or not compared else 0


def questions(
    seed: int, release: str, *, rollouts: bool = False, conditions: Question | None = None
) -> Iterator[Question]:
    """Cases without end, the same for the same seed; `conditions` is in place of what is drawn of the cluster."""
    number = 0
    while True:
        drawer = Drawer(hash((seed, number)), release)
        around = {**drawer.cluster(), **(conditions or {})}
        for index in range(_VMS):
            name = f"duel-{seed}-{number}-{index}"
            if rollouts:
                yield {"name": name, "release": release, **change(drawer, name)}
            else:
                yield {"name": name, "release": release, "vm": drawer.vm(name), **around}
        number += 1


def _shrunk(question: Question, differences: Differences, oracle: Asked, stages: tuple[str, ...]) -> Question:
    stage = next(iter(differences))
    raises = differences[stage][0].startswith("raised")

    def differs(candidate: Question) -> bool:
        try:
            lines = differing(candidate, oracle, stages).get(stage)
        except (OracleError, UnsupportedError):
            return False
        return bool(lines) and lines[0].startswith("raised") == raises

    return shrink(question, differs)


def _what(question: Question, differences: Differences) -> tuple[str, str]:
    """What tells a difference from another: the stage, and the first line without the VM's name."""
    stage, lines = next(iter(differences.items()), ("", [""]))
    return stage, lines[0].replace(question["name"], "NAME") if lines else ""


def _show(question: Question, differences: Differences) -> None:
    print(json.dumps(question))
    for stage, lines in differences.items():
        print(f"  {stage}:", *lines[:20], sep="\n    ")
    sys.stdout.flush()


def _arguments(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m duel", description=__doc__.splitlines()[0])
    parser.add_argument("oracle", nargs="?", default="", metavar="COMMAND", help="the oracle's command line")
    parser.add_argument("--context", help="in place of a program, ask the cluster of this context by dry runs")
    parser.add_argument("--kubeconfig", metavar="FILE", help="where the context stands")
    parser.add_argument("--release", choices=[*RELEASES, *PREVIEWS], help=f"KubeVirt's release ({DEFAULT})")
    parser.add_argument("--stage", action="append", choices=ALL_STAGES, help="only this stage (may be repeated)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=0, help="end after that time")
    parser.add_argument("--cases", type=int, default=0, help="end after that many cases")
    parser.add_argument("--memory", type=int, default=0, metavar="MIB", help="the oracle's address space at most")
    parser.add_argument("--most", type=int, default=10, help="shrink and show so many differences (10)")
    arguments = parser.parse_args(words)
    if bool(arguments.oracle) == bool(arguments.context):
        parser.error("name one oracle: a command line, or a cluster by --context")
    if arguments.context and (arguments.release or arguments.stage or arguments.memory):
        parser.error(f"a cluster answers for its own release, and the stages {', '.join(CLUSTER_STAGES)}")
    if not (arguments.seconds or arguments.cases):
        arguments.cases = 1000
    return arguments


if __name__ == "__main__":
    sys.exit(main())
