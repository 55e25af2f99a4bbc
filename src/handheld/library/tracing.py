"""A trace of the actions on a phone, for examining failed tests: calls, replies and pictures,
masked as in the audit record."""

import hashlib
import logging
import re
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from ..audit import AuditEntry, AuditLog, EntrySubscription, Masks
from ..audit.masking import MASK, Remembered
from ..audit.recorder import is_plain
from ..clock import SYSTEM_CLOCK, Clock
from ..errors import ToolError
from ..screen.model import Screen
from ..tools.agent.elements.locators import locate_targets
from ..tools.listing import Item
from .masks import Shown, has_steps, is_open, mask_call, steps_of

if TYPE_CHECKING:
    from ..phone.phone import Phone
    from .connections import PhoneConnection

MOST_CALLS = 200
MOST_BYTES = 6_000_000
"""Bytes of all pictures together."""
MOST_SECRETS = 1000
SIZE, QUALITY = 720, 60
"""Pixels of the longer side of a picture, and its quality as a JPEG."""
_LOOK, _TYPE = "phone_look", "phone_type"
_FIELD = re.compile(r"Typed into ([a-z]\d+) ")

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class TracedCall:
    number: int
    tool: str
    began: float
    """Seconds since the trace began."""
    seconds: float = 0.0
    shown: Shown | None = None
    """None while it runs."""
    steps: Sequence[Shown] = ()
    """The calls that it made, if it was a call that makes several."""
    failed: bool = False
    before: str = ""
    """The key of the picture; empty for none."""
    after: str = ""
    entries: dict[int, AuditEntry] = field(default_factory=dict[int, AuditEntry])
    """Its audit entries while it runs."""


_CURRENT: ContextVar[TracedCall | None] = ContextVar("_CURRENT", default=None)


class _Watcher(EntrySubscription):
    """Adds audit entries to the call that they belong to: several calls may run at once."""

    def put(self, entry: AuditEntry | None) -> None:
        call = _CURRENT.get()
        if entry is not None and call is not None:
            call.entries[entry.id] = entry


