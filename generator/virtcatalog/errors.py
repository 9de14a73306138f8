"""What can go wrong, as data: worded here and nowhere else."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal, Protocol, TypeVar, get_args

import msgspec

from virtcatalog.escaping import single_line

K = TypeVar("K")

CRASH = "Crash"
"""The type of a cause where KubeVirt does not refuse an object, but crashes on it."""
Severity = Literal["error", "warning", "note"]
"""How bad a finding is, the gravest first."""
Level = Literal[
    "refused",
    "unknown",
    "crash",
    "delete",
    "stop",
    "boot",
    "restart",
    "pending",
    "risk",
    "migrate",
    "live",
    "kept",
    "changed",
    "create",
    "start",
    "any",
]
"""How grave a verdict on a VM is, the gravest first; the last is any difference at all."""
LEVELS: tuple[Level, ...] = get_args(Level)
SWITCHED_OFF = "switched off"
FITS_NO_NODE = "fits no node"
"""What is said of VMs by every command that says it."""
Refuser = Literal["vm", "controller", "vmi", "launcher"]
_REFUSERS: dict[Refuser, str] = {
    "vm": "the VM webhook",
    "controller": "virt-controller",
    "vmi": "the VMI webhook",
    "launcher": "virt-launcher",
}

UNKNOWN_FIELD = "FieldUnknown"
"""The type of a cause where an object has a field that is newer than the release."""


class Cause(msgspec.Struct, frozen=True, order=True):
    """Why KubeVirt refuses an object: one cause of an admission response.

    `type` is Kubernetes' cause type (`FieldValueRequired`, `FieldValueInvalid`, …), `field` the path as KubeVirt
    names it (`spec.template.spec.domain.cpu`), `message` ours.
    """

    type: str
    field: str
    message: str

    def __str__(self) -> str:
        return _worded(self.field, self.message)


class Reason(msgspec.Struct, frozen=True, order=True):
    """Why a VM is refused, at the field of its own manifest that says so, or in which it has to be said.

    `field` is "" when KubeVirt names none. `message` and `type` are those of the cause; `by` is who refuses: "vm" and
    "vmi" are webhooks, "controller" is virt-controller, "launcher" virt-launcher. `origin` tells what gave the field
    its value when the VM's author did not.
    """

    field: str
    message: str
    by: Refuser
    type: str = ""
    origin: str = ""

    @property
    def sentence(self) -> str:
        """The reason in words, without its field."""
        by = "" if self.type == CRASH else f"refused by {_REFUSERS[self.by]}"
        origin = "; ".join(part for part in (self.origin, by) if part)
        return f"{self.message} ({origin})" if origin else self.message

    def __str__(self) -> str:
        return _worded(self.field, self.sentence)


class Warning(msgspec.Struct, frozen=True):
    """What is odd about an object that KubeVirt takes all the same, and what to do about it.

    `type` is "Deprecated" (a later release will not take it), "Pruned" (the release does not know the field, which the
    API server drops), "Missing" (a field that has to be there, which KubeVirt reads as empty), "Ignored" (KubeVirt
    works without what is written there), "Refused" (KubeVirt would take it, but the API server refuses it before) or
    "Suspect" (KubeVirt takes it as it is written, which is hardly what was meant).
    `object` names another object than the VM (`Kind/namespace/name`) when the warning is about one that the VM uses;
    `field` is one of its own then.
    """

    type: Literal["Deprecated", "Pruned", "Missing", "Ignored", "Refused", "Suspect"]
    field: str
    message: str
    object: str = ""

    @property
    def sentence(self) -> str:
        """The warning in words, without the field when that is the VM's."""
        return _worded(self.object, self.field, self.message) if self.object else self.message

    def __str__(self) -> str:
        return _worded("" if self.object else self.field, self.sentence)


class Problem(msgspec.Struct, frozen=True, order=True):
    """One thing wrong with an input, and where: lines and columns count from 1, 0 means unknown."""

    file: str = ""
    line: int = 0
    column: int = 0
    object: str = ""
    field: str = ""
    message: str = ""

    @property
    def sentence(self) -> str:
        """What is wrong with which field of which object, for those who know the place."""
        return _worded(self.object, self.field, self.message)

    def __str__(self) -> str:
        return _worded(place(self), self.sentence)


def placed(
    reasons: Iterable[Reason | Warning | UnsupportedError], at_field: Callable[[str, str], Problem]
) -> list[Problem]:
    """Place what is said of a VM: `at_field` makes a problem of a field of the VM and a sentence."""
    return sorted(
        at_field("" if reason.object else reason.field, f"warning: {reason.sentence}")
        if isinstance(reason, Warning)
        else at_field(reason.field, reason.sentence)
        for reason in reasons
    )


class Place(Protocol):
    """A place in a file; lines and columns count from 1, 0 means unknown."""

    @property
    def file(self) -> str:
        """The file."""

    @property
    def line(self) -> int:
        """The line."""

    @property
    def column(self) -> int:
        """The column."""


