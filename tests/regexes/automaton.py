"""A regular expression as an automaton: each path through it is one that a backtracking matcher may
try."""

import re
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, Literal, NamedTuple

_parser: Any = import_module("re._parser")
_compiler: Any = import_module("re._compiler")

Use = Literal["match", "fullmatch", "search"]
"""`search` stands for every use that begins again at each character, such as `sub` and `split`."""
END = ""
"""What is before the first character and after the last one."""
MOST = 16
"""A repeat that may run more often counts as unbounded."""
_SAMPLE = "".join(map(chr, range(0x250))) + (
    "\u0130\u0131\u017f\u0301\u0661\u20ac\u212a\u2003\u2028\u2029\u200b\u202e\u3042\uac00"
    "\ud800\udc00\ufeff\ufffe\uffff\U0001f600"
)
"""Characters of every category and kind of case, which stand for all."""
_READS = ("LITERAL", "NOT_LITERAL", "ANY", "IN")

Guard = Callable[[str, str, bool], bool]
"""Whether a path may go on between these two characters. Where that depends on more than the two,
it may, unless the last argument demands that it is sure."""


class Unjudged(Exception):
    """A pattern has something that an automaton cannot express."""


class Edge(NamedTuple):
    to: int
    characters: frozenset[str] = frozenset()
    """One of these is read; nothing if there is none."""
    guard: Guard | None = None


