"""Catalogs as OCI artifacts: references, images, the user's store of them, registries, signatures.

What needs the extra `oci` is imported where it is used.
"""

from typing import Final

SCHEME: Final = "oci://"
