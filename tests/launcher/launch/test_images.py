"""Images that virt-launcher makes before it defines the domain."""

import pytest
from fragments import make_vmi

from virtcatalog.kubevirt.launcher.launch.disks import check_empty_disks


@pytest.mark.parametrize("capacity", ["1Mi", "1048577", "5G"])
def test_an_empty_disk_has_whole_mebibytes(capacity):
    check_empty_disks(make_vmi(f"volumes: [{{name: e, emptyDisk: {{capacity: {capacity}}}}}]").spec.volumes)
