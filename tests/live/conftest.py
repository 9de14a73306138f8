from pathlib import Path

import pytest

import fleet


@pytest.fixture(scope="session")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository, `git`, with its cluster's dump, `lab.json`, beside it."""
    root = tmp_path_factory.mktemp("fleet")
    fleet.write_git(root / "git")
    fleet.write_dump(root / "lab.json")
    return root
