"""`virtcatalog schema`: the JSON Schemas of catalog files and KubeVirt kinds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from virtcatalog.cli import options
from virtcatalog.cli.console import data, echo, failing, note
from virtcatalog.errors import VirtcatalogError


@click.command("schema")
@click.argument("kind", required=False, shell_complete=options.completes("schemas"))
@options.output_dir("Write every schema below this folder.")
@click.option("--check", is_flag=True, help="Write nothing; exit 1 when the folder is not what would be written.")
@failing
def command(kind: str | None, output: Path | None, *, check: bool) -> int:
    """Print the schema of KIND, or write them all with --output-dir.

    KIND is a kind (VirtualMachine) or a schema's name (catalog/preferences). Without KIND and --output-dir, the names
    of all schemas are printed.
    """
    from virtcatalog.catalog.schema import all_schemas
    from virtcatalog.writing import write_files

    schemas = all_schemas()
    if kind and (output or check):
        raise click.UsageError("KIND is for printing one schema; --output-dir and --check are for all of them.")
    if check or output:
        folder = output or Path("schemas")
        if folder.exists() and not folder.is_dir():
            raise VirtcatalogError(f"{folder}: is not a folder")
        stale = _stale(folder, schemas)
        if check:
            for path, fault in stale.items():
                echo(f"{folder / path}: {fault}", err=True)
            echo(f"{len(stale)} of {len(schemas)} schemas differ" if stale else "schemas are fresh", err=True)
            return 1 if stale else 0
        texts = {path: _text(schemas[path]) if path in schemas else None for path in stale}
        write_files(folder, texts, note, replaces=True)
    elif kind:
        data(_text(schemas[_find(kind, schemas)]))
    else:
        for path in schemas:
            echo(path.removesuffix(".json"))
    return 0


def _find(kind: str, schemas: dict[str, dict[str, Any]]) -> str:
    key = kind.lower().removesuffix(".json")
    names = {path: path.rpartition("/")[2].partition("_")[0].removesuffix(".json") for path in schemas}
    for path, name in names.items():
        if key in (path.removesuffix(".json").lower(), name):
            return path
    from difflib import get_close_matches

    near = get_close_matches(key, dict.fromkeys(names.values()), n=1)
    hint = f" Did you mean {near[0]}?" if near else " `virtcatalog schema` lists them."
    raise click.UsageError(f"There is no schema of {kind}.{hint}")


def _text(schema: dict[str, Any]) -> str:
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def _stale(folder: Path, schemas: dict[str, dict[str, Any]]) -> dict[str, str]:
    """What in the folder is not as it would be written, and how; files that virtcatalog never wrote do not count."""
    from virtcatalog.api.schema import COMMENT

    stale = {}
    for path, schema in schemas.items():
        file = folder / path
        if any(parent.is_symlink() for parent in (file, *file.parents[: path.count("/")])):
            raise VirtcatalogError(f"{file}: is a symbolic link, or below one: schemas are not written through links")
        if not file.is_file():
            stale[path] = "missing"
        elif file.read_bytes() != _text(schema).encode():
            stale[path] = "stale"
    for file in sorted(folder.rglob("*.json")):
        path = file.relative_to(folder).as_posix()
        if path not in schemas and file.is_file() and not file.is_symlink() and COMMENT.encode() in file.read_bytes():
            stale[path] = "no longer written"
    return stale
