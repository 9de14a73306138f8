"""The layer that objects have in common: what it says, and what is left to each."""

from __future__ import annotations

from virtcatalog.bring.objects.facts import Expression
from virtcatalog.bring.objects.layers import Item, Layer, extract, joined, leaf, patches, shared, templated

BUS, RNG = ("spec", "devices", "preferredDiskBus"), ("spec", "devices", "preferredRng")
TITLE, TEAM = ("displayName",), ("labels", "team")


class TestShared:
    def test_what_two_objects_say_is_said_once(self):
        items = [Item({}, {BUS: "virtio", TEAM: "a"}), Item({}, {BUS: "virtio", TEAM: "b"})]
        assert joined(shared(items, leaf)) == {BUS: "virtio"}

    def test_what_one_says_alone_is_left_to_it(self):
        assert shared([Item({}, {BUS: "virtio"})], leaf) == {}
        assert shared([Item({}, {BUS: "virtio"}), Item({}, {BUS: "sata"})], leaf) == {}

    def test_as_few_as_asked_for_are_enough(self):
        assert joined(shared([Item({}, {BUS: "virtio"})], leaf, least=1)) == {BUS: "virtio"}
        three = [Item({}, {BUS: "virtio"})] * 3
        assert shared(three, leaf, least=4) == {}
        assert joined(shared(three, leaf, least=3)) == {BUS: "virtio"}

    def test_most_of_them_are_enough_where_the_others_say_otherwise(self):
        items = [Item({}, {BUS: bus}) for bus in ("virtio", "virtio", "virtio", "sata")]
        assert joined(shared(items, leaf)) == {BUS: "virtio"}

    def test_what_leaves_something_to_each_is_not_said_for_all(self):
        items = [Item({TEAM: "a"}, {TITLE: "t"}), Item({RNG: {}}, {TITLE: "t"})]
        assert shared(items, lambda _: ("all",)) == {}
        assert joined(shared([*items, Item({}, {TITLE: "t"})], lambda _: ("all",))) == {TITLE: "t"}

    def test_what_is_below_need_not_be_said(self):
        assert shared([Item({BUS: "virtio"}, {BUS: "virtio"})] * 3, leaf) == {}


class TestPatches:
    def test_is_what_makes_the_one_of_the_other(self):
        assert joined(patches({BUS: "virtio", RNG: {}}, {BUS: "sata", TEAM: "a"}, leaf)) == {
            BUS: "sata",
            RNG: None,
            TEAM: "a",
        }

    def test_of_the_same_is_nothing(self):
        assert patches({BUS: "virtio"}, {BUS: "virtio"}, leaf) == {}


class TestTemplated:
    def test_names_take_the_place_of_what_follows_from_them(self):
        items = [{TITLE: "Fedora 41"}, {TITLE: "Fedora 42"}]
        assert templated(items, [{"name": "41"}, {"name": "42"}]) == [{TITLE: "Fedora {{ name }}"}] * 2
        assert isinstance(templated(items, [{"name": "41"}, {"name": "42"}])[0][TITLE], Expression)

    def test_one_text_for_all_stays(self):
        items = [{TITLE: "on 41"}, {TITLE: "on 41"}]
        assert templated(items, [{"name": "41"}, {"name": "41"}]) == items

    def test_no_more_alike_than_before_stays(self):
        items = [{TITLE: "41"}, {TITLE: "same"}, {TITLE: "same"}]
        assert templated(items, [{"name": "41"}, {"name": "42"}, {"name": "43"}]) == items

    def test_the_longest_name_goes_first(self):
        names = [{"class": "m", "name": "m.large"}, {"class": "r", "name": "r.large"}]
        assert templated([{TITLE: "use m.large"}, {TITLE: "use r.large"}], names) == [{TITLE: "use {{ name }}"}] * 2

    def test_a_name_is_not_looked_for_in_the_expression_of_another(self):
        names = [{"size": "m", "memory": "4Gi"}, {"size": "x", "memory": "8Gi"}]
        assert templated([{TITLE: "4Gi, m"}, {TITLE: "8Gi, x"}], names) == [{TITLE: "{{ memory }}, {{ size }}"}] * 2

    def test_a_name_of_no_text_stands_for_nothing(self):
        items = [{TITLE: "a 41"}, {TITLE: "a 42"}]
        names = [{"name": "41", "size": ""}, {"name": "42", "size": ""}]
        assert templated(items, names) == [{TITLE: "a {{ name }}"}] * 2

    def test_the_shortest_of_texts_that_are_as_good_is_taken(self):
        items = [{TITLE: "a 1 1"}, {TITLE: "a 2 2"}]
        names = [{"name": "1", "id": "1"}, {"name": "2", "id": "2"}]
        assert templated(items, names) == [{TITLE: "a {{ id }} {{ id }}"}] * 2

    def test_braces_are_left_alone(self):
        items = [{TITLE: "{41"}, {TITLE: "{42"}]
        assert templated(items, [{"name": "41"}, {"name": "42"}]) == items

    def test_what_is_no_text_stays(self):
        items = [{TITLE: 41}, {TITLE: 42}]
        assert templated(items, [{"name": "41"}, {"name": "42"}]) == items


class TestExtract:
    def layers(self, *values: str) -> list[Layer]:
        """Two layers that say the same, for every value of one field."""
        return [Layer({}, {BUS: {BUS: value}}, leaf) for value in values for _ in range(2)]

    def test_a_component_is_named_after_what_it_says(self):
        layers = self.layers("virtio")
        assert extract(layers, {}) == {"disk-virtio": {BUS: "virtio"}}
        assert [layer.components for layer in layers] == [["disk-virtio"]] * 2
        assert [layer.own for layer in layers] == [{}] * 2

    def test_names_that_are_taken_are_numbered(self):
        assert list(extract(self.layers("virtio"), {"disk-virtio": {}})) == ["disk-virtio-2"]
        assert list(extract(self.layers("virtio"), {"disk-virtio": {}, "disk-virtio-2": {}})) == ["disk-virtio-3"]

    def test_two_components_never_have_one_name(self):
        layers = self.layers("a.b", "a b")
        assert extract(layers, {}) == {"disk-a-b": {BUS: "a.b"}, "disk-a-b-2": {BUS: "a b"}}
