#!/usr/bin/env bash
# A base for the Containerfile out of Debian's packages, for machines that reach no registry of images (as root):
#
#   container-base.sh IMAGE    make the image, unless buildah has it
set -euo pipefail
image=$1
buildah inspect --type image "$image" > /dev/null 2>&1 && exit
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
debootstrap --variant=minbase --include=git,python3-pip,python3-venv trixie "$folder/root" > "$folder/log" 2>&1 ||
  { tail -n 20 "$folder/log" >&2; exit 1; }
container=$(buildah from scratch)
buildah add --quiet "$container" "$folder/root" / > /dev/null
buildah commit --quiet --rm "$container" "$image" > /dev/null
