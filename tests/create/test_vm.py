"""VMs of virtctl's flags, a rule each; tests/conformance has whole command lines."""

import pytest

from virtcatalog.create.options import FlagError, VmOptions
from virtcatalog.create.vm import create_vm

IMPORT = "type:ds,src:fedora,name:root"


def make(read_file=None, **flags):
    return create_vm(VmOptions(**{"name": "web", **flags}), read_file)


def vm(**flags):
    return make(**flags).manifest


def spec(**flags):
    return vm(**flags)["spec"]["template"]["spec"]


def volumes(**flags):
    return spec(**flags).get("volumes", [])


def refusal(**flags):
    with pytest.raises(FlagError) as error:
        make(**flags)
    return str(error.value)


def test_without_flags():
    created = create_vm(VmOptions(), None)
    name = created.manifest["metadata"].pop("name")
    assert created.manifest == {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {},
        "spec": {
            "runStrategy": "Always",
            "template": {
                "metadata": {},
                "spec": {
                    "domain": {"devices": {}, "memory": {"guest": "512Mi"}, "resources": {}},
                    "terminationGracePeriodSeconds": 180,
                },
            },
        },
        "status": {},
    }
    assert created.warnings == ()
    assert len(name) == len("vm-12345")
    assert name != create_vm(VmOptions(), None).manifest["metadata"]["name"]


def test_keys_are_sorted():
    def check(value):
        if isinstance(value, dict):
            assert list(value) == sorted(value)
            for child in value.values():
                check(child)

    check(vm(namespace="team", volume_import=(f"{IMPORT},bootorder:1",), access_cred=("src:keys,user:fedora",)))


class TestNamesAndAmounts:
    def test_the_namespace_is_written_when_it_is_given(self):
        assert vm(namespace="team")["metadata"] == {"name": "web", "namespace": "team"}

    def test_strategies_have_any_case(self):
        assert vm(run_strategy="rerunonfailure")["spec"]["runStrategy"] == "RerunOnFailure"
        assert "did you mean 'Always'" in refusal(run_strategy="Alwais")

    def test_memory_is_written_as_kubernetes_does(self):
        assert spec(memory="1024Mi")["domain"]["memory"] == {"guest": "1Gi"}
        assert refusal(memory="1gi").startswith("--memory: '1gi' is not a quantity")

    @pytest.mark.parametrize("kind", ["instancetype", "preference"])
    def test_matchers_have_a_kind_when_one_is_given(self, kind):
        assert vm(**{kind: "x"})["spec"][kind] == {"name": "x"}
        assert vm(**{kind: f"VirtualMachine{kind}/x"})["spec"][kind] == {"kind": f"virtualmachine{kind}", "name": "x"}
        assert refusal(**{kind: "vm/x"}).startswith(f"--{kind}: there is no kind 'vm', only virtualmachine{kind} and")

    def test_an_instance_type_takes_the_place_of_memory(self):
        assert "memory" not in spec(instancetype="x")["domain"]
        assert "memory" in spec(preference="x")["domain"]


class TestExclusive:
    @pytest.mark.parametrize(
        "flags",
        [
            {"memory": "1Gi", "instancetype": "x"},
            {"memory": "1Gi", "infer_instancetype": False},
            {"instancetype": "x", "infer_instancetype_from": "root"},
            {"preference": "x", "infer_preference": True},
            {"infer_preference": True, "infer_preference_from": "root"},
            *({"cloud_init_user_data": "", name: value} for name, value in (
                ("user", ""), ("password_file", ""), ("ssh_key", ()), ("ga_manage_ssh", False))),
        ],
        ids=lambda flags: " ".join(flags),
    )  # fmt: skip
    def test_flags_exclude_each_other_whatever_their_values(self, flags):
        first, second = (f"--{flag.replace('_', '-')}" for flag in flags)
        assert refusal(**flags).startswith(f"{first}: cannot be given together with {second}")


