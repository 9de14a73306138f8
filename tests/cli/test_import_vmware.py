"""`virtcatalog import vmware`: whole runs."""

from __future__ import annotations

import csv
import io
import json
import tarfile
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from workbooks import rows_of, workbook

from sampling import thorough
from virtcatalog.cli import main

FIXTURES = Path(__file__).parents[1] / "bring" / "vmware"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("ovf").mkdir()
    for name in ("vcenter", "virtualbox", "proxmox"):
        Path(f"ovf/{name}.ovf").write_bytes((FIXTURES / f"{name}.ovf").read_bytes())
    Path("rvtools").symlink_to(FIXTURES / "rvtools")
    Path("inventory").symlink_to(FIXTURES / "inventory")
    with tarfile.open("mail.ova", "w") as tar:
        tar.add("ovf/proxmox.ovf", "mail.ovf")


def run(*arguments: str, stdin: bytes | None = None, width: int = 160) -> Result:
    result = CliRunner().invoke(main, ["import", "vmware", *arguments], input=stdin, terminal_width=width)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@pytest.mark.parametrize(
    "arguments",
    [
        ["-f", "ovf/vcenter.ovf", "-c", "common-instancetypes"],
        ["-f", "ovf/virtualbox.ovf"],
        ["-f", "ovf", "-c", "common-instancetypes", "-o", "table"],
        ["-f", "ovf", "-c", "common-instancetypes", "-o", "csv", "--vm", "m*"],
        ["-f", "mail.ova", "-c", "common-instancetypes", "-o", "report"],
        ["-f", "mail.ova", "-c", "common-instancetypes", "--disks", "upload", "--raw", "--namespace", "mail"],
        ["-f", "ovf", "-c", "common-instancetypes", "--propose"],
        ["-f", "rvtools", "-c", "common-instancetypes", "-o", "table"],
        ["-f", "rvtools", "-c", "common-instancetypes", "--vm", "crm*", "--disks", "upload"],
        ["-f", "rvtools/RVTools_tabvInfo.csv", "-f", "rvtools/RVTools_tabvDisk.csv", "-f", "mail.ova", "-q"],
        ["-f", "inventory", "-c", "common-instancetypes", "-o", "table"],
        ["-f", "inventory", "-c", "common-instancetypes", "--vm", "billing*"],
        ["-f", "ovf/vcenter.ovf", "--vm", "other"],
        ["-f", "missing.ovf", "-f", "mail.ova", "-q"],
        ["--help"],
    ],
    ids=" ".join,
)
def test_whole_runs(arguments, snapshot):
    result = run(*arguments)
    assert f"exit {result.exit_code}\n{result.stdout}--- stderr\n{result.stderr}" == snapshot


@pytest.mark.parametrize("width", [80, 160])
def test_help_at_both_widths(width, snapshot):
    assert run("--help", width=width).stdout == snapshot(name=f"{width} columns")


def test_json_is_all_that_is_known_of_a_vm(snapshot):
    (document,) = json.loads(run("-f", "mail.ova", "-c", "common-instancetypes", "-o", "json").stdout)
    document["attributes"] = document["attributes"][:2]
    assert document == snapshot


INFO, DISK, NETWORK = (f"RVTools_tab{sheet}.csv" for sheet in ("vInfo", "vDisk", "vNetwork"))
EXPORTS = {
    "large": {INFO: "VM,CPUs,Memory,Powerstate\nbig,100000,4096,poweredOn\nweb,2,4096,poweredOff\n"},
    "staying": {
        INFO: "VM,CPUs,Memory,Template,SRM Placeholder\nweb,1,1024,False,False\nbase,1,1024,True,False\n"
        "gold,1,1024,True,False\nweb,1,1024,False,True\nvCLS (1),1,128,False,False\n"
    },
    "whole": {
        INFO: "VM,CPUs,Memory,Firmware,EFI Secure boot,Annotation,Owner,Contact\n"
        f"web,2,4096,efi,True,the web,{'x' * 40},{'y' * 41}\ndb,2,4096,bios,,,,\n",
        DISK: "VM,Disk,Capacity MiB,Controller,Unit #,Path\n"
        "web,Hard disk 1,10240,SCSI controller 0,0,[ssd] web.vmdk\n"
        "web,Hard disk 2,1024,SCSI controller 0,1,[ssd] web_1.vmdk\n",
        NETWORK: "VM,NIC label,Network,Mac Address,Adapter,Starts Connected\n"
        "web,1,LAN,00:50:56:00:00:01,Vmxnet3,True\nweb,2,DMZ,00:50:56:00:00:02,E1000,False\n",
    },
    "no": {"notes.txt": "x"},
}
CATALOG = """\
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineClusterInstancetype
metadata: {name: small}
spec: {cpu: {guest: 2}, memory: {guest: 4Gi}}
"""


