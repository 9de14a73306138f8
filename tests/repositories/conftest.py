"""What tests of charts need."""

import os

import pytest

from virtcatalog.repositories.helmprocess import find_helm


@pytest.fixture(scope="session")
def _helm():
    if find_helm():
        return
    if os.environ.get("CI"):
        pytest.fail("there is no helm: .ci/run builds it of tests/helm")
    pytest.skip("there is no helm in the PATH: cd tests/helm && go build -o ~/bin/helm helm.sh/helm/v3/cmd/helm")
