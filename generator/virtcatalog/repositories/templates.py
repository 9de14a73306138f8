"""The templates of ApplicationSets, as far as paths, names and namespaces need them.

Source: github.com/argoproj/argo-cd, applicationset/utils/utils.go; github.com/valyala/fasttemplate.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from virtcatalog.limits import TEMPLATE_OUTPUT_CHARACTERS
from virtcatalog.repositories.gofunctions import written
from virtcatalog.repositories.gotemplates import Missing, TemplateError, render


def filled(value: Any, parameters: Mapping[str, Any], *, is_go: bool, missing: Missing = "stays") -> Any:
    """Return data with its templates filled in; `missing` says what becomes of one of Go's that lacks a parameter.

    Others stay as they are then.
    """
    if isinstance(value, dict):
        return {
            str(filled(key, parameters, is_go=is_go, missing=missing)): filled(
                inner, parameters, is_go=is_go, missing=missing
            )
            for key, inner in value.items()
        }
    if isinstance(value, list):
        return [filled(inner, parameters, is_go=is_go, missing=missing) for inner in value]
    if not isinstance(value, str) or "{{" not in value:
        return value
    if is_go:
        return render(value, parameters, missing)
    values = flat(parameters)
    if value.count("{{") * max(map(len, values.values()), default=0) > TEMPLATE_OUTPUT_CHARACTERS:
        raise TemplateError(f"a template makes a text of more than {TEMPLATE_OUTPUT_CHARACTERS} characters")
    return _fast(value, values)


def flat(value: Any, prefix: str = "") -> dict[str, str]:
    """Return data as fasttemplate has it: `{"a": {"b": [1]}}` is `{"a.b.0": "1"}`. Source: jeremywohl/flatten."""
    if isinstance(value, dict | list):
        inner = value.items() if isinstance(value, dict) else enumerate(value)
        pairs = ((f"{prefix}.{key}" if prefix else str(key), part) for key, part in inner)
        return {key: text for name, part in pairs for key, text in flat(part, name).items()}
    return {prefix: written(value)}


def _fast(text: str, values: Mapping[str, str]) -> str:
    return re.sub(r"\{\{(.*?)\}\}", lambda match: values.get(match[1].strip(), match[0]), text)
