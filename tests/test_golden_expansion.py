"""What golden tests compare is cached, and the same as without a cache."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import fleets
import pytest

from virtcatalog import expand
from virtcatalog.fleet.cache import Cache
from virtcatalog.golden import expansion
from virtcatalog.golden.expansion import Expander, Expansion
from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.conditions import Conditions
from virtcatalog.releases import DEFAULT

CONDITIONS = Conditions(release=DEFAULT)
VMS = [fleets.vm("one", "small", "linux"), fleets.vm("two", "large", "windows"), fleets.vm("three", "gone", "linux")]


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the VMs that are expanded."""
    found: list[str] = []

    def note(vm: dict[str, Any], cluster: Cluster) -> Any:
        found.append(vm["metadata"]["name"])
        return expand(vm, cluster)

    monkeypatch.setattr(expansion, "expand", note)
    return found


@pytest.mark.parametrize("pods", ["none", "extract", "whole"])
def test_a_second_run_expands_what_was_refused_alone(tmp_path: Path, names: list[str], pods: str) -> None:
    plain = [Expander(fleets.catalog(), CONDITIONS, None).expansion(vm, pods) for vm in VMS]
    assert [isinstance(each, Expansion) for each in plain] == [True, True, False]
    assert [isinstance(each, Expansion) and bool(each.pod) for each in plain] == [pods != "none"] * 2 + [False]
    for expanded in (["one", "two", "three"], ["three"]):
        names.clear()
        expander = Expander(fleets.catalog(), CONDITIONS, Cache(str(tmp_path)))
        assert [expander.expansion(vm, pods) for vm in VMS] == plain
        assert names == expanded


def test_another_form_of_pods_is_another_answer(tmp_path: Path) -> None:
    expander = Expander(fleets.catalog(), CONDITIONS, Cache(str(tmp_path)))
    assert len({expander.expansion(VMS[0], pods) for pods in ("none", "extract", "whole")}) == 3


def test_a_change_of_a_type_reaches_the_vms_that_name_it(tmp_path: Path, names: list[str]) -> None:
    objects = fleets.catalog()
    expander = Expander(objects, CONDITIONS, Cache(str(tmp_path)))
    before = [expander.expansion(vm, "none") for vm in VMS[:2]]
    objects[0]["spec"]["memory"]["guest"] = "7Gi"
    names.clear()
    after = [Expander(objects, CONDITIONS, Cache(str(tmp_path))).expansion(vm, "none") for vm in VMS[:2]]
    assert names == ["one"]
    assert (after[0] == before[0], after[1] == before[1]) == (False, True)


LINK = "is a symbolic link, or below one: golden files are not read or written through links"


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("golden/web.xml", ""),
        ("golden/new/web.xml", ""),
        ("golden/../golden/web.xml", "lies outside of pytest's root"),
        ("golden/link.xml", LINK),
        ("linked/web.xml", LINK),
        ("golden/folder", "is a folder"),
        ("golden/latin.xml", "is no UTF-8"),
        ("golden/large.xml", ""),
        ("golden/larger.xml", "is larger than 4 MiB"),
    ],
)
def test_golden_files_are_plain_text_below_the_root_of_pytest(tmp_path: Path, path: str, why: str) -> None:
    golden = tmp_path / "golden"
    (golden / "folder").mkdir(parents=True)
    (golden / "web.xml").write_text("<domain/>")
    (golden / "link.xml").symlink_to(golden / "web.xml")
    (tmp_path / "linked").symlink_to(golden)
    (golden / "latin.xml").write_bytes(b"\xe9")
    (golden / "large.xml").write_bytes(b" " * 4 * 2**20)
    (golden / "larger.xml").write_bytes(b" " * (4 * 2**20 + 1))
    assert expansion.fault(tmp_path, tmp_path / path) == why


def test_a_golden_file_beside_the_root_is_none(tmp_path: Path) -> None:
    assert expansion.fault(tmp_path / "root", tmp_path / "golden/web.xml") == "lies outside of pytest's root"
