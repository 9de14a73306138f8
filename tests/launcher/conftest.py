"""What a module of the domain makes of a fragment of a VMI."""

import inspect
from textwrap import dedent, indent

import pytest
from fragments import make_context, make_vmi
from fragments import xml as plain


@pytest.fixture
def built():
    """Return the XML that a function makes of the YAML of a VMI's devices and that of the rest of its spec."""

    def build(function, devices="", spec="", *, architecture="amd64", annotations=None, **changes):
        text = dedent(spec) + "\n"
        if devices:
            text += "domain.devices:\n" + indent(dedent(devices), "  ")
        vmi, context = make_vmi(text, architecture, annotations), make_context(architecture, **changes)
        wanted = inspect.signature(function).parameters
        made = function(*({"vmi": vmi, "context": context}[name] for name in wanted))
        return plain(made if made is None or hasattr(made, "tag") else list(made))

    return build


@pytest.fixture
def xml():
    """Lay XML out as `built` does: the order of attributes and white space do not count."""
    return plain
