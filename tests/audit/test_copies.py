"""Copies of the record: what a reader can tell from them alone."""

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from audit.calls import make_call
from audit.test_chain import change, drop, record
from handheld.audit import AuditLog
from handheld.audit.chain import FIRST, ChainHead
from handheld.audit.copies import (
    LARGEST,
    MOST_IN_ONE,
    Copy,
    CopyChain,
    CopyVerification,
    pack_copies,
    read_copies,
    read_copy,
    read_entry,
)
from handheld.audit.links import LinkReader
from handheld.audit.verification import verify

NOTHING = ChainHead(0, FIRST)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "calls.sqlite"


@pytest.fixture
def log(file: Path) -> Any:
    opened = AuditLog(file)
    yield opened
    opened.close()


class Copier:
    """Copies as a host does, into a list."""

    def __init__(self, file: Path) -> None:
        self._reader = LinkReader(file)
        self.last = NOTHING
        self.sent: list[bytes] = []

    def copy(self, most: int = 1000) -> "Copier":
        for link in self._reader.read(self.last, most) or ():
            self.sent.append(Copy("desk", self.last.seq, link).pack())
            self.last = ChainHead(link.seq, link.hash)
        self._reader.close()
        return self


def check(copies: Sequence[bytes]) -> CopyVerification:
    chain = CopyChain()
    for data in copies:
        try:
            copy = read_copy(data)
        except ValueError:
            chain.add_unreadable()
        else:
            chain.add(copy)
    return chain.end()


def test_copies_lead_to_the_head_of_the_record_and_have_its_entries(
    log: AuditLog, file: Path
) -> None:
    ids = record(log, 5)
    log.picture(ids[0], "before", b"a picture")
    log.begin(make_call("press_home"))
    log.write_ends()
    copies = [read_copy(data) for data in Copier(file).copy().sent]
    found = check([copy.pack() for copy in copies])
    assert found.problems == []
    assert (found.head, found.calls, found.unfinished) == (verify(file).head, 6, 1)
    assert (found.first, found.uncopied, found.host) == (1, 0, "desk")
    by_kind = {(copy.link.kind, copy.link.of): copy for copy in copies}
    entries = [
        read_entry(copy, by_kind.get(("end", id)))
        for (kind, id), copy in by_kind.items()
        if kind == "begin"
    ]
    assert entries == log.entries()
    assert b"a picture".hex() not in str(Copier(file).copy().sent)


def test_a_message_has_many_copies_within_its_limits(log: AuditLog, file: Path) -> None:
    record(log, 120)
    for _ in range(30):
        log.end(log.begin(make_call("tap")), "done", ["x" * 15_000])
    log.write_ends()
    copies = [read_copy(data) for data in Copier(file).copy().sent]
    messages = list(pack_copies(copies))
    read = [read_copies(data) for data, _, _ in messages]
    assert [each for one in read for each in one] == copies
    assert [len(one) for one in read][:2] == [MOST_IN_ONE, MOST_IN_ONE]
    assert max(len(one) for one in read) == MOST_IN_ONE
    assert LARGEST * 0.9 < max(len(data) for data, _, _ in messages) <= LARGEST
    assert [(one[0].link, one[-1].link) for one in read if one[0] and one[-1]] == [
        (first, last) for _, first, last in messages
    ]


def test_a_copy_that_cannot_be_read_hides_none_beside_it(log: AuditLog, file: Path) -> None:
    record(log, 2)
    sent = Copier(file).copy().sent
    read = read_copies(b"\n".join([sent[0], b"{", sent[1]]))
    assert read == [read_copy(sent[0]), None, read_copy(sent[1])]
    assert len(read_copies(b"\n" * LARGEST)) == MOST_IN_ONE + 1


def test_any_copy_that_is_removed_changed_or_moved_is_noticed(log: AuditLog, file: Path) -> None:
    record(log, 3)
    sent = Copier(file).copy().sent
    for at in range(len(sent)):
        if 0 < at < len(sent) - 1:  # older ones go by their age, and newer may be on their way
            assert check([*sent[:at], *sent[at + 1 :]]).problems
        told = json.loads(sent[at])
        for name, value in told.items():
            # What people call a host is not in its chain, and where copies begin nobody knows.
            if name == "host" or (name == "after" and at == 0):
                continue
            for other in _others(value):
                changed = json.dumps({**told, name: other}).encode()
                told_of = check([*sent[:at], changed, *sent[at + 1 :]]).problems
                assert told_of or other == value, (name, other)
        if at:
            swapped = [*sent[: at - 1], sent[at], sent[at - 1], *sent[at + 1 :]]
            assert check(swapped).problems
    assert check(sent).problems == []


