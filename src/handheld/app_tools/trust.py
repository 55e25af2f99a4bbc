"""Which apps are trusted: the apps seen, the owner's approvals, and the names of the apps' tools.

An app is pinned with its signer and digests of its declarations. When either changes, its tools are
withdrawn until the owner approves the app. Everything is in one file of this user, which is read
again after another process changes it.
"""

import contextlib
import fcntl
import json
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

from ..phone.identity import Identity
from ..settings.private_file import private_folder, write_private
from ..tools.app_offer import Standing as Standing
from . import naming
from .discovered import UNKNOWN, DiscoveredApp, label_of

FILE_LIMIT = 16 * 1024 * 1024
MOST_APPS = 500
"""On one phone."""
UNKNOWN_PHONE = Identity("")
MOST_ADDRESSES = 200
"""Wireless debugging uses a different port each time."""


class TrustError(Exception):
    """The file cannot be used, or there is no app of that name. The message is a sentence."""


@dataclass(frozen=True, slots=True)
class Pin:
    signer: str
    parts: Mapping[str, str]
    """Digests of its components' declarations."""

    @property
    def digest(self) -> str:
        """Equal for equal pins."""
        entry = repr((self.signer, sorted(self.parts.items())))
        return sha256(entry.encode("utf-8", "surrogatepass")).hexdigest()[:32]

    def covers(self, other: "Pin") -> bool:
        """Whether the other pin contains nothing new. Components that are gone or did not answer
        need no approval."""
        return self.signer == other.signer and all(
            digest in (UNKNOWN, self.parts.get(name)) for name, digest in other.parts.items()
        )

    def completed(self, other: "Pin") -> "Pin":
        """This pin, with the unknown parts filled in from the other."""
        if self.signer != other.signer:
            return self
        parts = {
            name: digest or other.parts.get(name, UNKNOWN) for name, digest in self.parts.items()
        }
        return Pin(self.signer, parts)


@dataclass(frozen=True, slots=True)
class AppRecord:
    """What is known about an app on a phone."""

    package: str
    label: str
    tools: tuple[str, ...]
    """The names of its tools when last seen."""
    seen: Pin
    pinned: Pin | None = None
    """Its state when it was approved or first listed."""
    by: Standing = Standing.LATER
    """How it was pinned, or will be: APPROVED, OURS, FOUND or LATER."""
    revoked: bool = False
    problems: tuple[str, ...] = ()
    present: bool = True
    """Whether it declared tools when the phone was last asked."""

    @property
    def standing(self) -> Standing:
        if self.revoked:
            return Standing.REVOKED
        if self.pinned is None:
            return Standing.NEW
        return self.by if self.pinned.covers(self.seen) else Standing.CHANGED

    @property
    def change(self) -> str:
        """How it differs from its pin; empty if it does not."""
        if self.pinned is None or self.pinned.covers(self.seen):
            return ""
        if self.pinned.signer != self.seen.signer:
            return "it is signed by somebody else"
        return "it declares its tools differently"


