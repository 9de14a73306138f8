"""What a catalog can extend, and the sentence for what it cannot."""

from __future__ import annotations

import pytest

from virtcatalog.catalog import chain
from virtcatalog.catalog.artifacts import catalog_in, extended
from virtcatalog.catalog.chain import extend
from virtcatalog.catalog.sources import Sources
from virtcatalog.errors import CatalogError
from virtcatalog.manifests.folder import held
from virtcatalog.oci.image import CATALOG as CATALOG_FOLDER
from virtcatalog.oci.reference import OciError, parse
from virtcatalog.oci.store import Artifact

DIGEST = "sha256:" + "a" * 64
FILES = {
    "catalog.yaml": b"name: own\n",
    "inner/catalog.yaml": b"name: inner\n",
    "../base/catalog.yaml": b"name: base\n",
    "../bare/x.yaml": b"",
}


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/base", "'/base' must be relative to this catalog's folder, such as ../common-instancetypes"),
        ("inner", "'inner' lies within the catalog itself; put the other catalog beside it"),
        (".", "a catalog cannot extend itself"),
        ("../none", "there is no folder '../none'"),
        (
            "common-instancetypes/x",
            "there is no folder 'common-instancetypes/x'; did you mean 'common-instancetypes'?",
        ),
        ("../bare", "there is no catalog.yaml in '../bare'"),
        ("..", "'..' leaves the folder that this catalog is in; a catalog can extend its neighbours only"),
        ("../../x", "'../../x' leaves the folder that this catalog is in; a catalog can extend its neighbours only"),
        (
            "oci://registry.example.org/c:v1",
            (
                "oci://registry.example.org/c:v1 may be another artifact tomorrow: write the name with its digest, "
                "which this prints: virtcatalog pull oci://registry.example.org/c:v1"
            ),
        ),
    ],
)
def test_what_cannot_be_extended_is_told(path: str, message: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - its whole message is compared
        extend(Sources(held(FILES), "own"), [""], path)
    assert str(caught.value) == message


def test_a_neighbour_is_extended() -> None:
    assert extend(Sources(held(FILES), "own"), [""], "../base") == "../base/"


def artifact(home: str | None, *files: str) -> Artifact:
    reference = parse(f"oci://registry.example.org/c@{DIGEST}")
    annotations = {} if home is None else {CATALOG_FOLDER: home}
    return Artifact(reference=reference, annotations=annotations, files=dict.fromkeys(files, b""))


@pytest.mark.parametrize(("home", "path"), [(None, "."), ("/a/b/", "a/b"), ("", ".")])
def test_an_artifact_says_where_its_catalog_is(home: str | None, path: str) -> None:
    folder, place = catalog_in(artifact(home, "catalog.yaml", "a/b/catalog.yaml"))
    assert (place, folder.has("catalog.yaml")) == (path, True)


@pytest.mark.parametrize(
    ("home", "message"),
    [
        ("a", "{name} holds no catalog: there is no catalog.yaml in 'a'"),
        ("../../../a", "{name}: its manifest names '../../../a', which is outside of it"),
    ],
)
def test_an_artifact_without_a_catalog_is_refused(home: str, message: str) -> None:
    with pytest.raises(OciError) as caught:
        catalog_in(artifact(home, "x.yaml"))
    assert str(caught.value) == message.format(name=f"oci://registry.example.org/c@{DIGEST}")


@pytest.mark.parametrize(
    ("above", "path", "name"),
    [
        ("oci://host:5000/c@sha256:1/own", "../base", "oci://host:5000/c@sha256:1/base"),
        ("catalogs/own", "../base", "catalogs/base"),
        ("own", "../base/./", "base"),
    ],
)
def test_a_catalog_beside_another_is_named_after_that(above: str, path: str, name: str) -> None:
    assert chain._joined(above, path) == name


ARTIFACT = f"oci://registry.example.org/c@{DIGEST}"


@pytest.mark.parametrize(
    ("own", "base", "reference"),
    [
        (f"extends: {ARTIFACT}\n", "", ARTIFACT),
        ("extends: ../base\n", f"extends: {ARTIFACT}\n", ARTIFACT),
        ("extends: ../base\n", "name: base\n", None),
        ("extends: ../base\n", "extends: ../own\n", None),
        ("extends: common-instancetypes\n", "", None),
        ("extends: ../none\n", "", None),
        ("extends: 1\n", "", None),
        ("extends: ''\n", "", None),
        ("[]\n", "", None),
    ],
)
def test_the_artifact_that_a_catalog_extends_is_its_own_or_that_of_one_beside_it(
    own: str, base: str, reference: str | None
) -> None:
    files = {"../own/catalog.yaml": own.encode(), "../base/catalog.yaml": base.encode(), "x/y": b""}
    folder = held(files).folder("../own")
    assert folder is not None
    extension = extended(folder, "own")
    assert (extension and str(extension)) == reference


def test_an_artifact_is_extended_by_its_digest_and_the_catalog_that_says_otherwise_is_named() -> None:
    tag = "oci://registry.example.org/c:v1"
    files = {"catalog.yaml": b"extends: ../base\n", "../base/catalog.yaml": f"extends: {tag}\n".encode()}
    with pytest.raises(OciError) as caught:
        extended(held(files), "own")
    assert str(caught.value) == (
        f"own/../base: {tag} may be another artifact tomorrow: write the name with its digest, which this prints: "
        f"virtcatalog pull {tag}"
    )


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"catalog.yaml": b"a: [\n"}, "own/catalog.yaml:2:1: is not YAML: the text ends where a value is wanted"),
        ({"x": b""}, "own/catalog.yaml: there is no such file or folder"),
    ],
)
def test_what_a_catalog_extends_is_not_known_where_it_cannot_be_read(files: dict[str, bytes], message: str) -> None:
    with pytest.raises(CatalogError) as caught:
        extended(held(files), "own")
    assert str(caught.value) == message
