"""The files with the domains of plain VMs that pages show: a script per instance type.

A page that is opened from a folder cannot read data files, but it can load scripts.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from virtcatalog.api.kinds import CLUSTER_INSTANCETYPE, CLUSTER_PREFERENCE
from virtcatalog.catalog.model import Catalog
from virtcatalog.check.minimal import required_architecture
from virtcatalog.errors import counted
from virtcatalog.fleet.pool import Executor
from virtcatalog.kubevirt.conditions import Conditions
from virtcatalog.site.pairs import Matrix
from virtcatalog.site.plainvms import SOURCES, Block, Facts, PlainVM, PlainVMs

WORTH_IT: Final = 20
"""The number of instance types from which on other processes save more time than it takes to start them."""

MOST: Final = 20_000
"""The most pairs whose domains are made by default: half a minute, on a slow machine."""


class Domains(NamedTuple):
    """The pages' data about the domains, the files with the domains by path, and what plain VMs have.

    `facts` are those of every type's VMs by its name: of the one without a preference, then of every preference's; None
    where there is no domain. It is empty where no domains were made.
    """

    data: dict[str, Any]
    files: dict[str, str]
    facts: Mapping[str, Sequence[Facts | None]]


def domains(
    catalog: Catalog,
    matrix: Matrix,
    conditions: Conditions | None = None,
    executor: Executor | None = None,
    *,
    requested: bool | None = None,
) -> Domains:
    """Make the domains of every pair that fits, if they are `requested`; with None, if they are not too many."""
    pairs = sum(not reason for row in matrix.rows for reason in row)
    if requested is False or (requested is None and pairs > MOST):
        left_out = (
            f"This catalog has {counted(pairs, 'pair')} whose domains were not made in advance: "
            "virtcatalog expand -f vm.yaml prints what a VM becomes."
        )
        architectures = ("", *(required_architecture(preference.spec) for preference in catalog.preferences))
        return Domains(_data(architectures, left_out=left_out), {}, {})
    types = [instancetype.manifest(CLUSTER_INSTANCETYPE) for instancetype in catalog.instancetypes]
    preferences = [preference.manifest(CLUSTER_PREFERENCE) for preference in catalog.preferences]
    vms = PlainVMs(types, preferences, conditions or Conditions())
    jobs = [
        (instancetype.name, tuple(not reason for reason in row))
        for instancetype, row in zip(catalog.instancetypes, matrix.rows, strict=True)
    ]
    of_types: Iterable[_OfType]
    if executor is not None and executor.worth(len(jobs), WORTH_IT):
        of_types = list(executor.results(_of_type, jobs, vms))
    else:
        of_types = [_of_type(job, vms) for job in jobs]
    by_name = {name: of_type for (name, _), of_type in zip(jobs, of_types, strict=True)}
    return Domains(
        _data(vms.architectures, made_for=vms.conditions),
        {f"domains/{name}.js": of_type.script for name, of_type in by_name.items()},
        {name: of_type.facts for name, of_type in by_name.items()},
    )


def _data(architectures: Sequence[str], made_for: str = "", left_out: str = "") -> dict[str, Any]:
    return {"madeFor": made_for, "leftOut": left_out, "architectures": architectures, "sources": SOURCES}


class _OfType(NamedTuple):
    script: str
    facts: tuple[Facts | None, ...]


def _of_type(job: tuple[str, Sequence[bool]], vms: PlainVMs) -> _OfType:
    """The facts of a type's plain VMs, and its script: `[name, blocks, requests, rows]`.

    Both are of the VM without a preference first, then of every preference's.

    A row is `[requests, block, …]` by their places in the lists, why there is no domain, or 0 where the pair does not
    fit. What several preferences share is listed once.
    """
    blocks: dict[Block, int] = {}
    requests: dict[str, int] = {}
    rows: list[list[int] | str | int] = []
    facts: list[Facts | None] = []
    for vm in vms.of_type(*job):
        facts.append(vm.facts if isinstance(vm, PlainVM) else None)
        if isinstance(vm, PlainVM):
            places = [blocks.setdefault(block, len(blocks)) for block in vm.blocks]
            rows.append([requests.setdefault(vm.requests, len(requests)), *places])
        else:
            rows.append(vm or 0)
    script = json.dumps([job[0], list(blocks), list(requests), rows], separators=(",", ":"), ensure_ascii=True)
    return _OfType(f'"use strict";\nsite.domain({script});\n', tuple(facts))
