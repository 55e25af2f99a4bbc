"""A web page as WebView exposes it to accessibility: virtual views with HTML ids and roles."""

from collections.abc import Callable, Iterator
from typing import ClassVar, Unpack

from handheld.screen.model import WebNode

from ..drawing import theme
from ..drawing.pen import Pen
from ..layout import Column, Frame, Row, Scroll
from ..options import Options
from ..view import HTML_ID, MATCH, Told, View
from .basic import Button, CheckBox, Text
from .field import Field

WEB = "android.webkit.WebView"
HEADINGS = {1: 26, 2: 21, 3: 18}
_ROLES: tuple[tuple[type[View], str], ...] = (
    (Field, "textField"),
    (CheckBox, "checkBox"),
    (Button, "button"),
    (Text, "staticText"),
)
"""The roles of widgets that pages share with other screens."""
NO_PAGE = "about:blank"


class Heading(Text):
    kind = "android.widget.TextView"
    role: ClassVar[str] = "heading"
    __slots__ = ()

    def __init__(self, text: str, level: int = 1, **options: Unpack[Options]) -> None:
        options.setdefault("width", MATCH)
        super().__init__(text, size=HEADINGS.get(level, 16), face="Bold", **options)


class Paragraph(Text):
    role: ClassVar[str] = "paragraph"
    __slots__ = ()

    def __init__(self, text: str, **options: Unpack[Options]) -> None:
        options.setdefault("width", MATCH)
        super().__init__(text, size=16, **options)


class Words(Text):
    """A part of a sentence: a page has one for each change of style."""

    role: ClassVar[str] = "staticText"
    __slots__ = ()

    def __init__(self, text: str, **options: Unpack[Options]) -> None:
        super().__init__(text, size=16, most_lines=1, **options)


class Link(Text):
    kind = "android.view.View"
    role: ClassVar[str] = "link"
    __slots__ = ("url",)

    def __init__(
        self,
        text: str,
        action: Callable[[], object],
        *,
        url: str | None = None,
        **options: Unpack[Options],
    ) -> None:
        options["on_click"] = action
        options.setdefault("padding", (0, 8))
        self.url = url
        super().__init__(text, size=16, color=theme.PRIMARY, **options)

    def draw(self, pen: Pen, dp: float) -> None:
        super().draw(pen, dp)
        left, _, right, bottom = self.inner(dp)
        pen.box((left, bottom - round(dp), right, bottom), theme.PRIMARY)


class Flow(Row):
    """A paragraph of text and links on one line."""

    kind = "android.view.View"
    role: ClassVar[str] = "paragraph"
    __slots__ = ()


class Items(Column):
    """A list in a page."""

    kind = "android.widget.ListView"
    collection = True
    role: ClassVar[str] = "list"
    __slots__ = ()


class _Page(Scroll):
    """The document, whose text is the page's title."""

    kind = WEB
    role: ClassVar[str] = "rootWebArea"
    __slots__ = ("title",)

    def __init__(self, title: str, *elements: View) -> None:
        self.title = title
        body = Column(*elements, gap=12, padding=16, width=MATCH, class_name="android.view.View")
        super().__init__(body, width=MATCH, height=MATCH)

    @property
    def text(self) -> str | None:
        return self.title


class WebView(Frame):
    """Shows one page, which `show` replaces. Every view of a page becomes a virtual view."""

    kind = WEB
    __slots__ = ("_numbers", "document", "page", "target", "url")

    def __init__(
        self, title: str = "", *elements: View, url: str = NO_PAGE, **options: Unpack[Options]
    ) -> None:
        self._numbers = 0
        self.page = _Page(title, *elements)
        self.url = url
        self.document = 1
        """The number of the shown document, which is different for every page."""
        self.target = ""
        """The document's id for DevTools."""
        options.setdefault("focusable", True)
        options.setdefault("width", MATCH)
        options.setdefault("height", MATCH)
        options.setdefault("background", theme.CARD)
        super().__init__(self.page, **options)
        self._number()

    def show(self, title: str, *elements: View, url: str | None = None) -> None:
        """Show a page. `url` is its address, by default that of the previous page."""
        self.page = _Page(title, *elements)
        self.url = self.url if url is None else url
        self.document += 1
        self._number()
        self.replace(self.page)

    @property
    def body(self) -> View:
        return self.page.children[0]

    def elements(self) -> Iterator[View]:
        """The elements of the page, in order."""
        walk = self.body.walk()
        next(walk)
        yield from walk

    def _number(self) -> None:
        """Number the virtual views; their ids are never reused."""
        for view in self.page.walk():
            self._numbers += 1
            view.virtual = self._numbers
            if view.id is not None and not view.id.startswith(HTML_ID):
                view.id = HTML_ID + view.id
            view.told = view.told or Told()
            view.told.web = WebNode(_role(view), getattr(view, "url", None))


def _role(view: View) -> str:
    """Chromium's name of the role."""
    known = (name for kind, name in _ROLES if isinstance(view, kind))
    return getattr(view, "role", "") or next(known, "genericContainer")
