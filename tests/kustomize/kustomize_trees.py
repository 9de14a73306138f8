"""Random trees of kustomizations: files by their paths, and the folder that is built."""

from __future__ import annotations

import json
from collections.abc import Iterable
from io import StringIO
from random import Random
from typing import Any

from kustomize_lists import Lists, flow
from ruamel.yaml import YAML

Data = dict[str, Any]

NAMES = ("web", "db", "web-1", "cache", "a.b", "settings")
NAMESPACES = ("", "", "", "lab", "default", "prod")
IMAGES = ("quay.io/x/disk:1", "disk", "quay.io:80/x@sha256:ab")
USER_DATA = "#cloud-config\nhostname: $(SIZE)\n"
METADATA = (*("originAnnotations", "transformerAnnotations") * 4, "managedByLabel")
LABELS = {"app": ("web", "db"), "tier": ("front", "back"), "x.io/owner": ("me", "you")}


class Tree:
    """One tree, drawn from a seed."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self._of_lists = Random(f"lists {seed}")  # the rest of a tree is the same with and without them
        self._share = self._random.choice((0.15, 0.4, 0.8))
        self._objects: list[Data] = []
        self._first = 0
        self.files: dict[str, str] = {}
        self.at = self._overlays()

    def _overlays(self) -> str:
        bases = [self._folder(f"base{number}", []) for number in range(self._random.randint(1, 2))]
        at = bases[0]
        for level in range(self._random.randint(0, 2)):
            at = self._folder(f"overlay{level}", bases if level == 0 else [at])
        return at

    def _chance(self, share: float) -> bool:
        return self._random.random() < share

    def _one(self, values: Any) -> Any:
        return self._random.choice(values)

    def _some(self, values: Any, most: int = 2) -> list[Any]:
        return self._random.sample(list(values), min(len(values), self._random.randint(1, most)))

    def _write(self, path: str, content: Any) -> None:
        self.files[path] = content if isinstance(content, str) else json.dumps(content, indent=1)

    def _folder(self, name: str, below: list[str]) -> str:
        self._first = 0 if below else len(self._objects)
        kustomization: Data = {"resources": [f"../{folder}" for folder in below]}
        if not below or self._chance(0.3):
            for number in range(self._random.randint(1, 3)):
                self._resources(name, f"objects{number}.yaml", kustomization)
        kustomization |= self._transformers(name)
        if self._of_lists.random() < 0.1:  # kustomize refuses half of what this draws
            self._lists(name, kustomization)
        self._generators(name, kustomization)
        if self._chance(0.2):
            kustomization["components"] = [f"../{self._component(f'{name}-component')}"]
        self._write(f"{name}/kustomization.yaml", kustomization)
        return name

    def _component(self, name: str) -> str:
        kustomization = {"apiVersion": "kustomize.config.k8s.io/v1alpha1", "kind": "Component", "namePrefix": "c-"}
        kustomization |= self._transformers(name)
        if self._chance(0.3):
            self._generators(name, kustomization)
        self._write(f"{name}/kustomization.yaml", kustomization)
        return name

    def _resources(self, folder: str, file: str, kustomization: Data) -> None:
        objects = self._unlike(self._object() for _ in range(self._random.randint(1, 4)))
        if self._chance(0.1):
            content = json.dumps({"apiVersion": "v1", "kind": "List", "items": objects})
        else:
            content = "\n---\n".join(self._written(obj) for obj in objects) + "\n"
        kustomization["resources"].append(file)
        self._write(f"{folder}/{file}", content)

    def _lists(self, folder: str, kustomization: Data) -> None:
        """Add a Pod with lists that merge by keys, and patches of it, one upon another."""
        lists = Lists(self._of_lists, f"lists-{folder}")
        kustomization["resources"].append("lists.yaml")
        self._write(f"{folder}/lists.yaml", flow(lists.pod()) + "\n")
        patches = kustomization.setdefault("patches", [])
        for number in range(self._of_lists.randint(1, 4)):
            target = {"target": {"kind": "Pod", "name": lists.name}}
            if self._of_lists.random() < 0.2:
                patches.append({"patch": json.dumps(lists.operations())} | target)
                continue
            file = f"lists{number}.yaml"
            self._write(f"{folder}/{file}", flow(lists.patch()) + "\n")
            patches.append({"path": file} | (target if self._of_lists.random() < 0.3 else {}))

    def _written(self, data: Data) -> str:
        """An object as JSON, which has every text in quotes, or as YAML."""
        if self._chance(0.6):
            return json.dumps(data, indent=1)
        text = StringIO()
        YAML(typ="safe").dump(data, text)
        return text.getvalue()

    def _unlike(self, drawn: Iterable[Data]) -> list[Data]:
        """Objects whose kinds, namespaces and names differ from those of all others, but for a few trees."""
        unlike = []
        for obj in drawn:
            metadata = obj["metadata"]
            identities = {
                (other["kind"], other["metadata"].get("namespace") or "default", other["metadata"]["name"])
                for other in self._objects
            }
            key = (obj["kind"], metadata.get("namespace") or "default", metadata["name"])
            if key not in identities or self._chance(0.01):
                unlike.append(obj)
                self._objects.append(obj)
        return unlike

    def _known(self, *kinds: str) -> Data:
        """The name and namespace of an object that is there, mostly."""
        objects = [obj["metadata"] for obj in self._objects[self._first :] if obj["kind"] in kinds]
        if not objects or self._chance(0.02):
            return {"name": self._one(NAMES)}
        metadata = self._one(objects)
        return {key: metadata[key] for key in ("name", "namespace") if key in metadata}

    # Objects

    def _metadata(self, *, namespaced: bool = True) -> Data:
        metadata: Data = {"name": self._one(NAMES)}
        namespace = self._one(NAMESPACES)
        if namespaced and namespace:
            metadata["namespace"] = namespace
        if self._chance(0.6):
            metadata["labels"] = self._labels()
        if self._chance(0.2):
            metadata["annotations"] = {"note": self._one(("x", "y=z", "5"))}
        return metadata

    def _labels(self) -> Data:
        return {key: self._one(LABELS[key]) for key in self._some(LABELS, 3)}

    def _object(self) -> Data:
        return self._one(
            (
                *(self._vm, self._vm, self._vm, self._type, self._preference, self._config_map, self._secret),
                *(self._claim, self._deployment, self._binding, self._other),
            )
        )()

    def _vm(self) -> Data:
        name = self._one(NAMES)
        volumes: list[Data] = [
            {
                "name": "root",
                "containerDisk": {"image": self._one(IMAGES)},
            },
            {
                "name": "init",
                "cloudInitNoCloud": {"secretRef": {"name": name}, "userData": USER_DATA},
            },
            {"name": "conf", "configMap": {"name": name}},
            {"name": "sys", "sysprep": {"secret": {"name": name}}},
            {"name": "data", "persistentVolumeClaim": {"claimName": name}},
        ]
        volumes = self._some(volumes, 4)
        domain: Data = {
            "cpu": {"cores": self._one((1, 2, 4))},
            "memory": {"guest": self._one(("1Gi", "512Mi"))},
            "devices": {"disks": [{"name": volume["name"], "disk": {"bus": "virtio"}} for volume in volumes]},
        }
        spec: Data = {"domain": domain, "volumes": volumes, "nodeSelector": {"zone": "a"}}
        if self._chance(0.3):
            spec["accessCredentials"] = [{"sshPublicKey": {"source": {"secret": {"secretName": name}}}}]
        template: Data = {"metadata": {"labels": self._labels()}, "spec": spec}
        vm = {"runStrategy": self._one(("Always", "Halted")), "template": template}
        if self._chance(0.3):
            vm["instancetype"] = {"kind": "VirtualMachineInstancetype", "name": self._one(NAMES)}
        return {"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": self._metadata(), "spec": vm}

    def _type(self) -> Data:
        kind = self._one(("VirtualMachineInstancetype", "VirtualMachineClusterInstancetype"))
        return {
            "apiVersion": "instancetype.kubevirt.io/v1beta1",
            "kind": kind,
            "metadata": self._metadata(namespaced="Cluster" not in kind),
            "spec": {"cpu": {"guest": 2}, "memory": {"guest": "2Gi"}, "gpus": [{"name": "g", "deviceName": "x/y"}]},
        }

    def _preference(self) -> Data:
        kind = self._one(("VirtualMachinePreference", "VirtualMachineClusterPreference"))
        return {
            "apiVersion": "instancetype.kubevirt.io/v1beta1",
            "kind": kind,
            "metadata": self._metadata(namespaced="Cluster" not in kind),
            "spec": {"devices": {"preferredDiskBus": "virtio", "preferredRng": {}}, "clock": None},
        }

    def _config_map(self) -> Data:
        data = {"key": self._one(("value", "a/b/c", "x\ny\n")), "size": "20"}
        return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": self._metadata(), "data": data}

    def _secret(self) -> Data:
        data = {"userdata": "I2Nsb3VkLWNvbmZpZw=="}
        secret = {"apiVersion": "v1", "kind": "Secret", "metadata": self._metadata(), "data": data}
        return secret | ({"type": "Opaque"} if self._chance(0.5) else {"stringData": {"a": "b"}})

    def _claim(self) -> Data:
        kind = self._one(("PersistentVolumeClaim", "DataVolume"))
        version = "v1" if kind == "PersistentVolumeClaim" else "cdi.kubevirt.io/v1beta1"
        spec = {
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": self._one(NAMES),
        }
        return {"apiVersion": version, "kind": kind, "metadata": self._metadata(), "spec": spec}

    def _deployment(self) -> Data:
        kind = self._one(("Deployment", "StatefulSet", "Job", "CronJob", "Pod"))
        name = self._one(NAMES)
        container: Data = {
            "name": "main",
            "image": self._one(("nginx:1", "quay.io/x/y", "nginx")),
            "args": ["$(SIZE)", "--x"],
            "env": [{"name": "A", "valueFrom": {"configMapKeyRef": {"name": name, "key": "key"}}}],
            "envFrom": [{"secretRef": {"name": name}}],
            "ports": [{"containerPort": 80, "protocol": "TCP"}, {"containerPort": 443}],
        }
        pod: Data = {
            "containers": [container, {"name": "side", "image": "busybox"}],
            "serviceAccountName": name,
            "volumes": [
                {"name": "c", "configMap": {"name": name}},
                {"name": "s", "secret": {"secretName": name}},
                {"name": "p", "persistentVolumeClaim": {"claimName": name}},
            ],
        }
        template = {"metadata": {"labels": self._labels()}, "spec": pod}
        version, spec = {
            "Pod": ("v1", pod),
            "CronJob": ("batch/v1", {"schedule": "* * * * *", "jobTemplate": {"spec": {"template": template}}}),
            "Job": ("batch/v1", {"template": template}),
        }.get(kind, ("apps/v1", {"selector": {"matchLabels": {"app": "x"}}, "template": template, "replicas": 1}))
        return {"apiVersion": version, "kind": kind, "metadata": self._metadata(), "spec": spec}

    def _binding(self) -> Data:
        kind = self._one(("RoleBinding", "ClusterRoleBinding"))
        subjects = [
            {"kind": "ServiceAccount", "name": self._one((*NAMES, "default")), "namespace": self._one(("lab", "prod"))}
            for _ in range(2)
        ]
        role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": self._one(NAMES)}
        head = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": kind}
        return {
            **head,
            "metadata": self._metadata(namespaced=kind == "RoleBinding"),
            "subjects": subjects,
            "roleRef": role,
        }

    def _other(self) -> Data:
        version, kind, rest = self._one(
            (
                ("v1", "ServiceAccount", {}),
                ("v1", "Namespace", {}),
                ("v1", "Service", {"spec": {"selector": {"app": "web"}, "ports": [{"port": 80}]}}),
                (
                    "rbac.authorization.k8s.io/v1",
                    "ClusterRole",
                    {"rules": [{"resourceNames": ["web"], "verbs": ["get"]}]},
                ),
                ("storage.k8s.io/v1", "StorageClass", {"provisioner": "x"}),
                ("k8s.cni.cncf.io/v1", "NetworkAttachmentDefinition", {"spec": {"config": '{"type": "bridge"}'}}),
                (
                    "kubevirt.io/v1",
                    "KubeVirt",
                    {"spec": {"configuration": {"developerConfiguration": {"featureGates": ["A"]}}}},
                ),
            )
        )
        cluster = kind in ("Namespace", "ClusterRole", "StorageClass")
        return {"apiVersion": version, "kind": kind, "metadata": self._metadata(namespaced=not cluster), **rest}

    # Generators

    def _generators(self, folder: str, kustomization: Data) -> None:
        for key in ("configMapGenerator", "secretGenerator"):
            if self._chance(0.3):
                entries = [self._generator(folder, key) for _ in range(self._random.randint(1, 2))]
                kustomization[key] = entries
        if self._chance(0.2):
            kustomization["generatorOptions"] = self._options()

    def _options(self) -> Data:
        options: Data = {"disableNameSuffixHash": self._chance(0.4), "labels": self._labels()}
        if self._chance(0.3):
            options["annotations"] = {"note": "z"}
        if self._chance(0.2):
            options["immutable"] = True
        return options

    def _generator(self, folder: str, key: str) -> Data:
        kind = "ConfigMap" if key == "configMapGenerator" else "Secret"
        entry: Data = {"name": self._one((*(f"made-{name}" for name in NAMES), "made"))}
        if self._chance(0.4) and any(obj["kind"] == kind for obj in self._objects[self._first :]):
            entry = {**self._known(kind), "behavior": self._one(("merge", "replace"))}
        elif self._chance(0.2):
            entry["behavior"] = "create"
        elif self._chance(0.2):
            entry["namespace"] = self._one(("lab", "prod"))
        if self._chance(0.7):
            entry["literals"] = self._some(("a=b", "size=10", "quoted='x y'", 'more="z=1"', "html=<a&b>", "u=ü"), 3)
        if self._chance(0.4):
            file = f"{entry['name']}.txt"
            self._write(f"{folder}/{file}", self._one(("#cloud-config\nx: y\n", "plain", "long " * 30 + "\n")))
            entry["files"] = [self._one((file, f"userdata={file}"))]
        if self._chance(0.3):
            self._write(f"{folder}/{entry['name']}.env", "A=1\n# note\n  B=x y \r\nC\n\nD==\n")
            entry["envs"] = [f"{entry['name']}.env"]
        if self._chance(0.3):
            entry["options"] = self._options()
        if key == "secretGenerator" and self._chance(0.3):
            entry["type"] = "kubernetes.io/tls"
        return entry

    # Transformers

    def _transformers(self, folder: str) -> Data:
        drawn: Data = {}
        for share, key, draw in (
            (0.3, "namespace", lambda: self._one(("lab", "prod"))),
            (0.3, "namePrefix", lambda: self._one(("p-", "dev-"))),
            (0.2, "nameSuffix", lambda: self._one(("-s", "-1"))),
            (0.2, "commonLabels", self._labels),
            (0.3, "labels", lambda: [self._label_entry() for _ in range(self._random.randint(1, 2))]),
            (0.2, "commonAnnotations", lambda: {"note": self._one(("n", "1"))}),
            (0.6, "patches", lambda: [self._patch(folder, number) for number in range(self._random.randint(1, 3))]),
            (0.15, "patchesStrategicMerge", lambda: [self._strategic()]),
            (0.15, "patchesJson6902", lambda: [self._json6902()]),
            (0.2, "images", lambda: [self._image()]),
            (0.05, "replicas", lambda: [{"name": self._known("Deployment", "StatefulSet")["name"], "count": 3}]),
            (0.25, "replacements", lambda: [self._replacement() for _ in range(self._random.randint(1, 2))]),
            (0.08, "vars", lambda: [self._variable(folder)]),
            (0.2, "configurations", lambda: [self._configuration(folder)]),
            (0.2, "transformers", lambda: [self._plugin(folder)]),
            (0.1, "sortOptions", self._order),
            (0.1, "buildMetadata", lambda: self._some(METADATA)),
        ):
            if self._chance(share * self._share * 2):
                drawn[key] = draw()
        return drawn

    def _order(self) -> Data:
        order: Data = {"order": self._one(("fifo", "legacy", "legacy"))}
        if self._chance(0.4):
            first, last = ("VirtualMachine", "Secret"), ("ConfigMap", "Namespace")
            order["legacySortOptions"] = {"orderFirst": self._some(first), "orderLast": self._some(last)}
        return order

    def _label_entry(self) -> Data:
        entry: Data = {"pairs": self._labels()}
        if self._chance(0.3):
            entry["includeSelectors"] = True
        if self._chance(0.3):
            entry["includeTemplates"] = True
        if self._chance(0.3):
            entry["fields"] = [
                {"path": "spec/template/metadata/labels", "kind": "VirtualMachine", "create": self._chance(0.5)}
            ]
        return entry

    def _target(self) -> Data:
        target: Data = {}
        if self._chance(0.7):
            target["kind"] = self._one(("VirtualMachine", "VirtualMachine.*", "ConfigMap|Secret", "Deployment"))
        if self._chance(0.4):
            target["name"] = self._one(("web", ".*web.*", "db|web", "a.b", "p-web", r"web-\d+"))
        if self._chance(0.2):
            target["namespace"] = self._one(("lab", "default", "prod"))
        if self._chance(0.2):
            target["labelSelector"] = self._one(("app=web", "app!=db", "tier", "!tier", "app in (web, db),tier=back"))
        if self._chance(0.2):
            target["group"] = self._one(("kubevirt.io", "instancetype.kubevirt.io", "apps"))
        return target or {"kind": "VirtualMachine"}

    def _patch(self, folder: str, number: int) -> Data:
        entry: Data = {"target": self._target()}
        if self._chance(0.4):
            text = json.dumps([self._operation() for _ in range(self._random.randint(1, 3))])
            if self._chance(0.98):
                entry["target"] |= {"kind": "VirtualMachine", "group": "kubevirt.io"}
        else:
            text = json.dumps(self._merge(), indent=1)
            if self._chance(0.1):
                del entry["target"]
            if self._chance(0.2):
                entry["options"] = {"allowNameChange": self._chance(0.5), "allowKindChange": self._chance(0.3)}
        if self._chance(0.3):
            self._write(f"{folder}/patch{number}.yaml", text)
            return entry | {"path": f"patch{number}.yaml"}
        return entry | {"patch": text}

    def _strategic(self) -> str:
        patch = self._merge()
        if self._chance(0.2):
            patch["metadata"]["labels"] = {"app": self._one((5, True))}
        return json.dumps(patch)

    def _merge(self) -> Data:
        kind = self._one(("VirtualMachine", "VirtualMachine", "ConfigMap", "Deployment"))
        version = {"VirtualMachine": "kubevirt.io/v1", "ConfigMap": "v1", "Deployment": "apps/v1"}[kind]
        metadata: Data = self._known(kind)
        if self._chance(0.3):
            metadata["labels"] = {"app": self._one(("new", "web"))}
        patch: Data = {"apiVersion": version, "kind": kind, "metadata": metadata}
        if self._chance(0.1):
            return patch | {"$patch": self._one(("delete", "replace", "merge"))}
        if kind == "ConfigMap":
            only = {"$patch": "replace", "only": "x"}
            return patch | {"data": self._one(({"key": None}, {"new": "5"}, {"key": 1.5, "new": True}, only))}
        if kind == "Deployment":
            containers = self._some(
                (
                    {"name": "main", "image": "other"},
                    {"name": "new", "image": "n"},
                    {"name": "side", "$patch": "delete"},
                    {
                        "name": "main",
                    },
                    {"name": "main", "args": ["z"], "env": [{"name": "A", "value": 1}, {"name": "B", "value": "w"}]},
                ),
                1,
            )
            return patch | {"spec": {"template": {"spec": {"containers": containers}}}}
        domain = self._one(
            (
                {"cpu": {"cores": 8}},
                {"cpu": None},
                {"cpu": {"$patch": "replace", "sockets": 2}},
                {"cpu": {"$patch": "delete"}},
                {"memory": {"guest": 4096}},
                {"memory": {"guest": "4Gi", "hugepages": {"pageSize": "2Mi", "none": None}}},
                {"devices": {"disks": [{"name": "root", "disk": {"bus": "sata"}}], "rng": {}}},
                {"devices": {"$retainKeys": ["disks"], "interfaces": []}},
                {"firmware": {"bootloader": {"efi": {"secureBoot": False}}}},
                *([{"cpu": "many"}] if self._chance(0.03) else []),
            )
        )
        spec: Data = {"domain": domain}
        if self._chance(0.2):
            merged = {"$patch": "merge", "y": "1"}
            spec["nodeSelector"] = self._one((None, {"zone": None, "new": "b"}, {"zone": 1, "y": False}, merged))
        return patch | {"spec": {"template": {"spec": spec}}}

    def _operation(self) -> Data:
        domain = "/spec/template/spec/domain"
        return self._one(
            (
                {"op": "replace", "path": f"{domain}/cpu/cores", "value": 6},
                {"op": "add", "path": f"{domain}/cpu/sockets", "value": 2},
                {"op": "add", "path": f"{domain}/cpu/threads"},
                {
                    "op": "add",
                    "path": "/spec/template/spec/volumes/-",
                    "value": {"name": "z", "emptyDisk": {"capacity": "1Gi"}},
                },
                {
                    "op": "add",
                    "path": "/spec/template/spec/volumes/0",
                    "value": {"name": "y", "emptyDisk": {"capacity": "1Gi"}},
                },
                {"op": "remove", "path": "/spec/template/spec/volumes/0"},
                {"op": "replace", "path": f"{domain}/devices/disks/-1", "value": {"name": "r"}},
                *([{"op": "remove", "path": f"{domain}/devices/disks/-1"}] if self._chance(0.3) else []),
                {"op": "replace", "path": "/spec/template/spec/volumes/0/name", "value": "q"},
                {"op": "copy", "from": f"{domain}/memory/guest", "path": f"{domain}/memory/maxGuest"},
                {"op": "move", "from": f"{domain}/memory", "path": "/spec/template/x"},
                *([{"op": "test", "path": f"{domain}/cpu/cores", "value": 2}] if self._chance(0.05) else []),
                {"op": "add", "path": "/spec/template/metadata/labels/app.x~1y", "value": "z"},
                {"op": "add", "path": "/metadata/annotations", "value": {"a": "b"}},
                {"op": "replace", "path": "/metadata/name", "value": "other"},
            )
        )

    def _json6902(self) -> Data:
        target = {
            "group": "kubevirt.io",
            "version": "v1",
            "kind": "VirtualMachine",
            "name": self._known("VirtualMachine")["name"],
        }
        return {"target": target, "patch": json.dumps([self._operation()])}

    def _image(self) -> Data:
        image: Data = {"name": self._one(("nginx", "quay.io/x/y", "busybox", "quay.io/x/disk"))}
        for key, values in {
            "newName": ("mirror/n", "r:80/n"),
            "newTag": ("2", "v1.0"),
            "digest": ("sha256:cd",),
        }.items():
            if self._chance(0.5):
                image[key] = self._one(values)
        return image

    def _replacement(self) -> Data:
        kind = self._one(("ConfigMap", "VirtualMachine", "Secret", "VirtualMachineInstancetype"))
        fields = {"ConfigMap": ("data.key", "metadata.name", "data.size"), "Secret": ("metadata.name",)}
        source: Data = {
            "kind": kind,
            **self._known(kind),
            "fieldPath": self._one(
                fields.get(
                    kind, ("spec.template.spec.domain.cpu.cores", "metadata.name", "spec.template.spec.volumes.0.name")
                )
            ),
        }
        if self._chance(0.3):
            source["options"] = {"delimiter": "/", "index": self._one((0, 0, 1))}
        target: Data = {
            "select": self._one(
                ({"kind": "VirtualMachine"}, {"kind": "VirtualMachine", "name": "web"}, {"kind": "Pod"})
            )
        }
        if self._chance(0.2):
            target["reject"] = [self._one(({"name": "db"}, {"labelSelector": "app=web"}))]
        target["fieldPaths"] = self._some(
            (
                "metadata.annotations.note",
                "spec.template.spec.volumes.[name=root].containerDisk.image",
                "spec.template.spec.volumes.*.name",
                "spec.template.spec.volumes.0.name",
                "spec.template.spec.domain.cpu.cores",
                "spec.template.spec.nodeSelector.[x.io/zone]",
                "spec.template.metadata.labels.app",
                "metadata.labels.new",
                "spec.template.spec.volumes.[name=made].emptyDisk.capacity",
            )
        )
        if self._chance(0.8):
            target["options"] = {"create": True}
        if self._chance(0.2):
            target["options"] = target.get("options", {}) | {"delimiter": "-", "index": self._one((-1, 0, 1, 9))}
        if self._chance(0.2) or not any(obj["kind"] == kind for obj in self._objects[self._first :]):
            return {"sourceValue": self._one(("text", "5", "true")), "targets": [target]}
        return {"source": source, "targets": [target]}

    def _variable(self, folder: str) -> Data:
        reference = {"apiVersion": "v1", "kind": "ConfigMap", **self._known("ConfigMap")}
        return {
            "name": self._one(("SIZE", "OTHER", f"V-{folder}")),
            "objref": reference,
            "fieldref": {"fieldPath": "data.size"},
        }

    def _configuration(self, folder: str) -> str:
        spec = "spec/template/spec"
        configuration: Data = {
            "nameReference": [
                {
                    "kind": "Secret",
                    "version": "v1",
                    "fieldSpecs": [
                        {"path": f"{spec}/volumes/cloudInitNoCloud/secretRef/name", "kind": "VirtualMachine"},
                        {"path": f"{spec}/volumes/sysprep/secret/name", "kind": "VirtualMachine"},
                        {
                            "path": f"{spec}/accessCredentials/sshPublicKey/source/secret/secretName",
                            "kind": "VirtualMachine",
                        },
                    ],
                },
                {
                    "kind": "ConfigMap",
                    "version": "v1",
                    "fieldSpecs": [{"path": f"{spec}/volumes/configMap/name", "kind": "VirtualMachine"}],
                },
                {
                    "kind": "VirtualMachineInstancetype",
                    "fieldSpecs": [{"path": "spec/instancetype/name", "kind": "VirtualMachine"}],
                },
            ],
            "commonLabels": [{"path": f"{spec}/labels", "kind": "VirtualMachine", "create": True}],
            "images": [{"path": f"{spec}/volumes[]/containerDisk/image", "kind": "VirtualMachine"}],
            "namePrefix": [{"path": "spec/instancetype/name", "kind": "VirtualMachine"}],
            "varReference": [{"path": f"{spec}/volumes/cloudInitNoCloud/userData", "kind": "VirtualMachine"}],
            "namespace": [{"path": "spec/template/metadata/namespace", "kind": "VirtualMachine", "create": True}],
        }
        chosen = {key: configuration[key] for key in self._some(configuration, 3)}
        self._write(f"{folder}/configuration.yaml", chosen)
        return "configuration.yaml"

    def _plugin(self, folder: str) -> str:
        specs = [{"path": "metadata/name"}]
        head = {"apiVersion": "builtin", "metadata": {"name": "plugin"}}
        plugin = self._one(
            (
                {"kind": "PrefixTransformer", "prefix": "t-", "fieldSpecs": specs},
                {"kind": "SuffixTransformer", "suffix": "-t", "fieldSpecs": specs},
                {
                    "kind": "NamespaceTransformer",
                    "metadata": {"name": "plugin", "namespace": "made"},
                    "unsetOnly": self._chance(0.5),
                    "setRoleBindingSubjects": self._one(("none", "allServiceAccounts", "defaultOnly")),
                },
                {
                    "kind": "LabelTransformer",
                    "labels": {"t": "u"},
                    "fieldSpecs": [{"path": "metadata/labels", "create": True}],
                },
                {
                    "kind": "AnnotationsTransformer",
                    "annotations": {"t": "u"},
                    "fieldSpecs": [{"path": "metadata/annotations", "create": True}],
                },
                {"kind": "PatchTransformer", "patch": json.dumps(self._merge()), "target": self._target()},
                {"kind": "ImageTagTransformer", "imageTag": self._image(), "fieldSpecs": []},
            )
        )
        content = head | plugin
        if self._chance(0.5):
            return json.dumps(content)
        self._write(f"{folder}/plugin.yaml", content)
        return "plugin.yaml"
