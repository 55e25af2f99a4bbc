"""NATS credentials: an operator's signed statement about an account, and an account's about a user.

Servers check them with the operator's public key alone. So a signature admits a member without a
change on any server, and a new credential of its account, which any server accepts and passes on to
the others, revokes it.
"""

import base64
import binascii
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .names import DELIVERED, REACHED, ROLES, TABLES, rights
from .nkeys import ACCOUNT, USER, BadKey, KeyPair, check_public, verify

_HEADER = {"typ": "JWT", "alg": "ed25519-nkey"}
_NO_LIMIT = -1
ANSWERED_WITHIN = 3
"""Seconds for which a server keeps the return path for replies of the tables."""
LARGEST = 64 * 1024
"""The longest credential that is read."""


class BadCredential(ValueError):
    """A credential cannot be read, or its signature is wrong."""


def operator_credential(operator: KeyPair, system_account: str, now: float) -> str:
    return _signed(
        operator,
        {
            "iat": int(now),
            "iss": operator.public,
            "name": "handheld",
            "sub": operator.public,
            "nats": {"type": "operator", "version": 2, "system_account": system_account},
        },
    )


def account_credential(
    operator: KeyPair,
    account: str,
    name: str,
    now: float,
    *,
    signing: Mapping[str, str] | None = None,
    revoked: Mapping[str, int] | None = None,
    tables: str = "",
) -> str:
    """`signing` has the public signing key of each role: credentials signed with it have that
    role's rights. `revoked` has the times before which the credentials of a public key no longer
    count. `tables` is the account whose tables the members use."""
    nats = _account(store=False)
    if signing:
        nats["signing_keys"] = [
            {"kind": "user_scope", "key": key, "role": role, "template": _template(role)}
            for role, key in signing.items()
        ]
    if revoked:
        nats["revocations"] = dict(revoked)
    if tables:
        reached = [("service", each) for each in REACHED] + [("stream", DELIVERED)]
        nats["imports"] = [
            {"name": subject, "type": kind, "account": tables, "subject": subject}
            for kind, subject in reached
        ]
        nats["mappings"] = _renamed("$JS.API.>", f"{TABLES}$JS.API.>")
    return _account_signed(operator, account, name, now, nats)


def tables_credential(operator: KeyPair, account: str, name: str, now: float) -> str:
    """The credential of an account with tables and without members. The store replies to any
    subject that a question names; for a member's question, this is a subject in the members'
    account, which has no tables. Members reach a single export here, because NATS drops a reply
    that would return through the export of its question."""
    nats = _account(store=True)
    nats["exports"] = [
        {
            "name": "tables",
            "type": "service",
            "subject": ">",
            "response_type": "Stream",
            "response_threshold": ANSWERED_WITHIN * 10**9,
        },
        {"name": "deliveries", "type": "stream", "subject": DELIVERED},
    ]
    nats["mappings"] = _renamed(f"{TABLES}$JS.API.>", "$JS.API.>")
    return _account_signed(operator, account, name, now, nats)


def _renamed(name: str, to: str) -> Mapping[str, Any]:
    return {name: [{"subject": to}]}


def _account(*, store: bool) -> dict[str, Any]:
    kept = _NO_LIMIT if store else 0
    return {
        "type": "account",
        "version": 2,
        "limits": {
            **dict.fromkeys(
                ("subs", "data", "payload", "imports", "exports", "conn", "leaf"), _NO_LIMIT
            ),
            "wildcards": True,
            **dict.fromkeys(("mem_storage", "disk_storage", "streams", "consumer"), kept),
        },
    }


def _account_signed(
    operator: KeyPair, account: str, name: str, now: float, nats: Mapping[str, Any]
) -> str:
    claims = {
        "iat": int(now),
        "iss": operator.public,
        "name": name,
        "sub": account,
        "nats": nats,
    }
    return _signed(operator, claims)