def write(files: dict[str, str]) -> None:
    """Write an export into the folder `small`."""
    Path("small").mkdir()
    for name, text in files.items():
        Path("small", name).write_text(text)


@pytest.mark.parametrize(
    ("export", "arguments"),
    [
        ("large", "-o table"),
        ("large", "-o csv -n shop"),
        ("large", "-o json -n shop --vm big"),
        ("large", "--run-strategy Always -n shop -q"),
        ("staying", "-o csv"),
        ("staying", "-o csv --vm g* --vm base --vm vCLS*"),
        ("whole", "-o report"),
        ("whole", "-o table -c types.yaml"),
        ("whole", "-o csv -c types.yaml"),
        ("whole", "-c types.yaml --raw --disks upload"),
        ("whole", "--propose"),
        ("whole", "--vm x* --vm y*"),
        ("whole", "--namespace A_B"),
        ("whole", "--wave vms=3"),
        ("whole", "--templates"),
        ("whole", "--prices prices.yaml -o csv"),
        ("whole", "--nodes nodes.yaml --prices prices.yaml -o csv"),
        ("whole", "-f gone.json -f gone.xlsx -f gone/RVTools_tabvInfo.csv -f gone.ova -q"),
        ("no", ""),
    ],
)
def test_whole_runs_of_small_exports(export, arguments, snapshot):
    Path("types.yaml").write_text(CATALOG)
    Path("prices.yaml").write_text("currency: EUR\nperMonth: {cpu: 8}\n")
    Path("nodes.yaml").write_text("nodes: [{name: small, count: 2, allocatable: {cpu: 14, memory: 6Gi}}]\n")
    write(EXPORTS[export])
    result = run("-f", "small", *arguments.split())
    assert f"exit {result.exit_code}\n{result.stdout}--- stderr\n{result.stderr}" == snapshot


def test_a_folder_has_every_vm_a_table_and_the_account(snapshot):
    write(EXPORTS["whole"])
    result = run("-f", "small", "--output-dir", "out", "-n", "shop", "--mapping", "maps/mine.yaml")
    assert f"exit {result.exit_code}\n{result.stdout}--- stderr\n{result.stderr}" == snapshot(name="said")
    paths = [path for folder in ("maps", "out") for path in sorted(Path(folder).rglob("*.*"))]
    assert {str(path): path.read_text() for path in paths} == snapshot(name="files")


@pytest.mark.parametrize(
    ("columns", "rows", "last"),
    [
        (
            41,
            ["a,1,1024"],
            ["and 1 attribute more: -o report", "1 VM: 1 with none; 44 attributes: 3 carried, 0 the host's, 41 lost"],
        ),
        (40, ["a,1,1024"], ["1 VM: 1 with none; 43 attributes: 3 carried, 0 the host's, 40 lost"]),
        (
            0,
            [f"big{number},100000,4096" for number in range(42)],
            [
                "and 2 refusals more: -o json",
                "42 VMs: 42 refused; 126 attributes: 0 carried, 0 the host's, 0 lost, 126 not proven",
            ],
        ),
    ],
)
def test_forty_lines_are_printed_of_what_is_lost_or_refused(columns, rows, last):
    owners = "".join(f",Owner {number}" for number in range(columns))
    write({INFO: "\n".join([f"VM,CPUs,Memory{owners}", *(f"{row}{owners}" for row in rows), ""])})
    lines = run("-f", "small", "-o", "csv").stderr.splitlines()
    assert lines[40:] == last
    assert all(line.startswith("small/RVTools_tabvInfo.csv:") for line in lines[:40])


@pytest.mark.parametrize(
    ("form", "pointer"), [("yaml", ": -o report"), ("report", ""), ("json", ""), ("table", ": -o report")]
)
def test_a_form_that_has_all_points_to_no_other(form: str, pointer: str) -> None:
    owners = "".join(f",Owner {number}" for number in range(41))
    write({INFO: f"VM,CPUs,Memory{owners}\na,1,1024{owners}\n"})
    assert run("-f", "small", "-o", form).stderr.splitlines()[40] == f"and 1 attribute more{pointer}"


