"""`virtcatalog completion`: the shell completion script."""

from __future__ import annotations

import click

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
    from virtcatalog.cli.complete import script

    data(script(shell, main))
