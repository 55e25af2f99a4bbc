"""Web pages of apps: the protocol. Its values are loaded with the first call."""

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from .web import PageText, ScriptResult, WebPage, WebPages


class WebDriver(Protocol):
    async def web_pages(self) -> "WebPages":
        """List the pages of all apps that allow debugging."""
        ...

    async def read_page(self, page: "WebPage", selector: str | None, most: int) -> "PageText":
        """Return the text of the page, or of the elements that the CSS selector matches, up to
        `most` UTF-16 units. Raises PageFailed."""
        ...

    async def run_script(self, page: "WebPage", script: str, timeout_ms: int) -> "ScriptResult":
        """Run JavaScript in the page, once; a promise is awaited. Raises PageFailed."""
        ...
