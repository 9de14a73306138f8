"""`virtcatalog drift` over two hundred VMs in twelve states, and the ways in which it must not be fooled."""

from __future__ import annotations

import copy
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import fleet
from virtcatalog.api.names import LAST_APPLIED
from virtcatalog.cli import main

#: Whatever a test looks at, its words are held against a snapshot, too.
pytestmark = pytest.mark.usefixtures("in_words")


def drift(*arguments: str) -> Result:
    result = CliRunner().invoke(main, ["drift", *arguments], prog_name="virtcatalog")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def vms(result: Result) -> dict[str, Any]:
    return {vm["vm"]: vm for vm in fleet.heard(json.loads(result.stdout)["vms"])}


@pytest.fixture(name="answer", scope="module")
def json_answer(repository: Path) -> Result:
    return drift("-f", f"{repository}/git", "--live", f"{repository}/lab.json", "-o", "json", "--kubevirt", "v1.9.0")


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """One VM that is in sync, in Git and in its cluster."""
    numbers = range(1)
    fleet.write_git(tmp_path / "git", numbers)
    fleet.write_dump(tmp_path / "lab.json", numbers)
    return tmp_path


def changed(small: Path, change: Any) -> dict[str, Any]:
    """What is said of the one VM when its cluster's objects are changed."""
    objects = fleet.cluster_objects(range(1))
    left = change(objects) or objects
    (small / "lab.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": left}))
    result = drift("-f", f"{small}/git", "--live", f"{small}/lab.json", "-o", "json")
    (vm,) = vms(result).values()
    return vm | {"status": result.exit_code}


def one(objects: list[dict[str, Any]], kind: str) -> dict[str, Any]:
    return next(obj for obj in objects if obj["kind"] == kind)


class TestTwelveStates:
    @pytest.mark.parametrize("state", fleet.STATES)
    def test_every_verdict_is_right(self, answer, state):
        vms_by_name = vms(answer)
        numbers = [number for number in range(fleet.NUMBER) if fleet.state_of(number) == state]
        assert len(numbers) >= 16
        verdicts = Counter(vms_by_name["/".join(fleet.name_of(number))]["verdict"] for number in numbers)
        assert verdicts == {fleet.expected(numbers[0]): len(numbers)}

    def test_nothing_else_is_there(self, answer):
        data = json.loads(answer.stdout)
        assert len(data["vms"]) == fleet.NUMBER == sum(data["summary"].values())
        assert (data["partial"], answer.exit_code) == (False, 1)

    def test_an_edit_is_told_with_who_when_and_who_wins(self, answer):
        (reason,) = (reason for reason in vms(answer)["team-3/edited-13"]["reasons"] if reason["kind"] == "edited")
        (field,) = reason["fields"]
        assert (field["field"], field["now"], field["wanted"]) == ("spec.template.spec.hostname", "by-hand", "host-13")
        assert field["writer"] == {
            "manager": "kubectl-edit",
            "role": "hand",
            "operation": "Update",
            "when": fleet.LATER,
        }
        assert reason["wins"] == "git"
        file, line, _ = field["place"].rsplit(":", 2)
        assert '"hostname": "host-13"' in Path(file).read_text().splitlines()[int(line) - 1]

    def test_what_git_does_not_say_stays(self, answer):
        reason = vms(answer)["team-1/edited-1"]["reasons"][0]
        assert [field["field"] for field in reason["fields"]] == ["spec.template.spec.terminationGracePeriodSeconds"]
        assert reason["wins"] == "hand"

    @pytest.mark.parametrize(
        ("name", "fields"),
        [
            ("team-2/template-2", ["spec.template.spec.hostname"]),
            (
                "team-3/type-3",
                [
                    "spec.instancetype.name",
                    "spec.template.spec.domain.ioThreadsPolicy",
                    "spec.template.spec.domain.cpu.sockets",
                    "spec.template.spec.domain.memory.guest",
                ],
            ),
            (
                "team-4/preference-4",
                [
                    "spec.preference.name",
                    "spec.template.spec.domain.devices.disks[root].disk.bus",
                    "spec.template.spec.domain.devices.disks[init].disk.bus",
                ],
            ),
        ],
    )
    def test_a_restart_is_told_with_its_fields_and_since_when(self, answer, name, fields):
        (reason,) = vms(answer)[name]["reasons"]
        assert (reason["kind"], reason["since"]) == ("restart", fleet.LATER)
        assert [field["field"] for field in reason["fields"]] == fields

    def test_an_old_revision_is_told_with_what_a_refresh_does(self, answer):
        (reason,) = vms(answer)["team-2/pinned-7"]["reasons"]
        assert reason["message"].startswith("instancetype grown; refreshed: 2 → 8 vCPUs, memory 4 → 16 GiB")

    def test_what_is_drawn_at_random_is_noise(self, answer):
        (noise,) = vms(answer)["team-0/in-sync-0"]["noise"]
        assert noise["field"] == "spec.template.spec.domain.firmware.uuid"
        assert noise["why"] == "drawn at random for this VM"

    def test_user_data_is_nowhere(self, answer):
        assert fleet.SECRET not in answer.stdout + answer.stderr


