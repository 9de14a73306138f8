"""The schemas of the repository are those that its types give: `make schemas` writes them."""

from __future__ import annotations

from pathlib import Path

import msgspec

from virtcatalog.catalog.schema import all_schemas

HOME = Path(__file__).parents[2] / "schemas"


def test_committed_schemas_are_fresh() -> None:
    committed = {
        file.relative_to(HOME).as_posix(): msgspec.json.decode(file.read_bytes()) for file in HOME.rglob("*.json")
    }
    assert committed == all_schemas()
