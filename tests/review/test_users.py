"""What is said of those who use an object that changes: VMs that follow it, VMs that keep a revision, templates."""

from __future__ import annotations

from typing import Any

import pytest

from virtcatalog.api.names import DEPRECATED_LABEL, REPLACED_BY
from virtcatalog.review.objects import ObjectChange
from virtcatalog.review.users import User, Users, consequences, deprecations

TYPE = "VirtualMachineClusterInstancetype"
KEEP = "VMs that exist keep the revision of the instance type that KubeVirt stored for them; "
NEW = f"{KEEP}VMs created from now on get the new one."
GO_ON = "VMs that exist go on with the revision stored for them; new VMs that name small are refused."


def object_of(kind: str = TYPE, name: str = "small", namespace: str = "", **spec: Any) -> dict[str, Any]:
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": "instancetype.kubevirt.io/v1beta1", "kind": kind, "metadata": metadata, "spec": spec}


SMALL, LARGE, TINY = object_of(cpu=1), object_of(cpu=2), object_of(name="tiny", cpu=1)
LABELLED = {**SMALL, "metadata": {"name": "small", "labels": {"a": "b"}}}
KUBEVIRT = {"apiVersion": "kubevirt.io/v1", "kind": "KubeVirt", "metadata": {"name": "kubevirt"}, "spec": {}}
BLOCKING = {**KUBEVIRT, "spec": {"uninstallStrategy": "BlockUninstallIfWorkloadsExist"}}
GROWS = ObjectChange(change="changed", old=SMALL, new=LARGE)
GOES = ObjectChange(change="removed", old=SMALL)
RENAMED = ObjectChange(change="renamed", old=SMALL, new=TINY)
COMES = ObjectChange(change="added", new=SMALL)


def named(names: Any) -> set[User]:
    """VMs, and as capitals pools."""
    return {User(name, is_pool=name.isupper()) for name in names}


def used(**users: Any) -> dict[Any, Users]:
    return {("", (TYPE, "", "small")): Users(**{key: named(names) for key, names in users.items()})}


@pytest.mark.parametrize(
    ("change", "users", "sentences"),
    [
        (GROWS, {}, [NEW]),
        (GROWS, used(stored=["a"]), [NEW, "1 VM keeps a stored revision."]),
        (GROWS, used(stored="abC"), [NEW, "2 VMs and 1 pool keep a stored revision."]),
        (GROWS, used(stored="AB"), [NEW, "2 pools keep a stored revision."]),
        (
            GROWS,
            used(following=["a"]),
            [NEW, "1 VM has no stored revision yet and meets the new one at the next start."],
        ),
        (
            GROWS,
            used(following="ab"),
            [NEW, "2 VMs have no stored revision yet and meet the new one at the next start."],
        ),
        (ObjectChange(change="changed", old=SMALL, new=LABELLED), used(stored="ab"), [
            "Only labels or annotations change: no effect on any VM.",
        ]),
        (GOES, {}, [GO_ON]),
        (GOES, used(stored=["a"], following=["b"]), [
            GO_ON,
            "1 VM goes on with a stored revision.",
            "1 VM has no stored revision yet and is refused at the next start.",
        ]),
        (GOES, used(stored="ab", following="cd"), [
            GO_ON,
            "2 VMs go on with a stored revision.",
            "2 VMs have no stored revision yet and are refused at the next start.",
        ]),
        (RENAMED, used(stored=["a"]), [
            GO_ON,
            "1 VM goes on with a stored revision.",
            "VMs and templates have to name tiny instead.",
        ]),
        (COMES, {}, ["No VM refers to it yet."]),
        (COMES, used(following=["a"]), ["1 VM has no stored revision yet and now finds it."]),
        (COMES, used(following="ab"), ["2 VMs have no stored revision yet and now find it."]),
        (
            ObjectChange(change="changed", old=object_of("VirtualMachinePreference"), new=object_of(
                "VirtualMachinePreference", a=1)),
            {},
            [NEW.replace("instance type", "preference")],
        ),
        (ObjectChange(change="changed", old=KUBEVIRT, new=BLOCKING), {}, [
            "VMs that run keep their domain; their next start takes the new configuration.",
        ]),
        (ObjectChange(change="added", new=KUBEVIRT), {}, [
            "VMs that run keep their domain; their next start takes the new configuration.",
        ]),
        (ObjectChange(change="removed", old=KUBEVIRT), {}, [
            "KubeVirt is uninstalled where that is applied, and all VMs of the cluster are deleted.",
        ]),
        (ObjectChange(change="removed", old=BLOCKING), {}, [
            "KubeVirt is uninstalled once there is no VM: until then the CR cannot be deleted.",
        ]),
        (ObjectChange(change="removed", old={**KUBEVIRT, "kind": "ConfigMap"}), used(stored=["a"]), []),
    ],
)  # fmt: skip
def test_what_vms_that_exist_feel(change: ObjectChange, users: dict[Any, Users], sentences: list[str]) -> None:
    assert consequences(change, users) == sentences


