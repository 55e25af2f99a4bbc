"""Debuggable web pages of apps: the protocol and its values."""

from enum import Enum, auto
from typing import NamedTuple, Protocol
from urllib.parse import urlsplit


class WebPage(NamedTuple):
    """A page in the list of its app's DevTools. The app or the page controls all texts."""

    socket: str
    """The abstract name of the listing socket."""
    inode: int
    """The socket's inode: a new socket with the same name has another."""
    id: str
    """The page's id in DevTools."""
    packages: tuple[str, ...]
    """The app whose process has the socket; several if they share a uid. The process is named after
    the first."""
    title: str
    url: str
    visible: bool | None
    """None if unknown."""

    @property
    def package(self) -> str:
        return self.packages[0]


class WebPages(NamedTuple):
    pages: tuple[WebPage, ...]
    packages: frozenset[str]
    """The apps whose DevTools answered, even those without pages at the moment."""
    silent: tuple[str, ...] = ()
    """The apps whose DevTools did not answer."""
    unnamed: tuple[str, ...] = ()
    """The silent sockets whose names do not identify an app, as with browsers."""
    unasked: int = 0
    """The number of further sockets that are not queried."""
    hidden: bool = False
    """Whether Android hides its table of sockets."""


class PageText(NamedTuple):
    """The text read from a page."""

    url: str
    title: str
    text: str
    truncated: bool
    matches: int
    """The number of elements that the selector matched."""
    frames: int
    """The number of frames, whose text is not in `text`."""


class ScriptResult(NamedTuple):
    url: str
    type: str
    """JavaScript's name for the type: `undefined`, `string`, `object`."""
    value: str
    """The value as JSON, or its description if it cannot be serialized."""


class PageProblem(Enum):
    GONE = auto()
    """The page was closed, or its app has ended."""
    MOVED = auto()
    """The page shows another site than the listed one."""
    LEFT = auto()
    """The page loaded another document during the call."""
    SILENT = auto()
    """No answer in time."""
    TAKEN = auto()
    """Another program debugs the page and does not share it."""
    BAD_SELECTOR = auto()
    NO_MATCH = auto()
    THREW = auto()
    """The script threw; the detail is the exception."""
    REFUSED = auto()
    """DevTools refused the call, or did not report its result; the detail is the reason."""
    TOO_LARGE = auto()
    """The answer is over the size limit."""
    UNUSUAL = auto()
    """The answer is not DevTools'."""


class PageFailed(Exception):
    """The call failed. If a script was sent, it `may_have_run`."""

    def __init__(
        self, problem: PageProblem, detail: str = "", *, may_have_run: bool = False
    ) -> None:
        super().__init__(problem.name)
        self.problem = problem
        self.detail = detail
        self.may_have_run = may_have_run


class WebDriver(Protocol):
    async def web_pages(self) -> WebPages:
        """List the pages of all apps that allow debugging."""
        ...

    async def read_page(self, page: WebPage, selector: str | None, most: int) -> PageText:
        """Return the text of the page, or of the elements that the CSS selector matches, up to
        `most` UTF-16 units. Raises PageFailed."""
        ...

    async def run_script(self, page: WebPage, script: str, timeout_ms: int) -> ScriptResult:
        """Run JavaScript in the page, once; a promise is awaited. Raises PageFailed."""
        ...


def site_of(url: str) -> str:
    """Return the origin of an address; without one, the address up to its query."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return url
    if parts.scheme in ("http", "https", "ws", "wss") and parts.hostname:
        default = {"http": 80, "ws": 80}.get(parts.scheme, 443)
        return f"{parts.scheme}://{parts.hostname}:{default if port is None else port}"
    return url.partition("#")[0].partition("?")[0]


def is_same_site(one: str, other: str) -> bool:
    return site_of(one) == site_of(other)
