"""What is said of every VM that a test expands by `answering.expand` is held by the test's snapshot."""

import answering
import pytest


@pytest.fixture(autouse=True)
def held(snapshot):
    """Compare what was said in a test, when it is over, with what is known of it."""
    answering.MADE.clear()
    yield
    told = [answering.lines(result) for result in answering.MADE]
    told = [lines for lines in told if lines != ["refused by None"]]
    if told:
        assert told == snapshot
