"""The shell's parser, which makes a syntax tree from text."""

import re

from .command_tree import (
    Background,
    Case,
    Command,
    For,
    Function,
    Group,
    Here,
    If,
    Literal,
    Loop,
    Pipeline,
    Redirection,
    Sequence,
    Simple,
    Subshell,
    Word,
)
from .words import NESTING, SPECIAL, Incomplete, SyntaxProblem, Unsupported, WordReader

STAGES = 64
"""The limit of commands in a pipeline."""
HERE_SIZE = 1024 * 1024

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\+?=")
_FUNCTION = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)[ \t]*\([ \t]*\)")
_REDIRECTION = re.compile(r"([0-9]?)(>>|>&|<<-|<<<|<<|<&|>\||<>|<|>)|(&>>|&>)")
_CLOSING = frozenset(("then", "else", "elif", "fi", "do", "done", "esac", "}", "in"))
_ABSENT = frozenset(("select", "[[", "coproc"))
RESERVED = frozenset(
    ("if", "for", "while", "until", "case", "function", "time", "{", "!", *_CLOSING, *_ABSENT)
)


def parse(text: str) -> Sequence:
    """Parse shell text. Raises SyntaxProblem, or Incomplete if more text could complete it."""
    parser = _Parser(text)
    body = parser.sequence(0)
    if parser.at < len(text):
        shown = ";;" if text.startswith(";;", parser.at) else text[parser.at]
        raise SyntaxProblem(f"syntax error: unexpected '{shown}'")
    parser.finish()
    return body


