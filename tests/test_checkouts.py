"""What anybody may have committed: links on the way to a place."""

from __future__ import annotations

import errno

import pytest

from virtcatalog.checkouts import resolved


def test_a_place_has_forty_links_on_its_way_at_most(tmp_path):
    (tmp_path / "0").write_text("")
    for number in range(1, 42):
        (tmp_path / str(number)).symlink_to(str(number - 1))
    place, links = resolved(str(tmp_path / "40"))
    assert place == str(tmp_path / "0")
    assert links == [str(tmp_path / str(number)) for number in range(40, 0, -1)]
    with pytest.raises(OSError, match="Too many levels of symbolic links") as refused:
        resolved(str(tmp_path / "41"))
    assert refused.value.errno == errno.ELOOP
