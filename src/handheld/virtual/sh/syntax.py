"""The shell's language: text in, a tree of commands out. Knows nothing of running them."""

import re

from .command_tree import (
    Arithmetic,
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
    Part,
    Pipeline,
    Redirection,
    Sequence,
    Simple,
    Subshell,
    Substitution,
    Variable,
    Word,
)
from .escapes import unescape

NESTING = 32
STAGES = 64
"""Commands in one pipeline."""
HERE_SIZE = 1024 * 1024

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\+?=")
_FUNCTION = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)[ \t]*\([ \t]*\)")
_REDIRECTION = re.compile(r"([0-9]?)(>>|>&|<<-|<<<|<<|<&|>\||<>|<|>)|(&>>|&>)")
_PARAMETER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?$!-]")
_EXPANSION = re.compile(r":[-=?+]|[-=?+]|##|#|%%|%|//|/|:")
_CLOSING = frozenset(("then", "else", "elif", "fi", "do", "done", "esac", "}", "in"))
_ABSENT = frozenset(("select", "[[", "coproc"))
RESERVED = frozenset(
    ("if", "for", "while", "until", "case", "function", "time", "{", "!", *_CLOSING, *_ABSENT)
)
_DOLLAR_QUOTE = re.compile(r"\$'((?:[^'\\]|\\.)*)'", re.DOTALL)
_SPECIAL = " \t\n|&;<>()"


class SyntaxProblem(Exception):
    """The text is not a command. The message is what the shell prints."""


class Incomplete(SyntaxProblem):
    """The text ends in the middle of something."""


class NotOffered(SyntaxProblem):
    """A real shell would understand this; this one says that it does not."""


