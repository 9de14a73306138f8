"""Texts of strangers in which what is looked for begins everywhere and ends nowhere: each takes minutes, if it is
looked for to the end of the text from every place."""

from datetime import date

import pytest

from virtcatalog.api.findings import steps
from virtcatalog.bring.openstack.read import read
from virtcatalog.catalog.places import Source
from virtcatalog.check.subject import Inventory, Subject
from virtcatalog.check.values import check
from virtcatalog.errors import ManifestError
from virtcatalog.repository import defaults

LONG = 100_000


@pytest.mark.parametrize("line", ["[" * LONG, " " * LONG, "a" * LONG])
def test_lines_of_a_text_in_virtcatalog_toml(tmp_path, line):
    (tmp_path / "virtcatalog.toml").write_text(f"catalog = \"x\"\n[[other]]\ntext = '''\n{line}\n'''\n")
    with pytest.raises(ManifestError, match="other"):
        defaults(str(tmp_path))


def test_brackets_of_a_path():
    assert steps("a" + "[" * LONG) == ("a",)
    assert steps("a.b[0].c[d.e]") == ("a", "b", 0, "c", "d.e")
    assert steps(f"a[{'9' * 5000}]") == ("a", "9" * 5000)


def test_variables_of_flux_that_do_not_end():
    def messages(text):
        manifest = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}, "data": {"a": text}}
        subject = Subject(manifest=manifest, origin="import", place=lambda _: Source("f"))
        return [
            finding.message[:40]
            for finding in check(Inventory(release="v1.9.0", today=date(2026, 11, 1), companions=(subject,)))
        ]

    assert messages("${a:" * LONG) == []
    assert messages("${a:" * 10 + "}") == ["Flux would replace ${a:${a:${a:${a:${a:$"]


def test_pairs_of_a_flavor_that_do_not_begin():
    assert read(f"[{{name: a, vcpus: 1, ram: 512, properties: {'a' * LONG}}}]".encode(), "f")
