"""How much of anything is taken: input comes from strangers, and no small input may take long or fill the memory.

docs/limits.md says each for users, and a test holds it to these.
"""

from __future__ import annotations

from typing import Final

KIB: Final = 2**10
MIB: Final = 2**20

# Amounts
QUANTITY_CHARACTERS: Final = 256  # and its largest exponent: Go has no limit and may never finish

# Host profiles
HOST_CPUS: Final = 8192  # as many as Linux can have
