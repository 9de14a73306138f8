"""What every API type builds on: strict decoding, Go's rules for what is written out, and `since`."""

from __future__ import annotations

from typing import Annotated

import msgspec

Int32 = Annotated[int, msgspec.Meta(ge=-(2**31), le=2**31 - 1)]
Int64 = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
UInt32 = Annotated[int, msgspec.Meta(ge=0, le=2**32 - 1)]
Duration = Annotated[
    str,
    msgspec.Meta(
        pattern=r"^[+-]?(0|(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|\u00b5s|\u03bcs|ms|s|m|h))+)$", examples=["1h30m"]
    ),
]  # Source: time.ParseDuration
Time = Annotated[str, msgspec.Meta(extra={"time": True})]  # RFC 3339, which only Go's reader (api.golang) holds it to
UInt64 = Annotated[int, msgspec.Meta(ge=0, extra={"le": 2**64 - 1})]  # msgspec knows no limits beyond Int64's


class Object(msgspec.Struct, rename="camel", omit_defaults=True, forbid_unknown_fields=True, kw_only=True, gc=False):
    """An API object or a part of one.

    Attributes are the API's fields in snake case. A field that KubeVirt keeps as a pointer is `None` when
    absent, so `false`, `0` and `{}` differ from silence; one that it keeps as a plain value has Go's zero value
    and is not written out while it holds it. A field without a default is required. Objects are trees, in which nobody
    need search for circles.
    """


class Constant(
    msgspec.Struct,
    rename="camel",
    omit_defaults=True,
    forbid_unknown_fields=True,
    kw_only=True,
    gc=False,
    frozen=True,
    cache_hash=True,
):
    """A part of an API object, as `Object`, that is never changed in place: whoever needs another one makes it.

    So it may be shared among objects, and be an argument of what is remembered (kubevirt/memo.py).
    """


class Status(msgspec.Struct, rename="camel", omit_defaults=True, kw_only=True, gc=False):
    """What a controller wrote into an object, as far as virtcatalog reads it: other fields are ignored and dropped."""


def since(release: str) -> msgspec.Meta:
    """Mark a field with the KubeVirt release (`v1.3`) that introduced it; unmarked fields are older than v1.1."""
    return msgspec.Meta(extra={"since": release}, extra_json_schema={"x-kubevirt-since": release})


def fills(field: str) -> msgspec.Meta:
    """Mark a field of a preference with the one field of a VMI's spec that it fills in (`domain.devices.rng`)."""
    return msgspec.Meta(extra={"fills": field})