def test_forty_vms_are_named_that_are_in_no_plan():
    rows = (f"vm{number},1,1024" for number in range(42))
    write(
        {
            INFO: "\n".join(["VM,CPUs,Memory", *rows, ""]),
            DISK: "VM,Capacity MiB\n" + "".join(f"vm{number},1024\n" for number in range(42)),
        }
    )
    lines = run("-f", "small", "--output-dir", "out", "-n", "shop", "--forklift", "mtv/vsphere").stderr.splitlines()
    unplanned = [line for line in lines if "in no Plan" in line]
    assert unplanned[0] == (
        "small/RVTools_tabvInfo.csv:2:1: shop/vm0: is in no Plan: a disk's bus is not told, by which forklift numbers "
        "disks"
    )
    assert len(unplanned) == 41
    assert unplanned[-1] == "and 2 VMs more in no Plan"


def test_json_has_the_vm_and_every_attribute():
    (document,) = json.loads(run("-f", "mail.ova", "-c", "common-instancetypes", "-o", "json").stdout)
    assert document["vm"]["metadata"] == {"name": "mail"}
    assert (document["outcome"], document["refused"]) == ("larger", [])
    first = document["attributes"][0]
    assert first["path"] == "VirtualSystem/@id"
    assert {"value": "mail", "fate": "host", "file": "mail.ova"}.items() <= first.items()
    lines = (FIXTURES / "proxmox.ovf").read_text().splitlines()
    assert "<ovf:VirtualSystem " in lines[first["line"] - 1]


def test_a_folder_gets_a_file_for_each_vm_and_tables(snapshot):
    result = run("-f", "ovf", "-c", "common-instancetypes", "--output-dir", "out")
    assert result.stdout == snapshot
    assert sorted(str(path.relative_to("out")) for path in Path("out").rglob("*.*")) == [
        "account.csv",
        "mapping.yaml",
        "vms.csv",
        "vms/erp-db.yaml",
        "vms/lab.yaml",
        "vms/mail.yaml",
    ]
    assert Path("out/mapping.yaml").read_text() == snapshot(name="mapping.yaml")


class TestMapping:
    def test_it_is_made_and_read_from_then_on(self):
        result = run("-f", "ovf/proxmox.ovf", "-c", "common-instancetypes", "--mapping", "m.yaml")
        assert (
            "m.yaml: made: say in it what vSphere's networks and datastores are in the cluster, and import again"
            in result.stderr
        )
        text = Path("m.yaml").read_text()
        assert "vmbr0: pod" in text
        Path("m.yaml").write_text(text.replace("vmbr0: pod", "vmbr0: vlans/mail"))
        again = run("-f", "ovf/proxmox.ovf", "-c", "common-instancetypes", "--mapping", "m.yaml")
        assert "networkName: vlans/mail" in again.stdout
        assert "made" not in again.stderr

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("# mine\nnetworks: {vmbr1: pod}", "m.yaml:2:1: networks: 'vmbr0' is missing: 1 VM has it"),
            ("networks: {vmbr0: A_B}", "m.yaml:1:12: networks.vmbr0: the network's name 'A_B' must consist of"),
            ("networks: {vmbr0: pod}\nguest: {}", "m.yaml:2:1: guest: "),
            (
                "networks: {vmbr0: pod}\nguests: {BeOS: alpin}",
                "m.yaml:2:10: guests.BeOS: there is no preference 'alpin'; did you mean 'alpine'?",
            ),
            ("[", "m.yaml:2:1: is not YAML"),
        ],
    )
    def test_what_it_does_not_tell_of_is_an_error(self, text, message):
        Path("m.yaml").write_text(text)
        result = run("-f", "ovf/proxmox.ovf", "-c", "common-instancetypes", "--mapping", "m.yaml")
        assert result.exit_code == 2
        assert message in result.stderr
        assert result.stdout == ""


