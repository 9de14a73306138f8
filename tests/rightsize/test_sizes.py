"""Which size of its type would do for a VM, and how it gets there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from syrupy.assertion import SnapshotAssertion

from virtcatalog.cli import main
from virtcatalog.manifests.edits import UnwritableError
from virtcatalog.rightsize.rewriting import renamed

KIND = "apiVersion: instancetype.kubevirt.io/v1beta1\nkind: VirtualMachineClusterInstancetype\n"


def type_(name: str, cpus: int, memory: str, more: str = "", memory_more: str = "") -> str:
    spec = f"spec: {{cpu: {{guest: {cpus}{more}}}, memory: {{guest: {memory}{memory_more}}}}}"
    return f"---\n{KIND}metadata: {{name: {name}}}\n{spec}\n"


TYPES = (
    "".join(
        type_(f"m.{name}", cpus, memory) for name, cpus, memory in (("s", 1, "2Gi"), ("m", 2, "4Gi"), ("l", 4, "8Gi"))
    )
    + type_("own.s", 1, "2Gi", ", dedicatedCPUPlacement: true")
    + type_("own.l", 4, "8Gi", ", dedicatedCPUPlacement: true")
    + type_("huge.s", 1, "2Gi", memory_more=", hugepages: {pageSize: 2Mi}")
    + type_("huge.l", 4, "8Gi", memory_more=", hugepages: {pageSize: 2Mi}")
    + """---
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineClusterPreference
metadata: {name: windows}
spec: {requirements: {memory: {guest: 4Gi}}}
"""
)
PRICES = "currency: EUR\nperMonth: {cpu: 20, memory: 2}\n"


def vm(name: str, instancetype: str = "m.l", more: str = "", run: str = "Always") -> str:
    return f"""---
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {{name: {name}, namespace: shop}}
spec:
  runStrategy: {run}
  instancetype:
    name: {instancetype}   # as sold
{more}  template:
    spec:
      domain: {{devices: {{interfaces: [{{name: default, masquerade: {{}}}}]}}}}
      networks: [{{name: default, pod: {{}}}}]
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "types.yaml").write_text(TYPES)
    (tmp_path / "prices.yaml").write_text(PRICES)
    monkeypatch.chdir(tmp_path)
    return tmp_path


texts: list[str] = []


def rightsize(vms: str, usage: str, *arguments: str) -> Result:
    Path("vms.yaml").write_text(vms)
    Path("usage.csv").write_text("namespace,name,cpu,memory\n" + usage)
    arguments = ("rightsize", "-f", "vms.yaml", "-f", "types.yaml", "--metrics", "usage.csv", *arguments)
    result = CliRunner().invoke(main, arguments)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    texts.append(result.stderr)
    return result


def advice_for(vms: str, usage: str, *arguments: str) -> Any:
    advice = json.loads(rightsize(vms, usage, "-o", "json", *arguments).stdout)["vms"][0]
    texts.extend(f"{advice['outcome']}: {key}: {text}" for key in ("reasons", "notes") for text in advice.get(key, ()))
    return advice


@pytest.fixture(autouse=True)
def in_words(snapshot: SnapshotAssertion) -> Iterator[None]:
    """All that is said beside the sizes, as a user reads it."""
    texts.clear()
    yield
    if any(texts):
        assert [text for text in dict.fromkeys(texts) if text] == snapshot(name="words")


GIB = 2**30


@pytest.mark.parametrize(
    ("cpu", "memory", "outcome", "would_do", "now"),
    [
        (0.5, GIB, "smaller", "m.s", "restart"),
        (0.9, GIB, "smaller", "m.m", "restart"),  # with the headroom it is more than a CPU
        (0.5, 3 * GIB, "smaller", "m.m", "restart"),
        (3.0, 5 * GIB, "fits", "", "unchanged"),
        (3.9, GIB, "stays", "", "unchanged"),
    ],
)
def test_the_least_size_that_has_room(cpu: float, memory: int, outcome: str, would_do: str, now: str) -> None:
    advice = advice_for(vm("web"), f"shop,web,{cpu},{memory}\n")
    assert (advice["outcome"], advice["wouldDo"], advice["now"]) == (outcome, would_do, now)


