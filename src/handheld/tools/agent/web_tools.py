"""Web pages that can be debugged, as `phone_read` tells them; and scripts in them, where the owner
allows that."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from ...phone.phone import Phone
from ...screen.characters import visible
from ...screen.rows.words import clean, cut
from ..listing import SCRIPT_TOOLSET
from ..parameter import Param
from ..recording import Secret
from ..tool import Toolset
from .screen.wording import tell_rest

script_tools = Toolset(SCRIPT_TOOLSET)

MOST_TEXT = 20_000
LONGEST_TITLE = 100
LONGEST_URL = 300
LONGEST_LINE = 2000
LONGEST_SCRIPT = 20_000
"""Characters; a question shows as many."""
TIMEOUT_MS = 5000

# What speaks to DevTools is loaded by the first call: most sessions do not.


async def about_web(phone: Phone, arguments: Mapping[str, Any]) -> Iterable[str]:
    page, _ = _split(str(arguments.get("of") or ""))
    return phone.web_pages.find(page).page.packages if page else ()


def describe_web(phone: Phone, arguments: Mapping[str, Any]) -> str:
    """For a person who is asked: which page is read."""
    page, _ = _split(str(arguments.get("of") or ""))
    return _describe(phone, page) if page else ""


def _split(of: str) -> tuple[str, str]:
    """Return the id of a page, and the selector after it."""
    page, _, selector = of.strip().partition(" ")
    return page, selector.strip()


async def read_web(phone: Phone, of: str, limit: int) -> str:
    """The pages, or the text of one by its id; with a CSS selector after it, of what matches."""
    from ...phone.web.web_pages import list_pages, read_page

    page, selector = _split(of)
    if not page:
        found = await list_pages(phone)
        lines = [
            f'{id} "{cut(clean(page.title), LONGEST_TITLE)}" {_address(page.url)}'
            f" {page.package}{' on screen' * bool(page.visible)}"
            for id, page in found.pages[:limit]
        ]
        lines += tell_rest(len(found.pages) - len(lines), "pages")
        notes = [note.replace("get_screen_state", "phone_look") for note in found.notes]
        return "\n".join([*lines, *notes])
    issued = phone.web_pages.find(page)
    text = await read_page(phone, issued, selector or None, MOST_TEXT)
    lines = [line for line in text.text.splitlines() if line.strip()]
    shown = [visible(cut(line, LONGEST_LINE)) for line in lines[:limit]]
    rest = tell_rest(len(lines) - len(shown), "lines")
    if text.truncated:
        rest.append(f"Only the first {MOST_TEXT} characters were read.")
    if text.frames:
        rest.append("The text of frames inside the page is not included.")
    head = f'"{cut(clean(text.title), LONGEST_TITLE)}" {_address(text.url)}'
    return "\n".join([head, *shown, *rest])


def _address(url: str) -> str:
    """Quoted: an address that a page chooses may hold spaces and anything else."""
    return f'"{cut(clean(url), LONGEST_URL)}"'


async def _about_page(phone: Phone, arguments: Mapping[str, Any]) -> Iterable[str]:
    return phone.web_pages.find(str(arguments.get("page"))).page.packages


def _subject(phone: Phone, arguments: Mapping[str, Any]) -> str:
    return _describe(phone, str(arguments.get("page")))


def _describe(phone: Phone, page: str) -> str:
    return phone.web_pages.find(page).describe()


@script_tools.tool(
    name="phone_script",
    title="Script",
    destructive=True,
    open_world=True,
    secret_reply=Secret.WHOLE,
    abilities=("run_web_script",),
    about=_about_page,
    subject=_subject,
)
async def script(
    phone: Phone,
    page: Annotated[str, Param("id of phone_read web", secret=Secret.NO)],
    code: Annotated[str, Param("JavaScript", longest=LONGEST_SCRIPT, secret=Secret.WHOLE)],
) -> str:
    """Run JavaScript in a web page; the value of its last expression is the answer."""
    from ...phone.web.web_pages import run_script

    issued = phone.web_pages.find(page)
    found = await run_script(phone, issued, code, TIMEOUT_MS)
    return f"{clean(found.type)} {cut(clean(found.value), MOST_TEXT)}"
