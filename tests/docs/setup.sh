# What the set-ups of the documentation's pages use: see running.py. They run in the page's folder.

# This repository's own catalog, its rendered tree and its examples, as a Git repository whose branch is main.
this_repository() {
  cp -r "$REPOSITORY"/{catalog,output,examples,schemas} .
  rm -rf catalog/.virtcatalog
  committed
}

# All that is here, committed; on main where there is no repository yet.
committed() {
  [ -d .git ] || git init --quiet --initial-branch main .
  git add --all
  git commit --quiet --message "${1:-As it was}"
}

# A command that this machine need not have: it prints a file, whatever it is asked, as kubectl, virsh or openstack would.
stand_in() {  # NAME FILE
  mkdir -p "$COMMANDS/.files"
  cp "$2" "$COMMANDS/.files/$1"
  printf '#!/bin/sh\nexec cat "${0%%/*}/.files/%s"\n' "$1" > "$COMMANDS/$1"
  chmod +x "$COMMANDS/$1"
}

# VirtualMachines of one sort, as a cluster has them.
vms() {  # NAMESPACE NAME COUNT TYPE PREFERENCE
  local number
  for ((number = 1; number <= $3; number++)); do
    printf -- '---\napiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {name: %s-%d, namespace: %s}\nspec:\n' "$2" "$number" "$1"
    printf '  runStrategy: Always\n  instancetype: {name: %s}\n  preference: {name: %s}\n' "$4" "$5"
    printf '  template:\n    spec:\n      domain: {devices: {}}\n'
  done
}

# A VM that says all of its size itself, as its file has it.
plain_vm() {  # NAME CORES
  printf 'apiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata:\n  name: %s\nspec:\n  runStrategy: Always\n' "$1"
  printf '  template:\n    spec:\n      domain:\n        cpu:\n          cores: %s\n' "$2"
  printf '        memory:\n          guest: 2Gi\n        devices: {}\n'
}

# A repository's .venv, as `make` has installed it: what runs the tests is in it.
installed() {
  mkdir -p .venv/bin
  for program in python virtcatalog; do
    printf '#!/bin/sh\nexec "%s" "$@"\n' "$(command -v "$program")" > ".venv/bin/$program"
    chmod +x ".venv/bin/$program"
  done
  touch .venv/.ready .venv/.development
}

# What the examples in --help speak of.
spoken_of() {
  this_repository
  # Of the VM templates a few are enough: whoever reads the catalog renders all of them, and every example reads it.
  rm -r .git catalog/templates/linux.yaml
  sed -i '/^  windows2k/,$d; s/, large: , xlarge: }/}/' catalog/templates/windows.yaml
  virtcatalog build -q
  committed
  git gc --quiet
  git tag v1.2.0
  git tag v1.3.0
  mkdir old new vms manifests
  vms shop web 1 m.medium linux.fedora | sed 's/devices: {}/devices: {disks: [{name: root}]}/' > vm.yaml
  printf '      volumes: [{name: root, emptyDisk: {capacity: 1Gi}}]\n' >> vm.yaml
  cp vm.yaml vms/
  vms shop web 30 m.medium linux.fedora > fleet.yaml
  virtcatalog expand -f catalog/vms/bastion.yaml -e production -o vm > fleet.json 2> /dev/null || cp fleet.yaml fleet.json
  cp fleet.yaml dump.yaml
  cp catalog/vms/bastion.yaml old/
  sed 's/xsmall/small/' catalog/vms/bastion.yaml > new/bastion.yaml
  printf 'apiVersion: kubevirt.io/v1\nkind: KubeVirt\nmetadata: {name: kubevirt, namespace: kubevirt}\n' > kubevirt.yaml
  cp kubevirt.yaml old.yaml
  cp kubevirt.yaml new.yaml
  virtcatalog build common-instancetypes --output-dir tree -q
  mv tree/base common-instancetypes
  cp tree/bundles/common-instancetypes-all-bundle.yaml bundle.yaml
  rm -r tree
  printf 'nodes: [{name: general, count: 3, allocatable: {cpu: 30, memory: 120Gi}}]\n' > nodes.yaml
  virtcatalog hosts reference > mine.yaml
  printf 'currency: EUR\nperMonth: {cpu: 8, memory: 2.5}\n' > prices.yaml
  printf 'apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: db-disk}\nspec: {resources: {requests: {storage: 10Gi}}}\n' > cluster.yaml
  echo "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGfz you@example.com" > id.pub
  printf 'apiVersion: instancetype.kubevirt.io/v1alpha1\nkind: VirtualMachineInstancetype\nmetadata: {name: small}\n' > flavors.yaml
  printf 'spec: {cpu: {guest: 1}, memory: {guest: 2Gi}}\n' >> flavors.yaml
  cp flavors.yaml manifests/
  printf 'apiVersion: kubevirt.io/v1\nkind: VirtualMachineInstancePreset\nmetadata: {name: p}\n' > presets.yaml
  printf 'spec: {selector: {matchLabels: {a: b}}, domain: {cpu: {cores: 2}}}\n' >> presets.yaml
  printf 'apiVersion: template.openshift.io/v1\nkind: Template\nmetadata: {name: t}\nparameters: [{name: NAME, required: true}]\n' > template.yaml
  printf 'objects:\n- apiVersion: kubevirt.io/v1\n  kind: VirtualMachine\n  metadata: {name: "${NAME}"}\n' >> template.yaml
  printf '  spec: {runStrategy: Always, template: {spec: {domain: {cpu: {sockets: 1}, memory: {guest: 4Gi}, devices: {}}}}}\n' >> template.yaml
  printf 'apiVersion: template.kubevirt.io/v1beta1\nkind: VirtualMachineTemplate\nmetadata: {name: t}\n' > t.yaml
  printf 'spec:\n  parameters: [{name: NAME, generate: expression, from: "vm-[a-z]{5}"}]\n  virtualMachine:\n' >> t.yaml
  printf '    metadata: {name: "${NAME}"}\n    spec: {runStrategy: Always, instancetype: {name: m.small},\n' >> t.yaml
  printf '      template: {spec: {domain: {devices: {}}}}}\n' >> t.yaml
  printf 'NAME: db-1\n' > p.yaml
  cp "$REPOSITORY/tests/bring/foreign/virt-install-fedora.xml" db.xml
  mkdir exports
  cp "$REPOSITORY"/tests/bring/vmware/*.ovf exports
  cp -r "$REPOSITORY/tests/bring/vmware/rvtools" .
  cp exports/vcenter.ovf web.ovf
  tar -cf web.ova web.ovf
  printf '[{"Name": "m1.small", "VCPUs": 1, "RAM": 2048, "Disk": 0, "Properties": {}}]\n' > flavors.json
  printf '{"name": "fedora-41", "disk_format": "qcow2", "properties": {"hw_disk_bus": "virtio"}}\n' > fedora.json
  stand_in kubectl dump.yaml
  stand_in oc template.yaml
  stand_in virsh db.xml
  stand_in openstack flavors.json
}
