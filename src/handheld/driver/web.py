"""Web pages of apps that let them be debugged: the values of `browsing`."""

from enum import Enum, auto
from typing import NamedTuple


class WebPage(NamedTuple):
    """A page as its app's DevTools lists it. All texts are the app's or the page's own."""

    socket: str
    """The abstract name of the socket that lists it."""
    inode: int
    """Of that socket: another one under the same name has another."""
    id: str
    """As DevTools calls it."""
    packages: tuple[str, ...]
    """The app whose process has the socket; several if they share a uid. The first is the one that
    the process is named after."""
    title: str
    url: str
    visible: bool | None
    """None where that is not told."""

    @property
    def package(self) -> str:
        return self.packages[0]


class WebPages(NamedTuple):
    pages: tuple[WebPage, ...]
    packages: frozenset[str]
    """The apps that list pages, or none at the moment."""
    silent: tuple[str, ...] = ()
    """The apps whose DevTools did not answer."""
    unnamed: tuple[str, ...] = ()
    """Sockets that did not answer whose names do not tell the app: browsers have such."""
    unasked: int = 0
    """Sockets beyond those that are asked."""
    hidden: bool = False
    """Android does not tell which sockets there are."""


class PageText(NamedTuple):
    """What was read of a page."""

    url: str
    title: str
    text: str
    truncated: bool
    matches: int
    """Elements that the selector matched."""
    frames: int
    """Pages inside the page, whose text is not in `text`."""


class ScriptResult(NamedTuple):
    url: str
    type: str
    """As JavaScript calls it: `undefined`, `string`, `object`."""
    value: str
    """The value as JSON; its description where it cannot be written so."""


class PageProblem(Enum):
    GONE = auto()
    """It was closed, or its app has ended."""
    MOVED = auto()
    """It shows another site than it was listed with."""
    LEFT = auto()
    """It loaded another document meanwhile."""
    SILENT = auto()
    """No answer in time."""
    TAKEN = auto()
    """Another program debugs it and does not share it."""
    BAD_SELECTOR = auto()
    NO_MATCH = auto()
    THREW = auto()
    """The script failed; the detail is what it threw."""
    REFUSED = auto()
    """DevTools did not do it, or not tell what came of it; the detail is why."""
    TOO_LARGE = auto()
    """What it answered is larger than is read."""
    UNUSUAL = auto()
    """It did not answer as DevTools does."""


class PageFailed(Exception):
    """Not done. Once a script was sent it `may_have_run`."""

    def __init__(
        self, problem: PageProblem, detail: str = "", *, may_have_run: bool = False
    ) -> None:
        super().__init__(problem.name)
        self.problem = problem
        self.detail = detail
        self.may_have_run = may_have_run
