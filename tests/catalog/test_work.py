"""What the budget of a catalog is charged."""

from jinja2 import Environment

from virtcatalog.catalog.templatenodes import cost_of_compiling
from virtcatalog.catalog.work import NAME_IN_CONDITION, NODE, Work, size


def test_a_layer_costs_its_size_each_time_that_it_is_merged_again():
    work, layer = Work(), {"devices": {"preferredDiskBus": "virtio"}}
    before = work.left
    work.merge(layer)
    assert work.left == before
    for times in (1, 2, 3):
        work.merge(layer)
        assert work.left == before - times * size(layer)


def test_each_condition_of_a_template_costs_all_its_names():
    def cost(text: str) -> int:
        return cost_of_compiling(Environment().parse(text))

    plain = cost("{{ a }}{{ b }}")
    assert cost("{{ a }}{{ a }}") == plain
    one = cost("{{ a }}{{ a }}{% if a %}{% endif %}")
    assert cost("{{ a }}{{ b }}{% if a %}{% endif %}") == one + NAME_IN_CONDITION
    assert one == plain + 2 * NODE + NAME_IN_CONDITION
