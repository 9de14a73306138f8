"""The form in a real browser: its manifest is admitted, its domain is that of the pair's plain VM."""

from __future__ import annotations

import shlex
from typing import Any
from urllib.parse import urlencode

import pytest
from browsing import content, faults, fill, fragment, text, texts, wait
from click.testing import CliRunner
from ruamel.yaml import YAML
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from virtcatalog import Cluster, expand
from virtcatalog.cli import main
from virtcatalog.kubevirt.pod.amounts import extract
from virtcatalog.site.pairs import matrix
from virtcatalog.site.plainvms import IMAGE

KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB0 me, "myself" & I'
#: What is chosen beside a pair: fields of the form as its address has them.
CHOICES: tuple[list[tuple[str, str]], ...] = (
    [],
    [("name", "db"), ("pod", "none")],
    [("pod", "masquerade"), ("networks", "storage apps/front")],
    [("pod", "none"), ("networks", "a b c d"), ("user", "fedora")],
    [("boot", "claim"), ("source", "gold"), ("user", "fedora"), ("keys", KEY), ("run", "Halted")],
    [("boot", "ds"), ("source", "images/fedora"), ("disk", "claim  data")],
    [("boot", "ds"), ("source", "fedora"), ("size", "30"), ("disk", "claim  data"), ("disk", "blank 2048 ")],
    [("boot", "registry"), ("source", "docker://quay.io/containerdisks/fedora:latest"), ("size", "7")],
    [("boot", "http"), ("source", "https://example.org/a.qcow2"), ("size", "1024"), ("keys", f"{KEY}\n{KEY}")],
    [("boot", "pvc"), ("source", "images/gold"), ("networks", "a"), ("disk", "ds 20 images/tools")],
    [("boot", "snapshot"), ("source", "images/gold"), ("size", "3"), ("disk", "claim  a"), ("disk", "claim  b")],
    [("boot", "blank"), ("size", "40"), *[("disk", f"{kind} 1 x") for kind in ("claim", "ds", "blank") * 2]],
    [*[("disk", "blank 10 ")] * 6, ("user", "me"), ("networks", "a b c d"), ("name", "z" * 50)],
)


def opened(page, fields: list[tuple[str, str]]):
    # What a VM boots from follows its system, unless it is chosen: here it is one image wherever nothing else is.
    if not any(key == "boot" for key, _ in fields):
        fields = [*fields, ("boot", "image"), ("source", IMAGE)]
    browser = page(f"form.html#{urlencode(fields)}")
    settled(browser)
    return browser


def domain_of(page, name: str, preference: str) -> str:
    browser = page(f"domain.html#{urlencode({'type': name, 'preference': preference})}")
    settled(browser)
    return content(browser, "#domain")


def choose(browser, name: str) -> None:
    """Choose an instance type."""
    script = "document.querySelector(`[name=type][value='${arguments[0]}']`).click()"
    browser.execute_script(script, name)


def settled(browser) -> None:
    wait(browser, lambda: attribute(browser, "#requests", "aria-busy") == "false")


def attribute(browser, selector: str, name: str) -> str:
    return browser.execute_script(
        "return document.querySelector(arguments[0]).getAttribute(arguments[1])", selector, name
    )


def manifest(browser) -> dict[str, Any]:
    return YAML(typ="safe").load(content(browser, "#manifest"))


def of_virtctl(line: str) -> dict[str, Any]:
    """What `create vm` makes of a line for virtctl, without what is empty, and what virtctl sets of its own accord."""
    words = shlex.split(line)
    assert words[0] == "virtctl"
    runner = CliRunner()
    with runner.isolated_filesystem():  # for a catalog of the working directory would judge the VM
        result = runner.invoke(main, words[1:])
    assert result.exit_code == 0, result.output
    vm = without_empty(YAML(typ="safe").load(result.stdout))
    assert vm["spec"]["template"]["spec"].pop("terminationGracePeriodSeconds") == 180
    return vm


def without_empty(value: Any) -> Any:
    if isinstance(value, dict):
        inner = {key: without_empty(item) for key, item in value.items()}
        return {key: item for key, item in inner.items() if item not in ({}, [])}
    return [without_empty(item) for item in value] if isinstance(value, list) else value


@pytest.fixture(scope="module")
def fitting(example):
    """Pairs that fit, from all over the catalog, and some types without a preference."""
    fits = matrix(example)
    pairs = [
        (instancetype.name, preference.name)
        for instancetype, row in zip(example.instancetypes, fits.rows, strict=True)
        for preference, reason in zip(example.preferences, row, strict=True)
        if not reason
    ]
    return [*pairs[::29], *((instancetype.name, "") for instancetype in example.instancetypes[::9])]


