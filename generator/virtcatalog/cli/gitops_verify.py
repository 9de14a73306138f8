"""`virtcatalog gitops flux --verify-…`: whose signature an artifact has to have."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from virtcatalog.oci import SCHEME


def verified(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give the command --verify-key and --verify-identity, as `verify`: None for no signature."""

    @wraps(command)
    def run(
        *args: Any,
        tool: str,
        repo_url: str | None,
        sources: tuple[str, ...],
        secret: str | None,
        identity: tuple[str, str] | None,
        **parameters: Any,
    ) -> Any:
        from virtcatalog.render.gitops import Verification

        verify = None
        if secret or identity:
            if tool != "flux" or sources or not (repo_url or "").startswith(SCHEME):
                hint = "; Argo CD verifies no artifact: name it by its digest" if tool == "argocd" else ""
                raise click.UsageError(f"Flux verifies artifacts of catalogs, with --repo-url {SCHEME}…{hint}")
            if secret and identity:
                raise click.UsageError("a signature is either of --verify-key or of --verify-identity")
            verify = Verification(secret) if secret else Verification("", *(identity or ()))
        return command(*args, tool=tool, repo_url=repo_url, sources=sources, verify=verify, **parameters)

    return _KEY(_IDENTITY(run))


_KEY = click.option(
    "--verify-key",
    "secret",
    metavar="SECRET",
    help="Flux takes an artifact that the key in this Secret has signed (cosign.pub), and no other.",
)
_IDENTITY = click.option(
    "--verify-identity",
    "identity",
    nargs=2,
    metavar="ISSUER SUBJECT",
    help="Or that an identity has signed which fits these two regular expressions.",
)
