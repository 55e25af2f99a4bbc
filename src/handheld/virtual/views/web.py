"""A web page as WebView shows it to accessibility: virtual views, with HTML ids."""

from collections.abc import Callable
from typing import Unpack

from . import theme
from .layout import Column, Frame, Scroll
from .options import Options
from .pen import Pen
from .view import HTML_ID, MATCH, View
from .widgets import Text

WEB = "android.webkit.WebView"
HEADINGS = {1: 26, 2: 21, 3: 18}


class Heading(Text):
    kind = "android.widget.TextView"
    __slots__ = ()

    def __init__(self, text: str, level: int = 1, **options: Unpack[Options]) -> None:
        options.setdefault("width", MATCH)
        super().__init__(text, size=HEADINGS.get(level, 16), face="Bold", **options)


class Paragraph(Text):
    __slots__ = ()

    def __init__(self, text: str, **options: Unpack[Options]) -> None:
        options.setdefault("width", MATCH)
        super().__init__(text, size=16, **options)


class Link(Text):
    kind = "android.view.View"
    __slots__ = ()

    def __init__(self, text: str, action: Callable[[], object], **options: Unpack[Options]) -> None:
        options["on_click"] = action
        options.setdefault("padding", (0, 8))
        super().__init__(text, size=16, color=theme.PRIMARY, **options)

    def draw(self, pen: Pen, dp: float) -> None:
        super().draw(pen, dp)
        left, _, right, bottom = self.inner(dp)
        pen.box((left, bottom - round(dp), right, bottom), theme.PRIMARY)


class Items(Column):
    """A list of the page."""

    kind = "android.widget.ListView"
    collection = True
    __slots__ = ()


class _Page(Scroll):
    """The document: the page's title is its text."""

    kind = WEB
    __slots__ = ("title",)

    def __init__(self, title: str, *elements: View) -> None:
        self.title = title
        body = Column(*elements, gap=12, padding=16, width=MATCH, class_name="android.view.View")
        super().__init__(body, width=MATCH, height=MATCH)

    @property
    def text(self) -> str | None:
        return self.title


class WebView(Frame):
    """Shows one page; `show` replaces it. Every view of a page becomes a virtual view."""

    kind = WEB
    __slots__ = ("_numbers", "page")

    def __init__(self, title: str = "", *elements: View, **options: Unpack[Options]) -> None:
        self._numbers = 0
        self.page = _Page(title, *elements)
        options.setdefault("focusable", True)
        options.setdefault("width", MATCH)
        options.setdefault("height", MATCH)
        options.setdefault("background", theme.CARD)
        super().__init__(self.page, **options)
        self._number()

    def show(self, title: str, *elements: View) -> None:
        self.page = _Page(title, *elements)
        self._number()
        self.replace(self.page)

    def _number(self) -> None:
        """Ids of virtual views are never reused."""
        for view in self.page.walk():
            self._numbers += 1
            view.virtual = self._numbers
            if view.id is not None and not view.id.startswith(HTML_ID):
                view.id = HTML_ID + view.id
