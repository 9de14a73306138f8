import pytest

from virtcatalog.api.core import ObjectMeta
from virtcatalog.kubevirt.admission.lifecycle import RESERVED_LABELS, validate_metadata

SIDECARS, IGNITION = "hooks.kubevirt.io/hookSidecars", "kubevirt.io/ignitiondata"


@pytest.fixture
def found_in(causes_of):
    def ask(metadata, gates=()):
        return causes_of(lambda _spec, _path, config: validate_metadata(metadata, "metadata", config), "", gates=gates)

    return ask


@pytest.mark.parametrize("label", sorted(RESERVED_LABELS))
def test_labels_of_kubevirt_are_its_own(found_in, label):
    assert found_in(ObjectMeta(labels={label: "x", "app": "web"})) == ["NotSupported metadata.labels"]


def test_other_labels_are_free(found_in):
    assert found_in(ObjectMeta(labels={"kubevirt.io/vm": "x", "app": "web"})) == []


@pytest.mark.parametrize(("annotation", "gate"), [(SIDECARS, "Sidecar"), (IGNITION, "ExperimentalIgnitionSupport")])
def test_annotations_that_need_a_gate(found_in, annotation, gate):
    assert found_in(ObjectMeta(annotations={annotation: "x"})) == ["Invalid metadata.annotations"]
    assert found_in(ObjectMeta(annotations={annotation: "x"}), gates=[gate]) == []
    assert found_in(ObjectMeta(annotations={annotation: ""})) == []