class TestVolumes:
    def test_container_disks_are_named_after_the_vm(self):
        assert volumes(volume_containerdisk=("src:a:1", "src:b:2,name:data")) == [
            {"containerDisk": {"image": "a:1"}, "name": "web-containerdisk-0"},
            {"containerDisk": {"image": "b:2"}, "name": "data"},
        ]

    def test_claims_are_named_after_themselves(self):
        assert volumes(volume_pvc=("src:db", "src:db,name:again")) == [
            {"name": "db", "persistentVolumeClaim": {"claimName": "db"}},
            {"name": "again", "persistentVolumeClaim": {"claimName": "db"}},
        ]

    def test_claims_are_of_the_vms_namespace(self):
        assert "in the VM's own namespace: src:db" in refusal(volume_pvc=("src:other/db",))

    def test_disks_are_written_only_for_a_boot_order(self):
        assert spec(volume_pvc=("src:a", "src:b,bootorder:2"))["domain"]["devices"] == {
            "disks": [{"bootOrder": 2, "name": "b"}]
        }

    @pytest.mark.parametrize(
        ("flags", "message"),
        [
            ({"volume_pvc": ("src:a,bootorder:0",)}, "--volume-pvc: bootorder: counts from 1"),
            (
                {"volume_containerdisk": ("src:a,bootorder:1",), "volume_import": (f"{IMPORT},bootorder:1",)},
                "--volume-import: bootorder: 1 was given to another volume already",
            ),
            ({"volume_pvc": ("src:a", "src:a")}, "--volume-pvc: there is already a volume with the name 'a'"),
            (
                {"volume_pvc": ("src:a,name:A_b",)},
                (
                    "--volume-pvc: the volume's name cannot be used: 'A_b' must consist of a-z, 0-9 and '-', and "
                    "start and end with a letter or digit"
                ),
            ),
            (
                {"volume_pvc": ("name:a",)},
                "--volume-pvc: src is missing: it has to name what the volume or credential is taken from",
            ),
            (
                {"volume_import": (f"{IMPORT}.x",)},
                "--volume-import: the volume's name cannot be used: 'root.x' must not contain dots",
            ),
            (
                {"volume_import": ("type:ds,src:a,name:",)},
                (
                    "--volume-import: the volume's name cannot be used: '' must consist of a-z, 0-9 and '-', and "
                    "start and end with a letter or digit"
                ),
            ),
        ],
    )
    def test_what_cannot_be(self, flags, message):
        assert refusal(**flags) == message

    def test_answer_files_for_windows(self):
        assert volumes(volume_sysprep="src:x") == [{"name": "sysprepdisk", "sysprep": {"configMap": {"name": "x"}}}]
        assert volumes(volume_sysprep="src:x,type:Secret")[0]["sysprep"] == {"secret": {"name": "x"}}
        assert "there is no 'pvc', only configmap and secret" in refusal(volume_sysprep="src:x,type:pvc")
        assert "ConfigMap or Secret has to be in the VM's own" in refusal(volume_sysprep="src:a/x")
        assert "already a volume" in refusal(volume_sysprep="src:x", volume_pvc=("src:x,name:sysprepdisk",))


