"""Names in the engine: ids, subjects, buckets, and which role may use which.

`hh1.` is the version of all of it: another form of a message gets another number.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .nkeys import USER, check_public

ROLES = ("host", "gateway")
RULES = 2
"""The version of rows and of the rights to write them. Members with different versions do not
understand each other's rows."""
CALL, STOP, LEASE, EYES = "call", "stop", "lease", "eyes"
TO_HOSTS = (CALL, STOP, LEASE, EYES)
"""Gateways' requests to hosts: `hh1.<word>.<host>.<gateway>`."""

ASK, ANSWER = "ask", "answer"
"""Hosts' questions to people at the consoles of gateways, `hh1.ask.<host>`, and gateways' replies,
`hh1.answer.<host>.<gateway>`."""

_ID = re.compile(r"[hgj][0-9a-f]{12}")
_PHONE = re.compile(r"p[0-9a-f]{16}")
NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?")
"""Names of members and tenants."""

MOST_RESPONSES = 100_000
LONGEST_CALL = 4 * 3600 + 600
"""How many replies to a message a host may send, and for how many seconds: calls last up to 4
hours. NATS's own limits are one reply within 2 minutes."""


@dataclass(frozen=True)
class Bucket:
    """A table in the engine. `seconds` is how long an entry stays unless it is written again. Each
    host has a share of a table that hosts write, and cannot fill another's: `rows` rows of
    `largest` bytes."""

    name: str
    seconds: float = 0
    largest: int = 64 * 1024
    rows: int = 0
    """Rows that each host may write; 0 for a table of administrators."""

    def most_bytes(self, hosts: int) -> int:
        """For all hosts together, including a second copy of each row while it is overwritten."""
        shares = max(hosts, _LEAST_HOSTS) * (self.rows + 1)
        return shares * (self.largest + ROOM) if self.rows else _OF_ADMINISTRATORS


ROOM = 1024
"""Bytes of a row in addition to its value: its subject and its headers."""
_LEAST_HOSTS = 128
_OF_ADMINISTRATORS = 16 * 1024 * 1024
SLOTS = tuple(f"{number:02}" for number in range(32))
"""The rows of a host in the directory, each with some of its phones. NATS can only limit the number
of keys by naming each."""

HOSTS = Bucket("hosts", 15, 1024, 1)
PHONES = Bucket("phones", 0, 32 * 1024, len(SLOTS))
CLAIMS = Bucket("claims", rows=1)
TOKENS = Bucket("tokens")
BUCKETS = (HOSTS, PHONES, CLAIMS, TOKENS)
AUDIT = "AUDIT"
"""The stream that keeps copies of hosts' records."""
WATCHED = (HOSTS, PHONES, TOKENS)
"""The buckets that gateways follow."""


def member_id(role: str, public: str) -> str:
    """The id of a host or gateway, from its public key. Raises BadKey."""
    return role[0] + hashlib.sha256(check_public(public, USER)).hexdigest()[:12]