@dataclass(slots=True)
class _Book:
    """The file's content."""

    names: naming.ToolNames
    phones: dict[str, dict[str, AppRecord]]
    """By the hardware serial number; by the address if the hardware has no usable serial number."""
    addresses: dict[str, str] = field(default_factory=dict[str, str])
    """The key in `phones` of the phone at an address, if it is not the address itself."""
    apart: set[str] = field(default_factory=set[str])
    """Serial numbers that several phones share: addresses tell these phones apart."""

    def find(self, phone: str) -> str:
        """The key in `phones` of the phone with this serial number or address."""
        return phone if phone in self.phones else self.addresses.get(phone, phone)

    def on_phones(self, package: str, phone: str | None) -> dict[str, AppRecord]:
        """The records of an app by phone, on that phone or on all. Raises TrustError if there is
        none."""
        named = None if phone is None else self.find(phone)
        found = {
            name: apps[package]
            for name, apps in self.phones.items()
            if package in apps and named in (None, name)
        }
        if not found:
            raise TrustError(
                f"No app {package!r} that offers tools has been"
                f" seen{f' on {phone}' if phone else ''}. `handheld apps list` shows the apps"
                " that have tools."
            )
        return found

    def name(self, address: str, own: Identity) -> str:
        apart = own.shared or own.hardware in self.apart
        return address if apart or not own.hardware else own.hardware

    def settled(self, address: str, own: Identity) -> bool:
        """Whether everything is already stored under the phone's key."""
        name = self.name(address, own)
        return (
            self.addresses.get(address, address) == name
            and (name == address or address not in self.phones)
            and not (own.shared and own.hardware not in self.apart)
        )

    def settle(self, address: str, own: Identity) -> None:
        """Move the records under the address to the phone's key, or back if its serial number turns
        out to be shared. Revoked apps stay revoked."""
        if own.shared and own.hardware not in self.apart:
            self.apart.add(own.hardware)
            common = self.phones.get(own.hardware, {})
            for other in [each for each, name in self.addresses.items() if name == own.hardware]:
                del self.addresses[other]
                _merge(self.phones.setdefault(other, {}), common)
            _merge(self.phones.setdefault(address, {}), common)
        name = self.name(address, own)
        self.addresses.pop(address, None)
        if name != address:
            _merge(self.phones.setdefault(name, {}), self.phones.pop(address, {}))
            self.addresses[address] = name  # the newest is last
            for oldest in list(self.addresses)[:-MOST_ADDRESSES]:
                del self.addresses[oldest]


def _merge(into: dict[str, AppRecord], other: Mapping[str, AppRecord]) -> None:
    for package, record in other.items():
        known = into.setdefault(package, record)
        if record.revoked and not known.revoked:
            into[package] = _revoke(known)


def _revoke(record: AppRecord) -> AppRecord:
    # Undo approval, too.
    by = Standing.LATER if record.by is Standing.APPROVED else record.by
    return replace(record, pinned=None, by=by, revoked=True)


