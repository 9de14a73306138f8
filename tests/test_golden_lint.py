"""libvirt's own schema takes the golden domains, and says what is wrong with others."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from virtcatalog.cli import main
from virtcatalog.kubevirt.launcher.lint import ALLOWANCES, Schema, SchemaMissingError, newest_schema

GOLDEN = sorted(Path(__file__).parent.glob("golden/*/*.xml"))
DOCUMENT = Path(__file__).parents[1] / "docs" / "fidelity.md"

DOMAIN = """\
<domain type="kvm">
  <name>vm</name>
  <memory unit="b">1073741824</memory>
  <os>
    <type arch="x86_64" machine="q35">hvm</type>
  </os>
  {part}
  <devices>
    {device}
  </devices>
</domain>
"""


@pytest.fixture
def findings(schema):
    """Lint a small domain with a part and a device in it."""
    return lambda part="", device="": [
        (each.line, each.element, each.message) for each in schema.findings(DOMAIN.format(part=part, device=device))
    ]


@pytest.mark.parametrize("file", GOLDEN, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_golden_domains(schema, file):
    assert not schema.findings(file.read_text(encoding="utf-8"))


def test_a_sound_domain(findings):
    assert findings() == []


def test_a_value_is_blamed_where_it_stands(findings):
    disk = '<disk type="file" device="disk"><source file="/d"/><target dev="vda" bus="tape"/></disk>'
    assert findings(device=disk) == [(9, "disk", 'bus="tape" of <target> does not fit the schema')]


def test_an_element_is_blamed_where_it_stands(findings):
    assert findings("<features><acpi/><warp/></features>") == [
        (7, "features", "<warp> in <features> does not fit the schema")
    ]


def test_every_part_at_fault_is_named(findings):
    found = findings("<features><warp/></features>", '<video><model type="paper"/></video>')
    assert [element for _, element, _ in found] == ["features", "video"]


def test_what_is_allowed_is_what_kubevirt_writes_and_no_more(findings):
    disk = '<disk type="file" device="disk"><source file="/d"/><target dev="vda"/>{}</disk>'
    assert findings(device=disk.format("<capacity>1</capacity>")) == []
    assert findings(device=disk.format("<volume>1</volume>")) == [
        (9, "disk", "<volume> in <disk> does not fit the schema")
    ]


def test_a_schema_that_is_missing_says_what_to_install(tmp_path):
    with pytest.raises(SchemaMissingError, match="libvirt0"):
        Schema(tmp_path / "domain.rng")


def test_a_file_that_is_no_schema(tmp_path):
    (tmp_path / "domain.rng").write_text("<grammar/>")
    with pytest.raises(SchemaMissingError, match="cannot be read"):
        Schema(tmp_path / "domain.rng")


@pytest.fixture
def installed(tmp_path):
    """Make a prefix with a libvirt of a version in it, whose schema takes domains without any device."""

    def make(number):
        prefix = tmp_path / str(number)
        library, schema = prefix / "lib" / f"libvirt.so.0.{number}.0", prefix / "share/libvirt/schemas/domain.rng"
        for file in (library, schema):
            file.parent.mkdir(parents=True)
        library.touch()
        schema.write_text(
            '<element name="domain" xmlns="http://relaxng.org/ns/structure/1.0">'
            '<element name="devices"><empty/></element></element>'
        )
        return str(prefix)

    return make


def test_the_newest_schema_is_taken_and_says_which_it_is(installed):
    schema = newest_schema([installed(9000), installed(11003), installed(10010)])
    assert (schema.version, str(schema)) == ((11, 3), "libvirt 11.3's schema")


def test_nothing_is_allowed_for_a_schema_that_should_know_it(installed):
    panic = '<domain><devices><panic model="pvpanic"/></devices></domain>'
    assert not newest_schema([installed(9000)]).findings(panic)
    assert newest_schema([installed(11003)]).findings(panic)


def test_without_any_schema_it_says_where_one_was_looked_for(tmp_path):
    with pytest.raises(SchemaMissingError, match=f"{tmp_path}/share/libvirt/schemas/domain.rng"):
        newest_schema([str(tmp_path)])


def test_every_allowance_is_documented_with_its_reason():
    rows = DOCUMENT.read_text(encoding="utf-8").splitlines()
    assert [row for row in (f"| `{each.path}` | {each.why} |" for each in ALLOWANCES) if row not in rows] == []


def test_what_is_newer_than_a_libvirt_is_allowed_up_to_the_next():
    newer = {"newer than libvirt 9.0": (11, 3), "newer than libvirt 11.3": None}
    assert [each for each in ALLOWANCES if each.since != newer.get(each.why)] == []


def test_the_command_tells_what_the_schema_refuses(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # away from the catalog of this repository
    (tmp_path / "vm.yaml").write_text(
        "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {name: v}\nspec:\n  runStrategy: Always\n"
        "  template: {spec: {domain: {memory: {guest: 1Gi}, devices: {}}}}\n"
    )
    (tmp_path / "none.rng").write_text(
        '<element name="none" xmlns="http://relaxng.org/ns/structure/1.0"><empty/></element>'
    )
    arguments = ["expand", "-f", str(tmp_path / "vm.yaml"), "--libvirt-schema", str(tmp_path / "none.rng")]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 1
    schema = tmp_path / "none.rng"
    assert f"VirtualMachine/v: {schema}: line 1: <domain>: its frame does not fit the schema" in result.stderr
    assert result.stdout.startswith("<domain")


def test_the_command_says_when_there_is_no_schema(tmp_path):
    result = CliRunner().invoke(main, ["expand", "--libvirt-schema", str(tmp_path / "no.rng")])
    assert (result.exit_code, "install libvirt" in result.stderr) == (2, True)
