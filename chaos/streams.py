"""What clients do: streams of calls, one at a time on one phone, each with a name of its own for
what it does."""

import asyncio
import json
import random
import re
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, cast

from .calls import Call, Effect, Outcome, judge
from .check import PAD
from .clients import Answer, NoAnswer, Transport
from .ledger import PACKAGE

BUDGET_SECONDS = 180.0
"""For a call beyond what its arguments ask for: connecting (20 s), its turn (30 s), a former
helper that has to end (25 s), the start of the helper (15 s), and as much again for the call itself
and a slow machine."""
HUNG_SECONDS = 60.0
"""After that, beyond the budget, a client gives up."""
LEFT_SECONDS = (0.001, 0.05)
"""When a client that leaves disconnects."""
KEPT = 300
LOCATION = "com.android.externalstorage.documents/primary:Download"
CLOSE_APP = "Close app"
"""The button with which Android's dialog about an app that crashed is closed."""
LINES = 200
"""Of a file that is appended to, before another is begun."""


@dataclass(slots=True)
class Names:
    """What is used only once on a phone, by whichever client."""

    points: int = 0
    words: int = 0
    taken: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    """Rows and buttons that some call has already clicked."""

    def point(self) -> tuple[int, int]:
        left, right, top, bottom = PAD
        self.points += 1
        row, column = divmod(self.points, right - left)
        if row >= bottom - top:
            raise RuntimeError("There are no points left.")
        return left + column, top + row

    def word(self) -> str:
        self.words += 1
        return f"w{self.words}"

    def take(self, seen: list[tuple[str, str, str]]) -> tuple[str, str, str] | None:
        """One of the elements (part, name, id) that no call has clicked."""
        for part, name, id in seen:
            if (part, name) not in self.taken:
                self.taken.add((part, name))
                return part, name, id
        return None


@dataclass(slots=True)
class Run:
    """What all streams share."""

    seconds: float
    most_calls: int
    calls: list[Call] = field(default_factory=list[Call])
    done: Counter[str] = field(default_factory=Counter[str])
    """How many calls were done on each phone."""
    hostile: int = 0
    """Calls of the hostile client, which are in no list."""
    begun: float = 0.0

    def begin(self) -> None:
        self.begun = asyncio.get_running_loop().time()

    def now(self) -> float:
        """Seconds since the begin."""
        return asyncio.get_running_loop().time() - self.begun

    @property
    def over(self) -> bool:
        return self.now() >= self.seconds or len(self.calls) + self.hostile >= self.most_calls


Move = Callable[[], Awaitable[object]]


class Stream:
    def __init__(
        self,
        run: Run,
        client: str,
        transport: Transport,
        phone: str,
        device: dict[str, str],
        names: Names,
        seed: int,
        *,
        prefix: str = "",
        leaves: bool = False,
    ) -> None:
        """`device`: the arguments by which its calls name the phone; `prefix`: that of the tools of
        one phone. `leaves`: it sometimes disconnects before the answer."""
        self._run, self._client, self._transport = run, client, transport
        self._phone, self._device, self._names = phone, device, names
        self._chance = random.Random(seed)
        self._prefix, self._leaves = prefix, leaves
        self._seen: list[tuple[str, str, str]] = []
        self._field = ""
        self._log, self._lines = "", 0

    def moves(self) -> list[tuple[int, Move]]:
        raise NotImplementedError

    async def go(self) -> None:
        weights, moves = zip(*self.moves(), strict=True)
        while not self._run.over:
            (move,) = self._chance.choices(moves, weights)
            await move()

    async def call(
        self, tool: str, arguments: dict[str, Any], *effects: Effect, seconds: float = 0.0
    ) -> Answer | None:
        run = self._run
        call = Call(self._client, self._phone, tool, effects, BUDGET_SECONDS + seconds, run.now())
        run.calls.append(call)
        leaving = self._leaves and self._chance.random() < 0.02
        patience = self._chance.uniform(*LEFT_SECONDS) if leaving else call.budget + HUNG_SECONDS
        answer = None
        try:
            async with asyncio.timeout(patience):
                name = tool.replace("android_", self._prefix) if self._prefix else tool
                answer = await self._transport.call(name, {**arguments, **self._device})
            call.outcome = judge(answer.failed, answer.text)
            if answer.refused:
                call.outcome = Outcome.REFUSED
            call.text = answer.text[:KEPT]
        except TimeoutError:
            call.outcome = Outcome.LEFT if leaving else Outcome.HUNG
        except NoAnswer as problem:
            call.text = str(problem)[:KEPT]
            await asyncio.sleep(0.2)
        call.took = run.now() - call.began
        run.done[self._phone] += call.outcome is Outcome.DONE
        if call.outcome is Outcome.FAILED and call.took < 0.05:
            # As an agent does, which thinks before it tries again.
            await asyncio.sleep(self._chance.uniform(0.02, 0.2))
        return answer if answer is not None and not answer.failed else None

    def _down(self, times: int = 1) -> tuple[int, int, Effect]:
        x, y = self._names.point()
        return x, y, Effect("down", f"{x},{y}", times)


