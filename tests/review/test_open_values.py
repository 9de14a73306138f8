"""VMs that depend on values which are not in the repository, and objects that cannot be read beside others."""

import json

from virtcatalog.kubevirt.conditions import Conditions
from virtcatalog.manifests.folder import held
from virtcatalog.review.compare import review
from virtcatalog.review.read import read_side


def vm(name="db", guest="2Gi", **spec):
    domain = {"memory": {"guest": guest}, "devices": {}}
    spec = {"runStrategy": "Always", "template": {"spec": {"domain": domain}}, **spec}
    data = {"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": {"name": name}, "spec": spec}
    return json.dumps(data)


def instancetype(memory):
    head = (
        "apiVersion: instancetype.kubevirt.io/v1beta1\nkind: VirtualMachineClusterInstancetype\nmetadata: {name: t}\n"
    )
    return f"{head}spec: {{cpu: {{guest: 1}}, memory: {{guest: {memory}}}}}\n"


def reviewed(base, head):
    sides = (
        read_side(held({path: text.encode() for path, text in files.items()}), label)
        for files, label in ((base, "base"), (head, "head"))
    )
    return review(*sides, (Conditions(), Conditions()))


def verdicts(base, head):
    return [
        (verdict.vm, verdict.now, verdict.next, verdict.reasons[:1]) for verdict in reviewed(base, head).fleet.verdicts
    ]


OPEN = "spec.template.spec.domain.memory.guest is '${MEMORY}', and its value is not in the repository"


def test_a_vm_that_changes_beside_an_open_field_cannot_be_told():
    base, head = vm(guest="${MEMORY}"), vm(guest="${MEMORY}", runStrategy="Manual")
    assert verdicts({"a.yaml": base}, {"a.yaml": head}) == [("db", "unknown", "unknown", (OPEN,))]


def test_one_that_stays_is_not_named():
    assert verdicts({"a.yaml": vm(guest="${MEMORY}")}, {"a.yaml": vm(guest="${MEMORY}")}) == []


def test_an_open_field_that_is_another_variable_now_is_a_change():
    assert verdicts({"a.yaml": vm(guest="${A}")}, {"a.yaml": vm(guest="${B}")})[0][:2] == ("db", "unknown")


def test_one_that_goes_is_deleted_whatever_it_was():
    assert verdicts({"a.yaml": vm(guest="${MEMORY}")}, {}) == [("db", "delete", "none", ())]


def test_a_new_one_cannot_be_told():
    assert verdicts({}, {"a.yaml": vm(guest="${MEMORY}")})[0][:2] == ("db", "unknown")


def test_an_open_name_is_a_name():
    open_verdicts = verdicts({"a.yaml": vm("${NAME}")}, {"a.yaml": vm("${NAME}", "4Gi")})
    assert [verdict[:3] for verdict in open_verdicts] == [("name", "restart", "changed")]


def test_a_vm_of_an_open_type_cannot_be_told_when_types_change():
    files = {"a.yaml": vm(instancetype={"name": "${TYPE}"}), "b.yaml": vm("other", "${MEMORY}")}
    open_verdicts = verdicts({**files, "t.yaml": instancetype("1Gi")}, {**files, "t.yaml": instancetype("2Gi")})
    assert [verdict[:2] for verdict in open_verdicts] == [("db", "unknown")]
    assert verdicts({**files, "t.yaml": instancetype("1Gi")}, {**files, "t.yaml": instancetype("1Gi")}) == []


def test_a_broken_vm_hides_itself_and_not_its_neighbours():
    base = f"{vm('one')}\n---\n{vm('two')}\n"
    report = reviewed({"a.yaml": base}, {"a.yaml": f"{vm('one', '4Gi')}\n---\n{vm('two')[:-3]}\n"})
    assert [(verdict.vm, verdict.now) for verdict in report.fleet.verdicts] == [("one", "restart")]
    assert list(report.fleet.unknown) == ["two"]
    assert [problem.file for problem in report.head.problems] == ["head/a.yaml"]


def test_an_object_of_an_old_version_is_no_other_object():
    report = reviewed({}, {"a.yaml": vm().replace("kubevirt.io/v1", "kubevirt.io/v1alpha2")})
    assert [problem.message for problem in report.head.problems] == [
        "kubevirt.io/v1alpha2 of VirtualMachine is not served; convert it to kubevirt.io/v1 with `virtcatalog convert`"
    ]


def test_a_namespace_with_an_odd_label_harms_no_vm():
    namespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\nspec: {odd: 1}\n"
    report = reviewed({"n.yaml": namespace, "a.yaml": vm()}, {"n.yaml": namespace, "a.yaml": vm(guest="4Gi")})
    assert [verdict.now for verdict in report.fleet.verdicts] == ["restart"]
    assert report.head.problems == ()