def test_one_that_is_too_small_grows() -> None:
    advice = advice_for(vm("web", "m.s"), f"shop,web,1.5,{3 * GIB}\n")
    assert (advice["outcome"], advice["wouldDo"]) == ("larger", "m.m")
    assert advice["requests"]["after"]["memory"] - advice["requests"]["before"]["memory"] >= 2 * GIB


def test_headroom_is_chosen() -> None:
    assert advice_for(vm("web"), f"shop,web,0.9,{GIB}\n", "--headroom", "0")["wouldDo"] == "m.s"


@pytest.mark.parametrize(
    ("cpu", "memory", "why"),
    [
        (", dedicatedCPUPlacement: true", "", "its CPUs are its own (dedicatedCPUPlacement)"),
        (
            ", dedicatedCPUPlacement: true, numa: {guestMappingPassthrough: {}}",
            ", hugepages: {pageSize: 2Mi}",
            "its CPUs are its own (dedicatedCPUPlacement)",
        ),
        (", numa: {guestMappingPassthrough: {}}", ", hugepages: {pageSize: 2Mi}", "it has NUMA cells of its node"),
        ("", ", hugepages: {pageSize: 2Mi}", "its memory is huge pages"),
        (", realtime: {}", ", hugepages: {pageSize: 2Mi}", "its memory is huge pages"),
        (", realtime: {}", "", "its CPUs run in real time"),
    ],
)
def test_what_is_reserved_as_a_whole_stays(cpu: str, memory: str, why: str) -> None:
    types = [type_(f"x.{name}", cpus, amount, cpu, memory) for name, cpus, amount in (("s", 1, "2Gi"), ("l", 4, "8Gi"))]
    Path("types.yaml").write_text("".join(types))
    advice = advice_for(vm("web", "x.l"), f"shop,web,0.1,{GIB}\n")
    assert (advice["outcome"], advice["reasons"]) == ("stays", [f"{why}: what it uses does not tell what it needs"])


@pytest.mark.parametrize(
    ("cpu", "memory", "instancetype", "outcome", "would_do"),
    [
        ("4", "8Gi", "m.l", "fits", ""),
        ("4.01", "8Gi", "m.l", "stays", ""),
        ("4", f"{8 * GIB + 1}", "m.l", "stays", ""),
        ("2", f"{4 * GIB}", "m.l", "smaller", "m.m"),
        ("2.01", f"{4 * GIB}", "m.l", "fits", ""),
        ("2", f"{4 * GIB + 1}", "m.l", "fits", ""),
        ("2", f"{4 * GIB}", "m.m", "fits", ""),
        ("2.01", f"{4 * GIB}", "m.m", "larger", "m.l"),
        ("2", f"{4 * GIB + 1}", "m.m", "larger", "m.l"),
    ],
)
def test_where_one_size_ends_and_the_next_begins(
    cpu: str, memory: str, instancetype: str, outcome: str, would_do: str
) -> None:
    usage = f"shop,web,{cpu},{8 * GIB if memory == '8Gi' else memory}\n"
    advice = advice_for(vm("web", instancetype), usage, "--headroom", "0")
    assert (advice["outcome"], advice["wouldDo"]) == (outcome, would_do)


@pytest.mark.parametrize("dead", ["m.s", "m.m"])
def test_a_size_that_is_deprecated_is_not_taken(dead: str) -> None:
    types = TYPES.replace(
        f"metadata: {{name: {dead}}}",
        f"metadata: {{name: {dead}, labels: {{instancetype.kubevirt.io/deprecated: 'true'}}}}",
    )
    Path("types.yaml").write_text(types)
    advice = advice_for(vm("web"), f"shop,web,0.5,{GIB}\n")
    assert advice["wouldDo"] == ("m.m" if dead == "m.s" else "m.s")


TOO_SMALL = "m.s: spec.instancetype: the preference requires 4Gi memory, there are 2Gi (refused by the VM webhook)"


def test_a_preference_has_a_least_size() -> None:
    advice = advice_for(vm("web", more="  preference: {name: windows}\n"), f"shop,web,0.1,{GIB}\n")
    assert advice["wouldDo"] == "m.m"
    assert advice["reasons"] == [TOO_SMALL]


