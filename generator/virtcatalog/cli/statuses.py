"""Exit statuses beside 0 (fine) and 1 (findings or differences)."""

from __future__ import annotations

UNUSABLE, BUG, INTERRUPTED, PIPE_CLOSED = 2, 70, 130, 141
