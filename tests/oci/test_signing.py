"""Artifacts that are signed, and what is attached to them: as Flux' and cosign's own code see it."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from asking import commit, digest, push, run
from registries import Running
from sigstores import sigstore, token

from sampling import thorough
from virtcatalog.oci.reference import parse
from virtcatalog.oci.registry import Registry


class Consumers:
    """The program of `consumers/main.go`, with a key of cosign's."""

    def __init__(self, program: Path, folder: Path, registry: Running) -> None:
        self._program, self._registry, self.key = program, registry, folder / "cosign"
        self.ask("encrypt", self.key)

    def ask(self, *arguments: object) -> subprocess.CompletedProcess[str]:
        """Return what it answers."""
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": "/nonexistent",
            "DOCKER_CONFIG": str(self._registry.docker),
            "SSL_CERT_FILE": str(self._registry.authority),
            "COSIGN_PASSWORD": "open sesame",
        }
        command = [str(self._program), *map(str, arguments)]
        return subprocess.run(command, env=environment, capture_output=True, text=True)


@pytest.fixture
def cosign(consumers: Path, tmp_path: Path, logged_in: Running, monkeypatch: pytest.MonkeyPatch) -> Consumers:
    monkeypatch.setenv("COSIGN_PASSWORD", "open sesame")
    return Consumers(consumers, tmp_path, logged_in)


def sign(registry: Running, name: str, cosign: Consumers) -> str:
    """Push and sign; return what other tools call the artifact."""
    pushed = digest(push(registry, f"{name}:v1", "--sign", "--key", f"{cosign.key}.key"))
    return f"{registry.host}/{name}@{pushed}"


def statements(cosign: Consumers, reference: str) -> dict[str, Any]:
    """The verified statements about an artifact, by the types of their predicates."""
    answer = cosign.ask("attestations", reference, f"{cosign.key}.pub")
    assert answer.returncode == 0, answer.stderr
    bodies = [json.loads(line) for line in answer.stdout.splitlines()]
    return {one["predicateType"]: one for one in bodies}


def test_flux_extracts_it_and_reads_where_it_is_from(logged_in: Running, house: Path, cosign: Consumers) -> None:
    pushed = digest(push(logged_in, "flux:v1"))
    answer = cosign.ask("flux-pull", f"{logged_in.host}/flux:v1", "there")
    assert answer.returncode == 0, answer.stderr
    metadata = json.loads(answer.stdout)
    assert metadata["digest"] == f"{logged_in.host}/flux@{pushed}"
    assert metadata["created"] == "2026-01-02T03:04:05Z"
    assert metadata["source_url"] == "https://git.example.com/house.git"
    assert run("build").exit_code == 0
    for path in ("overlays/lab/kustomization.yaml", "base/VirtualMachineInstancetype/m.small.yaml"):
        assert Path("there", path).read_bytes() == Path("output", path).read_bytes()
    assert Path("there/declarations/catalog/catalog.yaml").read_bytes() == (house / "catalog.yaml").read_bytes()


def test_cosign_3_and_2_verify_what_is_signed(logged_in: Running, house: Path, cosign: Consumers) -> None:
    reference = sign(logged_in, "signed", cosign)
    for way in ("verify", "verify-simple"):
        answer = cosign.ask(way, reference, f"{cosign.key}.pub")
        assert answer.returncode == 0, answer.stderr


def test_what_nobody_has_signed_is_not_verified(logged_in: Running, house: Path, cosign: Consumers) -> None:
    reference = f"{logged_in.host}/unsigned@{digest(push(logged_in, 'unsigned:v1'))}"
    for way in ("verify", "verify-simple"):
        assert cosign.ask(way, reference, f"{cosign.key}.pub").returncode == 1


def test_another_key_does_not_verify_it(
    logged_in: Running, house: Path, cosign: Consumers, consumers: Path, tmp_path: Path
) -> None:
    reference = sign(logged_in, "other-key", cosign)
    (tmp_path / "other").mkdir()
    other = Consumers(consumers, tmp_path / "other", logged_in)
    for way in ("verify", "verify-simple"):
        assert other.ask(way, reference, f"{other.key}.pub").returncode == 1


@thorough
def test_signatures_of_others_stay(
    logged_in: Running, house: Path, cosign: Consumers, consumers: Path, tmp_path: Path
) -> None:
    (tmp_path / "other").mkdir()
    other = Consumers(consumers, tmp_path / "other", logged_in)
    assert sign(logged_in, "both", cosign) == sign(logged_in, "both", other)
    reference = sign(logged_in, "both", cosign)
    for signer in (cosign, other):
        for way in ("verify", "verify-simple"):
            answer = signer.ask(way, reference, f"{signer.key}.pub")
            assert answer.returncode == 0, answer.stderr