class Automaton:
    def __init__(self, pattern: "str | bytes", flags: int, use: Use) -> None:
        """Raises Unjudged."""
        tree = _parser.parse(pattern, flags)
        self._state = tree.state
        self._flags: int = tree.state.flags | flags
        self._text = _SAMPLE if isinstance(pattern, str) else "".join(map(chr, range(256)))
        self._bytes = isinstance(pattern, bytes)
        self._text = "".join(sorted({*self._text, *self._boundaries(tree)}))
        self._word = self._members(*_parser.parse(rb"\w" if self._bytes else r"\w"))
        self.alphabet = self._kinds(tree)
        """One character of each kind that the pattern tells apart. Bytes are read as Latin-1."""
        self._behind: list[frozenset[str]] = []
        """What guards look back for."""
        self.edges: list[list[Edge]] = []
        """By node, in the order in which a matcher tries them."""
        self.start = self._add()
        begin = self._add()
        self.edges[self.start].append(Edge(begin))
        if use == "search":
            self.edges[self.start].append(Edge(self.start, frozenset(self.alphabet)))
        end = self._sequence(tree, begin)
        self.accept = self._add()
        self.edges[end].append(Edge(self.accept, guard=_is_at_end if use == "fullmatch" else None))

    def remember(self, character: str) -> str:
        """Return a character that no guard tells apart from this one when it looks back."""
        kind = [character in some for some in self._behind]
        return next(
            each for each in self.alphabet if [each in some for some in self._behind] == kind
        )

    # Paths

    def paths(self, node: int, before: str, after: str, *, sure: bool = False) -> Iterator[int]:
        """The ends of all paths from this node that read nothing, in the order of a matcher: nodes
        that read, and the one that accepts. One is as often among them as paths lead there."""
        waiting = [(node, frozenset({node}))]
        while waiting:
            here, passed = waiting.pop()
            if here == self.accept or any(edge.characters for edge in self.edges[here]):
                yield here
            for to, characters, guard in reversed(self.edges[here]):
                may = guard is None or guard(before, after, sure)
                if not characters and may and to not in passed:
                    waiting.append((to, passed | {to}))

    def read(self, node: int, before: str, character: str) -> Iterator[int]:
        """The ends of all paths from this node that read this character."""
        for reader in self.paths(node, before, character):
            for edge in self.edges[reader]:
                if character in edge.characters:
                    yield edge.to

    def accepts(self, node: int, before: str, after: str) -> bool:
        """Whether a path surely ends here."""
        return self.accept in self.paths(node, before, after, sure=True)

    def count_steps(self, text: str) -> tuple[bool, int]:
        """Match as a backtracking matcher does; return the result, and how often it went on."""
        steps, waiting = 0, [(self.start, 0)]
        while waiting:
            node, at = waiting.pop()
            if node == self.accept:
                return True, steps
            steps += 1
            before, after = text[at - 1 : at], text[at : at + 1]
            found: list[tuple[int, int]] = []
            for reader in self.paths(node, before, after):
                if reader == self.accept:
                    found.append((reader, at))
                found += [
                    (edge.to, at + 1)
                    for edge in self.edges[reader]
                    if after and after in edge.characters
                ]
            waiting += reversed(found)
        return False, steps

    # Kinds of characters

    def _boundaries(self, tree: Any) -> Iterator[str]:
        """Every character that the pattern names, and its neighbours."""
        for op, argument in _items(tree):
            named = [argument] if str(op) in ("LITERAL", "NOT_LITERAL") else []
            for kind, value in argument if str(op) == "IN" else ():
                named += [value] if str(kind) == "LITERAL" else []
                named += value if str(kind) == "RANGE" else []
            most = 255 if self._bytes else 0x10FFFF
            yield from (
                chr(near) for at in named for near in (at - 1, at, at + 1) if 0 <= near <= most
            )

    def _members(self, item: Any) -> frozenset[str]:
        """The characters of the sample that a part of a pattern reads."""
        one = _compiler.compile(_parser.SubPattern(self._state, [item]), self._flags)
        text = self._text.encode("latin-1") if self._bytes else self._text
        found = (match[0] for match in one.finditer(text))
        return frozenset(each.decode("latin-1") if self._bytes else each for each in found)

    def _kinds(self, tree: Any) -> tuple[str, ...]:
        sets = [self._members(item) for item in _items(tree) if str(item[0]) in _READS]
        sets += [frozenset("\n"), self._word]
        kinds = {tuple(each in some for some in sets): each for each in reversed(self._text)}
        return tuple(kinds.values())

    def _set(self, item: Any) -> frozenset[str]:
        return self._members(item) & {*self.alphabet}

    # Building

    def _add(self) -> int:
        self.edges.append([])
        return len(self.edges) - 1

    def _sequence(self, tree: Any, start: int) -> int:
        for op, argument in tree:
            start = self._part(str(op), argument, start)
        return start

    def _part(self, op: str, argument: Any, start: int) -> int:
        """Add a part of a pattern at this node; return the node at its end."""
        if op in _READS:
            return self._join(start, characters=self._set((getattr(_parser, op), argument)))
        if op == "SUBPATTERN":
            if argument[1] or argument[2]:
                raise Unjudged("flags for a part of a pattern")
            return self._sequence(argument[3], start)
        if op == "ATOMIC_GROUP":
            return self._sequence(argument, start)  # a matcher tries fewer paths
        if op == "BRANCH":
            ends = [self._sequence(each, self._join(start)) for each in argument[1]]
            return self._merge(ends)
        if op in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            least, most, body = argument
            return self._repeat(op, least, most, body, start)
        if op == "AT":
            return self._join(start, guard=self._anchor(str(argument)))
        if op in ("ASSERT", "ASSERT_NOT"):
            return self._join(start, guard=self._look(argument, wanted=op == "ASSERT"))
        raise Unjudged(op)

    def _join(
        self, start: int, characters: frozenset[str] | None = None, guard: Guard | None = None
    ) -> int:
        end = self._add()
        if characters is None:
            self.edges[start].append(Edge(end, guard=guard))
        elif characters:
            self.edges[start].append(Edge(end, characters))
        return end

    def _merge(self, ends: list[int]) -> int:
        end = self._add()
        for each in ends:
            self.edges[each].append(Edge(end))
        return end

    def _repeat(self, op: str, least: int, most: int, body: Any, start: int) -> int:
        leave: Guard | None = None
        if op == "POSSESSIVE_REPEAT" and most == _parser.MAXREPEAT and len(body) == 1:
            item = body[0]
            if str(item[0]) in _READS:
                leave = _is_before_other(self._set(item))
        out = self._add()

        def choose(node: int) -> int:
            """Go on with the body, or leave."""
            again = self._add()
            both = [Edge(again), Edge(out, guard=leave)]
            self.edges[node] += reversed(both) if op == "MIN_REPEAT" else both
            return again

        unbounded = most > MOST
        least = min(least, MOST)
        for _ in range(least - unbounded):
            start = self._sequence(body, start)
        if unbounded:
            # What follows a round is not what came before the first one: two ways into the body
            # are two paths.
            first = self._join(start) if least else choose(start)
            end = self._sequence(body, first)
            self.edges[choose(end)].append(Edge(first))
            return out
        for _ in range(most - least):
            start = self._sequence(body, choose(start))
        self.edges[start].append(Edge(out))
        return out

    def _anchor(self, kind: str) -> Guard:
        lines = bool(self._flags & re.MULTILINE)
        word = self._word
        if "BOUNDARY" in kind:
            self._behind.append(word)
        if kind == "AT_BEGINNING" and lines:
            self._behind.append(frozenset("\n"))
        if kind in ("AT_BEGINNING", "AT_BEGINNING_STRING"):
            starts = (END, "\n") if lines and kind == "AT_BEGINNING" else (END,)
            return lambda before, _, __: before in starts
        if kind == "AT_END":
            return lambda _, after, sure: after == END or (after == "\n" and (lines or not sure))
        if kind == "AT_END_STRING":
            return _is_at_end
        differ = {"AT_BOUNDARY": True, "AT_NON_BOUNDARY": False}[kind]
        return lambda before, after, _: ((before in word) != (after in word)) == differ

    def _look(self, argument: Any, *, wanted: bool) -> Guard:
        """A look at one character is a guard; any other is taken as passed."""
        way, body = argument
        if any(str(op).endswith("REPEAT") and value[1] > MOST for op, value in _items(body)):
            raise Unjudged("an unbounded repeat in a look ahead or back")
        if len(body) != 1 or str(body[0][0]) not in _READS:
            return lambda _, __, sure: not sure
        some, back = self._set(body[0]), way < 0
        if back:
            self._behind.append(some)
        return lambda before, after, _: ((before if back else after) in some) == wanted


def _is_at_end(before: str, after: str, sure: bool) -> bool:
    return after == END


def _is_before_other(characters: frozenset[str]) -> Guard:
    return lambda _, after, __: after not in characters


def _items(tree: Any) -> Iterator[Any]:
    """Every part of a pattern, also inside of others."""
    for item in tree:
        yield item
        op, argument = str(item[0]), item[1]
        if op == "SUBPATTERN":
            yield from _items(argument[3])
        elif op == "ATOMIC_GROUP":
            yield from _items(argument)
        elif op == "BRANCH":
            for each in argument[1]:
                yield from _items(each)
        elif op.endswith("REPEAT"):
            yield from _items(argument[2])
        elif op in ("ASSERT", "ASSERT_NOT"):
            yield from _items(argument[1])
