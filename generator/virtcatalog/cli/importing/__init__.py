"""`virtcatalog import`: what exists elsewhere, a format a command, each loaded when it is called."""

from __future__ import annotations

import click

from virtcatalog.cli import Lazy


class _Formats(Lazy):
    groups = {
        "Formats": {
            "objects": "Make a catalog of a set of instance types and preferences.",
            "libvirt": "Make a VM of a libvirt domain, and account for every part of it.",
            "vmware": "Make VMs of machines of vSphere, with a type and a preference each.",
            "openstack": "Make instance types of flavors and preferences of images.",
        }
    }
    home = "virtcatalog.cli.importing"


@click.group("import", cls=_Formats)
def command() -> None:
    """Import VMs of libvirt and VMware, flavors of OpenStack, or objects of a cluster."""
