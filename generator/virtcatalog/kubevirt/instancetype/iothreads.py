"""The IO threads of an instance type.

Source: pkg/instancetype/apply/iothreads.go and iothreadpolicy.go.
"""

from __future__ import annotations

from virtcatalog.api.domainspec import DiskIOThreads, DomainSpec
from virtcatalog.api.instancetype import VirtualMachineInstancetypeSpec


def apply_io_threads(instancetype: VirtualMachineInstancetypeSpec, domain: DomainSpec) -> list[str]:
    """Set the size of the supplemental pool (applyIOThreads)."""
    if instancetype.io_threads is None or instancetype.io_threads.supplemental_pool_thread_count is None:
        return []
    if domain.io_threads is None:
        domain.io_threads = DiskIOThreads()
    elif domain.io_threads.supplemental_pool_thread_count is not None:
        return ["domain.ioThreads.supplementalPoolThreadCount"]
    domain.io_threads.supplemental_pool_thread_count = instancetype.io_threads.supplemental_pool_thread_count
    return []


def apply_io_threads_policy(instancetype: VirtualMachineInstancetypeSpec, domain: DomainSpec) -> list[str]:
    """Set the policy (applyIOThreadPolicy)."""
    if instancetype.io_threads_policy is None:
        return []
    if domain.io_threads_policy is not None:
        return ["domain.ioThreadsPolicy"]
    domain.io_threads_policy = instancetype.io_threads_policy
    return []
