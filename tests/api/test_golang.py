"""What Go makes of data that it reads into a type and writes out again."""

import json
import math

import pytest

from virtcatalog.api.addresses import sanitized_address, sanitized_network
from virtcatalog.api.core import (
    HTTPGetAction,
    ManagedFieldsEntry,
    ObjectMeta,
    PodDNSConfig,
    ResourceFieldSelector,
    TypedLocalObjectReference,
    TypedObjectReference,
)
from virtcatalog.api.devices import Filesystem
from virtcatalog.api.domainspec import ResourceRequirements
from virtcatalog.api.golang import from_unstructured, unmarshal, unmarshal_texts, yaml_text
from virtcatalog.api.govalues import GoError, as_json, yaml_key
from virtcatalog.api.kubevirt import VirtualMachineInstanceSpec
from virtcatalog.api.scheduling import PodAffinityTerm, PreferredSchedulingTerm
from virtcatalog.api.template import Parameter, VirtualMachineTemplate
from virtcatalog.api.vmstatus import AddVolumeOptions, FullVirtualMachine, VolumeSnapshotStatus
from virtcatalog.api.volumes import EmptyDiskSource


def vm(spec):
    return from_unstructured({"spec": {"template": {"spec": spec}}}, FullVirtualMachine).data["spec"]["template"][
        "spec"
    ]


