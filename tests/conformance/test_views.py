"""What counts as a difference to KubeVirt, and what does not."""

import gzip
import json
import lzma
from dataclasses import replace

import pytest

from conformance import commands, pods, views
from conformance.agree import check
from conformance.cases import cases
from conformance.take import take


def of_xml(one, other):
    return list(views.differences(views.infoset(one), views.infoset(other)))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('<d><a x="1" y="2"/></d>', '<d><a y="2" x="1"/></d>'),
        ("<d><a/><b/></d>", "<d><b/><a/></d>"),
        ("<d>\n  <a>1</a>\n</d>", "<d><a> 1 </a></d>"),
        ('<d xmlns:q="u"><q:a/></d>', '<d xmlns:p="u"><p:a/></d>'),
        ('<d><address uuid="1"/></d>', '<d><address uuid="2"/></d>'),
    ],
    ids=["order of attributes", "order of tags", "white space", "prefix", "made-up device"],
)
def test_domains_agree_whatever_their_order_and_spelling(one, other):
    assert of_xml(one, other) == []


@pytest.mark.parametrize(
    ("one", "other", "place"),
    [
        ('<d><a x="1"/></d>', '<d><a x="2"/></d>', 'domain.a[0].@x: KubeVirt "1", here "2"'),
        ("<d><a>1</a></d>", "<d><a/></d>", 'domain.a[0].text: KubeVirt "1", here <absent>'),
        ("<d><a/></d>", "<d/>", "domain.a: KubeVirt [{}], here <absent>"),
        ("<d><a/></d>", "<d><a/><a/></d>", "domain.a[1]: KubeVirt <absent>, here {}"),
        ('<d><a i="1"/><a i="2"/></d>', '<d><a i="2"/><a i="1"/></d>', 'domain.a[0].@i: KubeVirt "1", here "2"'),
    ],
    ids=["attribute", "text", "element", "one more", "order of one tag"],
)
def test_domains_differ_by_what_they_say(one, other, place):
    assert of_xml(one, other)[0] == place


def test_data_differs_by_type_and_by_what_is_empty():
    assert list(views.differences({"a": 1, "b": {}, "c": [1]}, {"a": True, "c": [1, 2]})) == [
        "a: KubeVirt 1, here true",
        "b: KubeVirt {}, here <absent>",
        "c[1]: KubeVirt <absent>, here 2",
    ]


def pod(**spec):
    return pods.view({"metadata": {"generateName": "p"}, "spec": spec})


def container(**fields):
    return pod(containers=[fields])


def test_pods_agree_that_kubernetes_takes_for_equal():
    assert container(resources={"limits": {"cpu": "1500m"}}) == container(resources={"limits": {"cpu": "1.5"}})
    assert container(resources={"requests": {"m": "1Ki"}}) == container(resources={"requests": {"m": "1024"}})
    assert container(resources={}) == container(env=[]) == container()
    assert container(env=[{"name": "a"}, {"name": "b"}]) == container(env=[{"name": "b"}, {"name": "a"}])
    assert container(command=["x", "--qemu-timeout", "240s"]) == container(command=["x", "--qemu-timeout", "300s"])


def test_pods_differ_in_all_else():
    assert container(resources={"limits": {"cpu": "2333333334n"}}) != container(resources={"limits": {"cpu": "2.3333"}})
    assert container(command=["a", "b"]) != container(command=["b", "a"])
    assert pod(tolerations=[{"key": "a"}, {"key": "b"}]) != pod(tolerations=[{"key": "b"}, {"key": "a"}])
    assert container(securityContext={}) != container()


def test_a_case_that_raises_differs_at_every_stage():
    case = next(case for case in cases() if "launch" in case.expected)
    differences = check(replace(case, vm={}))
    assert {"admission", "vmi", "xml", "launch"} <= differences.keys()
    assert all(lines[0].startswith("raised ") for lines in differences.values())


def test_an_answer_that_is_changed_differs_at_its_stage():
    case = next(case for case in cases() if case.release == "v1.9.0" and "xml" in case.expected)
    assert check(case)["xml"] == []
    changed = {**case.expected, "xml": case.expected["xml"].replace("<name>", "<name>x", 1)}
    assert len(check(replace(case, expected=changed))["xml"]) == 1
    changed = {**case.expected, "admission": {"allowed": False, "refusedBy": "vm", "fields": ["spec"]}}
    assert len(check(replace(case, expected=changed))["admission"]) == 3


def test_command_lines_differ_in_what_is_refused_and_in_what_is_printed():
    accepted = next(command for command in commands.commands() if command.objects)
    refused = next(command for command in commands.commands() if command.refused)
    assert commands.check(accepted) == commands.check(refused) == []
    assert commands.check(replace(accepted, objects=[], refused=True)) == ["exit status 0, and virtctl refuses it"]
    assert commands.check(replace(refused, objects=accepted.objects, refused=False))[0].startswith("exit status 2")
    other = {**accepted.objects[0], "status": {"ready": True}}
    assert commands.check(replace(accepted, objects=[other])) == ["status.ready: KubeVirt true, here <absent>"]
    assert commands.check(replace(accepted, objects=[other, *accepted.objects])) == []


def test_what_is_taken_has_no_sentences_and_a_line_for_releases_that_answer_alike(tmp_path):
    vm = {"kind": "VirtualMachine", "spec": {"template": {"spec": {"domain": {}}}}}
    inputs = {"vm": vm, "objects": [], "arch": "amd64", "config": {}, "featureGates": [], "useCatalog": False}
    refusal = {"allowed": False, "refusedBy": "vm", "fields": ["b", "a", "b"], "causes": [{}], "message": "a sentence"}
    vmi = {"spec": {"domain": {"firmware": {"uuid": "drawn-uuid", "serial": "drawn-serial"}}}, "status": {}}
    pod = {"podError": "a sentence"}
    for release in ("v1", "v2"):
        answers = {"admission": refusal, "objects": {}, "vmi": vmi, "xml": f"<d>drawn-uuid {release[1:]}</d>"}
        common = {"group": "g", "release": release, **inputs}
        other = {**common, "name": "other", "expected": {"admission": refusal, "objects": {}}}
        lines = [{**common, "name": "one", "expected": answers}, other]
        with gzip.open(tmp_path / f"cases-{release}.jsonl.gz", "wt") as file:
            file.writelines(json.dumps(line) + "\n" for line in lines)
    with gzip.open(tmp_path / "pods-v1.jsonl.gz", "wt") as file:
        file.write(json.dumps({"name": "one", "expected": pod}))
    refused = {"allowed": False, "refusedBy": "vm", "fields": ["a", "b"]}
    expected = {"labels": {}, "annotations": {}, "spec": {"domain": {"firmware": {"uuid": "uuid", "serial": "serial"}}}}
    taken = [json.loads(line) for line in lzma.decompress(take(tmp_path)).decode().splitlines()]
    assert [(line["name"], line["releases"], line["expected"]) for line in taken] == [
        ("one", ["v1"], {"admission": refused, "vmi": expected, "xml": "<d>uuid 1</d>", "podError": True}),
        ("one", ["v2"], {"admission": refused, "vmi": expected, "xml": "<d>uuid 2</d>"}),
        ("other", ["v1", "v2"], {"admission": refused}),
    ]
    assert take(tmp_path) == take(tmp_path)
