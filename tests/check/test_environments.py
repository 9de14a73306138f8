"""Findings in several environments: each holds where it says, and only there."""

from datetime import date

import pytest

from virtcatalog.catalog.load import load_catalog
from virtcatalog.errors import CatalogError
from virtcatalog.progress import reporting_to
from virtcatalog.publish.promise import publish

CATALOG = "name: test\nvendor: example.org\nkubevirt: v1.9.0\n"

VM = """\
    apiVersion: kubevirt.io/v1
    kind: VirtualMachine
    metadata: {name: NAME, namespace: NAMESPACE}
    spec:
      runStrategy: Always
      instancetype: {name: TYPE}
      template: {spec: {domain: {devices: {}}}}
    """
SMALL = "{select: {names: ['*.small', 'linux.*']}}"
OLD = "{class: m, memoryPerVcpu: 4Gi, sizes: {small: {vcpus: 1}, large: {vcpus: 4, deprecated: %s}}}"


def vm(name, instancetype="m.large", namespace="default"):
    return VM.replace("NAMESPACE", namespace).replace("NAME", name).replace("TYPE", instancetype)


def test_a_template_is_judged_in_every_environment(bench):
    overlays = f"one: {{}}\ntwo: {SMALL}\nthree: {SMALL}\n"
    (finding,) = bench({"overlays.yaml": overlays, "vms/db.yaml": vm("db")})
    assert "there is no VirtualMachineClusterInstancetype 'm.large'" in finding
    assert finding.endswith("(in two and three) [error: vm-refused]")


def test_a_template_is_judged_where_it_says(bench):
    files = {"overlays.yaml": f"one: {{}}\ntwo: {SMALL}\n", "vms/db.yaml": vm("db")}
    assert bench(files | {"vms.yaml": "db.yaml: {environments: {one: {}}}"}) == []
    assert len(bench(files | {"vms.yaml": "db.yaml: {environments: {two: {}}}"})) == 1


@pytest.mark.parametrize(
    ("vms", "problem"),
    [
        ("db.yaml: {environments: {tow: {}}}", "overlays.yaml has no environment 'tow'; did you mean 'two'?"),
        ("db.yaml: {environments: {two: {size: 1}}}", "vms/db.yaml is no template: those are named *.yaml.j2"),
    ],
)
def test_a_plain_manifest_names_environments_and_no_parameters(bench, vms, problem):
    files = {"overlays.yaml": "one: {}\ntwo: {}\n", "vms/db.yaml": vm("db"), "vms.yaml": vms}
    with pytest.raises(CatalogError) as raised:
        bench(files)
    assert str(raised.value).endswith(problem)


def test_vms_of_a_cluster_are_judged_where_their_namespace_is(bench):
    overlays = f"shop: {SMALL[:-1]}, namespaces: [shop]}}\nrest: {{namespaces: ['[!s]*']}}\n"
    (finding,) = bench(
        {"overlays.yaml": overlays}, manifests=vm("a", namespace="shop") + "---\n" + vm("b", namespace="team")
    )
    assert "VirtualMachine/shop/a: spec.instancetype.name: there is no" in finding
    assert finding.endswith("(in shop) [error: vm-refused]")


def test_leaving_out_what_is_deprecated_removes_it(bench):
    files = {
        "overlays.yaml": "one: {deprecated: false}\ntwo: {}\n",
        "instancetypes/m.yaml": OLD % "{replacedBy: m.small, sunset: 2026-06-01}",
        "vms/db.yaml": vm("db"),
    }
    removed, *rest = bench(files)
    assert removed == (
        "overlays.yaml:1:1: m.large: one.deprecated: leaves out m.large, which is deprecated and stays until "
        "2026-06-01: that removes it; it is used by VirtualMachine/default/db (in one) [warning: removed-early]"
    )
    assert [finding.rpartition("(in ")[2] for finding in rest] == [
        "one and two) [warning: uses-deprecated]",
        "one) [error: vm-refused]",
    ]


def test_without_a_sunset_it_is_never_time(bench):
    files = {"overlays.yaml": "one: {deprecated: false}\n", "instancetypes/m.yaml": OLD % "{replacedBy: m.small}"}
    (finding,) = bench(files, today=date(2099, 1, 1))
    assert "m.large, which is deprecated and has no sunset yet: that removes it; it is used by no VM" in finding


def test_after_the_sunset_check_reminds_of_what_is_still_there(bench):
    files = {
        "overlays.yaml": "one: {deprecated: false}\ntwo: {}\n",
        "instancetypes/m.yaml": OLD % "{replacedBy: m.small, sunset: 2026-06-01}",
    }
    assert bench(files, today=date(2026, 6, 1)) == []
    (finding,) = bench(files, today=date(2026, 6, 2))
    assert finding.endswith("was to be removed on 2026-06-01 (in two) [warning: sunset-passed]")


def test_what_was_never_selected_is_not_removed(bench):
    overlays = f"one: {SMALL[:-1]}, deprecated: false}}\n"
    assert bench({"overlays.yaml": overlays, "instancetypes/m.yaml": OLD % "{replacedBy: m.small}"}) == []


@pytest.mark.parametrize(
    ("overlay", "problem"),
    [
        (
            "{clusters: [EU]}",
            (
                "one.clusters[0]: Kubernetes refuses the name 'EU': it may have lower-case letters, digits, '-' "
                "and '.', and each part starts and ends with a letter or digit"
            ),
        ),
        ("{clusters: [two]}", "one.clusters[0]: 'two' is an environment, too: -f two=FILE could mean either"),
        (
            "{namespaces: [Shop]}",
            (
                "one.namespaces[0]: 'Shop' matches no namespace: Kubernetes refuses the namespace 'Shop': it "
                "may have at most 63 lower-case letters, digits and '-', and starts and ends with a letter or "
                "digit"
            ),
        ),
        ("{namespaces: ['']}", "one.namespaces[0]: '' matches no namespace: is empty"),
    ],
)
def test_clusters_and_namespaces_are_names(bench, overlay, problem):
    with pytest.raises(CatalogError) as raised:
        bench({"overlays.yaml": f"one: {overlay}\ntwo: {{}}\n"})
    assert str(raised.value).endswith(problem)


def test_what_build_would_refuse(bench):
    bench.write({"overlays.yaml": "one: {}\ntwo: {}\n"})
    publish(load_catalog(bench.root), "v1.0.0", bench.root.parent / f"{bench.root.name}-output")
    (finding,) = bench({"overlays.yaml": "one: {}\ntwo: {select: {names: [m.small, linux.one]}}\n"})
    assert finding.startswith("overlays.yaml:2:1: instance type m.large: is left out, and was published in v1.0.0: VMs")
    assert finding.endswith("(in two) [error: broken-promise]")
    allowed = f"{CATALOG}allow: [{{rule: broken-promise, reason: nobody uses it}}]\n"
    assert "'broken-promise' cannot be allowed" in "".join(bench({"catalog.yaml": allowed}))


def test_a_vm_is_one_step_of_the_work_however_many_environments_it_is_in(bench):
    steps = []

    def teller(items, number, noun):
        vms = list(items)
        steps.append((len(vms), number, noun))
        return vms

    with reporting_to(teller):
        overlays = "{one: {scope: cluster}, two: {scope: cluster}}"
        findings = bench({"overlays.yaml": overlays, "vms/a.yaml": vm("a", "gone")}, manifests=vm("b", "gone"))
    assert len([finding for finding in findings if "(in one and two)" in finding]) == 2, findings
    assert steps == [(2, 2, "VMs")]
