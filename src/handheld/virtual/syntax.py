"""The shell's language: text in, a tree of commands out. Knows nothing of running them."""

import re
from dataclasses import dataclass

NESTING = 32
STAGES = 64
"""Commands in one pipeline."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")
_REDIRECTION = re.compile(r"([0-9]?)(>>|>&|<<|<&|>\||<|>)")
_RESERVED = frozenset(
    (
        *("if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done"),
        *("case", "esac", "function", "select", "time", "[[", "{", "}"),
    )
)
_SPECIAL = " \t\n|&;<>()"


class SyntaxProblem(Exception):
    """The text is not a command. The message is what the shell prints."""


class Incomplete(SyntaxProblem):
    """The text ends in the middle of something."""


class NotOffered(SyntaxProblem):
    """A real shell would understand this; this one says that it does not."""


@dataclass(frozen=True, slots=True)
class Literal:
    text: str
    quoted: bool


@dataclass(frozen=True, slots=True)
class Variable:
    name: str
    quoted: bool
    default: str = ""


@dataclass(frozen=True, slots=True)
class Substitution:
    """`$(…)`"""

    body: "Sequence"
    quoted: bool


Part = Literal | Variable | Substitution
Word = tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Redirection:
    fd: int
    operator: str
    """`<`, `>`, `>>`, or `>&` with the other fd as its word."""
    target: Word


@dataclass(frozen=True, slots=True)
class Simple:
    assignments: tuple[tuple[str, Word], ...]
    words: tuple[Word, ...]
    redirections: tuple[Redirection, ...]


@dataclass(frozen=True, slots=True)
class Subshell:
    body: "Sequence"
    redirections: tuple[Redirection, ...]


@dataclass(frozen=True, slots=True)
class Pipeline:
    commands: tuple[Simple | Subshell, ...]
    negated: bool


@dataclass(frozen=True, slots=True)
class Sequence:
    """Pipelines, each with what must be true of the one before: `;`, `&&` or `||`."""

    steps: tuple[tuple[str, Pipeline], ...]


def parse(text: str) -> Sequence:
    """Raises SyntaxProblem; Incomplete where more text could mend it."""
    parser = _Parser(text)
    body = parser.sequence(0, "")
    if parser.at < len(text):
        raise SyntaxProblem(f"syntax error: unexpected '{text[parser.at]}'")
    return body


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def sequence(self, depth: int, end: str) -> Sequence:
        if depth > NESTING:
            raise SyntaxProblem("syntax error: nested too deeply")
        steps: list[tuple[str, Pipeline]] = []
        operator = ";"
        while True:
            self._blank(newlines=True)
            here = self._peek()
            if here == end or not here:
                if operator != ";":
                    raise Incomplete(f"syntax error: unexpected end after '{operator}'")
                return Sequence(tuple(steps))
            if here == ")":
                return Sequence(tuple(steps))
            steps.append((operator, self._pipeline(depth)))
            self._blank()
            operator = self._separator()
            if not operator:
                return Sequence(tuple(steps))

    def _separator(self) -> str:
        two = self.text[self.at : self.at + 2]
        if two in ("&&", "||"):
            self.at += 2
            return two
        if two == ";;":
            raise SyntaxProblem("syntax error: unexpected ';;'")
        here = self._peek()
        if here == "&":
            raise NotOffered("'&' is not offered by this phone's shell")
        if here and here in ";\n":
            self.at += 1
            return ";"
        return ""

    def _pipeline(self, depth: int) -> Pipeline:
        negated = False
        if self._peek() == "!" and self.text[self.at + 1 : self.at + 2] in (" ", "\t"):
            negated = True
            self.at += 1
            self._blank()
        commands = [self._command(depth)]
        while True:
            self._blank()
            if self._peek() != "|" or self.text.startswith("||", self.at):
                return Pipeline(tuple(commands), negated)
            self.at += 1
            self._blank(newlines=True)
            if not self._peek():
                raise Incomplete("syntax error: unexpected end after '|'")
            if len(commands) >= STAGES:
                raise SyntaxProblem("syntax error: too many commands in a pipeline")
            commands.append(self._command(depth))

    def _command(self, depth: int) -> Simple | Subshell:
        if self._peek() == "(":
            self.at += 1
            body = self.sequence(depth + 1, ")")
            if self._peek() != ")":
                raise Incomplete("syntax error: unmatched '('")
            self.at += 1
            redirections: list[Redirection] = []
            while True:
                self._blank()
                found = self._redirection(depth)
                if found is None:
                    return Subshell(body, tuple(redirections))
                redirections.append(found)
        return self._simple(depth)

    def _simple(self, depth: int) -> Simple:
        assignments: list[tuple[str, Word]] = []
        words: list[Word] = []
        redirections: list[Redirection] = []
        while True:
            self._blank()
            here = self._peek()
            found = self._redirection(depth)
            if found is not None:
                redirections.append(found)
                continue
            if not here or here in "|&;\n)":
                break
            if here == "(":
                raise SyntaxProblem("syntax error: unexpected '('")
            if not words and (match := _ASSIGNMENT.match(self.text, self.at)):
                self.at = match.end()
                assignments.append((match.group()[:-1], self._word(depth)))
                continue
            start = self.at
            word = self._word(depth)
            if not words and self.text[start : self.at] in _RESERVED:
                raise NotOffered(
                    f"'{self.text[start : self.at]}' is not offered by this phone's shell"
                )
            words.append(word)
        if not words and not assignments and not redirections:
            raise SyntaxProblem(f"syntax error: unexpected '{self._peek() or 'end of file'}'")
        return Simple(tuple(assignments), tuple(words), tuple(redirections))

    def _redirection(self, depth: int) -> Redirection | None:
        match = _REDIRECTION.match(self.text, self.at)
        if match is None:
            return None
        fd, operator = match.groups()
        if operator in ("<<", "<&", ">|"):
            raise NotOffered(f"'{operator}' is not offered by this phone's shell")
        self.at = match.end()
        self._blank()
        if not self._peek() or self._peek() in _SPECIAL:
            raise SyntaxProblem(f"syntax error: unexpected '{self._peek() or 'end of file'}'")
        number = int(fd) if fd else (0 if operator == "<" else 1)
        return Redirection(number, operator, self._word(depth))

    def _word(self, depth: int) -> Word:
        parts: list[Part] = []
        plain = ""
        while self.at < len(self.text):
            here = self.text[self.at]
            if here in _SPECIAL:
                break
            if here in "'\"\\$`":
                if plain:
                    parts.append(Literal(plain, False))
                    plain = ""
                self._quoted(here, parts, depth)
                continue
            plain += here
            self.at += 1
        if plain:
            parts.append(Literal(plain, False))
        return tuple(parts)

    def _quoted(self, mark: str, parts: list[Part], depth: int) -> None:
        if mark == "'":
            end = self.text.find("'", self.at + 1)
            if end < 0:
                raise Incomplete("no closing quote")
            parts.append(Literal(self.text[self.at + 1 : end], True))
            self.at = end + 1
        elif mark == "\\":
            following = self.text[self.at + 1 : self.at + 2]
            if not following:
                raise Incomplete("syntax error: unexpected end after '\\'")
            self.at += 2
            if following != "\n":
                parts.append(Literal(following, True))
        elif mark == '"':
            self.at += 1
            self._double(parts, depth)
        else:
            parts.append(self._dollar(False, depth))

    def _double(self, parts: list[Part], depth: int) -> None:
        text = ""
        while True:
            here = self._peek()
            if not here:
                raise Incomplete("no closing quote")
            if here == '"':
                self.at += 1
                # Also when empty: "" is a word.
                parts.append(Literal(text, True))
                return
            if here == "\\" and self.text[self.at + 1 : self.at + 2] in tuple('$`"\\\n'):
                following = self.text[self.at + 1]
                text += "" if following == "\n" else following
                self.at += 2
            elif here in "$`":
                parts.append(Literal(text, True))
                text = ""
                parts.append(self._dollar(True, depth))
            else:
                text += here
                self.at += 1

    def _dollar(self, quoted: bool, depth: int) -> Part:
        text = self.text
        if text[self.at] == "`":
            raise NotOffered("'`' is not offered by this phone's shell: use $(…)")
        if text.startswith("$((", self.at):
            raise NotOffered("'$((' is not offered by this phone's shell")
        if text.startswith("$(", self.at):
            self.at += 2
            body = self.sequence(depth + 1, ")")
            if self._peek() != ")":
                raise Incomplete("syntax error: unmatched '$('")
            self.at += 1
            return Substitution(body, quoted)
        if text.startswith("${", self.at):
            end = text.find("}", self.at)
            if end < 0:
                raise Incomplete("syntax error: unmatched '${'")
            name, _, default = text[self.at + 2 : end].partition(":-")
            if not _NAME.fullmatch(name) and name not in ("?", "$", "0"):
                raise NotOffered(f"'${{{name}}}' is not offered by this phone's shell")
            self.at = end + 1
            return Variable(name, quoted, default)
        match = _NAME.match(text, self.at + 1)
        if match is not None:
            self.at = match.end()
            return Variable(match.group(), quoted)
        following = text[self.at + 1 : self.at + 2]
        if following and following in "?$0#":
            self.at += 2
            return Variable(following, quoted)
        if following and following in "@*!-123456789":
            raise NotOffered(f"'${following}' is not offered by this phone's shell")
        self.at += 1
        return Literal("$", True)

    def _peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def _blank(self, *, newlines: bool = False) -> None:
        while self.at < len(self.text):
            here = self.text[self.at]
            if here in " \t" or (newlines and here in "\n"):
                self.at += 1
            elif self.text.startswith("\\\n", self.at):
                self.at += 2
            elif here == "#" and (self.at == 0 or self.text[self.at - 1] in " \t\n;|&("):
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end
            else:
                return
