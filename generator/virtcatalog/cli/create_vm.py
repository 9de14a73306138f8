"""`virtcatalog create vm`: a VM of virtctl's flags, and what becomes of it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from virtcatalog.ask.warnings import Warnings
from virtcatalog.cli import options, pflag
from virtcatalog.cli.conditions import conditioned, judged_by, settled
from virtcatalog.cli.console import echo, failing, print_documents, print_problems, summary
from virtcatalog.cli.expand_output import FORMS
from virtcatalog.cli.inputs import catalog_objects, read
from virtcatalog.cli.pflag import SWITCH
from virtcatalog.cli.previews import note_previews
from virtcatalog.cli.vms import Batch
from virtcatalog.errors import VirtcatalogError, placed
from virtcatalog.fleet.outcome import Located, Outcome, unplaced
from virtcatalog.manifests.sources import is_catalog

if TYPE_CHECKING:
    from virtcatalog.kubevirt.cluster import Cluster
    from virtcatalog.kubevirt.conditions import Conditions

_MANY = {"multiple": True, "metavar": "PARAMETERS"}


def _flag(name: str, text: str, *short: str, **how: Any) -> Any:
    return click.option(f"--{name}", *short, help=text, **{"metavar": "TEXT", **how})


#: What a VM names of a cluster: without a catalog it may be there all the same.
_NAMED_ELSEWHERE = ("spec.instancetype.name", "spec.preference.name")

_FLAGS = (
    _flag("name", "The VM's name. [default: vm- and five characters drawn]"),
    _flag("namespace", "The VM's namespace. [default: the manifest names none]", "-n"),
    _flag("run-strategy", "Always, Manual, Halted, Once or RerunOnFailure. [default: Always]", metavar="STRATEGY"),
    _flag(
        "termination-grace-period",
        "Seconds. [default: 180]",
        type=pflag.Integer(64, signed=True),
        metavar="SECONDS",
        default=180,
    ),
    _flag("memory", "Guest memory; not with an instance type. [default: 512Mi]", metavar="QUANTITY"),
    _flag(
        "instancetype", "The instance type.", metavar="[KIND/]NAME", shell_complete=options.completes("instancetypes")
    ),
    _flag("infer-instancetype", "Take the instance type from the first volume. [default: when it can be]", **SWITCH),
    _flag("infer-instancetype-from", "Take the instance type from this volume.", metavar="VOLUME"),
    _flag("preference", "The preference.", metavar="[KIND/]NAME", shell_complete=options.completes("preferences")),
    _flag("infer-preference", "Take the preference from the first volume. [default: when it can be]", **SWITCH),
    _flag("infer-preference-from", "Take the preference from this volume.", metavar="VOLUME"),
    _flag("volume-containerdisk", "A disk in a container image: src:IMAGE[,name:…][,bootorder:…].", **_MANY),
    _flag("volume-pvc", "A claim of the VM's namespace: src:CLAIM[,name:…][,bootorder:…].", **_MANY),
    _flag("volume-import", "A volume that is filled: type:TYPE[,name:…][,size:…][,bootorder:…] and below.", **_MANY),
    _flag("volume-sysprep", "Windows' answer files: src:NAME[,type:configmap|secret].", metavar="PARAMETERS"),
    _flag("user", "The user that cloud-init sets up."),
    _flag(
        "password-file",
        "A file with the user's password, for cloud-init.",
        metavar="FILE",
        shell_complete=options.completes("files"),
    ),
    _flag("ssh-key", "Public keys of the user, for cloud-init.", type=pflag.Items(), multiple=True, metavar="KEY,…"),
    _flag("ga-manage-ssh", "Let the guest agent write keys, where SELinux is on.", **SWITCH),
    _flag("access-cred", "A Secret's keys or passwords: src:SECRET[,type:ssh|password][,method:…][,user:…].", **_MANY),
    _flag("cloud-init", "How cloud-init gets its data: nocloud, configdrive, or none. [default: nocloud]"),
    _flag("cloud-init-user-data", "All of the user data, base64; in place of the flags for it.", metavar="BASE64"),
    _flag("cloud-init-network-data", "Network data, base64.", metavar="BASE64"),
    _flag("volume-datasource", "Deprecated: --volume-import type:ds.", **_MANY),
    _flag("volume-clone-pvc", "Deprecated: --volume-import type:pvc.", **_MANY),
    _flag("volume-blank", "Deprecated: --volume-import type:blank.", **_MANY),
)


@click.command(
    "vm",
    cls=pflag.Command,
    epilog="""\b
Parameters of --volume-import, by type (* is required):
  blank     size*
  ds        src:[NAMESPACE/]NAME*
  pvc       src:NAMESPACE/NAME*
  snapshot  src:NAMESPACE/NAME*
  registry  size*, url or imagestream, pullmethod:pod|node, secretref, certconfigmap
  http      size*, url*, secretref, certconfigmap, extraheaders and secretextraheaders with ; between
  s3        size*, url*, secretref, certconfigmap
  gcs       size*, url*, secretref
  imageio   size*, url*, diskid*, secretref, certconfigmap
  vddk      size*, url*, uuid*, thumbprint*, secretref*, backingfile*, initimageurl

