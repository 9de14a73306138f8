"""Derived labels that an object is not to have."""

OWN = "instancetype.kubevirt.io/"
FILES = {
    "catalog.yaml": f"""\
        name: house
        kubevirt: v1.9.0
        vendor: example.org
        instancetypes: {{labels: {{{OWN}cpu: null}}}}
        """,
    "instancetypes/m.yaml": f"""\
        class: m
        memoryPerVcpu: 4Gi
        sizes:
          small: {{vcpus: 1}}
          large: {{vcpus: 4, labels: {{{OWN}vendor: null}}}}
        """,
    "preferences/p.yaml": f"""\
        defaults: {{osType: linux}}
        preferences:
          plain: {{}}
          bare: {{labels: {{{OWN}os-type: null}}}}
        """,
}


def own_labels(objects):
    return {
        obj["metadata"]["name"]: sorted(key.removeprefix(OWN) for key in obj["metadata"].get("labels", {}))
        for obj in objects
    }


def test_null_leaves_a_label_out_in_any_layer(catalog):
    assert own_labels(catalog.load(FILES | {"preferences/linux.yaml": None}).objects()) == {
        "m.small": ["class", "memory", "size", "vendor"],
        "m.large": ["class", "memory", "size"],
        "plain": ["os-type", "vendor"],
        "bare": ["vendor"],
    }


def test_anything_else_is_still_an_error(catalog):
    text = f"class: m\nlabels: {{{OWN}cpu: '1'}}\nsizes: {{s: {{vcpus: 1, memory: 1Gi}}}}\n"
    assert catalog.problems({"instancetypes/m.yaml": text}) == [
        f"instancetypes/m.yaml:2:10: labels[{OWN}cpu]: {OWN}cpu is derived from `vcpus` and cannot be set by hand"
    ]


def test_null_leaves_no_derived_annotation_out(catalog):
    text = f"class: m\nannotations: {{{OWN}displayName: null}}\nsizes: {{s: {{vcpus: 1, memory: 1Gi}}}}\n"
    assert catalog.problems({"instancetypes/m.yaml": text}) == [
        (
            f"instancetypes/m.yaml:2:15: annotations[{OWN}displayName]: {OWN}displayName is derived from `displayName` "
            "and cannot be set by hand"
        )
    ]


def test_patches_of_environments_do_not_bring_it_back(catalog):
    overlay = "lab: {patches: [{select: {names: [m.small]}, spec: {cpu: {guest: 2}, memory: {guest: 1Gi}}}]}\n"
    loaded = catalog.load(FILES | {"overlays.yaml": overlay})
    small = next(obj for obj in loaded.objects("lab") if obj["metadata"]["name"] == "m.small")
    assert own_labels([small])["m.small"] == ["class", "memory", "size", "vendor"]
    assert small["metadata"]["labels"][f"{OWN}memory"] == "1Gi"
