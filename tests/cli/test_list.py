"""`virtcatalog list`, `show` and `compare`: a catalog in the terminal."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import house
import pytest
from click.testing import CliRunner, Result

from virtcatalog.cli import main

TYPES = """\
class: g
name: "{{ class }}.{{ size }}"
sizes:
  old: {vcpus: 4, memory: 8Gi, deprecated: {replacedBy: g.new, sunset: 2030-01-01}}
  new:
    vcpus: 4
    memory: 16Gi
    displayName: "=cmd()"
    spec: {gpus: [{name: gpu, deviceName: example.org/gpu}], cpu: {dedicatedCPUPlacement: true}}
"""


@pytest.fixture(autouse=True)
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    house.write(tmp_path, house.FIRST | {"catalog/instancetypes/g.yaml": TYPES})


def run(*arguments: str, status: int = 0) -> Result:
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == status, result.output
    return result


def names(*arguments: str, status: int = 0) -> list[str]:
    return run("list", *arguments, "-o", "name", status=status).stdout.split()


class TestFilters:
    def test_types_are_sorted_by_class_and_size(self):
        assert names() == ["g.old", "g.new", "m.small", "m.large", "m.huge"]

    @pytest.mark.parametrize(
        ("filters", "left"),
        [
            ("--class m", ["m.small", "m.large", "m.huge"]),
            ("--class *", ["g.old", "g.new", "m.small", "m.large", "m.huge"]),
            ("--min-vcpus 4", ["g.old", "g.new", "m.huge"]),
            ("--max-vcpus 4 --min-vcpus 2", ["g.old", "g.new", "m.large"]),
            ("--min-memory 16Gi", ["g.new", "m.huge"]),
            ("--max-memory 8Gi", ["g.old", "m.small", "m.large"]),
            ("--gpu", ["g.new"]),
            ("--dedicated", ["g.new"]),
            ("--no-deprecated --class g", ["g.new"]),
            ("types g.* m.small", ["g.old", "g.new", "m.small"]),
        ],
    )
    def test_leave_these(self, filters, left):
        assert names(*filters.split()) == left

    def test_nothing_left_is_told(self):
        assert run("list", "--min-vcpus", "99", status=1).stderr == "no instance type\n"

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ("list preferences --gpu", "--gpu is about types, not about preferences"),
            ("list templates --class m --gpu", "--class is about types, not about templates"),
            ("list environments --min-vcpus 1", "--min-vcpus is about types, not about environments"),
            ("list --min-memory much", "'much' is not a quantity such as 2, 0.5, 500m, 1Gi or 1e9"),
            ("list types m.lrage", "there is no 'm.lrage'; did you mean 'm.large'?"),
            ("list -e nowhere", "there is no environment 'nowhere' in catalog; there is lab, production"),
            ("list -c nowhere", "nowhere: there is no such file or folder"),
            ("list -c cluster", "cluster: offers no instance type and no preference"),
            ("show g.*", "g.* means 2 things; `virtcatalog list` lists them"),
            ("compare m.large", "name two or more to compare"),
            ("compare m.large lab", "types and environments cannot be compared with each other"),
            ("show web -o xml", "web is no instance type and no preference; `virtcatalog expand` shows VMs"),
        ],
    )
    def test_nonsense(self, arguments, message):
        assert f"{message}\n" in run(*arguments.split(), status=2).stderr


class TestPrices:
    @pytest.fixture(autouse=True)
    def prices(self):
        text = (
            "currency: EUR\nperHour: {cpu: 0.0125, memory: 0.0031}\nlicences: [{preferences: [house.linux], vm: 0.5}]\n"
        )
        Path("catalog/overlays.yaml").write_text("lab: {}\nproduction: {}\n")
        Path("catalog/prices.yaml").write_text(text + "environments: {production: {cpu: 1}}\n")

    def facts(self, *arguments: str) -> dict[str, dict[str, object]]:
        return {row["name"]: row for row in json.loads(run("list", *arguments, "-o", "json").stdout)}

    def test_are_those_of_the_catalog(self):
        large = self.facts()["m.large"]
        assert (large["vcpus"], large["memory"]) == (2, 8 * 2**30)
        assert (large["pricePerHour"], large["pricePerMonth"], large["currency"]) == ("0.0498", "36.35", "EUR")

    def test_of_what_has_no_price_for_all_of_it_there_is_none(self):
        row = self.facts()["g.new"]
        assert (row["pricePerHour"], row["unpriced"]) == (None, "example.org/gpu")

    def test_an_environment_has_its_own(self):
        assert self.facts("-e", "production")["m.large"]["pricePerHour"] == "2.0248"
        assert self.facts("-e", "lab", "-e", "production")["m.large"]["pricePerHour"] == "0.0498"

    def test_preferences_have_licences(self):
        (row, *_) = self.facts("preferences").values()
        assert (row["licencePerVcpu"], row["licencePerVm"]) == (None, "0.5000")

    def test_a_file_of_its_own_counts_in_their_place(self):
        Path("other.yaml").write_text("perHour: {cpu: 1, memory: 0}\n")
        assert self.facts("--prices", "other.yaml")["m.large"]["pricePerHour"] == "2.0000"
        run("build")
        assert self.facts("-c", "output", "--prices", "other.yaml")["m.large"]["pricePerHour"] == "2.0000"

    def test_are_filtered_by(self):
        assert names("--max-price", "0.0498") == ["m.small", "m.large"]
        assert "'much' is no amount" in run("list", "--max-price", "much", status=2).stderr
        assert "is about types" in run("list", "preferences", "--max-price", "0", status=2).stderr

    def test_are_shown_and_compared(self):
        assert "Price an hour  0.0498" in run("show", "m.large").stdout
        assert re.search(r"\* A month +18.18 +36.35\n", run("compare", "m.small", "m.large", status=1).stdout)

    def test_without_them_there_is_nothing_to_filter_by(self):
        Path("catalog/prices.yaml").unlink()
        message = "--max-price: there are no prices; --prices names a file of them\n"
        assert run("list", "--max-price", "1", status=2).stderr.endswith(message)


class TestForms:
    def test_json_has_bytes_and_every_fact(self):
        rows = {row["name"]: row for row in json.loads(run("list", "-o", "json").stdout)}
        assert rows["g.old"] == {
            "name": "g.old",
            "class": "g",
            "vcpus": 4,
            "memory": 8 * 2**30,
            "gpus": None,
            "hostDevices": None,
            "dedicatedCpus": False,
            "hugePages": None,
            "deprecated": "use g.new, until 2030-01-01",
            "displayName": None,
        }

    def test_csv_computes_nothing_in_a_spreadsheet(self):
        rows = {row["name"]: row for row in csv.DictReader(io.StringIO(run("list", "-o", "csv").stdout))}
        assert rows["g.new"]["displayName"] == "'=cmd()"
        assert rows["g.new"]["memory"] == str(16 * 2**30)

    def test_an_output_tree_offers_the_same_types(self):
        run("build")
        assert names("-c", "output") == names()

    def test_environments_deploy_what_they_select(self):
        Path("catalog/overlays.yaml").write_text("lab: {}\nproduction: {select: {names: ['m.*']}}\n")
        assert names("-e", "production") == ["m.small", "m.large", "m.huge"]
        assert names("environments", "-e", "lab") == ["lab"]


class TestCompare:
    def test_a_table_has_eight_at_most(self):
        sizes = "".join(f"  s{number}: {{vcpus: {number}, memory: 1Gi}}\n" for number in range(1, 10))
        Path("catalog/instancetypes/z.yaml").write_text(f"class: z\nsizes:\n{sizes}")
        table = run("compare", *(f"z.s{number}" for number in range(1, 9)), status=1).stdout
        assert table.split("\n")[0].split() == ["Fact", *(f"z.s{number}" for number in range(1, 9))]
        message = "a table compares 8 at most, and these are 9; -o csv takes them all\n"
        assert run("compare", "z.*", status=2).stderr.endswith(message)
        rows = csv.DictReader(io.StringIO(run("compare", "z.*", "-o", "csv", status=1).stdout))
        assert [row["name"] for row in rows] == [f"z.s{number}" for number in range(1, 10)]

    def test_what_differs_is_bold(self):
        result = CliRunner().invoke(main, ["compare", "m.small", "m.large", "--color", "always"], color=True)
        _, *lines = result.stdout.splitlines()
        bold, plain = "\x1b[1m* ", "  "
        assert {line.startswith(bold) - line.startswith(plain) for line in lines} == {1, -1}


class TestShow:
    def test_what_the_least_vm_gets(self):
        assert "  Guest CPUs    2: sockets 2, cores 1, threads 1\n" in run("show", "m.large").stdout
        assert "devices.disks[0].disk.bus  sata" in run("show", "house.windows").stdout

    def test_manifests_and_domains(self):
        assert json.loads(run("show", "m.large", "-o", "json").stdout)["kind"] == "VirtualMachineClusterInstancetype"
        assert run("show", "m.large", "-o", "xml").stdout.startswith('<domain type="kvm"')

    def test_the_cpus_and_the_cluster_count(self):
        Path("virtcatalog.toml").write_text("arch = 'arm64'")
        assert 'arch="aarch64"' in run("show", "m.large", "-o", "xml").stdout

    def test_of_several_environments_the_first_says_which_release_it_is(self):
        Path("catalog/overlays.yaml").write_text("lab: {kubevirt: v1.8.4}\nproduction: {}\n")
        domains = {
            environments: run("show", "m.large", "-o", "xml", *environments).stdout
            for environments in (("-e", "lab"), ("-e", "production"), ("-e", "lab", "-e", "production"))
        }
        lab, production, both = domains.values()
        assert lab != production
        assert both == lab


def test_a_word_that_is_no_sort_is_a_name_of_types():
    assert names("m.*") == names("types", "m.*")
    assert "did you mean 'types'?" in run("list", "type", status=2).stderr


def test_what_a_pod_requests_of_huge_pages_is_shown() -> None:
    pages = "class: p\nsizes: {large: {vcpus: 1, memory: 32Gi, spec: {memory: {hugepages: {pageSize: 1Gi}}}}}\n"
    Path("catalog/instancetypes/p.yaml").write_text(pages)
    (requests,) = (line for line in run("show", "p.large").stdout.splitlines() if "Pod requests" in line)
    assert "hugepages-1Gi 32 GiB" in requests
