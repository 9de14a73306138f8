"""What the shell completes: names of a catalog's objects and environments, git's revisions, KubeVirt releases, files.

A repository is often somebody else's, and what is completed is then run: only names in which no shell finds anything to
obey are offered. What cannot be read completes nothing; the command itself will say why.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator

import click
from click import Command, Context, Group, Parameter
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    add_completion_class,
    get_completion_class,
    split_arg_string,
)

from virtcatalog.cli.console import data

#: What a shell's script sets when it asks.
VARIABLE = "_VIRTCATALOG_COMPLETE"

Completer = Callable[[Context, Parameter, str], list[CompletionItem]]

_HARMLESS = re.compile(r"[A-Za-z0-9_@%+./][-A-Za-z0-9_@%+./]*")
_VERSION = re.compile(r"v(\d+)\.(\d+)\.(\d+)")
#: Two revisions with dots between them, unless it is a path such as ../../catalog.
_PAIR = re.compile(r"([A-Za-z0-9_@%+./-]+?\.\.\.?)((?![./]).*)")
FILE, FOLDER = "file", "dir"


def completer(find: Callable[[Context], Iterable[str]], also: str = "") -> Completer:
    """Return what completes the names that are found, and `also` a FILE or FOLDER."""

    def complete(context: Context, _parameter: Parameter, incomplete: str) -> list[CompletionItem]:
        try:
            names = [*dict.fromkeys(find(context))]
        except Exception:
            names = []
        items = [CompletionItem(name) for name in names if name.startswith(incomplete) and _HARMLESS.fullmatch(name)]
        return [*items, CompletionItem(incomplete, type=also)] if also else items

    return complete


def _path(context: Context) -> str:
    """The catalog that the command line names, or the one that counts where it names none."""
    return context.params.get("argument") or context.params.get("catalog") or "catalog"


def _kind(kind: str) -> Callable[[Context], Iterator[str]]:
    def find(context: Context) -> Iterator[str]:
        from virtcatalog.cli.inputs import catalog_objects

        for manifest in catalog_objects(context.params.get("catalog")):
            if manifest["kind"].lower().endswith(kind):
                yield manifest["metadata"]["name"]

    return find


def _items(context: Context) -> Iterator[str]:
    from virtcatalog.cli.items import catalog_items

    sort = context.params.get("sort")
    return (item.name for item in catalog_items(context.params.get("catalog"), ()) if sort in (None, item.sort))


def _environments(context: Context) -> Iterator[str]:
    from virtcatalog.catalog.load import load_catalog
    from virtcatalog.cli.inputs import default_path
    from virtcatalog.manifests.sources import open_in_checkout
    from virtcatalog.repositories.find import is_repository
    from virtcatalog.review.read import read_side
    from virtcatalog.review.side import environment_names

    path = context.params.get("argument") or context.params.get("catalog") or default_path()
    folder = open_in_checkout(path)
    if is_repository(folder):
        return iter(environment_names(read_side(folder, path)))
    return (overlay.name for overlay in load_catalog(path).overlays)


def _classes(context: Context) -> Iterator[str]:
    from virtcatalog.catalog.load import load_catalog

    return (instancetype.series for instancetype in load_catalog(_path(context)).instancetypes)


def _subjects(context: Context) -> Iterator[str]:
    """What `impact` is asked about: objects, classes, components."""
    from virtcatalog.ask.impact import components_of
    from virtcatalog.manifests.sources import open_folder

    yield from _items(context)
    yield from _classes(context)
    yield from components_of(open_folder(_path(context)))


def _versions(context: Context) -> Iterator[str]:
    """What the next release may be called."""
    from virtcatalog.catalog.load import load_catalog

    lock = load_catalog(_path(context)).lock
    before = _VERSION.fullmatch(lock.version) if lock else None
    major, minor, patch = map(int, before.groups()) if before else (0, 0, 0)
    if before:
        yield f"v{major}.{minor}.{patch + 1}"
        yield f"v{major}.{minor + 1}.0"
    yield f"v{major + 1}.0.0"


def _revisions(_context: Context) -> list[str]:
    from pathlib import Path

    from virtcatalog.manifests.git import Repository

    return ["HEAD", *Repository(Path()).names()]


def _catalogs(_context: Context) -> Iterable[str]:
    from virtcatalog.manifests.sources import shipped

    return shipped()


def _releases(_context: Context) -> Iterable[str]:
    from virtcatalog.releases import PREVIEWS, RELEASES

    return [*RELEASES, *PREVIEWS]


def _hosts(_context: Context) -> Iterable[str]:
    from virtcatalog.kubevirt.hosts import HOSTS

    return HOSTS


def _commands(context: Context) -> Iterable[str]:
    program = context.find_root().command
    return program.list_commands(context) if isinstance(program, Group) else ()


def _schemas(_context: Context) -> Iterable[str]:
    from virtcatalog.catalog.schema import all_schemas

    return [path.removesuffix(".json") for path in all_schemas()]


def _nothing(_context: Context) -> Iterable[str]:
    return ()


def sides(context: Context, parameter: Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete a side of `diff`: a revision, two with dots between them, a catalog, or a file or folder."""
    pair = _PAIR.fullmatch(incomplete)
    if pair:
        return [CompletionItem(f"{pair[1]}{revision.value}") for revision in revisions(context, parameter, pair[2])]
    return [*revisions(context, parameter, incomplete), *catalogs(context, parameter, incomplete)]