class TestNeverAFalseInSync:
    def test_it_is_in_sync_to_begin_with(self, small):
        assert changed(small, lambda _: None) | {"noise": []} == {
            "vm": "team-0/in-sync-0",
            "kind": "VirtualMachine",
            "verdict": "in-sync",
            "environment": "",
            "place": f"{small}/git/team-0/in-sync-0.yaml:1:1",
            "stages": {"git": "there", "vm": "same", "vmi": "same", "domain": ""},
            "reasons": [],
            "noise": [],
            "runs": {},
            "status": 0,
        }

    def test_without_its_vmi_a_vm_that_runs_is_not_known(self, small):
        vm = changed(small, lambda objects: [obj for obj in objects if obj["kind"] != "VirtualMachineInstance"])
        assert (vm["verdict"], vm["status"]) == ("unread", 2)

    def test_without_its_revision_a_vm_is_not_known(self, small):
        def without(objects):
            return [obj for obj in objects if "grown" in str(obj) or obj["kind"] != "ControllerRevision"]

        vm = changed(small, without)
        assert (vm["verdict"], vm["status"]) == ("unread", 2)
        assert "could not be read" in vm["reasons"][0]["message"]

    def test_without_what_it_was_started_as_its_machine_is_compared_with_a_new_one(self, small):
        def without_start(objects):
            one(objects, "VirtualMachine")["spec"]["template"]["spec"]["hostname"] = "other"
            return [obj for obj in objects if not obj["metadata"]["name"].startswith("revision-start")]

        vm = changed(small, without_start)
        restart = next(reason for reason in vm["reasons"] if reason["kind"] == "restart")
        assert [field["field"] for field in restart["fields"]] == ["spec.template.spec.hostname"]

    def test_a_field_that_git_lacks_counts_though_nobody_says_who_wrote_it(self, small):
        def unmanaged(objects):
            vm = one(objects, "VirtualMachine")
            del vm["metadata"]["managedFields"]
            vm["spec"]["template"]["spec"]["nodeSelector"] = {"disk": "fast"}

        vm = changed(small, unmanaged)
        assert (vm["verdict"], vm["status"]) == ("edited", 1)

    def test_disks_in_another_order_wait_to_be_synced(self, small):
        def turned(objects):
            one(objects, "VirtualMachine")["spec"]["template"]["spec"]["domain"]["devices"]["disks"].reverse()

        vm = changed(small, turned)
        (reason,) = vm["reasons"]
        (field,) = reason["fields"]
        assert (vm["verdict"], vm["status"], reason["kind"]) == ("behind", 1, "behind")
        assert field["field"] == "spec.template.spec.domain.devices.disks"
        assert (field["applied"], field["now"], field["wanted"]) == (
            ["init", "root"],
            ["init", "root"],
            ["root", "init"],
        )

    def test_a_type_that_was_not_read_is_not_gone(self, small):
        vm = changed(small, lambda objects: [obj for obj in objects if "Instancetype" not in obj["kind"]])
        # That Git has it, too, does not say what the cluster has.
        assert (vm["verdict"], vm["status"]) == ("unread", 2)
        assert vm["reasons"][0]["message"].startswith(
            "what its instancetype small is now is not known: the dump has no"
        )
        (small / "git" / "types.json").unlink()
        vm = changed(small, lambda objects: [obj for obj in objects if "Instancetype" not in obj["kind"]])
        assert (vm["verdict"], vm["status"]) == ("unread", 2)

    def test_a_field_that_this_release_does_not_have_is_not_known(self, small):
        def newer(objects):
            one(objects, "VirtualMachine")["spec"]["template"]["spec"]["fromTheFuture"] = True

        vm = changed(small, newer)
        assert (vm["verdict"], vm["status"]) == ("unread", 2)
        assert "fromTheFuture" in vm["reasons"][0]["message"]

    @pytest.mark.parametrize(
        "change",
        [
            {"status": []},
            {"spec": [1]},
            {"metadata": {"name": "in-sync-0", "namespace": "team-0", "managedFields": {}}},
            {"spec": {"template": 2**70}},
        ],
    )
    def test_an_object_that_no_api_server_stores_is_named(self, small, change):
        def broken(objects):
            one(objects, "VirtualMachine").update(change)

        vm = changed(small, broken)
        assert (vm["verdict"], vm["status"]) == ("unread", 2)

    def test_a_vm_of_two_environments_is_not_known(self, small):
        (small / "git" / "other").mkdir()
        vm = (small / "git" / "team-0" / "in-sync-0.yaml").read_text()
        (small / "git" / "other" / "again.yaml").write_text(vm)
        result = drift("-f", f"{small}/git", "--live", f"{small}/lab.json")
        assert result.exit_code == 2

    def test_a_broken_file_in_git_is_told(self, small):
        broken = "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\n  x: ["
        (small / "git" / "team-0" / "broken.yaml").write_text(broken)
        result = drift("-f", f"{small}/git", "--live", f"{small}/lab.json")
        assert result.exit_code == 2
        assert "broken.yaml" in result.stderr
        assert "this is not all" in result.stdout


