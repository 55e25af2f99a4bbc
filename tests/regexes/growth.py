"""Whether the work of a backtracking matcher grows faster than the text.

The paths through an automaton are what such a matcher may try. Their number grows with the text if
some text leads from a place back to itself, on to another place, and from there back to itself:
each repetition of it may be the one where a path goes on. It grows exponentially if two ways lead
back to the same place. Where no such text is, the paths, and so the work, are linear; where there
is one, the work is, unless the match cannot fail any more at the second place."""

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import NamedTuple, TypeVar

from .automaton import END, Automaton, Use

Node = TypeVar("Node", bound=Hashable)
State = tuple[int, str]
"""A node, and the character before it where that makes a difference."""
_MOST_SETS = 500
"""Where more would have to be tried, a match is taken as one that can fail."""


class Attack(NamedTuple):
    """A text on which the work grows: its middle is repeated."""

    exponential: bool
    before: str
    repeated: str
    after: str

    def text(self, times: int) -> str:
        return self.before + self.repeated * times + self.after


def find_attack(pattern: "str | bytes", flags: int, use: Use) -> Attack | None:
    """Return a text for which matching takes more than linear work; None if there is none. Raises
    Unjudged."""
    return _Search(Automaton(pattern, flags, use)).attack()


class _Search:
    def __init__(self, automaton: Automaton) -> None:
        self._automaton = automaton
        self._moves: dict[tuple[State, str], list[State]] = {}
        self._remembered = {each: automaton.remember(each) for each in automaton.alphabet}
        self._access = _spread([(automaton.start, END)], self._next)
        """Every state, and a text that leads to it."""
        self._component = _components(
            self._access, lambda state: (to for _, to in self._next(state))
        )
        members: dict[int, list[State]] = {}
        for state, number in self._component.items():
            members.setdefault(number, []).append(state)
        self._loops = [
            each
            for each in members.values()
            if len(each) > 1 or any(to == each[0] for _, to in self._next(each[0]))
        ]

    def _move(self, state: State, character: str) -> list[State]:
        key = state, character
        if key not in self._moves:
            found = self._automaton.read(*state, character)
            self._moves[key] = [(node, self._remembered[character]) for node in found]
        return self._moves[key]

    def _next(self, state: State) -> Iterator[tuple[str, State]]:
        for character in self._automaton.alphabet:
            for to in self._move(state, character):
                yield character, to

    def attack(self) -> Attack | None:
        for loop in self._loops:
            if found := self._two_ways_back(loop):
                return found
        for first in self._loops:
            for second in self._loops:
                if first is not second and (found := self._two_loops(first, second)):
                    return found
        return None

    def _two_ways_back(self, loop: list[State]) -> Attack | None:
        """A text that leads from a state of the loop back to it in two ways."""
        inside = {*loop}
        failures = [after for state in loop if (after := self._failure(state)) is not None]
        if not failures:
            return None

        def pairs(pair: tuple[State, State]) -> Iterator[tuple[str, tuple[State, State]]]:
            for character in self._automaton.alphabet:
                for one in self._move(pair[0], character):
                    for other in self._move(pair[1], character):
                        if one in inside and other in inside:
                            yield character, (one, other)

        for state in loop:
            for character in self._automaton.alphabet:
                ends = [to for to in self._move(state, character) if to in inside]
                forks = [(one, other) for n, one in enumerate(ends) for other in ends[n + 1 :]]
                for meeting, word in _spread(forks, pairs).items():
                    if meeting[0] == meeting[1]:
                        back = _spread([meeting[0]], self._next)[state]
                        return Attack(
                            True, self._access[state], character + word + back, failures[0]
                        )
        return None

    def _two_loops(self, first: list[State], second: list[State]) -> Attack | None:
        """A text that leads from a state of the first loop back to it, to one of the second, and
        from that back to it."""
        inside, beyond = {*first}, {*second}
        read = sorted(self._characters(inside) & self._characters(beyond))
        if not read or second[0] not in _spread(first, self._next):
            return None

        def triples(
            triple: tuple[State, State, State],
        ) -> Iterator[tuple[str, tuple[State, State, State]]]:
            for character in read:
                firsts, between, seconds = (self._move(each, character) for each in triple)
                for a in inside.intersection(firsts):
                    for c in beyond.intersection(seconds):
                        for b in between:
                            yield character, (a, b, c)

        for q in second:
            after = self._failure(q)
            if after is None:
                continue
            for p in first:
                word = _spread([(p, p, q)], triples).get((p, q, q))
                if word:
                    return Attack(False, self._access[p], word, after)
        return None

    def _characters(self, loop: set[State]) -> set[str]:
        """What can be read inside of a loop."""
        return {character for state in loop for character, to in self._next(state) if to in loop}

    def _failure(self, state: State) -> str | None:
        """A text after which a match that is in this state fails; None if it cannot fail."""
        automaton = self._automaton
        begin = frozenset({state[0]}), state[1]
        texts = {begin: ""}
        waiting = deque([begin])
        while waiting:
            nodes, before = here = waiting.popleft()
            for character in (END, *automaton.alphabet):
                if any(automaton.accepts(node, before, character) for node in nodes):
                    continue
                if character == END or len(texts) > _MOST_SETS:
                    return texts[here]
                ends = (automaton.read(node, before, character) for node in nodes)
                to = frozenset(node for each in ends for node in each), self._remembered[character]
                if to not in texts:
                    texts[to] = texts[here] + character
                    waiting.append(to)
        return None


def _spread(
    begin: Iterable[Node], go_on: Callable[[Node], Iterable[tuple[str, Node]]]
) -> dict[Node, str]:
    """Everything that can be reached, and the shortest text to it."""
    found = dict.fromkeys(begin, "")
    waiting = deque(found)
    while waiting:
        here = waiting.popleft()
        for character, to in go_on(here):
            if to not in found:
                found[to] = found[here] + character
                waiting.append(to)
    return found


def _components(states: Iterable[Node], go_on: Callable[[Node], Iterable[Node]]) -> dict[Node, int]:
    """The number of the strongly connected part that each state is in."""
    order: list[Node] = []
    seen: set[Node] = set()
    before: dict[Node, set[Node]] = {}
    for state in states:
        if state in seen:
            continue
        seen.add(state)
        stack = [(state, iter([*go_on(state)]))]
        while stack:
            here, rest = stack[-1]
            to = next(rest, None)
            if to is None:
                order.append(here)
                stack.pop()
                continue
            before.setdefault(to, set()).add(here)
            if to not in seen:
                seen.add(to)
                stack.append((to, iter([*go_on(to)])))
    number: dict[Node, int] = {}
    for state in reversed(order):
        waiting = [] if state in number else [state]
        while waiting:
            here = waiting.pop()
            if here not in number:
                number[here] = number.get(state, len(number)) if here != state else len(number)
                waiting += before.get(here, ())
    return number
