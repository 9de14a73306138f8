"""What VMs request together, by environment and namespace, against what a catalog's budgets allow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

import msgspec

from virtcatalog.capacity.nodes import amounts, shown
from virtcatalog.catalog.model import Budget


class Overspent(msgspec.Struct, frozen=True, kw_only=True):
    """A resource of which VMs request more than a budget allows, in the scheduler's units."""

    budget: Budget
    resource: str
    allowed: int
    requested: int

    def __str__(self) -> str:
        names = (("environment", self.budget.environment), ("namespace", self.budget.namespace))
        whose = ", ".join(f"{noun} {name}" for noun, name in names if name) or "all VMs"
        requested, allowed = shown(self.resource, self.requested), shown(self.resource, self.allowed)
        return f"the VMs of {whose} request {requested}, and {allowed} is the budget"


class Spending:
    """Adds up what VMs request."""

    def __init__(self) -> None:
        self._requests: dict[tuple[str, str], Counter[str]] = {}

    def add(self, environment: str, namespace: str, wanted: Mapping[str, int]) -> None:
        """Add a VM's requests, in the scheduler's units."""
        self._requests.setdefault((environment, namespace), Counter()).update(dict(wanted))

    def over(self, budgets: Iterable[Budget]) -> Iterator[Overspent]:
        """Yield what is over a budget."""
        for budget in budgets:
            requested: Counter[str] = Counter()
            for (environment, namespace), wanted in self._requests.items():
                if budget.environment in ("", environment) and budget.namespace in ("", namespace):
                    requested.update(wanted)
            for resource, allowed in amounts(budget.requests).items():
                if requested[resource] > allowed:
                    yield Overspent(budget=budget, resource=resource, allowed=allowed, requested=requested[resource])