class Trust:
    """With `first_use`, apps are listed when first seen; nobody has approved them then."""

    def __init__(self, file: Path, *, first_use: bool) -> None:
        self._file = file
        self._first_use = first_use
        self._seen: tuple[int, int, int] | None = None
        self._book = _Book(naming.ToolNames({}), {})

    def judge(
        self,
        address: str,
        apps: Sequence[DiscoveredApp],
        own: Identity = UNKNOWN_PHONE,
        *,
        ours: bool = False,
    ) -> dict[str, AppRecord]:
        """Return the records of these apps by package, updated with their changes. `ours` means
        that they are apps of a virtual phone that this program started."""
        apps = apps[:MOST_APPS]
        book = self._read()
        name = book.name(address, own)
        known = book.phones.get(name, {})
        if (
            book.settled(address, own)
            and name in book.phones
            and all(book.names.has(key) for discovered in apps for key in keys_of(discovered))
        ):
            # Nearly always nothing is new, and the file needs no lock.
            meet = partial(self._meet, book, known, Standing.OURS if ours else Standing.LATER)
            judged = {discovered.app.package: meet(discovered) for discovered in apps}
            same = all(known.get(package) == record for package, record in judged.items())
            if same and not _left(known, judged):
                return judged
        with self._editing() as book:
            looked = {address, book.name(address, own)} & book.phones.keys()
            by = Standing.OURS if ours else Standing.LATER if looked else Standing.FOUND
            book.settle(address, own)
            known = book.phones.setdefault(book.name(address, own), {})
            meet = partial(self._meet, book, known, by)
            judged = {discovered.app.package: meet(discovered) for discovered in apps}
            known.update(judged)
            known.update(_left(known, judged))
            self._tidy(book, known, judged)
            return judged

    def _tidy(
        self, book: _Book, known: dict[str, AppRecord], judged: Mapping[str, AppRecord]
    ) -> None:
        """Forget apps and names that are gone, once there are too many."""
        gone = [package for package in known if package not in judged]
        for package in gone[: max(0, len(known) - MOST_APPS)]:
            del known[package]
        book.names.forget({name for one in judged.values() for name in one.tools})

    def _meet(
        self,
        book: _Book,
        known: Mapping[str, AppRecord],
        by: Standing,
        discovered: DiscoveredApp,
    ) -> AppRecord:
        """`by` is the standing of an app that is seen for the first time."""
        package = discovered.app.package
        seen = Pin(discovered.app.signer, discovered.parts)
        names = tuple(map(book.names.assign, keys_of(discovered)))
        label = label_of(discovered.app)
        pinned = seen if self._first_use and discovered.tools else None
        before = known.get(package)
        if discovered.app.unread and before is not None:
            # An app that cannot be read counts as unchanged.
            return replace(before, problems=discovered.problems, present=True)
        if before is None:
            return AppRecord(package, label, names, seen, pinned, by, False, discovered.problems)
        if by is Standing.OURS and pinned is not None and not before.revoked:
            # Apps that are part of this program change with it.
            before = replace(before, pinned=pinned, by=by)
        elif before.by is Standing.OURS and by is not Standing.OURS:
            before = replace(before, by=Standing.LATER)  # a phone that took the name of one of ours
        if not self._first_use and before.by is not Standing.APPROVED:
            by_now = before.by if not before.change else Standing.LATER
            before = replace(before, pinned=None, by=by_now)
        if before.pinned is not None:
            if self._first_use and (whole := before.pinned.completed(seen)) != before.pinned:
                # The owner approved the parts known at that time.
                unseen = before.by is Standing.APPROVED
                before = replace(before, pinned=whole, by=Standing.LATER if unseen else before.by)
        elif not before.revoked:
            same = before.seen.completed(seen).covers(seen)
            before = replace(before, pinned=pinned, by=before.by if same else Standing.LATER)
        return replace(
            before, label=label, tools=names, seen=seen, problems=discovered.problems, present=True
        )

    def owner_of(self, name: str) -> naming.Key | None:
        """The tool that has or had this name."""
        return self._read().names.owners.get(name)

    def record(self, phone: str, package: str) -> AppRecord | None:
        book = self._read()
        return book.phones.get(book.find(phone), {}).get(package)

    def find(self, phone: str) -> str:
        """The key in `records` of a phone, by its serial number or an address."""
        return self._read().find(phone)

    def addresses(self, name: str) -> list[str]:
        """The addresses at which this phone was seen, the newest last."""
        return [address for address, other in self._read().addresses.items() if other == name]

    def label_of(self, package: str) -> str:
        """The label last seen on any phone; the package name if there is none."""
        phones = self._read().phones.values()
        return next((apps[package].label for apps in phones if package in apps), package)

    def records(self) -> dict[str, list[AppRecord]]:
        """By phone."""
        return {
            phone: sorted(apps.values(), key=lambda record: record.package)
            for phone, apps in self._read().phones.items()
        }

    def on_phones(self, package: str, phone: str | None = None) -> dict[str, AppRecord]:
        """The records of an app by phone, on that phone or on all. Raises TrustError if there is
        none."""
        return self._read().on_phones(package, phone)

    def approve(
        self, package: str, phone: str | None = None, seen: str | None = None
    ) -> list[AppRecord]:
        """Approve the app in its last seen state, on that phone or on all. `seen` is the digest
        that the decision was based on. Raises TrustError, also if the app's digest is different
        now."""

        def change(record: AppRecord) -> AppRecord:
            if seen not in (None, record.seen.digest):
                raise TrustError(f"{package} has changed meanwhile. Look at it again.")
            pinned = record.seen.completed(record.pinned or record.seen)
            return replace(record, pinned=pinned, by=Standing.APPROVED, revoked=False)

        return self._change(package, phone, change)

    def revoke(self, package: str, phone: str | None = None) -> list[AppRecord]:
        return self._change(package, phone, _revoke)

    def _change(
        self, package: str, phone: str | None, change: Callable[[AppRecord], AppRecord]
    ) -> list[AppRecord]:
        with self._editing() as book:
            changed = {
                name: change(record) for name, record in book.on_phones(package, phone).items()
            }
            for name, record in changed.items():
                book.phones[name][package] = record
            return list(changed.values())

    # The file

    @contextlib.contextmanager
    def _editing(self) -> Generator[_Book]:
        """Read, change and write in one step, while other processes wait."""
        try:
            private_folder(self._file.parent)
            with self._file.with_suffix(".lock").open("a", encoding="utf-8") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                book = self._read()
                before = _encode(book)
                yield book
                after = _encode(book)
                if after != before:
                    self._seen = None  # reread the file, whether or not it was written
                    write_private(self._file, after)
        except OSError as problem:
            raise TrustError(f"{self._file} cannot be used: {problem.strerror}.") from None

    def _read(self) -> _Book:
        try:
            stat = self._file.stat()
        except FileNotFoundError:
            self._seen, self._book = None, _Book(naming.ToolNames({}), {})
            return self._book
        except OSError as problem:
            raise TrustError(f"{self._file} cannot be read: {problem.strerror}.") from None
        seen = (stat.st_mtime_ns, stat.st_size, stat.st_ino)
        if seen != self._seen:
            self._book = _decode(self._file)
            self._seen = seen
        return self._book