@pytest.fixture(scope="module")
def cluster(example):
    return Cluster(example.objects())


class TestWhatItShowsOfAPair:
    def test_is_what_kubevirt_makes_of_its_plain_vm(self, page, fitting, cluster):
        for name, preference in fitting[::9]:  # a browser takes a second a pair
            browser = opened(page, [("type", name), ("preference", preference)])
            which = name, preference
            result = expand(manifest(browser), cluster)
            assert result.admitted, (which, result.reasons)
            requests = YAML(typ="safe").load(content(browser, "#requests"))
            pod = result.pod
            assert requests["pod"].items() <= extract(pod).items(), which
            containers = [*pod["spec"]["containers"], *pod["spec"].get("initContainers", ())]
            assert requests["containers"] == {
                container["name"]: container.get("resources", {}) for container in containers
            }, which
            assert domain_of(page, name, preference) == result.domain_xml, which

    def test_does_not_depend_on_what_is_chosen_beside_it(self, page):
        pair = [("type", "u1.large"), ("preference", "fedora")]
        requests = {content(opened(page, [*pair, *choice]), "#requests") for choice in CHOICES}
        assert len(requests) == 1


class TestTheManifest:
    @pytest.mark.parametrize("number", range(len(CHOICES)))
    def test_is_admitted(self, page, fitting, cluster, number):
        choice = CHOICES[number]
        for name, preference in fitting[number :: len(CHOICES)]:
            browser = opened(page, [("type", name), ("preference", preference), *choice])
            which = name, preference, choice
            assert texts(browser, "#problems li") == [], which
            result = expand(manifest(browser), cluster)
            assert result.admitted, (which, result.reasons)

    @pytest.mark.parametrize(
        "choice", [choice for choice in CHOICES if not any(key in ("pod", "networks") for key, _ in choice)]
    )
    def test_is_what_virtctl_makes_of_its_line(self, page, choice):
        for fields in ([("type", "u1.large"), ("preference", "fedora")], [("type", "u1.large")]):
            browser = opened(page, [*fields, *choice])
            assert of_virtctl(content(browser, "#virtctl")) == without_empty(manifest(browser))


def test_virtctl_has_no_flag_for_some_choices(page):
    browser = opened(page, [("type", "o1.large"), ("preference", "fedora.s390x"), ("networks", "a")])
    assert "virtctl has no flag for networks" in content(browser, "#beside")
    vm = of_virtctl(content(browser, "#virtctl"))
    devices = manifest(browser)["spec"]["template"]["spec"]["domain"]["devices"]
    assert devices["interfaces"] == [{"name": "default", "masquerade": {}}, {"name": "net1", "bridge": {}}]
    assert vm["spec"]["template"]["spec"].keys() == {"volumes"}


def test_a_pair_that_does_not_fit_has_no_domain_and_says_why(page):
    browser = opened(page, [("type", "u1.medium")])
    browser.find_element(By.CSS_SELECTOR, "[name=family][value='Microsoft Windows']").send_keys(Keys.SPACE)
    Select(browser.find_element(By.NAME, "preference")).select_by_visible_text("windows.11")
    settled(browser)
    assert (
        text(browser, "#fits") == "u1.medium and windows.11 do not fit: the preference requires 2 vCPUs, there are 1."
    )
    assert fragment(browser) == "#type=u1.medium&preference=windows.11"
    assert content(browser, "#requests") == ""
    assert text(browser, "#no-domain") == "They do not fit: KubeVirt makes no domain."


def test_what_is_chosen_last_is_what_is_shown(page, cluster):
    browser = opened(page, [("preference", "fedora")])
    for name in ("u1.small", "u1.2xlarge", "cx1.large", "u1.medium"):  # each in a file that is loaded first
        choose(browser, name)
    settled(browser)
    assert text(browser, "#fits") == "KubeVirt admits this pair."
    requests = YAML(typ="safe").load(content(browser, "#requests"))
    assert requests["pod"].items() <= extract(expand(manifest(browser), cluster).pod).items()