class TestImports:
    def imported(self, text):
        (template,) = vm(volume_import=(text,))["spec"]["dataVolumeTemplates"]
        return template["spec"]

    def test_a_data_volume_is_made_and_used(self):
        vm_spec = vm(volume_import=("type:blank,size:1024Mi,name:data",))["spec"]
        assert vm_spec["dataVolumeTemplates"] == [
            {
                "metadata": {"name": "data"},
                "spec": {"source": {"blank": {}}, "storage": {"resources": {"requests": {"storage": "1Gi"}}}},
            }
        ]
        assert vm_spec["template"]["spec"]["volumes"] == [{"dataVolume": {"name": "data"}, "name": "data"}]

    def test_a_name_is_drawn(self):
        (volume,) = volumes(volume_import=("type:blank,size:1Gi",))
        assert volume["name"].startswith("imported-volume-")
        assert len(volume["name"]) == len("imported-volume-12345")

    def test_clones_need_no_size(self):
        assert self.imported("type:ds,src:images/fedora") == {
            "sourceRef": {"kind": "DataSource", "name": "fedora", "namespace": "images"},
            "storage": {"resources": {}},
        }
        assert self.imported("type:ds,src:fedora")["sourceRef"] == {"kind": "DataSource", "name": "fedora"}
        for kind in ("pvc", "snapshot"):
            source = self.imported(f"type:{kind},src:a/b")["source"]
            assert source == {kind: {"name": "b", "namespace": "a"}}
            assert "needs the namespace of 'b'" in refusal(volume_import=(f"type:{kind},src:b",))

    def test_fields_have_the_apis_names_and_empty_ones_are_left_out(self):
        assert self.imported("type:vddk,size:1Gi,url:u,uuid:i,thumbprint:t,secretref:s,backingfile:b,initimageurl:")[
            "source"
        ] == {"vddk": {"backingFile": "b", "secretRef": "s", "thumbprint": "t", "url": "u", "uuid": "i"}}
        assert self.imported("type:http,size:1Gi,url:http://x:80/y,extraheaders:a;b,secretextraheaders:")["source"] == {
            "http": {"extraHeaders": ["a", "b"], "secretExtraHeaders": [""], "url": "http://x:80/y"}
        }

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("size:1Gi", "type is missing: one of blank, gcs"),
            ("type:Blank,size:1Gi", "type: there is no 'Blank'; did you mean 'blank'?"),
            ("type:blank", "size is missing: type:blank"),
            ("type:gcs,size:1Gi,url:", "url is missing: type:gcs needs url"),
            ("type:imageio,size:1Gi,url:u", "diskid is missing: type:imageio needs url, diskid"),
            ("type:vddk,size:1Gi,url:u,thumbprint:t", "uuid is missing"),
            ("type:registry,size:1Gi", "type:registry needs either url or imagestream"),
            ("type:registry,size:1Gi,url:u,imagestream:i", "type:registry needs either url or imagestream"),
            ("type:registry,size:1Gi,url:u,pullmethod:Pod", "pullmethod: there is no 'Pod', only pod and node"),
            ("type:pvc,size:1Gi", "src is missing"),
            ("type:s3,size:1Gi,url:u,uuid:1", "there is no parameter 'uuid'"),
        ],
    )
    def test_what_a_type_needs(self, text, message):
        assert refusal(volume_import=(text,)).startswith(f"--volume-import: {message}")

    def test_older_flags_come_first_the_last_of_them_before_all(self):
        created = make(
            volume_import=("type:blank,size:1Gi,name:i",),
            volume_datasource=("src:x,name:d1", "src:x,name:d2"),
            volume_clone_pvc=("src:n/x,name:c",),
            volume_blank=("size:1Gi,name:b",),
        )
        names = [volume["name"] for volume in created.manifest["spec"]["template"]["spec"]["volumes"]]
        assert names == ["b", "c", "d2", "d1", "i"]
        assert created.warnings[0].startswith("--volume-datasource is deprecated: use --volume-import with type:ds")
        assert len(created.warnings) == 3
        assert refusal(volume_blank=("",)).startswith("--volume-blank: is empty")