class TestDrawnAtRandom:
    def test_a_serial_of_the_machine_is_noise_as_its_uuid_is(self, small):
        def drawn(objects):
            vm = one(objects, "VirtualMachine")
            revision = next(obj for obj in objects if obj["metadata"]["name"].startswith("revision-start"))
            for spec in (vm["spec"], revision["data"]["spec"]):
                spec["template"]["spec"]["domain"]["firmware"]["serial"] = "9e6a"

        vm = changed(small, drawn)
        assert {noise["field"].rpartition(".")[2]: noise["why"] for noise in vm["noise"]} == dict.fromkeys(
            ("uuid", "serial"), "drawn at random for this VM"
        )


class TestRestartRequired:
    def required(self, small: Path, release: str, *, revision: bool = True) -> dict[str, Any]:
        def change(objects):
            condition = {"type": "RestartRequired", "status": "True", "lastTransitionTime": fleet.LATER}
            one(objects, "VirtualMachine")["status"]["conditions"] = [condition]
            kubevirt = copy.deepcopy(one(objects, "KubeVirt"))
            kubevirt["status"]["observedKubeVirtVersion"] = release
            others = [obj for obj in objects if obj["kind"] != "KubeVirt"]
            around = [obj for obj in others if revision or not obj["metadata"]["name"].startswith("revision-start")]
            return [kubevirt, *around]

        return changed(small, change)

    def test_before_v1_8_it_stays_and_is_noise_without_a_field_that_waits(self, small):
        vm = self.required(small, "v1.7.0")
        assert (vm["verdict"], vm["status"]) == ("in-sync", 0)
        assert "RestartRequired is set, and no field waits for a restart" in str(vm["noise"])

    def test_from_v1_8_on_virt_controller_would_take_it_back(self, small):
        vm = self.required(small, "v1.9.0")
        (reason,) = vm["reasons"]
        assert (reason["kind"], reason["since"], vm["status"]) == ("restart", fleet.LATER, 1)
        assert reason["message"] == "KubeVirt has set RestartRequired, and no field is seen that waits for it"

    def test_without_what_it_was_started_as_virt_controller_leaves_it(self, small):
        assert self.required(small, "v1.9.0", revision=False)["verdict"] == "in-sync"

    def test_sockets_that_come_with_a_migration_wait_for_that(self, small):
        def grown(objects):
            vm = one(objects, "VirtualMachine")
            vm["spec"]["template"]["spec"]["domain"]["cpu"] = {"sockets": 2}
            del vm["spec"]["instancetype"], vm["status"]["instancetypeRef"]
            revision = next(obj for obj in objects if obj["metadata"]["name"].startswith("revision-start"))
            started = revision["data"]["spec"]
            started["template"]["spec"]["domain"]["cpu"] = {"sockets": 1}
            del started["instancetype"]

        reasons = {reason["kind"]: reason for reason in changed(small, grown)["reasons"]}
        (field,) = reasons["migration"]["fields"]
        assert (field["field"], field["now"], field["wanted"]) == ("spec.template.spec.domain.cpu.sockets", 1, 2)
        assert "restart" not in reasons