\b
Examples:
  virtcatalog create vm --name web --instancetype m.large --preference linux \\
    --volume-import type:ds,src:images/fedora,size:30Gi --user fedora --ssh-key "$(cat id.pub)"
  virtcatalog create vm --memory 2Gi --volume-containerdisk src:quay.io/containerdisks/fedora:43
  virtcatalog create vm -c catalog -e production --instancetype m.large -o xml       its domain
  virtcatalog create vm -f cluster.yaml --volume-pvc src:db-disk -o disks            with claims as they are
""",
)
@options.with_options(*_FLAGS)
@options.catalog()
@options.environment()
@options.manifests("Objects of the cluster, such as claims.")
@options.form(("yaml", *FORMS), optional=True)
@failing
@partial(conditioned, prints="yaml", by_environment=True)
def command(
    catalog: str | None,
    environment: str | None,
    sources: tuple[str, ...],
    form: str | None,
    conditions: Conditions,
    ssh_key: tuple[tuple[str, ...], ...],
    **flags: Any,
) -> int:
    """Make a VirtualMachine manifest of flags, and tell whether KubeVirt admits it.

    The flags and the manifest are those of `virtctl create vm`. Volumes boot in the order containerdisk, PVC,
    DataSource, cloned PVC, blank, imported, unless they have a boot order. With -c, a kind that its name lacks is
    added. Exit status 1 says that the VM is refused: with -c, -e, -f or -o, and where there is a catalog.
    """
    from virtcatalog.create.options import VmOptions
    from virtcatalog.create.vm import completed, create_vm

    keys = tuple(key for keys in ssh_key for key in keys) if ssh_key else None
    values = {name: value for name, value in flags.items() if value is not None}
    created_vm = create_vm(VmOptions(ssh_key=keys, **values), _password)
    for warning in created_vm.warnings:
        echo(f"warning: {warning}", err=True)
    if environment is None:
        note_previews([conditions.usual])
    if catalog is environment is form is None and not sources:
        return _as_virtctl(created_vm.manifest, conditions)
    batch = _batch(catalog, environment, sources)
    manifest = completed(created_vm.manifest, (located.manifest for located in batch.objects))
    conditions = judged_by(conditions, batch.kubevirt, [located.manifest for located in batch.objects])
    if form in (None, "yaml"):
        print_documents([manifest], "yaml")
    return _tell(manifest, batch, conditions, None if form == "yaml" else form)


def _as_virtctl(manifest: dict[str, Any], conditions: Conditions) -> int:
    """Print the manifest as virtctl does: that KubeVirt refuses it is a failure only beside a catalog."""
    print_documents([manifest], "yaml")
    try:
        batch = _batch(None, None, ())
        status = _tell(manifest, batch, conditions, None)
        return 0 if batch.alone else status
    except VirtcatalogError as error:
        echo(f"whether it is admitted is not known: {error}", err=True)
    return 0


def _batch(catalog: str | None, environment: str | None, sources: tuple[str, ...]) -> Batch:
    """What a VM meets in the cluster; its release, where the environment says it."""
    if environment is None:
        objects, release = catalog_objects(catalog), ""
    else:
        from virtcatalog.catalog.load import load_catalog
        from virtcatalog.environments import check_environments, release_of

        loaded = load_catalog(catalog or "catalog")
        check_environments([environment], loaded.overlays, f"in {loaded.path}")
        objects, release = loaded.objects(environment), release_of(loaded.overlays, environment)
    located = [*map(unplaced, objects), *(Located(manifest.data, manifest.problem) for manifest in read(sources))]
    alone = catalog is None and not is_catalog("catalog")
    return Batch([], located, environment or "", release, alone=alone)


def _password(path: str) -> str:
    from virtcatalog.create.options import FlagError
    from virtcatalog.manifests.folder import SourceError
    from virtcatalog.manifests.sources import read_file

    try:
        return read_file("./-" if path == "-" else path).decode()
    except SourceError as error:
        raise FlagError("password-file", f"{path}: {error.message}") from error
    except UnicodeDecodeError:
        raise FlagError("password-file", f"{path}: is not UTF-8") from None


def _tell(manifest: dict[str, Any], batch: Batch, conditions: Conditions, form: str | None) -> int:
    """Say whether the VM is admitted and print what it becomes; the exit status."""
    from virtcatalog.api.names import name_fault
    from virtcatalog.kubevirt.cluster import Cluster
    from virtcatalog.kubevirt.pipeline import expand

    vm = unplaced(manifest)
    ((batch, own),) = settled([batch._replace(vms=[vm])], conditions)
    cluster: Cluster = Cluster.under([located.manifest for located in batch.objects], own)
    result = expand(manifest, cluster)
    if form is not None:
        printer = FORMS[form]
        output = printer.form.make(Outcome(vm, result, cluster), False)
        printer.show([] if output is None else [output], False)
    warnings = [remark.problem for remark in Warnings(batch.objects, cluster.release).of(vm, result)]
    print_problems([*placed(result.reasons, vm.problem), *warnings])
    if batch.alone and result.reasons and all(reason.field in _NAMED_ELSEWHERE for reason in result.reasons):
        summary(f"{vm.name}: whether it is admitted is not known: name the catalog with -c, or the objects with -f")
        return 0
    is_admitted = result.admitted and not name_fault(manifest["metadata"]["name"])  # which a warning has told
    summary(f"{vm.name}: {'admitted' if is_admitted else 'refused'}")
    return 0 if is_admitted else 1
