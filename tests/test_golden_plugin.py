"""The pytest plugin: golden tests for the VM templates of somebody's repository."""

import os
import shutil
from functools import partial
from importlib.metadata import entry_points

import pytest
import syrupy
from _pytest.pytester import SysModulesSnapshot

import virtcatalog.golden.catalog  # noqa: F401 - what a run finds imported is not imported by each
from checkouts import write

pytest_plugins = "pytester"

VM = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web}
spec:
  runStrategy: Always
  instancetype: {name: m.small}
  template:
    spec:
      domain: {devices: {}}
"""

FILES = {
    "pytest.toml": '[pytest]\nvirtcatalog_catalog = ["catalog"]\n',
    "catalog/catalog.yaml": "name: c\nkubevirt: v1.9.0\n",
    "catalog/instancetypes/m.yaml": (
        "class: m\nmemoryPerVcpu: 1Gi\nname: '{{ class }}.{{ size }}'\nsizes: {small: {vcpus: 1}, large: {vcpus: 4}}\n"
    ),
    "catalog/vms/web.yaml": VM,
    "catalog/vms/db.yaml": VM.replace("name: web", "name: db"),
    "tests/test_other.py": "def test_other():\n    pass\n",
}


#: Nothing else costs time or has a say: not what is installed, and not the cache of compiled tests.
PLUGINS = ("-p", "syrupy", "-p", "virtcatalog.golden.plugin", "-p", "no:cacheprovider")


@pytest.fixture
def repository(pytester):
    write(pytester.path, FILES)
    return pytester.path


@pytest.fixture
def run(repository, pytester, monkeypatch):
    """Run pytest in the repository, in this process."""
    for name in [name for name in os.environ if name.startswith("PYTEST")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    # What a run has imported stays for the next one, but for the tests themselves.
    snapshot = partial(SysModulesSnapshot, preserve=lambda name: not name.startswith("test_"))
    monkeypatch.setattr(pytester, "_Pytester__take_sys_modules_snapshot", snapshot)
    session = syrupy._syrupy  # which syrupy keeps for one run at a time

    def run_pytest(*arguments):
        result = pytester.runpytest_inprocess(*PLUGINS, *arguments)
        syrupy._syrupy = session
        return result

    return run_pytest


_FIRST: dict[str, str] = {}


@pytest.fixture
def golden(repository, run):
    """Golden files as a run writes them at first."""
    folder = repository / "tests/golden/catalog"
    if not _FIRST:
        assert run("--snapshot-update").ret == 0
        _FIRST.update((file.name, file.read_text()) for file in folder.iterdir())
    write(folder, _FIRST)
    return folder


def names(folder):
    return sorted(file.name for file in folder.iterdir())


def test_a_template_without_a_golden_file_fails(run):
    result = run()
    assert result.ret == 1
    assert "there is no tests/golden/catalog/web.xml; pytest --snapshot-update writes it" in result.stdout.str()


def test_golden_files_are_written_and_compared(run, golden):
    assert names(golden) == ["db.xml", "web.xml"]
    assert (golden / "web.xml").read_text().startswith('<domain type="kvm"')
    result = run()
    assert (result.ret, "3 passed" in result.stdout.str()) == (0, True), result.stdout


def test_a_change_is_shown_as_a_diff(run, repository, golden):
    file = repository / "catalog/instancetypes/m.yaml"
    file.write_text(file.read_text().replace("memoryPerVcpu: 1Gi", "memoryPerVcpu: 2Gi"))
    result = run("-k", "web")
    assert result.ret == 1
    lines = result.outlines
    assert "--- golden" in lines
    assert {'-  <memory unit="b">1073741824</memory>', '+  <memory unit="b">2147483648</memory>'} < set(lines)


def test_a_removed_template_leaves_an_unused_golden_file(run, repository, golden):
    (repository / "catalog/vms/db.yaml").unlink()
    result = run()
    assert result.ret == 1
    assert "1 snapshot unused" in result.stdout.str()
    run("--snapshot-update")
    assert names(golden) == ["web.xml"]


def test_running_some_tests_leaves_the_other_golden_files(run, golden):
    (golden / "kept.xml").write_text("<domain/>")
    run("catalog/catalog.yaml::web", "--snapshot-update")
    run("-k", "web", "--snapshot-update")
    assert names(golden) == ["db.xml", "kept.xml", "web.xml"]


def test_a_vm_that_kubevirt_refuses_fails(run, repository, golden):
    (repository / "catalog/vms/web.yaml").write_text(VM.replace("{devices: {}}", "{cpu: {cores: 2}, devices: {}}"))
    result = run("--snapshot-update")
    assert result.ret == 1
    assert "catalog/vms/web.yaml:9:22: VirtualMachine/web: " in result.stdout.str()
    assert "spec.template.spec.domain.cpu" in result.stdout.str()


def test_every_reason_of_a_refusal_has_a_line(run, repository, golden):
    disks = "{devices: {disks: [{name: a}, {name: b}]}}"
    (repository / "catalog/vms/web.yaml").write_text(VM.replace("{devices: {}}", disks))
    # In CI, pytest's summary has them once more.
    lines = dict.fromkeys(line for line in run().outlines if line.startswith("catalog/vms/web.yaml:9:"))
    disk = "VirtualMachine/web: spec.template.spec.domain.devices.disks"
    assert [line.partition(".name: ")[0].partition(": ")[2] for line in lines] == [f"{disk}[0]", f"{disk}[1]"]


def test_a_catalog_that_cannot_be_read_fails(run, repository):
    (repository / "catalog/vms/web.yaml").write_text("kind: [")
    result = run()
    assert result.ret == 2
    assert "catalog/vms/web.yaml:" in result.stdout.str()
    assert "Traceback" not in result.stdout.str()


class TestSilenceIsNoSuccess:
    """What is configured and not there fails, also where other tests pass."""

    @pytest.mark.parametrize("arguments", [(), ("tests",)])
    def test_a_path_that_is_not_there(self, run, repository, arguments):
        (repository / "pytest.toml").write_text('[pytest]\nvirtcatalog_catalog = ["catalog", "catalgo"]\n')
        result = run(*arguments)
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        assert "virtcatalog_catalog: " in result.stderr.str()
        assert "catalgo holds no catalog.yaml" in result.stderr.str()

    def test_a_catalog_without_vms(self, run, repository):
        shutil.rmtree(repository / "catalog" / "vms")
        result = run()
        assert result.ret == pytest.ExitCode.INTERRUPTED
        assert "catalog: the catalog has no VM template: nothing is tested\n" in result.stdout.str()

    @pytest.mark.parametrize(
        ("path", "problem"),
        [("cluster.yaml", "cluster.yaml: there is no such file or folder"), ("empty", "empty: holds no manifest")],
    )
    def test_files_of_the_cluster(self, run, repository, path, problem):
        (repository / "empty").mkdir()
        toml = f'[pytest]\nvirtcatalog_catalog = ["catalog"]\nvirtcatalog_cluster = ["{path}"]\n'
        (repository / "pytest.toml").write_text(toml)
        result = run("--snapshot-update")
        assert result.ret == 1
        assert f"{problem}\n" in result.stdout.str()

    def test_the_host_of_a_catalog_that_is_none(self, run, repository):
        toml = '[pytest]\nvirtcatalog_catalog = ["catalog"]\nvirtcatalog_host = ["catalgo=reference"]\n'
        (repository / "pytest.toml").write_text(toml)
        result = run()
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        assert "virtcatalog_host: catalgo=reference: no catalog is called catalgo" in result.stderr.str()


def test_a_template_is_crossed_with_instance_types(run, repository):
    (repository / "catalog/vms.yaml").write_text("web.yaml: {cross: {instancetypes: ['m.*']}}\n")
    assert run("--snapshot-update").ret == 0
    golden = repository / "tests/golden/catalog"
    assert names(golden) == ["db.xml", "web.m.large.xml", "web.m.small.xml", "web.xml"]
    assert '<memory unit="b">4294967296</memory>' in (golden / "web.m.large.xml").read_text()


def test_a_template_is_crossed_with_every_pair_of_types_and_preferences(run, repository):
    write(repository, {"catalog/preferences/os.yaml": "preferences: {os.a: {}, os.b: {}, other: {}}\n"})
    (repository / "catalog/vms.yaml").write_text("web.yaml: {cross: {instancetypes: ['m.*'], preferences: ['os.*']}}\n")
    assert run("--snapshot-update").ret == 0
    pairs = [f"web.m.{size}.os.{letter}.xml" for size in ("large", "small") for letter in "ab"]
    assert names(repository / "tests/golden/catalog") == ["db.xml", *pairs, "web.xml"]


def test_a_glob_that_matches_nothing_fails(run, repository):
    (repository / "catalog/vms.yaml").write_text("web.yaml: {cross: {preferences: ['linux.*']}}\n")
    result = run()
    assert result.ret == 2
    assert "crosses vms/web.yaml with preferences 'linux.*'" in result.stdout.str()


def test_the_cluster_and_the_host_are_configured(run, repository):
    (repository / "pytest.toml").write_text(
        '[pytest]\nvirtcatalog_catalog = ["catalog"]\nvirtcatalog_golden = "golden"\n'
        'virtcatalog_cluster = ["kubevirt.yaml"]\nvirtcatalog_host = ["mine.yaml"]\n'
        'virtcatalog_architecture = "s390x"\n'
    )
    (repository / "mine.yaml").write_text("name: mine\n")
    (repository / "kubevirt.yaml").write_text(
        "apiVersion: kubevirt.io/v1\nkind: KubeVirt\nmetadata: {name: k}\n"
        "spec: {configuration: {memBalloonStatsPeriod: 7}}\n"
    )
    assert run("--snapshot-update").ret == 0
    xml = (repository / "golden/catalog/web.xml").read_text()
    assert "host profile mine v1" in xml
    assert '<stats period="7"/>' in xml
    assert 'arch="s390x"' in xml


def test_pytest_finds_the_plugin():
    assert "virtcatalog.golden.plugin" in {entry.value for entry in entry_points(group="pytest11")}


def test_without_configuration_the_plugin_does_nothing(run, repository):
    (repository / "pytest.toml").write_text("[pytest]\n")
    shutil.rmtree(repository / "tests/golden", ignore_errors=True)
    result = run()
    assert (result.ret, "1 passed" in result.stdout.str()) == (0, True), result.stdout


EFI = VM.replace("domain: {devices: {}}", "domain: {devices: {}, firmware: {bootloader: {efi: {secureBoot: false}}}}")
BOTH = '[pytest]\nvirtcatalog_catalog = ["catalog"]\nvirtcatalog_kubevirt = ["v1.8.4", "v1.9.0"]\n'


def test_several_releases_have_a_folder_each(repository, run, golden):
    newest = (golden / "web.xml").read_text()
    (repository / "catalog/vms/web.yaml").write_text(EFI)
    (repository / "pytest.toml").write_text(BOTH)
    assert run("--snapshot-update").ret == 0
    assert names(golden) == ["db.xml", "v1.8.4", "web.xml"]
    assert names(golden / "v1.8.4") == ["db.xml", "web.xml"]
    assert "/usr/share/OVMF/" in (golden / "v1.8.4/web.xml").read_text()
    assert "/usr/share/edk2/ovmf/" in (golden / "web.xml").read_text() != newest
    result = run()
    assert (result.ret, "5 passed" in result.stdout.str()) == (0, True), result.stdout
    (golden / "v1.8.4/web.xml").unlink()
    result = run("catalog/catalog.yaml::v1.8.4::web")
    assert "there is no tests/golden/catalog/v1.8.4/web.xml" in result.stdout.str()
    result = run("catalog/catalog.yaml::web")
    assert (result.ret, "1 passed" in result.stdout.str()) == (0, True), result.stdout


def test_the_folder_of_a_release_that_is_not_tested_any_more_is_unused(repository, run, golden):
    (repository / "pytest.toml").write_text(BOTH)
    assert run("--snapshot-update").ret == 0
    (repository / "pytest.toml").write_text(FILES["pytest.toml"])
    result = run()
    assert result.ret == 1
    assert "2 snapshots unused" in result.stdout.str()
    assert run("--snapshot-update").ret == 0
    assert not list(golden.glob("v1.8.4/*"))


def test_a_vm_of_an_environment_is_tested_under_the_release_that_it_runs(repository, run, golden):
    (repository / "catalog/overlays.yaml").write_text("old: {kubevirt: v1.8.4}\nnew: {}\n")
    (repository / "catalog/catalog.yaml").write_text("name: c\nkubevirt: v1.8.4\n")
    (repository / "catalog/vms.yaml").write_text("app.yaml.j2: {environments: {old: {}}}\n")
    (repository / "catalog/vms/app.yaml.j2").write_text(EFI.replace("name: web", "name: app"))
    (repository / "pytest.toml").write_text(BOTH)
    assert run("--snapshot-update").ret == 0
    assert names(golden) == ["app.old.xml", "db.new.xml", "db.old.xml", "v1.8.4", "web.new.xml", "web.old.xml"]
    assert names(golden / "v1.8.4") == ["db.new.xml", "web.new.xml"]
    assert "/usr/share/OVMF/" in (golden / "app.old.xml").read_text()


def test_a_vm_template_is_tested_in_every_environment_that_it_is_for(repository, run, golden):
    (repository / "catalog/overlays.yaml").write_text("one: {}\ntwo: {}\n")
    (repository / "catalog/vms.yaml").write_text("db.yaml: {environments: {two: {}}}\n")
    assert run("--snapshot-update").ret == 0
    assert names(golden) == ["db.xml", "web.one.xml", "web.two.xml"]
    (golden / "web.one.xml").unlink()
    result = run("--virtcatalog-environment", "two")
    assert (result.ret, "2 snapshots passed" in result.stdout.str()) == (0, True), result.stdout
    result = run("--virtcatalog-environment", "one")
    assert "there is no tests/golden/catalog/web.one.xml" in result.stdout.str()
    result = run("--virtcatalog-environment", "onne")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "there is no environment 'onne' in a catalog that is tested; did you mean 'one'?" in result.stderr.str()


def keep_pods(repository, form):
    (repository / "pytest.toml").write_text(f'{FILES["pytest.toml"]}virtcatalog_pods = ["{form}"]\n')


def test_pods_are_kept_in_short_or_whole(repository, run, golden):
    keep_pods(repository, "extract")
    result = run()
    assert result.ret == 1
    assert "there is no tests/golden/catalog/web.pod.yaml" in result.stdout.str()
    assert run("--snapshot-update").ret == 0
    assert names(golden) == ["db.pod.yaml", "db.xml", "web.pod.yaml", "web.xml"]
    short = (golden / "web.pod.yaml").read_text()
    assert short.startswith("requests:\n  cpu: 105m\n")
    assert "devices.kubevirt.io/kvm" in short
    result = run()
    assert (result.ret, "3 passed" in result.stdout.str()) == (0, True), result.stdout
    keep_pods(repository, "catalog=whole")
    assert run("--snapshot-update").ret == 0
    assert "kind: Pod" in (golden / "web.pod.yaml").read_text()
    assert run().ret == 0


def test_pods_that_are_not_kept_any_more_are_unused(repository, run, golden):
    keep_pods(repository, "extract")
    assert run("--snapshot-update").ret == 0
    (repository / "pytest.toml").write_text(FILES["pytest.toml"])
    assert "2 snapshots unused" in run().stdout.str()
    assert run("--snapshot-update").ret == 0
    assert names(golden) == ["db.xml", "web.xml"]


def test_a_vm_without_a_pod_fails_where_pods_are_kept(repository, run, golden):
    keep_pods(repository, "extract")
    disk = "domain: {devices: {disks: [{name: s, cdrom: {}}]}}\n      volumes: [{name: s, sysprep: {}}]"
    (repository / "catalog/vms/web.yaml").write_text(VM.replace("domain: {devices: {}}", disk))
    result = run("--snapshot-update")
    assert result.ret == 1
    assert "spec.template.spec.volumes[0].sysprep: no Pod is made: names neither" in result.stdout.str()


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        (
            'kubevirt = ["v2.8.4"]',
            "virtcatalog_kubevirt: KubeVirt 'v2.8.4' is not modelled; known are v1.7.4, v1.8.4, ",
        ),
        ('kubevirt = ["v1.8.44"]', "virtcatalog_kubevirt: KubeVirt 'v1.8.44' is not modelled; known are v1.7.4, "),
        ('pods = ["all"]', "virtcatalog_pods: 'all' is none of none, extract, whole"),
        ('architecture = "amd65"', "virtcatalog_architecture: 'amd65' is none of amd64, arm64, s390x"),
        ('golden = "../golden"', "virtcatalog_golden: ../golden leads out of "),
        ('golden = "/etc"', "virtcatalog_golden: /etc leads out of "),
    ],
)
def test_a_setting_that_cannot_be_is_told_before_anything_runs(repository, run, setting, message):
    (repository / "pytest.toml").write_text(f"{FILES['pytest.toml']}virtcatalog_{setting}\n")
    result = run("--snapshot-update")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert message in result.stderr.str()
    assert "Traceback" not in result.stderr.str()
    assert not (repository / "tests/golden").exists()


class TestFilesOfStrangers:
    """Golden files and their folders come with the checkout."""

    @pytest.mark.parametrize("target", ["elsewhere.xml", "not-there.xml"])
    @pytest.mark.parametrize("option", [(), ("--snapshot-update",)])
    def test_a_link_in_place_of_a_golden_file(self, run, golden, tmp_path, target, option):
        (tmp_path / "elsewhere.xml").write_text("mine\n")
        (golden / "web.xml").unlink()
        (golden / "web.xml").symlink_to(tmp_path / target)
        result = run(*option)
        assert result.ret == 1
        assert "tests/golden/catalog/web.xml: is a symbolic link, or below one" in result.stdout.str()
        assert "mine" not in result.stdout.str()
        assert (tmp_path / "elsewhere.xml").read_text() == "mine\n"
        assert not (tmp_path / "not-there.xml").exists()

    @pytest.mark.parametrize("link", ["tests", "tests/golden", "tests/golden/catalog"])
    def test_a_link_in_place_of_their_folder(self, run, repository, golden, tmp_path, link):
        """Nothing is deleted in there either, as snapshots that nobody uses are."""
        elsewhere = tmp_path / "elsewhere"
        (repository / link).rename(elsewhere)
        (repository / link).symlink_to(elsewhere)
        (web,) = elsewhere.rglob("web.xml")
        web.with_name("other.xml").write_text("mine\n")
        web.write_text("<domain/>\n")
        result = run("--snapshot-update", "catalog")
        assert result.ret == 1
        assert "is a symbolic link, or below one" in result.stdout.str()
        assert (web.read_text(), web.with_name("other.xml").read_text()) == ("<domain/>\n", "mine\n")

    @pytest.mark.parametrize(
        ("content", "why"), [(b"\xff", "is no UTF-8"), (b"x" * (4 * 2**20 + 1), "is larger than 4 MiB")]
    )
    def test_a_golden_file_that_is_no_text_of_ours(self, run, golden, content, why):
        (golden / "web.xml").write_bytes(content)
        result = run()
        assert result.ret == 1
        assert f"tests/golden/catalog/web.xml: {why}" in result.stdout.str()
        assert "Traceback" not in result.stdout.str()

    def test_entities_of_a_golden_file_stand_for_nothing(self, run, golden, tmp_path):
        """It is text that is compared: nothing parses it."""
        (tmp_path / "secret").write_text("secret word")
        entity = f'<!DOCTYPE domain [<!ENTITY e SYSTEM "file://{tmp_path}/secret">]>\n<domain>&e;</domain>\n'
        (golden / "web.xml").write_text(entity)
        result = run()
        assert result.ret == 1
        assert "secret word" not in result.stdout.str()
        assert "-<domain>&e;</domain>" in result.stdout.str()

    def test_what_a_golden_file_says_is_shown_and_not_obeyed(self, run, golden):
        (golden / "web.xml").write_text("\x1b[2J\n::stop-commands::x\n")
        result = run()
        assert result.ret == 1
        assert "\x1b" not in result.stdout.str()
        assert "\\x1b[2J" in result.stdout.str()


HELP = """\
virtcatalog:
  --virtcatalog-environment=NAME
                        Golden tests of this environment only; repeatable.
  --virtcatalog-no-cache
                        Expand every VM template, and keep nothing; also
                        VIRTCATALOG_NO_CACHE."""
SETTINGS = """\
  virtcatalog_catalog (paths):
                        Folders of catalogs whose VM templates are tested.
  virtcatalog_golden (string):
                        Folder of the XML, in a folder for each catalog.
  virtcatalog_cluster (paths):
                        Manifests of the cluster: the KubeVirt CR, claims …
  virtcatalog_host (args):
                        Host profile, a name or a YAML file; CATALOG=PROFILE for
                        one.
  virtcatalog_kubevirt (args):
                        KubeVirt releases; a folder of XML for each but the
                        default.
  virtcatalog_pods (args):
                        Pods beside the XML: none, extract or whole;
                        CATALOG=FORM for one.
  virtcatalog_architecture (string):
                        The architecture of VMs that name none.

