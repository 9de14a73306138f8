"""What MkDocs does beside rendering the pages: pages made of the program itself, and links out of docs/.

`mkdocs build` calls these functions; see mkdocs.yml.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from virtcatalog.cli import GROUPS, main
from virtcatalog.cli.man import markdown, pages

ROOT = Path(__file__).parents[2]
#: Files of the repository that are pages, too.
PAGES = {"changelog.md": "CHANGELOG.md", "security.md": "SECURITY.md"}
_LINK = re.compile(r"\]\(([^)#\s]+)(#[^)\s]*)?\)")
#: What the tests do with a page, which is not for those who read it: see tests/docs/running.py.
_TESTED = re.compile(r"^<!-- (?:set-up|file|exit|not run:).*?-->\n+", re.MULTILINE | re.DOTALL)
#: A bar in the code of a table, which GitHub's Markdown wants escaped and this one shows as it stands.
_BAR = re.compile(r"(?<=^\|)(.*)$", re.MULTILINE)
_CODE = re.compile(r"`[^`\n]+`")
_OUTWARD = re.compile(r"\[([^\]]*)\]\(\.\./([^)#\s]+)(#[^)\s]*)?\)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are made: every command, the catalog's schema, and files from outside of docs/."""
    made = {"commands.md": commands(), "schema.md": schema()}
    made |= {page: _moved((ROOT / source).read_text(encoding="utf-8")) for page, source in PAGES.items()}
    for path, text in made.items():
        files.append(File.generated(config, path, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, **_: Any) -> str:
    """Leave out what tests go by; links to elsewhere in the repository lead there, or are text without a `repo_url`."""

    def linked(found: re.Match[str]) -> str:
        text, source, anchor = found[1], found[2], found[3] or ""
        if "/" in page.file.src_path and (ROOT / "docs" / source).exists():  # a page above a folder of pages
            return found[0]
        known = next((name for name, path in PAGES.items() if path == source), None)
        if known:
            return f"[{text}]({known}{anchor})"
        if not (ROOT / source).exists():
            raise PluginError(f"{page.file.src_path}: there is no {source} in the repository")
        return f"[{text}]({config.repo_url.rstrip('/')}/blob/main/{source}{anchor})" if config.repo_url else text

    text = _BAR.sub(lambda row: _CODE.sub(lambda code: code[0].replace("\\|", "|"), row[1]), _TESTED.sub("", markdown))
    return _OUTWARD.sub(linked, text)


def on_post_page(output: str, **_: Any) -> str:
    """Give the search dialog its name, and let the keyboard scroll blocks of code: the theme does neither."""
    named = output.replace('role="dialog"', 'role="dialog" aria-label="Search"')
    return re.sub("(<pre>(?:<span></span>)?)<code>", r'\1<code tabindex="0">', named)


def _moved(text: str) -> str:
    """A file from the repository's root, whose links lead from docs/."""

    def moved(found: re.Match[str]) -> str:
        target, anchor = found[1], found[2] or ""
        if "://" in target:
            return found[0]
        inside = target.removeprefix("docs/")
        return f"]({inside if inside != target else f'../{target}'}{anchor})"

    return _LINK.sub(moved, text)


def commands() -> str:
    """Return the page of all commands: what `--help` says."""
    intro = (
        "# Commands\n\nWhat `--help` says. `virtcatalog man COMMAND` prints it as a man page; "
        "[the command line](command-line.md) is what all have in common.\n\n"
    )
    groups = "".join(
        f"- {title}: {', '.join(f'[{name}](#virtcatalog-{name})' for name in group)}\n"
        for title, group in GROUPS.items()
    )
    return f"{intro}{groups}\n" + "\n".join(markdown(page) for page in pages(main))


def schema() -> str:
    """Return the page of the catalog's files: every key, as the schemas have it."""
    intro = (
        "# The catalog's schema\n\nEvery key of a catalog's files, from the schemas that `virtcatalog schema` writes "
        "for editors. [The catalog's language](catalog.md) explains them; what `spec` may have is KubeVirt's API.\n"
    )
    parts = [intro]
    for file in sorted((ROOT / "schemas/catalog").glob("*.json")):
        data = json.loads(file.read_text(encoding="utf-8"))
        parts.append(f"\n## {data['title']}\n\n{data.get('description', '')}\n")
        parts += _tables(data, data, "", seen=set())
    return "\n".join(parts)


def _tables(data: dict[str, Any], root: dict[str, Any], path: str, *, seen: set[str]) -> list[str]:
    """The keys of a map as a table, then those of the maps in it that the catalog's language has."""
    found = _fields(data, root)
    if not found:
        return []
    title = [f"\n### `{path}`\n"] if path else []
    required = set(data.get("required", ()))
    rows = [
        f"| `{key}`{' (required)' if key in required else ''} | {_kind(each)} | {_plain(each.get('description', ''))} |"
        for key, each in found.items()
    ]
    below: list[str] = []
    for key, each in found.items():
        name, inner = _own(each, root)
        if inner and name not in seen:
            seen.add(name)
            below += _tables(inner, root, f"{path}.{key}".lstrip("."), seen=seen)
    return [*title, "\n| Key | Type | What |\n|---|---|---|\n" + "\n".join(rows) + "\n", *below]


def _fields(data: dict[str, Any], root: dict[str, Any]) -> dict[str, Any]:
    if "properties" in data:
        return dict(data["properties"])
    values = data.get("additionalProperties")
    return {"NAME": values} if isinstance(values, dict) and _own(values, root)[1] else {}


def _own(data: dict[str, Any], root: dict[str, Any]) -> tuple[str, dict[str, Any] | None]:
    """The map that a value is, if it is one of the language's and not of KubeVirt's API; and its name."""
    for each in (data, *data.get("anyOf", ())):
        name = each.get("$ref", "").rpartition("/")[2]
        target = root["$defs"][name] if name else each
        values = target.get("additionalProperties")
        if name and not name.startswith("VirtualMachine") and "properties" in target:
            return name, target
        if isinstance(values, dict) and (inner := _own(values, root))[1]:
            return f"{{{inner[0]}}}", {"properties": {"NAME": {"$ref": f"#/$defs/{inner[0]}"}}}
    return "", None


def _kind(data: dict[str, Any]) -> str:
    kinds: list[str] = []
    for each in data.get("anyOf", [data]):
        name = each.get("$ref", "").rpartition("/")[2]
        said = each.get("type", "map" if name else "any")
        kinds += [name if name.startswith("VirtualMachine") else said] if isinstance(said, str) else said
    words = {"object": "map", "array": "list", "null": ""}
    return ", ".join(dict.fromkeys(word for kind in kinds if (word := words.get(kind, kind))))


def _plain(text: str) -> str:
    return re.sub(r"([*_<>\[\]|{}])", r"\\\1", " ".join(text.split()))
