"""Renders replies and failures as text that every encoder accepts: half a surrogate pair would
stop a server on standard input and output."""

from collections.abc import Sequence

from ..errors import ToolError
from ..screen.characters import replace_surrogates
from ..tools.tool import Image, Item, Reply, Tool


def render(reply: Reply) -> list[Item]:
    items = [reply] if isinstance(reply, str | Image) else reply
    return [replace_surrogates(item) if isinstance(item, str) else item for item in items]


def add_texts(reply: Reply, texts: Sequence[str]) -> Reply:
    """Return the reply with further texts after it."""
    if not texts:
        return reply
    return [*([reply] if isinstance(reply, str | Image) else reply), *texts]


def render_failure(failure: ToolError) -> ToolError:
    texts = [failure.message, *failure.details]
    clean = [replace_surrogates(text) for text in texts]
    if clean == texts:
        return failure
    rendered = type(failure)(*clean)
    rendered.for_owner = failure.for_owner
    return rendered


def render_bug(name: str, tool: Tool | None) -> ToolError:
    """What a model reads of an unexpected exception: its text may contain anything, so it
    goes only to the log."""
    acts = tool is None or not tool.listing.read_only
    doubt = " It may or may not have happened." if acts else ""
    return ToolError(f"Internal error in {name}; details are in Handheld's log.{doubt}")
