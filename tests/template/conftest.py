"""Ask what is refused of a template. Tests name types and fields; `__snapshots__` holds every sentence."""

import pytest

from virtcatalog import Cluster, TemplateError, admit, process


@pytest.fixture
def causes(snapshot):
    """Return the types and fields of what is refused when a template is applied."""

    def ask(manifest):
        refused = admit(manifest, Cluster([]))
        if refused:
            assert [f"{cause.type} {cause.field}: {cause.message}" for cause in refused] == snapshot
        return [(cause.type, cause.field) for cause in refused]

    return ask


@pytest.fixture
def refusal(snapshot):
    """Return the types, fields and messages for which a template makes no VM; `at` is the field to change."""

    def ask(manifest, parameters=None):
        with pytest.raises(TemplateError) as error:
            process(manifest, parameters)
        refused = error.value.causes
        assert [error.value.at, *(f"{cause.type} {cause.field}: {cause.message}" for cause in refused)] == snapshot
        return [(cause.type, cause.field, cause.message) for cause in refused]

    return ask
