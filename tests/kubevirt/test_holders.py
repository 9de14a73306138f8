"""The kinds that hold a VM besides VirtualMachine: what KubeVirt makes of each, and at which fields it refuses."""

import pytest
from answering import expand
from reading import read

from virtcatalog.errors import UnsupportedError
from virtcatalog.kubevirt.cluster import Cluster

VMI = """
apiVersion: kubevirt.io/v1
kind: VirtualMachineInstance
metadata: {name: web, labels: {app: web}}
spec:
  domain: {memory: {guest: 1Gi}, devices: {DEVICES}}
"""
REPLICAS = """
apiVersion: kubevirt.io/v1
kind: VirtualMachineInstanceReplicaSet
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: SELECTED}}
  template:
    metadata: {labels: {app: web}}
    spec:
      domain: {memory: {guest: 1Gi}, devices: {DEVICES}}
"""
POOL = """
apiVersion: pool.kubevirt.io/v1beta1
kind: VirtualMachinePool
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: SELECTED}}
  nameGeneration: {NAMING}
  MORE
  virtualMachineTemplate:
    metadata: {labels: {app: web}, annotations: {team: blue}}
    spec:
      runStrategy: RUN
      MATCHER
      dataVolumeTemplates:
        - metadata: {name: root}
          spec: {source: {blank: {}}, storage: {resources: {requests: {storage: 1Gi}}}}
      template:
        metadata: {labels: {tier: front}}
        spec:
          domain: {memory: {guest: 1Gi}, devices: {DEVICES}}
          volumes:
            - {name: a, dataVolume: {name: root}}
            - {name: b, persistentVolumeClaim: {claimName: shared}}
            - {name: c, configMap: {name: settings}}
            - {name: d, secret: {secretName: keys}}
            - {name: e, cloudInitNoCloud: {secretRef: {name: user}, networkDataSecretRef: {name: net}}}
"""


def result_of(text, cluster=None, **parts):
    usual = {"DEVICES": "", "SELECTED": "web", "NAMING": "", "MORE": "", "RUN": "Always", "MATCHER": ""}
    for name, part in {**usual, **parts}.items():
        text = text.replace(name, part)
    return expand(read(text), cluster or Cluster())


def fields(result):
    return result.refused_by, [reason.field for reason in result.reasons]


@pytest.mark.parametrize("policy", ["AscendingOrder", "DescendingOrder", "Newest", "Oldest", "Random"])
def test_a_pool_updates_its_vms_in_each_of_the_orders(policy):
    order = f"updateStrategy: {{proactive: {{selectionPolicy: {{sortPolicy: {policy}}}}}}}"
    assert result_of(POOL, MORE=order).admitted


@pytest.mark.parametrize("state", ["Disabled", "Offline", "Online"])
def test_a_pool_keeps_the_state_of_vms_that_it_deletes_in_each_way(state):
    assert result_of(POOL, MORE=f"scaleInStrategy: {{proactive: {{statePreservation: {state}}}}}").admitted
    assert result_of(POOL, MORE=f"scaleInStrategy: {{opportunistic: {{statePreservation: {state}}}}}").admitted


def test_a_vmi_goes_straight_to_its_own_webhooks():
    result = result_of(VMI)
    assert result.admitted
    assert result.vm is None
    assert result.vmi["metadata"]["name"] == "web"
    assert "<name>default_web</name>" in result.domain_xml
    assert result.converted_xml


def test_a_vmi_is_refused_at_its_own_fields():
    result = result_of(
        VMI.replace("{app: web}", "{kubevirt.io/nodeName: n}"), DEVICES="disks: [{name: a, disk: {bus: x}}]"
    )
    disk = "spec.domain.devices.disks[0]"
    assert fields(result) == ("vmi", [f"{disk}.name", f"{disk}.disk.bus", "metadata.labels"])


def test_a_vmi_with_a_generated_name_has_one_that_stays():
    text = VMI.replace("name: web,", "generateName: web-,")
    name = result_of(text).vmi["metadata"]["name"]
    assert name == result_of(text).vmi["metadata"]["name"]
    assert len(name) == len("web-") + 5