class TestWritten:
    def test_zero_values_of_structs_are_always_written(self):
        assert from_unstructured({}, FullVirtualMachine).data == {
            "metadata": {},
            "spec": {"template": None},
            "status": {},
        }
        assert unmarshal({}, VirtualMachineInstanceSpec) == {"domain": {"devices": {}, "resources": {}}}

    def test_what_go_omits_is_not(self):
        written = {"name": "", "labels": {}, "finalizers": [], "generation": 0, "deletionGracePeriodSeconds": 0}
        assert unmarshal(written, ObjectMeta) == {"deletionGracePeriodSeconds": 0}

    def test_a_list_or_pointer_that_is_always_written_is_null(self):
        spec = {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {}}}}
        required = vm(spec)["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
        assert required == {"nodeSelectorTerms": None}
        assert vm({"domain": {"devices": {"filesystems": [{"name": "a"}]}}})["domain"]["devices"]["filesystems"] == [
            {"name": "a", "virtiofs": None}
        ]

    def test_texts_and_quantities_that_are_always_written(self):
        assert unmarshal({}, PodAffinityTerm) == {"topologyKey": ""}
        assert unmarshal({}, ResourceFieldSelector) == {"resource": "", "divisor": "0"}


class TestJson:
    def test_names_in_any_case_are_taken_and_others_dropped(self):
        assert unmarshal({"NAME": "a", "bogus": 1}, ObjectMeta) == {"name": "a"}
        assert unmarshal({"\u212aind": 1, "label\u017f": {"a": "b"}}, ObjectMeta) == {"labels": {"a": "b"}}

    def test_names_in_two_cases_add_to_maps_and_the_last_text_counts(self):
        domain = vm({"domain": {"CPU": {"cores": 2}, "cpu": {"sockets": 3}}})["domain"]
        assert domain["cpu"] == {"cores": 2, "sockets": 3}
        assert vm({"HOSTNAME": "b", "hostname": "a"})["hostname"] == "a"
        assert "cpu" not in vm({"domain": {"CPU": {"cores": 2}, "cpu": None}})["domain"]

    @pytest.mark.parametrize("value", [1.5, 2.0**32, -1.0, 1e21, "1", True, [1], {}])
    def test_numbers_are_whole_and_in_range(self, value):
        with pytest.raises(GoError) as error:
            vm({"domain": {"cpu": {"cores": value}}})
        assert error.value.path == ("spec", "template", "spec", "domain", "cpu", "cores")

    def test_null_items_are_zero_values(self):
        assert vm({"tolerations": [None]})["tolerations"] == [{}]
        assert vm({"nodeSelector": {"a": None}})["nodeSelector"] == {"a": ""}

    @pytest.mark.parametrize(("written", "port"), [(80.0, 80), ("http", "http")])
    def test_ports_by_number_or_name(self, written, port):
        probe = vm({"livenessProbe": {"httpGet": {"port": written}}})["livenessProbe"]
        assert probe["httpGet"] == {"port": port}
        with pytest.raises(GoError):
            vm({"livenessProbe": {"httpGet": {"port": 2.0**31}}})

    @pytest.mark.parametrize(("written", "read"), [("1024Mi", "1Gi"), (1.5, "1500m"), (1073741824.0, "1073741824")])
    def test_quantities_in_their_canonical_form(self, written, read):
        assert vm({"domain": {"memory": {"guest": written}}})["domain"]["memory"] == {"guest": read}

    def test_numbers_of_yaml_become_texts_where_texts_are_wanted(self):
        assert unmarshal({"name": 5, "labels": {"a": True, "b": None}}, ObjectMeta, of_yaml=True) == {
            "name": "5",
            "labels": {"a": "true", "b": ""},
        }
        assert unmarshal_texts({"a": 1.0}, of_yaml=True) == {"a": "1"}
        with pytest.raises(GoError):
            unmarshal_texts({"a": 1.0})

    @pytest.mark.parametrize("field", ["apiVersion", "kind", "Kind"])
    def test_but_not_in_what_says_the_kind_of_an_object(self, field):
        with pytest.raises(GoError) as error:
            unmarshal({field: 5}, VirtualMachineTemplate, of_yaml=True)
        assert error.value.message == "must be a string, not the number 5"
        owner = {"metadata": {"ownerReferences": [{"kind": 5}]}}
        read = unmarshal(owner, VirtualMachineTemplate, of_yaml=True)
        assert read["metadata"]["ownerReferences"][0]["kind"] == "5"
        assert unmarshal_texts({"kind": 5}, of_yaml=True) == {"kind": "5"}

    def test_of_names_in_two_cases_the_last_in_their_order_counts_in_yaml(self):
        data = {"value": "a", "VALUE": "b", "name": "A"}
        assert unmarshal(data, Parameter, of_yaml=True) == {"name": "A", "value": "a"}
        assert unmarshal(data, Parameter) == {"name": "A", "value": "b"}

    @pytest.mark.parametrize("data", [{"bogus": [math.inf]}, {"metadata": {"bogus": {"a": math.nan}}}])
    def test_no_json_holds_what_is_no_number_even_where_nobody_looks(self, data):
        with pytest.raises(GoError) as error:
            unmarshal(data, VirtualMachineTemplate, of_yaml=True)
        assert "not a number that JSON can hold" in error.value.message


class TestConverter:
    def test_names_are_exact_and_others_told(self):
        read = from_unstructured({"Spec": {}, "metadata": {"b": 1}, "a": 1}, FullVirtualMachine)
        assert read.unknown == ("Spec", "a", "metadata.b")

    @pytest.mark.parametrize(("written", "read"), [(2.0, 2), (1e30, -(2**63)), (-0.0, None)])
    def test_whole_numbers_of_any_size(self, written, read):
        metadata = from_unstructured({"metadata": {"generation": written}}, FullVirtualMachine).data["metadata"]
        assert metadata.get("generation") == read

    @pytest.mark.parametrize(
        ("metadata", "message"),
        [
            ({"generation": 1.5}, "must be an integer"),
            ({"generation": "1"}, "must be an integer"),
            ({"name": 5.0}, "must be a string"),
            ({"finalizers": "x"}, "must be a list"),
            ({"labels": []}, "must be a map"),
            ({"creationTimestamp": "yesterday"}, "must be a time"),
        ],
    )
    def test_other_types_are_refused(self, metadata, message):
        with pytest.raises(GoError, match=message):
            from_unstructured({"metadata": metadata}, FullVirtualMachine)

    @pytest.mark.parametrize(
        ("written", "read"),
        [
            ("2026-01-31T12:00:00Z", "2026-01-31T12:00:00Z"),
            ("2026-01-31T12:00:00.5+02:00", "2026-01-31T10:00:00Z"),
            ("0001-01-01T00:00:00Z", None),
        ],
    )
    def test_times_in_utc(self, written, read):
        metadata = from_unstructured({"metadata": {"deletionTimestamp": written}}, FullVirtualMachine).data["metadata"]
        assert metadata["deletionTimestamp"] == read

    def test_the_zero_time_of_creation_is_left_out(self):
        zero = {"metadata": {"creationTimestamp": "0001-01-01T00:00:00Z"}}
        assert "creationTimestamp" not in from_unstructured(zero, FullVirtualMachine).data["metadata"]

    def test_conditions_have_their_times_written(self):
        status = {"conditions": [{"type": "Ready", "status": "True"}]}
        assert from_unstructured({"status": status}, FullVirtualMachine).data["status"]["conditions"] == [
            {"type": "Ready", "status": "True", "lastProbeTime": None, "lastTransitionTime": None}
        ]


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (5, "5"),
        (5.0, "5"),
        (1.5, "1.5"),
        (3.14159265358979, "3.1415927"),
        (16777217.0, "1.6777216e+07"),
        (999999.0, "999999"),
        (1e6, "1e+06"),
        (0.0001, "0.0001"),
        (0.00001, "1e-05"),
        (-2.5, "-2.5"),
        (0.0, "0"),
        (1e39, "+Inf"),
        (-1e308, "-Inf"),
        (float("nan"), "NaN"),
        (True, "true"),
    ],
)
def test_numbers_as_text(number, text):
    assert yaml_text(number) == text


