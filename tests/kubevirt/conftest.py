"""What is said of every VM that a test expands by `answering.expand` is held by the test's snapshot."""

import answering
import pytest


@pytest.fixture(autouse=True)
def held(snapshot):
    """Compare what was said in a test, when it is over, with what is known of it."""
    answering.MADE.clear()
    yield
    all_lines = [answering.lines(result) for result in answering.MADE]
    all_lines = [lines for lines in all_lines if lines != ["refused by None"]]
    if all_lines:
        assert all_lines == snapshot
