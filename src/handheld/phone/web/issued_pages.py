"""The ids of the web pages that were listed, and what each id means."""

import secrets
from collections import OrderedDict
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from ...errors import ElementNotFound
from ...screen.text import brief

if TYPE_CHECKING:
    from ...driver.web import WebPage

MOST = 500
"""Pages that are remembered."""


class IssuedPage(NamedTuple):
    id: str
    page: "WebPage"


class IssuedPages:
    """An id means one page of one process, on the site and of the app that it was listed with: it
    is drawn at random, so that none can be made up, and none is given to another page."""

    def __init__(self) -> None:
        self._ids: OrderedDict[tuple[str, int, str, str, frozenset[str]], str] = OrderedDict()
        """By what a page is, those that were listed last at the end."""
        self._pages: dict[str, WebPage] = {}

    def issue(self, pages: Iterable["WebPage"]) -> list[IssuedPage]:
        from ...driver.devtools.answers import site_of

        issued: list[IssuedPage] = []
        for page in pages:
            apps = frozenset(page.packages)  # a browser says itself which app it is
            what = (page.socket, page.inode, page.id, site_of(page.url), apps)
            id = self._ids.get(what) or self._draw()
            self._ids[what], self._pages[id] = id, page
            self._ids.move_to_end(what)
            issued.append(IssuedPage(id, page))
        while len(self._ids) > MOST:
            del self._pages[self._ids.popitem(last=False)[1]]
        return issued

    def _draw(self) -> str:
        while (id := f"web-{secrets.token_hex(4)}") in self._pages:
            pass
        return id

    def find(self, id: str) -> IssuedPage:
        """Raises ElementNotFound."""
        known = id.strip().lower()
        page = self._pages.get(known)
        if page is None:
            raise ElementNotFound(
                f"Web page not found: {brief(id)}. Call list_web_pages and use an id from its"
                " reply."
            )
        return IssuedPage(known, page)

    def forget(self) -> None:
        """The phone was restarted: numbers of sockets may be given again."""
        self._ids.clear()
        self._pages.clear()