def test_keys_are_texts():
    assert as_json({1: {True: [], 2.5: "x"}}) == {"1": {"true": [], "2.5": "x"}}
    assert yaml_key(float("inf")) == ".inf"
    assert as_json(["a\ud800b", {"\udc00": 1}]) == ["a\ufffdb", {"\ufffd": 1}]
    with pytest.raises(GoError, match=r"^a key must be a string, not null$"):
        as_json({None: 1})


@pytest.mark.parametrize(
    ("address", "usual"),
    [
        ("010.000.0.1", "10.0.0.1"),
        ("FE80:0::1", "fe80::1"),
        ("::ffff:1.2.3.4", "1.2.3.4"),
        ("2001:0db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"),
        ("1.2.3.4 ", "1.2.3.4 "),
        ("256.1.1.1", "256.1.1.1"),
        ("fe80::1%eth0", "fe80::1%eth0"),
        ("", ""),
    ],
)
def test_an_address_is_stored_in_its_usual_form(address, usual):
    assert sanitized_address(address) == usual


@pytest.mark.parametrize(
    ("network", "usual"),
    [("10.00.2.7/024", "10.0.2.7/24"), ("FD10::1/120", "fd10::1/120"), ("10.0.2.0/33", "10.0.2.0/33"), ("x", "x")],
)
def test_a_network_is_stored_in_its_usual_form(network, usual):
    assert sanitized_network(network) == usual


@pytest.mark.parametrize(
    ("spec", "written"),
    [
        ({"dnsConfig": {"nameservers": ["010.0.0.1"]}}, {"nameservers": ["10.0.0.1"]}),
        (
            {"domain": {"devices": {"interfaces": [{"name": "a", "dhcpOptions": {"ntpServers": ["FE80:0::1"]}}]}}},
            {"ntpServers": ["fe80::1"]},
        ),
        ({"networks": [{"name": "a", "pod": {"vmNetworkCIDR": "10.00.2.0/024"}}]}, {"vmNetworkCIDR": "10.0.2.0/24"}),
    ],
    ids=["DNS", "DHCP", "pod network"],
)
def test_addresses_are_rewritten_where_the_api_does(spec, written):
    assert json.dumps(written)[1:-1] in json.dumps(unmarshal(spec, VirtualMachineInstanceSpec))


@pytest.mark.parametrize("value", [True, [], {}])
def test_what_is_no_quantity_is_refused(value):
    with pytest.raises(GoError, match="must be a quantity such as 2, 500m or 1Gi, not "):
        unmarshal({"domain": {"devices": {}, "memory": {"guest": value}}}, VirtualMachineInstanceSpec)


@pytest.mark.parametrize(("value", "text"), [(2, "2"), ("1024Mi", "1Gi"), (0.5, "500m"), ("1Gi", "1Gi")])
def test_quantities_are_written_as_go_writes_them(value, text):
    spec = unmarshal({"domain": {"devices": {}, "memory": {"guest": value}}}, VirtualMachineInstanceSpec)
    assert spec["domain"]["memory"] == {"guest": text}


