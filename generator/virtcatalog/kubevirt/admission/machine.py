"""The emulated machine. Source: vmi-create-admitter.go, Go's path/filepath for the patterns."""

from __future__ import annotations

import re
from collections.abc import Sequence

from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.admission.causes import invalid
from virtcatalog.kubevirt.configuration import Configuration
from virtcatalog.kubevirt.memo import memo

_WILDCARD = re.compile(r"\*|\?|\[(\^?)((?:\\.|[^\\\]])+)\]|\\?(.)", re.DOTALL)


def validate_machine(spec: VirtualMachineInstanceSpec, path: str, config: Configuration) -> list[Cause]:
    """The machine type is one that the cluster allows on this architecture (`emulatedMachines`).

    Source: validateEmulatedMachine.
    """
    machine = spec.domain.machine
    if not machine or not machine.type:
        return []
    allowed = config.emulated_machines(spec.architecture)
    if _matches(machine.type, tuple(allowed)):
        return []
    return [invalid(f"{path}.domain.machine.type", _wording(machine.type, spec.architecture, allowed))]


def _wording(machine: str, architecture: str, allowed: Sequence[str]) -> str:
    where = f" on {architecture}" if architecture else ""
    return f"{machine!r} is not an allowed machine{where}; allowed are {', '.join(allowed) or 'none'}"


@memo
def _matches(machine: str, patterns: tuple[str, ...]) -> bool:
    return any(_match(pattern, machine) for pattern in patterns)


def _match(pattern: str, machine: str) -> bool:
    try:
        return re.fullmatch(_WILDCARD.sub(_translate, pattern), machine) is not None
    except re.error:  # a pattern that is malformed matches nothing
        return False


def _translate(match: re.Match[str]) -> str:
    negated, members, literal = match.groups()
    if members is not None:
        members = members.replace("[", "\\[")
        return f"[{negated}{members}]"
    return re.escape(literal) if literal else "[^/]" + match[0].replace("?", "")
