"""Documents in are results and problems: no command that takes `-f` drops one of them without a word."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner, Result

from checkouts import write
from virtcatalog.cli import main

FINE = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: NAME, namespace: shop}
spec: {runStrategy: Always, template: {spec: {domain: {memory: {guest: 1Gi}, devices: {}}}}}
"""
VMS = ("one", "two", "three")
NODES = "nodes: [{name: a, count: 1, allocatable: {cpu: 62, memory: 250Gi}}]\n"


class Bad(NamedTuple):
    """A document that is no manifest, or none that can be used."""

    text: str
    looks_like_vm: bool = False


BAD = {
    "a VM that does not fit its API": Bad(
        "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {name: broken}\nspec: {template: 5}\n", True
    ),
    "a VM whose name is a map": Bad(
        "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {name: {a: b}}\nspec: {}\n", True
    ),
    "a VM whose metadata is a list": Bad(
        "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: [1]\nspec: {}\n", True
    ),
    "a foreign object whose metadata is a list": Bad("apiVersion: example.org/v1\nkind: Widget\nmetadata: [1]\n"),
    "a foreign object whose name is a number": Bad("apiVersion: a.org/v1\nkind: Widget\nmetadata: {name: 5}\n"),
    "an object whose namespace is a list": Bad(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: [1]}\n"
    ),
    "a kind that is a number": Bad("apiVersion: example.org/v1\nkind: 5\nmetadata: {name: x}\n"),
    "a version that is a map": Bad("apiVersion: {a: b}\nkind: VirtualMachine\nmetadata: {name: x}\n", True),
    "a list": Bad("- 1\n"),
    "a word": Bad("word\n"),
}
UNREADABLE = Bad("apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {name: unread\n", True)
FOREIGN = [
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n",
    "apiVersion: example.org/v1\nkind: Widget\n",
    "apiVersion: example.org/v1\nkind: Widget\nmetadata:\n",
    "apiVersion: example.org/v1\nkind: Widget\nmetadata: {labels: {a: b}}\nspec: [1]\n",
]

CATALOGS = {
    "no catalog": {},
    "a catalog": {
        "catalog/catalog.yaml": "name: house\nkubevirt: v1.7.0\n",
        "catalog/instancetypes/m.yaml": "{class: m, sizes: {small: {vcpus: 1, memory: 2Gi}}}\n",
    },
}
CATALOGS["a catalog with environments"] = {**CATALOGS["a catalog"], "catalog/overlays.yaml": "lab: {}\nprod: {}\n"}

#: Those that read every document, and do what they can with the others.
APART = {
    "expand": ["expand", "-o", "vmi", "-f"],
    "explain": ["explain", "--vm", "one", "--field", "domain.memory.guest", "-f"],
}
#: Those for which every document has to be fine: they give nothing but what is wrong.
WHOLE = {
    "check": ["check", "-f"],
    "adopt": ["adopt", "-c", "common-instancetypes", "-f"],
    "capacity": ["capacity", "--nodes", "nodes.yaml", "-f"],
}
#: Those to which a VM is fine that KubeVirt refuses: they say so of it, or only count what it names.
CHANGES = {
    "diff": ["diff", "common-instancetypes", "common-instancetypes", "-f"],
    "impact": ["impact", "u1.small", "-c", "common-instancetypes", "-f"],
}
#: Those that read what else is in a cluster.
OTHERS = {
    "create vm -f": ["create", "vm", "--instancetype", "u1.small", "-c", "common-instancetypes", "-f"],
    "create vm -c": ["create", "vm", "--name", "x", "-c"],
}


