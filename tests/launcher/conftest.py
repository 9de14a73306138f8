"""What a domain has for a fragment of a VMI."""

from textwrap import dedent, indent

import pytest
from fragments import make_context, make_vmi, parts
from fragments import xml as plain


@pytest.fixture
def built():
    """Return the XML of the elements with these tags that come of the YAML of a VMI's devices and of its other spec."""

    def build(tags, devices="", spec="", *, architecture="amd64", annotations=None, **changes):
        text = dedent(spec) + "\n"
        if devices:
            text += "domain.devices:\n" + indent(dedent(devices), "  ")
        return plain(parts(tags, make_vmi(text, architecture, annotations), make_context(architecture, **changes)))

    return build


@pytest.fixture
def xml():
    """Lay XML out as `built` does: the order of attributes and white space do not count."""
    return plain