class TestExports:
    """RVTools' sheets, each in a file of its own."""

    def test_sheets_belong_together_by_their_folder_and_what_is_in_front_of_their_names(self):
        for name in ("a/RVTools_tabvInfo.csv", "b/RVTools_tabvInfo.csv", "b/2_vInfo.CSV"):
            Path(name).parent.mkdir(exist_ok=True)
            Path(name).write_text(f"VM,VM ID,CPUs,Memory\n{Path(name).stem} {Path(name).parent},vm-1,2,4096\n")
        Path("b/2_vCPU.csv").write_text("VM ID,CPUs,Cores p/s\nvm-1,2,2\n")
        Path("b/notes.csv").write_text("a,b\n")
        result = run("-f", "a", "-f", "b", "-o", "json")
        machines = {one["machine"]: one for one in json.loads(result.stdout)}
        assert sorted(machines) == ["2_vInfo b", "RVTools_tabvInfo a", "RVTools_tabvInfo b"]
        sockets = {name: one["vm"]["spec"]["template"]["spec"]["domain"]["cpu"] for name, one in machines.items()}
        assert sockets["2_vInfo b"]["cores"] == 2
        assert sockets["RVTools_tabvInfo b"]["cores"] == 1

    def test_a_workbook_has_all_sheets(self):
        sheets = {
            file.stem.removeprefix("RVTools_tab"): rows_of(file.read_bytes()) for file in Path("rvtools").iterdir()
        }
        Path("all.xlsx").write_bytes(workbook(sheets))
        csvs = run("-f", "rvtools", "-c", "common-instancetypes")
        result = run("-f", "all.xlsx", "-c", "common-instancetypes")
        assert result.stdout == csvs.stdout
        assert "all.xlsx#vDisk:3:21: crm-db: vDisk/Controller: lost: " in result.stderr

    def test_a_workbook_of_other_sheets_is_no_export(self):
        Path("all.xlsx").write_bytes(workbook({"Sheet1": [["VM"]]}))
        assert "all.xlsx: has no sheet vInfo: it is no RVTools export\n" in run("-f", "all.xlsx").stderr

    def test_what_cannot_be_read_is_told_and_the_rest_imported(self):
        Path("RVTools_tabvInfo.csv").write_text("VM,CPUs,Memory\nweb,2,4096\ndb,,\n")
        Path("RVTools_tabvDisk.csv").write_text("VM,Capacity MiB\nold,1024\n")
        result = run("-f", "RVTools_tabvInfo.csv", "-f", "RVTools_tabvDisk.csv", "-o", "csv", "-q")
        assert result.exit_code == 2
        assert [row["name"] for row in csv.DictReader(io.StringIO(result.stdout))] == ["web"]
        assert result.stderr.splitlines()[:2] == [
            "RVTools_tabvDisk.csv:2:1: old: VM: RVTools_tabvInfo.csv has no such VM: export all sheets at once",
            "RVTools_tabvInfo.csv:3:2: db: CPUs: '' is no whole number from 1 on",
        ]

    @pytest.mark.parametrize(
        ("files", "message"),
        [
            ({"RVTools_tabvDisk.csv": "VM,Capacity MiB\n"}, "there is no vInfo beside it, which has the VMs"),
            ({"RVTools_tabvInfo.csv": ""}, "x/RVTools_tabvInfo.csv: is empty"),
            ({"vInfo.csv": "VM\n", "VINFO.csv": "VM\n"}, "x/vInfo.csv: x/VINFO.csv is vInfo already"),
        ],
    )
    def test_what_is_no_export_is_an_error(self, files, message):
        Path("x").mkdir()
        for name, text in files.items():
            Path("x", name).write_text(text)
        result = run("-f", "x")
        assert (result.exit_code, result.stdout) == (2, "")
        assert any(line.endswith(message) for line in result.stderr.splitlines())


def test_vms_that_templates_make_have_values_and_no_manifest():
    write({INFO: "VM,CPUs,Memory\na,1,1024\nb,1,1024\n"})
    result = run("-f", "small", "--output-dir", "out", "--templates")
    assert result.stdout == ("out/vms.csv\nout/account.csv\nout/templates/vm.yaml\nout/vms: 0 VMs\nout/values: 2 VMs\n")
    paths = sorted(str(path.relative_to("out")) for path in Path("out").rglob("*.*"))
    assert paths == [
        "account.csv",
        "mapping.yaml",
        "templates/vm.yaml",
        "values/vm/a.yaml",
        "values/vm/b.yaml",
        "vms.csv",
    ]
    assert Path("out/values/vm/a.yaml").read_text() == "NAME: a\n"