def sources(_context: Context, _parameter: Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete a file or folder, with or without an environment before it."""
    return [CompletionItem(incomplete.rpartition("=")[2], type=FILE)]


instancetypes, preferences = completer(_kind("instancetype")), completer(_kind("preference"))
items, classes, subjects = completer(_items), completer(_classes), completer(_subjects)
environments, versions = completer(_environments), completer(_versions)
revisions, releases = completer(_revisions), completer(_releases)
hosts, catalogs = completer(_hosts, FILE), completer(_catalogs, FILE)
commands, schemas = completer(_commands), completer(_schemas)
files, folders = completer(_nothing, FILE), completer(_nothing, FOLDER)


class Bash(BashComplete):
    """Bash's completion: of the line as it is, since bash breaks words at `=`, `@` and `:`, too."""

    source_template = r"""
%(complete_func)s() {
    local line=${COMP_LINE:0:COMP_POINT} kept="" only="" type value
    # What is before the last character at which bash, and no other shell, breaks words is there already.
    local breaks=${COMP_WORDBREAKS//[^=@:]/} word=${COMP_LINE:0:COMP_POINT}
    word=${word##*[[:space:]]}
    [[ -n $breaks && $word == *["$breaks"]* ]] && kept=${word%%"${word##*["$breaks"]}"}
    kept=${kept%%@}  # which begins a word
    COMPREPLY=()
    while IFS=, read -r type value; do
        case $type in
            plain) COMPREPLY+=("${value#"$kept"}") ;;
            file | dir) only=$type word=$value ;;
        esac
    done < <(env COMP_LINE="$line" %(complete_var)s=bash_complete "$1")
    if [[ -n $only && ${#COMPREPLY[@]} -gt 0 ]]; then
        compopt -o filenames
        # A name with a line break comes in parts, of which bash would leave some unquoted: no file is called so.
        while IFS= read -r value; do
            [[ $value == "$word"* && -e ${value/#\~\//$HOME/} ]] && COMPREPLY+=("${value#"$kept"}")
        done < <(compgen -"${only:0:1}" -- "$word")
    elif [[ $only == file ]]; then
        compopt -o default
    elif [[ $only == dir ]]; then
        compopt -o dirnames
    fi
}

complete -o nosort -F %(complete_func)s %(prog_name)s
"""

    def source(self) -> str:
        """Return the script, whatever bash there is here."""
        return self.source_template % self.source_vars()

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the words before the cursor, and the one that it is in."""
        line = os.environ["COMP_LINE"]
        _, *words = split_arg_string(line)
        return (words, "") if line[-1:].isspace() or not words else (words[:-1], words[-1])


add_completion_class(Bash)


def script(shell: str, command: Command) -> str:
    """Return what a shell reads to complete the command's words."""
    kind = get_completion_class(shell)
    assert kind is not None
    return kind(command, {}, "virtcatalog", VARIABLE).source().lstrip("\n") + "\n"


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
    data(script(shell, click.get_current_context().find_root().command))