class MainStream(Stream):
    """With the documented tools."""

    def moves(self) -> list[tuple[int, Move]]:
        return [
            (14, self._look),
            (22, self._click),
            (24, self._tap),
            (1, self._double_tap),
            (1, self._long_press),
            (3, self._swipe),
            (7, self._type),
            (2, self._clear),
            (3, self._write),
            (5, self._append),
            (1, self._send),
            (5, self._find),
            (1, self._wait),
            (6, self._read),
            (1, self._home),
        ]

    async def _look(self) -> None:
        picture = self._chance.random() < 0.01
        arguments = {"include_screenshot": True} if picture else {}
        answer = await self.call("android_get_screen_state", arguments)
        if answer is None:
            return
        self._seen, self._field, title = [], "", ""
        for line in answer.text.split("\n"):
            cells = line.split("\t")
            if len(cells) < 7:
                continue
            id, text, resource = cells[0], cells[2], cells[4]
            if text == CLOSE_APP:
                await self.call("android_click_element", {"element_id": id})
                return
            if resource.endswith("title") and text.startswith("Order "):
                title = text
                self._seen.append(("row", title, id))
            elif resource.endswith("open") and text == "Open" and title:
                self._seen.append(("button", title, id))
                title = ""
            elif resource.endswith("id/field") or resource == "field":
                self._field = id
        self._chance.shuffle(self._seen)
        if not self._seen:
            await self.call("android_open_app", {"package_id": PACKAGE})

    async def _click(self) -> None:
        target = self._names.take(self._seen)
        if target is None:
            await self._look()
            return
        part, name, id = target
        await self.call("android_click_element", {"element_id": id}, Effect(part, name))

    async def _tap(self) -> None:
        x, y, effect = self._down()
        await self.call("android_tap", {"x": x, "y": y}, effect)

    async def _double_tap(self) -> None:
        x, y, effect = self._down(2)
        await self.call("android_double_tap", {"x": x, "y": y}, effect)

    async def _long_press(self) -> None:
        x, y, effect = self._down()
        await self.call("android_long_press", {"x": x, "y": y, "duration": 50}, effect)

    async def _swipe(self) -> None:
        x, y, effect = self._down()
        way = {"x1": x, "y1": y, "x2": 600, "y2": 270, "duration": 40}
        await self.call("android_swipe", way, effect)

    async def _type(self) -> None:
        if not self._field:
            return
        word = f"{self._names.word()};"
        arguments = {"element_id": self._field, "text": word, "typing_speed": 10}
        await self.call("android_type_append_text", arguments, Effect("typed", word), seconds=1)

    async def _clear(self) -> None:
        if self._field:
            await self.call("android_type_clear_text", {"element_id": self._field})

    async def _write(self) -> None:
        word = self._names.word()
        name = f"chaos-{word}.txt"
        arguments = {"location_id": LOCATION, "path": name, "content": word}
        await self.call("android_write_file", arguments, Effect("written", f"{name} {word}"))

    async def _append(self) -> None:
        place = {"location_id": LOCATION}
        if not self._log or self._lines >= LINES:
            log = f"chaos-log-{self._names.word()}.txt"
            head = {**place, "path": log, "content": "begin\n"}
            if await self.call("android_write_file", head) is not None:
                self._log, self._lines = log, 0
            return
        self._lines += 1
        word = self._names.word()
        arguments = {**place, "path": self._log, "content": f"{word}\n"}
        await self.call("android_append_file", arguments, Effect("appended", word))

    async def _send(self) -> None:
        word = self._names.word()
        arguments = {"to_phone_number": "+15550100", "sms_text": word, "subscription_id": 14}
        await self.call("android_send_sms", arguments, Effect("sms", word))

    async def _find(self) -> None:
        answer = await self.call("android_find_elements", {"by": "text", "value": "Order "})
        if answer is None:
            return
        found = json.loads(answer.texts[0])
        elements = cast("list[dict[str, Any]]", found["elements"])
        self._seen = [("row", str(one["text"]), str(one["id"])) for one in elements]
        self._chance.shuffle(self._seen)

    async def _wait(self) -> None:
        if self._chance.random() < 0.5:
            await self.call("android_wait_for_idle", {"timeout": 1200}, seconds=1.2)
        else:
            awaited = {"by": "text", "value": "Order 9", "timeout": 400}
            await self.call("android_wait_for_element", awaited, seconds=0.4)

    async def _read(self) -> None:
        reads: list[tuple[str, dict[str, Any]]] = [
            ("android_get_device_logs", {"last_lines": 20}),
            ("android_list_apps", {}),
            ("android_get_clipboard", {}),
            ("android_set_clipboard", {"text": "copied"}),
            ("android_list_files", {"location_id": LOCATION, "limit": 20}),
            ("android_list_storage_locations", {}),
            ("android_get_sms_subscriptions", {}),
        ]
        tool, arguments = self._chance.choice(reads)
        await self.call(tool, arguments)

    async def _home(self) -> None:
        if self._chance.random() < 0.2:
            await self.call("android_press_home", {})


