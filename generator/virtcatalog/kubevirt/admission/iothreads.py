"""Threads for disk I/O. Source: vmi-create-admitter.go."""

from __future__ import annotations

from collections.abc import Iterator

from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.errors import Cause
from virtcatalog.kubevirt.admission.causes import invalid
from virtcatalog.kubevirt.configuration import Configuration

POLICIES = ("shared", "auto", "supplementalPool")


def validate_io_threads_policy(spec: VirtualMachineInstanceSpec, path: str, _config: Configuration) -> Iterator[Cause]:
    """The policy is a known one; a supplemental pool says how many threads it has (validateIOThreadsPolicy)."""
    policy = spec.domain.io_threads_policy
    if policy is None:
        return
    if policy not in POLICIES:
        yield invalid(f"{path}.domain.ioThreadsPolicy", f"{policy!r} is no policy; policies are {', '.join(POLICIES)}")
    elif policy == "supplementalPool":
        threads = spec.domain.io_threads
        if not threads or not threads.supplemental_pool_thread_count:
            yield invalid(
                f"{path}.domain.ioThreads.count",
                "the policy supplementalPool needs ioThreads.supplementalPoolThreadCount to be 1 or more",
            )
