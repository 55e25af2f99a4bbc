"""Debuggable web pages of a phone: listing them, reading one, running a script in it."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import NamedTuple, TypeVar

from ...driver.web import PageFailed, PageProblem, PageText, ScriptResult, WebPage, WebPages
from ...errors import (
    ActionFailed,
    ElementNotFound,
    InvalidParams,
    PermissionDenied,
    TimedOut,
    ToolError,
)
from ...screen.characters import plain
from ...screen.model import Flag, Screen
from ...screen.text import brief
from ..phone import Phone
from .issued_pages import IssuedPage

Done = TypeVar("Done")
_VISIBLE = Flag.VISIBLE.value
_WEB_VIEW = "WebView"
NONE_ALLOWED = (
    "No app lets its web pages be debugged now. Browsers do; other apps only if they are made for"
    " tests. Elements of pages are in get_screen_state."
)
NONE_OPEN = (
    "Apps that let their web pages be debugged run, but have none open now. Elements of other pages"
    " are in get_screen_state."
)
MOST_LISTED = 100


class Listed(NamedTuple):
    pages: list[IssuedPage]
    notes: tuple[str, ...]


async def list_pages(phone: Phone) -> Listed:
    """Raises ToolError."""
    found, shown = await asyncio.gather(
        phone.driver.web_pages(), phone.driver.read_screen(), return_exceptions=True
    )
    if isinstance(found, BaseException):
        raise found
    if isinstance(shown, BaseException) and not isinstance(shown, ToolError):
        raise shown
    pages = [page for page in found.pages if not any(map(phone.hides, page.packages))]
    # Visible pages first; the rest in the apps' order.
    pages.sort(key=lambda page: not page.visible)
    listed = _share(pages)
    screen = shown if isinstance(shown, Screen) else None
    notes = _notes(phone, found, screen, bool(pages))
    if len(listed) < len(pages):
        notes.append(f"{len(pages) - len(listed)} more pages are open; they are not listed.")
    return Listed(phone.web_pages.issue(listed), tuple(notes))


def _share(pages: list[WebPage]) -> list[WebPage]:
    """Choose the listed pages: an app with very many pages must not displace another's."""
    counts: Counter[str] = Counter()
    ranks: list[int] = []
    for page in pages:
        ranks.append(counts[page.socket])
        counts[page.socket] += 1
    fair = sorted(range(len(pages)), key=ranks.__getitem__)[:MOST_LISTED]
    return [pages[at] for at in sorted(fair)]


def _notes(phone: Phone, found: WebPages, screen: Screen | None, any_listed: bool) -> list[str]:
    notes = [
        f"{package} lets its web pages be debugged but did not answer: it may be stopped in the"
        " background. Bring it to the front."
        for package in found.silent
        if not phone.hides(package)
    ]
    notes += [
        f"A browser lets its web pages be debugged ({socket}) but did not answer: it may be stopped"
        " in the background. Bring it to the front."
        for socket in found.unnamed
    ]
    if found.unasked:
        notes.append(
            f"{found.unasked} more apps may let their web pages be debugged; they were not asked."
        )
    if found.hidden:
        return [*notes, "Android does not report which web pages can be debugged."]
    # Pages of silent apps may be the ones on the screen.
    unheard = found.unnamed or found.unasked
    closed = [] if screen is None or unheard else _shows_pages(screen)
    notes += [
        f"{package} shows a web page but does not allow debugging; its elements are in"
        " get_screen_state."
        for package in closed
        if package not in found.packages and not phone.hides(package)
    ]
    if notes or any_listed:
        return notes
    open_to_us = any(not phone.hides(package) for package in found.packages)
    return [NONE_OPEN if open_to_us else NONE_ALLOWED]


def _shows_pages(screen: Screen) -> list[str]:
    """Return the packages of apps with a web page on the screen."""
    packages = [
        plain(window.package)
        for window in screen.windows
        if window.package
        and window.type == "APPLICATION"
        and any(
            (node.class_name or "").endswith(_WEB_VIEW) and node.flags & _VISIBLE
            for node in window.nodes
        )
    ]
    return list(dict.fromkeys(packages))


async def read_page(phone: Phone, issued: IssuedPage, selector: str | None, most: int) -> PageText:
    """Raises ToolError."""
    return await _asked(
        issued, lambda: phone.driver.read_page(issued.page, selector, most), selector or ""
    )


async def run_script(
    phone: Phone, issued: IssuedPage, script: str, timeout_ms: int
) -> ScriptResult:
    """Raises ToolError."""
    return await _asked(
        issued, lambda: phone.driver.run_script(issued.page, script, timeout_ms), "", acts=True
    )


async def _asked(
    issued: IssuedPage, ask: Callable[[], Awaitable[Done]], selector: str, *, acts: bool = False
) -> Done:
    try:
        return await ask()
    except PageFailed as failure:
        raise _explain(failure, issued, selector, acts) from None


def _explain(failure: PageFailed, issued: IssuedPage, selector: str, acts: bool) -> ToolError:
    outcome = ""
    if acts:
        outcome = (
            " The script may or may not have run." if failure.may_have_run else " Nothing was done."
        )
    detail = brief(failure.detail, 300)
    package = issued.page.package
    match failure.problem:
        case PageProblem.GONE:
            return ElementNotFound(
                f"Web page {issued.id} is gone: it was closed, or its app has ended. Call"
                f" list_web_pages again.{outcome}"
            )
        case PageProblem.MOVED:
            return ElementNotFound(
                f"Web page {issued.id} no longer shows its listed site. Call"
                f" list_web_pages again.{outcome}"
            )
        case PageProblem.LEFT:
            return ActionFailed(f"Web page {issued.id} loaded another document.{outcome}")
        case PageProblem.SILENT:
            return TimedOut(
                f"The web page of {package} did not answer in time: it is busy, or its app is"
                f" stopped in the background.{outcome}"
            )
        case PageProblem.TAKEN:
            return PermissionDenied(
                f"Another program debugs this page of {package}, such as Chrome's inspector: close"
                f" it first.{outcome}"
            )
        case PageProblem.BAD_SELECTOR:
            return InvalidParams(f"'{brief(selector)}' is not a CSS selector: {detail}")
        case PageProblem.NO_MATCH:
            return ElementNotFound(f"No element of the page matches '{brief(selector)}'.")
        case PageProblem.THREW:
            if failure.may_have_run:
                return ActionFailed("The script threw:", detail)
            return ActionFailed(f"The page could not be read.{outcome}", detail)
        case PageProblem.REFUSED:
            return ActionFailed(
                f"{package} did not report the result: {detail.rstrip('.')}.{outcome}"
            )
        case PageProblem.TOO_LARGE:
            return ActionFailed(
                f"The answer of the page of {package} is too large to be read.{outcome}"
            )
        case PageProblem.UNUSUAL:
            return ActionFailed(f"{package} does not answer as a debugged web page does.{outcome}")
