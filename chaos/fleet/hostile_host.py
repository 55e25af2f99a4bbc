"""A host that was admitted and attacks the others: it writes all that the engine lets it, and tries
what it does not. It has no phones. What it gets of others' calls is noted."""

import asyncio
import json
import random
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

from handheld.fleet.messages import pack_items
from handheld.fleet.nats.calls import CallAnswer, Responder
from handheld.fleet.nats.directory import HostRow, LeaseRow, PhoneRow, encode_row, encode_rows
from handheld.fleet.nats.frames import NatsFrame
from handheld.fleet.nats.kv import Kv, KvError
from handheld.fleet.nats.names import (
    CLAIMS,
    HOSTS,
    PHONES,
    RULES,
    SLOTS,
    TABLES,
    phone_id,
    slot_of,
    to_host,
)
from handheld.fleet.nats.wire import EngineWire, Membership, WireFault

NAME = "evil"
WITNESS = "witness"
"""A token of the fleet, which nobody uses."""
PAUSE = (0.02, 0.3)
HARMLESS = ("android_lease_status",)
"""What it is asked because its rows say that it has leases of a token. It says that it has none."""


class Got(NamedTuple):
    """A call that reached it."""

    at: float
    """By the clock of the machine."""
    token: str
    tool: str


class HostileHost:
    def __init__(
        self,
        membership: Membership,
        neighbours: Sequence[str],
        phones: Sequence[str],
        tokens: Sequence[str],
        seed: int,
    ) -> None:
        """`neighbours` are the ids of the other hosts, `phones` their phones, by slug; `tokens` the
        names of those that call."""
        self.wire = EngineWire(membership)
        self._neighbours, self._phones, self._tokens = neighbours, phones, tokens
        self._chance = random.Random(seed)
        self._beat = 0
        self.counts = Counter[str]()
        self.got: list[Got] = []
        self._responder = Responder(self.wire, self._answer)

    async def go(self) -> None:
        """Attack until it is cancelled."""
        attacks = (
            self._pretend_phones,
            self._pretend_claims,
            self._write_for_others,
            self._fill,
            self._ask,
            self._speak_through_the_store,
            self._answer_into_tables,
        )
        async with self.wire:
            while True:
                await self.wire.ready()
                attack = self._chance.choice(attacks)
                with suppress(WireFault, KvError):
                    await self._live()
                    await attack()
                    self.counts[attack.__name__.strip("_").replace("_", " ")] += 1
                await asyncio.sleep(self._chance.uniform(*PAUSE))

    async def _live(self) -> None:
        """Give a sign of life, now and then by the name of another."""
        self._beat += 1
        name = self._chance.choice((NAME, NAME, NAME, "host-left", "host-right"))
        row = HostRow(name, "1", self._beat, rules=RULES)
        await Kv(self.wire, HOSTS).put(self.wire.id, encode_row(row))

    async def _pretend_phones(self) -> None:
        """Phones with the names of others, and leases on them of tokens that call."""
        rows: dict[str, list[PhoneRow]] = {}
        for number, slug in enumerate(self._phones):
            lease = LeaseRow("x", 1.0, 2.0**33, self._chance.choice(self._tokens))
            serial = f"evil{number}"
            row = PhoneRow(serial, slug=slug, lease=lease)
            rows.setdefault(slot_of(phone_id(serial)), []).append(row)
        for slot, phones in rows.items():
            await Kv(self.wire, PHONES).put(f"{self.wire.id}.{slot}", encode_rows(phones))

    async def _pretend_claims(self) -> None:
        claimed = [phone_id(f"V-{slug}") for slug in self._phones]
        await Kv(self.wire, CLAIMS).put(self.wire.id, json.dumps(claimed).encode())

    async def _write_for_others(self) -> None:
        slug = phone_id(f"V-{self._chance.choice(self._phones)}")
        for key in (f"claims.{slug}", f"claims.{slug}.{self.wire.id}", "hosts.h000000000000"):
            with suppress(WireFault):
                await self.wire.request(f"$KV.{key}", b"0" * 16 + b" []", 2)

    async def _fill(self) -> None:
        slot = self._chance.choice(SLOTS)
        for bucket, key in ((PHONES, f"{self.wire.id}.{slot}"), (CLAIMS, self.wire.id)):
            await Kv(self.wire, bucket).put(key, b"x" * bucket.largest)
        await self.wire.publish(f"hh1.audit.{self.wire.id}", b"x" * 1000)

    async def _ask(self) -> None:
        for number in range(20):
            await self.wire.publish(
                f"hh1.ask.{self.wire.id}", NatsFrame({"run": "r", "ended": number}).encode()
            )

    async def _speak_through_the_store(self) -> None:
        """As a gateway, to another host: the store answers whom a question names."""
        forged = NatsFrame(
            {"call": "x", "name": "android_tap", "arguments": {"x": 1, "y": 1}}
        ).encode()
        key = f"{self.wire.id}.{SLOTS[0]}"
        await self.wire.request(f"$KV.phones.{key}", forged, 2)
        await self.wire.publish(
            f"$JS.API.DIRECT.GET.KV_phones.$KV.phones.{key}",
            b"",
            reply=to_host("call", "h000000000000", "g000000000000"),
        )

    async def _answer_into_tables(self) -> None:
        """Have the store say what it has written itself, and acknowledgements, in rows of others
        and to JetStream."""
        key = f"$KV.phones.{self.wire.id}.{SLOTS[0]}"
        host = self._chance.choice(self._neighbours)
        slot = self._chance.choice(SLOTS)
        row = b"0" * 16 + self._chance.choice((b" []", b' {"name": "far", "version": "1"}'))
        to, data = self._chance.choice(
            (
                (f"$KV.hosts.{host}", row),
                (f"$KV.claims.{host}", row),
                (f"$KV.phones.{host}.{slot}", row),
                (f"$KV.tokens.{WITNESS}", row),
                (f"hh1.audit.{host}", row),
                ("$JS.API.STREAM.PURGE.KV_tokens", b""),
                (f"{TABLES}$JS.API.STREAM.PURGE.KV_tokens", b""),
            )
        )
        if self._chance.random() < 0.5:
            await self.wire.publish(key, data, reply=to)
        else:
            await self.wire.request(key, data, 2)
            await self.wire.publish(f"$JS.API.DIRECT.GET.KV_phones.{key}", b"", reply=to)

    async def _answer(self, gateway: str, frame: NatsFrame, answer: CallAnswer) -> None:
        name = str(frame.head.get("name", ""))
        if name and name not in HARMLESS:
            [*_, token] = frame.head["caller"]
            self.got.append(Got(asyncio.get_running_loop().time(), token, name))
        await answer.end(*pack_items(["[]"]))
