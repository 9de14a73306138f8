"""A Sigstore on this machine: it certifies identities (Fulcio), logs certificates, and logs signatures (Rekor).

Source: RFC 6962 (SCTs, Merkle trees), sigstore/fulcio docs/oid-info.md and fulcio.proto, sigstore/rekor openapi.yaml,
pkg/types/dsse/v0.0.1, and the signed notes of golang.org/x/mod/sumdb/note.
"""

from __future__ import annotations

import base64
import hashlib
import json
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import jwt
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID, ObjectIdentifier

from serving import Handler, served

_ISSUER = ObjectIdentifier("1.3.6.1.4.1.57264.1.8")
_SCTS = ObjectIdentifier("1.3.6.1.4.1.11129.2.4.2")
_START = "2020-01-01T00:00:00Z"


def token(issuer: str, subject: str) -> str:
    """Return an identity token; Fulcio would look at its signature, ours does not."""
    now = int(time.time())
    claims = {"iss": issuer, "sub": subject, "aud": "sigstore", "iat": now, "nbf": now - 10, "exp": now + 300}
    return jwt.encode(claims, "a secret of the tests that is long enough")


def _canonical(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def _text(content: bytes) -> str:
    return base64.b64encode(content).decode()


class _Log:
    """A key that signs, and what the log is called after it."""

    def __init__(self) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self.public = self._key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        self.id = hashlib.sha256(self.public).digest()

    def signature(self, content: bytes) -> bytes:
        return self._key.sign(content, ec.ECDSA(SHA256()))

    def trusted(self, url: str) -> dict[str, Any]:
        """What a trusted root says of it."""
        key = {
            "rawBytes": _text(self.public),
            "keyDetails": "PKIX_ECDSA_P256_SHA_256",
            "validFor": {"start": _START},
        }
        return {"baseUrl": url, "hashAlgorithm": "SHA2_256", "publicKey": key, "logId": {"keyId": _text(self.id)}}


class Sigstore:
    """Who certifies and logs; `url` is where."""

    def __init__(self) -> None:
        self.url = ""
        self._rekor, self._ct = _Log(), _Log()
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "fulcio.test")])
        now = datetime.now(UTC)
        self.authority = (
            self._builder(self._name, self._key.public_key(), now - timedelta(days=1), timedelta(days=2))
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(_usage(sign=False), critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(self._key.public_key()), critical=False)
            .sign(self._key, SHA256())
        )

    def _builder(self, subject: x509.Name, key: Any, start: datetime, length: timedelta) -> x509.CertificateBuilder:
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(start)
            .not_valid_after(start + length)
        )

    def certificate(self, request: x509.CertificateSigningRequest, issuer: str, subject: str) -> x509.Certificate:
        """Certify a key for ten minutes, with the promise of the certificate log in it."""
        start = datetime.now(UTC).replace(microsecond=0) - timedelta(seconds=5)
        identifier = x509.SubjectKeyIdentifier.from_public_key(self._key.public_key())
        builder = (
            self._builder(x509.Name([]), request.public_key(), start, timedelta(minutes=10))
            .add_extension(_usage(sign=True), critical=True)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CODE_SIGNING]), critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(identifier), critical=False)
            .add_extension(x509.SubjectAlternativeName([x509.UniformResourceIdentifier(subject)]), critical=True)
            .add_extension(
                x509.UnrecognizedExtension(_ISSUER, bytes((0x0C, len(issuer))) + issuer.encode()), critical=False
            )
        )
        body = builder.sign(self._key, SHA256()).tbs_certificate_bytes
        stamp = int(time.time() * 1000)
        issuer_key = self._key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        promised = struct.pack("!BBQH", 0, 0, stamp, 1) + hashlib.sha256(issuer_key).digest()
        promised += len(body).to_bytes(3, "big") + body + struct.pack("!H", 0)
        signature = self._ct.signature(promised)
        one = struct.pack("!B32sQHBBH", 0, self._ct.id, stamp, 0, 4, 3, len(signature)) + signature
        scts = struct.pack("!HH", len(one) + 2, len(one)) + one
        octets = b"\x04" + (bytes((len(scts),)) if len(scts) < 128 else bytes((0x81, len(scts)))) + scts
        return builder.add_extension(x509.UnrecognizedExtension(_SCTS, octets), critical=False).sign(
            self._key, SHA256()
        )

    def entry(self, proposed: dict[str, Any]) -> dict[str, Any]:
        """Log an envelope, as the only entry of a tree; return what Rekor answers."""
        content = proposed["spec"]["proposedContent"]
        envelope = json.loads(content["envelope"])
        body = _canonical(
            {
                "apiVersion": "0.0.1",
                "kind": "dsse",
                "spec": {
                    "envelopeHash": {
                        "algorithm": "sha256",
                        "value": hashlib.sha256(content["envelope"].encode()).hexdigest(),
                    },
                    "payloadHash": {
                        "algorithm": "sha256",
                        "value": hashlib.sha256(base64.b64decode(envelope["payload"])).hexdigest(),
                    },
                    "signatures": [
                        {"signature": envelope["signatures"][0]["sig"], "verifier": content["verifiers"][0]}
                    ],
                },
            }
        )
        leaf = hashlib.sha256(b"\0" + body).digest()
        note = f"rekor.test - 1\n1\n{_text(leaf)}\n"
        signed = _text(self._rekor.id[:4] + self._rekor.signature(note.encode()))
        entry = {
            "body": _text(body),
            "integratedTime": int(time.time()),
            "logID": self._rekor.id.hex(),
            "logIndex": 0,
        }
        proof = {
            "checkpoint": f"{note}\n— rekor.test {signed}\n",
            "hashes": [],
            "logIndex": 0,
            "rootHash": leaf.hex(),
            "treeSize": 1,
        }
        promise = _text(self._rekor.signature(_canonical(entry)))
        return {leaf.hex(): {**entry, "verification": {"inclusionProof": proof, "signedEntryTimestamp": promise}}}

    def trusted_root(self) -> dict[str, Any]:
        """Return what verifiers trust."""
        chain = {"certificates": [{"rawBytes": _text(self.authority.public_bytes(Encoding.DER))}]}
        return {
            "mediaType": "application/vnd.dev.sigstore.trustedroot+json;version=0.1",
            "tlogs": [self._rekor.trusted(self.url)],
            "ctlogs": [self._ct.trusted(self.url)],
            "certificateAuthorities": [
                {
                    "subject": {"organization": "", "commonName": "fulcio.test"},
                    "uri": self.url,
                    "certChain": chain,
                    "validFor": {"start": _START},
                }
            ],
            "timestampAuthorities": [],
        }

    def trust_config(self) -> dict[str, Any]:
        """Return what signers are told."""
        service = {"url": self.url, "majorApiVersion": 1, "validFor": {"start": _START}, "operator": "test"}
        return {
            "mediaType": "application/vnd.dev.sigstore.clienttrustconfig.v0.1+json",
            "trustedRoot": self.trusted_root(),
            "signingConfig": {
                "mediaType": "application/vnd.dev.sigstore.signingconfig.v0.2+json",
                "caUrls": [service],
                "oidcUrls": [],
                "rekorTlogUrls": [service],
                "rekorTlogConfig": {"selector": "ANY"},
                "tsaUrls": [],
                "tsaConfig": {"selector": "ANY"},
            },
        }


def _usage(*, sign: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=sign,
        key_cert_sign=not sign,
        crl_sign=False,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


@contextmanager
def sigstore() -> Iterator[Sigstore]:
    """Run a Sigstore."""
    ours = Sigstore()

    class Answers(Handler):
        def do_POST(self) -> None:
            body = json.loads(self.content())
            if self.path == "/api/v2/signingCert":
                claims = jwt.decode(
                    self.headers["Authorization"].removeprefix("Bearer "), options={"verify_signature": False}
                )
                request = x509.load_pem_x509_csr(base64.b64decode(body["certificateSigningRequest"]))
                certificate = ours.certificate(request, claims["iss"], claims["sub"])
                chain = [one.public_bytes(Encoding.PEM).decode() for one in (certificate, ours.authority)]
                self.respond(200, {"signedCertificateEmbeddedSct": {"chain": {"certificates": chain}}})
            else:
                assert self.path == "/api/v1/log/entries", self.path
                self.respond(201, ours.entry(body))

    with served(Answers) as address:
        ours.url = f"http://{address}"
        yield ours
