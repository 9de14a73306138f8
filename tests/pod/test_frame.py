"""The Pod around its containers: names, labels, annotations, security, where it may run."""

import hashlib
import json

import pytest
from podding import GUEST, expanded, pod, spec

from virtcatalog.manifests.difference import differences

NETWORKS = "k8s.v1.cni.cncf.io/networks"
HOST_MODEL = {"key": "node-labeller.kubevirt.io/obsolete-host-model", "operator": "DoesNotExist"}


SEV_ES = "launchSecurity: {sev: {policy: {encryptedState: true}}}, firmware: {bootloader: {efi: {secureBoot: false}}}"
FEATURES = "features: [{name: a}, {name: b, policy: require}, {name: c, policy: force}]"
TERMS = """
[{matchExpressions: [{key: a, operator: Exists}]},
 {matchFields: [{key: metadata.name, operator: In, values: [n]}]}]
"""


def domain(text="", devices=""):
    return f"domain: {{memory: {{guest: 1Gi}}, devices: {{{devices}}}{', ' if text else ''}{text}}}"


def annotations(template=GUEST, **conditions):
    return pod(template, **conditions)["metadata"]["annotations"]


def test_the_pod_of_a_plain_vm(snapshot):
    assert pod() == snapshot


@pytest.mark.parametrize(
    ("release", "architecture"),
    [("v1.7.4", "amd64"), ("v1.8.4", "amd64"), ("main", "amd64"), ("v1.9.0", "arm64"), ("v1.9.0", "s390x")],
)
def test_plain_vms_of_other_releases_and_architectures(release, architecture, snapshot):
    other = pod(release=release, architecture=architecture)
    assert list(map(str, differences(pod(), other))) == snapshot


def test_it_belongs_to_the_vmi():
    result = expanded()
    metadata = result.pod["metadata"]
    uid = result.vmi_object.metadata.uid
    assert (metadata["generateName"], metadata["namespace"]) == ("virt-launcher-vm-", "ns")
    assert metadata["ownerReferences"][0]["uid"] == metadata["labels"]["kubevirt.io/created-by"] == uid
    assert metadata["ownerReferences"][0]["controller"] is True


def test_labels():
    pod_made = pod(labels={"app": "web", "kubevirt.io": "mine"}, annotations={"sidecar.istio.io/inject": "no"})
    labels = {key: text for key, text in pod_made["metadata"]["labels"].items() if key != "kubevirt.io/created-by"}
    assert labels == {
        "app": "web",
        "kubevirt.io": "virt-launcher",
        "vm.kubevirt.io/name": "vm",
        "vmi.kubevirt.io/id": "vm",
        "sidecar.istio.io/inject": "no",
    }


def test_long_and_dotted_names():
    name = "a" * 60 + ".example"
    pod_made = pod(name=name)
    assert pod_made["spec"]["hostname"] == "a" * 60
    digest = hashlib.sha1(name.encode()).hexdigest()[:8]
    assert pod_made["metadata"]["labels"]["vmi.kubevirt.io/id"] == f"{name[:54]}-{digest}"


def test_names_as_long_as_a_label():
    for length in (63, 64):
        name = "a" * length
        pod_made = pod(name=name)
        digest = hashlib.sha1(name.encode()).hexdigest()[:8]
        identifier = name if length == 63 else f"{name[:54]}-{digest}"
        labels = pod_made["metadata"]["labels"]
        assert (pod_made["spec"]["hostname"], labels["vmi.kubevirt.io/id"]) == (name[:63], identifier)
    assert pod(f"{GUEST}\nhostname: own", name="a.b")["spec"]["hostname"] == "own"


def test_annotations_of_the_vmi_but_for_some():
    own = {"mine": "1", "kubectl.kubernetes.io/last": "x", "kubevirt.io/latest-observed-api-version": "v1"}
    written = annotations(annotations={**own, "kubevirt.io/domain": "other"})
    assert written["mine"] == "1"
    assert written["kubevirt.io/domain"] == "other"
    assert not {"kubectl.kubernetes.io/last", "kubevirt.io/latest-observed-api-version"} & written.keys()