@pytest.mark.parametrize(
    ("kind", "manifest", "written"),
    [
        (TypedLocalObjectReference, {}, {"apiGroup": None, "kind": "", "name": ""}),
        (TypedObjectReference, {}, {"apiGroup": None, "kind": "", "name": ""}),
        (TypedObjectReference, {"apiGroup": "", "kind": "a"}, {"apiGroup": "", "kind": "a", "name": ""}),
        (AddVolumeOptions, {}, {"name": "", "disk": None, "volumeSource": None}),
        (Filesystem, {}, {"name": "", "virtiofs": None}),
        (PreferredSchedulingTerm, {}, {"weight": 0, "preference": {}}),
        (HTTPGetAction, {"port": None}, {"port": 0}),
        (EmptyDiskSource, {}, {"capacity": "0"}),
        (VolumeSnapshotStatus, {}, {"name": "", "enabled": False}),
        (ResourceRequirements, {"requests": {"cpu": None}}, {"requests": {"cpu": "0"}}),
        (PodDNSConfig, {"nameservers": ["010.0.0.1", None]}, {"nameservers": ["10.0.0.1", ""]}),
        (ManagedFieldsEntry, {"fieldsV1": {"a": [None, 1.5]}}, {"fieldsV1": {"a": [None, 1.5]}}),
        (ManagedFieldsEntry, {"fieldsV1": [1]}, {"fieldsV1": [1]}),
        (
            ObjectMeta,
            {"ownerReferences": [{"controller": False, "kind": "VM"}], "finalizers": [None, "a"]},
            {
                "ownerReferences": [{"apiVersion": "", "kind": "VM", "name": "", "uid": "", "controller": False}],
                "finalizers": ["", "a"],
            },
        ),
        (ObjectMeta, {"labels": {"a": "b"}, "LABELS": {"c": "d"}}, {"labels": {"a": "b", "c": "d"}}),
        (ObjectMeta, {"labels": {"a": "b"}, "LABELS": None}, {}),
        (ObjectMeta, {"finalizers": ["a"], "FINALIZERS": ["b"]}, {"finalizers": ["b"]}),
        (ObjectMeta, {"finalizers": ["a"], "FINALIZERS": None}, {}),
        (ObjectMeta, {"name": "a", "NAME": None}, {"name": "a"}),
        (ObjectMeta, None, {}),
    ],
)
def test_what_is_written_is_whole(kind, manifest, written):
    assert unmarshal(manifest, kind) == written


def metadata(**fields):
    return {"metadata": fields}


@pytest.mark.parametrize(
    ("manifest", "path", "message"),
    [
        (metadata(name=1.5), ("metadata", "name"), "must be a string, not the number 1.5"),
        (metadata(labels={"b": True}), ("metadata", "labels", "b"), "must be a string, not the boolean true"),
        (metadata(annotations=[]), ("metadata", "annotations"), "must be a map, not a list"),
        (metadata(finalizers="x"), ("metadata", "finalizers"), "must be a list, not the string 'x'"),
        (metadata(finalizers=[1]), ("metadata", "finalizers", 0), "must be a string, not the number 1"),
        (metadata(generation=True), ("metadata", "generation"), "must be an integer, not the boolean true"),
        (metadata(generation="1"), ("metadata", "generation"), "must be an integer, not the string '1'"),
        (metadata(generation=1.5), ("metadata", "generation"), "must be an integer, not the number 1.5"),
        (
            metadata(ownerReferences=[{}, {"controller": 1}]),
            ("metadata", "ownerReferences", 1, "controller"),
            "must be true or false, not the number 1",
        ),
        (
            metadata(managedFields=[{"fieldsV1": {"a": float("inf")}}]),
            ("metadata", "managedFields", 0, "fieldsV1", "a"),
            "+Inf is not a number that JSON can hold; quote it if it is text",
        ),
        ({"spec": {"running": "yes"}}, ("spec", "running"), "must be true or false, not the string 'yes'"),
        (
            {"spec": {"template": {"spec": {"hostname": 5}}}},
            ("spec", "template", "spec", "hostname"),
            "must be a string, not the number 5",
        ),
        ([], (), "must be a map, not a list"),
    ],
)
def test_what_does_not_fit_is_told_with_its_path(manifest, path, message):
    for read in (from_unstructured, unmarshal):
        with pytest.raises(GoError) as caught:
            read(manifest, FullVirtualMachine)
        assert (caught.value.path, caught.value.message) == (path, message)


def test_texts_may_be_missing():
    assert unmarshal_texts(None) == {}
    assert unmarshal_texts({"a": None, "b": "c"}) == {"a": "", "b": "c"}


def test_fields_that_are_not_known_are_told_in_order_but_for_those_in_a_vmis_spec():
    template = {"metadata": {"z": {"y": 1}}, "spec": {"zz": 1}}
    read = from_unstructured({"spec": {"template": template}, "a b": 1}, FullVirtualMachine)
    assert read.unknown == ("[a b]", "spec.template.metadata.z")
    assert read.data == {
        "metadata": {},
        "spec": {"template": {"metadata": {}, "spec": {"domain": {"devices": {}, "resources": {}}}}},
        "status": {},
    }
