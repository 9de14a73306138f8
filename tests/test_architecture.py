"""ARCHITECTURE.md and the decisions: what they name is there, and each invariant names a test that holds it."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
PACKAGE = ROOT / "generator/virtcatalog"
#: Where a path on the page may begin.
ROOMS = (ROOT, PACKAGE, *(path for pattern in ("*/", "kubevirt/*/") for path in PACKAGE.glob(pattern)))
INVARIANTS = re.findall(r"^\d+\. .*", PAGE, re.MULTILINE)


def test_it_can_be_read_at_once():
    assert len(PAGE.splitlines()) <= 400


def test_every_path_is_there():
    named = re.findall(r"`([\w./*-]+(?:\.(?:py|md|txt|yaml)|/))`", PAGE)
    paths = [path for path in named if "NAME" not in path]
    assert len(paths) > 80
    assert [path for path in paths if not any((room / path).exists() for room in ROOMS)] == []


def test_every_room_is_there():
    rooms = {path.name + "/" if path.is_dir() else path.name for path in PACKAGE.iterdir() if path.name[:1] != "_"}
    assert {room for room in rooms - {"py.typed"} if f"`{room}`" not in PAGE} == set()


def test_every_function_is_where_it_is_said_to_be():
    named = re.findall(r"`([\w/]+\.py)`, `(\w+)`", PAGE)
    assert len(named) >= 5
    for path, name in named:
        text = (PACKAGE / path).read_text(encoding="utf-8")
        assert re.search(rf"^(def|class) {name}\b", text, re.MULTILINE), (path, name)


def test_every_invariant_names_its_test():
    assert len(INVARIANTS) >= 15
    for number, line in enumerate(INVARIANTS, 1):
        assert line.startswith(f"{number}. **")
        assert re.search(r"`tests/[\w/]+\.py`", line), line


def test_every_command_of_make_is_there():
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert set(re.findall(r"`make ([a-z-]+)`", PAGE)) <= set(targets)


def test_decisions_are_numbered_listed_and_have_their_parts():
    folder = ROOT / "docs/decisions"
    records = sorted(path for path in folder.glob("*.md") if path.name != "index.md")
    index, navigation = (folder / "index.md").read_text(), (ROOT / "mkdocs.yml").read_text()
    for number, path in enumerate(records, 1):
        text = path.read_text(encoding="utf-8")
        assert path.name.startswith(f"{number:04}-")
        title = re.match(rf"# {number}\. (.+)\n", text)
        assert title, path.name
        assert f"| {number} | [{title[1]}]({path.name}) |" in index
        assert f"decisions/{path.name}" in navigation
        parts = re.findall(r"^\*\*(\w+)\.\*\*", text, re.MULTILINE)
        assert parts == ["Context", "Alternatives", "Decision", "Consequences"], path.name