@pytest.mark.parametrize(
    ("text", "hooked"),
    [
        *((text, False) for text in ("1", "t", "T", "TRUE", "true", "True")),
        *((text, True) for text in ("false", "yes", "tRUE", "")),
    ],
)
def test_backup_hooks_unless_they_are_not_wanted(text, hooked):
    written = annotations(annotations={"kubevirt.io/skip-backup-hooks": text})
    assert ("pre.hook.backup.velero.io/command" in written) is hooked


TWO = """
domain: {memory: {guest: 1Gi}, devices: {interfaces: [
  {name: b, bridge: {}, macAddress: "02:00:00:00:00:01"}, {name: gone, bridge: {}, state: absent}, {name: a, %s}]}}
networks: [{name: a, pod: {}}, {name: b, multus: {networkName: other/net}}, {name: gone, multus: {networkName: net}}]
"""


def test_secondary_networks_in_the_order_of_the_interfaces():
    written = annotations(TWO % "masquerade: {}")
    link = "pod" + hashlib.sha256(b"b").hexdigest()[:11]
    assert json.loads(written[NETWORKS]) == [
        {"name": "net", "namespace": "other", "mac": "02:00:00:00:00:01", "interface": link}
    ]
    assert written["istio.io/reroute-virtual-interfaces"] == "k6t-eth0"
    assert "v1.multus-cni.io/default-network" not in written


def test_the_network_of_a_plugin():
    config = "network: {binding: {p: {networkAttachmentDefinition: kube/p}}}"
    networks = json.loads(annotations(TWO % "binding: {name: p}", config=config)[NETWORKS])
    assert networks[1] == {"name": "p", "namespace": "kube", "cni-args": {"logicNetworkName": "a"}}


def test_the_default_network():
    template = """
domain: {memory: {guest: 1Gi}, devices: {interfaces: [{name: a, bridge: {}}]}}
networks: [{name: a, multus: {networkName: net, default: true}}]
"""
    written = annotations(template)
    assert written["v1.multus-cni.io/default-network"] == "net"
    assert NETWORKS not in written


def test_security_of_a_pod_that_runs_as_root_and_of_one_that_does_not():
    assert spec()["securityContext"] == {
        "fsGroup": 107,
        "runAsUser": 107,
        "runAsGroup": 107,
        "runAsNonRoot": True,
    }
    assert spec(gates=["Root"])["securityContext"] == {"fsGroup": 107, "runAsUser": 0}


def test_profiles_of_the_configuration():
    profile = "seccompConfiguration: {virtualMachineInstanceProfile: {customProfile: {%s}}}"
    local = spec(config=profile % "localhostProfile: p, runtimeDefaultProfile: true")["securityContext"]
    assert local["seccompProfile"] == {"type": "Localhost", "localhostProfile": "p"}
    default = spec(config=profile % "runtimeDefaultProfile: true")["securityContext"]
    assert default["seccompProfile"] == {"type": "RuntimeDefault"}
    pod_spec = spec(config="{selinuxLauncherType: t, defaultRuntimeClass: kata}")
    assert pod_spec["securityContext"]["seLinuxOptions"] == {"type": "t"}
    assert pod_spec["runtimeClassName"] == "kata"


def test_scheduling_is_the_vmis():
    pod_spec = spec(f"{GUEST}\nschedulerName: s\npriorityClassName: high\ntolerations: [{{key: k, operator: Exists}}]")
    assert (pod_spec["schedulerName"], pod_spec["priorityClassName"]) == ("s", "high")
    assert pod_spec["tolerations"] == [{"key": "k", "operator": "Exists"}]


