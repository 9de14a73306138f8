"""Catalogs as OCI artifacts: references, images, the user's store of them, registries, signatures.

What needs the extra `oci` (urllib3, cryptography, PyNaCl, sigstore, cyclonedx) is imported where it is used.
"""
