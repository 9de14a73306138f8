"""What `virtcatalog capacity` prints as text: tables, and sentences about what does not fit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from virtcatalog.capacity.applicationaware import KIND as AAQ_QUOTA
from virtcatalog.capacity.nodes import HUGE_PAGES, PODS, amount_text, bare
from virtcatalog.capacity.usage import allowed
from virtcatalog.cli.console import echo
from virtcatalog.cli.table import print_tables
from virtcatalog.errors import FITS_NO_NODE, SWITCHED_OFF, counted
from virtcatalog.escaping import single_line
from virtcatalog.units import count, memory

if TYPE_CHECKING:
    from virtcatalog.capacity.report import Report, TypeFit, VMFit

_MOST = 10
_EVERYWHERE = ("devices.kubevirt.io/kvm", "devices.kubevirt.io/tun", "devices.kubevirt.io/vhost-net")
_COMMON = ("cpu", "memory")


def print_text(answer: Report) -> None:
    """Print the whole report."""
    rows = [
        (
            kind.name,
            str(len(kind.nodes)),
            count(node.room.get("cpu", 0) / 1000),
            memory(node.room.get("memory", 0)),
            _more(node.room),
        )
        for kind, node in answer.kinds
    ]
    print_tables(("Kind of node", "Nodes", "CPUs", "Memory", "Besides"), [("", rows)], titled=False)
    if answer.types:
        echo("")
        header = ("Instance type", "CPUs", "Memory", "Fit", "Beside VMs", "On one empty node, till it runs out of")
        print_tables(
            header, [("", map(_type_row, answer.types))], titled=False, style=lambda row: "red" if row[3] == "0" else ""
        )
    if answer.vms:
        echo("")
        for line in fleet_lines(answer):
            echo(single_line(line))
    if answer.quota.lines:
        echo("")
        rows_ = [
            (
                line.namespace,
                f"arq/{line.quota}" if line.kind == AAQ_QUOTA else line.quota,
                line.resource,
                allowed(line.resource, line.requested),
                allowed(line.resource, line.hard),
                "over" if line.over else "",
            )
            for line in answer.quota.lines
        ]
        header = ("Namespace", "Quota", "Resource", "Asked", "Allowed", "")
        print_tables(header, [("", rows_)], titled=False, style=lambda row: "red" if row[5] == "over" else "")
    for line in _quotas(answer):
        echo(single_line(line))


def _more(room: Mapping[str, int]) -> str:
    names = (name for name in room if name not in (*_COMMON, PODS, "ephemeral-storage"))
    return ", ".join(
        amount_text(name, room[name]) for name in sorted(names) if room[name] and "devices.kubevirt.io/" not in name
    )


def _type_row(fit: TypeFit) -> tuple[str, ...]:
    if fit.refused:
        return (fit.name, "", "", "", "", fit.refused)
    from virtcatalog.capacity.report import kind_text

    kinds = ", ".join(map(kind_text, [kind for kind in fit.kinds if kind.most] or fit.kinds))
    cpus = count(fit.wanted.get("cpu", 0) / 1000)
    return (fit.name, cpus, _memory(fit.wanted), f"{fit.empty:,}", f"{fit.beside:,}", kinds)


def _memory(requests: Mapping[str, int]) -> str:
    """What a Pod requests of memory; a guest on huge pages has its memory there."""
    pages = [name for name in sorted(requests) if name.startswith(HUGE_PAGES)]
    huge = "".join(f" + {memory(requests[name])} huge" for name in pages)
    return memory(requests.get("memory", 0)) + huge


def fleet_lines(answer: Report) -> Iterator[str]:
    """Yield what the VMs take of the nodes, what a failure would do, and why VMs have no node."""
    packed = answer.packed
    halted = sum(vm.halted for vm in answer.vms)
    switched_off = f"; {counted(halted, 'VM is', 'VMs are')} {SWITCHED_OFF}" if halted else ""
    yield (
        f"{counted(packed.placed, 'VM')} on {packed.used_nodes:,} of {counted(packed.nodes, 'node')}, "
        f"{packed.left:,} left{switched_off}"
    )
    for name in (*_COMMON, *sorted(packed.used.keys() - {*_COMMON, PODS, *_EVERYWHERE, "ephemeral-storage"})):
        total, used = packed.total.get(name, 0), packed.used.get(name, 0)
        if total:
            gone = (
                f", {bare(name, packed.lost.get(name, 0))} on nodes where nothing more fits"
                if packed.lost.get(name)
                else ""
            )
            yield f"  {name}: {bare(name, used)} of {bare(name, total)} ({used / total:.0%}){gone}"
    worst = next(iter(answer.failures), None)
    if worst is not None:
        yield _failing(answer)
    groups: dict[tuple[object, ...], list[VMFit]] = {}
    for vm_fit in answer.homeless:
        groups.setdefault((vm_fit.kinds, vm_fit.reasons), []).append(vm_fit)
    for group in list(groups.values())[:_MOST]:
        yield from _why(group)
    if len(groups) > _MOST:
        more = sum(map(len, list(groups.values())[_MOST:]))
        yield f"and {counted(more, 'more VM fits', 'more VMs fit')} no node: see -o json"


def _failing(answer: Report) -> str:
    bad = [failure for failure in answer.failures if failure.homeless]
    if not bad:
        return "  any one node may fail: the others take its VMs"
    worst = bad[0]
    text = f"{counted(len(bad), 'node')} may not fail; worst is {worst.node} ({worst.kind})"
    return f"  {text}: of its {counted(worst.vms, 'VM')} {len(worst.homeless):,} would fit no other"


def _why(group: list[VMFit]) -> Iterator[str]:
    """Why VMs that fail alike fit no node."""
    vm_fit = group[0]
    names = vm_fit.name if len(group) == 1 else f"{vm_fit.name} and {counted(len(group) - 1, 'other')}"
    able = " or ".join(vm_fit.kinds)
    fits = f"{FITS_NO_NODE}; an empty {able} could run it" if able else f"{FITS_NO_NODE}, not even an empty one"
    yield f"{names}: {fits}"
    for kind, number, sort, text in vm_fit.reasons[:_MOST]:
        yield f"  {kind}, {counted(number, 'node')}: {text} ({sort})"
    if len(vm_fit.reasons) > _MOST:
        yield f"  and {counted(len(vm_fit.reasons) - _MOST, 'more reason')}: see -o json"


def _quotas(answer: Report) -> Iterator[str]:
    quota = answer.quota
    for refusal in quota.refusals[:_MOST]:
        yield f"{refusal.vm} does not fit: {refusal.object} {refusal.message}"
    if len(quota.refusals) > _MOST:
        yield f"and {counted(len(quota.refusals) - _MOST, 'more VM does', 'more VMs do')} not fit: see -o json"
    for (namespace, resource), number in sorted(quota.automatic.items()):
        text = f"{namespace}: KubeVirt sets limits.{resource} of {counted(number, 'VM')} itself"
        yield f"{text}, as a quota or selector asks for it"
    if quota.unjudged:
        yield f"not judged: {', '.join(quota.unjudged)}"
    yield from (f"cannot be judged: {quota_and_reason}" for quota_and_reason in quota.undecided)
    yield from quota.notes
