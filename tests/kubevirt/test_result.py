"""A VM's result, here and in another process."""

import pickle

from reading import read

from virtcatalog.kubevirt.cluster import Cluster
from virtcatalog.kubevirt.pipeline import create_vmi, expand

VM = """
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web, namespace: shop}
spec:
  runStrategy: Always
  template: {spec: {domain: {memory: {guest: MEMORY}, devices: {}}}}
"""


def vm(memory="1Gi"):
    return read(VM.replace("MEMORY", memory))


def test_another_process_gets_all_but_the_cluster():
    result = expand(vm(), Cluster([]), staged=True)
    sent = pickle.loads(pickle.dumps(result))
    names = ("refused_by", "causes", "reasons", "warnings", "holder", "vm", "vmi", "domain_xml", "admitted")
    for name in names:
        assert getattr(sent, name) == getattr(result, name), name
    assert sent.vm_object == result.vm_object
    assert (sent.cluster, sent.stages, sent.domain) == (None, None, None)
    assert result.domain is not None
    assert (sent.converted_xml, sent.pod, sent.pod_error) == (None, None, None)


def test_so_it_is_with_what_is_refused():
    result = expand(vm("-1Gi"), Cluster([]))
    sent = pickle.loads(pickle.dumps(result))
    assert (sent.refused_by, sent.reasons, sent.domain_xml) == ("launcher", result.reasons, None)
    assert (sent.admitted, sent.vmi) == (False, result.vmi)
    nothing = pickle.loads(pickle.dumps(expand({}, Cluster([]))))
    assert (nothing.vm, nothing.vmi, nothing.refused_by) == (None, None, "vm")


def test_the_domain_says_what_it_was_made_for():
    result = expand(vm(), Cluster([]))
    comment = "<!-- host profile reference v1, KubeVirt v1.9.0 -->"
    for text in (result.domain_xml, result.converted_xml):
        assert [line.strip() for line in text.splitlines() if "<!--" in line] == [comment]


def test_stages_of_a_vm():
    result = expand(vm(), Cluster([]), staged=True)
    assert expand(vm(), Cluster([])).stages is None
    assert result.stages.mutated.spec.template.spec.architecture == "amd64"
    assert result.stages.read is None


def test_before_its_launcher_is_asked_a_vm_has_no_domain():
    result = create_vmi(vm(), Cluster([]))
    assert (result.admitted, result.domain_xml, result.cluster, result.converted_xml, result.pod) == (
        True,
        None,
        None,
        None,
        None,
    )
