"""The folder of an engine: who is in it, its keys, and the configuration of its nodes.

engine.json          nodes, tenants and members: nothing secret
keys/                what signs credentials, and the authority's key: stays with its administrator
node-1/ …            all that a node needs: move node-2 and node-3 to their machines
"""

import fcntl
import json
import re
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from ...errors import ToolError
from ...settings.private_file import private_folder, write_private
from .certificates import make_authority, make_node
from .credentials import account_credential, operator_credential, tables_credential
from .names import NAME, ROLES
from .nkeys import ACCOUNT, OPERATOR, BadKey, KeyPair

PORT, ROUTES, MONITOR = 4222, 2000, 4000
"""The port of the first node, and the distances from a node's port to its port for other nodes and
to its health port on the same machine."""
SIGNERS = (*ROLES, "join")
"""The signing keys of each tenant."""
FIRST_TENANT = "main"
_HOST = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?|[0-9a-fA-F:]{2,39}")


class EngineError(ToolError):
    """The engine or its folder is not in the required state."""


@dataclass(frozen=True)
class EngineNode:
    """A node's address: its name or address as others reach it, and its port."""

    host: str
    port: int

    @property
    def address(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def route(self) -> str:
        return EngineNode(self.host, self.port + ROUTES).address


@dataclass(frozen=True)
class Member:
    """A host or gateway that was admitted."""

    name: str
    role: str
    tenant: str
    public: str
    id: str
    admitted: int
    revoked: int = 0
    """When it was revoked; 0 for never."""


@dataclass(frozen=True)
class EnginePlan:
    """The contents of engine.json."""

    nodes: tuple[EngineNode, ...]
    tenants: Mapping[str, str]
    """The public key of each tenant's account."""
    members: tuple[Member, ...] = ()
    version: int = field(default=1)

    @property
    def addresses(self) -> tuple[str, ...]:
        return tuple(node.address for node in self.nodes)

    def member(self, name: str) -> Member | None:
        """The member with that name or id that is not revoked."""
        return next(
            (one for one in self.members if name in (one.name, one.id) and not one.revoked), None
        )

    def count_hosts(self, tenant: str) -> int:
        """The hosts that are not revoked."""
        return sum(
            one.role == "host" and one.tenant == tenant and not one.revoked for one in self.members
        )


def nodes_of(count: int, hosts: Sequence[str]) -> tuple[EngineNode, ...]:
    """The nodes for one HOST[:PORT] each, or one for all. Raises EngineError."""
    if len(hosts) not in (0, 1, count):
        raise EngineError(f"Give one --host for all nodes, or {count}: one for each.")
    given = [_node(text) for text in hosts] or [EngineNode("localhost", 0)]
    if len(given) == count:
        nodes = tuple(replace(one, port=one.port or PORT) for one in given)
    else:  # all on one machine
        first = given[0].port or PORT
        nodes = tuple(replace(given[0], port=first + number) for number in range(count))
    # A cluster with the same node twice would never agree on a leader.
    if len(set(nodes)) < count:
        raise EngineError("Two nodes have the same address.")
    return nodes


def _node(text: str) -> EngineNode:
    found = re.fullmatch(r"(?:\[(?P<ipv6>.+)\]|(?P<name>[^:]+))(?::(?P<port>\d{1,5}))?", text)
    host = (found["ipv6"] or found["name"]) if found else ""
    number = int(found["port"] or 0) if found else 0
    if not _HOST.fullmatch(host) or number > 65535 - MONITOR:
        raise EngineError(
            f"{text[:100]!r} is not the address of a node: give HOST or HOST:PORT, "
            f"with a port up to {65535 - MONITOR}."
        )
    return EngineNode(host, number)


class EngineFolder:
    """Reads and writes the folder."""

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()

    @property
    def authority(self) -> Path:
        return self.path / "ca.pem"

    def node(self, number: int) -> Path:
        return self.path / f"node-{number}"

    def create(self, nodes: Sequence[EngineNode], tenants: Sequence[str], now: float) -> EnginePlan:
        """Create keys, certificates and configurations. Raises EngineError if an engine exists."""
        if (self.path / "engine.json").exists():
            raise EngineError(f"There is an engine in {self.path} already.")
        for name in tenants:
            check_name(name, "a tenant")
        private_folder(self.path)
        private_folder(self.path / "keys")
        operator, system = self._make_key("operator", OPERATOR), self._make_key("system", ACCOUNT)
        certificate, key = make_authority(now)
        write_private(self.authority, certificate)
        write_private(self.path / "keys" / "ca.pem", key)
        accounts = {name: self._make_tenant(name) for name in tenants}
        plan = EnginePlan(tuple(nodes), accounts)
        credentials = {system.public: account_credential(operator, system.public, "SYS", now)}
        for name in tenants:
            credentials[accounts[name]] = self.tenant_credential(plan, name, now)
            credentials[self.tables(name).public] = self.tables_credential(name, now)
        for number in range(1, len(nodes) + 1):
            self._write_node(plan, number, (certificate, key), credentials, system.public, now)
        # Written last: a folder without it was not finished, and can be created again.
        self.save(plan)
        return plan

    def load(self) -> EnginePlan:
        """Raises EngineError."""
        file = self.path / "engine.json"
        try:
            read: Any = json.loads(file.read_text(encoding="utf-8"))
            return EnginePlan(
                nodes=tuple(
                    EngineNode(str(one["host"]), int(one["port"])) for one in read["nodes"]
                ),
                tenants={str(name): str(key) for name, key in read["tenants"].items()},
                members=tuple(Member(**one) for one in read["members"]),
                version=int(read["version"]),
            )
        except FileNotFoundError:
            raise EngineError(
                f"There is no engine in {self.path}. Make one with: handheld engine init"
            ) from None
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as problem:
            raise EngineError(f"{file} cannot be read: {problem}.") from problem

    def save(self, plan: EnginePlan) -> None:
        text = json.dumps(asdict(plan), indent=1, sort_keys=True)
        write_private(self.path / "engine.json", text.encode())

    @contextmanager
    def locked(self) -> Generator[None]:
        """Only one command at a time changes engine.json."""
        with (self.path / "lock").open("ab") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def add_tenant(self, plan: EnginePlan, name: str) -> EnginePlan:
        """Raises EngineError."""
        check_name(name, "a tenant")
        if name in plan.tenants:
            raise EngineError(f"There is a tenant {name} already.")
        return replace(plan, tenants={**plan.tenants, name: self._make_tenant(name)})

    def key(self, name: str) -> KeyPair:
        """Raises EngineError."""
        file = self.path / "keys" / f"{name}.seed"
        try:
            return KeyPair.from_seed(file.read_text(encoding="utf-8"))
        except (OSError, BadKey) as problem:
            raise EngineError(
                f"The key {file} cannot be read. Members are admitted and revoked where the keys "
                "of the engine are."
            ) from problem

    def signer(self, tenant: str, role: str) -> KeyPair:
        return self.key(f"{tenant}.{role}")

    def tables(self, tenant: str) -> KeyPair:
        """The key of the account that has a tenant's tables. It has no file: even a copy of the
        keys from before there was such an account can derive it."""
        return self.key(tenant).derive("tables")

    def tables_credential(self, tenant: str, now: float) -> str:
        public = self.tables(tenant).public
        return tables_credential(self.key("operator"), public, f"{tenant}.tables", now)

    def tenant_credential(self, plan: EnginePlan, tenant: str, now: float) -> str:
        """The credential of a tenant's account, with its current members and their rights."""
        signing = {role: self.signer(tenant, role).public for role in SIGNERS}
        # Every credential of a revoked key is refused, even one signed later.
        revoked = {
            one.public: 2**33 for one in plan.members if one.tenant == tenant and one.revoked
        }
        operator = self.key("operator")
        account = plan.tenants[tenant]
        return account_credential(
            operator,
            account,
            tenant,
            now,
            signing=signing,
            revoked=revoked,
            tables=self.tables(tenant).public,
        )

    def _make_key(self, name: str, kind: int) -> KeyPair:
        pair = KeyPair.make(kind)
        write_private(self.path / "keys" / f"{name}.seed", pair.seed.encode())
        return pair

    def _make_tenant(self, name: str) -> str:
        for role in SIGNERS:
            self._make_key(f"{name}.{role}", ACCOUNT)
        return self._make_key(name, ACCOUNT).public

    def _write_node(
        self,
        plan: EnginePlan,
        number: int,
        authority: tuple[bytes, bytes],
        credentials: Mapping[str, str],
        system: str,
        now: float,
    ) -> None:
        folder = private_folder(self.node(number))
        node = plan.nodes[number - 1]
        names = dict.fromkeys((node.host, "localhost", "127.0.0.1", "::1"))
        certificate, key = make_node(*authority, list(names), now)
        write_private(folder / "ca.pem", authority[0])
        write_private(folder / "cert.pem", certificate)
        write_private(folder / "key.pem", key)
        operator = operator_credential(self.key("operator"), system, now)
        write_private(folder / "operator.jwt", operator.encode())
        accounts = private_folder(folder / "accounts")
        for account, credential in credentials.items():
            write_private(accounts / f"{account}.jwt", credential.encode())
        write_private(folder / "nats-server.conf", configuration(plan, number, system).encode())


def check_name(name: str, what: str) -> None:
    """Raises EngineError."""
    if not NAME.fullmatch(name) or name in ("operator", "system"):
        raise EngineError(
            f"{name[:60]!r} cannot be the name of {what}: use up to 32 small letters, digits and "
            "hyphens."
        )


def configuration(plan: EnginePlan, number: int, system: str) -> str:
    """A node's nats-server.conf. Its paths are relative, so the folder can be moved."""
    node = plan.nodes[number - 1]
    text = f"""\
# Written by `handheld engine init`; docs/fleet.md explains it. `handheld engine run` starts
# nats-server in this folder.
server_name: node-{number}
listen: "0.0.0.0:{node.port}"
http: "127.0.0.1:{node.port + MONITOR}"

# A dead link is noticed within a minute, and a client that does not read is dropped.
ping_interval: "15s"
ping_max: 2
write_deadline: "5s"
max_payload: 1MB
max_pending: 32MB
max_control_line: 4KB

# Encrypted from the first byte: nobody on the way can talk a client out of it.
tls {{ cert_file: "cert.pem", key_file: "key.pem", timeout: 5, handshake_first: true }}

operator: "operator.jwt"
system_account: "{system}"
resolver {{ type: full, dir: "accounts", allow_delete: false, interval: "1m" }}

# What was acknowledged is on the disk: the default writes every two minutes.
jetstream {{
  store_dir: "store"
  sync_interval: always
  max_file_store: 10GB
  max_memory_store: 64MB
}}
"""
    if len(plan.nodes) == 1:
        return text
    others = [one for one in plan.nodes if one != node]
    routes = ", ".join(f'"nats-route://{one.route}"' for one in others)
    return f"""{text}
# The other nodes show a certificate of the engine's own authority, as does this one.
cluster {{
  name: handheld
  listen: "0.0.0.0:{node.port + ROUTES}"
  routes: [{routes}]
  tls {{ cert_file: "cert.pem", key_file: "key.pem", ca_file: "ca.pem", verify: true, timeout: 5 }}
}}
"""
