"""The comparison of two sides, whole."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from virtcatalog.api.kinds import holds_vm
from virtcatalog.kubevirt.conditions import Conditions
from virtcatalog.manifests.identity import Data
from virtcatalog.review.fleet import Reviewer
from virtcatalog.review.judge import Case, Progress
from virtcatalog.review.objects import compare_objects
from virtcatalog.review.report import Report
from virtcatalog.review.side import Side, sound


def review(
    base: Side,
    head: Side,
    conditions: tuple[Conditions, Conditions],
    dump: Sequence[Data] = (),
    environment: str | None = None,
    watch: Progress[Case] = iter,
) -> Report:
    """Compare the objects of two sides, and what becomes of their VM templates and of a dump's VMs.

    `dump` holds the VMs of a fleet and whatever else of its cluster is known. With an `environment` only that one is
    looked at. ManifestError when the dump holds objects that cannot be read.
    """
    clean = sound(_only(base, environment), _only(head, environment))
    reviewer = Reviewer(clean.base, clean.head, conditions, [each for each in dump if not holds_vm(each)], environment)
    reviewer.templates()
    vms = [each for each in dump if holds_vm(each)]
    if vms:
        reviewer.vms(vms, watch)
    fleet = reviewer.done()
    fleet.unknown += [name for name in clean.vms if name not in fleet.unknown]
    hosts = [str(each.host) for each in conditions]
    return Report(
        base=base,
        head=head,
        objects=tuple(
            compare_objects(
                _with_configuration(clean.base),
                _with_configuration(clean.head),
                (base.label, head.label),
            )
        ),
        fleet=fleet,
        upgrades=tuple(reviewer.upgrades()),
        hidden=clean.objects,
        host=" → ".join(hosts) if conditions[0].host != conditions[1].host else "",
    )


def _only(side: Side, environment: str | None) -> Side:
    if environment is None:
        return side
    return msgspec.structs.replace(
        side,
        objects={environment: side.objects.get(environment, [])},
        vms=tuple(vm for vm in side.vms if vm.environment in ("", environment)),
    )


def _with_configuration(side: Side) -> dict[str, Sequence[Data]]:
    everything: dict[str, Sequence[Data]] = dict(side.objects)
    if side.configuration is not None:
        first = next(iter(everything), "")
        others = [each for each in everything.get(first, ()) if each["kind"] != "KubeVirt"]
        everything[first] = [*others, side.configuration]
    return everything