class TestCloudInit:
    def user_data(self, **flags):
        (volume,) = volumes(**flags)
        return volume["cloudInitNoCloud"]["userData"].split("\n")[1:]

    def test_user_data(self):
        keys = {"ssh_key": ("ssh-rsa A", "ssh-rsa B"), "ga_manage_ssh": True}
        assert self.user_data(user="fedora", password_file="p", read_file={"p": "\n secret \n"}.get, **keys) == [
            "user: fedora",
            "password: secret",
            "chpasswd: { expire: False }",
            "ssh_authorized_keys:",
            "  - ssh-rsa A",
            "  - ssh-rsa B",
            "runcmd:",
            "  - [ setsebool, -P, 'virt_qemu_ga_manage_ssh', 'on' ]",
        ]

    def test_what_go_takes_for_no_blank_is_of_the_password(self):
        file = "\n\u2003\x85\x1cpw\x1f\u3000\n"
        assert self.user_data(password_file="p", read_file={"p": file}.get)[0] == "password: \x1cpw\x1f"

    def test_a_password_in_clear_text_is_warned_of(self):
        created = make(password_file="p", read_file=lambda _: " ")
        assert created.warnings == ("--password-file: the password is in the VM in clear text",)
        assert "volumes" not in created.manifest["spec"]["template"]["spec"]

    def test_nothing_to_say_is_no_volume_unless_it_is_asked_for(self):
        assert volumes(user="") == volumes(ga_manage_ssh=False) == volumes(ssh_key=()) == []
        (volume,) = volumes(cloud_init="ConfigDrive")
        assert volume == {"cloudInitConfigDrive": {"userData": "#cloud-config"}, "name": "cloudinitdisk"}

    def test_data_is_taken_as_it_is(self):
        (volume,) = volumes(cloud_init_user_data="?", cloud_init_network_data="!")
        assert volume["cloudInitNoCloud"] == {"networkDataBase64": "!", "userDataBase64": "?"}
        (volume,) = volumes(cloud_init_network_data="!")
        assert volume["cloudInitNoCloud"] == {"networkDataBase64": "!", "userData": "#cloud-config"}

    def test_none_makes_no_volume_and_tells_what_is_lost(self):
        assert make(cloud_init="none", user="fedora").warnings == ()
        created = make(cloud_init="None", ssh_key=("k",), ga_manage_ssh=True)
        assert created.warnings == ("--cloud-init: is none, so nothing comes of --ssh-key, --ga-manage-ssh",)
        assert "volumes" not in created.manifest["spec"]["template"]["spec"]

    def test_what_cannot_be(self):
        assert "there is no 'x', only nocloud, configdrive and none" in refusal(cloud_init="x")
        assert "already a volume" in refusal(user="x", volume_pvc=("src:x,name:cloudinitdisk",))


class TestCredentials:
    def test_the_guest_agent_writes_a_users_keys_and_may(self):
        vm_spec = spec(access_cred=("src:keys",), user="fedora")
        assert vm_spec["accessCredentials"] == [
            {
                "sshPublicKey": {
                    "propagationMethod": {"qemuGuestAgent": {"users": ["fedora"]}},
                    "source": {"secret": {"secretName": "keys"}},
                }
            }
        ]
        assert "setsebool" in vm_spec["volumes"][0]["cloudInitNoCloud"]["userData"]
        of_root = spec(access_cred=("src:keys,user:root",), user="fedora", ga_manage_ssh=False)
        assert of_root["accessCredentials"][0]["sshPublicKey"]["propagationMethod"]["qemuGuestAgent"]["users"] == [
            "root"
        ]
        assert "setsebool" not in of_root["volumes"][0]["cloudInitNoCloud"]["userData"]

    def test_cloud_init_brings_keys(self):
        vm_spec = spec(access_cred=("src:keys,method:ConfigDrive",))
        assert vm_spec["accessCredentials"][0]["sshPublicKey"]["propagationMethod"] == {"configDrive": {}}
        assert vm_spec["volumes"] == [{"cloudInitConfigDrive": {"userData": "#cloud-config"}, "name": "cloudinitdisk"}]

    def test_passwords(self):
        vm_spec = spec(access_cred=("src:pw,type:Password",))
        assert vm_spec["accessCredentials"] == [
            {
                "userPassword": {
                    "propagationMethod": {"qemuGuestAgent": {}},
                    "source": {"secret": {"secretName": "pw"}},
                }
            }
        ]
        assert "volumes" not in vm_spec

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("type:ssh", "src is missing"),
            ("src:a/b", "src: the Secret has to be in the VM's own namespace"),
            ("src:b", "user is missing"),
            ("src:b,type:token", "type: there is no 'token'"),
            ("src:b,method:x", "method: there is no 'x' for ssh"),
            ("src:b,method:nocloud,user:u", "user: only type:ssh with method:ga takes one"),
            ("src:b,type:password,user:u", "user: only type:ssh with method:ga takes one"),
            ("src:b,type:password,method:nocloud", "method: there is no 'nocloud' for passwords"),
        ],
    )
    def test_what_cannot_be(self, text, message):
        assert refusal(access_cred=(text,)).startswith(f"--access-cred: {message}")

    def test_the_methods_and_the_flag_agree(self):
        assert "method: nocloud does not go with --cloud-init none" in refusal(
            access_cred=("src:b,method:nocloud",), cloud_init="none"
        )
        assert "nocloud does not go with" in refusal(access_cred=("src:b,method:configdrive", "src:b,method:nocloud"))