def parse(text: str) -> Sequence:
    """Raises SyntaxProblem; Incomplete where more text could mend it."""
    parser = _Parser(text)
    body = parser.sequence(0)
    if parser.at < len(text):
        shown = ";;" if text.startswith(";;", parser.at) else text[parser.at]
        raise SyntaxProblem(f"syntax error: unexpected '{shown}'")
    parser.finish()
    return body


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self._wanted: list[Here] = []
        """Here-documents whose text follows the line that is being read."""

    def finish(self) -> None:
        if self._wanted:
            raise Incomplete(f"here document '{self._wanted[0].end}' unclosed")

    def sequence(self, depth: int, *ends: str) -> Sequence:
        """Up to one of the words `ends`, a `)`, a `;;` or the end of the text."""
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
            raise NotOffered(f"'{word}' is not offered by this phone's shell")
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
                if not here or here in _SPECIAL:
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
        if not self._peek() or self._peek() in _SPECIAL:
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
                if not self._peek() or self._peek() in _SPECIAL:
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
                    raise NotOffered("arrays are not offered by this phone's shell")
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
            raise NotOffered(f"'{operator}' is not offered by this phone's shell")
        self.at = match.end()
        self._blank()
        if not self._peek() or self._peek() in _SPECIAL:
            raise SyntaxProblem(f"syntax error: unexpected '{self._peek() or 'EOF'}'")
        if operator in ("<<", "<<-"):
            return [self._here(int(fd or "0"), operator == "<<-", depth)]
        target = self._word(depth)
        if both:
            # `&>` is both at once.
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
        """Past the end of a line, and past the here-documents that it asked for."""
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

    def document(self) -> Word:
        """The text as it stands between double quotes, where a quote is nothing special."""
        parts: list[Part] = []
        self._double(parts, 0, end="")
        return tuple(parts)

    # Words

    def _word(self, depth: int, stops: str = _SPECIAL) -> Word:
        parts: list[Part] = []
        plain = ""
        while self.at < len(self.text):
            here = self.text[self.at]
            if here in stops:
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
            self.at += 2
            if not following:
                parts.append(Literal("\\", True))
            elif following != "\n":
                parts.append(Literal(following, True))
        elif mark == '"':
            self.at += 1
            self._double(parts, depth)
        else:
            parts.append(self._dollar(False, depth))

    def _double(self, parts: list[Part], depth: int, end: str = '"') -> None:
        text, before = "", len(parts)
        while True:
            here = self._peek()
            if not here and end:
                raise Incomplete("no closing quote")
            if here == end:
                self.at += 1
                # Also when empty: "" is a word.
                if text or len(parts) == before:
                    parts.append(Literal(text, True))
                return
            if here == "\\" and self.text[self.at + 1 : self.at + 2] in tuple('$`"\\\n'):
                following = self.text[self.at + 1]
                if following == '"' and not end:
                    text += "\\"
                text += "" if following == "\n" else following
                self.at += 2
            elif here in "$`":
                if text:
                    parts.append(Literal(text, True))
                text = ""
                parts.append(self._dollar(True, depth))
            else:
                text += here
                self.at += 1

    def _dollar(self, quoted: bool, depth: int) -> Part:
        text = self.text
        if text[self.at] == "`":
            return self._backticks(quoted, depth)
        if text.startswith("$((", self.at):
            found = self._arithmetic(quoted, depth)
            if found is not None:
                return found
        if text.startswith("$(", self.at):
            self.at += 2
            body = self.sequence(depth + 1)
            if self._peek() != ")":
                self._expect_more("(")
            self.at += 1
            return Substitution(body, quoted)
        if text.startswith("${", self.at):
            return self._braces(quoted, depth)
        if not quoted and (found := _DOLLAR_QUOTE.match(text, self.at)):
            self.at = found.end()
            return Literal(unescape(found[1].replace("\\'", "'"))[0], True)
        match = _NAME.match(text, self.at + 1)
        if match is not None:
            self.at = match.end()
            return Variable(match.group(), quoted)
        following = text[self.at + 1 : self.at + 2]
        if following and following in "?$#@*!-0123456789":
            self.at += 2
            return Variable(following, quoted)
        self.at += 1
        return Literal("$", True)

    def _backticks(self, quoted: bool, depth: int) -> Substitution:
        inner = ""
        self.at += 1
        while True:
            here = self._peek()
            if not here:
                raise Incomplete("no closing quote")
            self.at += 1
            if here == "`":
                break
            following = self._peek()
            if here == "\\" and (following in ("\\", "$", "`") or (quoted and following == '"')):
                here = following
                self.at += 1
            inner += here
        parser = _Parser(inner)
        body = parser.sequence(depth + 1)
        if parser.at < len(inner):
            raise SyntaxProblem(f"syntax error: unexpected '{inner[parser.at]}'")
        parser.finish()
        return Substitution(body, quoted)

    def _arithmetic(self, quoted: bool, depth: int) -> Arithmetic | None:
        """None where the two brackets are a substitution and a subshell."""
        start, open_brackets = self.at + 3, 0
        for at in range(start, len(self.text)):
            sign = self.text[at]
            if sign == "(":
                open_brackets += 1
            elif sign == ")" and open_brackets:
                open_brackets -= 1
            elif sign == ")":
                if not self.text.startswith("))", at):
                    return None
                parser = _Parser(self.text[start:at])
                if depth >= NESTING:
                    raise SyntaxProblem("syntax error: nested too deeply")
                parts: list[Part] = []
                parser._double(parts, depth + 1, end="")
                self.at = at + 2
                return Arithmetic(tuple(parts), quoted)
        raise Incomplete("syntax error: unmatched '('")

    def _braces(self, quoted: bool, depth: int) -> Variable:
        if depth > NESTING:
            raise SyntaxProblem("syntax error: nested too deeply")
        start = self.at
        self.at += 2
        length = self._peek() == "#" and not self.text.startswith("#}", self.at)
        self.at += length
        name = _PARAMETER.match(self.text, self.at)
        self.at = name.end() if name is not None else self.at
        operator = _EXPANSION.match(self.text, self.at)
        word: Word = ()
        other: Word | None = None
        if operator is not None:
            self.at = operator.end()
            two = operator.group() in ("/", "//", ":")
            # A pattern is one also between double quotes, and quotes in it are its own.
            pattern = operator.group() in ("#", "##", "%", "%%", "/", "//")
            word = self._inner(
                quoted and not pattern,
                depth,
                ("/" if operator.group() != ":" else ":") if two else "",
            )
            if two and self._peek() != "}":
                self.at += 1
                other = self._inner(quoted and not pattern, depth, "")
        if not self._peek():
            raise Incomplete("no closing quote")
        if name is None or self._peek() != "}" or (length and operator is not None):
            end = self.text.find("}", self.at)
            shown = self.text[start : end + 1] if end >= 0 else self.text[start:]
            raise SyntaxProblem(f"{shown[:200]}: bad substitution")
        self.at += 1
        sign = "length" if length else operator.group() if operator is not None else ""
        return Variable(name.group(), quoted, sign, word, other)

    def _inner(self, quoted: bool, depth: int, stop: str) -> Word:
        """The word in `${NAME:-word}`."""
        parts: list[Part] = []
        plain = ""
        while (here := self._peek()) and here != "}" and here != stop:
            if here in '"\\$`' or (here == "'" and not quoted):
                if plain:
                    parts.append(Literal(plain, quoted))
                    plain = ""
                self._quoted(here, parts, depth + 1)
                continue
            plain += here
            self.at += 1
        if plain:
            parts.append(Literal(plain, quoted))
        return tuple(parts)

    # Single signs

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

    def _expect_more(self, opened: str) -> None:
        """Raises: the text ends within something, or something else stands there."""
        if not self._peek():
            raise Incomplete(f"syntax error: unmatched '{opened}'")
        end = self.at
        while end < len(self.text) and self.text[end] not in _SPECIAL:
            end += 1
        shown = self.text[self.at : end] or self.text[self.at : self.at + 1]
        raise SyntaxProblem(
            f"syntax error: unexpected '{'newline' if shown == chr(10) else shown}'"
        )

    def _reserved(self) -> str:
        """The reserved word that stands here, or nothing."""
        end = self.at
        while end < len(self.text) and end - self.at < 10 and self.text[end] not in _SPECIAL:
            end += 1
        word = self.text[self.at : end]
        return word if word in RESERVED else ""

    def _peek(self) -> str:
        return self.text[self.at : self.at + 1]

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
