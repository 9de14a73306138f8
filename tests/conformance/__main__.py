"""Runs the cases and prints how many agree with KubeVirt, by release and stage.

Exit 1 when fewer agree than `conformance-share.txt` records.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter

from conformance import commands, rollouts
from conformance.agree import SHARE, STAGES, check, held, recorded, stages
from conformance.cases import DEFAULT_RELEASE, cases, spread


def main() -> int:
    arguments = _arguments()
    chosen = [case for case in (spread() if arguments.spread else cases()) if _is_asked_for(case, arguments)]
    if not chosen:
        sys.exit("there is no such case")
    agreeing: Counter[tuple[str, str]] = Counter()
    by_group: Counter[tuple[str, str]] = Counter()
    for case in chosen:
        differences = check(case)
        differing = [stage for stage, lines in differences.items() if lines]
        agreeing.update((case.release, stage) for stage in differences if stage not in differing)
        by_group.update((f"{case.release} {case.group}", stage) for stage in differences if stage not in differing)
        if arguments.show:
            _show(case, differences)
        elif arguments.failing and differing:
            print(f"{case}: {', '.join(differing)}")
    if arguments.groups:
        total = Counter((f"{case.release} {case.group}", stage) for case in chosen for stage in stages(case))
        _table(by_group, total)
    _table(agreeing, held(chosen))
    everything = len(chosen) == len(cases())
    if everything:
        agreeing.update(_commands(failing=arguments.failing))
        agreeing.update(_rollouts(failing=arguments.failing))
    if arguments.record and everything:
        rows = [f"{release} {stage} {count}\n" for (release, stage), count in sorted(agreeing.items(), key=_order)]
        SHARE.write_text("".join(rows), encoding="utf-8")
    fallen = [key for key, count in recorded().items() if agreeing[key] < count] if everything else []
    for key in fallen:
        print(f"{' '.join(key)}: {recorded()[key]} agreed, now {agreeing[key]} do", file=sys.stderr)
    return 1 if fallen else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m conformance", description=__doc__.splitlines()[0])
    parser.add_argument("--release", action="append", help="only this release (may be repeated)")
    parser.add_argument("--group", action="append", help="only this group (may be repeated)")
    parser.add_argument("--show", metavar="NAME", help="one case: its input, and what differs")
    parser.add_argument("--failing", action="store_true", help="name the cases that differ")
    parser.add_argument("--groups", action="store_true", help="a row for each group, too")
    parser.add_argument("--spread", action="store_true", help="only the cases that the tests run")
    parser.add_argument("--record", action="store_true", help=f"write what agrees to {SHARE.name}")
    return parser.parse_args()


def _commands(*, failing: bool) -> Counter[tuple[str, str]]:
    """Run the command lines, and say how many give virtctl's answer."""
    agreeing: Counter[tuple[str, str]] = Counter()
    for stage in commands.STAGES:
        of_stage = [command for command in commands.commands() if command.stage == stage]
        differing = [command for command in of_stage if commands.check(command)]
        agreeing[DEFAULT_RELEASE, stage] = len(of_stage) - len(differing)
        print(f"{stage}: {len(of_stage) - len(differing)}/{len(of_stage)}")
        if failing:
            print("\n".join(map(str, differing)))
    return agreeing


def _rollouts(*, failing: bool) -> Counter[tuple[str, str]]:
    """Change the running VMs, and say of how many KubeVirt makes the same."""
    total = Counter(pair.release for pair in rollouts.pairs())
    differing = [pair for pair in rollouts.pairs() if rollouts.check(pair)]
    agreeing = total - Counter(pair.release for pair in differing)
    for release in sorted(total):
        print(f"{release} {rollouts.STAGE}: {agreeing[release]}/{total[release]}")
    if failing:
        print("\n".join(map(str, differing)))
    return Counter({(release, rollouts.STAGE): agreeing[release] for release in total})


def _is_asked_for(case, arguments) -> bool:
    return (
        (not arguments.release or case.release in arguments.release)
        and (not arguments.group or case.group in arguments.group)
        and (not arguments.show or case.name == arguments.show)
    )


def _show(case, differences) -> None:
    print(f"# {case}")
    for key in ("vm", "objects", "arch", "featureGates", "config"):
        print(f"{key}: {json.dumps(getattr(case, key), indent=1)}")
    for stage, lines in differences.items():
        print(f"{stage}: agrees" if not lines else "\n  ".join([f"{stage}:", *lines]))


def _table(agreeing, total) -> None:
    print(f"{'':16}" + "".join(f"{stage:>12}" for stage in STAGES))
    for row in sorted({row for row, _ in total}):
        cells = [f"{agreeing[row, stage]}/{total[row, stage]}" if total[row, stage] else "" for stage in STAGES]
        print(f"{row:16}" + "".join(f"{cell:>12}" for cell in cells))


def _order(item):
    (release, stage), _ = item
    return release, (*STAGES, *commands.STAGES, rollouts.STAGE).index(stage)


if __name__ == "__main__":
    sys.exit(main())