def test_grace_periods():
    pod_spec = spec(f"{GUEST}\nterminationGracePeriodSeconds: 100")
    command = pod_spec["containers"][0]["command"]
    assert pod_spec["terminationGracePeriodSeconds"] == 130
    assert command[command.index("--grace-period-seconds") + 1] == "115"
    assert spec()["terminationGracePeriodSeconds"] == 60


@pytest.mark.parametrize(
    ("template", "conditions", "labels"),
    [
        (GUEST, {}, {}),
        (
            domain(f"cpu: {{model: Skylake, {FEATURES}}}"),
            {},
            {"cpu-model.node.kubevirt.io/Skylake", "cpu-feature.node.kubevirt.io/a", "cpu-feature.node.kubevirt.io/b"},
        ),
        (domain("cpu: {model: host-passthrough}"), {}, {}),
        (domain("cpu: {cores: 1, dedicatedCpuPlacement: true}"), {}, {"kubevirt.io/cpumanager"}),
        (
            domain(
                "cpu: {cores: 1, dedicatedCpuPlacement: true, realtime: {}, numa: {guestMappingPassthrough: {}}}"
            ).replace("guest: 1Gi", "guest: 1Gi, hugepages: {pageSize: 2Mi}"),
            {},
            {"kubevirt.io/cpumanager", "kubevirt.io/realtime"},
        ),
        (
            domain("features: {hyperv: {reenlightenment: {enabled: true}}}"),
            {},
            {"scheduling.node.kubevirt.io/tsc-frequency-2500000000"},
        ),
        (
            domain("features: {hyperv: {synic: {enabled: true}, vpindex: {enabled: true}, relaxed: {}}}"),
            {"gates": ["HypervStrictCheck"]},
            {"hyperv.node.kubevirt.io/synic", "hyperv.node.kubevirt.io/vpindex"},
        ),
        (
            domain("features: {hyperv: {evmcs: {}}}"),
            {"gates": ["HypervStrictCheck"]},
            {"cpu-vendor.node.kubevirt.io/Intel", "cpu-feature.node.kubevirt.io/vmx"},
        ),
        (
            domain(SEV_ES),
            {},
            {"kubevirt.io/sev", "kubevirt.io/sev-es"},
        ),
    ],
    ids=["plain", "model", "passthrough", "dedicated", "realtime", "tsc", "hyperv", "evmcs", "sev"],
)
def test_labels_of_nodes(template, conditions, labels):
    common = {"kubernetes.io/arch": "amd64", "kubevirt.io/schedulable": "true"}
    selector = spec(template, **conditions)["nodeSelector"]
    assert common.items() <= selector.items()
    own = {key for key in selector if key not in common and not key.startswith("machine-type.")}
    assert own == set(labels)


@pytest.mark.parametrize(
    ("release", "label"), [("v1.7.4", "cpumanager"), ("v1.8.4", "kubevirt.io/cpumanager")], ids=["v1.7", "v1.8"]
)
def test_the_label_of_nodes_with_dedicated_cpus_is_the_releases(release, label):
    selector = spec(domain("cpu: {cores: 1, dedicatedCpuPlacement: true}"), release=release)["nodeSelector"]
    assert {key for key in selector if "cpumanager" in key} == {label}


def test_selectors_of_vmi_and_configuration():
    config = "developerConfiguration: {nodeSelectors: {a: cluster, b: cluster, kubevirt.io/schedulable: maybe}}"
    selector = spec(f"{GUEST}\nnodeSelector: {{a: vm}}", config=config)["nodeSelector"]
    assert (selector["a"], selector["b"], selector["kubevirt.io/schedulable"]) == ("vm", "cluster", "maybe")


