"""A client that means harm: valid calls, changed in every part, over HTTP and stdio.

What its calls would do has marks of its own, points and words, which the phone notes: none may be
found of a call that was refused. Every reply has to be JSON-RPC, or a refusal of HTTP in JSON.
"""

import asyncio
import json
import random
import re
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, cast

from server.both_ways import Post
from server.mutations import mutate

from .calls import Outcome, judge
from .check import PAD, Journal, Violation
from .clients import Answer
from .streams import LOCATION, MainStream, Move, Run

HANG_SECONDS = 300.0
"""Nothing but a hang takes so long."""
NO_JSON_RPC, NO_ANSWER = "a reply that is no JSON-RPC", "a call of the hostile client got no answer"
REFUSED_AND_DONE, DONE_AND_NOT = "refused, and done", "said done to the hostile client, was not"
KINDS = (NO_JSON_RPC, NO_ANSWER, REFUSED_AND_DONE, DONE_AND_NOT)
INVALID_HTTP = b"Invalid HTTP request received."
"""What a request gets that is none of HTTP, whatever it asks for."""
METHODS = ("GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "post", "POST /", "")
SIZES = (1_000, 40_000, 300_000, 1_100_000, 5_000_000, 17_000_000)
TEXTS = ("\0", "\ud800", "\U0001f511", "\u202e", "\ufeff", "é", "e\u0301", '"', "\\", "\r\n", "%s")
FIRST_ID = 1000
"""Larger than any number that a change puts in its place."""
ROWS = 10
"""Of the pad, from below, in which each lane puts its points, again and again."""
OPEN = 200
"""Calls over stdio whose answers are awaited, at most."""
KEPT = 200

Mark = tuple[str, str]
"""What the phone notes of a call: its kind, and the point or the word."""


@dataclass(frozen=True, slots=True)
class Attack:
    """A valid call, with what it does."""

    post: Post
    marks: tuple[Mark, ...] = ()

    def is_asked_by(self, body: bytes) -> bool:
        """Whether a changed body still asks for the same."""
        with suppress(ValueError, AttributeError, KeyError, TypeError, RecursionError):
            sent, own = json.loads(body), json.loads(self.post.body)
            return (sent["method"], sent["params"]) == (own["method"], own["params"])
        return False


@dataclass(slots=True)
class Tally:
    """What became of all its calls."""

    calls: Counter[str] = field(default_factory=Counter[str])
    """By transport."""
    replies: Counter[str] = field(default_factory=Counter[str])
    allowed: Counter[Mark] = field(default_factory=Counter[Mark])
    """How often each may have been done."""
    said: Counter[Mark] = field(default_factory=Counter[Mark])
    """How often replies say that it was done."""
    known: set[Mark] = field(default_factory=set[Mark])
    changed: Counter[str] = field(default_factory=Counter[str])
    """Calls, by the kind of their mark, that may have done it with another."""
    violations: list[Violation] = field(default_factory=list[Violation])
    longest: float = 0.0

    def note(self, attack: Attack, body: bytes, outcome: Outcome) -> None:
        """One call, as it was sent."""
        self.known.update(attack.marks)
        if outcome in (Outcome.REFUSED, Outcome.FAILED):
            return
        same = attack.is_asked_by(body)
        for mark in attack.marks:
            self.allowed[mark] += 1
            self.said[mark] += same and outcome is Outcome.DONE
            self.changed[mark[0]] += not same

    def find(self, kind: str, evidence: str) -> None:
        self.violations.append(Violation(kind, evidence[:1000]))

    def check(self, journal: Journal) -> list[Violation]:
        """Compare with what was done to its phone by nobody else."""
        found = list(self.violations)
        others: Counter[str] = Counter()
        for mark, times in journal.items():
            if mark in self.known:
                if times > self.allowed[mark]:
                    evidence = f"{mark} {times} times, allowed {self.allowed[mark]} times"
                    found.append(Violation(REFUSED_AND_DONE, evidence))
            elif mark[0] in ("sms", "written"):
                others[mark[0]] += times
        for kind, times in others.items():
            if times > self.changed[kind]:
                evidence = f"{kind}: {times} that were not asked for, allowed {self.changed[kind]}"
                found.append(Violation(REFUSED_AND_DONE, evidence))
        for mark, times in self.said.items():
            # A file that is written twice is one.
            if journal[mark] < (min(times, 1) if mark[0] == "written" else times):
                evidence = f"{mark} {journal[mark]} times, said {times} times"
                found.append(Violation(DONE_AND_NOT, evidence))
        return found


def split(journal: Journal, asked: Iterable[Mark]) -> tuple[Journal, Journal]:
    """What others asked for, and the rest."""
    theirs = {mark: journal[mark] for mark in asked if mark in journal}
    return Counter(theirs), journal - Counter(theirs)


def read_answer(message: Any) -> Outcome | None:
    """What a JSON-RPC message says; None for one that is no answer. Raises ValueError for what is
    no JSON-RPC."""
    if not isinstance(message, dict):
        raise ValueError("no object")
    fields = cast("dict[str, Any]", message)
    if fields.get("jsonrpc") != "2.0":
        raise ValueError("no JSON-RPC 2.0")
    if "method" in fields:
        return None
    if ("result" in fields) == ("error" in fields) or "id" not in fields:
        raise ValueError("neither result nor error, both, or without an id")
    if "error" in fields:
        error = fields["error"]
        if not isinstance(error["code"], int) or not isinstance(error["message"], str):
            raise ValueError("an error without code and message")
        return Outcome.REFUSED
    if "content" not in fields["result"]:
        return Outcome.DONE
    answer = Answer(fields)
    return judge(answer.failed, answer.text)


def read_reply(status: int, kind: str, body: bytes) -> Outcome:
    """What an HTTP reply says. Raises ValueError for one that a client of MCP cannot expect."""
    if status == 202 and not body:
        return Outcome.REFUSED  # to a notification, which does nothing
    if status == 400 and body == INVALID_HTTP:
        return Outcome.REFUSED
    if kind.startswith("text/event-stream"):
        lines = [line[5:] for line in body.split(b"\n") if line.startswith(b"data:")]
        said = [read_answer(json.loads(line)) for line in lines if line.strip()]
        return next((one for one in reversed(said) if one is not None), Outcome.UNKNOWN)
    if not kind.startswith("application/json"):
        raise ValueError(f"the type {kind!r}")
    message = json.loads(body)
    if status >= 400 and isinstance(message, dict) and "jsonrpc" not in message:
        refusal = cast("dict[str, Any]", message)
        if not isinstance(refusal.get("error"), str) or not isinstance(refusal["message"], str):
            raise ValueError("a refusal without error and message")
        return Outcome.REFUSED
    said = read_answer(message)
    if said is None:
        raise ValueError("no answer")
    return said


class Witness(MainStream):
    """Another client of the phone that the hostile one calls: it is answered as ever."""

    def moves(self) -> list[tuple[int, Move]]:
        return [(1, self._look), (1, self._tap), (1, self._list), (1, self._pause)]

    async def _list(self) -> None:
        await self.call("android_list_apps", {})

    async def _pause(self) -> None:
        await asyncio.sleep(0.1)


class Arms:
    """Draws valid calls and changes them."""

    def __init__(self, phone: str, other: str, lane: int, seed: int, *, writes: bool) -> None:
        """`other`: a phone that is only read. `writes`: with calls that write files."""
        self._phone, self._other, self._lane = phone, other, lane
        self.chance = random.Random(seed)
        self._writes = writes
        self.last_id = FIRST_ID

    def draw(self) -> Attack:
        phone = self._phone
        # No change makes the word or the point of another call of them: all have the same length,
        # and what is left of a point is not on the pad.
        left, right, _, bottom = PAD
        word = f"h{self._lane}{self.last_id:09}"
        row, column = divmod(self.last_id, right - left)
        x, y = left + column, bottom - 1 - ROWS * self._lane - row % ROWS
        at, point = f"{x},{y}", ("down", f"{x},{y}")
        match self.chance.randrange(9 if self._writes else 8):
            case 0 | 1:
                return self._call("android_tap", {"x": x, "y": y, "device": phone}, point)
            case 2:
                return self._call("phone_tap", {"at": at, "phone": phone}, point)
            case 3:
                steps = [{"tool": "tap", "at": at}]
                return self._call("phone_do", {"steps": steps, "phone": phone}, point)
            case 4:
                to = {"to_phone_number": "+15550100", "sms_text": word, "subscription_id": 14}
                return self._call("android_send_sms", {**to, "device": phone}, ("sms", word))
            case 5:
                to = {"to": "+15550100", "text": word, "sim": 14, "phone": phone}
                return self._call("phone_message", to, ("sms", word))
            case 8:
                name = f"chaos-{word}.txt"
                file = {"location_id": LOCATION, "path": name, "content": word, "device": phone}
                return self._call("android_write_file", file, ("written", f"{name} {word}"))
            case _:
                return self._read()

    def _read(self) -> Attack:
        place = self.chance.choice((self._phone, self._other))
        here = {"device": place}
        reads: tuple[tuple[str, dict[str, Any]], ...] = (
            ("android_get_screen_state", here),
            ("android_find_elements", {"by": "text", "value": "Order", **here}),
            ("android_wait_for_idle", {"timeout": 300, **here}),
            ("android_list_apps", here),
            ("phone_look", {"phone": place}),
            ("phone_read", {"what": "apps", "phone": place}),
            ("phone_read", {"what": "clipboard", "phone": place}),
        )
        if self.chance.random() < 0.6:
            return self._call(*self.chance.choice(reads))
        return self._request(self.chance.choice(("ping", "tools/list", "initialize")), {})

    def _call(self, tool: str, arguments: Mapping[str, Any], *marks: Mark) -> Attack:
        params = {"name": tool, "arguments": arguments}
        path = "/mcp/agent" if tool.startswith("phone_") else "/mcp"
        return self._request("tools/call", params, path, marks)

    def _request(
        self,
        method: str,
        params: Mapping[str, Any],
        path: str = "/mcp",
        marks: tuple[Mark, ...] = (),
    ) -> Attack:
        self.last_id += 1
        message = {"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params}
        headers = (("mcp-protocol-version", "2025-11-25"), ("mcp-session-id", "hostile"))
        post = Post(headers, json.dumps(message).encode(), path)
        return Attack(post, marks)

    def change(self, post: Post) -> Post:
        draw = self.chance.random()
        if draw < 0.1:
            return post
        if draw < 0.9:
            return mutate(post, self.chance)
        body = self.chance.choice((self._swell, self._nest, self._spoil))(post.body)
        return Post(post.headers, body, post.path)

    def _swell(self, body: bytes) -> bytes:
        """One of its texts is long; the longest are rare."""
        size = SIZES[min(int(self.chance.expovariate(1.0)), len(SIZES) - 1)]
        text = json.dumps(self.chance.choice(TEXTS) * (size // 4)).encode()
        return self._replace_value(body, text[:size].rstrip(b"\\"))

    def _nest(self, body: bytes) -> bytes:
        depth = self.chance.choice((50, 99, 101, 5_000, 200_000))
        begin, end = self.chance.choice(((b"[", b"]"), (b'{"a":', b"}")))
        return self._replace_value(body, begin * depth + b"1" + end * depth)

    def _spoil(self, body: bytes) -> bytes:
        text = json.dumps(self.chance.choice(TEXTS), ensure_ascii=self.chance.random() < 0.5)
        return self._replace_value(body, text.encode(errors="surrogatepass"))

    def _replace_value(self, body: bytes, value: bytes) -> bytes:
        values = list(re.finditer(rb'(?<=: )("[^"]*"|\d+)', body))
        at = self.chance.choice(values)
        return body[: at.start()] + value + body[at.end() :]


class HttpLane:
    """One connection of the hostile client, which is opened again whenever it was closed."""

    def __init__(self, run: Run, tally: Tally, arms: Arms, port: int, token: str) -> None:
        self._run, self._tally, self._arms = run, tally, arms
        self._port, self._token = port, token
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def go(self) -> None:
        chance = self._arms.chance
        manners: Sequence[Callable[[Attack, bytes], Awaitable[None]]]
        manners = (self._ask, self._ask_twice, self._leave, self._cut, self._cancel)
        while not self._run.over:
            attack = self._arms.draw()
            post = self._arms.change(attack.post)
            (manner,) = chance.choices(manners, (88, 4, 4, 3, 1))
            self._tally.calls["http"] += 1
            self._run.hostile += 1
            try:
                await manner(attack, self._encode(post))
            except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError) as problem:
                self._tally.note(attack, post.body, Outcome.UNKNOWN)
                self._tally.find(NO_ANSWER, f"{problem!r}; sent {post!r}")
                self._close()
        self._close()

    def _encode(self, post: Post) -> bytes:
        chance = self._arms.chance
        method = chance.choice(METHODS) if chance.random() < 0.02 else "POST"
        token = "stolen" if chance.random() < 0.01 else self._token
        own = {"host": f"127.0.0.1:{self._port}", "authorization": f"Bearer {token}"}
        own |= {"accept": "application/json, text/event-stream", "content-type": "application/json"}
        own |= {"content-length": str(len(post.body))}
        given = {name.lower() for name, _ in post.headers}
        lines = [(name, value) for name, value in own.items() if name not in given]
        head = "".join(f"{name}: {value}\r\n" for name, value in (*lines, *post.headers))
        return f"{method} {post.path} HTTP/1.1\r\n{head}\r\n".encode("latin-1") + post.body

    async def _send(self, data: bytes) -> bool:
        """Whether it was sent on a new connection."""
        fresh = self._streams is None or self._streams[0].at_eof()
        if fresh:
            self._close()
            self._streams = await asyncio.open_connection("127.0.0.1", self._port, limit=2**26)
        assert self._streams is not None
        self._streams[1].write(data)
        return fresh

    async def _ask(self, attack: Attack, data: bytes) -> None:
        await self._exchange(attack, data, 1)

    async def _ask_twice(self, attack: Attack, data: bytes) -> None:
        """The same id again before the answer."""
        await self._exchange(attack, data + data, 2)

    async def _exchange(self, attack: Attack, data: bytes, times: int) -> None:
        began = self._run.now()
        fresh = await self._send(data)
        body = _body(data, times)
        for _ in range(times):
            outcome = await self._read(fresh and times == 1, data)
            self._tally.longest = max(self._tally.longest, self._run.now() - began)
            self._tally.note(attack, body, outcome)

    async def _leave(self, attack: Attack, data: bytes) -> None:
        await self._send(data)
        await asyncio.sleep(self._arms.chance.uniform(0.0, 0.03))
        self._close()
        self._tally.note(attack, _body(data, 1), Outcome.LEFT)
        self._tally.replies[Outcome.LEFT] += 1

    async def _cut(self, attack: Attack, data: bytes) -> None:
        """Whatever of it arrived is no call."""
        await self._send(data[: self._arms.chance.randrange(len(data))])
        assert self._streams is not None
        self._streams[1].write_eof()
        with suppress(OSError):
            async with asyncio.timeout(HANG_SECONDS):
                await self._streams[0].read()
        self._close()
        self._tally.note(attack, b"", Outcome.REFUSED)
        self._tally.replies["cut off"] += 1

    async def _cancel(self, attack: Attack, data: bytes) -> None:
        """From another connection, in the same session."""
        with suppress(ValueError, AttributeError, RecursionError):
            id = json.loads(_body(data, 1)).get("id")
            params = {"requestId": id}
            notice = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}
            headers = attack.post.headers
            other = HttpLane(self._run, self._tally, self._arms, self._port, self._token)
            asking = asyncio.ensure_future(self._exchange(attack, data, 1))
            try:
                body = json.dumps(notice).encode()
                await other._send(other._encode(Post(headers, body, attack.post.path)))
                await other._read(True, body)
            finally:
                other._close()
                await asking

    async def _read(self, fresh: bool, data: bytes) -> Outcome:
        """The next reply, judged. A connection that was used before may be closed at any time."""
        if self._streams is None:
            return Outcome.UNKNOWN
        reader = self._streams[0]
        try:
            async with asyncio.timeout(HANG_SECONDS):
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
                lines = dict(line.split(": ", 1) for line in head.split("\r\n")[1:] if ": " in line)
                status, kind = int(head.split(" ")[1]), lines.get("content-type", "")
                if data.startswith(b"HEAD "):
                    body = b""
                elif "content-length" in lines:
                    body = await reader.readexactly(int(lines["content-length"]))
                elif status != 202:
                    body = await _read_chunks(reader)
                else:
                    body = b""
        except TimeoutError:
            self._tally.find(NO_ANSWER, f"nothing in {HANG_SECONDS:g} s; sent {data[:KEPT]!r}")
            self._close()
            return Outcome.UNKNOWN
        except (asyncio.IncompleteReadError, ConnectionError):
            self._close()
            if fresh:
                raise
            return Outcome.UNKNOWN
        if lines.get("connection") == "close":
            self._close()
        if data.startswith(b"HEAD "):
            self._tally.replies["no body, as asked"] += 1
            return Outcome.REFUSED
        try:
            outcome = read_reply(status, kind, body)
        except (ValueError, KeyError, TypeError) as problem:
            evidence = f"{problem}: {status} {kind} {body[:KEPT]!r}; sent {data[-2 * KEPT :]!r}"
            self._tally.find(NO_JSON_RPC, evidence)
            return Outcome.UNKNOWN
        self._tally.replies[outcome] += 1
        return outcome

    def _close(self) -> None:
        if self._streams is not None:
            self._streams[1].transport.abort()
            self._streams = None


def _body(data: bytes, times: int) -> bytes:
    return data[: len(data) // times].partition(b"\r\n\r\n")[2]


async def _read_chunks(reader: asyncio.StreamReader) -> bytes:
    parts: list[bytes] = []
    while size := int(await reader.readuntil(b"\r\n"), 16):
        parts.append(await reader.readexactly(size))
        await reader.readexactly(2)
    await reader.readuntil(b"\r\n")
    return b"".join(parts)


class StdioLane:
    """A `handheld stdio` of its own. Answers are told by their ids."""

    def __init__(self, run: Run, tally: Tally, arms: Arms, process: Process) -> None:
        self._run, self._tally, self._arms, self._process = run, tally, arms, process
        self._open: dict[object, list[tuple[Attack, bytes]]] = {}
        self._pings: dict[str, asyncio.Event] = {}
        self._sent = 0

    @classmethod
    async def start(
        cls, run: Run, tally: Tally, arms: Arms, environment: dict[str, str], *arguments: str
    ) -> "StdioLane":
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", "handheld", "stdio", *arguments),
            env=environment,
            stdin=PIPE,
            stdout=PIPE,
            stderr=DEVNULL,
            limit=2**26,
        )
        return cls(run, tally, arms, process)

    async def go(self) -> None:
        assert self._process.stdin is not None
        reading = asyncio.create_task(self._read())
        client = {"name": "hostile", "version": "1"}
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}
        self._write(json.dumps(
            {"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": hello}
        ).encode())  # fmt: skip
        self._write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}')
        while not self._run.over and not reading.done():
            for _ in range(20):
                self._attack()
            with suppress(OSError):
                await self._process.stdin.drain()
            if not await self._ping(reading):
                break
        for attack, body in [each for calls in self._open.values() for each in calls]:
            self._tally.note(attack, body, Outcome.UNKNOWN)
        self._process.stdin.close()
        await self._process.wait()
        await reading

    def _attack(self) -> None:
        chance = self._arms.chance
        attack = self._arms.draw()
        body = self._arms.change(attack.post).body.replace(b"\n", b" ")
        self._tally.calls["stdio"] += 1
        self._run.hostile += 1
        if chance.random() < 0.02:
            body = body[: chance.randrange(len(body) + 1)]
        times = 2 if chance.random() < 0.05 else 1
        id = self._id_of(body)
        for _ in range(times):
            self._write(body)
            if id is None:
                self._tally.note(attack, body, Outcome.UNKNOWN)
            else:
                self._open.setdefault(id, []).append((attack, body))
        if id is not None and chance.random() < 0.05:
            params = {"requestId": id}
            notice = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}
            self._write(json.dumps(notice).encode())
        while len(self._open) > OPEN:
            for late in self._open.pop(next(iter(self._open))):
                self._tally.note(*late, Outcome.UNKNOWN)

    def _id_of(self, body: bytes) -> object:
        """The id that its answer must have; None where that cannot be told."""
        with suppress(ValueError, AttributeError, RecursionError):
            id = json.loads(body).get("id")
            if type(id) is int and id == self._arms.last_id:
                return id
        return None

    def _write(self, line: bytes) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(line + b"\n")

    async def _ping(self, reading: "asyncio.Task[None]") -> bool:
        """Whether it answers another request meanwhile."""
        self._sent += 1
        name = f"alive {self._sent}"
        event = self._pings[name] = asyncio.Event()
        began = self._run.now()
        self._write(json.dumps({"jsonrpc": "2.0", "id": name, "method": "ping"}).encode())
        waiting = asyncio.create_task(event.wait())
        await asyncio.wait(
            {waiting, reading}, timeout=HANG_SECONDS, return_when=asyncio.FIRST_COMPLETED
        )
        waiting.cancel()
        self._tally.longest = max(self._tally.longest, self._run.now() - began)
        if not event.is_set():
            self._tally.find(NO_ANSWER, "handheld stdio has ended, or answers no ping")
        return event.is_set()

    async def _read(self) -> None:
        assert self._process.stdout is not None
        while line := await self._process.stdout.readline():
            try:
                message = json.loads(line)
                outcome = read_answer(message)
            except (ValueError, KeyError, TypeError) as problem:
                self._tally.find(NO_JSON_RPC, f"{problem}: {line[:KEPT]!r} over stdio")
                continue
            if outcome is None:
                continue
            id = message["id"]
            if isinstance(id, str) and id in self._pings:
                self._pings.pop(id).set()
                continue
            self._tally.replies[outcome] += 1
            if isinstance(id, int) and id in self._open:
                calls = self._open[id]
                self._tally.note(*calls.pop(), outcome)
                if not calls:
                    del self._open[id]

    async def aclose(self) -> None:
        if self._process.returncode is None:
            self._process.kill()
            await self._process.wait()
