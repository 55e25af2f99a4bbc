"""The ids of listed web pages, and their meanings."""

import secrets
from collections import OrderedDict
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from ...driver.web import WebPage, site_of
from ...errors import ElementNotFound
from ...screen.text import brief, quoted

if TYPE_CHECKING:
    from ...driver.web import WebPage

MOST = 500
"""The maximum number of remembered pages."""
_LONGEST_ADDRESS = 300


class IssuedPage(NamedTuple):
    id: str
    page: WebPage

    def describe(self) -> str:
        """Describe the page for a question to a person, to whom ids mean nothing."""
        page = self.page
        return f"{page.package}: {quoted(page.title)}, {brief(page.url, _LONGEST_ADDRESS)}"


class IssuedPages:
    """An id means one page of one process, on its listed site and of its listed app. Ids are
    random: they cannot be guessed, and no id is given to another page."""

    def __init__(self) -> None:
        self._ids: OrderedDict[tuple[str, int, str, str, frozenset[str]], str] = OrderedDict()
        """By the page's identity, the most recently listed at the end."""
        self._pages: dict[str, WebPage] = {}

    def issue(self, pages: Iterable[WebPage]) -> list[IssuedPage]:
        issued: list[IssuedPage] = []
        for page in pages:
            apps = frozenset(page.packages)  # a browser itself reports its package
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
        """Forget all ids: after a restart of the phone, socket inodes may be reused."""
        self._ids.clear()
        self._pages.clear()