def test_a_replica_set_makes_vmis_of_its_template():
    result = result_of(REPLICAS)
    metadata = result.vmi["metadata"]
    assert (result.admitted, result.vm) == (True, None)
    assert metadata["labels"] == {"app": "web"}
    assert metadata["name"].startswith("web")
    assert metadata["name"] != "web"
    assert "generateName" not in metadata
    assert [reference["kind"] for reference in metadata["ownerReferences"]] == ["VirtualMachineInstanceReplicaSet"]
    assert f"<name>default_{metadata['name']}</name>" in result.domain_xml


def test_a_replica_set_is_refused_by_its_own_webhook():
    result = result_of(REPLICAS, SELECTED="other", DEVICES="disks: [{name: a, disk: {bus: x}}]")
    disk = "spec.template.spec.domain.devices.disks[0]"
    assert fields(result) == ("vm", [f"{disk}.name", f"{disk}.disk.bus", "spec.selector"])
    unselective = result_of(
        REPLICAS.replace("matchLabels: {app: SELECTED}", "matchExpressions: [{key: a, operator: Is}]")
    )
    assert fields(unselective) == ("vm", ["spec.selector"])
    twice = "matchExpressions: [{key: a, operator: In}, {key: b, operator: Exists, values: [c]}]"
    (cause,) = result_of(REPLICAS.replace("matchLabels: {app: SELECTED}", twice)).causes
    assert cause.message == "In needs one or more values; Exists takes no values"


def test_what_the_webhook_of_a_replica_set_passes_over_is_refused_in_its_vmi():
    result = result_of(REPLICAS.replace("memory: {guest: 1Gi}, ", ""))
    assert fields(result) == ("vmi", [""])


def names(result):
    spec = result.vm["spec"]
    volumes = spec["template"]["spec"]["volumes"]
    cloud_init = volumes[4]["cloudInitNoCloud"]
    return [
        spec["dataVolumeTemplates"][0]["metadata"]["name"],
        volumes[0]["dataVolume"]["name"],
        volumes[1]["persistentVolumeClaim"]["claimName"],
        volumes[2]["configMap"]["name"],
        volumes[3]["secret"]["secretName"],
        cloud_init["secretRef"]["name"],
        cloud_init["networkDataSecretRef"]["name"],
    ]


def test_a_pool_shows_its_first_vm():
    result = result_of(POOL)
    metadata = result.vm["metadata"]
    assert (metadata["name"], metadata["annotations"]) == ("web-0", {"team": "blue"})
    assert metadata["labels"] == {"app": "web", "kubevirt.io/vm-pool-revision-name": "web-1"}
    assert result.vmi["metadata"]["labels"] == {"tier": "front", "kubevirt.io/vm-pool-revision-name": "web-1"}
    assert names(result) == ["root-0", "root-0", "shared", "settings", "keys", "user", "net"]
    assert "<name>default_web-0</name>" in result.domain_xml


@pytest.mark.parametrize(
    ("release", "naming", "expected"),
    [
        ("v1.9.0", "appendIndexToConfigMapRefs: true", ["settings-0", "keys", "user", "net"]),
        ("v1.9.0", "appendIndexToSecretRefs: true", ["settings", "keys-0", "user-0", "net-0"]),
        ("v1.8.4", "appendIndexToSecretRefs: true", ["settings", "keys-0", "user-0", "net-0"]),
        ("v1.7.4", "appendIndexToSecretRefs: true", ["settings", "keys-0", "user", "net"]),
    ],
)
def test_a_pool_numbers_what_each_vm_has_for_itself(release, naming, expected):
    assert names(result_of(POOL, Cluster(release=release), NAMING=naming))[3:] == expected


SPEC = "spec.virtualMachineTemplate.spec"