"""


def test_help_describes_its_options(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    text = run("--help").stdout.str()
    assert HELP in text
    assert text[text.index("  virtcatalog_catalog") : text.index("Environment variables:")] == SETTINGS


def test_two_catalogs_of_one_name_would_share_their_golden_files(run, repository):
    shutil.copytree(repository / "catalog", repository / "other/catalog")
    (repository / "pytest.toml").write_text('[pytest]\nvirtcatalog_catalog = ["catalog", "other/catalog"]\n')
    result = run()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert result.errlines == ["ERROR: virtcatalog_catalog: two catalogs are called catalog", ""]


def test_each_of_two_catalogs_has_its_own_host(run, repository):
    shutil.copytree(repository / "catalog", repository / "other")
    (repository / "mine.yaml").write_text("name: mine\n")
    (repository / "pytest.toml").write_text(
        '[pytest]\nvirtcatalog_catalog = ["catalog", "other"]\n'
        'virtcatalog_host = ["other=reference", "mine.yaml"]\nvirtcatalog_pods = ["extract", "other=none"]\n'
    )
    assert run("--snapshot-update").ret == 0
    golden = repository / "tests/golden"
    assert names(golden / "other") == ["db.xml", "web.xml"]
    assert names(golden / "catalog") == ["db.pod.yaml", "db.xml", "web.pod.yaml", "web.xml"]
    assert "host profile mine v1" in (golden / "catalog/web.xml").read_text()
    assert "host profile reference v" in (golden / "other/web.xml").read_text()


def test_without_syrupy_it_says_what_to_install(repository, pytester, run):
    result = pytester.runpytest_inprocess("-p", "virtcatalog.golden.plugin")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert result.errlines == ["ERROR: virtcatalog_catalog: golden tests need syrupy; install virtcatalog[pytest]", ""]


def test_a_folder_that_is_named_has_its_catalog_tested_once(run, golden):
    assert "3 passed" in run(".").stdout.str()
    assert "2 passed" in run("catalog").stdout.str()
    assert "1 passed" in run("tests").stdout.str()


def test_a_catalog_beside_the_folders_of_the_configured_tests_is_tested_too(run, repository, golden):
    (repository / "pytest.toml").write_text(f'{FILES["pytest.toml"]}testpaths = ["tests"]\n')
    assert "3 passed" in run().stdout.str()


def test_a_catalog_among_the_folders_of_the_configured_tests_is_tested_once(run, repository, golden):
    (repository / "pytest.toml").write_text(f'{FILES["pytest.toml"]}testpaths = ["tests", "catalog"]\n')
    assert "3 passed" in run().stdout.str()


def test_a_fault_of_the_program_is_shown_as_pytest_shows_it(run, monkeypatch):
    monkeypatch.setattr("virtcatalog.golden.catalog.rendered", lambda _: 1 / 0)
    result = run()
    result.stdout.fnmatch_lines(["*ERROR collecting catalog*", "*ZeroDivisionError: division by zero"])