class TestTemplates:
    """VMs that are alike."""

    ARGUMENTS = ("-f", "inventory", "-c", "common-instancetypes", "--output-dir", "out", "-n", "shop")

    def test_they_are_one_template_and_values_for_each(self, snapshot):
        run(*self.ARGUMENTS)
        manifest = Path("out/vms/web-02.yaml").read_text()
        result = run(*self.ARGUMENTS, "--templates")
        assert result.stdout == snapshot
        assert sorted(path.name for path in Path("out/vms").iterdir()) == ["billing-db.yaml", "legacy-app.yaml"]
        name = "ubuntu-u1-2xmedium"
        assert Path(f"out/templates/{name}.yaml").read_text() == snapshot(name="template")
        values = ["-f", f"out/templates/{name}.yaml", "--params-file", f"out/values/{name}/web-02.yaml"]
        processed = CliRunner().invoke(main, ["template", "process", *values]).stdout
        Path("made.yaml").write_text(processed.replace("name: web-02", "name: web-02\n  namespace: shop", 1))
        Path("vm.yaml").write_text(manifest)
        domains = [
            CliRunner().invoke(main, ["expand", "-f", file, "-c", "common-instancetypes", "-q"]).stdout
            for file in ("made.yaml", "vm.yaml")
        ]
        assert domains[0] == domains[1] != ""

    def test_they_need_a_folder(self):
        result = run("-f", "inventory", "--templates")
        assert result.exit_code == 2
        assert "--templates needs --output-dir" in result.stderr


class TestForklift:
    """Objects by which forklift moves the VMs."""

    ARGUMENTS = ("-f", "inventory", "-c", "common-instancetypes", "--output-dir", "out", "-n", "shop")

    @pytest.fixture(autouse=True)
    def mapping(self):
        run(*self.ARGUMENTS)
        text = Path("out/mapping.yaml").read_text()
        assert text.count("storageClass: ''") == 2
        Path("out/mapping.yaml").write_text(text.replace("storageClass: ''", "storageClass: ceph"))

    def test_the_objects_are_beside_the_vms(self, snapshot):
        result = run(*self.ARGUMENTS, "--forklift", "mtv/vsphere", "--wave", "vms=1")
        assert result.stdout == snapshot
        assert "is in no Plan" not in result.stderr
        texts = "".join(path.read_text() for path in sorted(Path("out/forklift").iterdir()))
        assert texts == snapshot(name="objects")

    def test_plans_that_were_there_go(self):
        run(*self.ARGUMENTS, "--forklift", "mtv/vsphere", "--wave", "vms=1")
        Path("out/forklift/notes.yaml").touch()
        run(*self.ARGUMENTS, "--forklift", "mtv/vsphere", "--vm", "web*")
        assert sorted(path.name for path in Path("out/forklift").iterdir()) == [
            "networkmap.yaml",
            "notes.yaml",
            "plan-wave-01.yaml",
            "storagemap.yaml",
        ]

    def test_a_mapping_that_forklift_would_refuse_writes_nothing(self):
        file = Path("out/mapping.yaml")
        file.write_text(file.read_text().replace("ceph", "''"))
        result = run(*self.ARGUMENTS, "--forklift", "mtv/vsphere")
        assert result.exit_code == 2
        (line,) = [number for number, text in enumerate(file.read_text().splitlines(), 1) if "nfs-01" in text]
        place = f"out/mapping.yaml:{line + 1}:5: datastores.nfs-01.storageClass"
        assert f"{place}: forklift asks for a storage class: fill in its name" in result.stderr
        assert not Path("out/forklift").exists()

    def test_vms_that_fit_no_node_are_in_no_plan(self):
        Path("nodes.yaml").write_text("nodes: [{name: small, count: 2, allocatable: {cpu: 14, memory: 12Gi}}]\n")
        Path("prices.yaml").write_text("currency: EUR\nperMonth: {cpu: 8, memory: 2.5}\n")
        result = run(
            *self.ARGUMENTS, "--forklift", "mtv/vsphere", "--nodes", "nodes.yaml", "--prices", "prices.yaml", "-q"
        )
        assert result.exit_code == 1
        assert "3 VMs on 1 of 2 nodes, 1 left" in result.stderr
        assert "shop/billing-db: is in no Plan: fits no node" in result.stderr
        assert "requests: 1.32 CPUs, 43.3 GiB: 118.81 EUR a month" in result.stderr
        assert "billing-db" not in "".join(path.read_text() for path in Path("out/forklift").iterdir())

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["--forklift", "vsphere"], "'vsphere' is no NAMESPACE/PROVIDER"),
            (["--forklift", "a/b/c"], "'a/b/c' is no NAMESPACE/PROVIDER"),
            (["--forklift", "mtv/v", "--wave", "vms=0"], "'vms=0' is none of vms=NUMBER, disks=SIZE and host=NUMBER"),
            (["--forklift", "mtv/v", "--wave", "disks=many"], "'disks=many' is none of"),
            (["--forklift", "mtv/v", "--wave", "_fields=3"], "'_fields=3' is none of"),
            (["--forklift", "mtv/v", "--disks", "upload"], "--forklift needs --output-dir and --namespace"),
            (["--wave", "vms=3"], "--wave is for --forklift"),
        ],
    )
    def test_what_is_no_provider_or_limit_is_wrong_usage(self, arguments, message):
        result = run(*self.ARGUMENTS, *arguments)
        assert result.exit_code == 2
        assert message in result.stderr.replace("\n", " ")


