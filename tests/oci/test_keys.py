"""Keys of `cosign generate-key-pair`: what opens them, what they sign, and what is said of files that are none."""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from nacl.secret import SecretBox

from virtcatalog.oci.reference import OciError
from virtcatalog.oci.signing import Key

PASSWORD = b"secret"
SALT, NONCE = b"s" * 32, b"n" * 24
P256 = ec.derive_private_key(7, ec.SECP256R1())
PARAMS = {"N": 2, "r": 8, "p": 1}


def der(key: Any) -> bytes:
    content: bytes = key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())
    return content


def encrypted(content: bytes = der(P256), **changes: Any) -> dict[str, Any]:
    """What cosign writes of a key."""
    secret = hashlib.scrypt(PASSWORD, salt=SALT, n=2, r=8, p=1, dklen=32)
    ciphertext = SecretBox(secret).encrypt(content, NONCE).ciphertext
    kdf = {"name": "scrypt", "params": PARAMS, "salt": base64.b64encode(SALT).decode()}
    cipher = {"name": "nacl/secretbox", "nonce": base64.b64encode(NONCE).decode()}
    return {"kdf": kdf, "cipher": cipher, "ciphertext": base64.b64encode(ciphertext).decode(), **changes}


def pem(body: bytes, name: str = "SIGSTORE", end: str = "") -> str:
    title = f"ENCRYPTED {name} PRIVATE KEY"
    text = base64.encodebytes(body).decode()
    return f"-----BEGIN {title}-----\n{text}-----END {end or title}-----\n"


def file_of(folder: Path, text: str) -> str:
    file = folder / "cosign.key"
    file.write_text(text)
    return str(file)


@pytest.mark.parametrize("name", ["COSIGN", "SIGSTORE"])
def test_a_key_signs_with_the_same_signature_each_time(tmp_path: Path, name: str) -> None:
    key = Key(file_of(tmp_path, pem(json.dumps(encrypted()).encode(), name)), PASSWORD)
    signature = key.simple(b"payload")
    P256.public_key().verify(signature, b"payload", ec.ECDSA(SHA256()))
    assert key.simple(b"payload") == signature
    public = P256.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    bundle = json.loads(key.bundle(b"{}"))
    hint = base64.b64encode(hashlib.sha256(public).digest()).decode()
    assert bundle["verificationMaterial"]["publicKey"] == {"hint": hint}
    (signed,) = bundle["dsseEnvelope"]["signatures"]
    content = b"DSSEv1 28 application/vnd.in-toto+json 2 {}"
    P256.public_key().verify(base64.b64decode(signed["sig"]), content, ec.ECDSA(SHA256()))


NO_KEY = "is no encrypted key of cosign's; `cosign import-key-pair` makes one of another key"
NO_P256 = "is no ECDSA key of P-256, as `cosign generate-key-pair` makes by default"


def of(body: object) -> str:
    return pem(json.dumps(body).encode())


def kdf(**changes: Any) -> dict[str, Any]:
    return encrypted()["kdf"] | changes


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", NO_KEY),
        ("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", NO_KEY),
        (pem(b"{}", "COSIGN", "ENCRYPTED SIGSTORE PRIVATE KEY"), NO_KEY),
        (of(encrypted(cipher={"name": "aes", "nonce": ""})), "is encrypted by scrypt and aes, which is not known"),
        (of(encrypted(kdf=kdf(name="argon"))), "is encrypted by argon and nacl/secretbox, which is not known"),
        (of(encrypted(der(ed25519.Ed25519PrivateKey.from_private_bytes(b"k" * 32)))), NO_P256),
        (of(encrypted(der(ec.derive_private_key(7, ec.SECP384R1())))), NO_P256),
    ],
)
def test_what_is_no_key_of_cosigns(tmp_path: Path, text: str, message: str) -> None:
    file = file_of(tmp_path, text)
    with pytest.raises(OciError) as refused:
        Key(file, PASSWORD)
    assert str(refused.value) == f"{file}: {message}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (of({}), "is damaged: "),
        (pem(b"no JSON"), "is damaged: "),
        (pem(b"[" * 100_000), "is damaged: "),
        (of(encrypted(kdf=kdf(params=PARAMS | {"N": 3}))), "is damaged: "),
        (of(encrypted(kdf=kdf(params=PARAMS | {"N": 2**22}))), "is damaged: "),
        (of(encrypted(b"no key")), "holds no private key: "),
    ],
    ids=[
        "no fields",
        "no JSON",
        "nested too deep",
        "scrypt takes no such number",
        "more memory than 1 GiB",
        "no key in it",
    ],
)
def test_what_cannot_be_opened_says_why(tmp_path: Path, text: str, message: str) -> None:
    file = file_of(tmp_path, text)
    with pytest.raises(OciError) as refused:
        Key(file, PASSWORD)
    reason = str(refused.value).removeprefix(f"{file}: {message}")
    assert reason
    assert reason != str(refused.value)


def test_another_password_does_not_open_it(tmp_path: Path) -> None:
    file = file_of(tmp_path, of(encrypted()))
    with pytest.raises(OciError) as refused:
        Key(file, b"another")
    assert str(refused.value) == f"{file}: COSIGN_PASSWORD is not its password"


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(OciError) as refused:
        Key(str(tmp_path / "gone"), PASSWORD)
    assert str(refused.value) == f"{tmp_path}/gone: there is no such file or folder"
