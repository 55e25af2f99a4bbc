"""Read a Dockerfile and a .dockerignore: the few instructions and patterns that ours have.

What is not known here is an error, never skipped: a step that is not understood would otherwise be
taken for one that works.
"""

import fnmatch
import json
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

WORDS = {
    *("ARG", "FROM", "RUN", "COPY", "ENV", "WORKDIR", "USER", "VOLUME"),
    *("LABEL", "EXPOSE", "HEALTHCHECK", "ENTRYPOINT", "CMD"),
}
FLAGS = {"RUN": {"mount"}, "COPY": {"from"}}
FLAGS["HEALTHCHECK"] = {"interval", "timeout", "start-period", "retries"}


class Unknown(Exception):
    """An instruction that is not understood. The message is a sentence."""


class Instruction(NamedTuple):
    word: str
    flags: Mapping[str, str]
    rest: str


@dataclass(frozen=True)
class Stage:
    base: str
    name: str
    steps: list[Instruction] = field(default_factory=list[Instruction])


def parse(text: str) -> list[Stage]:
    stages: list[Stage] = []
    arguments: dict[str, str] = {}
    # Comments go first: Docker, too, takes them out of the middle of an instruction.
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    for line in "\n".join(lines).replace("\\\n", " ").splitlines():
        if not line.strip():
            continue
        step = _read(line)
        if step.word == "FROM":
            base, _, name = substitute(step.rest, arguments).partition(" AS ")
            stages.append(Stage(base, name or str(len(stages))))
        elif stages:
            stages[-1].steps.append(step)
        elif step.word == "ARG":
            name, _, value = step.rest.partition("=")
            arguments[name] = value
        else:
            raise Unknown(f"{step.word} stands before the first FROM.")
    return stages


def _read(line: str) -> Instruction:
    word, rest = (*line.split(maxsplit=1), "")[:2]
    flags: dict[str, str] = {}
    while found := re.match(r"--([a-z-]+)=(\S+)\s+", rest):
        flags[found[1]] = found[2]
        rest = rest[found.end() :]
    if word not in WORDS or flags.keys() - FLAGS.get(word, set()) or rest.startswith("--"):
        raise Unknown(f"Not known here: {line.strip()[:80]}")
    return Instruction(word, flags, re.sub(r"\s+", " ", rest.strip()))


def substitute(text: str, variables: Mapping[str, str]) -> str:
    return re.sub(r"\$(?:\{(\w+)\}|(\w+))", lambda found: variables[found[1] or found[2]], text)


@dataclass
class Image:
    """What instructions have set, beside files."""

    variables: dict[str, str]
    user: str = "root"
    folder: str = "/"
    volumes: list[str] = field(default_factory=list[str])
    entrypoint: list[str] = field(default_factory=list[str])
    arguments: list[str] = field(default_factory=list[str])
    health: list[str] = field(default_factory=list[str])

    def set(self, step: Instruction) -> None:
        match step.word:
            case "ENV":
                pairs = [pair.partition("=") for pair in shlex.split(step.rest)]
                new = {name: substitute(value, self.variables) for name, _, value in pairs}
                self.variables.update(new)
            case "USER":
                self.user = step.rest
            case "WORKDIR":
                self.folder = step.rest
            case "VOLUME":
                self.volumes.append(step.rest)
            case "ENTRYPOINT":
                self.entrypoint = json.loads(step.rest)
            case "CMD":
                self.arguments = json.loads(step.rest)
            case "HEALTHCHECK":
                self.health = json.loads(step.rest.removeprefix("CMD "))
            case "LABEL" | "EXPOSE":
                pass  # say something of an image, and change nothing in it
            case _:
                raise Unknown(f"{step.word} cannot stand in a stage here.")


class Context:
    """What may be copied into an image."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        lines = (folder / ".dockerignore").read_text("utf-8").splitlines()
        self._patterns = [line for line in lines if line and not line.startswith("#")]

    def leaves_out(self, path: Path) -> bool:
        """Whether a pattern leaves out the path or a folder that it is in; the last one counts."""
        name = path.relative_to(self.folder)
        names = [name.as_posix(), *(str(folder) for folder in name.parents if folder.name)]
        out = False
        for pattern in self._patterns:
            plain = pattern.removeprefix("!")
            if any(_matches(name, plain) for name in names):
                out = not pattern.startswith("!")
        return out


def _matches(name: str, pattern: str) -> bool:
    if pattern.startswith("**/"):
        return fnmatch.fnmatchcase(name.rpartition("/")[2], pattern[3:])
    return "/" not in name and fnmatch.fnmatchcase(name, pattern)
