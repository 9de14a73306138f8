"""The kinds of causes that an admission webhook answers with, named as Kubernetes names them."""

from __future__ import annotations

from collections.abc import Iterable

from virtcatalog.errors import Cause

MOST_CAUSES = 10
"""What an answer of a webhook holds (pkg/util/webhooks)."""


def invalid(field: str, message: str) -> Cause:
    """The field's value is wrong."""
    return Cause("FieldValueInvalid", field, message)


def required(field: str, message: str) -> Cause:
    """The field has to be set and is not."""
    return Cause("FieldValueRequired", field, message)


def not_supported(field: str, message: str) -> Cause:
    """The field's value is none of those that are known, or not known here."""
    return Cause("FieldValueNotSupported", field, message)


def not_found(field: str, message: str) -> Cause:
    """What the field names does not exist."""
    return Cause("FieldValueNotFound", field, message)


def duplicate(field: str, message: str) -> Cause:
    """The field's value has to be unique and is not."""
    return Cause("FieldValueDuplicate", field, message)


def forbidden(field: str, message: str) -> Cause:
    """What the field says must not be said."""
    return Cause("FieldValueForbidden", field, message)


def crash(message: str) -> Cause:
    """KubeVirt's webhook itself fails on the object: it is refused, and no field named."""
    return Cause("", "", message)


def answered(causes: Iterable[Cause]) -> list[Cause]:
    """Return what a webhook that finds these causes answers: where it fails, nobody learns of the others."""
    listed = list(causes)
    return next(([cause] for cause in listed if not cause.type), listed)