class TestInference:
    def test_without_a_wish_the_first_volume_is_tried_and_failing_is_allowed(self):
        vm_spec = vm(volume_pvc=("src:root", "src:data"))["spec"]
        matcher = {"inferFromVolume": "root", "inferFromVolumeFailurePolicy": "Ignore"}
        assert (vm_spec["instancetype"], vm_spec["preference"]) == (matcher, matcher)
        assert vm_spec["template"]["spec"]["domain"]["memory"] == {"guest": "512Mi"}

    def test_the_volume_that_boots_first_is_taken(self):
        vm_spec = vm(volume_pvc=("src:a", "src:b,bootorder:3", "src:c,bootorder:2"))["spec"]
        assert vm_spec["instancetype"]["inferFromVolume"] == "c"

    def test_with_a_wish_it_has_to_be_possible_and_memory_is_left_to_it(self):
        vm_spec = vm(volume_import=(IMPORT,), infer_instancetype=True)["spec"]
        assert vm_spec["instancetype"] == {"inferFromVolume": "root"}
        assert "memory" not in vm_spec["template"]["spec"]["domain"]
        assert vm_spec["preference"]["inferFromVolumeFailurePolicy"] == "Ignore"
        vm_spec = vm(volume_pvc=("src:a", "src:b"), infer_preference_from="b")["spec"]
        assert vm_spec["preference"] == {"inferFromVolume": "b"}
        assert "memory" in vm_spec["template"]["spec"]["domain"]

    def test_what_is_given_is_not_inferred(self):
        vm_spec = vm(volume_pvc=("src:a",), memory="1Gi", preference="fedora")["spec"]
        assert "instancetype" not in vm_spec
        assert vm_spec["preference"] == {"name": "fedora"}
        assert "preference" not in vm(volume_pvc=("src:a",), infer_preference=False)["spec"]

    @pytest.mark.parametrize(
        "text", ["type:ds,src:x", "type:pvc,src:n/x", "type:snapshot,src:n/x", "type:registry,url:u"]
    )
    def test_some_imports_can_have_labels(self, text):
        created = vm(volume_import=(f"{text},size:1Gi,name:v",), infer_instancetype=True)
        assert created["spec"]["instancetype"] == {"inferFromVolume": "v"}

    @pytest.mark.parametrize(
        ("flags", "message"),
        [
            ({"infer_instancetype": True}, "--infer-instancetype: there is no volume to infer from"),
            ({"infer_preference_from": "x"}, "--infer-preference-from: there is no volume with the name 'x'"),
            (
                {"infer_preference": True, "volume_containerdisk": ("src:a",)},
                (
                    "--infer-preference: nothing can be inferred from the volume 'web-containerdisk-0': it is "
                    "neither a claim nor imported"
                ),
            ),
            (
                {"infer_preference": True, "volume_import": ("type:blank,size:1Gi,name:b",)},
                (
                    "--infer-preference: nothing can be inferred from the volume 'b': its type is none of pvc, "
                    "registry, snapshot and ds"
                ),
            ),
        ],
    )
    def test_what_cannot_be_inferred_from(self, flags, message):
        assert refusal(**flags) == message
        assert "instancetype" not in vm(**{key: value for key, value in flags.items() if "infer" not in key})["spec"]
