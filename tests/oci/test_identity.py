"""Who signs without a key: an identity, for which Sigstore gives a certificate."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from sigstores import sigstore, token

from virtcatalog.oci.reference import OciError
from virtcatalog.oci.signing import Identity


@pytest.fixture(autouse=True)
def nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ACTIONS_ID_TOKEN_REQUEST_TOKEN", "SIGSTORE_ID_TOKEN", "GITHUB_ACTIONS", "GITLAB_CI", "BUILDKITE"):
        monkeypatch.delenv(name, raising=False)


def sentence(call: object) -> str:
    with pytest.raises(OciError) as refused:
        call()  # type: ignore[operator]
    return str(refused.value)


def test_without_an_identity_nobody_signs(tmp_path: Path) -> None:
    trust = tmp_path / "trust.json"
    with sigstore() as trusted:
        trust.write_text(json.dumps(trusted.trust_config()))
        assert sentence(lambda: Identity(None, str(trust))) == (
            "there is no identity to sign as: in GitHub Actions give the job `id-token: write`, elsewhere set "
            "SIGSTORE_ID_TOKEN, or sign by --key"
        )
        assert sentence(lambda: Identity("no token", str(trust))).startswith("Sigstore gave no certificate: ")


@pytest.mark.parametrize(
    "content", [b"", b"{}", b"\xff", b"[" * 100_000], ids=["empty", "no fields", "no text", "deep"]
)
def test_a_trust_config_that_is_none(tmp_path: Path, content: bytes) -> None:
    trust = tmp_path / "trust.json"
    trust.write_bytes(content)
    assert sentence(lambda: Identity("token", str(trust))) == f"{trust}: is no trust config of a Sigstore"


def test_a_statement_is_signed_and_has_no_signature_of_cosign_2(tmp_path: Path) -> None:
    trust = tmp_path / "trust.json"
    statement = json.dumps(
        {
            "_type": "https://in-toto.io/Statement/v1",
            "subject": [{"name": "a", "digest": {"sha256": "a" * 64}}],
            "predicateType": "https://example.org/said",
            "predicate": {},
        }
    ).encode()
    with sigstore() as trusted:
        trust.write_text(json.dumps(trusted.trust_config()))
        one = Identity(token("https://token.example.com", "me"), str(trust))
        assert json.loads(one.bundle(statement))["dsseEnvelope"]["payloadType"] == "application/vnd.in-toto+json"
        assert one.simple(b"payload") is None
        assert sentence(lambda: one.bundle(b"no statement")).startswith("Sigstore did not sign: ")