def test_where_every_smaller_size_is_refused_the_vm_keeps_its_own() -> None:
    advice = advice_for(vm("web", "m.m", more="  preference: {name: windows}\n"), f"shop,web,0.1,{GIB}\n")
    assert (advice["outcome"], advice["wouldDo"]) == ("stays", "")
    assert advice["reasons"] == [TOO_SMALL]


def test_what_a_pod_requests_is_left_out_where_that_is_not_known() -> None:
    Path("ratio.yaml").write_text(
        "apiVersion: kubevirt.io/v1\nkind: KubeVirt\nmetadata: {name: kubevirt, namespace: kubevirt}\n"
        "spec: {configuration: {additionalGuestMemoryOverheadRatio: '1e300'}}\n"
    )
    advice = advice_for(vm("web"), f"shop,web,0.5,{GIB}\n", "-f", "ratio.yaml", "--prices", "prices.yaml")
    assert (advice["outcome"], advice["wouldDo"]) == ("smaller", "m.s")
    assert advice["requests"] == {"before": {}, "after": {}}
    assert "saves" not in advice


HELD = """---
apiVersion: apps/v1
kind: ControllerRevision
metadata:
  name: web-m.l-v1
  namespace: shop
  labels: {instancetype.kubevirt.io/object-name: m.l, instancetype.kubevirt.io/object-version: v1beta1}
revision: 0
data:
  apiVersion: instancetype.kubevirt.io/v1beta1
  kind: VirtualMachineClusterInstancetype
  metadata: {name: m.l}
  spec: {cpu: {guest: 8}, memory: {guest: 16Gi}}
"""
NAMED = "    revisionName: web-m.l-v1\n"
STATUS = """status:
  instancetypeRef: {name: m.l, kind: virtualmachineclusterinstancetype, controllerRevisionRef: {name: web-m.l-v1}}
"""


def test_a_vm_with_a_type_of_its_namespace_gets_another_of_that() -> None:
    own = TYPES.replace("Clusterinstancetype", "instancetype").replace("ClusterInstancetype", "Instancetype")
    own = own.replace("metadata: {name: m.", "metadata: {namespace: shop, name: m.")
    text = vm("web", more="    kind: virtualmachineinstancetypes\n")
    Path("types.yaml").write_text(own)
    advice = advice_for(text, f"shop,web,0.5,{GIB}\n")
    assert (advice["outcome"], advice["wouldDo"]) == ("smaller", "m.s")


@pytest.mark.parametrize("text", [vm("web", more=NAMED) + HELD, vm("web") + STATUS + HELD], ids=["spec", "status"])
@pytest.mark.parametrize(
    ("cpu", "outcome", "would_do"), [(0.5, "smaller", "m.s"), (3.0, "stays", ""), (5.0, "fits", ""), (7.0, "stays", "")]
)
def test_a_vm_has_the_size_of_the_revision_that_it_is_held_to(
    text: str, cpu: float, outcome: str, would_do: str
) -> None:
    advice = advice_for(text, f"shop,web,{cpu},{GIB}\n")
    assert (advice["outcome"], advice["wouldDo"]) == (outcome, would_do)
    if cpu == 3.0:
        assert advice["reasons"] == ["m.l would do as it is today, and the VM keeps a stored revision of it"]


@pytest.mark.parametrize(
    ("text", "usage", "why"),
    [
        (vm("web"), "", "the metrics have no cpu and memory of it"),
        (vm("web"), "shop,web,1,\n", "the metrics have no memory of it"),
        (
            vm("web", more="    revisionName: web-m.l-v1\n"),
            "shop,web,0.1,1\n",
            "as it is, it does not start: spec.instancetype.revisionName: there is no ControllerRevision",
        ),
        (
            vm("web", "m.s", more="  preference: {name: windows}\n"),
            "shop,web,0.9,1\n",
            "as it is, it does not start: spec.instancetype: the preference requires",
        ),
        (
            vm("web", "gone"),
            "shop,web,1,1\n",
            "there is no VirtualMachineClusterInstancetype gone in the catalog or beside the VM",
        ),
        (
            vm("web").replace("  instancetype:\n    name: m.l   # as sold\n", ""),
            "shop,web,1,1\n",
            "it names no instance type",
        ),
    ],
)
def test_what_cannot_be_told_is_no_success(text: str, usage: str, why: str) -> None:
    result = rightsize(text, usage, "-o", "json")
    (advice,) = json.loads(result.stdout)["vms"]
    assert advice["outcome"] == "unknown"
    assert why in advice["reasons"][0]
    assert result.exit_code == 2


