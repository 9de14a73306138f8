"""YAML as another reader takes it: ruamel.yaml, by YAML 1.2."""

from __future__ import annotations

from io import StringIO

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError


def load(text):
    try:
        return YAML(typ="safe").load(text)
    except MarkedYAMLError:  # the parser in C takes no `[fd00::1]` and no half of a character
        return YAML(typ="safe", pure=True).load(text)


def load_all(text):
    """Return the data of every document."""
    return list(YAML(typ="safe").load_all(text))


def dump(data):
    """Write block style, keys in the order given."""
    yaml = YAML(typ="safe", pure=True)
    yaml.default_flow_style, yaml.sort_base_mapping_type_on_output, yaml.width = False, False, 1 << 20
    written = StringIO()
    yaml.dump(data, written)
    return written.getvalue()
