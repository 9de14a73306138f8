"""Declarations put into catalogs."""

import pytest

from virtcatalog.catalog.load import load_catalog
from virtcatalog.create.declare import DeclarationError, _same_amount, declare_instancetype, declare_preference
from virtcatalog.create.options import FlagError
from virtcatalog.create.types import InstancetypeOptions, PreferenceOptions, create_type, instancetype_spec
from virtcatalog.create.types import preference_spec as preference_spec_of
from virtcatalog.manifests.folder import held

BASE = {"catalog.yaml": "name: house\nkubevirt: v1.7.0\noperator: {commonInstancetypes: disabled}\n"}
M = "class: m\nmemoryPerVcpu: 4Gi\nsizes:\n  small: {vcpus: 1}  # the least\n"
LINUX = "preferences:\n  linux.fedora: {}\n"


def spec(cpu=2, memory="8Gi", **flags):
    return instancetype_spec(InstancetypeOptions(cpu=cpu, memory=memory, **flags))


def declare(name, wanted=None, how=declare_instancetype, **files):
    files = {"instancetypes/m.yaml": M, "preferences/linux.yaml": LINUX, **files}
    folder = held({path: text.encode() for path, text in {**BASE, **files}.items() if text})
    return how(load_catalog("house", folder), folder, name, spec() if wanted is None else wanted)


def prefer(name, wanted=None, **files):
    return declare(name, wanted or {}, declare_preference, **files)


class TestSpecs:
    def test_of_instance_types(self):
        devices = {"gpu": ("name:a,devicename:b",), "hostdevice": ("name:c,devicename:d",)}
        assert spec(memory="1024Mi", iothreadspolicy="auto", **devices) == {
            "cpu": {"guest": 2},
            "memory": {"guest": "1Gi"},
            "gpus": [{"name": "a", "deviceName": "b"}],
            "hostDevices": [{"name": "c", "deviceName": "d"}],
            "ioThreadsPolicy": "auto",
        }

    @pytest.mark.parametrize(
        ("flags", "message"),
        [
            ({"cpu": 0}, "--cpu: must be more than 0"),
            ({"memory": "x"}, "--memory: 'x' is not a quantity such as 2, 0.5, 500m, 1Gi or 1e9"),
            ({"gpu": ("name:a",)}, "--gpu: devicename is missing"),
            ({"hostdevice": ("devicename:a",)}, "--hostdevice: name is missing"),
            ({"iothreadspolicy": "Auto"}, "--iothreadspolicy: there is no 'Auto', only auto and shared"),
        ],
    )
    def test_what_cannot_be(self, flags, message):
        with pytest.raises(FlagError) as error:
            spec(**flags)
        assert str(error.value) == message

    def test_of_preferences(self):
        options = PreferenceOptions(cpu_topology="preferCores", machine_type="q35", volume_storage_class="fast")
        assert preference_spec_of(options) == {
            "cpu": {"preferredCPUTopology": "preferCores"},
            "machine": {"preferredMachineType": "q35"},
            "volumes": {"preferredStorageClassName": "fast"},
        }
        assert preference_spec_of(PreferenceOptions(machine_type="", volume_storage_class="")) == {
            "machine": {},
            "volumes": {},
        }
        with pytest.raises(FlagError, match=r"^--cpu-topology: there is no 'spred'; did you mean 'spread'\?$"):
            preference_spec_of(PreferenceOptions(cpu_topology="spred"))

    def test_manifests_are_of_one_scope(self):
        declared = create_type(
            "instancetype", InstancetypeOptions(name="x", cpu=1, memory="1Gi"), {"memory": {}, "cpu": {}}
        )
        assert (declared["kind"], declared["metadata"]) == ("VirtualMachineClusterInstancetype", {"name": "x"})
        assert list(declared["spec"]) == ["cpu", "memory"]
        declared = create_type("preference", PreferenceOptions(namespace="team"), {})
        assert (declared["kind"], declared["metadata"]["namespace"]) == ("VirtualMachinePreference", "team")
        assert declared["metadata"]["name"].startswith("preference-")
        drawn = create_type("preference", PreferenceOptions(), {})["metadata"]["name"]
        assert len(drawn) == len("clusterpreference-12345")
        assert create_type("preference", PreferenceOptions(namespaced=True), {})["kind"] == "VirtualMachinePreference"