@thorough
def test_who_signs_twice_leaves_what_is_there(logged_in: Running, house: Path, cosign: Consumers) -> None:
    reference = sign(logged_in, "twice", cosign)
    registry = Registry(parse(f"oci://{logged_in.host}/twice"), authority=str(logged_in.authority))
    tag = reference.rpartition("@")[2].replace(":", "-")
    before = registry.manifest(tag), registry.manifest(f"{tag}.sig")
    assert None not in before
    sign(logged_in, "twice", cosign)
    assert (registry.manifest(tag), registry.manifest(f"{tag}.sig")) == before


def test_provenance_names_the_commit_and_what_it_builds_on(logged_in: Running, house: Path, cosign: Consumers) -> None:
    place = house / "catalog.yaml"
    place.write_text("name: house\nextends: common-instancetypes@v1.7.0\nselect: {instancetypes: [u1.small]}\n")
    (house / "instancetypes/m.yaml").rename(house / "instancetypes/house.yaml")
    commit(house.parent)
    head = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()
    by_type = statements(cosign, sign(logged_in, "made", cosign))
    definition = by_type["https://slsa.dev/provenance/v1"]["predicate"]["buildDefinition"]
    git, extended = definition["resolvedDependencies"]
    assert git == {"uri": "git+https://git.example.com/house.git", "digest": {"gitCommit": head}}
    assert extended["uri"].endswith("#common-instancetypes@v1.7.0")
    bill = by_type["https://cyclonedx.org/bom"]["predicate"]
    assert bill["metadata"]["component"]["name"] == "house"
    assert [one["name"] for one in bill["components"]] == [
        "common-instancetypes@v1.7.0",
        "catalog/catalog.yaml",
        "catalog/instancetypes/house.yaml",
        "catalog/overlays.yaml",
    ]


def test_a_wrong_password_and_a_file_that_is_no_key(
    logged_in: Running, house: Path, cosign: Consumers, monkeypatch
) -> None:
    wrong = push(logged_in, "no:v1", "--sign", "--key", f"{cosign.key}.pub")
    assert "cosign.pub: is no encrypted key of cosign's" in wrong.stderr
    monkeypatch.setenv("COSIGN_PASSWORD", "guess")
    wrong = push(logged_in, "no:v1", "--sign", "--key", f"{cosign.key}.key")
    assert (wrong.exit_code, "COSIGN_PASSWORD is not its password" in wrong.stderr) == (2, True)
    monkeypatch.delenv("COSIGN_PASSWORD")
    assert "COSIGN_PASSWORD has to hold" in push(logged_in, "no:v1", "--sign", "--key", f"{cosign.key}.key").stderr


def test_nothing_is_sent_before_all_is_signed(logged_in: Running, house: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ACTIONS_ID_TOKEN_REQUEST_TOKEN", "SIGSTORE_ID_TOKEN", "GITHUB_ACTIONS"):
        monkeypatch.delenv(name, raising=False)
    Path("trust.json").write_text("{}")
    refused = push(logged_in, "early:v1", "--sign", "--trust-config", "trust.json")
    message = "error: trust.json: is no trust config of a Sigstore\n"
    assert (refused.exit_code, refused.stderr) == (2, message)
    assert Registry(parse(f"oci://{logged_in.host}/early"), authority=str(logged_in.authority)).manifest("v1") is None


def test_an_identity_signs_without_a_key(
    logged_in: Running, house: Path, cosign: Consumers, monkeypatch: pytest.MonkeyPatch
) -> None:
    issuer, subject = "https://token.example.com", "https://git.example.com/house/.ci/publish.yaml@refs/tags/v1"
    with sigstore() as trusted:
        Path("trust.json").write_text(json.dumps(trusted.trust_config()))
        Path("root.json").write_text(json.dumps(trusted.trusted_root()))
        monkeypatch.setenv("SIGSTORE_ID_TOKEN", token(issuer, subject))
        pushed = digest(push(logged_in, "keyless:v1", "--sign", "--trust-config", "trust.json"))
    reference = f"{logged_in.host}/keyless@{pushed}"
    answer = cosign.ask("verify-identity", reference, "root.json", f"^{issuer}$", "^https://git.example.com/house/")
    assert answer.returncode == 0, answer.stderr
    for wrong in ((issuer, "^https://git.example.com/other/"), ("^https://other.example.com$", subject)):
        assert cosign.ask("verify-identity", reference, "root.json", *wrong).returncode == 1