class Trace:
    def __init__(self, clock: Clock = SYSTEM_CLOCK) -> None:
        self._clock = clock
        self._began = clock.now()
        self._count = 0
        self.calls: deque[TracedCall] = deque(maxlen=MOST_CALLS)
        self.pictures: dict[str, bytes] = {}
        """JPEGs by their keys, the oldest first."""
        self._secrets = Remembered(MOST_SECRETS)
        self._masks = Masks()
        self._watcher = _Watcher()
        self._watched: AuditLog | None = None
        self._newest: tuple[str, int, str] = ("", -1, "")
        """The phone, the number of its screen, and the key of that screen's picture."""

    @property
    def dropped(self) -> int:
        """How many calls were dropped from the trace."""
        return self._count - len(self.calls)

    def clean(self, text: str) -> str:
        """Mask everything that was masked in calls."""
        return self._secrets.clean(text)

    async def record(
        self,
        connection: "PhoneConnection",
        tool: str,
        given: Mapping[str, Any],
        run: Callable[[], Awaitable[Sequence[Item]]],
    ) -> Sequence[Item]:
        """Run a call and trace it."""
        self._count += 1
        call = TracedCall(self._count, tool, self._clock.now() - self._began)
        self.calls.append(call)
        self._watch(connection.record())
        call.before = await self._look(connection)
        began = self._clock.now()
        token = _CURRENT.set(call)
        texts: Sequence[str] = ()
        try:
            items = await run()
            texts = [item for item in items if isinstance(item, str)]
            return items
        except Exception as problem:
            call.failed = True
            failure = problem if isinstance(problem, ToolError) else ToolError(str(problem))
            texts = [failure.message, *failure.details]
            raise
        finally:
            _CURRENT.reset(token)
            call.seconds = self._clock.now() - began
            self._show(call, given, texts, await connection.device())
            call.after = await self._look(connection)

    def _watch(self, log: AuditLog | None) -> None:
        if log is not None and log is not self._watched:
            log.subscribe(self._watcher)
            self._watched, self._masks = log, log.masks

    def _show(
        self,
        call: TracedCall,
        given: Mapping[str, Any],
        texts: Sequence[str],
        phone: "Phone | None",
    ) -> None:
        shown = [Shown(one.tool, one.arguments, one.result) for one in call.entries.values()]
        shown = shown or mask_call(call.tool, given, texts, failed=call.failed)
        call.entries = {}
        if phone is not None:
            shown = self._with_plain(shown, given, phone)
        for one in shown:
            for name, value in one.arguments.items():
                if value == MASK:
                    self._secrets.add(_given(given, name))
            if MASK in one.reply:
                self._secrets.add(line.strip() for text in texts for line in text.split("\n"))
        if shown and not has_steps(call.tool):
            call.shown = one = shown[-1]._replace(tool=call.tool)
            masked = MASK in (*one.reply, *one.arguments.values())
            if not masked and is_open(call.tool, given):
                # The record also masks text typed into fields that hold no secret.
                call.shown = one._replace(reply=tuple(map(self.clean, texts)))
            return
        # The record does not contain the reply to all steps together; the screen is read before and
        # after them.
        call.steps = [one for one in shown if one.tool != _LOOK]
        call.shown = Shown(call.tool, {}, tuple(map(self.clean, texts[:1])))

    def _with_plain(
        self, shown: Sequence[Shown], given: Mapping[str, Any], phone: "Phone"
    ) -> list[Shown]:
        """Show text typed into fields that hold no secret. The record masks all text typed into a
        field that was named by its words, because the field is only found later."""
        typed = (each.get("text", MASK) for tool, each in steps_of(given) if tool == "type")
        typed = iter([given["text"]]) if "text" in given else typed
        found: list[Shown] = []
        for one in shown:
            text = next(typed, MASK) if one.tool == _TYPE else MASK
            field = _FIELD.match(one.reply[0]) if one.reply else None
            if field is not None and one.arguments.get("text") == MASK:
                into = {"into": field[1]}
                if is_plain(into, locate_targets(phone, into), phone, self._masks):
                    one = one._replace(arguments={**one.arguments, "text": text})
            found.append(one)
        return found

    async def _look(self, connection: "PhoneConnection") -> str:
        """Return the key of a picture of the screen; empty if none may be shown."""
        try:
            phone = await connection.device()
            return "" if phone is None else await self._capture(phone)
        except Exception as problem:
            _log.debug("No picture for the trace: %s", problem)
            return ""

    async def _capture(self, phone: "Phone") -> str:
        name, seen, key = self._newest
        if (phone.serial, await phone.driver.changed(0, 0)) == (name, seen):
            return key
        screen = await phone.driver.read_screen()
        picture = await phone.driver.capture(SIZE, "jpeg", QUALITY)
        hidden = picture.secure or self._hides(screen)
        if await phone.driver.changed(0, 0) != screen.seq:
            # An app whose screen is masked may have appeared meanwhile.
            hidden = hidden or self._hides(await phone.driver.read_screen())
        key = "" if hidden else self._keep(picture.data)
        self._newest = (phone.serial, screen.seq, key)
        return key

    def _hides(self, screen: Screen) -> bool:
        """Whether the screen shows a masked app, or a value that was masked in a call."""
        texts = (node.text for window in screen.windows for node in window.nodes)
        shown = "\n".join(filter(None, texts))
        return self._masks.hides(screen) or self.clean(shown) != shown

    def _keep(self, jpeg: bytes) -> str:
        key = hashlib.sha256(jpeg).hexdigest()[:12]
        self.pictures[key] = self.pictures.pop(key, jpeg)
        while sum(map(len, self.pictures.values())) > MOST_BYTES:
            del self.pictures[next(iter(self.pictures))]
        return key


def _given(given: Mapping[str, Any], name: str) -> Iterator[str]:
    """The texts given under that name, also in steps."""
    steps: Any = given.get("steps")
    for each in (given, *(cast("list[Any]", steps) if isinstance(steps, list) else ())):
        value = cast("dict[str, Any]", each).get(name) if isinstance(each, dict) else None
        if isinstance(value, str):
            yield value
