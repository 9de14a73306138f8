"""Every page of the documentation is what happens: its commands are run, in order, and say what it says."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from running import PAGES, Reader, Step, says, steps

TEXTS = {name: page.read_text(encoding="utf-8") for name, page in PAGES.items()}
STEPS = {name: steps(text) for name, text in TEXTS.items()}
#: What cannot be run here, page by page and by reason. More of them are less that is known to be so.
LEFT_OUT = {
    "README.md": {"it runs this": 2},
    "docs/artifacts.md": {"a registry": 8},
    "docs/ci-feed.md": {"it needs a cluster": 1},
    "docs/ci-pre-commit.md": {"pre-commit fetches its hooks": 1},
    "docs/gitops.md": {"a cluster": 1},
    "docs/golden-files.md": {"the network": 1},
    "docs/rightsize.md": {"it asks a Prometheus": 1},
    "docs/scale.md": {"other machines": 4},
    "docs/tutorial.md": {"the network": 1, "a cluster": 1},
    "docs/vmware.md": {"a cluster": 3},
}


RUN = [name for name, steps in STEPS.items() if steps]


@pytest.mark.parametrize("name", RUN)
def test_it_happens(name: str, tmp_path: Path, programs: Path) -> None:
    Reader(tmp_path / "home", programs).follow(TEXTS[name])


def test_what_is_left_out_is_known() -> None:
    counts = {name: Counter(step.left_out for step in steps if step.left_out) for name, steps in STEPS.items()}
    assert {name: dict(count) for name, count in counts.items() if count} == LEFT_OUT


def test_most_is_run() -> None:
    assert sum(step.kind == "run" and not step.left_out for steps in STEPS.values() for step in steps) > 80


#: All but the page of all pages.
NAMES = [name for name in TEXTS if name.startswith("docs/") and name != "docs/index.md"]


@pytest.mark.parametrize("name", NAMES)
def test_it_begins_with_what_it_is_for(name: str) -> None:
    blocks = [block for block in TEXTS[name].split("\n\n") if not block.startswith("<!--")]
    assert blocks[0].startswith("# ")
    assert re.match(r"[A-Za-z]|`\w", blocks[1]), "a paragraph comes before the first section"


@pytest.mark.parametrize("name", NAMES)
def test_it_ends_with_what_to_read_next(name: str) -> None:
    assert TEXTS[name].rstrip().rpartition("\n\n")[2].startswith("Next: ")


class TestReading:
    def test_commands_and_what_they_print(self) -> None:
        page = "```console\n$ a \\\n  b\none\n$ c\n[exit 3]\n```\n"
        assert steps(page) == [
            Step(2, "run", "a \\\n  b", ("one",)),
            Step(5, "run", "c", (), 3),
        ]

    def test_the_next_block_is_the_output_when_nothing_stands_between(self) -> None:
        block = "```console\n$ a\n```\n"
        shown = "\n```diff\n-b\n```\n"
        assert steps(block + shown) == [Step(2, "run", "a", ("-b",))]

    def test_comments_set_up_and_leave_out(self) -> None:
        page = (
            "<!-- set-up\nx=1\n-->\n\n<!-- file a/b.yaml -->\n```yaml\nc: 1\n```\n"
            "<!-- not run: a cluster -->\n```console\n$ kubectl\n```\n<!-- exit 1 -->\n```console\n$ d\n```\n"
        )
        assert steps(page) == [
            Step(1, "set-up", "x=1\n"),
            Step(6, "file", "a/b.yaml\nc: 1\n"),
            Step(11, "run", "kubectl", left_out="a cluster"),
            Step(15, "run", "d", status=1),
        ]

    @pytest.mark.parametrize(
        "page",
        [
            "<!-- exit 1 -->\n```yaml\na: 1\n```\n",
            "<!-- exit 1 -->\n",
            "```console\nno command\n```\n",
            "```console\n$ a\n```\nwords\n```diff\n-b\n```\n",
            "```\nvirtcatalog check\n```\n",
        ],
    )
    def test_what_means_nothing_is_a_mistake(self, page: str) -> None:
        with pytest.raises(AssertionError):
            steps(page)

    @pytest.mark.parametrize(
        ("expected", "printed", "same"),
        [
            (("a", "…", "c"), "a\nb\nb\nc\n", True),
            (("a", "…"), "a\n", True),
            (("a…c",), "abc\n", True),
            (("a…c",), "ab\nc\n", False),
            (("a",), "a\nb\n", False),
            (("…b",), "a\n", False),
            (("a",), "a  \n", True),
        ],
    )
    def test_dots_stand_for_anything(self, expected: tuple[str, ...], printed: str, same: bool) -> None:
        assert says(expected, printed) is same


class TestFollowing:
    @pytest.mark.parametrize(
        "page",
        [
            "```console\n$ false\n```\n",
            "```console\n$ echo a\nb\n```\n",
            "```console\n$ echo a\n$ echo b\nb\n```\n",
            "```python\nassert False\n```\n",
            "<!-- set-up\nfalse\necho a\n-->\n",
        ],
    )
    def test_what_a_page_says_wrongly_is_found(self, page: str, tmp_path: Path) -> None:
        with pytest.raises(AssertionError):
            Reader(tmp_path / "home").follow(page)

    def test_folders_files_and_stand_ins_stay(self, tmp_path: Path) -> None:
        Reader(tmp_path / "home").follow(
            "<!-- file f -->\n```text\nhello\n```\n<!-- set-up\nstand_in kubectl f\nmkdir d\n-->\n"
            "```console\n$ cd d\n$ cat ../f\nhello\n$ kubectl get vm | sed s/h/H/\nHello\n```\n"
        )