class AgentStream(Stream):
    """With the tools for models."""

    def moves(self) -> list[tuple[int, Move]]:
        return [
            (14, self._look),
            (14, self._tap_ref),
            (8, self._tap_words),
            (20, self._tap_point),
            (3, self._swipe),
            (4, self._do),
            (6, self._type),
            (1, self._clear),
            (4, self._file),
            (1, self._message),
            (1, self._wait),
            (5, self._read),
            (1, self._home),
        ]

    async def _look(self) -> None:
        answer = await self.call("phone_look", {})
        if answer is None:
            return
        self._read_rows(answer.text)
        if f'"{CLOSE_APP}"' in answer.text:
            await self.call("phone_tap", {"at": CLOSE_APP})
        elif not self._seen:
            await self.call("phone_open", {"what": PACKAGE})

    def _read_rows(self, text: str) -> None:
        self._seen, self._field = [], ""
        for line in text.split("\n"):
            if row := re.search(r'([a-z]+\d+) "(Order \d{6})"', line):
                self._seen.append(("row", row[2], row[1]))
                if button := re.search(r'([a-z]+\d+) "Open"', line):
                    self._seen.append(("button", row[2], button[1]))
            elif found := re.search(r'([a-z]+\d+) field (?:"Words"|#field)', line):
                self._field = found[1]
        self._chance.shuffle(self._seen)

    async def _tap_ref(self) -> None:
        target = self._names.take(self._seen)
        if target is None:
            await self._look()
            return
        part, name, ref = target
        await self.call("phone_tap", {"at": ref}, Effect(part, name))

    async def _tap_words(self) -> None:
        target = self._names.take(self._seen)
        if target is None:
            return
        part, name, _ = target
        where = {"at": name} if part == "row" else {"at": "Open", "within": name}
        await self.call("phone_tap", where, Effect(part, name), seconds=3)

    async def _tap_point(self) -> None:
        x, y, effect = self._down()
        await self.call("phone_tap", {"at": f"{x},{y}"}, effect)

    async def _swipe(self) -> None:
        x, y, effect = self._down()
        way = {"at": f"{x},{y}", "to": "600,270", "ms": 50}
        await self.call("phone_swipe", way, effect)

    async def _do(self) -> None:
        points = [self._down() for _ in range(3)]
        steps = [{"tool": "tap", "at": f"{x},{y}"} for x, y, _ in points]
        await self.call("phone_do", {"steps": steps}, *(one[2] for one in points), seconds=50)

    async def _type(self) -> None:
        await self._type_in("append")

    async def _clear(self) -> None:
        await self._type_in("replace")

    async def _type_in(self, mode: str) -> None:
        if self._field:
            word = f"{self._names.word()};"
            arguments = {"text": word, "mode": mode, "into": self._field}
            await self.call("phone_type", arguments, Effect("typed", word), seconds=1)

    async def _file(self) -> None:
        word = self._names.word()
        name = f"chaos-{word}.txt"
        arguments = {"action": "write", "path": f"{LOCATION}/{name}", "text": word}
        await self.call("phone_file", arguments, Effect("written", f"{name} {word}"))

    async def _message(self) -> None:
        word = self._names.word()
        arguments = {"to": "+15550100", "text": word, "sim": 14}
        await self.call("phone_message", arguments, Effect("sms", word))

    async def _wait(self) -> None:
        awaited = {"text": "Order 9", "seconds": 0.4} if self._chance.random() < 0.5 else {}
        await self.call("phone_wait", {"seconds": 1.0, **awaited}, seconds=1)

    async def _read(self) -> None:
        what = self._chance.choice(["clipboard", "files", "apps", "log", "sims", "saved"])
        await self.call("phone_read", {"what": what, "limit": 10})

    async def _home(self) -> None:
        if self._chance.random() < 0.2:
            await self.call("phone_press", {"key": "home"})