def test_nodes_to_stay_away_from_are_in_every_term():
    features = "cpu: {features: [{name: x, policy: forbid}]}"
    terms = TERMS.strip()
    required = f"requiredDuringSchedulingIgnoredDuringExecution: {{nodeSelectorTerms: {terms}}}"
    pod_spec = spec(f"{domain(features)}\naffinity: {{nodeAffinity: {{{required}}}}}")
    node_terms = pod_spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"][
        "nodeSelectorTerms"
    ]
    added = [HOST_MODEL, {"key": "cpu-feature.node.kubevirt.io/x", "operator": "DoesNotExist"}]
    assert node_terms[0]["matchExpressions"] == [{"key": "a", "operator": "Exists"}, *added]
    assert node_terms[1]["matchExpressions"] == added
    assert "affinity" not in spec(domain("cpu: {model: Skylake}"))


def test_the_services_that_it_uses():
    secret = "{name: c, containerDisk: {image: i, imagePullSecret: s}}"
    account = "{name: t, serviceAccount: {serviceAccountName: robot}}"
    disks = "disks: [{name: c}, {name: d}, {name: t}]"
    pod_spec = spec(f"{domain('', disks)}\nvolumes: [{secret}, {secret.replace('c,', 'd,')}, {account}]")
    assert pod_spec["imagePullSecrets"] == [{"name": "s"}]
    assert (pod_spec["serviceAccountName"], pod_spec["automountServiceAccountToken"]) == ("robot", True)
    assert spec()["automountServiceAccountToken"] is False
    assert spec(annotations={"sidecar.istio.io/inject": "TRUE"})["automountServiceAccountToken"] is True


LUN = """
domain: {memory: {guest: 1Gi}, devices: {disks: [{name: l, lun: {reservation: true}}]}}
volumes: [{name: l, persistentVolumeClaim: {claimName: c}}]
"""
CLAIM = """
- apiVersion: v1
  kind: PersistentVolumeClaim
  metadata: {name: c, namespace: ns, uid: u-1}
  spec: {volumeMode: Block, accessModes: [ReadWriteMany], resources: {requests: {storage: 1Gi}}}
"""


def test_pods_that_reserve_a_lun_keep_apart():
    pod_made = pod(LUN, objects=CLAIM, config="persistentReservationConfiguration: {enabled: true}")
    assert pod_made["metadata"]["labels"]["pr.kubevirt.io/u-1"] == ""
    required = "requiredDuringSchedulingIgnoredDuringExecution"
    assert pod_made["spec"]["affinity"]["podAntiAffinity"][required] == [
        {
            "labelSelector": {"matchExpressions": [{"key": "pr.kubevirt.io/u-1", "operator": "Exists"}]},
            "topologyKey": "kubernetes.io/hostname",
        }
    ]
    older = pod(LUN, objects=CLAIM, release="v1.8.4", gates=["PersistentReservation"])
    assert "podAntiAffinity" not in older["spec"]["affinity"]


@pytest.mark.parametrize(
    ("volumes", "uid"),
    [
        ("{name: l, persistentVolumeClaim: {claimName: c}}, {name: m, persistentVolumeClaim: {claimName: d}}", "u-1"),
        ("{name: l, dataVolume: {name: c}}, {name: m, persistentVolumeClaim: {claimName: d}}", "u-1"),
        ("{name: l, persistentVolumeClaim: {claimName: d}}, {name: m, dataVolume: {name: c}}", "u-2"),
    ],
    ids=["claim", "data volume", "beside a data volume"],
)
def test_a_reserved_lun_is_known_by_its_claim(volumes, uid):
    disks = "disks: [{name: l, lun: {reservation: true}}, {name: m, lun: {}}]"
    template = f"{{domain: {{memory: {{guest: 1Gi}}, devices: {{{disks}}}}}, volumes: [{volumes}]}}"
    objects = CLAIM + CLAIM.replace("name: c", "name: d").replace("u-1", "u-2")
    pod_made = pod(template, objects=objects, config="persistentReservationConfiguration: {enabled: true}")
    reserved = [label for label in pod_made["metadata"]["labels"] if label.startswith("pr.kubevirt.io/")]
    assert reserved == [f"pr.kubevirt.io/{uid}"]