def test_names_that_are_not_known_are_told() -> None:
    result = rightsize(vm("web"), f"shop,web,3,{5 * GIB}\nshop,other,1,1\n")
    assert "the metrics name 1 VM that is not given: shop/other" in result.stderr
    assert result.exit_code == 0


def test_vms_that_are_alike_are_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from virtcatalog.rightsize import sizes

    looked: list[Any] = []
    running = sizes.running

    def watched(*args: Any) -> Any:
        looked.append(args)
        return running(*args)

    monkeypatch.setattr(sizes, "running", watched)
    names = [f"web-{number}" for number in range(20)]
    usage = "".join(f"shop,{name},0.5,{GIB}\n" for name in names)
    answers = json.loads(rightsize("".join(map(vm, names)), usage, "-o", "json").stdout)["vms"]
    assert [(answer["vm"], answer["wouldDo"]) for answer in answers] == [(f"shop/{name}", "m.s") for name in names]
    assert len(looked) == 1


@pytest.mark.parametrize("form", ["text", "markdown", "json"])
def test_whole_runs(form: str, snapshot: SnapshotAssertion) -> None:
    vms = vm("web") + vm("db", "m.s") + vm("asleep", run="Halted") + vm("pinned", "own.l") + vm("fits", "m.m")
    usage = "".join(
        f"shop,{name},{cpu},{memory * GIB}\n"
        for name, cpu, memory in (
            ("web", 0.5, 1),
            ("db", 3, 6),
            ("asleep", 0.1, 1),
            ("pinned", 0.1, 1),
            ("fits", 1.2, 3),
        )
    )
    result = rightsize(vms, usage, "-o", form, "--prices", "prices.yaml")
    assert result.exit_code == 1
    assert result.stdout == snapshot


def test_in_place_only_the_name_changes() -> None:
    text = vm("web") + vm("fits", "m.m")
    rightsize(text, f"shop,web,0.5,{GIB}\nshop,fits,1.2,{3 * GIB}\n", "-i")
    assert Path("vms.yaml").read_text() == text.replace("name: m.l   # as sold", "name: m.s   # as sold")


def test_a_stored_revision_is_named_no_more() -> None:
    old = "kind: VirtualMachine\nmetadata: {name: a}\nspec:\n  instancetype:\n    name: m.l\n    revisionName: r\n"
    assert renamed(old, {"default/a": "m.s"}) == old.replace("m.l\n    revisionName: r", "m.s")


def test_a_vm_in_a_list_is_renamed_there() -> None:
    vms = [
        f"- kind: VirtualMachine\n  metadata: {{name: {name}}}\n  spec: {{instancetype: {{name: m.l}}}}\n"
        for name in "ab"
    ]
    text = f"kind: List\nitems:\n- text\n- kind: ConfigMap\n{''.join(vms)}---\n- text\n"
    assert renamed(text, {"default/b": "m.s"}) == text.replace(vms[1], vms[1].replace("m.l", "m.s"))


def test_a_vm_that_does_not_stand_there_is_not_written() -> None:
    with pytest.raises(UnwritableError, match="shop/web does not stand there as it is"):
        renamed("{kind: ConfigMap}", {"shop/web": "m.s"})


def test_a_size_that_is_not_modelled_is_said_to_be_so() -> None:
    Path("types.yaml").write_text(TYPES + type_("m.vast", 100_000, "8Gi"))
    advice = advice_for(vm("web"), f"shop,web,5,{GIB}\n")
    assert (advice["outcome"], advice["wouldDo"]) == ("unknown", "")
    assert advice["reasons"] == [
        "spec.domain.cpu: not supported by virtcatalog: a domain with a list of 100000 vCPUs is not made"
    ]