@pytest.mark.parametrize(
    ("deployed", "user", "counts"),
    [
        ([("", "")], ("", (TYPE, "", "small")), True),
        ([("", "")], ("lab", (TYPE, "", "small")), False),
        ([("lab", ""), ("prod", "")], ("lab", (TYPE, "", "small")), True),
        ([("", ""), ("lab", "")], ("lab", (TYPE, "", "small")), True),
        ([("prod", "")], ("lab", (TYPE, "", "small")), False),
        ([("", "")], ("", (TYPE, "shop", "small")), True),  # it is deployed wherever it is referred to
        ([("", "shop")], ("", (TYPE, "shop", "small")), True),
        ([("", "shop")], ("", (TYPE, "ops", "small")), False),
        ([("lab", "shop"), ("prod", "ops")], ("prod", (TYPE, "ops", "small")), True),
        ([("lab", "shop"), ("prod", "ops")], ("prod", (TYPE, "shop", "small")), False),
        ([("", "")], ("", (TYPE, "", "tiny")), False),
        ([("", "")], ("", ("VirtualMachineInstancetype", "", "small")), False),
    ],
)
def test_who_uses_an_object_names_it_where_it_is_deployed(
    deployed: list[tuple[str, str]], user: Any, counts: bool
) -> None:
    old, new = (object_of(cpu=cpu) for cpu in (1, 2))
    change = ObjectChange(change="changed", old=old, new=new, deployed=tuple(deployed))
    assert (len(consequences(change, {user: Users(stored=named("a"))})) == 2) == counts


def deprecated(kind: str, name: str, instead: str = "") -> ObjectChange:
    manifest = object_of(kind, name)
    annotations = {REPLACED_BY: instead} if instead else {}
    metadata = {"name": name, "labels": {DEPRECATED_LABEL: "true"}, "annotations": annotations}
    return ObjectChange(change="changed", old=manifest, new={**manifest, "metadata": metadata})


def test_what_is_deprecated_from_now_on_names_its_users() -> None:
    users = {
        ("", (TYPE, "", "small")): Users(stored=named("bcP"), following=named("ad")),
        ("", ("VirtualMachineInstancetype", "shop", "small")): Users(stored=named("e"), templates=named("t")),
    }
    both = [deprecated(TYPE, "small", "tiny"), deprecated("VirtualMachineInstancetype", "small", "tiny")]
    assert list(map(str, deprecations(both, users))) == [
        "instance type small (use tiny): 5 VMs, a, b, c and 2 more; 1 pool, P; 1 VM template, t"
    ]
    alone = deprecated("VirtualMachinePreference", "linux")
    assert list(map(str, deprecations([alone], users))) == ["preference linux: no VM uses it"]
    was_before = ObjectChange(change="changed", old=alone.new, new={**alone.manifest, "spec": {"a": 1}})
    assert deprecations([was_before, ObjectChange(change="added", new=alone.new), GROWS], users) == []


def test_two_vms_of_one_name_are_two() -> None:
    web = {User("web", "lab"), User("web", "prod"), User("web", "prod", is_pool=True)}
    users = {("", (TYPE, "", "small")): Users(stored=web)}
    assert consequences(GROWS, users) == [NEW, "2 VMs and 1 pool keep a stored revision."]
    assert list(map(str, deprecations([deprecated(TYPE, "small")], users))) == [
        "instance type small: 2 VMs, lab: web, prod: web; 1 pool, web"
    ]
