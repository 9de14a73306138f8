"""Kubernetes' syntaxes for names and labels. Source: apimachinery, pkg/util/validation/validation.go."""

from __future__ import annotations

import re
from functools import lru_cache

_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_SUBDOMAIN = re.compile(rf"{_LABEL.pattern}(\.{_LABEL.pattern})*")
_NAME = re.compile(r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]")
_MAX_LABEL, _MAX_SUBDOMAIN = 63, 253


@lru_cache(maxsize=4096)
def dns_label_problems(value: str) -> tuple[str, ...]:
    """What keeps a value from being a DNS label (RFC 1123); nothing when it is one."""
    problems = []
    if len(value) > _MAX_LABEL:
        problems.append(f"{value!r} has {len(value)} characters, more than {_MAX_LABEL}")
    if not _LABEL.fullmatch(value):
        problems.append(
            f"{value!r} must not contain dots"
            if _SUBDOMAIN.fullmatch(value)
            else f"{value!r} must consist of a-z, 0-9 and '-', and start and end with a letter or digit"
        )
    return tuple(problems)


@lru_cache(maxsize=4096)
def dns_subdomain_problems(value: str) -> tuple[str, ...]:
    """What keeps a value from being a DNS subdomain (RFC 1123); nothing when it is one."""
    problems = []
    if len(value) > _MAX_SUBDOMAIN:
        problems.append(f"{value!r} has {len(value)} characters, more than {_MAX_SUBDOMAIN}")
    if not _SUBDOMAIN.fullmatch(value):
        problems.append(
            f"{value!r} must consist of a-z, 0-9, '-' and '.', every part starting and ending with a letter or digit"
        )
    return tuple(problems)


@lru_cache(maxsize=4096)
def label_key_problems(key: str) -> tuple[str, ...]:
    """What keeps a text from being the key of a label (`name` or `example.com/name`); nothing when it is one."""
    prefix, slash, name = key.rpartition("/")
    if "/" in prefix:
        return (f"{key!r} has more than one '/'; a key is a name or prefix/name",)
    problems = []
    if slash:
        problems += (
            [f"the prefix {problem}" for problem in dns_subdomain_problems(prefix)]
            if prefix
            else [f"{key!r} has nothing before its '/'"]
        )
    if not name:
        problems.append(f"{key!r} has no name")
    elif len(name) > _MAX_LABEL:
        problems.append(f"the name {name!r} has {len(name)} characters, more than {_MAX_LABEL}")
    if name and not _NAME.fullmatch(name):
        problems.append(f"the name {name!r} {_NAME_RULE}")
    return tuple(problems)


@lru_cache(maxsize=4096)
def label_value_problems(value: str) -> tuple[str, ...]:
    """What keeps a text from being the value of a label; nothing when it is one."""
    problems = []
    if len(value) > _MAX_LABEL:
        problems.append(f"{value!r} has {len(value)} characters, more than {_MAX_LABEL}")
    if value and not _NAME.fullmatch(value):
        problems.append(f"{value!r} {_NAME_RULE}")
    return tuple(problems)


_NAME_RULE = "must consist of letters, digits, '-', '_' and '.', and start and end with a letter or digit"
