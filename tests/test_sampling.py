"""`make test-all` runs again the files that take samples: it finds them by what they import."""

from pathlib import Path

TESTS = Path(__file__).parent
#: What sets how many examples Hypothesis draws for a test that does not say so.
CONFIGURATION = TESTS / "conftest.py"


def test_only_test_files_take_samples() -> None:
    importing = [
        file
        for file in TESTS.rglob("*.py")
        if any(line.startswith(("from sampling ", "import sampling")) for line in file.read_text().splitlines())
    ]
    assert {file for file in importing if not file.name.startswith("test_")} == {CONFIGURATION}


def test_they_import_by_from() -> None:
    for file in TESTS.rglob("test_*.py"):
        lines = [line.split() for line in file.read_text().splitlines() if "import" in line]
        assert not any(words[:2] in (["import", "sampling"], ["import", "hypothesis"]) for words in lines), file