def _left(known: Mapping[str, AppRecord], judged: Mapping[str, AppRecord]) -> dict[str, AppRecord]:
    """The records of apps that no longer declare tools, marked as absent."""
    return {
        package: replace(record, present=False)
        for package, record in known.items()
        if record.present and package not in judged
    }


def keys_of(discovered: DiscoveredApp) -> list[naming.Key]:
    return [(discovered.app.package, tool.kind, tool.id) for tool in discovered.tools]


def _encode(book: _Book) -> bytes:
    phones = {
        phone: {package: asdict(record) for package, record in apps.items()}
        for phone, apps in book.phones.items()
    }
    value = {
        "names": dict(book.names.owners),
        "phones": phones,
        "addresses": book.addresses,
        "apart": sorted(book.apart),
    }
    return json.dumps(value, ensure_ascii=False, indent=1).encode()


def _decode(file: Path) -> _Book:
    try:
        with file.open("rb") as stream:
            data = stream.read(FILE_LIMIT + 1)
        if len(data) > FILE_LIMIT:
            raise TrustError(f"{file} is larger than {FILE_LIMIT} bytes.")
        value = cast("dict[str, Any]", json.loads(data))
        names = {name: (key[0], key[1], key[2]) for name, key in value["names"].items()}
        phones = {
            phone: {package: _record(entry) for package, entry in apps.items()}
            for phone, apps in value["phones"].items()
        }
        # Missing in files of earlier versions.
        addresses = {str(each): str(name) for each, name in value.get("addresses", {}).items()}
        apart = set(map(str, value.get("apart", ())))
    except OSError as problem:
        raise TrustError(f"{file} cannot be read: {problem.strerror}.") from None
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError):
        raise TrustError(
            f"{file} is damaged. Without it, every app is new again: delete it to start over."
        ) from None
    return _Book(naming.ToolNames(names), phones, addresses, apart)


def _record(entry: dict[str, Any]) -> AppRecord:
    # Files of earlier versions do not distinguish approved apps from found ones.
    pinned = entry["pinned"] if "by" in entry else entry["approved"]
    return AppRecord(
        entry["package"],
        entry["label"],
        tuple(entry["tools"]),
        Pin(**entry["seen"]),
        None if pinned is None else Pin(**pinned),
        Standing(entry.get("by", Standing.FOUND)),
        entry["revoked"],
        tuple(entry["problems"]),
        entry.get("present", True),  # missing in files of earlier versions
    )
