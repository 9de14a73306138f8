"""Every Pod that a test makes is held by its snapshot: how it differs from that of a plain VM, or why there is none."""

from functools import cache

import podding
import pytest

from virtcatalog.errors import UnsupportedError
from virtcatalog.manifests.difference import differences


@cache
def plain(release, architecture):
    return parts(podding.expanded(release=release, architecture=architecture))


def parts(result):
    """The Pod, and of what its memory is made up."""
    overhead, memory = podding.terms(result)
    return {**result.pod, "memoryOverhead": overhead, "memoryRequest": memory}


@pytest.fixture(autouse=True)
def held(snapshot):
    """Compare the Pods of a test, when it is over, with what is known of them."""
    podding.MADE.clear()
    yield
    for result in tuple(podding.MADE):
        assert lines_of(result) == snapshot


def lines_of(result):
    """What is said of a VM's Pod, line by line."""
    try:
        if result.pod_error is not None:
            return [str(result.pod_error)]
        pod_parts = parts(result)
    except UnsupportedError as unsupported:
        return [str(unsupported)]
    return list(map(str, differences(plain(result.cluster.release.name, result.cluster.architecture), pod_parts)))
