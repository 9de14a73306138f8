"""What helm gets to see of a chart: its files, its dependencies where they are, and what is refused."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path

import pytest

from virtcatalog.manifests.disk import on_disk
from virtcatalog.manifests.folder import held
from virtcatalog.repositories import charts
from virtcatalog.repositories.charts import ChartError, Copy, write


def copy(files: dict[str, str | bytes], at: str = "c") -> Copy:
    """A copy of the chart in a folder of these files."""
    folder = held({path: text if isinstance(text, bytes) else text.encode() for path, text in files.items()})
    chart = folder.folder(at)
    assert chart is not None
    return Copy(chart)


def archive(files: dict[str, str]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        for path, text in files.items():
            member = tarfile.TarInfo(path)
            member.size = len(text)
            tar.addfile(member, io.BytesIO(text.encode()))
    return buffer.getvalue()


def dependencies(*names: str) -> str:
    return json.dumps({"name": "c", "dependencies": [json.loads(name) for name in names]})


def test_dependencies_are_taken_from_where_they_are_and_the_others_are_named():
    chart = dependencies(
        '{"name": "own"}',
        '{"name": "packed"}',
        '{"name": "beside", "repository": "file://../beside"}',
        '{"name": "gone", "repository": "file://../gone"}',
        '{"name": "out", "repository": "file://../../../out"}',
        '{"name": "far", "repository": "https://charts.example.com"}',
        '{"name": "nowhere"}',
        '{"name": "a/b", "repository": "file://../beside"}',
        '{"name": "..", "repository": "file://../beside"}',
    )
    ours = copy(
        {
            "c/Chart.yaml": chart,
            "c/templates/vm.yaml": "a",
            "c/charts/own/Chart.yaml": "name: own",
            "c/charts/packed-1.tgz": archive({"packed/Chart.yaml": "name: packed", "packed/templates/a.yaml": "b"}),
            "c/charts/README.md": "no chart",
            "beside/Chart.yaml": "name: beside",
            "beside/templates/b.yaml": "c",
            "gone/values.yaml": "no chart",
        }
    )
    assert {path: content for path, content in ours.files.items() if path != "Chart.yaml"} == {
        "templates/vm.yaml": b"a",
        "charts/README.md": b"no chart",
        "charts/own/Chart.yaml": b'{\n  "name": "own"\n}\n',
        "charts/packed/Chart.yaml": b'{\n  "name": "packed"\n}\n',
        "charts/packed/templates/a.yaml": b"b",
        "charts/beside/Chart.yaml": b'{\n  "name": "beside"\n}\n',
        "charts/beside/templates/b.yaml": b"c",
    }
    rendered = json.loads(ours.files["Chart.yaml"])["dependencies"]
    assert [dependency["name"] for dependency in rendered] == ["own", "packed", "beside"]
    assert ours.missing == [
        "gone of file://../gone",
        "out of file://../../../out",
        "far of https://charts.example.com",
        "nowhere",
        "a/b of file://../beside",
        ".. of file://../beside",
    ]


@pytest.mark.parametrize(
    ("files", "fault"),
    [
        ({"c/Chart.yaml": "dependencies: [x]"}, "Chart.yaml: a dependency is no map"),
        ({"c/Chart.yaml": "[]"}, "Chart.yaml must be one map"),
        ({"c/Chart.yaml": "{}\n---\n{}\n"}, "Chart.yaml must be one map"),
        ({"c/Chart.yaml": "a: ["}, "Chart.yaml:2:1: is not YAML: the text ends where a value is wanted"),
        ({"c/Chart.yaml": "{}", "c/requirements.yaml": "[]"}, "requirements.yaml must be one map"),
        (
            {"a/Chart.yaml": dependencies('{"name": "c", "repository": "file://."}')},
            f"charts are nested more than {charts.CHART_LEVELS} levels deep",
        ),
    ],
)
def test_a_chart_that_cannot_be_copied(files, fault):
    with pytest.raises(ChartError) as refused:
        copy(files, next(iter(files)).partition("/")[0])
    assert str(refused.value) == fault


@pytest.mark.parametrize(("name", "most"), [("CHART_BYTES", 9), ("CHART_FILES", 2)])
def test_a_chart_of_the_most_files_and_bytes_is_copied_and_one_more_is_not(monkeypatch, name, most):
    files = {"c/Chart.yaml": "{}", "c/a": "1234567"}
    monkeypatch.setattr(charts, name, most)
    assert copy(files).files == {"Chart.yaml": b"{}\n", "a": b"1234567"}
    monkeypatch.setattr(charts, name, most - 1)
    with pytest.raises(ChartError):
        copy(files)


def test_what_of_a_chart_lies_elsewhere_is_not_copied(tmp_path: Path):
    (tmp_path / "c/templates").mkdir(parents=True)
    (tmp_path / "c/Chart.yaml").write_text("name: c")
    (tmp_path / "c/templates/vm.yaml").symlink_to("/etc/passwd")
    with pytest.raises(ChartError) as refused:
        Copy(on_disk(str(tmp_path), ("c",)))
    assert str(refused.value) == "templates/vm.yaml: is a symbolic link that leads out of the folder"


def test_an_archive_that_is_none_is_named():
    with pytest.raises(ChartError, match=r"^charts/a\.tgz cannot be unpacked: ."):
        copy({"c/Chart.yaml": "{}", "c/charts/a.tgz": b"no archive"})


@pytest.mark.parametrize("path", ["/a", "a//b", "a/", ".", "a/../b", "a\0", "a\\b"])
def test_a_path_that_is_none_within_a_chart_is_not_written(tmp_path, path):
    with pytest.raises(ChartError) as refused:
        write({path: b""}, tmp_path)
    assert str(refused.value) == f"{path!r} is no path within a chart"
    assert list(tmp_path.iterdir()) == []


def test_files_are_written_once_each(tmp_path: Path):
    write({"a/b": b"c"}, tmp_path)
    assert (tmp_path / "a/b").read_bytes() == b"c"
    with pytest.raises(ChartError) as refused:
        write({"a/b": b"d"}, tmp_path)
    assert str(refused.value) == "'a/b' cannot be written: File exists"
    with pytest.raises(ChartError) as refused:
        write({"a/b/c": b"d"}, tmp_path)
    assert str(refused.value) == "'a/b/c' cannot be written: File exists"


def test_charts_are_nested_only_so_deep(monkeypatch):
    monkeypatch.setattr(charts, "CHART_LEVELS", 2)
    files = {"c/Chart.yaml": "{}", "c/charts/a/Chart.yaml": "{}", "c/charts/a/charts/b/Chart.yaml": "{}"}
    assert set(copy(files).files) == {"Chart.yaml", "charts/a/Chart.yaml", "charts/a/charts/b/Chart.yaml"}
    with pytest.raises(ChartError, match=r"^charts are nested more than 2 levels deep$"):
        copy({**files, "c/charts/a/charts/b/charts/c/Chart.yaml": "{}"})


def test_what_of_a_chart_is_not_given_to_helm():
    files = {
        "c/Chart.yaml": "{}",
        "c/Chart.lock": "x",
        "c/requirements.lock": "x",
        "c/values.schema.json": "{}",
        "c/values.yaml": "a: 1",
        "c/.helmignore": "b",
        "c/.hidden": "x",
        "c/files/values.schema.json": "{}",
        "c/charts/a.tar.gz": archive({"a/Chart.yaml": "{}", "a/values.schema.json": "{}", "top": "x"}),
        "c/charts/b.zip": "x",
    }
    assert copy(files).files == {
        "Chart.yaml": b"{}\n",
        "values.yaml": b"a: 1",
        ".helmignore": b"b",
        "files/values.schema.json": b"{}",
        "charts/b.zip": b"x",
        "charts/a/Chart.yaml": b"{}\n",
        "charts/top/": b"x",
    }


def test_dependencies_of_the_old_api_stand_in_a_file_of_their_own():
    files = {
        "c/Chart.yaml": "name: c\n",
        "c/requirements.yaml": "dependencies: [{name: near, repository: 'file://../near'}, {name: far}]\n",
        "near/Chart.yaml": "name: near\n",
    }
    chart = copy(files)
    assert json.loads(chart.files["requirements.yaml"]) == {
        "dependencies": [{"name": "near", "repository": "file://../near"}]
    }
    assert (chart.files["charts/near/Chart.yaml"], chart.missing) == (b'{\n  "name": "near"\n}\n', ["far"])
    assert copy({"c/Chart.yaml": "dependencies: x\n"}).files == {"Chart.yaml": b'{\n  "dependencies": "x"\n}\n'}
