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
  printf '#!/bin/sh\nexec cat "%s"\n' "$COMMANDS/.files/$1" > "$COMMANDS/$1"
  chmod +x "$COMMANDS/$1"
}

# VirtualMachines of one sort, as a cluster has them.
vms() {  # NAMESPACE NAME COUNT TYPE PREFERENCE
  local number
  for ((number = 1; number <= $3; number++)); do
    printf -- '---\napiVersion: kubevirt.io/v1\nkind: VirtualMachine\nmetadata: {name: %s-%d, namespace: %s}\nspec:\n' "$2" "$number" "$1"
    printf '  runStrategy: Always\n  instancetype: {name: %s}\n  preference: {name: %s}\n' "$4" "$5"
    printf '  template: {spec: {domain: {devices: {}}}}\n'
  done
}

# A repository's .venv, as `make` has installed it: what runs the tests is in it.
installed() {
  mkdir -p .venv/bin
  for program in python virtcatalog; do
    printf '#!/bin/sh\nexec "%s" "$@"\n' "$(command -v "$program")" > ".venv/bin/$program"
    chmod +x ".venv/bin/$program"
  done
  touch .venv/.ready
}