@pytest.fixture(params=list(CATALOGS), autouse=True)
def folder(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    write(tmp_path, CATALOGS[request.param])
    (tmp_path / "nodes.yaml").write_text(NODES)
    monkeypatch.chdir(tmp_path)
    name: str = request.param
    return name


def run(arguments: Sequence[str]) -> Result:
    result = CliRunner().invoke(main, list(arguments))
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code != 70, result.output
    return result


def stream(bad: Sequence[Bad]) -> list[range]:
    """Write `all.yaml`: VMs that are fine, foreign objects, and bad documents among them; return the lines of these."""
    fine = [FINE.replace("NAME", name) for name in VMS]
    texts = [
        fine[0],
        *FOREIGN[:2],
        *(document.text for document in bad[:4]),
        fine[1],
        *(document.text for document in bad[4:]),
    ]
    texts += [*FOREIGN[2:], fine[2]]
    Path("all.yaml").write_text("---\n".join(texts))
    ends = list(accumulate(text.count("\n") + 1 for text in texts))
    lines = {text: range(end - text.count("\n"), end + 1) for text, end in zip(texts, ends, strict=True)}
    return [lines[document.text] for document in bad]


def silent(result: Result, documents: Sequence[range]) -> list[range]:
    """Those of the documents of which nothing is said."""
    line_numbers = {int(line) for line in re.findall(r"all\.yaml:(\d+):", result.output)}
    return [lines for lines in documents if line_numbers.isdisjoint(lines)]


@pytest.mark.parametrize("verb", APART | WHOLE | CHANGES | OTHERS)
def test_foreign_objects_are_no_fault_whatever_they_lack(verb: str) -> None:
    stream([])
    result = run([*(APART | WHOLE | CHANGES | OTHERS)[verb], "all.yaml"])
    assert result.exit_code in (0, 1), result.output


@pytest.mark.parametrize("unreadable", [True, False], ids=["one that is no YAML", "all are YAML"])
@pytest.mark.parametrize("verb", APART | WHOLE)
def test_every_document_that_is_no_manifest_is_told(verb: str, unreadable: bool) -> None:
    documents = stream([*BAD.values(), UNREADABLE] if unreadable else [*BAD.values()])
    result = run([*(APART | WHOLE)[verb], "all.yaml"])
    assert result.exit_code == (1 if verb == "check" else 2)
    assert silent(result, documents) == []


@pytest.mark.parametrize("name", [*BAD, "unreadable"])
@pytest.mark.parametrize("verb", APART | WHOLE)
def test_a_single_one_among_fine_ones_is_told(verb: str, name: str) -> None:
    documents = stream([{**BAD, "unreadable": UNREADABLE}[name]])
    result = run([*(APART | WHOLE)[verb], "all.yaml"])
    assert result.exit_code == (1 if verb == "check" else 2)
    assert silent(result, documents) == []


@pytest.mark.parametrize("verb", CHANGES)
def test_what_a_change_cannot_be_judged_without_is_told(verb: str) -> None:
    documents = stream(
        [document for document in (*BAD.values(), UNREADABLE) if not document.looks_like_vm or document is UNREADABLE]
    )
    result = run([*CHANGES[verb], "all.yaml"])
    assert result.exit_code == 2
    assert silent(result, documents) == []


@pytest.mark.parametrize("form", ["yaml", "json"])
def test_the_others_are_expanded_all_the_same(form: str) -> None:
    documents = list(BAD.values())
    stream(documents)
    if form == "json":
        import otheryaml

        items = [otheryaml.load(text) for text in Path("all.yaml").read_text().split("---\n")]
        Path("all.yaml").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    result = run(["expand", "-o", "vmi", "-f", "all.yaml"])
    assert re.findall(r"(?m)^  name: (\w+)$", result.stdout) == list(VMS)
    vms = sum(document.looks_like_vm for document in documents)
    assert result.stderr.splitlines()[-1] == (
        f"{len(VMS) + vms} VMs: {len(VMS)} admitted, {vms} unreadable; {len(documents) - vms} other problems"
    )


@pytest.mark.parametrize("folder", ["a catalog with environments"], indirect=True)
@pytest.mark.parametrize("verb", APART)
def test_a_vm_of_another_environment_is_not_taken_for_one_of_the_base(verb: str) -> None:
    Path("all.yaml").write_text(FINE.replace("NAME", "one"))
    result = run([*APART[verb][:-1], "-e", "lab", "-f", "prod=all.yaml"])
    assert (result.exit_code, result.stdout) == (2, "")
    assert "no VirtualMachine for lab in prod=all.yaml" in result.stderr


def test_convert_gives_every_document_or_says_why_not() -> None:
    """What no served API would take differently stays as it is, whatever is wrong with it."""
    stream([document for document in BAD.values() if document.text.startswith("apiVersion: ")])
    result = run(["convert", "-f", "all.yaml"])
    assert result.stdout == Path("all.yaml").read_text()
    documents = stream([BAD["a list"], BAD["a word"], UNREADABLE])
    result = run(["convert", "-f", "all.yaml"])
    assert (result.exit_code, result.stdout) == (2, "")
    assert silent(result, documents) == []


def test_import_tells_of_what_is_no_object_and_counts_the_others() -> None:
    stream([])
    Path("types.yaml").write_text(
        "apiVersion: instancetype.kubevirt.io/v1beta1\nkind: VirtualMachineClusterInstancetype\n"
        "metadata: {name: a.b}\nspec: {cpu: {guest: 1}, memory: {guest: 1Gi}}\n"
    )
    result = run(["import", "objects", "-f", "types.yaml", "-f", "all.yaml", "--output-dir", "house"])
    assert result.exit_code == 0, result.output
    assert f"{len(VMS) + len(FOREIGN)} objects of other kinds" in result.stderr
    documents = stream([BAD["a kind that is a number"], BAD["a list"], BAD["a word"], UNREADABLE])
    result = run(["import", "objects", "-f", "types.yaml", "-f", "all.yaml", "--output-dir", "home"])
    assert result.exit_code == 2
    assert silent(result, documents) == []
