"""The memo: the same arguments give the result that was made first, all others are computed."""

import pytest

from virtcatalog.kubevirt import memo as module
from virtcatalog.kubevirt.memo import memo


@pytest.fixture
def calls():
    return []


@pytest.fixture
def joined(calls):
    @memo
    def join(*parts, separator="-"):
        """Join parts."""
        calls.append(parts)
        if not parts:
            raise ValueError("nothing to join")
        return separator.join(map(str, parts))

    return join


def test_the_same_arguments_are_computed_once(joined, calls):
    assert joined("a", 1) == joined("a", 1) == "a-1"
    assert calls == [("a", 1)]


@pytest.mark.parametrize("other", [("b",), ("a", "a"), (), ("A",)])
def test_other_arguments_are_computed(joined, calls, other):
    joined("a")
    if other:
        joined(*other)
    else:
        with pytest.raises(ValueError, match="nothing to join"):
            joined()
    assert calls == [("a",), other]


def test_every_argument_counts(joined):
    assert (joined("a", "b"), joined("a", "b", separator="+")) == ("a-b", "a+b")


def test_arguments_of_different_types_differ(joined):
    assert [joined(1), joined(True), joined(1.0)] == ["1", "True", "1.0"]


def test_an_error_is_raised_each_time(joined, calls):
    for _ in range(2):
        with pytest.raises(ValueError, match="nothing to join"):
            joined()
    assert calls == [(), ()]


def test_what_may_change_is_no_argument(joined):
    with pytest.raises(TypeError, match="unhashable"):
        joined(["a"])


def test_only_so_many_results_are_remembered(monkeypatch, calls):
    monkeypatch.setattr(module, "ENTRIES", 2)
    square = memo(lambda number: calls.append(number) or number * number)
    assert [square(number) for number in (1, 2, 3, 1)] == [1, 4, 9, 1]
    assert calls == [1, 2, 3, 1]


def test_a_function_keeps_its_name_and_docstring(joined):
    assert (joined.__name__, joined.__doc__) == ("join", "Join parts.")
