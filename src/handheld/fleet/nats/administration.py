"""An administrator's operations on a running engine, run where its keys are."""

import asyncio
import json
import secrets
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ...clock import SYSTEM_CLOCK, Clock
from .audit_stream import AuditStream
from .credentials import admin_credential, has_store, member_credential, says_same
from .jetstream import read_time
from .joining import VALID_FOR, HostAdmission, admit, make_code
from .kv import Kv, KvError
from .moving import move
from .names import BUCKETS, CLAIMS, PHONES, ROLES, Bucket, member_id
from .nkeys import USER, KeyPair
from .plan import EngineError, EngineFolder, EnginePlan, Member, check_name
from .wire import EngineWire, Membership, WireFault

if TYPE_CHECKING:
    from .client import Msg

DIAL_WITHIN = 10.0
ANSWER_WITHIN = 5.0
_SYSTEM = "system"


class Administration:
    """Each connection has a fresh key and credential, which no file ever holds."""

    def __init__(self, folder: EngineFolder, clock: Clock = SYSTEM_CLOCK) -> None:
        self._folder = folder
        self._clock = clock

    @asynccontextmanager
    async def _connected(
        self, plan: EnginePlan, account: KeyPair, serve: Callable[[EngineWire], None] | None = None
    ) -> AsyncGenerator[EngineWire]:
        """Connect as an administrator of an account. Raises EngineError."""
        key = KeyPair.make(USER)
        now = self._clock.time()
        credential = admin_credential(account, key.public, now, VALID_FOR + 2 * DIAL_WITHIN)
        authority = self._folder.authority.read_text(encoding="utf-8")
        membership = Membership("admin", plan.addresses, authority, key, credential)
        try:
            async with EngineWire(membership, self._clock) as wire:
                if serve is not None:
                    serve(wire)
                await wire.ready(DIAL_WITHIN)
                yield wire
        except (WireFault, KvError) as problem:
            raise EngineError(str(problem)) from problem

    async def admit(self, role: str, name: str, tenant: str, show: Callable[[str], None]) -> str:
        """Let a host or gateway join; `show` receives the code. Returns its id, or "" if nobody
        came. Raises EngineError."""
        assert role in ROLES, role
        check_name(name, f"a {role}")
        plan = self._folder.load()
        _check_tenant(plan, tenant)
        if known := plan.member(name):
            raise EngineError(
                f"There is a {known.role} {name} already. Choose another name, or revoke it first: "
                f"handheld engine revoke {name}"
            )
        await self.bring_up_to_date(plan, tenant)
        key, ticket = KeyPair.make(USER), "j" + secrets.token_hex(6)
        account, now = plan.tenants[tenant], self._clock.time()
        credential = member_credential(
            self._folder.signer(tenant, "join"), account, key.public, ticket, now, VALID_FOR
        )
        authority = self._folder.authority.read_text(encoding="utf-8")
        code = make_code(Membership(ticket, plan.addresses, authority, key, credential))
        signer = self._folder.signer(tenant, role)
        admission = HostAdmission(role, name, tenant, account, signer, plan.addresses)

        def accept(public: str, member: str) -> None:
            new = Member(name, role, tenant, public, member, int(self._clock.time()))
            with self._folder.locked():
                # Read again: another command may have written meanwhile.
                current = self._folder.load()
                if current.member(name):
                    raise EngineError(f"There is a member {name} already.")
                self._folder.save(replace(current, members=(*current.members, new)))

        questions: asyncio.Queue[Msg] = asyncio.Queue()
        async with self._connected(
            plan,
            self._folder.key(tenant),
            lambda wire: wire.serve(f"hh1.join.{ticket}", questions.put_nowait),
        ) as wire:
            show(code)
            return await admit(wire, questions, admission, accept, self._clock)

    def visitor(self, tenant: str) -> Membership:
        """A gateway's membership for ten minutes, for a command of an administrator. Raises
        EngineError."""
        plan = self._folder.load()
        _check_tenant(plan, tenant)
        key = KeyPair.make(USER)
        member = member_id("gateway", key.public)
        credential = member_credential(
            self._folder.signer(tenant, "gateway"),
            plan.tenants[tenant],
            key.public,
            member,
            self._clock.time(),
            VALID_FOR,
        )
        authority = self._folder.authority.read_text(encoding="utf-8")
        return Membership(member, plan.addresses, authority, key, credential)

    async def revoke(self, name: str) -> Member:
        """Raises EngineError."""
        self._folder.load()
        with self._folder.locked():
            plan = self._folder.load()
            if (found := plan.member(name)) is None:
                raise EngineError(f"No member is called {name}.")
            revoked = replace(found, revoked=int(self._clock.time()))
            members = tuple(revoked if one is found else one for one in plan.members)
            plan = replace(plan, members=members)
            # Saved first: if the servers cannot be reached now, the next command tells them.
            self._folder.save(plan)
        await self.push(plan, found.tenant)
        if found.role == "host":
            await self._remove_phones(plan, revoked)
        return revoked

    async def _remove_phones(self, plan: EnginePlan, host: Member) -> None:
        """Remove a host's phones from the tables. Only the host itself would do that, and it no
        longer can."""
        async with self._connected(plan, self._folder.tables(host.tenant)) as wire:
            phones = Kv(wire, PHONES, clock=self._clock)
            try:
                for key in await phones.read_all(f"{host.id}."):
                    await phones.delete(key)
                await Kv(wire, CLAIMS, clock=self._clock).delete(host.id)
            except (WireFault, KvError) as problem:
                raise EngineError(
                    f"{host.name} is revoked, but its phones are still in the directory: {problem}"
                ) from problem

    async def add_tenant(self, name: str) -> None:
        """Raises EngineError."""
        self._folder.load()
        with self._folder.locked():
            plan = self._folder.add_tenant(self._folder.load(), name)
            self._folder.save(plan)
        await self.bring_up_to_date(plan, name)

    async def bring_up_to_date(self, plan: EnginePlan, tenant: str) -> None:
        """Tell the servers the members of a tenant and their rights, and create its tables and the
        stream of its record. Raises EngineError."""
        tables = self._folder.tables_credential(tenant, self._clock.time())
        known = await self._look_up(plan, self._folder.tables(tenant).public)
        if not says_same(known, tables):  # each change loses replies in transit
            await self._tell(plan, tables)
        async with self._connected(plan, self._folder.tables(tenant)) as wire:
            for bucket in BUCKETS:
                kv = Kv(wire, bucket, clock=self._clock)
                await kv.ensure(len(plan.nodes), plan.count_hosts(tenant) + 1)
            await AuditStream(wire, self._clock).ensure(len(plan.nodes))
            if await self._has_former(plan, tenant):
                async with self._connected(plan, self._folder.key(tenant)) as members:
                    await move(members, wire, self._clock)
        await self._tell_members(plan, tenant)

    async def push(self, plan: EnginePlan, tenant: str) -> None:
        """Tell the servers the members of a tenant, even without a store. Raises EngineError."""
        if await self._has_former(plan, tenant):
            await self.bring_up_to_date(plan, tenant)
        else:
            await self._tell_members(plan, tenant)

    async def _has_former(self, plan: EnginePlan, tenant: str) -> bool:
        """Whether its tables are still in its members' account."""
        return has_store(await self._look_up(plan, plan.tenants[tenant]))

    async def _tell_members(self, plan: EnginePlan, tenant: str) -> None:
        await self._tell(plan, self._folder.tenant_credential(plan, tenant, self._clock.time()))

    async def _look_up(self, plan: EnginePlan, account: str) -> str:
        """The credential of an account as a server knows it; "" if the server knows none."""
        async with self._connected(plan, self._folder.key(_SYSTEM)) as wire:
            subject = f"$SYS.REQ.ACCOUNT.{account}.CLAIMS.LOOKUP"
            return (await wire.request(subject, b"", ANSWER_WITHIN)).data.decode()

    async def _tell(self, plan: EnginePlan, credential: str) -> None:
        """Give the credential to any server, which passes it on to the others."""
        async with self._connected(plan, self._folder.key(_SYSTEM)) as wire:
            subject = "$SYS.REQ.CLAIMS.UPDATE"
            answer = await wire.request(subject, credential.encode(), ANSWER_WITHIN)
        told = _object(answer.data)
        if told.get("error") or told.get("data", {}).get("code") != 200:
            raise EngineError(f"The engine did not take the change: {told.get('error')}")

    @asynccontextmanager
    async def table(self, bucket: Bucket, tenant: str) -> AsyncGenerator[Kv]:
        """A table of a tenant, for reading and writing. Raises EngineError."""
        plan = self._folder.load()
        _check_tenant(plan, tenant)
        # An engine that never admitted anybody has no table yet.
        await self.bring_up_to_date(plan, tenant)
        async with self._connected(plan, self._folder.tables(tenant)) as wire:
            yield Kv(wire, bucket, clock=self._clock)

    async def status(self) -> "Status":
        """Raises EngineError."""
        plan = self._folder.load()
        nodes: dict[str, NodeStatus] = {}
        async with self._connected(plan, self._folder.key(_SYSTEM)) as wire:
            answers = wire.inbox("$SYS.REQ.SERVER.PING.VARZ")
            try:
                await wire.publish("$SYS.REQ.SERVER.PING.VARZ", b"", reply=answers.subject)
                async with self._clock.timeout(2):
                    while len(nodes) < len(plan.nodes):
                        read = _object((await answers.get()).data)
                        found = NodeStatus.read(read, self._clock.time())
                        nodes[found.name] = found
            except TimeoutError:
                pass  # the others do not answer
            finally:
                answers.close()
            connected = await self._connected_members(wire, plan)
        return Status(plan, nodes, connected)

    async def _connected_members(self, wire: EngineWire, plan: EnginePlan) -> frozenset[str]:
        """The public keys connected to any node."""
        found: set[str] = set()
        answers = wire.inbox("$SYS.REQ.SERVER.PING.CONNZ")
        try:
            question = json.dumps({"auth": True, "limit": 10_000}).encode()
            await wire.publish("$SYS.REQ.SERVER.PING.CONNZ", question, reply=answers.subject)
            async with self._clock.timeout(2):
                for _ in plan.nodes:
                    listed = _object((await answers.get()).data).get("data", {})
                    for one in listed.get("connections") or ():
                        found.add(str(one.get("nkey") or one.get("authorized_user", "")))
        except TimeoutError:
            pass
        finally:
            answers.close()
        return frozenset(found)


