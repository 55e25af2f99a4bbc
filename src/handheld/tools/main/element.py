"""Elements: finding them, and acting on them by id."""

from typing import Any

from ...errors import ActionFailed
from ...phone.input.clicking import NotTaken, click
from ...phone.phone import Phone
from ...phone.screen.scrolling import scroll_to
from ...screen.characters import plain_lines
from ...screen.model import Flag, Node, WebNode, split_hint
from ...screen.search import find
from ...screen.text import cut, states, tidy
from ..recording import ReplayMode, Secret
from ..tool import Reply, Toolset, json_text
from .params import By, ElementId, ExactMatch, SearchValue

element = Toolset("element")


@element.tool(
    title="Find elements",
    read_only=True,
    idempotent=True,
    open_world=True,
    secret_reply=Secret.NO,
    replay=ReplayMode.UNTIL_FOUND,
)
async def find_elements(
    phone: Phone, by: By, value: SearchValue, exact_match: ExactMatch = False
) -> str:
    """Find UI elements matching the specified criteria in the accessibility tree."""
    screen = await phone.driver.read_screen()
    snapshot = phone.elements.mark(screen)
    places = find(screen, by, value, exact_match)
    phone.elements.remember(snapshot, places)
    found = [
        {
            **describe(snapshot.id(place), snapshot.node(place)),
            **states(snapshot.node(place).flags),
            **_describe_web(snapshot.window(place).web.get(place[1])),
        }
        for place in places
    ]
    return json_text({"elements": found, **describe_unseen(screen.unseen)})


def _describe_web(told: WebNode | None) -> dict[str, str]:
    """Return the properties of an element from its web page."""
    if told is None:
        return {}
    url = {} if told.url is None else {"url": plain_lines(told.url)}
    return {"webRole": plain_lines(told.role), **url}


@element.tool(title="Click element", secret_reply=Secret.NO, console=True)
async def click_element(phone: Phone, element_id: ElementId) -> Reply:
    """Click the specified accessibility node by element ID."""
    otherwise = "Click an element with the flag clk, or tap it."
    return await _click(phone, element_id, "click", Flag.CLICKABLE, otherwise)


@element.tool(title="Long-click element", secret_reply=Secret.NO)
async def long_click_element(phone: Phone, element_id: ElementId) -> Reply:
    """Long-click the specified accessibility node by element ID."""
    otherwise = "Long-click an element with the flag lclk, or use long_press."
    return await _click(phone, element_id, "long-click", Flag.LONG_CLICKABLE, otherwise)


async def _click(phone: Phone, element_id: str, verb: str, flag: Flag, otherwise: str) -> Reply:
    """`otherwise` is the advice if no ancestor takes the click either."""
    try:
        outer = await click(phone.elements, element_id, verb.replace("-", "_"), flag)
    except NotTaken as nothing:
        around = nothing.around
        advice = f"The element around it is: {verb} '{around}'." if around else otherwise
        raise ActionFailed(f"Node '{element_id}' is not {verb}able. {advice}") from None
    except ActionFailed as failure:
        raise ActionFailed(
            f"Action failed on element '{element_id}': {failure.message}"
        ) from failure
    done = f"{verb.capitalize()} performed on element '{element_id}'"
    if outer is None:
        return done
    return [
        done,
        f"It is not {verb}able itself: the {verb} went to the element around it, '{outer.id}'"
        f" ({_describe_briefly(outer.node)}).",
    ]


def _describe_briefly(node: Node) -> str:
    named = (node.class_name, node.resource_id, node.text or node.description)
    return ", ".join(cut(tidy(value)) for value in named if value) or "without a class"


@element.tool(title="Scroll to element", idempotent=True, secret_reply=Secret.NO)
async def scroll_to_element(phone: Phone, element_id: ElementId) -> str:
    """Scroll to make the specified element visible by scrolling its nearest scrollable ancestor."""
    scrolls = await scroll_to(phone.elements, element_id)
    if not scrolls:
        return f"Element '{element_id}' is already visible"
    return f"Scrolled to element '{element_id}' ({scrolls} scroll(s))"


def describe_unseen(unseen: str) -> dict[str, str]:
    """Return a further key if a window is missing: then an empty result does not prove absence."""
    return {"note": tidy(unseen)} if unseen else {}


def describe(name: str, node: Node) -> dict[str, Any]:
    left, top, right, bottom = node.bounds
    text, description = split_hint(node)
    return {
        "id": name,
        "text": _shown(text),
        "contentDescription": _shown(description),
        "resourceId": _shown(node.resource_id),
        "className": _shown(node.class_name),
        "bounds": {"left": left, "top": top, "right": right, "bottom": bottom},
        "clickable": node.flags & Flag.CLICKABLE != 0,
        "longClickable": node.flags & Flag.LONG_CLICKABLE != 0,
        "scrollable": node.flags & Flag.SCROLLABLE != 0,
        "editable": node.flags & Flag.EDITABLE != 0,
        "enabled": node.flags & Flag.ENABLED != 0,
    }


def _shown(text: str | None) -> str | None:
    return None if text is None else plain_lines(text)
