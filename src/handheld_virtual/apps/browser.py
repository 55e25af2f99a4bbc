"""A browser with a few built-in pages, which take a while to load. There is no network."""

from collections.abc import Mapping
from typing import ClassVar

from handheld.app_formats.apk.manifest import Filter

from ..packages.app import LAUNCHED, Activity, App
from ..views.drawing import theme
from ..views.layout import Column, Row
from ..views.view import MATCH, View
from ..views.widgets.basic import Button, CheckBox, IconButton, ProgressBar
from ..views.widgets.field import Field
from ..views.widgets.live import SwipeRefresh
from ..views.widgets.web import Heading, Items, Link, Paragraph, WebView

HOME_PAGE = "https://news.example/"
LOAD_MS = 3000
STEPS = 6
"""The number of steps of the progress bar while a page loads."""
STORIES = (
    ("bridge", "New bridge opens in spring", "The bridge will have a path for cyclists."),
    ("library", "Library lends tools", "Drills and ladders can be borrowed for a week."),
    ("market", "Market moves to the square", "From Saturday on, stalls open at seven."),
)


class BrowserScreen(Activity):
    name = ".BrowserActivity"

    def content(self) -> View:
        self.address = Field(
            hint="Search or type URL",
            id="url",
            weight=1,
            width=0,
            on_enter=self._go,
        )
        self.progress = ProgressBar(id="progress", width=MATCH, shown=False)
        self.web = WebView(id="webview", height=MATCH)
        self.refresh = SwipeRefresh(self.web, self._reload, id="refresh", height=0, weight=1)
        self.visited: list[str] = []
        self.loads = 0
        """The number of the current load; a new load cancels the earlier one."""
        self.world.timers.after(0, lambda: self.load(self.extras.get("data") or HOME_PAGE))
        return Column(
            Row(
                self.address,
                IconButton("refresh", self._reload, id="reload", description="Reload"),
                IconButton("send", self._share, id="share", description="Share"),
                padding=(12, 8, 4, 8),
                content_gravity="center left",
                width=MATCH,
            ),
            self.progress,
            self.refresh,
            background=theme.SURFACE,
        )

    def back(self) -> bool:
        if len(self.visited) < 2:
            return False
        self.visited.pop()
        self.load(self.visited.pop())
        return True

    def _go(self) -> None:
        self.world.input_method.hide()
        words = self.address.content.strip()
        if words:
            self.load(words if "://" in words else f"https://{words}")

    def _reload(self) -> None:
        if self.visited:
            self.load(self.visited.pop())

    def _share(self) -> None:
        if self.visited:
            self.share(self.visited[-1])

    def load(self, url: str) -> None:
        """Load a page by the phone's clock; until then the old page is shown."""
        self.loads += 1
        self.visited.append(url)
        self.address.content = url
        self.progress.done, self.progress.shown = 0.1, True
        for step in range(1, STEPS + 1):
            self.world.timers.after(
                LOAD_MS * step / STEPS, lambda step=step, load=self.loads: self._loaded(step, load)
            )

    def _loaded(self, step: int, load: int) -> None:
        if load != self.loads:
            return
        self.progress.done = step / STEPS
        if step == STEPS:
            self.progress.shown = self.refresh.refreshing = False
            title, elements = self._page(self.visited[-1])
            self.web.show(title, *elements, url=self.visited[-1])

    def _page(self, url: str) -> tuple[str, list[View]]:
        page = url.removeprefix(HOME_PAGE).rstrip("/") if url.startswith(HOME_PAGE) else None
        if url.rstrip("/") == HOME_PAGE.rstrip("/"):
            page = ""
        if page == "":
            return "News", [
                Heading("News of the day", id="top"),
                Items(
                    *(
                        self._link(headline, f"{HOME_PAGE}{name}", name)
                        for name, headline, _ in STORIES
                    ),
                    id="stories",
                    width=MATCH,
                    gap=8,
                ),
                self._link("Newsletter", f"{HOME_PAGE}newsletter", "newsletter"),
            ]
        if page == "newsletter":
            return "Newsletter", self._form()
        for name, headline, story in STORIES:
            if page == name:
                return headline, [
                    Heading(headline, id="headline"),
                    Paragraph(story),
                    self._link("All news", HOME_PAGE, "home"),
                ]
        host = url.partition("://")[2].partition("/")[0]
        return "Webpage not available", [
            Heading("Webpage not available"),
            Paragraph(f"The webpage at {url} could not be loaded because:"),
            Paragraph(f"net::ERR_NAME_NOT_RESOLVED ({host})"),
        ]

    def _link(self, words: str, url: str, id: str) -> View:
        return Link(words, lambda: self.load(url), url=url, id=id)

    def _form(self) -> list[View]:
        email = Field(hint="E-mail address", id="email", width=MATCH)
        weekly = CheckBox("Only on Sundays", id="weekly")
        answer = Paragraph("", id="answer", shown=False)

        def subscribe() -> None:
            good = "@" in email.content
            often = "on Sundays" if weekly.checked else "every day"
            answer.text = f"{email.content} gets it {often}" if good else "Enter an address"
            answer.shown = True

        return [
            Heading("Newsletter", id="headline"),
            email,
            weekly,
            Button("Subscribe", subscribe, id="subscribe"),
            answer,
        ]


class Browser(App):
    package, label = "com.android.browser", "Browser"
    version, version_code, system = "14", 34, True
    screens = (BrowserScreen,)
    filters: ClassVar[Mapping[str, tuple[Filter, ...]]] = {
        BrowserScreen.name: (
            LAUNCHED,
            Filter(
                ("android.intent.action.VIEW",),
                ("android.intent.category.DEFAULT", "android.intent.category.BROWSABLE"),
                schemes=("http", "https"),
            ),
        )
    }
    icon, color = "globe", (30, 120, 130)
