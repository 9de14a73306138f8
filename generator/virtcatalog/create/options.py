"""The flags of `virtctl create vm`, what is wrong with a flag, and names of objects that no flag names."""

from __future__ import annotations

import secrets

import msgspec

from virtcatalog.api.names import DRAWN
from virtcatalog.errors import VirtcatalogError
from virtcatalog.kubevirt.identity import DRAWN_LETTERS


class FlagError(VirtcatalogError):
    """A flag has a value that cannot be used."""

    def __init__(self, flag: str, message: str) -> None:
        self.flag, self.message = flag, message
        super().__init__(f"--{flag}: {message}")

    def __reduce__(self) -> tuple[type[FlagError], tuple[str, str]]:
        return FlagError, (self.flag, self.message)


class VmOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The flags of `virtctl create vm`, as they were written; None and () stand for flags that were left out.

    Names are those of the flags. A flag counts as set whatever its value: `--infer-instancetype=false` is not the same
    as leaving it out, nor is `--user=`. Source: createVM in pkg/virtctl/create/vm/vm.go.
    """

    name: str = ""
    namespace: str = ""
    run_strategy: str | None = None
    termination_grace_period: int = 180
    memory: str | None = None
    instancetype: str | None = None
    infer_instancetype: bool | None = None
    infer_instancetype_from: str | None = None
    preference: str | None = None
    infer_preference: bool | None = None
    infer_preference_from: str | None = None
    volume_containerdisk: tuple[str, ...] = ()
    volume_pvc: tuple[str, ...] = ()
    volume_import: tuple[str, ...] = ()
    volume_sysprep: str | None = None
    user: str | None = None
    password_file: str | None = None
    ssh_key: tuple[str, ...] | None = None
    ga_manage_ssh: bool | None = None
    access_cred: tuple[str, ...] = ()
    cloud_init: str | None = None
    cloud_init_user_data: str | None = None
    cloud_init_network_data: str | None = None
    volume_datasource: tuple[str, ...] = ()
    volume_clone_pvc: tuple[str, ...] = ()
    volume_blank: tuple[str, ...] = ()


#: Flags of which at most one may be set. Source: MarkFlagsMutuallyExclusive in vm.go.
EXCLUSIVE = (
    ("memory", "instancetype", "infer-instancetype", "infer-instancetype-from"),
    ("preference", "infer-preference", "infer-preference-from"),
    ("cloud-init-user-data", "user"),
    ("cloud-init-user-data", "password-file"),
    ("cloud-init-user-data", "ssh-key"),
    ("cloud-init-user-data", "ga-manage-ssh"),
)


def check_exclusive(options: VmOptions) -> None:
    """Raise FlagError when flags are set that exclude each other."""
    for group in EXCLUSIVE:
        flags = [flag for flag in group if getattr(options, flag.replace("-", "_")) is not None]
        if len(flags) > 1:
            others = " and ".join(f"--{flag}" for flag in flags[1:])
            raise FlagError(flags[0], f"cannot be given together with {others}: choose one, whatever its value")


def random_name(prefix: str) -> str:
    """Return a name for what is given none: random letters behind a prefix, as the API server draws them."""
    return prefix + "".join(secrets.choice(DRAWN_LETTERS) for _ in range(DRAWN))