def place(where: Place) -> str:
    """Word a place in one line: `file:line:column`, as far as it is known."""
    file = single_line(where.file)
    return f"{file or '<input>'}:{where.line}:{where.column}" if where.line else file


def _worded(*parts: str) -> str:
    return ": ".join(part for part in parts if part)


class VirtcatalogError(Exception):
    """Base of every error that virtcatalog raises on purpose."""


class ProblemsError(VirtcatalogError):
    """Some input is unusable; carries everything that is wrong with it, sorted by place."""

    def __init__(self, *problems: Problem) -> None:
        self.problems = tuple(sorted(problems))
        super().__init__("\n".join(map(str, self.problems)))


class ManifestError(ProblemsError):
    """A manifest is not what its kind's API says."""


class CatalogError(ProblemsError):
    """A catalog's declarations cannot be rendered."""


def outcome_word(outcome: str) -> str:
    """Return what people read of an outcome: `unsupported`, as formats for machines have it, is a verdict's word."""
    word: Level = "unknown"
    return word if outcome == "unsupported" else outcome


class UnsupportedError(VirtcatalogError):
    """KubeVirt has a behaviour here that virtcatalog does not model; better no answer than a wrong one."""

    def __init__(self, field: str, message: str) -> None:
        self.field, self.message = field, message
        super().__init__(_worded(field, self.sentence))

    @property
    def sentence(self) -> str:
        """What is not modelled, in words, without its field."""
        return f"not supported by virtcatalog: {self.message}"

    def __reduce__(self) -> tuple[type[UnsupportedError], tuple[str, str]]:
        return UnsupportedError, (self.field, self.message)


class RefusedError(VirtcatalogError):
    """A VM that has to be admitted is refused."""

    def __init__(self, *reasons: Reason) -> None:
        self.reasons = reasons
        super().__init__("the VM is refused: " + "; ".join(map(str, reasons)))


class TemplateError(VirtcatalogError):
    """A VirtualMachineTemplate makes no VM; `causes` say why at the fields that KubeVirt names.

    `at` is the field of the template that is to be changed, as far as it is known more exactly.
    """

    def __init__(self, *causes: Cause, at: str = "") -> None:
        self.causes = causes
        self.at = at or causes[0].field
        super().__init__("; ".join(map(str, causes)))


_LONGEST_NAME, _MANY_NAMES = 100, 200


def within(message: str, environments: Sequence[str]) -> str:
    """Return a message that says in which environments it holds; "" is the base, which is not said."""
    names = [environment for environment in environments if environment]
    return f"{message} (in {listed(names)})" if names else message


def counted(number: int, one: str, many: str = "") -> str:
    """Return a number with what it counts: `1 VM`, `1,200 VMs`; `many` where that is not `one` with an s."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def cut(text: str, most: int) -> str:
    """Return a text of so many characters at most: the end of a longer one is an ellipsis."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def counted_kinds(numbers: Mapping[K, int], forms: Mapping[K, tuple[str, str]]) -> list[str]:
    """Say how many there are of a kind, as of one or of many: `1 is refused`, `2 change`; nothing of what is not."""
    return [f"{numbers[kind]:,} {words[numbers[kind] != 1]}" for kind, words in forms.items() if numbers[kind]]


def listed(names: Sequence[str]) -> str:
    """Return names as a sentence has them: `a, b and c`."""
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def some(names: Sequence[str], most: int) -> str:
    """Name the first few of many: `a, b and 1,200 more`."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more:,} more" if more > 0 else "")


def nearest(name: object, names: Iterable[str]) -> str:
    """Return a hint, to follow a message, at the known name that is most like `name`; "" when none is."""
    from difflib import get_close_matches

    meant = str(name).lower()
    if len(meant) > _LONGEST_NAME:
        return ""
    lower = {spelling.lower(): spelling for spelling in names}
    candidates = list(lower)
    if len(candidates) > _MANY_NAMES:  # comparing takes long, and what is close begins or ends alike
        edges = {meant[:2], meant[-2:]}
        candidates = [candidate for candidate in candidates if edges & {candidate[:2], candidate[-2:]}][:_MANY_NAMES]
    close = get_close_matches(meant, candidates, n=1, cutoff=0.55)
    return f"; did you mean {lower[close[0]]!r}?" if close else ""


def nearest_or_all(name: object, names: Iterable[str]) -> str:
    """Return a hint, to follow a message, at the known name that is most like `name`, or at all that there are."""
    names = list(names)
    return nearest(name, names) or f"; there are {', '.join(names)}"


def similar(names: Iterable[str], candidates: Iterable[str]) -> list[str]:
    """Return the known names that some name may have been meant for."""
    from difflib import get_close_matches

    candidates = list(candidates)
    return [match for name in names for match in get_close_matches(name, candidates)]
