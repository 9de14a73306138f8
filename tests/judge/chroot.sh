#!/usr/bin/env bash
# Debian 13's libvirt and QEMU, unpacked into a folder: nothing of the machine itself is changed.
#
#   chroot.sh unpack ROOT         fetch the packages and unpack them below ROOT; done already: nothing
#   chroot.sh run ROOT COMMAND …  start libvirtd in ROOT, in mount and network namespaces of its own, then COMMAND
#
# The packages come from where this machine's apt takes Debian's own, of the suite trixie.
set -euo pipefail
verb=$1 root=$(realpath -m "$2")
shift 2

packages=(
  base-files bash coreutils libc-bin libvirt-clients libvirt-daemon-driver-qemu libvirt-daemon-system mount
  ovmf qemu-efi-aarch64 qemu-system-arm qemu-system-misc qemu-system-s390x qemu-system-x86 qemu-utils swtpm swtpm-tools
)

unpack() {
  [ -e "$root/.unpacked" ] && return
  local apt sources
  apt=$(mktemp -d)
  mkdir -p "$apt"/{lists/partial,cache/archives/partial,sources}
  : >"$apt/status"
  sources=$(sed -n 's/^URIs: *//p' /etc/apt/sources.list.d/debian.sources 2>/dev/null | head -n 1)
  [ -n "$sources" ] || sources=$(awk '$1 == "deb" {print $2; exit}' /etc/apt/sources.list)
  printf 'Types: deb\nURIs: %s\nSuites: trixie\nComponents: main\nSigned-By: %s\n' "$sources" \
    /usr/share/keyrings/debian-archive-keyring.gpg >"$apt/sources/trixie.sources"
  cat >"$apt/apt.conf" <<EOF
Dir::State "$apt";
Dir::State::lists "$apt/lists";
Dir::State::status "$apt/status";
Dir::Cache "$apt/cache";
Dir::Etc::sourcelist "/dev/null";
Dir::Etc::sourceparts "$apt/sources";
APT::Install-Recommends "false";
APT::Sandbox::User "root";
Acquire::Languages "none";
EOF
  APT_CONFIG="$apt/apt.conf" apt-get -qq update
  APT_CONFIG="$apt/apt.conf" apt-get -qq install --yes --download-only "${packages[@]}"
  rm -rf "$root"
  mkdir -p "$root"
  # base-files first: it brings the links /bin, /lib and /sbin.
  dpkg-deb -x "$apt"/cache/archives/base-files_*.deb "$root"
  for package in "$apt"/cache/archives/*.deb; do dpkg-deb -x "$package" "$root"; done
  rm -rf "$apt" "$root/var/run"
  ln -s ../run "$root/var/run"
  # Only the drivers that a domain needs: the one for networks asks for a firewall.
  (cd "$root"/usr/lib/*/libvirt/connection-driver && rm -f libvirt_driver_{network,nodedev,nwfilter,interface}.so)
  # What the packages' scripts would have set up.
  cat >"$root/etc/passwd" <<'EOF'
root:x:0:0:root:/root:/bin/sh
libvirt-qemu:x:64055:994::/var/lib/libvirt:/usr/sbin/nologin
tss:x:951:951::/var/lib/tpm:/bin/false
swtpm:x:952:952::/var/lib/swtpm:/bin/false
EOF
  printf '%s\n' root:x:0: utmp:x:43: kvm:x:994: libvirt:x:995: libvirt-qemu:x:996: tss:x:951: swtpm:x:952: >"$root/etc/group"
  cat >"$root/etc/libvirt/qemu.conf" <<'EOF'
user = "root"
group = "root"
swtpm_user = "root"
swtpm_group = "root"
security_driver = "none"
cgroup_controllers = [ ]
namespaces = [ ]
remember_owner = 0
EOF
  echo 0123456789abcdef0123456789abcdef >"$root/etc/machine-id"
  chroot "$root" /usr/sbin/ldconfig
  touch "$root/.unpacked"
}

# In namespaces of its own: what is mounted and started here ends with it.
inside() {
  mount -t proc proc "$root/proc"
  mount --rbind /dev "$root/dev"
  mount -t tmpfs run "$root/run"
  mount --rbind /sys "$root/sys"
  ip link set lo up 2>/dev/null || true
  mkdir -p "$root"/run/libvirt "$root"/var/log/libvirt
  chroot "$root" /usr/sbin/virtlogd --daemon
  "$@"
}

case $verb in
  unpack) unpack ;;
  run) exec unshare --mount --net --pid --fork --kill-child --propagation private "$0" inside "$root" "$@" ;;
  inside) inside "$@" ;;
  *) echo "usage: chroot.sh unpack|run ROOT …" >&2; exit 2 ;;
esac