class TestInventory:
    """Forklift's inventory."""

    def test_standard_input_has_the_vms_alone(self):
        vms = Path("inventory/vms.json").read_bytes()
        result = run("-f", "-", "-o", "csv", "--vm", "web*", "-q", stdin=vms)
        assert [row["networks"] for row in csv.DictReader(io.StringIO(result.stdout))] == ["network-13"] * 2

    def test_lists_in_another_folder_are_those_of_another_vcenter(self):
        for name, network in (("a", "Office"), ("b", "Plant")):
            Path(name).mkdir()
            vm = {"id": "vm-1", "name": name, "cpuCount": 1, "memoryMB": 1024, "nics": [{"network": {"id": "n-1"}}]}
            Path(name, "vms.json").write_text(json.dumps([vm]))
            Path(name, "networks.json").write_text(json.dumps([{"id": "n-1", "name": network}]))
        rows = csv.DictReader(io.StringIO(run("-f", "a", "-f", "b", "-o", "csv", "-q").stdout))
        assert {row["machine"]: row["networks"] for row in rows} == {"a": "Office", "b": "Plant"}


def test_nothing_that_is_written_as_csv_is_a_formula():
    text = (FIXTURES / "proxmox.ovf").read_text().replace("Debian GNU/Linux 12 (64-bit)", '=HYPERLINK("x")')
    text = text.replace("<ovf:Name>mail<", "<ovf:Name>@mail<").replace("otherLinux64Guest", "+1Guest")
    Path("evil.ovf").write_text(text)
    run("-f", "evil.ovf", "--output-dir", "out")
    for name in ("vms", "account"):
        rows = list(csv.reader(io.StringIO(Path(f"out/{name}.csv").read_text())))
        cells = [cell for row in rows for cell in row]
        assert [cell for cell in cells if cell[:1] in tuple("=+-@\t\r")] == []
        assert any(cell.startswith("'") for cell in cells)


@thorough
def test_an_archive_may_be_larger_than_what_is_read():
    with tarfile.open("large.ova", "w") as tar:
        member = tarfile.TarInfo("disk.vmdk")
        member.size = 300 * 2**20
        Path("disk").touch()
        with Path("disk").open("r+b") as disk:
            disk.truncate(member.size)
            tar.addfile(member, disk)
        tar.add("ovf/proxmox.ovf", "mail.ovf")
    assert run("-f", "large.ova", "-q").stdout.startswith("apiVersion: kubevirt.io/v1\n")


def test_no_link_out_of_a_folder_is_followed():
    Path("ovf/link.ova").symlink_to(Path("mail.ova").resolve())
    result = run("-f", "ovf", "-c", "common-instancetypes", "-o", "csv")
    assert [row["name"] for row in csv.DictReader(io.StringIO(result.stdout))] == ["mail", "erp-db", "lab"]
    assert result.exit_code == 2
    assert "ovf/link.ova: " in result.stderr


def test_a_sheet_whose_name_does_not_say_which_it_is_is_named():
    Path("vms.csv").write_text("VM,Powerstate\nweb,poweredOn\n")
    result = run("-f", "vms.csv")
    why = "which sheet of RVTools this is, its name has to say, as in RVTools_tabvInfo.csv"
    assert (result.exit_code, result.stderr) == (2, f"vms.csv: {why}\n0 VMs\n")


def test_an_archive_behind_a_link_is_named():
    Path("mail.ova").rename("ovf/mail.ova")
    Path("ovf/link.ova").symlink_to("mail.ova")
    result = run("-f", "ovf", "-c", "common-instancetypes", "-o", "csv")
    assert result.exit_code == 2
    assert "ovf/link.ova: is behind a link: name it itself" in result.stderr.splitlines()
