"""A gallery: a grid of pictures, and a single picture that two fingers can zoom."""

from collections.abc import Callable, Mapping
from typing import ClassVar, Unpack

from ..input.scale import ScaleGesture, scaling
from ..packages.app import Activity, App
from ..views.drawing import theme
from ..views.drawing.pen import Box, Pen
from ..views.layout import Column, Frame, Grid, Pager, Row, Scroll
from ..views.options import Options
from ..views.view import MATCH, View
from ..views.widgets.basic import IconButton, Text

PHOTOS = (("mountains", "Morning"), ("city", "The city at night"), ("dunes", "Sand"))
ASPECT = 4 / 3
LEAST, MOST = 1.0, 8.0
DOUBLE_TAP_ZOOM = 2.0


class Thumbnail(View):
    kind = "android.widget.ImageView"
    __slots__ = ("name",)

    def __init__(self, name: str, **options: Unpack[Options]) -> None:
        self.name = name
        super().__init__(**options)

    def draw(self, pen: Pen, dp: float) -> None:
        left, top, right, bottom = self.place
        across = max(right - left, round((bottom - top) * ASPECT))
        down = round(across / ASPECT)
        x, y = (left + right - across) // 2, (top + bottom - down) // 2
        whole = (x, y, x + across, y + down)
        pen.photo(self.name, whole, self.place)


class Photo(View):
    """A picture that two fingers zoom within limits; the point between them stays in place."""

    kind = "android.widget.ImageView"
    draggable = True
    __slots__ = ("fingers", "name", "on_zoom", "scaling", "shift", "zoom")

    def __init__(
        self,
        name: str,
        on_zoom: Callable[[float], object],
        scaling: tuple[int, int],
        **options: Unpack[Options],
    ) -> None:
        self.name, self.on_zoom = name, on_zoom
        self.zoom = LEAST
        self.shift = (0.0, 0.0)
        """The offset of the picture's centre from the view's centre, in pixels."""
        self.fingers: dict[int, tuple[float, float]] = {}
        self.scaling = ScaleGesture(
            *scaling, lambda factor, x, y: self._zoom_about(x, y, self.zoom * factor)
        )
        options["on_touch"] = self._touched
        options["on_double_tap"] = self._tapped_twice
        super().__init__(**options)

    def picture(self) -> Box:
        """The bounds of the whole enlarged picture."""
        left, top, right, bottom = self.place
        width = min(right - left, (bottom - top) * ASPECT) * self.zoom
        height = width / ASPECT
        x = (left + right) / 2 + self.shift[0] - width / 2
        y = (top + bottom) / 2 + self.shift[1] - height / 2
        return round(x), round(y), round(x + width), round(y + height)

    def draw(self, pen: Pen, dp: float) -> None:
        pen.photo(self.name, self.picture(), self.place)

    def takes_drag(self, across: bool) -> bool:
        """Return whether it is enlarged: it then takes the drag from the pager, having already
        moved with the touch."""
        return self.zoom > LEAST

    def _touched(self, action: str, pointer: int, x: float, y: float) -> None:
        self.scaling.touch(action, pointer, x, y)
        if action == "move" and pointer in self.fingers:
            self._follow(pointer, x, y)
        elif action == "down":
            self.fingers[pointer] = x, y
        else:
            self.fingers.pop(pointer, None)

    def _follow(self, pointer: int, x: float, y: float) -> None:
        old_x, old_y = self.fingers[pointer]
        self.fingers[pointer] = x, y
        if len(self.fingers) == 1 and self.zoom > LEAST:
            self._place(self.zoom, self.shift[0] + x - old_x, self.shift[1] + y - old_y)

    def _zoom_about(self, x: float, y: float, zoom: float) -> None:
        """Zoom around a point, which stays in place."""
        zoom = max(LEAST, min(zoom, MOST))
        grown = zoom / self.zoom
        middle_x = (self.place[0] + self.place[2]) / 2
        middle_y = (self.place[1] + self.place[3]) / 2
        self._place(
            zoom,
            x - middle_x - (x - middle_x - self.shift[0]) * grown,
            y - middle_y - (y - middle_y - self.shift[1]) * grown,
        )

    def _place(self, zoom: float, x: float, y: float) -> None:
        """Place the picture; its edges must not move inside the view."""
        self.zoom = zoom
        left, top, right, bottom = self.picture()
        most_x = max(0, right - left - (self.place[2] - self.place[0])) / 2
        most_y = max(0, bottom - top - (self.place[3] - self.place[1])) / 2
        self.shift = max(-most_x, min(x, most_x)), max(-most_y, min(y, most_y))
        self.changed()
        self.on_zoom(zoom)

    def _tapped_twice(self) -> None:
        x, y = next(iter(self.fingers.values()), (self.place[0], self.place[1]))
        self._zoom_about(x, y, LEAST if self.zoom > LEAST else DOUBLE_TAP_ZOOM)

    def reset(self) -> None:
        self._place(LEAST, 0, 0)