class _Parser(WordReader):
    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._wanted: list[Here] = []
        """Here-documents whose text follows the current line."""

    def finish(self) -> None:
        if self._wanted:
            raise Incomplete(f"here document '{self._wanted[0].end}' unclosed")

    def sequence(self, depth: int, *ends: str) -> Sequence:
        """Parse up to one of the words `ends`, a `)`, a `;;` or the end of the text."""
        if depth > NESTING:
            raise SyntaxProblem("syntax error: nested too deeply")
        steps: list[tuple[str, Pipeline]] = []
        operator, first = ";", 0
        while True:
            self._blank(newlines=True)
            here = self._peek()
            word = self._reserved()
            closes = here == ")" or word in _CLOSING or self.text.startswith(";;", self.at)
            if not here or closes:
                if operator != ";":
                    problem = f"syntax error: unexpected '{word or here or 'EOF'}'"
                    raise SyntaxProblem(problem) if here else Incomplete(problem)
                if word in _CLOSING and word not in ends:
                    raise SyntaxProblem(f"syntax error: unexpected '{word}'")
                return Sequence(tuple(steps))
            if operator == ";":
                first = len(steps)
            steps.append((operator, self._pipeline(depth)))
            self._blank()
            operator = self._separator()
            if operator == "&":
                job = Background(Sequence(tuple(steps[first:])))
                steps[first:] = [(";", Pipeline((job,), False))]
                self.at += 1
                operator = ";"
            elif not operator:
                return Sequence(tuple(steps))

    def _separator(self) -> str:
        two = self.text[self.at : self.at + 2]
        if two in ("&&", "||"):
            self.at += 2
            return two
        if two == ";;":
            return ""
        here = self._peek()
        if here == "&":
            return "&"
        if here == "\n":
            self._newline()
            return ";"
        if here == ";":
            self.at += 1
            return ";"
        return ""

    def _pipeline(self, depth: int) -> Pipeline:
        negated = timed = False
        while (word := self._reserved()) in ("!", "time"):
            negated ^= word == "!"
            timed |= word == "time"
            self.at += len(word)
            self._blank()
        commands = [self._command(depth)]
        while True:
            self._blank()
            if self._peek() != "|" or self.text.startswith("||", self.at):
                return Pipeline(tuple(commands), negated, timed)
            self.at += 1
            self._blank(newlines=True)
            if not self._peek():
                raise Incomplete("syntax error: unexpected EOF")
            if len(commands) >= STAGES:
                raise SyntaxProblem("syntax error: too many commands in a pipeline")
            commands.append(self._command(depth))

    # Commands

    def _command(self, depth: int) -> Command:
        word = self._reserved()
        if self._peek() == "(":
            self.at += 1
            body = self.sequence(depth + 1)
            if self._peek() != ")":
                self._expect_more("(")
            self.at += 1
            return Subshell(body, self._redirections(depth))
        if word in _ABSENT:
            raise Unsupported(f"'{word}' is not supported by this phone's shell")
        if word == "function" or _FUNCTION.match(self.text, self.at):
            return self._function(depth)
        if not word:
            return self._simple(depth)
        if word in _CLOSING:
            raise SyntaxProblem(f"syntax error: unexpected '{word}'")
        self.at += len(word)
        match word:
            case "{":
                body = self._body(depth, "{", "}")
                return Group(body, self._redirections(depth))
            case "if":
                return self._if(depth)
            case "while" | "until":
                condition = self.sequence(depth + 1, "do")
                self._keyword("do", word)
                body = self._body(depth, word, "done")
                return Loop(condition, body, word == "until", self._redirections(depth))
            case "for":
                return self._for(depth)
            case _:
                return self._case(depth)

    def _body(self, depth: int, opened: str, end: str) -> Sequence:
        body = self.sequence(depth + 1, end)
        self._keyword(end, opened)
        return body

    def _if(self, depth: int) -> If:
        branches: list[tuple[Sequence, Sequence]] = []
        otherwise: Sequence | None = None
        while True:
            condition = self.sequence(depth + 1, "then")
            if not condition.steps:
                self._expect_more("if")
            self._keyword("then", "if")
            branches.append((condition, self.sequence(depth + 1, "elif", "else", "fi")))
            if self._reserved() != "elif":
                break
            self.at += 4
        if self._reserved() == "else":
            self.at += 4
            otherwise = self.sequence(depth + 1, "fi")
        self._keyword("fi", "if")
        return If(tuple(branches), otherwise, self._redirections(depth))

    def _for(self, depth: int) -> For:
        self._blank()
        name = self._name()
        self._blank(newlines=True)
        words: list[Word] | None = None
        if self._reserved() == "in":
            self.at += 2
            words = []
            while True:
                self._blank()
                here = self._peek()
                if not here or here in SPECIAL:
                    break
                words.append(self._word(depth))
        self._blank()
        if self._peek() == ";":
            self.at += 1
        self._blank(newlines=True)
        self._keyword("do", "for")
        body = self._body(depth, "for", "done")
        return For(name, None if words is None else tuple(words), body, self._redirections(depth))

    def _case(self, depth: int) -> Case:
        self._blank()
        if not self._peek() or self._peek() in SPECIAL:
            self._expect_more("case")
        word = self._word(depth)
        self._blank(newlines=True)
        self._keyword("in", "case")
        branches: list[tuple[tuple[Word, ...], Sequence]] = []
        while True:
            self._blank(newlines=True)
            if self._reserved() == "esac":
                self.at += 4
                return Case(word, tuple(branches), self._redirections(depth))
            if self._peek() == "(":
                self.at += 1
            patterns: list[Word] = []
            while True:
                self._blank()
                if not self._peek() or self._peek() in SPECIAL:
                    self._expect_more("case")
                patterns.append(self._word(depth))
                self._blank()
                if self._peek() != "|":
                    break
                self.at += 1
            if self._peek() != ")":
                self._expect_more("case")
            self.at += 1
            branches.append((tuple(patterns), self.sequence(depth + 1, "esac")))
            if self.text.startswith(";;", self.at):
                self.at += 2
            elif self._reserved() != "esac":
                self._expect_more("case")

    def _function(self, depth: int) -> Function:
        if self._reserved() == "function":
            self.at += 8
            self._blank()
            name = self._name()
            self._blank()
            if self.text.startswith("()", self.at):
                self.at += 2
        else:
            found = _FUNCTION.match(self.text, self.at)
            assert found is not None
            name, self.at = found[1], found.end()
        self._blank(newlines=True)
        if self._peek() != "(" and self._reserved() not in RESERVED - _CLOSING - _ABSENT:
            self._expect_more(name)
        return Function(name, self._command(depth + 1))

    def _simple(self, depth: int) -> Simple:
        assignments: list[tuple[str, Word]] = []
        words: list[Word] = []
        redirections: list[Redirection] = []
        while True:
            self._blank()
            here = self._peek()
            found = self._redirection(depth)
            if found:
                redirections += found
                continue
            if not here or here in "|&;\n)":
                break
            if here == "(":
                raise SyntaxProblem("syntax error: unexpected '('")
            if not words and (match := _ASSIGNMENT.match(self.text, self.at)):
                self.at = match.end()
                if self._peek() == "(":
                    raise Unsupported("arrays are not supported by this phone's shell")
                assignments.append((match.group()[:-1], self._word(depth)))
                continue
            words.append(self._word(depth))
        if not words and not assignments and not redirections:
            raise SyntaxProblem(f"syntax error: unexpected '{self._peek() or 'EOF'}'")
        return Simple(tuple(assignments), tuple(words), tuple(redirections))

    def _redirections(self, depth: int) -> tuple[Redirection, ...]:
        found: list[Redirection] = []
        while True:
            self._blank()
            more = self._redirection(depth)
            if not more:
                return tuple(found)
            found += more

    def _redirection(self, depth: int) -> list[Redirection]:
        match = _REDIRECTION.match(self.text, self.at)
        if match is None:
            return []
        fd, operator, both = match.groups()
        if operator in ("<<<", "<>"):
            raise Unsupported(f"'{operator}' is not supported by this phone's shell")
        self.at = match.end()
        self._blank()
        if not self._peek() or self._peek() in SPECIAL:
            raise SyntaxProblem(f"syntax error: unexpected '{self._peek() or 'EOF'}'")
        if operator in ("<<", "<<-"):
            return [self._here(int(fd or "0"), operator == "<<-", depth)]
        target = self._word(depth)
        if both:
            # `&>` redirects both.
            return [
                Redirection(1, both[1:], target),
                Redirection(2, ">&", (Literal("1", True),)),
            ]
        number = int(fd) if fd else (0 if operator[0] == "<" else 1)
        return [Redirection(number, ">" if operator == ">|" else operator, target)]

    def _here(self, fd: int, indented: bool, depth: int) -> Redirection:
        start = self.at
        word = self._word(depth)
        if any(not isinstance(part, Literal) for part in word):
            raise SyntaxProblem(f"syntax error: unexpected '{self.text[start : self.at]}'")
        end = "".join(part.text for part in word if isinstance(part, Literal))
        plain = any(part.quoted for part in word if isinstance(part, Literal))
        here = Here(end, indented, plain)
        self._wanted.append(here)
        return Redirection(fd, "<<", (), here)

    def _newline(self) -> None:
        """Skip the end of a line, and read the here-documents that follow it."""
        self.at += 1
        for here in self._wanted:
            lines: list[str] = []
            while True:
                if self.at >= len(self.text):
                    raise Incomplete(f"here document '{here.end}' unclosed")
                end = self.text.find("\n", self.at)
                line = self.text[self.at : end] if end >= 0 else self.text[self.at :]
                self.at = end + 1 if end >= 0 else len(self.text)
                line = line.lstrip("\t") if here.indented else line
                if line == here.end:
                    break
                lines.append(line + "\n")
            text = "".join(lines)
            if len(text) > HERE_SIZE:
                raise SyntaxProblem("here document too large")
            here.body = (Literal(text, True),) if here.plain else _Parser(text).document()
        self._wanted.clear()

    # Characters

    def _name(self) -> str:
        match = _NAME.match(self.text, self.at)
        if match is None:
            self._expect_more("for")
            raise AssertionError
        self.at = match.end()
        return match.group()

    def _keyword(self, word: str, opened: str) -> None:
        if self._reserved() != word:
            self._expect_more(opened)
        self.at += len(word)

    def _reserved(self) -> str:
        """The reserved word at this place, or ""."""
        end = self.at
        while end < len(self.text) and end - self.at < 10 and self.text[end] not in SPECIAL:
            end += 1
        word = self.text[self.at : end]
        return word if word in RESERVED else ""

    def _blank(self, *, newlines: bool = False) -> None:
        while self.at < len(self.text):
            here = self.text[self.at]
            if here in " \t":
                self.at += 1
            elif newlines and here == "\n":
                self._newline()
            elif self.text.startswith("\\\n", self.at):
                self.at += 2
            elif here == "#" and (self.at == 0 or self.text[self.at - 1] in " \t\n;|&("):
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end
            else:
                return