class TestInstancetypes:
    def test_a_size_of_its_class_follows_the_ratio_or_not(self):
        declared = declare("m.large")
        assert (declared.file, declared.new) == ("instancetypes/m.yaml", f"{M}  large: {{vcpus: 2}}\n")
        assert declared.entry.spec == {"cpu": {"guest": 2}, "memory": {"guest": "8Gi"}}
        assert declare("m.large", spec(memory="9Gi")).new == f"{M}  large: {{vcpus: 2, memory: 9Gi}}\n"

    def test_what_else_it_has_is_its_own(self):
        declared = declare("m.large", spec(iothreadspolicy="auto"))
        assert declared.new.endswith("  large: {vcpus: 2, spec: {ioThreadsPolicy: auto}}\n")

    def test_the_class_with_the_most_of_the_name_has_it(self):
        other = M.replace("class: m", "class: m.x")
        declared = declare("m.x.large", **{"instancetypes/mx.yaml": other})
        assert (declared.file, declared.entry.size) == ("instancetypes/mx.yaml", "large")

    def test_names_may_be_made_otherwise(self):
        declared = declare("acme-large-v1", **{"instancetypes/m.yaml": f"name: 'acme-{{{{ size }}}}-v1'\n{M}"})
        assert (declared.file, declared.entry.size) == ("instancetypes/m.yaml", "large")

    def test_a_new_class_is_a_new_file(self):
        declared = declare("z.large")
        assert (declared.file, declared.old) == ("instancetypes/z.yaml", "")
        assert declared.new == "class: z\nsizes:\n  large:\n    vcpus: 2\n    memory: 8Gi\n"
        assert declare("one").new.startswith("class: one\nname: '{{ class }}'\nsizes:\n  one:\n")

    def test_a_class_of_an_extended_catalog_goes_on_in_a_file_of_the_same_path(self):
        files = {
            "catalog.yaml": "name: house\nextends: ../base\n",
            "../base/catalog.yaml": BASE["catalog.yaml"],
            "../base/instancetypes/deep/m.yaml": M,
            "instancetypes/m.yaml": "",
        }
        declared = declare("m.large", **files)
        assert (declared.file, declared.new) == ("instancetypes/deep/m.yaml", "sizes:\n  large:\n    vcpus: 2\n")

    def test_a_name_that_there_is_is_refused_with_its_place(self):
        with pytest.raises(
            FlagError, match=r"the instance type 'm.small', declared at house/instancetypes/m.yaml:4:3$"
        ):
            declare("m.small")

    @pytest.mark.parametrize("name", ["../../m.large", "/m.large", "M.large", "", "m.large\n"])
    def test_a_name_that_kubernetes_refuses_is_no_path(self, name):
        with pytest.raises(
            FlagError, match=r"^--name: Kubernetes refuses the name .* starts and ends with a letter or digit$"
        ):
            declare(name)

    def test_an_existing_file_that_names_otherwise_is_left_alone(self):
        with pytest.raises(DeclarationError, match=r"instancetypes/m.yaml names m2.large so, not 'm.large'$"):
            declare("m.large", **{"instancetypes/m.yaml": f"version: 2\n{M}"})

    @pytest.mark.parametrize(
        ("wrong", "message"),
        [
            (
                "  large: {vcpus: 3}",
                (
                    "'m.large' in instancetypes/m.yaml would not have spec.cpu.guest, spec.memory.guest: its layers "
                    "say otherwise"
                ),
            ),
            ("  medium: {vcpus: 2}", "instancetypes/m.yaml names m.medium so, not 'm.large'"),
            ("displayName: M", "instancetypes/m.yaml names nothing so, not 'm.large'"),
            ("  large: {vcpus: 2}\ndisplayName: M", "'m.small' would change with 'm.large' in instancetypes/m.yaml"),
        ],
    )
    def test_what_is_made_is_proved(self, monkeypatch, wrong, message):
        monkeypatch.setattr("virtcatalog.create.declare.with_entry", lambda text, *_: f"{text}{wrong}\n")
        with pytest.raises(DeclarationError) as error:
            declare("m.large")
        assert str(error.value) == message

    def test_a_catalog_that_does_not_take_it_says_why(self):
        with pytest.raises(DeclarationError) as error:
            declare("u1.nano", **{"catalog.yaml": "name: house\nkubevirt: v1.7.0\n"})
        assert str(error.value) == (
            "'u1.nano' cannot be declared in instancetypes/u1.yaml: sizes.nano: KubeVirt's operator deploys "
            "'u1.nano' itself; choose another name, or say `operator: {commonInstancetypes: disabled}` in "
            "catalog.yaml if yours does not"
        )


class TestPreferences:
    def test_one_goes_to_those_whose_names_begin_alike(self):
        declared = prefer("linux.debian", {"machine": {"preferredMachineType": "q35"}})
        assert declared.file == "preferences/linux.yaml"
        assert declared.new == f"{LINUX}  linux.debian: {{spec: {{machine: {{preferredMachineType: q35}}}}}}\n"
        assert declared.entry.spec == {"machine": {"preferredMachineType": "q35"}}
        assert prefer("linux.debian").new == f"{LINUX}  linux.debian: {{}}\n"

    def test_the_most_words_in_common_decide(self):
        files = {"preferences/a.yaml": "preferences:\n  linux.sap.hana: {}\n"}
        assert prefer("linux.sap.b1", **files).file == "preferences/a.yaml"
        assert prefer("linux.sap", **files).file == "preferences/a.yaml"

    def test_others_get_a_file(self):
        declared = prefer("solaris.v11")
        assert (declared.file, declared.old) == ("preferences/solaris.yaml", "")
        assert declared.new == "preferences:\n  solaris.v11: {}\n"

    def test_a_name_that_there_is_is_refused(self):
        with pytest.raises(FlagError, match=r"the preference 'linux.fedora', declared at house"):
            prefer("linux.fedora")

    def test_defaults_are_under_it(self):
        text = f"defaults: {{spec: {{machine: {{preferredMachineType: q35}}}}}}\n{LINUX}"
        assert prefer("linux.debian", **{"preferences/linux.yaml": text}).entry.spec["machine"]


@pytest.mark.parametrize(
    ("amount", "other", "same"),
    [("1Gi", "1024Mi", True), (1, "1", True), ("1Gi", "2Gi", False), (None, "1Gi", False), ("1Gi", "x", False)],
)
def test_amounts_are_the_same_however_they_are_written(amount, other, same):
    assert _same_amount(amount, other) is same
