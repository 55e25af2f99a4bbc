"""How a host or gateway joins: with a code that is valid once, for ten minutes.

`engine admit` creates a key, signs a credential for it with the right to ask a single question, and
waits for that question. The code consists of this key, the credential, the addresses and the
certificate of the engine's authority. The holder of the code dials, sends the public half of a new
key of its own, and receives a credential for it. Its private key never leaves it, no server needs
to learn anything new, and the code ends with the command.
"""

import asyncio
import base64
import binascii
import json
import zlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...clock import SYSTEM_CLOCK, Clock
from ...settings.private_file import private_folder, write_private
from .credentials import BadCredential, member_credential, read_user
from .frames import BadFrame, NatsFrame
from .names import inbox, member_id
from .nkeys import USER, BadKey, KeyPair
from .plan import EngineError
from .wire import EngineWire, Membership, WireFault

if TYPE_CHECKING:
    from .client import Msg

VALID_FOR = 600.0
ASK_WITHIN, DIAL_WITHIN = 10.0, 20.0
CONFIRM_WITHIN = 15.0
LONGEST_CODE = 8192
_MARK = "hhjoin1."


def make_code(join: Membership) -> str:
    packed = json.dumps(
        [list(join.servers), join.authority, join.key.seed, join.credential, join.id],
        separators=(",", ":"),
    )
    return _MARK + base64.urlsafe_b64encode(zlib.compress(packed.encode(), 9)).decode().rstrip("=")


def read_code(code: str) -> Membership:
    """Raises EngineError, without the code in its text."""
    code = "".join(code.split())  # terminals break long lines
    if not code.startswith(_MARK) or len(code) > LONGEST_CODE:
        raise EngineError(f"This is not a joining code: one begins with {_MARK}")
    text = code.removeprefix(_MARK)
    try:
        data = base64.b64decode(text + "=" * (-len(text) % 4), b"-_", validate=True)
        unpacking = zlib.decompressobj()
        unpacked = unpacking.decompress(data, 16 * 1024)
        if not unpacking.eof:
            raise ValueError("its end, with the checksum, is missing")
        servers, authority, seed, credential, name = json.loads(unpacked)
        return Membership(
            id=str(name),
            servers=tuple(str(each) for each in servers),
            authority=str(authority),
            key=KeyPair.from_seed(str(seed)),
            credential=str(credential),
        )
    except (ValueError, TypeError, BadKey, zlib.error, binascii.Error):
        raise EngineError("The joining code is not complete: copy all of it.") from None


@dataclass(frozen=True)
class Joined:
    """A member's own data, in a private file."""

    role: str
    name: str
    tenant: str
    membership: Membership

    def save(self, file: Path) -> None:
        private_folder(file.parent)
        own = self.membership
        kept = {
            "role": self.role,
            "name": self.name,
            "tenant": self.tenant,
            "id": own.id,
            "servers": list(own.servers),
            "authority": own.authority,
            "seed": own.key.seed,
            "credential": own.credential,
        }
        write_private(file, json.dumps(kept, indent=1).encode())

    @classmethod
    def load(cls, file: Path) -> "Joined":
        """Raises EngineError."""
        try:
            read: Any = json.loads(file.read_text(encoding="utf-8"))
            membership = Membership(
                id=str(read["id"]),
                servers=tuple(str(each) for each in read["servers"]),
                authority=str(read["authority"]),
                key=KeyPair.from_seed(str(read["seed"])),
                credential=str(read["credential"]),
            )
            return cls(str(read["role"]), str(read["name"]), str(read["tenant"]), membership)
        except FileNotFoundError:
            raise EngineError("This computer has not joined an engine.") from None
        except (OSError, ValueError, KeyError, TypeError) as problem:
            raise EngineError(f"{file} cannot be read. Join the engine again.") from problem


