"""Expand VMs, and keep what is said of them: what a test does not name is held by its snapshot (`conftest.py`)."""

from __future__ import annotations

from virtcatalog.kubevirt import pipeline

MADE = []


def expand(manifest, cluster, **options):
    result = pipeline.expand(manifest, cluster, **options)
    MADE.append(result)
    return result


def lines(result):
    """What KubeVirt answers, why that is, and what the VM's author is warned of, line by line."""
    return [
        f"refused by {result.refused_by}",
        *(f"cause: {cause.type} {cause}" for cause in result.causes),
        *(f"reason: {reason.type} {reason} [{reason.origin}]" for reason in result.reasons),
        *(
            f"warning: {warning.type} {warning.object} {warning.field}: {warning.message}"
            for warning in result.warnings
        ),
    ]
