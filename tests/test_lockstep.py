"""Work in steps: each step for all that go together before the next, and what they make in their order."""

from itertools import count, islice

import pytest

from virtcatalog.lockstep import at_once, finished, in_one, of_size, together


def walk(name, steps, seen):
    for step in range(steps):
        seen.append(f"{name}{step}")
        if step < steps - 1:
            yield
    return name.upper()


def test_at_once_takes_all_steps_and_returns_what_they_make():
    seen = []
    assert at_once(walk("a", 3, seen)) == "A"
    assert seen == ["a0", "a1", "a2"]


def test_a_step_is_taken_for_all_before_the_next_one():
    seen = []
    assert list(together(walk(name, 2, seen) for name in "abc")) == ["A", "B", "C"]
    assert seen == ["a0", "b0", "c0", "a1", "b1", "c1"]


def test_who_has_fewer_steps_waits_for_nobody_and_keeps_the_place():
    seen = []
    assert list(together([walk("a", 3, seen), finished("none"), walk("b", 1, seen)])) == ["A", "none", "B"]
    assert seen == ["a0", "b0", "a1", "a2"]


def test_so_many_go_together_and_the_others_are_not_asked_for_yet():
    asked = []
    endless = (finished(asked.append(number) or number) for number in count())
    assert list(islice(together(endless), 40)) == list(range(40))
    assert 40 <= len(asked) < 80


def test_nothing_makes_nothing():
    assert list(together(iter(()))) == []


def test_a_function_is_a_single_step():
    assert at_once(in_one(divmod, 7, 3)) == (2, 1)


def test_a_function_is_called_when_its_step_is_taken():
    seen = []
    steps = in_one(seen.append, 1)
    assert seen == []
    at_once(steps)
    assert seen == [1]


def test_work_on_a_long_text_is_done_before_that_on_the_next_one_begins():
    seen = []
    sizes = {"a": 100_000, "b": 100_000, "c": 10, "d": 10}
    assert list(together(of_size(size, walk(name, 2, seen)) for name, size in sizes.items())) == ["A", "B", "C", "D"]
    assert seen == ["a0", "a1", "b0", "b1", "c0", "d0", "c1", "d1"]


def test_what_a_step_raises_is_raised():
    def failing():
        yield
        raise ValueError("in the second step")

    with pytest.raises(ValueError, match="in the second step"):
        list(together([finished(1), failing()]))
    with pytest.raises(ValueError, match="in the second step"):
        at_once(failing())


def test_what_came_before_an_error_is_not_lost():
    def work():
        yield finished(1)
        yield finished(2)
        raise ValueError("no more")

    made = together(work())
    assert [next(made), next(made)] == [1, 2]
    with pytest.raises(ValueError, match="no more"):
        next(made)
