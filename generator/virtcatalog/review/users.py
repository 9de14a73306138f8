"""Users of the objects that change: what existing VMs notice, and which VMs use what becomes deprecated."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

import msgspec

from virtcatalog.api.kinds import CATALOG_KINDS
from virtcatalog.catalog.labels import deprecation
from virtcatalog.errors import counted, listed, some
from virtcatalog.manifests.identity import Identity, identity
from virtcatalog.review.kubevirtcr import uninstalled
from virtcatalog.review.objects import ObjectChange

_MOST_NAMES = 3


class User(NamedTuple):
    """A VM, pool or VM template that refers to an object, by its name; `where` tells it from others of that name."""

    name: str
    where: str = ""
    is_pool: bool = False


class Users(msgspec.Struct):
    """Who refers to an object: VM templates, VMs that take it as it is now, VMs that keep a stored revision."""

    templates: set[User] = set()
    following: set[User] = set()
    stored: set[User] = set()

    def add(self, other: Users) -> None:
        """Take in who refers to it elsewhere."""
        self.templates |= other.templates
        self.following |= other.following
        self.stored |= other.stored

    def counted(self) -> dict[str, int]:
        """Return how many there are of each."""
        return {"templates": len(self.templates), "following": len(self.following), "stored": len(self.stored)}


def users_words(users: Collection[User]) -> str:
    """Say how many they are: `1 VM and 2 pools`."""
    pools = sum(user.is_pool for user in users)
    vms = len(users) - pools
    return listed([*([counted(vms, "VM")] if vms else []), *([counted(pools, "pool")] if pools else [])])


AllUsers = Mapping[tuple[str, Identity], Users]
"""By object, and the environment that deploys it."""


class Deprecated(msgspec.Struct, frozen=True, kw_only=True):
    """An instance type or preference that is deprecated from now on, `instead` of which something is to be used."""

    kind: str
    name: str
    instead: str
    vms: tuple[str, ...]
    pools: tuple[str, ...]
    templates: tuple[str, ...]

    def __str__(self) -> str:
        users = [
            f"{counted(len(names), noun)}, {some(names, _MOST_NAMES)}"
            for names, noun in ((self.vms, "VM"), (self.pools, "pool"), (self.templates, "VM template"))
            if names
        ]
        instead = f" ({self.instead})" if self.instead else ""
        return f"{self.kind} {self.name}{instead}: {'; '.join(users) or 'no VM uses it'}"


def deprecations(changes: Iterable[ObjectChange], all_users: AllUsers) -> list[Deprecated]:
    """Return what is deprecated from now on and was not before; both scopes of an object are one."""
    users: dict[tuple[str, str, str], Users] = {}
    for change in changes:
        kind, _, name = identity(change.manifest)
        if kind in CATALOG_KINDS and change.old and change.new and deprecation(change.old) is None:
            instead = deprecation(change.new)
            if instead is not None:
                which = "instance type" if kind.endswith("Instancetype") else "preference", name, instead
                users.setdefault(which, Users()).add(users_of(change, all_users))
    return [
        Deprecated(
            kind=kind,
            name=name,
            instead=instead,
            vms=_names(user for user in used.following | used.stored if not user.is_pool),
            pools=_names(user for user in used.following | used.stored if user.is_pool),
            templates=_names(used.templates),
        )
        for (kind, name, instead), used in sorted(users.items(), key=lambda item: item[0])
    ]


def _names(users: Iterable[User]) -> tuple[str, ...]:
    """The names of users, each with where it is if another one has it, too."""
    users = sorted(users)
    numbers = Counter(user.name for user in users)
    return tuple(f"{user.where}: {user.name}" if user.where and numbers[user.name] > 1 else user.name for user in users)


def consequences(change: ObjectChange, all_users: AllUsers) -> list[str]:
    """Say what VMs that exist feel of a change of an object, a sentence each."""
    kind = identity(change.manifest)[0]
    if kind == "KubeVirt" and change.change == "removed":
        return [f"{uninstalled(change.manifest)}."]
    if kind == "KubeVirt":
        return ["VMs that run keep their domain; their next start takes the new configuration."]
    if kind not in CATALOG_KINDS:
        return []
    users = users_of(change, all_users)
    if change.change == "added":
        return ["No VM refers to it yet."] if not users.following | users.stored else [_following(users, "now find it")]
    if not change.spec_changes and change.change == "changed":
        return ["Only labels or annotations change: no effect on any VM."]
    noun = "instance type" if kind.endswith("Instancetype") else "preference"
    if change.change == "changed":
        keep = f"VMs that exist keep the revision of the {noun} that KubeVirt stored for them"
        sentences = [f"{keep}; VMs created from now on get the new one."]
        if users.stored:
            keep = "keeps" if len(users.stored) == 1 else "keep"
            sentences.append(f"{users_words(users.stored)} {keep} a stored revision.")
        if users.following:
            sentences.append(_following(users, "meet the new one at the next start"))
        return sentences
    sentences = [
        f"VMs that exist go on with the revision stored for them; new VMs that name {_called(change)} are refused."
    ]
    if users.stored:
        go = "goes" if len(users.stored) == 1 else "go"
        sentences.append(f"{users_words(users.stored)} {go} on with a stored revision.")
    if users.following:
        sentences.append(_following(users, "are refused at the next start"))
    if change.change == "renamed":
        sentences.append(f"VMs and templates have to name {identity(change.manifest)[2]} instead.")
    return sentences


def users_of(change: ObjectChange, all_users: AllUsers) -> Users:
    """Who refers to the object, by the name that it had if it is renamed: these have to follow."""
    users = Users()
    called = identity(change.manifest)[0], _called(change)
    for (environment, (kind, namespace, name)), user in all_users.items():
        # An object of a namespace that does not name one is deployed wherever it is referred to.
        homes = (home for where, home in change.deployed if where == environment)
        if (kind, name) == called and any(home in ("", namespace) for home in homes):
            users.add(user)
    return users


def _called(change: ObjectChange) -> str:
    return change.old_name or identity(change.manifest)[2]


def _following(users: Users, words: str) -> str:
    if len(users.following) == 1:
        words = words.replace("meet ", "meets ", 1).replace("find ", "finds ", 1).replace("are ", "is ", 1)
        return f"{users_words(users.following)} has no stored revision yet and {words}."
    return f"{users_words(users.following)} have no stored revision yet and {words}."