def _others(value: Any) -> list[Any]:
    if isinstance(value, list):
        return [[], [*value, 1], ["x", *value[1:]] if value else ["x"]]
    if isinstance(value, int):
        return [value + 1, 10**30, None]
    return ["11" * 32, "\ud800", None]


def test_copies_that_were_sent_twice_are_one(log: AuditLog, file: Path) -> None:
    record(log, 3)
    sent = Copier(file).copy().sent
    found = check([*sent[:4], *sent[2:]])
    assert (found.problems, found.calls) == ([], 3)


def test_what_was_dropped_before_it_was_copied_is_counted_and_no_fault(
    log: AuditLog, file: Path
) -> None:
    copier = Copier(file)
    ids = record(log, 4)
    copier.copy(5)  # the start, and two calls
    drop(file, ids[1:3])
    record(log, 1)
    found = check(copier.copy().sent)
    assert found.problems == []
    assert found.uncopied == 2
    assert found.head == verify(file).head
    assert [(each.calls, each.act) for each in found.dropped] == [(1, False), (1, True)]
    # The call that was copied before it was dropped is still there.
    assert found.calls == 4


def test_a_call_that_was_linked_late_is_copied_then(log: AuditLog, file: Path) -> None:
    copier = Copier(file).copy()
    log.begin(make_call())
    assert check(copier.copy().sent).calls == 0
    # As if its process had been killed before it wrote a link.
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("UPDATE calls SET run = 'gone'")
        connection.commit()
    with closing(AuditLog(file)):
        found = check(copier.copy().sent)
    assert (found.problems, found.calls, found.unfinished) == ([], 1, 0)
    entry = read_entry(*map(read_copy, copier.sent[-2:]))
    assert entry.state == "unknown"


def test_a_record_that_was_cut_off_at_its_end_or_replaced_is_told(
    log: AuditLog, file: Path, tmp_path: Path
) -> None:
    record(log, 2)
    first = Copier(file).copy()
    change(file, "DELETE FROM links WHERE seq > 3", "DELETE FROM calls WHERE id > 1")
    reader = LinkReader(file)
    assert reader.read(first.last, 10) is None
    reader.close()
    with closing(AuditLog(tmp_path / "other.sqlite")) as other:
        record(other, 3)
        anew = Copier(tmp_path / "other.sqlite").copy().sent
    found = check([*first.sent, *anew])
    assert any("After link 5 the host started over" in problem for problem in found.problems)


def test_a_host_that_forgot_what_it_has_copied_copies_all_again_without_fault(
    log: AuditLog, file: Path
) -> None:
    record(log, 2)
    first = Copier(file).copy().sent
    record(log, 1)
    found = check([*first, *Copier(file).copy().sent])
    assert (found.problems, found.calls) == ([], 3)


def test_a_copy_that_is_too_large_says_so_and_the_chain_goes_on(log: AuditLog, file: Path) -> None:
    arguments = {f"name {number}": "x" * 19_000 for number in range(20)}
    log.end(log.begin(make_call("long_one", arguments)), "done", ["📱" * 9_000])
    record(log, 1)
    sent = Copier(file).copy().sent
    assert all(len(data) <= LARGEST for data in sent)
    found = check(sent)
    assert (found.problems, found.shortened, found.calls) == ([], 1, 2)
    begin, end = map(read_copy, sent[1:3])
    entry = read_entry(begin, end)
    assert entry.arguments == {"…": "(not copied: too large)"}
    assert entry.tool == "long_one"
    assert entry.result == ("📱" * 9_000,)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"[" * 100_000,
        b"\xff",
        b'{"seq": 1}',
        b'{"host": 1, "after": 0}',
    ],
)
def test_other_messages_are_no_copies(data: bytes) -> None:
    assert check([data]).problems == ["Some copies cannot be read."]


@pytest.mark.parametrize(
    ("place", "value"),
    [(0, "yesterday"), (0, 1e300), (0, None), (8, "[]"), (8, "[" * 100_000), (8, 5), (9, "x")],
)
def test_a_call_that_makes_no_sense_is_no_entry(
    log: AuditLog, file: Path, place: int, value: Any
) -> None:
    record(log, 1)
    begin = read_copy(Copier(file).copy().sent[1])
    values = list(begin.link.values or ())
    values[place] = value
    with pytest.raises(ValueError, match=r"time|JSON|form|deep|Expecting"):
        read_entry(begin._replace(link=begin.link._replace(values=tuple(values))), None)