class TestGitAndWhoeverWroteLast:
    def test_what_git_has_and_nobody_synced_waits_for_the_sync(self, small):
        manifest = small / "git" / "team-0" / "in-sync-0.yaml"
        manifest.write_text(manifest.read_text().replace('"host-0"', '"renamed"'))
        result = drift("-f", f"{small}/git", "--live", f"{small}/lab.json", "-o", "json")
        (vm,) = vms(result).values()
        assert (vm["verdict"], vm["reasons"][0]["wins"], result.exit_code) == ("behind", "git", 1)

    def test_what_git_gave_up_is_removed_by_the_sync(self, small):
        manifest = small / "git" / "team-0" / "in-sync-0.yaml"
        vm = json.loads(manifest.read_text())
        del vm["spec"]["template"]["spec"]["hostname"]
        manifest.write_text(json.dumps(vm))
        result = drift("-f", f"{small}/git", "--live", f"{small}/lab.json", "-o", "json")
        (reason,) = vms(result)["team-0/in-sync-0"]["reasons"]
        assert reason["kind"] == "behind"
        assert [field["field"] for field in reason["fields"]] == ["spec.template.spec.hostname"]

    def test_an_amount_that_is_written_otherwise_is_no_drift(self, small):
        def stored(objects):
            for spec in (one(objects, "VirtualMachine")["spec"], objects[-3]["data"]["spec"]):
                spec["template"]["spec"]["domain"]["resources"] = {"requests": {"ephemeral-storage": "1Gi"}}

        manifest = small / "git" / "team-0" / "in-sync-0.yaml"
        vm = json.loads(manifest.read_text())
        vm["spec"]["template"]["spec"]["domain"]["resources"] = {"requests": {"ephemeral-storage": "1024Mi"}}
        manifest.write_text(json.dumps(vm))
        drifted = changed(small, stored)
        assert "edited" not in {reason["kind"] for reason in drifted["reasons"]}
        assert "behind" not in {reason["kind"] for reason in drifted["reasons"]}


class TestWhatGitDoesNotSet:
    """A field that Git does not set, by who wrote it."""

    FIELD = ("spec", "template", "spec", "domain", "machine")

    def wrote(self, small: Path, field: tuple[str, ...], value: Any, manager: str, time: str) -> dict[str, Any]:
        """What is said when the VM and its machine have a field that was written by a manager alone."""

        def change(objects):
            vm, vmi = one(objects, "VirtualMachine"), one(objects, "VirtualMachineInstance")
            revision = next(obj for obj in objects if obj["metadata"]["name"].startswith("revision-start"))
            for data in (vm, revision["data"]):
                for key in field[:-1]:
                    data = data[key]
                data[field[-1]] = value
            vmi["spec"] |= {field[-1]: value} if field[:-1] == self.FIELD[:3] else {}
            fields: Any = fleet.fields_of({"x": value})["f:x"]
            for key in reversed(field):
                fields = {f"f:{key}": fields}
            entries = vm["metadata"]["managedFields"]
            if manager == "helm":
                entries.clear()
            fleet._disown(entries[1]["fieldsV1"], fields) if entries else None
            entries.append(fleet.managed(manager, "Update", fields, time))

        return changed(small, change)

    def test_a_default_that_a_hand_has_changed_is_edited(self, small):
        vm = self.wrote(small, self.FIELD, {"type": "pc-q35-rhel9.2.0"}, "kubectl-edit", fleet.LATER)
        (reason,) = (reason for reason in vm["reasons"] if reason["kind"] == "edited")
        assert [field["field"] for field in reason["fields"]] == ["spec.template.spec.domain.machine.type"]
        assert (reason["wins"], reason["since"]) == ("hand", fleet.LATER)

    def test_one_that_was_filled_in_when_a_hand_created_the_vm_is_noise(self, small):
        vm = self.wrote(small, self.FIELD, {"type": "pc-q35-rhel9.2.0"}, "kubectl-create", fleet.TIME)
        assert vm["verdict"] == "in-sync"
        assert "spec.template.spec.domain.machine.type" in {noise["field"] for noise in vm["noise"]}

    def test_a_field_of_helms_may_have_been_taken_out_of_git(self, small):
        field = ("spec", "template", "spec", "terminationGracePeriodSeconds")
        vm = self.wrote(small, field, 5, "helm", fleet.TIME)
        (reason,) = vm["reasons"]
        assert (reason["kind"], [change["field"] for change in reason["fields"]]) == ("behind", [".".join(field)])
        assert reason["message"].startswith("Git does not set it: it was taken out of Git, or a webhook added it")

    def test_what_the_server_notes_counts_beside_an_old_note_of_kubectls(self, small):
        def change(objects):
            vm = one(objects, "VirtualMachine")
            vm["metadata"].setdefault("annotations", {})[LAST_APPLIED] = json.dumps(fleet.manifest(0))
            vm["spec"]["template"]["spec"]["terminationGracePeriodSeconds"] = 5
            fields = fleet.fields_of({"spec": {"template": {"spec": {"terminationGracePeriodSeconds": 5}}}})
            vm["metadata"]["managedFields"].append(fleet.managed("argocd-controller", "Apply", fields))

        reasons = {reason["kind"]: reason for reason in changed(small, change)["reasons"]}
        (field,) = reasons["behind"]["fields"]
        assert (field["field"], field["now"]) == ("spec.template.spec.terminationGracePeriodSeconds", 5)