class TestSteps:
    @pytest.mark.parametrize(
        ("address", "least"),
        [
            ("preference=fedora", "u1.small"),
            ("preference=windows.11", "u1.2xmedium"),
            ("preference=fedora&memory=8", "u1.large"),
            ("vcpus=4&memory=30", "m1.xlarge"),
            ("memory=100000", "u1.nano"),
            ("preference=windows.11&type=u1.small", "u1.small"),
        ],
    )
    def test_a_type_that_nobody_chose_is_the_least_that_can_be_had(self, page, address, least):
        browser = page(f"form.html#{address}")
        assert manifest(browser)["spec"]["instancetype"]["name"] == least
        assert fragment(browser) == f"#{address}"

    def test_a_type_that_was_chosen_stays(self, page):
        browser = opened(page, [("preference", "fedora")])
        choose(browser, "u1.large")
        browser.find_element(By.CSS_SELECTOR, "[name=family][value=Ubuntu]").send_keys(Keys.SPACE)
        assert fragment(browser) == "#preference=ubuntu&type=u1.large"

    def test_types_that_do_not_fit_are_greyed_with_the_reason(self, page):
        browser = opened(page, [("preference", "windows.11"), ("type", "u1.large")])
        script = """return Array.from(document.querySelectorAll("#sizes tbody tr"), (row) =>
            [row.querySelector("input").value, row.querySelector("input").disabled, row.cells[4].textContent])"""
        rows = browser.execute_script(script)
        assert rows[0] == ["u1.2xmedium", False, ""]
        assert ["m1.large", False, "2Mi"] in rows
        assert ["u1.medium", True, "the preference requires 2 vCPUs, there are 1"] in rows
        greyed = [disabled for _, disabled, _ in rows]
        assert greyed == sorted(greyed)  # behind those that fit

    @pytest.mark.parametrize(
        ("preference", "boot", "source"),
        [
            ("fedora", "image", IMAGE),
            ("centos.stream9", "image", "quay.io/containerdisks/centos-stream:9"),
            ("windows.11", "ds", ""),
        ],
    )
    def test_what_boots_follows_the_system(self, page, preference, boot, source):
        browser = page(f"form.html#preference={preference}")
        values = [browser.find_element(By.NAME, name).get_attribute("value") for name in ("boot", "source")]
        assert values == [boot, source]

    def test_what_boots_stays_when_it_was_chosen(self, page):
        browser = opened(page, [("boot", "claim"), ("source", "gold")])
        browser.find_element(By.CSS_SELECTOR, "[name=family][value=Ubuntu]").send_keys(Keys.SPACE)
        assert fragment(browser) == "#boot=claim&source=gold&preference=ubuntu"

    def test_the_editor_has_the_manifest_and_is_saved(self, page):
        browser = opened(page, [])
        browser.find_element(By.ID, "edit").send_keys(Keys.ENTER)
        editor = browser.switch_to.active_element
        assert editor.get_attribute("value") == content(browser, "#manifest")
        editor.send_keys(Keys.CONTROL, Keys.END)
        editor.send_keys("# mine")
        assert attribute(browser, "#save", "href").endswith("%23%20mine")
        fill(browser, "name", "other")
        assert attribute(browser, "#save", "href").endswith("%23%20mine")  # what was written by hand stays
        assert copied(browser).endswith("# mine")
        browser.find_element(By.ID, "edit").send_keys(Keys.ENTER)
        assert copied(browser) == content(browser, "#manifest")
        assert "name: other" in content(browser, "#manifest")


def copied(browser) -> str:
    """Press the button that copies the manifest, and return what it puts into the clipboard."""
    browser.execute_script(
        "window.copied = ''; Object.defineProperty(navigator, 'clipboard', { configurable: true, value:"
        " { writeText: async (text) => { window.copied = text; } } })"
    )
    browser.find_element(By.CSS_SELECTOR, ".code .copy").send_keys(Keys.ENTER)
    wait(browser, lambda: browser.execute_script("return window.copied"))
    return browser.execute_script("return window.copied")


def test_lines_say_what_they_come_from(page):
    browser = page("domain.html#type=u1.2xlarge&preference=rhel.8.dpdk")
    settled(browser)
    script = """return Object.fromEntries(Array.from(document.querySelectorAll("#domain .line"),
        (line) => [line.textContent.trim(), line.className.split("from-")[1]]))"""
    source = browser.execute_script(script)
    assert source['<memory unit="b">34359738368</memory>'] == "t"
    assert source['<target dev="vda" bus="virtio"/>'] == "p"
    assert source['<driver name="vhost" queues="8"/>'] == "b"
    assert source["<name>default_my-vm</name>"] == "v"
    assert source['<alias name="ua-root"/>'] == "v"
    assert source["<acpi/>"] == "k"
    labels = browser.execute_script(
        "return Array.from(document.querySelectorAll('#domain [data-from]'), (each) => each.dataset.from)"
    )
    assert {"type", "preference", "type + preference", "this VM", "KubeVirt"} == set(labels)


