"""Debuggable web pages of apps."""

from collections.abc import Iterable, Mapping
from typing import Any

from ...phone.phone import Phone
from ...screen.characters import plain, plain_lines
from ...screen.text import cut
from ..listing import SCRIPT_TOOLSET, WEB_TOOLSET
from ..recording import Secret
from ..tool import Toolset, json_text
from .params import PageId, PageScript, PageSelector, ScriptTimeout, TextLimit

# The first call loads the DevTools client: most sessions do not use it.

web = Toolset(WEB_TOOLSET)
web_scripts = Toolset(SCRIPT_TOOLSET)

LONGEST_TITLE = 200
LONGEST_URL = 1000
LONGEST_RESULT = 20_000


async def about_page(phone: Phone, arguments: Mapping[str, Any]) -> Iterable[str]:
    """Return the app whose process has the page."""
    return phone.web_pages.find(str(arguments.get("page_id"))).page.packages


def _subject(phone: Phone, arguments: Mapping[str, Any]) -> str:
    return phone.web_pages.find(str(arguments.get("page_id"))).describe()


@web.tool(
    title="List web pages",
    read_only=True,
    idempotent=True,
    open_world=True,
    secret_reply=Secret.WHOLE,
)
async def list_web_pages(phone: Phone) -> str:
    """Lists the web pages of apps that let them be debugged, such as browsers and test versions of
    apps, those on the screen first. Other apps' pages are in `android_get_screen_state` only."""
    from ...phone.web.web_pages import list_pages

    found = await list_pages(phone)
    reply: dict[str, Any] = {
        "pages": [
            {
                "page_id": id,
                "package_id": page.package,
                "title": cut(plain(page.title), LONGEST_TITLE),
                "url": cut(plain(page.url), LONGEST_URL),
                "visible": page.visible,
            }
            for id, page in found.pages
        ]
    }
    if found.notes:
        reply["notes"] = list(found.notes)
    return json_text(reply)


@web.tool(
    title="Read web page",
    read_only=True,
    idempotent=True,
    open_world=True,
    secret_reply=Secret.WHOLE,
    about=about_page,
    subject=_subject,
)
async def read_web_page(
    phone: Phone, page_id: PageId, selector: PageSelector = None, max_chars: TextLimit = 20_000
) -> str:
    """Returns the displayed text of a web page, including what is scrolled out of view; with a
    selector, only the text of matching elements."""
    from ...phone.web.web_pages import read_page

    issued = phone.web_pages.find(page_id)
    found = await read_page(phone, issued, selector or None, max_chars)
    reply: dict[str, Any] = {
        "page_id": issued.id,
        "package_id": issued.page.package,
        "title": cut(plain(found.title), LONGEST_TITLE),
        "url": cut(plain(found.url), LONGEST_URL),
        "text": plain_lines(found.text),
        "truncated": found.truncated,
    }
    if selector:
        reply["matches"] = found.matches
    if found.frames:
        reply["frames"] = found.frames
        reply["note"] = "The text of frames inside the page is not included."
    return json_text(reply)


@web_scripts.tool(
    title="Run web script",
    destructive=True,
    open_world=True,
    secret_reply=Secret.WHOLE,
    about=about_page,
    subject=_subject,
)
async def run_web_script(
    phone: Phone, page_id: PageId, script: PageScript, timeout: ScriptTimeout = 5000
) -> str:
    """Runs JavaScript in a web page, as the page itself, and returns the value of its last
    expression as JSON. A promise is awaited."""
    from ...phone.web.web_pages import run_script

    issued = phone.web_pages.find(page_id)
    found = await run_script(phone, issued, script, timeout)
    return json_text(
        {
            "page_id": issued.id,
            "package_id": issued.page.package,
            "url": cut(plain(found.url), LONGEST_URL),
            "type": plain(found.type),
            "value": cut(plain_lines(found.value), LONGEST_RESULT),
        }
    )