@dataclass(frozen=True)
class NodeStatus:
    name: str
    version: str
    connections: int
    megabytes: int
    slow: int
    ahead: float
    """Seconds by which its clock is ahead of ours."""

    @classmethod
    def read(cls, told: dict[str, Any], now: float) -> "NodeStatus":
        data: dict[str, Any] = told.get("data") or {}
        try:
            ahead = read_time(str(data.get("now"))) - now
        except ValueError:
            raise EngineError("The engine's answer cannot be read.") from None
        return cls(
            name=str(data.get("server_name")),
            version=str(data.get("version")),
            connections=int(data.get("connections", 0)),
            megabytes=int(data.get("mem", 0)) // 1_000_000,
            slow=int(data.get("slow_consumers", 0)),
            ahead=ahead,
        )


@dataclass(frozen=True)
class Status:
    plan: EnginePlan
    nodes: dict[str, NodeStatus]
    connected: frozenset[str]


def _check_tenant(plan: EnginePlan, tenant: str) -> None:
    """Raises EngineError."""
    if tenant not in plan.tenants:
        raise EngineError(f"There is no tenant {tenant}: {', '.join(plan.tenants)}.")


def _object(data: bytes) -> dict[str, Any]:
    try:
        read: Any = json.loads(data)
    except ValueError:
        read = None
    if not isinstance(read, dict):
        raise EngineError("The engine's answer cannot be read.")
    return read  # pyright: ignore[reportUnknownVariableType]
