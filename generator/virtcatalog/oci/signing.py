"""Who signs: a key of cosign's, or, without one, an identity that Sigstore certifies. The one module with cryptography.

Source: sigstore/cosign 3, pkg/cosign/keys.go (LoadPrivateKey) and go-securesystemslib, encrypted/encrypted.go.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from typing import TYPE_CHECKING, Any, Final, Protocol

import msgspec

from virtcatalog.oci.reference import OciError, content_of, need
from virtcatalog.oci.statements import bundle, encoded

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey

_PEM: Final = re.compile(
    rb"-----BEGIN ENCRYPTED (COSIGN|SIGSTORE) PRIVATE KEY-----\s(?P<body>[A-Za-z0-9+/=\s]+)"
    rb"-----END ENCRYPTED \1 PRIVATE KEY-----"
)
_MOST_MEMORY: Final = 2**30


class Signer(Protocol):
    """Whoever signs statements."""

    def bundle(self, statement: bytes) -> bytes:
        """Return a statement with its signature, as a Sigstore bundle."""

    def simple(self, payload: bytes) -> bytes | None:
        """Return the signature of cosign 2 of a payload, None from whom cosign 2 takes none without a log."""


class _Params(msgspec.Struct):
    n: int = msgspec.field(name="N")
    r: int
    p: int


class _Kdf(msgspec.Struct):
    name: str
    params: _Params
    salt: bytes


class _Cipher(msgspec.Struct):
    name: str
    nonce: bytes


class _Encrypted(msgspec.Struct):
    """What a key's file holds: what scrypt and NaCl's secretbox make of a PKCS #8 key."""

    kdf: _Kdf
    cipher: _Cipher
    ciphertext: bytes


class Key:
    """A key of `cosign generate-key-pair`. It signs the same bytes with the same signature each time."""

    def __init__(self, file: str, password: bytes) -> None:
        """OciError for what is no such file, and for a wrong password."""
        need("cryptography", "nacl.secret")
        from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePrivateKey
        from cryptography.hazmat.primitives.serialization import load_der_private_key

        try:
            key = load_der_private_key(_decrypted(file, password), None)
        except ValueError as error:
            raise OciError(f"{file}: holds no private key: {error}") from None
        if not isinstance(key, EllipticCurvePrivateKey) or not isinstance(key.curve, SECP256R1):
            raise OciError(f"{file}: is no ECDSA key of P-256, as `cosign generate-key-pair` makes by default")
        self._key: EllipticCurvePrivateKey = key

    def bundle(self, statement: bytes) -> bytes:
        """Return a statement with its signature."""
        return bundle(statement, self.simple(encoded(statement)), self._hint())

    def simple(self, payload: bytes) -> bytes:
        """Return the signature of a payload."""
        from cryptography.hazmat.primitives.asymmetric.ec import ECDSA
        from cryptography.hazmat.primitives.hashes import SHA256

        signature: bytes = self._key.sign(payload, ECDSA(SHA256(), deterministic_signing=True))
        return signature

    def _hint(self) -> str:
        """Which key it is, as cosign says it."""
        from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

        public = self._key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        return base64.b64encode(hashlib.sha256(public).digest()).decode()


def _decrypted(file: str, password: bytes) -> bytes:
    from nacl.exceptions import CryptoError
    from nacl.secret import SecretBox

    match = _PEM.search(content_of(file))
    if match is None:
        raise OciError(f"{file}: is no encrypted key of cosign's; `cosign import-key-pair` makes one of another key")
    try:
        encrypted = msgspec.json.decode(base64.b64decode(match["body"]), type=_Encrypted)
    except (msgspec.DecodeError, binascii.Error, UnicodeDecodeError, RecursionError) as error:
        raise OciError(f"{file}: is damaged: {error}") from None
    if (encrypted.kdf.name, encrypted.cipher.name) != ("scrypt", "nacl/secretbox"):
        raise OciError(f"{file}: is encrypted by {encrypted.kdf.name} and {encrypted.cipher.name}, which is not known")
    params = encrypted.kdf.params
    try:
        secret = hashlib.scrypt(
            password,
            salt=encrypted.kdf.salt,
            n=params.n,
            r=params.r,
            p=params.p,
            dklen=SecretBox.KEY_SIZE,
            maxmem=_MOST_MEMORY,
        )
        key: bytes = SecretBox(secret).decrypt(encrypted.ciphertext, encrypted.cipher.nonce)
    except CryptoError:
        raise OciError(f"{file}: COSIGN_PASSWORD is not its password") from None
    except (ValueError, TypeError, OverflowError, MemoryError) as error:
        raise OciError(f"{file}: is damaged: {error}") from None
    return key


class Identity:
    """An identity of OpenID Connect, such as a workflow's, for which Sigstore signs a certificate of some minutes."""

    def __init__(self, token: str | None, trust: str | None = None) -> None:
        """Take a token, or the one that the CI job can have; `trust` is the trust config of a Sigstore of one's own.

        OciError where there is no token, or Sigstore gives no certificate.
        """
        need("sigstore.sign")
        from sigstore.models import ClientTrustConfig
        from sigstore.oidc import IdentityToken, detect_credential
        from sigstore.sign import Signer as SigstoreSigner
        from sigstore.sign import SigningContext

        try:
            config = ClientTrustConfig.production() if trust is None else _trusted(trust)
            credential = token or detect_credential()
            if not credential:
                raise OciError(
                    "there is no identity to sign as: in GitHub Actions give the job `id-token: write`, elsewhere set "
                    "SIGSTORE_ID_TOKEN, or sign by --key"
                )
            self._signer: Any = SigstoreSigner(IdentityToken(credential), SigningContext.from_trust_config(config))
        except OciError:
            raise
        except Exception as error:  # of the library, and of what it asks the network with
            raise OciError(f"Sigstore gave no certificate: {error}") from error

    def bundle(self, statement: bytes) -> bytes:
        """Return a statement with its signature, certificate, and the entry of the public log."""
        from sigstore.dsse import Statement

        try:
            signed: str = self._signer.sign_dsse(Statement(statement)).to_json()
        except Exception as error:  # as above
            raise OciError(f"Sigstore did not sign: {error}") from error
        return signed.encode()

    def simple(self, payload: bytes) -> None:
        """Return nothing: what cosign 2 needs beside such a signature, the newest logs do not give any more."""


def _trusted(file: str) -> Any:
    """Return the trust config in a file; OciError for what is none."""
    from sigstore.models import ClientTrustConfig

    content = content_of(file)
    try:
        return ClientTrustConfig.from_json(content.decode())
    except Exception as error:  # of the library, which says it in several lines
        raise OciError(f"{file}: is no trust config of a Sigstore") from error