def test_axe_finds_no_serious_fault_in_all_of_it(page, scheme, width):
    pair = [("type", "u1.medium"), ("preference", "fedora"), ("disk", "blank 5 ")]
    for fields in (pair, [*pair, ("disk", "ds x "), ("networks", "a")]):
        browser = opened(page, fields)
        assert bool(texts(browser, "#problems li")) == (fields != pair)
        assert faults(browser) == []
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width


class TestFields:
    def test_disks_are_added_and_removed_with_the_keyboard(self, page):
        browser = opened(page, [])
        browser.find_element(By.CSS_SELECTOR, "#vm summary").send_keys(Keys.ENTER)
        browser.find_element(By.ID, "add").send_keys(Keys.ENTER)
        assert browser.switch_to.active_element.tag_name == "select"
        assert fragment(browser) == "#disk=blank+10+"
        assert [template["metadata"]["name"] for template in manifest(browser)["spec"]["dataVolumeTemplates"]] == [
            "my-vm-disk-1"
        ]
        browser.find_element(By.CSS_SELECTOR, "[aria-label='Remove disk 1']").send_keys(Keys.ENTER)
        assert fragment(browser) == ""
        assert "dataVolumeTemplates" not in manifest(browser)["spec"]
        assert browser.switch_to.active_element.get_attribute("id") == "add"

    def test_there_are_so_many_disks_and_no_more(self, page):
        browser = opened(page, [("disk", "blank 1 ")] * 9)
        assert len(texts(browser, "#disks li")) == 6
        assert not browser.find_element(By.ID, "add").is_enabled()

    def test_what_boots_says_which_fields_there_are(self, page):
        browser = opened(page, [])
        source, size = (browser.find_element(By.NAME, name) for name in ("source", "size"))
        assert (source.is_displayed(), size.is_displayed()) == (True, False)
        choice = Select(browser.find_element(By.NAME, "boot"))
        choice.select_by_value("blank")
        assert (source.is_displayed(), size.is_displayed()) == (False, True)
        assert texts(browser, "#problems li") == ["Boots from: the size has to be a whole number of GiB."]
        choice.select_by_value("ds")
        assert (source.is_displayed(), size.is_displayed(), text(browser, "#source-label")) == (
            True,
            True,
            "DataSource",
        )
        assert texts(browser, "#problems li") == ["Boots from: name a DataSource."]

    @pytest.mark.parametrize(
        ("fields", "problem"),
        [
            ([("name", "My VM")], "The name has to be of lower case letters, digits and hyphens, 50 at most."),
            ([("boot", "pvc"), ("source", "gold")], "Boots from: gold is not a namespace/claim."),
            ([("disk", "blank x ")], "Disk 1: the size has to be a whole number of GiB."),
            ([("disk", "ds 0 fedora")], "Disk 1: the size has to be a whole number of GiB."),
            ([("networks", "A")], "A is not the name of a network: name or namespace/name."),
            ([("networks", "a b c d e")], "A VM of this form has 4 networks of Multus at most."),
            ([("user", "me\n")], None),
            ([("user", "a: b")], "a: b is no user's name."),
            ([("keys", "rm -rf /")], "An SSH key has to be a line of a .pub file."),
        ],
    )
    def test_a_problem_is_named(self, page, fields, problem):
        browser = opened(page, fields)
        assert texts(browser, "#problems li") == ([problem] if problem else [])

    def test_hostile_texts_are_quoted(self, page):
        hostile = 'a\'; rm -rf "$HOME" #\n: {}'
        browser = opened(page, [("boot", "claim"), ("type", "u1.large"), ("name", "true")])
        script = "const f = document.getElementsByName('source')[0]; f.value = arguments[0];"
        browser.execute_script(script + "f.dispatchEvent(new Event('input', { bubbles: true }))", hostile)
        vm = manifest(browser)
        assert vm["metadata"]["name"] == "true"
        source = vm["spec"]["template"]["spec"]["volumes"][0]["persistentVolumeClaim"]["claimName"]
        assert source == hostile.replace("\n", "")  # the field is of one line
        assert f"src:{source},name:root" in shlex.split(content(browser, "#virtctl"))

    def test_what_an_address_makes_up_is_not_there(self, page):
        browser = opened(
            page, [("boot", "__proto__"), ("disk", "constructor 1 x"), ("type", "<img src=x>"), ("run", "x")]
        )
        assert manifest(browser)["spec"]["runStrategy"] == "Always"
        assert Select(browser.find_element(By.NAME, "boot")).first_selected_option.get_attribute("value") == "image"
        assert text(browser, "#fits") or text(browser, "#no-domain") == ""
