"""An editable field, as an accessibility service can access it."""

from typing import TYPE_CHECKING

from handheld.helper.protocol import Code, Happened, HelperFailure
from handheld.screen.model import Flag, Node, mask_password

from ...system.clipboard import NO_OVERLAY, PASSING, SENSITIVE, SHELL, Refused
from ...views.text.graphemes import before, index_of, units
from .touch import need_injection

if TYPE_CHECKING:
    from ...world import World
    from ..protocol.job import Job

SHOW_MS = 500
"""The time limit for a field to show a change."""
PASTE_MS = 2000
"""The time limit for a field to read the clipboard."""
SHOW_LOOK_MS = 10
CHARACTERS = {"tab": "\t", "space": " "}
_DELETE = 67
_OWN_VIEW = ":-1"
"""The end of a node key that belongs to an Android view, not to a virtual view in it."""


def content_of(node: Node) -> str:
    """Return the node's text; a hint is not content."""
    return "" if node.flags & Flag.SHOWING_HINT else mask_password(node.text, node.flags) or ""


def _place_in(content: str, place: int) -> int:
    """Return the index of a reported cursor, or the end if the field reports none."""
    index = None if place < 0 else index_of(content, place)
    return len(content) if index is None else index


class NodeField:
    """A field accessed through its node. The result of an action is read from the node, not taken
    from the action's return value."""

    def __init__(self, world: "World", job: "Job", node: Node) -> None:
        self.world, self.job = world, job
        self.key = node.key
        self.password = node.flags & Flag.PASSWORD != 0
        self._own_view = node.key.endswith(_OWN_VIEW)
        """Whether it is an Android view, which applies an action immediately; virtual views apply
        it with their next frame."""

    def read(self) -> str | None:
        """Return the content, or None if the field is gone."""
        node = self.world.automation.node(self.key)
        return None if node is None else content_of(node)

    async def read_changed(self, held: str, ms: float = SHOW_MS) -> str | None:
        """Wait until the content differs from `held`, or for `ms`; return it."""
        clock = self.world.clock
        until = clock.now() + ms
        shown = self.read()
        while self.is_same(held, shown) and clock.now() < until:
            await self.job.wait(clock.sleep(SHOW_LOOK_MS))
            shown = self.read()
        return shown

    def is_same(self, one: str, other: str | None) -> bool:
        """Compare contents; for passwords the lengths, because the last character may be visible
        briefly."""
        return units(one) == units(other) if other is not None and self.password else one == other

    @property
    def focused(self) -> bool:
        node = self.world.automation.node(self.key)
        return node is not None and node.flags & Flag.FOCUSED != 0

    def perform(self, action: str) -> bool:
        """Perform the action; return False if it failed or the field is gone."""
        automation = self.world.automation
        return automation.node(self.key) is not None and automation.perform(self.key, action)

    async def select(self, place: int) -> bool:
        """Move the cursor to `place`; return whether it is there afterwards."""
        automation, clock = self.world.automation, self.world.clock
        there = (place, place)
        if automation.selection(self.key) == there:
            return True
        automation.set_selection(self.key, place, place)
        until = clock.now() + (0 if self._own_view else SHOW_MS)
        while automation.selection(self.key) != there:
            if clock.now() >= until:
                return False
            await self.job.wait(clock.sleep(SHOW_LOOK_MS))
        return True

    def selection(self, content: str) -> tuple[int, int] | None:
        """Return the selection's range in the content; None if the field is gone."""
        found = self.world.automation.selection(self.key)
        if found is None:
            return None
        start, end = sorted(_place_in(content, place) for place in found)
        return start, end

    def expected(self, key: str) -> str | None:
        """Return the content expected after a key; None if it cannot be known."""
        content = self.read()
        selection = None if content is None else self.selection(content)
        if content is None or selection is None:
            return None
        start, end = selection
        if key == "del" and start == end:
            if self.password and start:
                return None  # bullets hide the character's length
            start = before(content, start)
        return content[:start] + CHARACTERS.get(key, "") + content[end:]

    async def put(self, text: str) -> bool:
        """Replace the selection with the text. Return False if the field did not accept it."""
        if not self.password:
            return await self._splice(text)
        held = self.read()
        # Injected input goes to the focused view, and a password must reach only its own field.
        if held is None or not self.focused:
            return False
        need_injection(self.world)
        taken = True
        if text.isascii():
            self.world.type_text(text, 0)
        else:
            taken = await self._paste(text, held)
        self.job.happened = Happened.PARTLY
        return await self.read_changed(held) != held or taken

    async def _paste(self, text: str, held: str) -> bool:
        """Paste characters that have no key, using a sensitive clip, then restore the clipboard.
        Web pages and Flutter accept the action first and read the clipboard later, so an early
        restore would paste the previous clip."""
        clipboard = self.world.clipboard
        try:
            kept = clipboard.clip
            clipboard.copy(text, SHELL, frozenset((SENSITIVE, NO_OVERLAY, PASSING)))
        except Refused as refusal:
            raise HelperFailure(Code.FAILED, str(refusal), Happened.PARTLY) from refusal
        try:
            accepted = self.world.automation.perform(self.key, "paste")
            if accepted:
                self.job.happened = Happened.PARTLY
                await self.read_changed(held, PASTE_MS)
            return accepted
        except KeyError:
            return False
        finally:
            if not self.job.killed:
                clipboard.put_back(kept)

    async def delete(self) -> bool:
        """Delete the selection, or the character before the cursor."""
        if not self.password:
            return await self._splice("")
        held = self.read()
        need_injection(self.world)
        self.world.key(_DELETE, display=0)
        self.job.happened = Happened.PARTLY
        if held:
            await self.read_changed(held)
        return True

    async def _splice(self, text: str) -> bool:
        """Replace the selection. An empty text deletes it, or else the character before the
        cursor."""
        content = self.read()
        selection = None if content is None else self.selection(content)
        if content is None or selection is None:
            return False
        start, end = selection
        if not text and start == end:
            start = before(content, start)
        return (start == end and not text) or await self.replace(content, start, end, text)

    async def put_before(self, rest: int, text: str) -> bool:
        """Insert the text where `rest` units follow. This does not rely on the cursor, because
        setting a text moves it, and some fields do not report it. Return False if the field did not
        accept it."""
        content = self.read()
        if content is None:
            return False
        place = index_of(content, max(0, units(content) - rest)) or 0
        return await self.replace(content, place, place, text)

    async def replace(self, content: str, start: int, end: int, text: str) -> bool:
        """Replace a part of the content and move the cursor behind the new part."""
        wanted = content[:start] + text + content[end:]
        accepted = self.world.automation.set_text(self.key, wanted)
        self.job.happened = Happened.PARTLY
        # In Compose, setting the cursor before the text is shown would restore the old text.
        shown = self.read() if self._own_view else await self.read_changed(content)
        if shown is None:
            # The field disappeared; it took the text if it accepted the action.
            return accepted
        if shown != content or self._own_view:
            # Behind the new part, even if the app shortened, changed or refused it: Android's own
            # fields move the cursor to the end.
            await self.select(max(0, units(shown) - units(content[end:])))
        return accepted or shown != content
