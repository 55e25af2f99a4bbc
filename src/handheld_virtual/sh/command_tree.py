"""The syntax tree of shell text: commands, words and redirections."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Literal:
    text: str
    quoted: bool


@dataclass(frozen=True, slots=True)
class Variable:
    """`$NAME`, or `${NAME…}` with an operator and its operands."""

    name: str
    quoted: bool
    operator: str = ""
    """`:-`, `%%` and so on; `length` for `${#NAME}`."""
    word: "Word" = ()
    other: "Word | None" = None
    """The replacement of `word` after `/`, or the length after `:`."""


@dataclass(frozen=True, slots=True)
class Substitution:
    """`$(…)`"""

    body: "Sequence"
    quoted: bool


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """`$((…))`"""

    expression: "Word"
    quoted: bool


Part = Literal | Variable | Substitution | Arithmetic
Word = tuple[Part, ...]


@dataclass(slots=True)
class Here:
    """A here-document: the text between `<<END` and END. It is read after the line with `<<`."""

    end: str
    indented: bool
    plain: bool
    body: Word = ()


@dataclass(frozen=True, slots=True)
class Redirection:
    fd: int
    operator: str
    """`<`, `>`, `>>`, `<<`, or `>&` and `<&` with the other fd as the word."""
    target: Word
    here: Here | None = None


@dataclass(frozen=True, slots=True)
class Simple:
    assignments: tuple[tuple[str, Word], ...]
    """`NAME`, or `NAME+` to append."""
    words: tuple[Word, ...]
    redirections: tuple[Redirection, ...]


@dataclass(frozen=True, slots=True)
class Subshell:
    body: "Sequence"
    redirections: tuple[Redirection, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """`{ …; }`"""

    body: "Sequence"
    redirections: tuple[Redirection, ...]


@dataclass(frozen=True, slots=True)
class If:
    branches: tuple[tuple["Sequence", "Sequence"], ...]
    otherwise: "Sequence | None"
    redirections: tuple[Redirection, ...]


@dataclass(frozen=True, slots=True)
class Loop:
    """`while`, or `until`."""

    condition: "Sequence"
    body: "Sequence"
    until: bool
    redirections: tuple[Redirection, ...]


@dataclass(frozen=True, slots=True)
class For:
    name: str
    words: tuple[Word, ...] | None
    """The words to iterate over; None for the shell's arguments."""
    body: "Sequence"
    redirections: tuple[Redirection, ...]


@dataclass(frozen=True, slots=True)
class Case:
    word: Word
    branches: tuple[tuple[tuple[Word, ...], "Sequence"], ...]
    redirections: tuple[Redirection, ...]


@dataclass(frozen=True, slots=True)
class Function:
    name: str
    body: "Command"
    redirections: tuple[Redirection, ...] = ()


@dataclass(frozen=True, slots=True)
class Background:
    """Commands before `&`."""

    body: "Sequence"
    redirections: tuple[Redirection, ...] = ()


Command = Simple | Subshell | Group | If | Loop | For | Case | Function | Background


@dataclass(frozen=True, slots=True)
class Pipeline:
    commands: tuple[Command, ...]
    negated: bool
    timed: bool = False


@dataclass(frozen=True, slots=True)
class Sequence:
    """Pipelines, each with the operator before it: `;`, `&&` or `||`."""

    steps: tuple[tuple[str, Pipeline], ...]