def _template(role: str) -> Mapping[str, Any]:
    limits = {"subs": _NO_LIMIT, "data": _NO_LIMIT, "payload": _NO_LIMIT}
    if role not in ROLES:
        limits = {"subs": 4, "data": _NO_LIMIT, "payload": 16 * 1024}
    return {**rights(role), **limits}


def member_credential(
    signing: KeyPair, account: str, public: str, member: str, now: float, seconds: float = 0
) -> str:
    """A member's credential, with the rights of the role whose key signs it. `seconds` is how long
    it is valid, 0 for ever."""
    return _user(signing, account, public, member, now, seconds, {})


def admin_credential(account: KeyPair, public: str, now: float, seconds: float) -> str:
    """The credential for an administrator's command, which may do everything in the account."""
    limits = {"subs": _NO_LIMIT, "data": _NO_LIMIT, "payload": _NO_LIMIT}
    return _user(
        account, account.public, public, "admin", now, seconds, {"pub": {}, "sub": {}, **limits}
    )


def _user(
    signer: KeyPair,
    account: str,
    public: str,
    name: str,
    now: float,
    seconds: float,
    rights: Mapping[str, Any],
) -> str:
    nats: dict[str, Any] = {"type": "user", "version": 2, **rights}
    if signer.public != account:
        nats["issuer_account"] = account
    claims: dict[str, Any] = {
        "iat": int(now),
        "iss": signer.public,
        "name": name,
        "sub": public,
        "nats": nats,
    }
    if seconds:
        claims["exp"] = int(now + seconds)
    return _signed(signer, claims)


@dataclass(frozen=True)
class UserClaims:
    """The claims of a user's credential."""

    account: str
    signer: str
    public: str
    name: str


def read_user(credential: str) -> UserClaims:
    """Its claims, after checking the signature. Raises BadCredential."""
    if len(credential) > LARGEST:
        raise BadCredential("This credential is too long.")
    try:
        head, body, signature = credential.split(".")
        claims = json.loads(_unpack(body))
        found = UserClaims(
            account=str(claims["nats"].get("issuer_account", claims["iss"])),
            signer=str(claims["iss"]),
            public=str(claims["sub"]),
            name=str(claims["name"]),
        )
        right = (
            json.loads(_unpack(head)) == _HEADER
            and claims["nats"]["type"] == "user"
            and verify(found.signer, ACCOUNT, f"{head}.{body}".encode(), _unpack(signature))
        )
        check_public(found.public, USER)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, BadKey) as problem:
        raise BadCredential("This is not a credential of a NATS user.") from problem
    if not right:
        raise BadCredential("The signature of this credential is wrong.")
    return found


def says_same(one: str, other: str) -> bool:
    """Whether two credentials of accounts are equal except for their time; "" equals nothing."""
    return bool(one) and all(_claims(one)[word] == _claims(other)[word] for word in ("sub", "nats"))


def has_store(credential: str) -> bool:
    """Whether the account may have tables."""
    return bool(credential) and _claims(credential)["nats"]["limits"]["disk_storage"] != 0


def _claims(credential: str) -> Any:
    """The claims of a credential that a server has already checked."""
    return json.loads(_unpack(credential.partition(".")[2].partition(".")[0]))


def _signed(signer: KeyPair, claims: Mapping[str, Any]) -> str:
    # The id distinguishes two credentials from the same second; otherwise servers keep the old one.
    digest = hashlib.sha256(_json(claims)).digest()
    numbered = {"jti": base64.b32encode(digest).decode().rstrip("="), **claims}
    signed = f"{_pack(_json(_HEADER))}.{_pack(_json(numbered))}"
    return f"{signed}.{_pack(signer.sign(signed.encode()))}"


def _json(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def _pack(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _unpack(text: str) -> bytes:
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), b"-_", validate=True)
    except (binascii.Error, ValueError) as problem:
        raise BadCredential("This is not base64.") from problem