async def join(code: str, clock: Clock = SYSTEM_CLOCK) -> Joined:
    """Create a key, and get its credential. Raises EngineError."""
    asking = read_code(code)
    key = KeyPair.make(USER)
    try:
        async with EngineWire(asking, clock) as wire:
            await wire.ready(DIAL_WITHIN)
            question = NatsFrame({"public": key.public}).encode()
            answer = await wire.request(f"hh1.join.{asking.id}", question, ASK_WITHIN)
            joined = _read_answer(NatsFrame.decode(answer.data), asking, key)
            done = NatsFrame({"public": key.public, "done": True}).encode()
            # It has joined: this message only ends the other command sooner.
            with suppress(WireFault):
                await wire.request(f"hh1.join.{asking.id}", done, ASK_WITHIN)
            return joined
    except WireFault as problem:
        raise EngineError(
            f"The engine did not let us join: {problem} A code counts once, for ten minutes, "
            "and while `handheld engine admit` waits."
        ) from problem
    except BadFrame as problem:
        raise EngineError("The engine's answer cannot be read.") from problem


def _read_answer(answer: NatsFrame, asking: Membership, key: KeyPair) -> Joined:
    head = answer.head
    if refused := head.get("refused"):
        raise EngineError(f"The engine did not let us join: {refused}")
    try:
        role, name, tenant = (str(head[word]) for word in ("role", "name", "tenant"))
        credential, servers = str(head["credential"]), tuple(str(one) for one in head["servers"])
        said = read_user(credential)
        if said.public != key.public or said.name != member_id(role, key.public):
            raise BadCredential("It is for another key.")
    except (KeyError, TypeError, BadCredential, BadKey) as problem:
        raise EngineError("The engine's answer cannot be used.") from problem
    membership = Membership(said.name, servers, asking.authority, key, credential)
    return Joined(role, name, tenant, membership)


@dataclass(frozen=True)
class HostAdmission:
    """The role to be admitted, and the key that signs its credential."""

    role: str
    name: str
    tenant: str
    account: str
    signer: KeyPair
    servers: tuple[str, ...]


async def admit(
    wire: EngineWire,
    questions: "asyncio.Queue[Msg]",
    admission: HostAdmission,
    accept: Callable[[str, str], None],
    clock: Clock = SYSTEM_CLOCK,
) -> str:
    """Wait for the holder of the code. Returns its id, or "" if nobody came. `wire` is an
    administrator's, and `questions` are the messages on the code's subject; `accept` saves the
    public key and the id before they are valid."""
    public = member = ""
    try:
        async with clock.timeout(VALID_FOR) as limit:
            while True:
                message = await questions.get()
                # Only into the inbox of the code's holder: an administrator may write everywhere.
                if not message.reply.startswith(f"{inbox(message.subject.split('.')[-1])}."):
                    continue
                try:
                    head = NatsFrame.decode(message.data).head
                    asked = str(head.get("public"))
                    named = member_id(admission.role, asked)
                except (BadFrame, BadKey):
                    continue
                if public and asked != public:
                    await _tell(wire, message, {"refused": "The code was used already."})
                    continue
                if head.get("done") and public:
                    await _tell(wire, message, {})
                    return member
                if not public:
                    accept(asked, named)
                    public, member = asked, named
                    # It is admitted. For a short time, it may ask again if the reply is lost.
                    limit.reschedule(clock.deadline(CONFIRM_WITHIN))
                credential = member_credential(
                    admission.signer, admission.account, asked, named, clock.time()
                )
                await _tell(
                    wire,
                    message,
                    {
                        "role": admission.role,
                        "name": admission.name,
                        "tenant": admission.tenant,
                        "servers": list(admission.servers),
                        "credential": credential,
                    },
                )
    except TimeoutError:
        return member


async def _tell(wire: EngineWire, message: "Msg", head: dict[str, Any]) -> None:
    try:
        await wire.publish(message.reply, NatsFrame(head).encode())
    except WireFault:
        return  # it asks again
