"""VirtualMachine → VirtualMachineInstance: what virt-api and virt-controller do.

The package can be called: `virtcatalog.expand(vm, cluster)` is `virtcatalog.pipeline.expand`, which also goes on to the
domain. A package and a function share the public name, and importing any module of the package would hide the function.
"""

import sys
from types import ModuleType
from typing import Any


class _Callable(ModuleType):
    def __call__(self, *args: Any, **options: Any) -> Any:
        from virtcatalog.pipeline import expand

        return expand(*args, **options)


sys.modules[__name__].__class__ = _Callable
