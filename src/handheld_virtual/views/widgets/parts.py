"""Composite views that most apps use: a title bar, a row, a list."""

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar, Unpack

from ..drawing import theme
from ..drawing.theme import Color
from ..layout import Column, Frame, Row
from ..options import Action, Options
from ..view import MATCH, View
from .basic import IconButton, Image, Text
from .recycler import RecycledList

Item = TypeVar("Item")


class Toolbar(Row):
    """A title at the top of a screen, with a back arrow if `on_back` is given, and `actions` at the
    right."""

    kind = "android.view.ViewGroup"
    __slots__ = ("title",)

    def __init__(
        self,
        title: str,
        *actions: View,
        on_back: Action | None = None,
        title_id: str = "toolbar_title",
        **options: Unpack[Options],
    ) -> None:
        self.title = Text(
            title,
            size=22,
            most_lines=1,
            weight=1,
            width=0,
            id=title_id,
            padding=(4 if on_back else 20, 0, 8, 0),
        )
        views: list[View] = [self.title, *actions]
        if on_back is not None:
            arrow = IconButton(
                "arrow_back", on_back, description="Navigate up", color=theme.ON_SURFACE
            )
            views.insert(0, arrow)
        options.setdefault("id", "toolbar")
        options.setdefault("width", MATCH)
        options.setdefault("height", 64)
        options.setdefault("padding", (4, 8))
        options.setdefault("content_gravity", "center left")
        super().__init__(*views, **options)


class Avatar(Image):
    """A letter or a small picture on a round background."""

    __slots__ = ()

    def __init__(
        self,
        icon: str = "",
        *,
        letter: str = "",
        color: Color = theme.ON_PRIMARY_CONTAINER,
        **options: Unpack[Options],
    ) -> None:
        options.setdefault("width", 40)
        options.setdefault("height", 40)
        options.setdefault("radius", 20)
        options.setdefault("background", theme.PRIMARY_CONTAINER)
        super().__init__(icon, letter=letter, color=color, inset=9 if icon else 0, **options)


class ListRow(Row):
    """A title with a summary below it, and optional views before them and at the right."""

    __slots__ = ("summary", "title")

    def __init__(
        self,
        title: str,
        summary: str = "",
        *,
        before: View | None = None,
        after: View | None = None,
        title_id: str = "android:id/title",
        summary_id: str = "android:id/summary",
        **options: Unpack[Options],
    ) -> None:
        self.title = Text(title, size=16, most_lines=1, id=title_id, width=MATCH)
        self.summary = Text(
            summary,
            size=14,
            most_lines=1,
            id=summary_id,
            width=MATCH,
            color=theme.ON_SURFACE_DIM,
            shown=bool(summary),
        )
        words = Column(self.title, self.summary, gap=2, weight=1, width=0)
        options.setdefault("width", MATCH)
        options.setdefault("padding", (16, 10))
        options.setdefault("content_gravity", "center left")
        super().__init__(*(v for v in (before, words, after) if v is not None), gap=16, **options)


class List(RecycledList, Generic[Item]):
    """A list with a row for each of `items`, which `row` makes when it scrolls into view. Set
    `items` to show other rows."""

    __slots__ = ("_items", "row")

    def __init__(
        self,
        items: Sequence[Item],
        row: Callable[[Item], View],
        *,
        row_height: float = 72,
        **options: Unpack[Options],
    ) -> None:
        self._items, self.row = list(items), row
        options.setdefault("width", MATCH)
        options.setdefault("height", MATCH)
        super().__init__(
            count=len(self._items), row_height=row_height, make=Frame, bind=self._bind, **options
        )

    @property
    def items(self) -> Sequence[Item]:
        return self._items

    @items.setter
    def items(self, items: Sequence[Item]) -> None:
        self._items = list(items)
        self.refresh(len(self._items))

    def _bind(self, holder: View, position: int) -> None:
        view = self.row(self._items[position])
        view.width = view.height = MATCH
        holder.replace(view)


class Empty(Column):
    """The placeholder of a screen without content."""

    __slots__ = ("words",)

    def __init__(self, icon: str, words: str, **options: Unpack[Options]) -> None:
        self.words = Text(
            words,
            size=16,
            align="center",
            width=MATCH,
            color=theme.ON_SURFACE_DIM,
            id="empty_text",
        )
        options.setdefault("id", "empty")
        options.setdefault("width", MATCH)
        options.setdefault("height", MATCH)
        options.setdefault("padding", 32)
        options.setdefault("content_gravity", "center")
        image = Image(icon, width=56, height=56, color=theme.DISABLED, gravity="center")
        super().__init__(image, self.words, gap=16, **options)