class PhotoScreen(Activity):
    """A single picture; a swipe shows the next. The text at the bottom is the zoom level."""

    name = ".Photo"
    dark_bars = True

    def content(self) -> View:
        self.photos = [
            Photo(
                name,
                self._zoomed,
                scaling(self.world),
                id="photo",
                description=title,
                width=MATCH,
                height=MATCH,
            )
            for name, title in PHOTOS
        ]
        self.pager = Pager(
            *(Frame(photo, id="page") for photo in self.photos),
            on_turn=self._turned,
            id="pager",
            width=MATCH,
            height=0,
            weight=1,
        )
        self.caption = Text(size=18, id="title", color=theme.WHITE, weight=1, width=0, most_lines=1)
        self.zoom = Text("100%", size=16, face="Medium", id="zoom", color=theme.WHITE)
        self.count = Text(size=14, id="position", color=(190, 194, 202))
        self._turned(0)
        return Column(
            Row(
                IconButton("arrow_back", self.finish, description="Navigate up", color=theme.WHITE),
                self.caption,
                height=56,
                width=MATCH,
                padding=(4, 4, 16, 4),
                gap=8,
                content_gravity="center left",
                id="action_bar",
            ),
            self.pager,
            Row(
                self.count,
                View(weight=1, width=0, height=1),
                self.zoom,
                width=MATCH,
                height=56,
                padding=(20, 0),
                content_gravity="center left",
                id="bottom_bar",
            ),
            background=(14, 15, 18),
        )

    def _zoomed(self, zoom: float) -> None:
        self.zoom.text = f"{round(zoom * 100)}%"

    def _turned(self, page: int) -> None:
        self.caption.text = PHOTOS[page][1]
        self.count.text = f"{page + 1} of {len(PHOTOS)}"
        for photo in self.photos:
            if photo.zoom > LEAST:
                photo.reset()


class GalleryScreen(Activity):
    name = ".Gallery"

    def content(self) -> View:
        self.heading = Text("Gallery", size=32, id="title")
        self.grid = self._grid()
        self.turned()
        return Column(
            self.heading,
            Text(
                f"{len(PHOTOS)} pictures",
                size=14,
                color=theme.ON_SURFACE_DIM,
                padding=(24, 0, 24, 16),
                id="summary",
            ),
            Scroll(self.grid, width=MATCH, height=0, weight=1, id="scroll"),
            background=theme.SURFACE,
        )

    def _grid(self) -> Grid:
        return Grid(
            *(
                Thumbnail(
                    name,
                    id="thumbnail",
                    description=title,
                    height=178,
                    on_click=lambda page=page: self._show(page),
                )
                for page, (name, title) in enumerate(PHOTOS)
            ),
            columns=2,
            gap=4,
            width=MATCH,
            padding=(8, 0),
            id="grid",
        )

    def turned(self) -> None:
        self.grid.columns = 4 if self.lying else 2
        self.heading.padding = (24, 6, 24, 0) if self.lying else (24, 28, 24, 4)
        self.heading.changed()
        self.grid.changed()

    def _show(self, page: int) -> None:
        screen = PhotoScreen(self.app)
        self.open(screen)
        self.world.windows()  # lays out the pager, which turning to a page requires
        assert screen.window is not None
        screen.window.layout()
        screen.pager.turn(page)


class Gallery(App):
    package, label = "dev.handheld.gallery", "Gallery"
    main = ".Gallery"
    activities: ClassVar[Mapping[str, type[Activity]]] = {
        ".Gallery": GalleryScreen,
        ".Photo": PhotoScreen,
    }
    icon, color = "picture", (156, 66, 140)
