"""The emulated machine. Source: vmi-create-admitter.go, Go's path/filepath for the patterns."""

from __future__ import annotations

import re
from collections.abc import Sequence

from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.errors import Cause, UnsupportedError
from virtcatalog.kubevirt.admission.causes import invalid
from virtcatalog.kubevirt.configuration import Configuration
from virtcatalog.kubevirt.memo import memo
from virtcatalog.limits import MACHINE_CHARACTERS

_WILDCARD = re.compile(r"\*|\?|\[(\^?)((?:\\.|[^\\\]])+)\]|\\?(.)", re.DOTALL)


def validate_machine(spec: VirtualMachineInstanceSpec, path: str, config: Configuration) -> list[Cause]:
    """The machine type is one that the cluster allows on this architecture (`emulatedMachines`).

    Source: validateEmulatedMachine.
    """
    machine = spec.domain.machine
    if not machine or not machine.type:
        return []
    allowed = config.emulated_machines(spec.architecture)
    if max(map(len, (machine.type, *allowed))) > MACHINE_CHARACTERS:
        message = f"a machine, or a pattern of emulatedMachines, of more than {MACHINE_CHARACTERS} characters"
        raise UnsupportedError(f"{path}.domain.machine.type", message)
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
    """Whether a machine is as a pattern says, each star taking as little as it can for good.

    Source: Match in Go's path/filepath.
    """
    parts = [""]
    for wildcard in _WILDCARD.finditer(pattern):
        if wildcard[0] == "*":
            parts.append("")
        else:
            parts[-1] += _translated(wildcard)
    first, *chunks = parts
    between = "".join(f"(?>[^/]*?{chunk})" for chunk in chunks[:-1])
    try:
        return re.fullmatch(f"{first}{between}{''.join(f'[^/]*{last}' for last in chunks[-1:])}", machine) is not None
    except re.error:  # a pattern that is malformed matches nothing
        return False


def _translated(match: re.Match[str]) -> str:
    negated, members, literal = match.groups()
    if members is not None:
        members = members.replace("[", "\\[")
        return f"[{negated}{members}]"
    return re.escape(literal) if literal else "[^/]"
