"""libvirt's own schema takes the golden domains, and says what is wrong with others."""

import sys
from copy import copy
from pathlib import Path

import pytest
from click.testing import CliRunner

from virtcatalog.cli import main
from virtcatalog.kubevirt.launcher.lint import ALLOWANCES, Finding, Schema, SchemaMissingError, newest_schema

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
        (finding.line, finding.element, finding.message)
        for finding in schema.findings(DOMAIN.format(part=part, device=device))
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
    problems = findings("<features><warp/></features>", '<video><model type="paper"/></video>')
    assert [element for _, element, _ in problems] == ["features", "video"]


def test_what_is_allowed_is_what_kubevirt_writes_and_no_more(findings):
    disk = '<disk type="file" device="disk"><source file="/d"/><target dev="vda"/>{}</disk>'
    assert findings(device=disk.format("<capacity>1</capacity>")) == []
    assert findings(device=disk.format("<volume>1</volume>")) == [
        (9, "disk", "<volume> in <disk> does not fit the schema")
    ]


INSTALL = "install libvirt (Debian: libvirt0, Fedora: libvirt-libs) or name its domain.rng"


def missing(find):
    with pytest.raises(SchemaMissingError) as error:
        find()
    return str(error.value)


def test_a_schema_that_is_missing_says_what_to_install(tmp_path):
    path = tmp_path / "domain.rng"
    assert missing(lambda: Schema(path)) == f"there is no libvirt schema at {path}: {INSTALL}"
    path.mkdir()
    assert missing(lambda: Schema(path)) == f"there is no libvirt schema at {path}: {INSTALL}"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("<grammar/>", "xmlRelaxNGParse: "),
        ("<grammar", "Couldn't find end of Start Tag grammar"),
    ],
)
def test_a_file_that_is_no_schema(tmp_path, text, why):
    path = tmp_path / "domain.rng"
    path.write_text(text)
    assert missing(lambda: Schema(path)).startswith(f"{path} cannot be read as a RELAX NG schema: {why}")


def of(schema, tmp_path):
    path = tmp_path / "domain.rng"
    path.write_text(f'<element name="domain" xmlns="http://relaxng.org/ns/structure/1.0">{schema}</element>')
    return Schema(path)


def test_a_schema_is_named_by_its_file_where_no_library_tells_its_version(tmp_path):
    schema = of("<empty/>", tmp_path)
    assert (schema.version, str(schema)) == (None, f"{tmp_path}/domain.rng")
    assert str(copy(schema)) == str(schema)
    assert schema.findings("<domain/>") == []


def test_parts_that_fit_one_by_one_and_not_together(tmp_path):
    schema = of('<optional><element name="rng"><empty/></element></optional>', tmp_path)
    assert schema.findings("<domain><rng/></domain>") == []
    assert schema.findings("<domain><rng/>\n<rng/></domain>") == [Finding(1, "domain", "its parts do not go together")]


def test_what_is_in_the_frame_is_blamed_on_the_domain(tmp_path):
    frame = "".join(f'<element name="{name}"><text/></element>' for name in ("name", "uuid", "memory", "os"))
    schema = of(frame, tmp_path)
    assert schema.findings("<domain><name/><uuid/><memory/><os/></domain>") == []
    assert schema.findings("<domain><name/><uuid/><memory/><os/>\n<rng/></domain>") == [
        Finding(2, "rng", "does not fit the schema")
    ]
    for wrong in ("<name/><uuid/><memory/>", "<name/><uuid/><os/>", "<name/><memory/><os/>", "<uuid/><memory/><os/>"):
        assert schema.findings(f"<!-- a -->\n<domain>{wrong}<rng/></domain>") == [
            Finding(2, "domain", "its frame does not fit the schema")
        ]


def test_one_thing_too_much_is_named_two_are_not(findings):
    disk = '<disk type="file" device="disk">{}<target dev="vda"/></disk>'
    assert findings(device=disk.format('<source file="/d"/><a/>')) == [
        (9, "disk", "<a> in <disk> does not fit the schema")
    ]
    assert findings(device=disk.format('<source file="/d"/><a/><b/>')) == [(9, "disk", "does not fit the schema")]
    assert str(Finding(9, "disk", "does not fit")) == "line 9: <disk>: does not fit"


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


@pytest.mark.parametrize(
    ("library", "version"),
    [
        ("lib/libvirt.so.0.9000.0", (9, 0)),
        ("lib64/libvirt.so.0.11003.2", (11, 3)),
        ("lib/x86_64-linux-gnu/libvirt.so.0.10010.0", (10, 10)),
        ("lib/libvirt.so.0.x.0", None),
        ("lib/libvirt.so.0.9000", None),
        ("lib/libvirt.so.1.9000.0", None),
        ("opt/libvirt.so.0.9000.0", None),
    ],
)
def test_the_version_is_that_of_the_library_beside_the_schema(tmp_path, library, version):
    schema = tmp_path / "share/libvirt/schemas/domain.rng"
    for file in (tmp_path / library, schema):
        file.parent.mkdir(parents=True)
    (tmp_path / library).touch()
    schema.write_text('<element name="domain" xmlns="http://relaxng.org/ns/structure/1.0"><empty/></element>')
    assert newest_schema([str(tmp_path)]).version == version


def test_of_several_libraries_the_newest_counts_and_a_schema_without_one_comes_last(installed, tmp_path):
    newest = installed(11003)
    Path(newest, "lib/libvirt.so.0.9000.0").touch()
    bare = tmp_path / "bare/share/libvirt/schemas"
    bare.mkdir(parents=True)
    (bare / "domain.rng").write_text(Path(newest, "share/libvirt/schemas/domain.rng").read_text())
    assert newest_schema([str(tmp_path / "bare"), newest, str(tmp_path / "nowhere")]).version == (11, 3)
    assert newest_schema([str(tmp_path / "bare")]).version is None


def test_without_any_schema_it_says_where_one_was_looked_for(tmp_path):
    schema = "share/libvirt/schemas/domain.rng"
    assert missing(lambda: newest_schema([str(tmp_path), "/nowhere"])) == (
        f"there is no libvirt schema, {tmp_path}/{schema} or /nowhere/{schema}: {INSTALL}"
    )


def test_where_schemas_are_looked_for(monkeypatch):
    monkeypatch.setattr(Path, "is_file", lambda path: False)
    places = " or ".join(f"{prefix}/share/libvirt/schemas/domain.rng" for prefix in ("/usr", "/usr/local", sys.prefix))
    assert missing(newest_schema) == f"there is no libvirt schema, {places}: {INSTALL}"


def test_every_allowance_is_documented_with_its_reason():
    rows = DOCUMENT.read_text(encoding="utf-8").splitlines()
    assert [
        row for row in (f"| `{allowance.path}` | {allowance.why} |" for allowance in ALLOWANCES) if row not in rows
    ] == []


def test_what_is_newer_than_a_libvirt_is_allowed_up_to_the_next():
    newer = {"newer than libvirt 9.0": (11, 3), "newer than libvirt 11.3": None}
    assert [allowance for allowance in ALLOWANCES if allowance.since != newer.get(allowance.why)] == []


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
