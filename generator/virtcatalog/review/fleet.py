"""What happens to all VMs: their verdicts, and what else is found where they are judged."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec

from virtcatalog.manifests.identity import Identity
from virtcatalog.review.comparison import Comparison, KnownField
from virtcatalog.review.moving import Moved
from virtcatalog.review.rows import noun
from virtcatalog.review.users import User, Users
from virtcatalog.review.verdict import Verdict


class Upgrade(msgspec.Struct, frozen=True, kw_only=True):
    """Another KubeVirt release in some environments ("" is the base), and fields that begin or cease to count."""

    environments: tuple[str, ...]
    old: str
    new: str
    fields: tuple[KnownField, ...] = ()


class Fleet(msgspec.Struct, kw_only=True):
    """What happens to the VMs.

    `verdicts` are those on VMs and VM templates that are touched. There are so many `vms` to judge, each in each of its
    environments, and so many `templates`; `unknown` names those that refer to what a broken catalog does not tell.
    `moves` say which machines migrate to the launcher of another release. `users` are by object, and what deploys it.
    `diffs` makes the diff of what a verdict's VM becomes, by `key_of`. `assumed` is what clusters are taken to have, in
    words.
    """

    verdicts: list[Verdict] = []
    vms: int = 0
    templates: int = 0
    unknown: dict[str, None] = {}
    moves: list[Moved] = []
    users: dict[tuple[str, Identity], Users] = {}
    diffs: dict[tuple[str, str, str, str], Callable[[], str]] = {}
    assumed: tuple[str, ...] = ()

    def diff(self, verdict: Verdict) -> str:
        """Return how the domain of a verdict's VM changes, as a diff."""
        make = self.diffs.get(key_of(verdict))
        return make() if make is not None else ""

    def count(
        self, environment: str, comparison: Comparison, user: User, references: Iterable[Identity], use: str
    ) -> None:
        """Count a user of what it refers to: `use` is the field of these users."""
        for reference in references:
            key = comparison.homes.get(reference, environment), reference
            users = self.users.get(key)
            if users is None:
                users = self.users[key] = Users()
            getattr(users, use).add(user)


def key_of(verdict: Verdict) -> tuple[str, str, str, str]:
    """Return what tells a verdict from others: a VM and a pool may have one name."""
    return verdict.environment, verdict.vm, verdict.place, noun(verdict)