def phone_id(serial: str) -> str:
    """The id of a phone: serials contain dots and colons, which subjects cannot."""
    return "p" + hashlib.sha256(serial.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def slot_of(phone: str) -> str:
    """The row of its host in the directory that contains the phone with this id."""
    return SLOTS[int(phone[1:3], 16) % len(SLOTS)]


def is_member_id(text: str) -> bool:
    return _ID.fullmatch(text) is not None


def is_phone_id(text: str) -> bool:
    return _PHONE.fullmatch(text) is not None


def inbox(member: str) -> str:
    """The subject for a member's replies; nobody else may read it."""
    return f"_INBOX.{member}"


def to_host(word: str, host: str, gateway: str) -> str:
    return f"hh1.{word}.{host}.{gateway}"


def audit_subject(host: str) -> str:
    """The subject for a host's record; `*` for all hosts."""
    return f"hh1.audit.{host}"


def stream(bucket: str) -> str:
    """The JetStream stream of a bucket."""
    return f"KV_{bucket}"


STREAMS = (*(stream(bucket.name) for bucket in BUCKETS), AUDIT)
"""All streams that an engine should have."""


TABLES = "hh1.tables."
"""The prefix that servers put before the JetStream subjects of members. Without it, JetStream would
answer for the members' account, which has no tables."""
DELIVERED = "_INBOX.>"
"""Messages from the tables to members that are not replies."""
REACHED = (
    f"$KV.{HOSTS.name}.*",
    f"$KV.{PHONES.name}.*.*",
    f"$KV.{CLAIMS.name}.*",
    audit_subject("*"),
    f"{TABLES}$JS.API.DIRECT.GET.*",
    f"{TABLES}$JS.API.DIRECT.GET.*.>",
    f"{TABLES}$JS.API.STREAM.INFO.*",
    f"{TABLES}$JS.API.STREAM.MSG.GET.*",
    f"{TABLES}$JS.API.CONSUMER.CREATE.*.*.>",
    f"{TABLES}$JS.API.CONSUMER.DELETE.*.*",
    "$JS.FC.*.*.>",
)
"""The subjects that members reach in the tables' account; a role's rights limit them further. No
subject matches two entries: the message would be processed twice. Each has a star: NATS then
forwards a message under the name it was sent by, and a reply under none of these. Without a star it
would forward every message under the entry's own name."""


def rights(role: str) -> Mapping[str, Any]:
    """The rights of a role, with `{{name()}}` for the member's own id, in the form of NATS's scoped
    signing keys. They are in the account, not in members' credentials: a new version of Handheld
    changes them for all members at once."""
    me = "{{name()}}"
    if role == "host":
        publish = [
            f"hh1.ask.{me}",
            audit_subject(me),
            f"$KV.{HOSTS.name}.{me}",
            *(f"$KV.{PHONES.name}.{me}.{slot}" for slot in SLOTS),
            f"$KV.{CLAIMS.name}.{me}",
            _read(HOSTS, "*"),
            _read(PHONES, f"{me}.>"),
            _read(CLAIMS, me),
            # From the leader: a replica that lags behind could let two hosts have a phone.
            f"{TABLES}$JS.API.STREAM.MSG.GET.{stream(CLAIMS.name)}",
            *_follow(PHONES, f"{me}.>", me),
            *_follow(TOKENS, ">", me),
        ]
        subscribe = [f"hh1.{word}.{me}.*" for word in (*TO_HOSTS, "answer")]
        return _permissions(publish, [*subscribe, f"{inbox(me)}.>"], answers=True)
    if role == "gateway":
        publish = [to_host(word, "*", me) for word in (*TO_HOSTS, "answer")]
        publish += [_read(bucket, ">") for bucket in WATCHED]
        read_whole = (*(stream(bucket.name) for bucket in WATCHED), AUDIT)
        publish += [f"{TABLES}$JS.API.DIRECT.GET.{name}" for name in read_whole]
        publish += [f"{TABLES}$JS.API.STREAM.INFO.{name}" for name in STREAMS]
        for bucket in WATCHED:
            publish += _follow(bucket, ">", me)
        return _permissions(publish, ["hh1.ask.*", f"{inbox(me)}.>"], answers=True)
    assert role == "join", role
    return _permissions([f"hh1.join.{me}"], [f"{inbox(me)}.>"], answers=False)


def _read(bucket: Bucket, keys: str) -> str:
    return f"{TABLES}$JS.API.DIRECT.GET.{stream(bucket.name)}.$KV.{bucket.name}.{keys}"


def _follow(bucket: Bucket, keys: str, me: str) -> list[str]:
    """One follower of a bucket for each member, named after it: followers cannot accumulate, and
    none can end another's."""
    name = stream(bucket.name)
    return [
        f"{TABLES}$JS.API.CONSUMER.CREATE.{name}.{me}.$KV.{bucket.name}.{keys}",
        f"{TABLES}$JS.API.CONSUMER.DELETE.{name}.{me}",
        f"$JS.FC.{name}.{me}.>",
    ]


def _permissions(
    publish: Sequence[str], subscribe: Sequence[str], *, answers: bool
) -> Mapping[str, Any]:
    given: dict[str, Any] = {"pub": {"allow": list(publish)}, "sub": {"allow": list(subscribe)}}
    if answers:
        given["resp"] = {"max": MOST_RESPONSES, "ttl": LONGEST_CALL * 10**9}
    return given
