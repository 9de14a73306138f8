"""What `push` and `pull` say before any registry is asked."""

from __future__ import annotations

from pathlib import Path
from shlex import split

import pytest
from click.testing import CliRunner

from checkouts import git, write
from virtcatalog.cli import main
from virtcatalog.cli.push import _signer
from virtcatalog.oci import signing

FILES = {
    "catalog/catalog.yaml": "name: house\nkubevirt: v1.9.0\n",
    "catalog/instancetypes/m.yaml": "class: m\nmemoryPerVcpu: 4Gi\nsizes: {small: {vcpus: 1}, large: {vcpus: 2}}\n",
}
PLACE = "oci://registry.example.com/house"


@pytest.fixture(autouse=True)
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write(tmp_path, FILES)
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-q", "-m", "first")
    monkeypatch.chdir(tmp_path)
    for name in ("SOURCE_DATE_EPOCH", "COSIGN_PASSWORD", "SIGSTORE_ID_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def run(line: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, split(line), prog_name="virtcatalog")
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.stdout, result.stderr.rpartition("\n\n")[2]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (f"push {PLACE}", f"Error: {PLACE}: name what is published by a tag: {PLACE}:TAG\n"),
        (
            f"push {PLACE}:v1@sha256:{'0' * 64}",
            f"Error: {PLACE}:v1@sha256:{'0' * 64}: name what is published by a tag: {PLACE}:TAG\n",
        ),
        (f"push {PLACE}:v1 --key k", "Error: --key and --trust-config are for --sign\n"),
        (f"push {PLACE}:v1 --trust-config t", "Error: --key and --trust-config are for --sign\n"),
        (
            f"push {PLACE}:v1 --sign --key k --trust-config t",
            "Error: either a --key signs, or an identity that --trust-config is for\n",
        ),
        (
            f"push {PLACE}:v1 --created noon",
            "Error: noon is no time: write 2026-01-31T12:00:00Z\n",
        ),
        (f"push {PLACE}:v1 --sign --key k", "Error: COSIGN_PASSWORD has to hold the password of k\n"),
        ("pull catalog there", "Error: what catalog extends goes into no folder: leave out there\n"),
        (f"pull {PLACE}:v1 --base HEAD", "Error: --base is for a CATALOG in the place of a reference\n"),
    ],
)
def test_wrong_usage(line: str, message: str) -> None:
    assert run(line) == (2, "", message)


@pytest.mark.parametrize("epoch", ["soon", "99999999999999999999", "1e3"])
def test_a_time_of_the_environment_that_is_none(monkeypatch: pytest.MonkeyPatch, epoch: str) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", epoch)
    message = f"Error: {epoch} is no time: write 2026-01-31T12:00:00Z\n"
    assert run(f"push {PLACE}:v1 --dry-run") == (2, "", message)


def digest(line: str) -> str:
    status, out, stderr = run(line)
    assert (status, stderr) == (0, f"would publish house as {PLACE}:v1\n")
    assert out.startswith(f"{PLACE}:v1@sha256:")
    return out.removesuffix("\n")


def test_what_git_says_counts_where_the_options_say_nothing() -> None:
    git(".", "remote", "add", "origin", "https://git.example.com/house.git")
    commit = git(".", "rev-parse", "HEAD")
    time = git(".", "show", "-s", "--format=%cI", "HEAD")
    line = f"push {PLACE}:v1 --dry-run"
    first = digest(line)
    source = "--source https://git.example.com/house.git"
    assert digest(f"{line} {source} --revision sha1:{commit} --created {time}") == first
    others = ("--source https://git.example.com/b", "--revision r", "--created 2001-01-01")
    assert len({first, *(digest(f"{line} {other}") for other in others)}) == 4
    assert digest(f"{line} --revision r") != digest(f"{line} --revision r {source}")


def test_a_signed_one_says_so() -> None:
    assert run(f"push {PLACE}:v1 --dry-run --sign")[2] == f"would publish house, signed, as {PLACE}:v1\n"


def test_a_broken_promise_is_not_published(repository: Path) -> None:
    assert CliRunner().invoke(main, ["release", "v1.0.0"]).exit_code == 0
    assert run(f"push {PLACE}:v1 --dry-run --revision r")[0] == 0
    write(repository, {"catalog/instancetypes/m.yaml": FILES["catalog/instancetypes/m.yaml"].replace("4Gi", "5Gi")})
    status, out, stderr = run(f"push {PLACE}:v1 --dry-run --revision r")
    assert (status, out) == (1, "")
    assert stderr.startswith("catalog/instancetypes/m.yaml:3:9: instance type m.small: memory.guest: 4Gi → 5Gi; ")


@pytest.mark.parametrize(
    ("key", "trust", "environment", "signer"),
    [
        (None, None, {"SIGSTORE_ID_TOKEN": "token"}, ("identity", "token", None)),
        (None, "trust.json", {}, ("identity", None, "trust.json")),
        ("cosign.key", None, {"COSIGN_PASSWORD": "päss"}, ("key", "cosign.key", "päss".encode())),
        ("cosign.key", None, {"COSIGN_PASSWORD": ""}, ("key", "cosign.key", b"")),
    ],
)
def test_who_signs(
    monkeypatch: pytest.MonkeyPatch, key: str | None, trust: str | None, environment: dict[str, str], signer: object
) -> None:
    monkeypatch.setattr(signing, "Identity", lambda *arguments: ("identity", *arguments))
    monkeypatch.setattr(signing, "Key", lambda *arguments: ("key", *arguments))
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert _signer(key, trust) == signer


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("pull catalog", (0, "", "catalog extends no artifact\n")),
        ("pull catalog -q", (0, "", "")),
        ("pull catalog --base HEAD", (0, "", "catalog extends no artifact\n")),
        ("pull new --base HEAD", (2, "", "error: HEAD:new: there is nothing in this revision\n")),
        ("pull nowhere", (2, "", "nowhere: there is no such file or folder\n1 problem\n")),
    ],
)
def test_a_catalog_that_extends_nothing(repository: Path, line: str, answer: tuple[int, str, str]) -> None:
    write(repository, {"new/catalog.yaml": "name: new\nkubevirt: v1.9.0\n"})
    assert run(line) == answer