class TestAppliedByKubectl:
    """`kubectl apply` notes what it applied last: the third side."""

    @pytest.fixture
    def applied(self, small: Path) -> Path:
        objects = fleet.cluster_objects(range(1))
        vm = one(objects, "VirtualMachine")
        vm["metadata"].setdefault("annotations", {})[LAST_APPLIED] = json.dumps(fleet.manifest(0))
        machine = fleet.fields_of({"spec": {"template": {"spec": {"hostname": ""}}}})
        vm["metadata"]["managedFields"] = [fleet.managed("kubectl-edit", "Update", machine, fleet.LATER)]
        vm["spec"]["template"]["spec"]["hostname"] = "by-hand"
        (small / "lab.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
        return small

    def write(self, applied: Path, **machine: str) -> None:
        vm = fleet.manifest(0)
        del vm["spec"]["template"]["spec"]["hostname"]
        vm["spec"]["template"]["spec"] |= machine
        (applied / "git" / "team-0" / "in-sync-0.yaml").write_text(json.dumps(vm))

    def test_a_field_that_git_and_a_hand_have_changed_is_told_with_what_it_was(self, applied):
        self.write(applied, hostname="of-git")
        result = drift("-f", f"{applied}/git", "--live", f"{applied}/lab.json", "in-sync-0")
        lines = [line.strip() for line in result.stdout.splitlines()]
        at = lines.index("spec.template.spec.hostname: by-hand → of-git")
        assert lines[at + 1 : at + 3] == ["applied last: host-0", f"written by kubectl-edit, {fleet.LATER}"]

    def test_a_field_that_git_has_no_more_is_taken_away_by_the_next_sync(self, applied):
        self.write(applied)
        result = drift("-f", f"{applied}/git", "--live", f"{applied}/lab.json", "-o", "json")
        (edited,) = (reason for reason in vms(result)["team-0/in-sync-0"]["reasons"] if reason["kind"] == "edited")
        (field,) = edited["fields"]
        assert (field["now"], "wanted" in field, field["applied"]) == ("by-hand", False, "host-0")


class TestForms:
    def test_text(self, repository, snapshot, monkeypatch):
        monkeypatch.chdir(repository)
        result = drift("-f", "git", "--live", "lab.json")
        first, titles, *_, last = result.stdout.splitlines()
        assert first == last
        assert titles == "git → lab"
        assert first.startswith("200 VMs: ")

    def test_a_vm_alone(self, repository, snapshot, monkeypatch):
        monkeypatch.chdir(repository)
        result = drift("-f", "git", "--live", "lab.json", "edited-13", "team-3/type-3", "pinned-7", "--noise")
        assert result.stdout == snapshot

    def test_markdown(self, repository, snapshot, tmp_path, monkeypatch):
        fleet.write_git(tmp_path / "git", range(12))
        fleet.write_dump(tmp_path / "lab.json", range(12))
        monkeypatch.chdir(tmp_path)
        assert drift("-f", "git", "--live", "lab.json", "-o", "markdown").stdout == snapshot

    def test_yaml_dumps_are_read_as_well(self, small):
        import otheryaml

        data = json.loads((small / "lab.json").read_text())
        (small / "lab.yaml").write_text(otheryaml.dump(data))
        results = [
            drift("-f", f"{small}/git", "--live", f"{small}/lab.{end}", "-o", "json") for end in ("json", "yaml")
        ]
        assert results[0].stdout == results[1].stdout

    def test_a_vm_that_is_nowhere_is_told(self, small):
        result = drift("-f", f"{small}/git", "--live", f"{small}/lab.json", "in-snyc-0")
        assert result.exit_code == 2
        assert "there is no VM 'in-snyc-0'" in result.stderr
