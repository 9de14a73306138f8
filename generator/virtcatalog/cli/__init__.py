"""The command line: one module a command, loaded when it is called."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import partial
from importlib import import_module
from typing import Any, ClassVar

import click

from virtcatalog._version import __version__
from virtcatalog.cli.guard import check_streams, guarded
from virtcatalog.cli.options import common_options

#: Every command with the line that help shows, by who uses it, in the order of help: showing help loads no command.
GROUPS = {
    "Catalog owners": {
        "init": "Write a new catalog's repository.",
        "build": "Render a catalog into its output tree.",
        "check": "Find what is wrong with a catalog or with VMs before they are applied.",
        "list": "List the instance types, preferences, templates or environments of a catalog.",
        "show": "Show one of them, and what it becomes.",
        "compare": "Show some of them side by side.",
        "impact": "Show who depends on an instance type, preference, class or component.",
        "release": "Publish a catalog under a version, and print what changed.",
        "push": "Publish a catalog as an OCI artifact, signed.",
        "pull": "Fetch such an artifact, or those that a catalog extends.",
        "site": "Write a catalog as a static web site.",
    },
    "VM owners": {
        "create": "Create a VM from flags as virtctl does, or declare an instance type or preference.",
        "expand": "Show what KubeVirt makes of VMs: admission, VMI, libvirt domain XML.",
        "explain": "Show where a value of a VM, its Pod or its domain comes from.",
        "adopt": "Find the instance type and preference that VMs can name in place of their own fields.",
        "template": "Process VirtualMachineTemplates into VMs; convert OpenShift Templates.",
    },
    "Reviewers and platform operators": {
        "diff": "Show what a change does to the objects and to the VMs.",
        "drift": "Show which changes in Git have reached which VM of a cluster.",
        "verify": "Compare what virtcatalog says of each VM with what a cluster has.",
        "dump": "Print the VMs of a cluster and the objects they use, redacted, for CI.",
        "capacity": "Show which VMs fit on which nodes, and what is left of quotas.",
        "rightsize": "Find VMs that are larger or smaller than what they use.",
        "gitops": "Print the objects for Argo CD or Flux, and those that let a cluster be read.",
        "hosts": "List the host profiles, or print one as YAML.",
    },
    "From elsewhere": {
        "import": "Import VMs of libvirt and VMware, flavors of OpenStack, or objects of a cluster.",
        "convert": "Convert objects of old KubeVirt APIs to current ones.",
    },
    "The tool itself": {
        "schema": "Write the JSON Schemas of catalog files and KubeVirt kinds.",
        "man": "Print or write the man pages.",
        "completion": "Print the shell completion script.",
    },
}
COMMANDS = {name: line for group in GROUPS.values() for name, line in group.items()}

#: New containers, and rounds of younger generations, after which garbage is looked for. A command keeps most of what it
#: makes while it starts, some 100,000, and what it drops later has hardly a circle: Python's own 700 costs a twentieth
#: of its time.
_COLLECTED_AFTER = (150_000, 20, 20)


class LazyGroup(click.Group):
    """Commands by group, with the line that help shows of each; a command is loaded when it is called."""

    groups: ClassVar[Mapping[str, Mapping[str, str]]]
    home: ClassVar[str]
    """The package of their modules, which are named as they are but for some."""
    modules: ClassVar[Mapping[str, str]] = {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return their names, in the order of help."""
        return [name for commands in self.groups.values() for name in commands]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load a command, and give it the options that every command has."""
        if cmd_name not in self.list_commands(ctx):
            return None
        command: click.Command = import_module(f"{self.home}.{self.modules.get(cmd_name, cmd_name)}").command
        add_common_options(command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write their lines."""
        for title, commands in self.groups.items():
            with formatter.section(title):
                formatter.write_dl(list(commands.items()))


class _Commands(LazyGroup):
    groups = GROUPS
    home = "virtcatalog.cli"
    #: `import` and `list` are words of Python's; the script for completion says what `complete` completes.
    modules = {"completion": "complete", "import": "importing", "list": "listing"}

    def main(self, *args: Any, **extra: Any) -> Any:
        """Answer a command line: this guards what click itself prints, such as wrong usage; see `guarded`."""
        check_streams()
        return guarded(partial(super().main, *args, **extra), debug="VIRTCATALOG_DEBUG" in os.environ)

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        """Read the options before the command, which may be --help: click would end a closed pipe with status 1."""
        return guarded(partial(super().make_context, *args, **extra), debug="VIRTCATALOG_DEBUG" in os.environ)

    def invoke(self, ctx: click.Context) -> Any:
        """Call the command; see `guarded`.

        What is left when the process ends goes with it, and is not searched for circles first.
        """
        import atexit
        import gc

        gc.set_threshold(*_COLLECTED_AFTER)
        atexit.register(gc.freeze)
        return guarded(partial(super().invoke, ctx), debug=ctx.params["debug"])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            from difflib import get_close_matches

            near = get_close_matches(args[0], COMMANDS, n=1)
            if not near:
                raise
            raise click.UsageError(f"{error.message} Did you mean '{near[0]}'?", ctx) from None


def add_common_options(command: click.Command) -> None:
    """Give a command, and those below it, the options that every command has."""
    if isinstance(command, click.Group):
        for subcommand in command.commands.values():
            add_common_options(subcommand)
    elif not any(param.name == "quiet" for param in command.params):
        command.params += common_options()


@click.group(cls=_Commands, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="virtcatalog", message="%(prog)s %(version)s")
@click.option("--debug", is_flag=True, envvar="VIRTCATALOG_DEBUG", help="Print the traceback of a bug, to report it.")
@click.pass_context
def main(context: click.Context, /, **_options: bool) -> None:
    """Declare KubeVirt instance types and preferences; see what every VM becomes.

    Without a command it says what is here, and which commands come next.

    Exit status: 0 fine, 1 findings or differences, 2 wrong usage or unreadable input, 70 a bug of virtcatalog's,
    130 interrupted.
    """
    if context.invoked_subcommand is None:
        from virtcatalog.cli.here import show

        show()


main.params += common_options()

if "_VIRTCATALOG_COMPLETE" in os.environ:
    from virtcatalog.cli import complete as complete  # it says how bash asks
