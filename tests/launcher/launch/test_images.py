"""Images that virt-launcher makes before it defines the domain."""

import re

import pytest
from fragments import make_vmi

from virtcatalog.kubevirt.launcher.errors import DomainError
from virtcatalog.kubevirt.launcher.launch.disks import check_empty_disks


@pytest.mark.parametrize("capacity", ["1Mi", "1048577", "5G"])
def test_an_empty_disk_has_whole_mebibytes(capacity):
    check_empty_disks(make_vmi(f"volumes: [{{name: e, emptyDisk: {{capacity: {capacity}}}}}]").spec.volumes)


@pytest.mark.parametrize("capacity", ["0", "1048575", "100Ki"])
def test_an_empty_disk_of_less_stops_the_launch(capacity):
    volumes = f"volumes: [{{name: c, configMap: {{name: c}}}}, {{name: e, emptyDisk: {{capacity: {capacity}}}}}]"
    with pytest.raises(DomainError, match=re.escape("spec.volumes[1].emptyDisk.capacity")):
        check_empty_disks(make_vmi(volumes).spec.volumes)
