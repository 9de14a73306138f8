"""The fields that kustomize's transformers look at of themselves, beside kustomize's own list of them."""

from __future__ import annotations

from pathlib import Path

from virtcatalog.manifests.document import Text
from virtcatalog.repositories.kustomize.config import Config, configuration
from virtcatalog.repositories.kustomize.declared import Declared
from virtcatalog.repositories.kustomize.defaults import default_config
from virtcatalog.repositories.kustomize.fieldspecs import FieldSpec
from virtcatalog.repositories.kustomize.origins import Spot


def sets(config: Config) -> dict[object, set[FieldSpec]]:
    lists = {name: getattr(config, name) for name in Config.__struct_fields__ if name != "references"}
    return {name: set(specs) for name, specs in (lists | dict(config.references)).items()}


def test_they_are_those_of_kustomize() -> None:
    text = Text((Path(__file__).parent / "kustomize_field_specs.yaml").read_text(encoding="utf-8"))
    ((_, specs),) = text.documents()
    assert sets(default_config()) == sets(configuration(Declared(specs, Spot(text))))
