"""`virtcatalog completion`: the shell completion script."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from virtcatalog.cli.console import data


@click.command(
    "completion",
    epilog="""\b
Examples:
  eval "$(virtcatalog completion bash)"
  virtcatalog completion zsh > ~/.zfunc/_virtcatalog
  virtcatalog completion fish > ~/.config/fish/completions/virtcatalog.fish
""",
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print the completion script for SHELL."""
    from virtcatalog.cli import main

    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"no completion for {shell}")
    data(kind(main, {}, "virtcatalog", "_VIRTCATALOG_COMPLETE").source() + "\n")
