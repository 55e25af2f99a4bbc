"""What bash, zsh and fish offer for a command line that is typed so far. The shells decide: each
runs the script that `handheld completion` prints."""

import contextlib
import os
import pty
import re
import select
import shlex
import shutil
import subprocess
import sys
from collections.abc import Generator, Mapping, Sequence

import pytest

from cli.program import Home
from harness.polling import HANG

PROMPT = "READY>"
_BASH = f"""\
PS1='{PROMPT}'
bind 'set enable-bracketed-paste off'
bind 'set completion-query-items 0'
note() {{ printf '%s\\0' "$@" >answer; }}
source ../script
"""
_ZSH = """\
autoload -Uz compinit && compinit -u -D
source ../script
compadd() {
  if [[ "${@[1,(i)(-|--)]}" != *-(O|A|D)\\ * ]]; then
    local -a hits
    builtin compadd -A hits "$@"
    print -rl -- $hits >>answer
  fi
  builtin compadd "$@"
}
ask() {
  for line in "${(@f)$(<lines)}"; do
    print -r -- "LINE $line" >>answer
    BUFFER=$line CURSOR=$#line
    zle complete-word
  done
  exit
}
zle -N zle-line-init ask
"""
_FISH = """\
source ../script
while read -l line
    echo "LINE $line" >>answer
    complete -C "$line" >>answer
end <lines
"""


def offers(shell: str, home: Home, lines: Sequence[str]) -> Mapping[str, set[str]]:
    """Return what the shell offers at the end of each line, in a folder `here` of the home."""
    program = shutil.which(shell)
    if program is None:
        pytest.fail(f"{shell} is not installed. On Debian: apt-get install {shell}")
    here = home.folder / "here"
    here.mkdir()
    (here / "notes.json").touch()
    (home.folder / "script").write_text(home.run("completion", shell).stdout, encoding="utf-8")
    (here / "lines").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    command = home.folder / "bin" / "handheld"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m handheld "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    asked = {"bash": _ask_bash, "zsh": _ask_zsh, "fish": _ask_fish}[shell](program, home, lines)
    return {line: _values(line, words) for line, words in asked.items()}


def _values(line: str, words: Sequence[str]) -> set[str]:
    """Shells differ in whether a value after = is offered with its flag."""
    if re.search(r" --[\w-]+=\S*$", line):
        words = [re.sub(r"^--[\w-]+=", "", word) for word in words]
    return set(words) - {""}


def _environment(home: Home) -> dict[str, str]:
    path = f"{home.folder / 'bin'}:{os.defpath}"
    return {**home.environment, "PATH": path, "TERM": "dumb", "ZDOTDIR": str(home.folder)}


@contextlib.contextmanager
def _terminal(arguments: Sequence[str], home: Home) -> Generator[int]:
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        arguments,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=_environment(home),
        cwd=home.folder / "here",
        start_new_session=True,
    ) as process:
        os.close(theirs)
        try:
            yield ours
        finally:
            os.close(ours)
            process.kill()


def _read_until(terminal: int, mark: str) -> None:
    """Read what is printed up to the mark, or to the end if there is none."""
    printed = b""
    while not mark or mark.encode() not in printed:
        ready, _, _ = select.select([terminal], [], [], HANG)
        assert ready, f"Nothing within {HANG} s after {printed!r}"
        try:
            data = os.read(terminal, 65536)
        except OSError:  # as Linux reports the end of a terminal
            data = b""
        if not data:
            assert not mark, f"It ended after {printed!r}"
            return
        printed += data


def _ask_bash(program: str, home: Home, lines: Sequence[str]) -> dict[str, list[str]]:
    """Type each line, have all completions inserted, and note the words of the line."""
    (home.folder / "rc").write_text(_BASH, encoding="utf-8")
    answer = home.folder / "here" / "answer"
    found: dict[str, list[str]] = {}
    with _terminal([program, "--rcfile", "../rc", "-i"], home) as terminal:
        _read_until(terminal, PROMPT)
        for line in lines:
            os.write(terminal, f"{line}\x1b*\x01note \r".encode())
            _read_until(terminal, f"\n{PROMPT}")
            words = answer.read_bytes().decode().split("\0")[:-1]
            typed = line.split() if line[-1] != " " else [*line.split(), ""]
            offered = words[len(typed) - 1 :]
            found[line] = [] if offered == typed[-1:] else offered
    return found


def _ask_zsh(program: str, home: Home, lines: Sequence[str]) -> dict[str, list[str]]:
    (home.folder / ".zshrc").write_text(_ZSH, encoding="utf-8")
    with _terminal([program, "-i"], home) as terminal:
        _read_until(terminal, "")
    asked = _read_answers(home)
    return {
        line: [word for hit in hits for word in shlex.split(hit)] for line, hits in asked.items()
    }


def _ask_fish(program: str, home: Home, lines: Sequence[str]) -> dict[str, list[str]]:
    run = subprocess.run(
        [program, "--no-config", "-c", _FISH],
        env=_environment(home),
        cwd=home.folder / "here",
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=HANG,
        check=False,
    )
    assert (run.returncode, run.stderr) == (0, "")
    asked = _read_answers(home)
    return {line: [hit.partition("\t")[0] for hit in hits] for line, hits in asked.items()}


def _read_answers(home: Home) -> dict[str, list[str]]:
    text = (home.folder / "here" / "answer").read_text(encoding="utf-8")
    parts = (part.split("\n") for part in text.split("LINE ")[1:])
    return {line: hits for line, *hits in parts}
