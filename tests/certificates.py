"""Certificates that openssl makes for tests: authorities, and what they sign."""

from __future__ import annotations

import base64
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest


class Pair(NamedTuple):
    """A certificate and its key, as files."""

    certificate: Path
    key: Path

    @property
    def data(self) -> tuple[str, str]:
        """Both as a kubeconfig has them."""
        certificate, key = (base64.b64encode(path.read_bytes()).decode() for path in self)
        return certificate, key


def authority(folder: Path, name: str, *arguments: str) -> Pair:
    """Make a certificate that signs itself."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl makes the certificates")
    pair = Pair(folder / f"{name}.crt", folder / f"{name}.key")
    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", str(pair.key))
    request = ["openssl", "req", "-x509", *key, "-days", "2", "-subj", f"/CN={name}", "-out", str(pair.certificate)]
    subprocess.run([*request, *arguments], check=True, capture_output=True)
    return pair


def signed(by: Pair, folder: Path, name: str, *arguments: str) -> Pair:
    """Make a certificate that an authority signs."""
    signer = ("-CA", str(by.certificate), "-CAkey", str(by.key))
    return authority(folder, name, *signer, "-addext", "basicConstraints=CA:FALSE", *arguments)
