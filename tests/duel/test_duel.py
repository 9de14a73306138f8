"""The duel: what it draws, how it asks, and that it finds a difference and makes it small."""

import json
import sys
from itertools import islice
from pathlib import Path

import pytest

from conformance import rollouts
from duel.__main__ import main, questions
from duel.judge import differing
from duel.ours import answer, pair_of
from duel.pipe import Oracle, OracleError
from duel.shrink import shrink
from sampling import thorough
from virtcatalog.releases import RELEASES

TESTS = Path(__file__).parents[1]
OURS = f"{sys.executable} -m duel.ours"
#: An oracle with a bug: to it a watchdog needs a gate.
WRONG = """
import json, sys
from duel.ours import answer, pair_of
for line in sys.stdin:
    expected = answer(json.loads(line))
    if "watchdog" in json.dumps(json.loads(line)["vm"]):
        expected = {"admission": {"allowed": False, "refusedBy": "vm", "fields": ["spec.watchdog"]}}
    print(json.dumps({"expected": expected}), flush=True)
"""


@pytest.fixture(autouse=True)
def _at_home(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(TESTS))


def duel(*arguments, oracle=OURS):
    """The exit status of a duel with an oracle, which is a process of its own."""
    return main([*map(str, arguments), oracle])


@pytest.mark.parametrize("release", RELEASES)
def test_the_same_seed_draws_the_same_and_knows_the_fields_of_the_release(release):
    drawn = list(islice(questions(5, release), 30))
    assert drawn == list(islice(questions(5, release), 30)) != list(islice(questions(6, release), 30))
    assert ("passtBinding" in json.dumps(list(islice(questions(1, release), 300)))) is (release != "v1.7.4")


def test_every_field_of_a_template_is_drawn():
    text = json.dumps([question["vm"] for question in islice(questions(1, "v1.9.0"), 1500)])
    for field in (
        "hyperv",
        "watchdog",
        "tpm",
        "launchSecurity",
        "realtime",
        "guestMappingPassthrough",
        "dnsConfig",
        "ports",
    ):
        assert f'"{field}"' in text


@thorough
def test_changes_of_running_vms_are_of_all_kinds():
    outcomes = set()
    for question in islice(questions(3, "v1.9.0", rollouts=True), 250):
        outcome = rollouts.rollout(pair_of(question))
        outcomes |= {
            name
            for name in (
                "refused",
                "live",
                "restart",
                "stopped",
                "error",
                "vm_changes",
                "migrated_volumes",
                "conditions",
            )
            if getattr(outcome, name)
        }
        outcomes.add(outcome.migration.required)
    assert outcomes >= {"refused", "live", "restart", "stopped", "vm_changes", "conditions", "yes", "pending", "no"}


def test_a_change_is_asked_of_the_release():
    question = next(questions(1, "v1.7.4", rollouts=True))
    assert pair_of(question).release == "v1.7.4"
    assert rollouts.case(pair_of(question), {}).cluster().release.name == "v1.7.4"


@pytest.mark.parametrize("arguments", [(), ("--release", "v1.8.4"), ("--stage", "rollout")])
def test_virtcatalog_agrees_with_itself_at_every_stage(arguments, capsys):
    status = duel("--cases", 15, "--memory", 4096, *arguments)
    printed = capsys.readouterr()
    assert (status, printed.err) == (0, ""), printed.out
    assert printed.out.endswith("; differences: 0\n")


@thorough
def test_a_bug_of_the_oracle_is_found_and_shrunk(tmp_path, capsys):
    (tmp_path / "wrong.py").write_text(WRONG)
    oracle = f"{sys.executable} {tmp_path / 'wrong.py'}"
    assert duel("--cases", 400, "--most", 1, "--stage", "admission", oracle=oracle) == 1
    case, *shown = capsys.readouterr().out.splitlines()
    devices = json.loads(case)["vm"]["spec"]["template"]["spec"]["domain"]["devices"]
    assert list(devices) == ["watchdog"]
    assert any("KubeVirt" in line and "spec.watchdog" in line for line in shown)


def test_a_case_is_shrunk_to_what_makes_the_difference():
    question = {
        "vm": {"spec": {"template": {"spec": {"domain": {"devices": {"rng": {}, "tpm": {}}, "cpu": {"cores": 4}}}}}}
    }
    smaller = shrink(question, lambda candidate: "tpm" in json.dumps(candidate))
    assert smaller == {"vm": {"spec": {"template": {"spec": {"domain": {"devices": {"tpm": {}}}}}}}}


@pytest.mark.parametrize(
    ("program", "error"),
    [
        ("import sys; sys.stdin.readline(); sys.exit(3)", "ended with status 3"),
        ("import sys; sys.stdin.readline(); print('no')", "Expecting value"),
        ('import sys; sys.stdin.readline(); print(\'{"error": "I do not know"}\')', "I do not know"),
        ("import sys; sys.stdin.readline(); print('v' * 20 * 2**20)", "more than 16 MiB"),
    ],
)
def test_an_oracle_that_does_not_answer_is_an_error_that_says_so(program, error, tmp_path):
    (tmp_path / "oracle.py").write_text(program)
    with Oracle(f"{sys.executable} {tmp_path / 'oracle.py'}") as oracle, pytest.raises(OracleError, match=error):
        oracle.ask({"name": "a"})


def test_the_memory_of_an_oracle_is_limited(tmp_path):
    (tmp_path / "oracle.py").write_text("import sys; sys.stdin.readline(); print(len(bytearray(2**30)))")
    with Oracle(f"{sys.executable} {tmp_path / 'oracle.py'}", memory_mib=512) as oracle, pytest.raises(OracleError):
        oracle.ask({"name": "a"})


def test_a_stage_that_the_oracle_leaves_out_is_not_compared():
    question = next(questions(1, "v1.9.0"))

    class Silent:
        def ask(self, _question):
            return {"vmi": answer(question).get("vmi")} if answer(question).get("vmi") else {}

    assert differing(question, Silent(), ("admission", "vmi")) == {}