@pytest.mark.parametrize(
    ("parts", "refused_by", "reason"),
    [
        (
            {"RUN": "Never"},
            "vm",
            f"{SPEC}.runStrategy: 'Never' is none of Halted, Manual, Always, RerunOnFailure, Once",
        ),
        ({"SELECTED": "other"}, "vm", "spec.selector: it does not select the labels of the template"),
        ({"MORE": "maxUnavailable: 0"}, "vm", "spec.maxUnavailable: 0 is not at least 1"),
        ({"MORE": "maxUnavailable: '2'"}, "vm", "spec.maxUnavailable: '2' is no percentage: it has to end with %"),
        ({"MORE": "maxUnavailable: 0%"}, "vm", "spec.maxUnavailable: '0%' is no percentage from 1% to 100%"),
        ({"MORE": "maxUnavailable: 101%"}, "vm", "spec.maxUnavailable: '101%' is no percentage from 1% to 100%"),
        ({"MORE": "maxUnavailable: half%"}, "vm", "spec.maxUnavailable: 'half%' is no percentage from 1% to 100%"),
        (
            {"MORE": "updateStrategy: {proactive: {}, unmanaged: {}}"},
            "vm",
            "spec.updateStrategy: unmanaged and proactive exclude each other",
        ),
        (
            {"MORE": "scaleInStrategy: {opportunistic: {}, unmanaged: {}}"},
            "vm",
            "spec.scaleInStrategy: unmanaged and opportunistic exclude each other",
        ),
        (
            {"MATCHER": "instancetype: {name: huge}"},
            "controller",
            f"{SPEC}.instancetype.name: there is no VirtualMachineClusterInstancetype 'huge'",
        ),
        (
            {"DEVICES": "disks: [{name: x, disk: {}}]"},
            "vm",
            f"{SPEC}.template.spec.domain.devices.disks[0].name: no volume is named 'x'",
        ),
    ],
)
def test_a_pool_is_refused_at_its_own_fields(parts, refused_by, reason):
    result = result_of(POOL, **parts)
    assert (result.refused_by, [f"{against.field}: {against.message}" for against in result.reasons]) == (
        refused_by,
        [reason],
    )


@pytest.mark.parametrize("limit", ["1", "1%", "50%", "100%"])
def test_a_pool_may_miss_one_vm_or_more(limit):
    assert result_of(POOL, MORE=f"maxUnavailable: {limit}").admitted


@pytest.mark.parametrize(
    ("text", "prefix"),
    [
        (VMI, "spec."),
        (REPLICAS, "spec.template.spec."),
        (POOL, "spec.virtualMachineTemplate.spec.template.spec."),
    ],
)
def test_what_is_not_supported_is_told_at_the_manifests_field(text, prefix):
    with pytest.raises(UnsupportedError) as caught:
        result_of(text.replace("{guest: 1Gi}", "{guest: 1Gi}, cpu: {sockets: 70000}"))
    assert caught.value.field == f"{prefix}domain.cpu"


@pytest.mark.parametrize("text", [VMI, REPLICAS, POOL])
def test_an_unknown_field_is_refused_where_it_stands(text):
    result = result_of(text.replace("devices: {DEVICES}", "devices: {}, colour: blue"))
    (reason,) = result.reasons
    assert (result.refused_by, reason.field.rpartition(".")[2]) == ("vm", "colour")
    assert "unknown field" in reason.message


@pytest.mark.parametrize(
    ("text", "prefix"),
    [(VMI, "spec."), (REPLICAS, "spec.template.spec."), (POOL, "spec.virtualMachineTemplate.spec.template.spec.")],
)
def test_a_memory_of_four_bytes_is_warned_of(text, prefix):
    (warning,) = result_of(text.replace("guest: 1Gi", "guest: 4")).warnings
    assert (warning.type, warning.field) == ("Suspect", f"{prefix}domain.memory.guest")
    assert warning.message == "4 is a memory of 4 bytes: give it a unit, such as 4Gi"
    assert result_of(text.replace("guest: 1Gi", "guest: 1Mi")).warnings == ()
