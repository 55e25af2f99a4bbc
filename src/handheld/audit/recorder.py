"""Records calls for the surface: their begin, their end, and pictures of the screen."""

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..clock import SYSTEM_CLOCK, Clock, Timer
from ..errors import ElementNotFound, ToolError
from ..screen.characters import plain_lines
from ..screen.model import Flag, Screen, is_secret_field, split_hint
from ..tools.call import ToolCall
from ..tools.tool import CallTarget, Image, Item, Tool
from .entry import AuditError, State
from .log import AuditLog
from .masking import Masks
from .pictures import Pictures
from .sizes import image_size

if TYPE_CHECKING:
    from ..phone.phone import Phone
    from ..phone.screen.issued_refs import IssuedRef

_REPLY_SECONDS = 0.02
"""A call's end is written after this delay, so neither its reply nor the next call of a sequential
client waits for the file."""
_ID_ARGUMENTS = ("element_id", "ids")
_MOST_IDS = 50
_MOST_WORDS = 200

_log = logging.getLogger(__name__)


class Recorder:
    """With `required`, a call that cannot be recorded does not run. `pictures` says at each action
    whether to record the screen."""

    def __init__(
        self,
        log: AuditLog,
        *,
        required: bool = True,
        pictures: Callable[[], bool] = lambda: False,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        self.log = log
        self.clock = clock
        self._required = required
        self._wanted = pictures
        self._pictures = Pictures(log, clock)
        self._writing: Timer | None = None
        self._ended_at = 0.0

    def begin(self, call: ToolCall, *, refused: bool = False) -> int:
        """Raises ToolError if the call must not run. A `refused` call does not run in any case."""
        try:
            id = self.log.begin(call, refused=refused, decided=False)
        except AuditError as problem:
            if self._required:
                raise ToolError(
                    f"{problem} A call that cannot be recorded does not run: nothing was done."
                    " Free some space, or set audit.required = false."
                ) from problem
            _log.warning("%s %s is not recorded.", problem, call.tool)
            return 0
        self._write_soon()  # a long call joins the chain before it ends
        return id

    def runs(self, call: ToolCall) -> None:
        """The call is now certain to run."""
        if call.id:
            self.log.runs(call.id)
            self._write_soon()

    def end(
        self,
        call: ToolCall,
        state: State,
        result: Sequence[str],
        ms: float,
        note: str,
        seen: Sequence[Screen] = (),
        *,
        refused: bool = False,
    ) -> None:
        """`seen` are the screens that the result describes. A `refused` call did not run."""
        if not call.id:
            return
        hidden = any(map(self.log.masks.hides, seen))
        self.log.end(call.id, state, result, ms, note, hidden=hidden, refused=refused)
        self._ended_at = self.clock.now()
        self._write_soon()

    def _write_soon(self) -> None:
        if self._writing is None:
            self._writing = self.clock.call_later(_REPLY_SECONDS, self._write_ends)

    def _write_ends(self) -> None:
        rest = self._ended_at + _REPLY_SECONDS - self.clock.now()
        if rest > 0:
            # This call's reply may still be on its way; earlier ends were written when it began.
            self._writing = self.clock.call_later(rest, self._write_ends)
            return
        self._writing = None
        try:
            self.log.write_ends()
        except AuditError as problem:
            # The calls have happened and must not be reported as failed.
            _log.warning("%s The ends of the last calls are not written yet.", problem)

    def acts(self, call: ToolCall, phone: "Phone") -> None:
        """An action begins on a phone."""
        secret = call.listing.recording.types and not call.plain_field
        wanted = call.id and not secret and self._wanted()
        self._pictures.before(phone, call.id if wanted else 0)

    def acted(self, call: ToolCall, phone: "Phone") -> None:
        """The action ended. The reply does not wait for this."""
        self._pictures.after(phone, call.id)

    async def aclose(self) -> None:
        if self._writing is not None:
            self._writing.cancel()
        await self._pictures.aclose()
        self.log.close()


class Record:
    """One call, begun once and ended once. Without a recorder, nothing is written."""

    def __init__(self, recorder: Recorder | None, call: ToolCall) -> None:
        """`call` contains what is known before a phone is picked."""
        self._recorder = recorder
        self._started = 0.0 if recorder is None else recorder.clock.now()
        self._begun = False
        self.call = call
        self._acted_on: Phone | None = None
        self.denied = False
        """The approver denied the call."""
        self.running = False
        """The phone has been asked."""
        self.seen: list[Screen] = []
        """The screens that were read for the reply."""

    def begin(self, phone: "Phone | None", label: str, tool: Tool) -> ToolCall:
        """`label` is the phone's name in the record; `phone` is None for a call on no single phone.
        Raises ToolError if the call must not run."""
        listing = tool.listing
        arguments = self.call.arguments
        elements: Mapping[str, Mapping[str, str]] = {}
        plain = False
        if self._recorder is not None and phone is not None:
            masks = self._recorder.log.masks
            targets: Mapping[str, CallTarget] = {}
            if tool.locate is not None:
                targets = tool.locate(phone, arguments)
            elements = {**_elements(arguments, phone, masks), **_words(targets, phone, masks)}
            plain = listing.recording.types and is_plain(arguments, targets, phone, masks)
        self.call = self.call._replace(
            tool=listing.name, listing=listing, phone=label, plain_field=plain, elements=elements
        )
        self._begin()
        return self.call

    def _begin(self, *, refused: bool = False) -> None:
        self._begun = True
        if self._recorder is not None:
            id = self._recorder.begin(self.call, refused=refused)
            self.call = self.call._replace(id=id)

    def leave(self) -> None:
        """Nothing is written of this call: the calls that it makes are recorded."""
        self._recorder = None

    def runs(self) -> None:
        """The phone is asked from now on. A call that is refused before this does not count as an
        act."""
        self.running = True
        if self._recorder is not None and not self.call.listing.read_only:
            self._recorder.runs(self.call)

    def acts(self, phone: "Phone") -> None:
        """The action begins. The screen may be different when it ends, successfully or not."""
        self.runs()
        if self._recorder is not None and not self.call.listing.read_only:
            self._recorder.acts(self.call, phone)
            self._acted_on = phone

    def done(self, items: Sequence[Item]) -> None:
        self._end("done", items)

    def failed(self, *texts: str, note: str = "") -> None:
        self._end("denied" if self.denied else "failed", texts, note)

    def stopped(self) -> None:
        """The caller disconnected or cancelled the call."""
        if self.running and not self.call.listing.read_only:
            self._end(
                "unknown", (), "It was stopped while it ran, and may or may not have happened."
            )
        else:
            self._end("failed", (), "It was stopped before anything was done.")

    def _end(self, state: State, items: Sequence[Item], note: str = "") -> None:
        recorder = self._recorder
        if recorder is None:
            return
        if not self._begun:
            try:
                self._begin(refused=True)
            except ToolError:
                _log.warning("%s was refused, which is not recorded.", self.call.tool)
        if self._acted_on is not None:
            recorder.acted(self.call, self._acted_on)
        spent = round((recorder.clock.now() - self._started) * 1000, 3)
        texts = [_as_text(item) for item in items]
        refused = not self.running
        recorder.end(self.call, state, texts, spent, note, self.seen, refused=refused)


def _as_text(item: Item) -> str:
    if isinstance(item, Image):
        size = image_size(item.data)
        return f"(image {size[0]}x{size[1]})" if size else "(image)"
    return item


def _elements(
    arguments: Mapping[str, Any], phone: "Phone", masks: Masks
) -> dict[str, dict[str, str]]:
    """The elements that ids in the arguments refer to, without values that must not be recorded."""
    names: list[Any] = []
    for name in _ID_ARGUMENTS:
        value = arguments.get(name)
        names += value if isinstance(value, list) else [value]
    found: dict[str, dict[str, str]] = {}
    for name in names[:_MOST_IDS]:
        ref = _issued_ref(name, phone)
        if ref is not None:
            node = ref.node
            texts = {"resource_id": node.resource_id, "class_name": node.class_name}
            if not masks.hides_app(ref.package):
                # A field's content was typed, and may be a secret.
                typed = node.flags & Flag.EDITABLE.value
                text, description = split_hint(node)
                texts |= {"text": None if typed else text, "description": description}
            # The keys of find_elements' replies: a replay finds the element by them.
            found[name] = {
                key: plain_lines(value)[:_MOST_WORDS] for key, value in texts.items() if value
            }
    return found


def _words(
    targets: Mapping[str, CallTarget], phone: "Phone", masks: Masks
) -> dict[str, Mapping[str, str]]:
    """The words of the arguments' targets, without those of apps that must not be recorded."""
    found: dict[str, Mapping[str, str]] = {}
    for name, target in targets.items():
        ref = _issued_ref(target.id, phone)
        if ref is not None and not masks.hides_app(ref.package):
            found[name] = {key: text[:_MOST_WORDS] for key, text in target.words.items()}
    return found


def is_plain(
    arguments: Mapping[str, Any], targets: Mapping[str, CallTarget], phone: "Phone", masks: Masks
) -> bool:
    """Whether the field that is typed into is known to hold no secret."""
    ref = _issued_ref(arguments.get("element_id"), phone)
    into = targets.get(str(arguments.get("into")))
    if into is not None:
        ref = _issued_ref(into.id, phone)
        # Words next to a field stand for the field, which may be any field.
        if ref is not None and not ref.node.flags & Flag.EDITABLE.value:
            return False
    if ref is None or masks.hides_app(ref.package):
        return False
    return not is_secret_field(ref.node)


def _issued_ref(name: Any, phone: "Phone") -> "IssuedRef | None":
    if not isinstance(name, str):
        return None
    try:
        return phone.elements.look_up(name).ref
    except ElementNotFound:
        return None
