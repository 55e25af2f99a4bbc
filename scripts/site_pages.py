"""What `make site` adds to docs/: pages from the top of the repository, and files that are linked.

mkdocs calls the functions that begin with `on_`. Pages are written for a code host, which shows
them where they are; in the site all is in one tree, so links that lead out of docs/ are changed.
"""

# pyright: reportMissingImports=false, reportUnknownVariableType=false

import re
from collections.abc import Iterator
from pathlib import Path
from posixpath import normpath, relpath
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PAGES = {
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
}
"""Pages of the site by where they are in the repository; others keep their place in docs/."""
SCHEMAS = "src/handheld/app_formats/schemas/"
"""Whose files are in the site as they are."""
_LINK = re.compile(r"(?<=\]\()([^)#:\s]+)(?=[#)])")
_FETCHED = re.compile(
    r'<(?!link rel="canonical")(?:script|link|img)\b[^>]*\b(?:src|href)="?(?:https?:)?//[^>]*>'
)
_NAMED_BY_FILE = re.compile(r"\[[\w/.-]+\.md\]\(([^)#\s]+)")
_FENCED = re.compile(r"(?ms)(^```.*?^```$)")
_FOUND_FIRST = ("Guides", "Use it", "Build on it")
"""Parts of the site whose pages are found before others, which have the words of all of them."""
_LANGUAGES = {".java": "java", ".kt": "kotlin", ".py": "python", ".toml": "toml", ".xml": "xml"}


def slug(heading: str, separator: str = "-") -> str:
    """Return the anchor of a heading as GitHub makes it, so that links work there and here."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", separator)


def place_in_site(path: str) -> str:
    """Return where a file of the repository is in the site."""
    if path in PAGES:
        return PAGES[path]
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    if path.startswith(SCHEMAS):
        return f"schemas/{path.removeprefix(SCHEMAS)}"
    return f"source/{path}.md"


def place_in_repository(page: str) -> str:
    for path, other in PAGES.items():
        if other == page:
            return path
    return f"docs/{page}"


def linked_files(path: str, text: str) -> Iterator[str]:
    """Yield the files of the repository that a page links to."""
    for link in _LINK.findall(text):
        target = normpath(f"{Path(path).parent.as_posix()}/{link}")
        if (ROOT / target).is_file():
            yield target


def titles(nav: list[dict[str, Any]], part: str = "") -> Iterator[tuple[str, str, str]]:
    """Yield the pages of a menu, with their titles and the parts of the site that they are in."""
    for entry in nav:
        for title, inside in entry.items():
            if isinstance(inside, str):
                yield inside, title, part
            else:
                yield from titles(inside, part or title)


def name_by_title(markdown: str, here: str, names: dict[str, str]) -> str:
    """Links that show the name of a file, as a code host's readers know it, show a title."""

    def change(link: re.Match[str]) -> str:
        title = names.get(normpath(f"{Path(here).parent.as_posix()}/{link[1]}"))
        return f"[{title}]({link[1]}" if title else link[0]

    return _NAMED_BY_FILE.sub(change, markdown)


def on_config(config: Any) -> Any:
    config.mdx_configs["toc"]["slugify"] = slug
    return config


def on_files(files: Any, config: Any) -> Any:
    from mkdocs.structure.files import File, InclusionLevel

    for path, page in PAGES.items():
        files.append(File.generated(config, page, abs_src_path=str(ROOT / path)))
    for path in sorted([*(ROOT / SCHEMAS).glob("*.json"), *(ROOT / SCHEMAS).glob("*.xsd")]):
        files.append(File.generated(config, f"schemas/{path.name}", abs_src_path=str(path)))
    sources = {
        target
        for file in files.documentation_pages()
        for target in linked_files(place_in_repository(file.src_uri), file.content_string)
        if place_in_site(target).startswith("source/")
    }
    for path in sorted(sources):
        text = (ROOT / path).read_text(encoding="utf-8")
        content = f"# {path}\n\n````{_LANGUAGES.get(Path(path).suffix, '')}\n{text}````\n"
        page = place_in_site(path)
        inclusion = InclusionLevel.NOT_IN_NAV
        files.append(File.generated(config, page, content=content, inclusion=inclusion))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    here = page.file.src_uri
    path = place_in_repository(here)

    def change(link: re.Match[str]) -> str:
        for target in linked_files(path, f"]({link[0]})"):
            return relpath(place_in_site(target), Path(here).parent.as_posix())
        return link[0]

    listed = list(titles(config.nav))
    if here not in [name for name, _, part in listed if part in _FOUND_FIRST]:
        page.meta["search"] = {"boost": 0.3}
    names = {name: title for name, title, _ in listed}
    # What is in a list item is indented by two or three spaces, for which mkdocs wants four.
    parts = _FENCED.split(name_by_title(_LINK.sub(change, markdown), here, names))
    parts[::2] = [re.sub(r"(?m)^ {2,3}(?=\S)", " " * 4, part) for part in parts[::2]]
    return "".join(parts)


def on_post_page(output: str, page: Any, config: Any) -> None:
    """Raises ValueError for a page that would fetch something from another host."""
    if found := _FETCHED.search(output):
        raise ValueError(f"{page.file.src_uri} fetches from another host: {found[0]}")
