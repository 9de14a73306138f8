"use strict";
// What the form's fields say as a VM: its disks and networks, its manifest, and virtctl's line for it.
site.vm = (() => {
  const ROOT = "root", CLOUD_INIT = "cloudinitdisk", POD = "default"; // volumes and the network, as virtctl names them
  const DISKS = 8, NETWORKS = 4; // cloud-init's disk is one of the disks
  // Kinds of disks: what they are called, what their source is, and whether it is a new disk that takes a size.
  const KINDS = {
    image: { text: "a container image", source: "Image" },
    claim: { text: "a claim that is there", source: "Claim" },
    ds: { text: "a DataSource", source: "DataSource", size: "optional" },
    registry: { text: "a container image, copied", source: "Address", size: "needed" },
    http: { text: "a download", source: "Address", size: "needed" },
    pvc: { text: "a copy of a claim", source: "Namespace/claim", size: "optional" },
    snapshot: { text: "a copy of a snapshot", source: "Namespace/snapshot", size: "optional" },
    blank: { text: "nothing: an empty disk", size: "needed" },
  };
  const LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?", NAME = `${LABEL}(\\.${LABEL})*`;
  const whole = (pattern) => new RegExp(`^(?:${pattern})$`);
  const SOURCES = { image: "\\S+", claim: NAME, ds: `(${LABEL}/)?${NAME}`, registry: "(docker|oci-archive)://\\S+", http: "https?://\\S+", pvc: `${LABEL}/${NAME}`, snapshot: `${LABEL}/${NAME}` };
  const ORDER = (kind) => (kind === "image" ? 0 : kind === "claim" ? 1 : 2); // in which virtctl writes volumes

  // Fields of the form, as they are written: a VM that may have problems.
  function read(fields) {
    const disks = fields.disks.map((disk, number) => {
      const copied = ORDER(disk.kind) === 2, name = number ? `disk-${number}` : ROOT;
      const gib = copied && /^[1-9]\d{0,6}$/.test(disk.size) ? Number(disk.size) : 0;
      const size = gib ? (gib % 1024 ? `${gib}Gi` : `${gib / 1024}Ti`) : "";
      return { ...disk, type: disk.kind, name: copied ? `${fields.name}-${name}` : name, quantity: size };
    });
    const sorted = disks.map((disk, place) => [disk, place]).sort(([a, i], [b, j]) => ORDER(a.type) - ORDER(b.type) || i - j).map(([disk]) => disk);
    if (sorted[0] !== disks[0]) disks[0].first = true; // else the first volume is what boots
    const networks = fields.networks.split(/[\s,]+/).filter(Boolean);
    const keys = fields.keys.split("\n").map((key) => key.trim()).filter(Boolean);
    const links = [...(fields.pod === "none" ? [] : [POD]), ...networks.map((_, number) => `net${number + 1}`)];
    return { ...fields, disks: sorted, root: disks[0], networks, keys, links, cloud: Boolean(fields.user || keys.length), problems: problems(fields, disks, networks, keys) };
  }
  function problems(fields, disks, networks, keys) {
    const faults = [];
    const wrong = (text) => faults.push(text);
    if (!whole(LABEL).test(fields.name) || fields.name.length > 50) wrong("The name has to be of lower case letters, digits and hyphens, 50 at most.");
    disks.forEach((disk, number) => {
      const which = number ? `Disk ${number}` : "Boots from";
      if (KINDS[disk.type].source && !whole(SOURCES[disk.type]).test(disk.source)) wrong(`${which}: ${disk.source ? `${disk.source} is not` : "name"} ${{ registry: "an address such as docker://quay.io/containerdisks/fedora:latest", http: "an address such as https://example.org/disk.qcow2", pvc: "a namespace/claim", snapshot: "a namespace/snapshot" }[disk.type] || "a " + KINDS[disk.type].source}.`);
      if (ORDER(disk.type) === 2 && !disk.quantity && (disk.size || KINDS[disk.type].size === "needed")) wrong(`${which}: the size has to be a whole number of GiB.`);
    });
    if (disks.length + 1 > DISKS) wrong(`A VM of this form has ${DISKS - 1} disks at most.`);
    for (const name of networks) if (!whole(`(${LABEL}/)?${NAME}`).test(name)) wrong(`${name} is not the name of a network: name or namespace/name.`);
    if (networks.length > NETWORKS) wrong(`A VM of this form has ${NETWORKS} networks of Multus at most.`);
    if (fields.user && !/^[a-z_][a-z0-9_-]*\$?$/.test(fields.user)) wrong(`${fields.user} is no user's name.`);
    for (const key of keys) if (!/^[a-z0-9@.-]+ [A-Za-z0-9+/=]+( [ -~]*)?$/.test(key)) wrong("An SSH key has to be a line of a .pub file.");
    return faults;
  }

  // Plain where every reader of YAML takes it for text, else in quotes, as JSON has it.
  const words = /^(true|false|yes|no|on|off|y|n|null)$/i;
  const scalar = (value) => (typeof value !== "string" ? String(value)
    : /^(?:[A-Za-z][\w]*(?:[-./:@][\w]+)*|\d+[GT]i)$/.test(value) && !words.test(value) ? value : JSON.stringify(value));
  function yaml(value, indent = "") {
    if (Array.isArray(value)) return value.map((item) => `${indent}- ${yaml(item, indent + "  ").trimStart()}`).join("");
    return Object.entries(value).map(([key, item]) => {
      if (typeof item === "string" && /^[ -~]+(\n[ -~]+)+$/.test(item)) return `${indent}${key}: |-\n${item.replaceAll(/^/gm, indent + "  ")}\n`;
      if (typeof item !== "object") return `${indent}${key}: ${scalar(item)}\n`;
      if (!Object.keys(item).length) return `${indent}${key}: ${Array.isArray(item) ? "[]" : "{}"}\n`;
      return `${indent}${key}:\n${yaml(item, Array.isArray(item) ? indent : indent + "  ")}`;
    }).join("");
  }
  function dataVolume(disk) {
    const [name, namespace] = disk.source.split("/").reverse();
    const at = namespace ? { name, namespace } : { name };
    const from = disk.type === "ds" ? { sourceRef: { kind: "DataSource", ...at } }
      : { source: { [disk.type]: disk.type === "blank" ? {} : disk.type === "pvc" || disk.type === "snapshot" ? at : { url: disk.source } } };
    const resources = disk.quantity ? { requests: { storage: disk.quantity } } : {};
    return { metadata: { name: disk.name }, spec: { ...from, storage: { resources } } };
  }
  function volume(disk) {
    if (disk.type === "image") return { name: disk.name, containerDisk: { image: disk.source } };
    if (disk.type === "claim") return { name: disk.name, persistentVolumeClaim: { claimName: disk.source } };
    return { name: disk.name, dataVolume: { name: disk.name } };
  }
  function manifest(vm) {
    const templates = vm.disks.filter((disk) => ORDER(disk.type) === 2).map(dataVolume);
    const devices = {}, spec = {}, volumes = vm.disks.map(volume);
    if (vm.root.first) devices.disks = [{ name: vm.root.name, bootOrder: 1 }];
    if (vm.pod || vm.networks.length) {
      if (vm.links.length) devices.interfaces = vm.links.map((name) => ({ name, [name === POD ? "masquerade" : "bridge"]: {} }));
      else devices.autoattachPodInterface = false;
    }
    if (vm.cloud) {
      const data = ["#cloud-config", ...(vm.user ? [`user: ${vm.user}`] : []), ...(vm.keys.length ? ["ssh_authorized_keys:", ...vm.keys.map((key) => `  - ${key}`)] : [])];
      volumes.push({ name: CLOUD_INIT, cloudInitNoCloud: { userData: data.join("\n") } });
    }
    if (vm.architecture) spec.architecture = vm.architecture;
    spec.domain = { devices };
    if (devices.interfaces) spec.networks = vm.links.map((name) => (name === POD ? { name, pod: {} } : { name, multus: { networkName: vm.networks[Number(name.slice(3)) - 1] } }));
    spec.volumes = volumes;
    const own = (kind) => (vm.namespace ? { kind } : {}); // in a namespace with types of its own
    return yaml({
      apiVersion: "kubevirt.io/v1", kind: "VirtualMachine", metadata: { name: vm.name, ...(vm.namespace ? { namespace: vm.namespace } : {}) },
      spec: {
        instancetype: { name: vm.type, ...own("VirtualMachineInstancetype") }, ...(vm.preferenceName ? { preference: { name: vm.preferenceName, ...own("VirtualMachinePreference") } } : {}), runStrategy: vm.run,
        ...(templates.length ? { dataVolumeTemplates: templates } : {}), template: { spec },
      },
    });
  }

  const shell = (text) => (/^[\w./:@=,-]+$/.test(text) ? text : "'" + text.replaceAll("'", "'\\''") + "'");
  const listed = (text) => (/[",]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text); // of a flag that is read as CSV
  function virtctl(vm) {
    const own = (kind, name) => (vm.namespace ? `${kind}/${name}` : name);
    const flags = [["name", vm.name], ...(vm.namespace ? [["namespace", vm.namespace]] : []), ["instancetype", own("virtualmachineinstancetype", vm.type)], vm.preferenceName ? ["preference", own("virtualmachinepreference", vm.preferenceName)] : ["infer-preference=false"], ["run-strategy", vm.run]];
    for (const disk of vm.disks) {
      const rest = `,name:${disk.name}${disk.first ? ",bootorder:1" : ""}`;
      if (disk.type === "image") flags.push(["volume-containerdisk", `src:${disk.source}${rest}`]);
      else if (disk.type === "claim") flags.push(["volume-pvc", `src:${disk.source}${rest}`]);
      else {
        const source = disk.type === "blank" ? "" : `,${disk.type === "registry" || disk.type === "http" ? "url" : "src"}:${disk.source}`;
        flags.push(["volume-import", `type:${disk.type}${source}${disk.quantity ? `,size:${disk.quantity}` : ""}${rest}`]);
      }
    }
    if (vm.user) flags.push(["user", vm.user]);
    for (const key of vm.keys) flags.push(["ssh-key", listed(key)]);
    return "virtctl create vm " + flags.map(([flag, text]) => (text === undefined ? `--${flag}` : `--${flag} ${shell(text)}`)).join(" ");
  }
  // What the VM of virtctl's line has not as the manifest has it.
  function beside(vm) {
    const notes = ["virtctl writes terminationGracePeriodSeconds: 180; in the manifest the preference, or KubeVirt, decides."];
    if (vm.pod || vm.networks.length) notes.push("virtctl has no flag for networks: its VM has the cluster's own, the manifest those that are chosen.");
    if (vm.architecture) notes.push(`virtctl has no flag for the architecture, and the preference requires ${vm.architecture}: the manifest says it.`);
    if (vm.disks.some((disk) => disk.source.includes(","))) notes.push("virtctl takes a comma for the end of a parameter: use the manifest.");
    return notes;
  }
  return { DISKS, KINDS, read, manifest, virtctl, beside };
})();
