"""Lexing of shell words: quotes, variables, substitutions and arithmetic."""

import re

from .command_tree import Arithmetic, Literal, Part, Sequence, Substitution, Variable, Word
from .escapes import unescape

NESTING = 32
SPECIAL = " \t\n|&;<>()"
"""Characters that end a word."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PARAMETER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?$!-]")
_EXPANSION = re.compile(r":[-=?+]|[-=?+]|##|#|%%|%|//|/|:")
_DOLLAR_QUOTE = re.compile(r"\$'((?:[^'\\]|\\.)*)'", re.DOTALL)


class SyntaxProblem(Exception):
    """The text is not a command. The message is the shell's error."""


class Incomplete(SyntaxProblem):
    """The text ends within a construct."""


class Unsupported(SyntaxProblem):
    """The text is valid in a real shell, but not supported by this one."""


class WordReader:
    """Reads words from a position in a text. Subclasses parse commands."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def sequence(self, depth: int, *ends: str) -> Sequence:
        """Parse the commands of `$(…)`."""
        raise NotImplementedError

    def finish(self) -> None:
        """Check that the text has ended. Raises Incomplete if it ends within a construct."""

    def document(self) -> Word:
        """Parse the text as between double quotes, but with literal quotes."""
        parts: list[Part] = []
        self._double(parts, 0, end="")
        return tuple(parts)

    def _word(self, depth: int) -> Word:
        return self._parts(SPECIAL, False, depth)

    def _parts(self, stops: str, quoted: bool, depth: int) -> Word:
        """Parse up to one of the characters `stops`; `quoted` makes a single quote literal."""
        marks = '"\\$`' if quoted else "'\"\\$`"
        parts: list[Part] = []
        start = self.at
        while (here := self._peek()) and here not in stops:
            if here not in marks:
                self.at += 1
                continue
            if start < self.at:
                parts.append(Literal(self.text[start : self.at], quoted))
            self._quoted(here, parts, depth)
            start = self.at
        if start < self.at:
            parts.append(Literal(self.text[start : self.at], quoted))
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
                # Even if empty, because "" is a word.
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
        parser = type(self)(inner)
        body = parser.sequence(depth + 1)
        if parser.at < len(inner):
            raise SyntaxProblem(f"syntax error: unexpected '{inner[parser.at]}'")
        parser.finish()
        return Substitution(body, quoted)

    def _arithmetic(self, quoted: bool, depth: int) -> Arithmetic | None:
        """Parse `$((…))`; return None if the two brackets are a substitution and a subshell."""
        start, open_brackets = self.at + 3, 0
        for at in range(start, len(self.text)):
            char = self.text[at]
            if char == "(":
                open_brackets += 1
            elif char == ")" and open_brackets:
                open_brackets -= 1
            elif char == ")":
                if not self.text.startswith("))", at):
                    return None
                parser = type(self)(self.text[start:at])
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
            # In a pattern, quotes have their meaning even between double quotes.
            pattern = operator.group() in ("#", "##", "%", "%%", "/", "//")
            stop = "/" if pattern else ":"
            word = self._parts("}" + stop if two else "}", quoted and not pattern, depth + 1)
            if two and self._peek() != "}":
                self.at += 1
                other = self._parts("}", quoted and not pattern, depth + 1)
        if not self._peek():
            raise Incomplete("no closing quote")
        if name is None or self._peek() != "}" or (length and operator is not None):
            end = self.text.find("}", self.at)
            shown = self.text[start : end + 1] if end >= 0 else self.text[start:]
            raise SyntaxProblem(f"{shown[:200]}: bad substitution")
        self.at += 1
        kind = "length" if length else operator.group() if operator is not None else ""
        return Variable(name.group(), quoted, kind, word, other)

    def _expect_more(self, opened: str) -> None:
        """Raise an error: the text ends within a construct, or continues with the wrong
        character."""
        if not self._peek():
            raise Incomplete(f"syntax error: unmatched '{opened}'")
        end = self.at
        while end < len(self.text) and self.text[end] not in SPECIAL:
            end += 1
        shown = self.text[self.at : end] or self.text[self.at : self.at + 1]
        raise SyntaxProblem(
            f"syntax error: unexpected '{'newline' if shown == chr(10) else shown}'"
        )

    def _peek(self) -> str:
        return self.text[self.at : self.at + 1]
