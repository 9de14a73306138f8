"""The unified diff of two texts, of however many lines."""

from __future__ import annotations

from io import StringIO
from typing import Final

_UNENDED: Final = "\\ No newline at end of file"


def unified(old: str, new: str, old_name: str = "before", new_name: str = "after", context: int = 3) -> str:
    """Return the unified diff of two texts, with so many lines around each change; "" when they are the same.

    Lines end with a line feed and nothing else, as for those who apply such a diff.
    """
    if old == new:
        return ""
    from virtcatalog.manifests.linematch import LineMatcher  # it takes long to load, and most texts are the same

    matcher = LineMatcher(*(StringIO(text, newline="\n").readlines() for text in (old, new)))
    lines = [f"--- {old_name}\n", f"+++ {new_name}\n"]
    for group in matcher.get_grouped_opcodes(context):
        (_, old_start, _, new_start, _), (_, _, old_end, _, new_end) = group[0], group[-1]
        lines.append(f"@@ -{_range(old_start, old_end)} +{_range(new_start, new_end)} @@\n")
        for tag, start, end, other_start, other_end in group:
            if tag == "equal":
                lines += (f" {line}" for line in matcher.a[start:end])
                continue
            lines += (f"-{line}" for line in matcher.a[start:end])
            lines += (f"+{line}" for line in matcher.b[other_start:other_end])
    return "".join(line if line.endswith("\n") else f"{line}\n{_UNENDED}\n" for line in lines)


def _range(start: int, end: int) -> str:
    """Lines as a hunk's head says them: the first one's number, from 1, and how many, unless it is one."""
    length = end - start
    return f"{start + 1}" if length == 1 else f"{start + 1 if length else start},{length}"
