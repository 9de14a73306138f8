"""Print the SBOM of the zipapp, in CycloneDX's JSON: each package in a site-packages folder, and what it needs.

python .ci/sbom.py FOLDER
"""

from __future__ import annotations

import os
import sys
import uuid
from datetime import UTC, datetime
from importlib.metadata import Distribution, distributions

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

NAME = "virtcatalog"


def main(folder: str) -> None:
    """Print the SBOM of what lies in a folder. Its time is SOURCE_DATE_EPOCH: the same packages give the same bytes."""
    packages = {canonicalize_name(package.name): package for package in distributions(path=[folder])}
    components = {name: _component(name, package) for name, package in sorted(packages.items())}
    bom = Bom(components=[part for name, part in components.items() if name != NAME])
    bom.metadata.component = components[NAME]
    bom.metadata.timestamp = datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), UTC)
    bom.serial_number = uuid.uuid5(uuid.NAMESPACE_URL, f"{components[NAME].purl}#{bom.metadata.timestamp.isoformat()}")
    for name, package in packages.items():
        needs = (Requirement(line) for line in package.requires or ())
        always = [need for need in needs if not need.marker or need.marker.evaluate({"extra": ""})]
        names = {canonicalize_name(need.name) for need in always}
        bom.register_dependency(components[name], [components[need] for need in sorted(names & packages.keys())])
    print(JsonV1Dot6(bom).output_as_string(indent=2))


def _component(name: str, package: Distribution) -> Component:
    # Older packages name their licence in a classifier, or have its whole text in the field.
    stated = package.metadata.get("License-Expression") or package.metadata.get("License") or "\n"
    classified = [line for line in package.metadata.get_all("Classifier", ()) if line.startswith("License ::")]
    texts = [stated] if "\n" not in stated else [line.rpartition(" :: ")[2] for line in classified]
    return Component(
        type=ComponentType.APPLICATION if name == NAME else ComponentType.LIBRARY,
        name=name,
        version=package.version,
        bom_ref=f"{name}@{package.version}",
        description=package.metadata.get("Summary"),
        licenses=[LicenseFactory().make_from_string(text) for text in texts],
        purl=PackageURL("pypi", None, name, package.version),
    )


if __name__ == "__main__":
    main(sys.argv[1])
